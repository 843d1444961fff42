"""A binary heap of the open nodes, smallest bound first, compiled by numba."""

from __future__ import annotations

from mixproof.compiling import compiled


@compiled
def push(open_nodes, size, parent, child, bound):
    """Push a child on the heap; return the new size."""
    at = size
    while at > 0:
        above = (at - 1) // 2
        if open_nodes.bound[above] <= bound:
            break
        open_nodes.parent[at], open_nodes.child[at], open_nodes.bound[at] = (
            open_nodes.parent[above],
            open_nodes.child[above],
            open_nodes.bound[above],
        )
        at = above
    open_nodes.parent[at], open_nodes.child[at], open_nodes.bound[at] = parent, child, bound
    return size + 1


@compiled
def pop(open_nodes, size):
    """Pop the node with the smallest bound; return its parent and its child number."""
    parent, child = open_nodes.parent[0], open_nodes.child[0]
    last = size - 1
    moved_parent, moved_child, moved_bound = open_nodes.parent[last], open_nodes.child[last], open_nodes.bound[last]
    at = 0
    while 2 * at + 1 < last:
        below = 2 * at + 1
        if below + 1 < last and open_nodes.bound[below + 1] < open_nodes.bound[below]:
            below += 1
        if open_nodes.bound[below] >= moved_bound:
            break
        open_nodes.parent[at], open_nodes.child[at], open_nodes.bound[at] = (
            open_nodes.parent[below],
            open_nodes.child[below],
            open_nodes.bound[below],
        )
        at = below
    open_nodes.parent[at], open_nodes.child[at], open_nodes.bound[at] = moved_parent, moved_child, moved_bound
    return parent, child
