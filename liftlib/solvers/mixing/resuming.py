"""A pass that goes on from an earlier one: what that proved of a box still bounds it once the duals have moved.

Between two passes a few rows join, and the duals move a little. So most of the tree is right again: each node's
multipliers are tried under the new duals, a node that they leave below the cut-off is solved again, from its own
basis, and one that they do not needs nothing below it.

Plain Python over arrays that numba compiles (``compiled.py``).
"""

from __future__ import annotations

import numpy as np

from liftlib.solvers.mixing.compiling import compiled
from liftlib.solvers.mixing.heap import push
from liftlib.solvers.mixing.problem import AGAIN, DEEPEST, LEAF
from liftlib.solvers.mixing.tree import bounded, box, children, raised, tighten


@compiled
def siblings(records, count):
    """Return the last child recorded of each node, and the one recorded before each; -1 where there is none."""
    below, beside = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    for at in range(count):
        parent = records.parent[at]
        if parent >= 0:
            beside[at], below[parent] = below[parent], at
    return below, beside


@compiled
def copy(records, at, into, to, parent):
    """Copy a node."""
    into.parent[to], into.child[to] = parent, records.child[at]
    into.kind[to], into.symbol[to], into.level[to] = records.kind[at], records.symbol[at], records.level[at]
    into.multipliers[to, :] = records.multipliers[at]
    into.basis[to, :] = records.basis[at]


@compiled
def resume(problem, dual, caps, order, threshold, records, count, into, place, links, stack, state, start):
    """Go through the nodes of an earlier pass, from one on, until the stack is full; return where it stopped.

    What is still needed is written to ``into``, which may be ``records`` itself: a node never moves to a later place.
    ``place`` is where each node went, -1 where it is not needed; ``links`` are its ``siblings``; ``state`` is the new
    pass's, see ``tree.explore``.
    """
    n = dual.size
    least, most, slopes, heights = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros((2, n))
    path, known = np.zeros((DEEPEST, 2), np.int64), np.zeros(n + 1, np.bool_)
    at, kept, size = start, int(state[0]), int(state[1])
    while at < count and size + n + 3 < stack.parent.size:
        parent = records.parent[at]
        up = place[parent] if parent >= 0 else -1
        if parent >= 0 and (up < 0 or into.kind[up] == LEAF):
            place[at] = -1
            at += 1
            continue
        copy(records, at, into, kept, up)
        place[at] = kept
        box(up, into.child[kept], into, caps, order, path, least, most)
        tighten(least, most)
        raised(least, most, heights)
        value = bounded(problem[0], problem[4], problem[5], dual, least, most, heights, into.multipliers[kept], slopes)
        if value >= threshold:
            into.kind[kept] = LEAF
            state[4] = min(state[4], value)
        elif into.kind[kept] == LEAF:
            size = push(stack, size, kept, AGAIN, value)
        else:
            known[:] = False
            child = links[0][at]
            while child >= 0:
                known[records.child[child] + 1] = True
                child = links[1][child]
            size, pruned = children(
                kept, value, problem, into, stack, size, least, most, heights, slopes, order, threshold, known
            )
            state[4] = min(state[4], pruned)
        kept += 1
        at += 1
    state[0], state[1] = kept, size
    return at
