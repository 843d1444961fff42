"""The nodes of a tree that wait, in a heap, the least bound first; and all of them in the order of a walk through it.

Plain Python over arrays that numba compiles.
"""

from __future__ import annotations

import numpy as np

from mixproof.compiling import compiled


@compiled
def push(stack, size, parent, child, bound):
    """Let a child wait in a heap, the least bound first."""
    at = size
    while at > 0:
        above = (at - 1) // 2
        if stack.bound[above] <= bound:
            break
        stack.parent[at], stack.child[at], stack.bound[at] = stack.parent[above], stack.child[above], stack.bound[above]
        at = above
    stack.parent[at], stack.child[at], stack.bound[at] = parent, child, bound
    return size + 1


@compiled
def pop(stack, size):
    """Take the node of the least bound out of the heap; return whose child it is, and which."""
    parent, child = stack.parent[0], stack.child[0]
    last = size - 1
    moved_parent, moved_child, moved_bound = stack.parent[last], stack.child[last], stack.bound[last]
    at = 0
    while 2 * at + 1 < last:
        below = 2 * at + 1
        if below + 1 < last and stack.bound[below + 1] < stack.bound[below]:
            below += 1
        if stack.bound[below] >= moved_bound:
            break
        stack.parent[at], stack.child[at], stack.bound[at] = stack.parent[below], stack.child[below], stack.bound[below]
        at = below
    stack.parent[at], stack.child[at], stack.bound[at] = moved_parent, moved_child, moved_bound
    return parent, child


@compiled
def preorder(parent):
    """Return an order of a tree's nodes in which each stands right before what is below it.

    Parameters
    ----------
    parent : numpy.ndarray of int, shape (K,)
        That of each node, which stands before it; -1 for the root, the first.

    Examples
    --------
    >>> preorder(np.array([-1, 0, 0, 1, 2, 1])).tolist()
    [0, 1, 3, 5, 2, 4]
    """
    count = parent.size
    below, beside = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    for at in range(count - 1, 0, -1):
        beside[at], below[parent[at]] = below[parent[at]], at
    found, waiting = np.zeros(count, np.int64), np.zeros(count, np.int64)
    size, done = 1, 0
    while size > 0:
        at = waiting[size - 1]
        size -= 1
        found[done] = at
        done += 1
        if beside[at] >= 0:
            waiting[size] = beside[at]
            size += 1
        if below[at] >= 0:
            waiting[size] = below[at]
            size += 1
    return found
