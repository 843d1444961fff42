"""The whole search over few coordinates in one go, as ``search.cheapest_mixture`` takes it where the tree is small.

Half of what a small search takes is the way between loops, each of which is done within microseconds. So here one
loop calls the next; what needs more room, a larger tree or another solver is given up, and is for ``search``.

Plain Python over arrays that numba compiles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from liftlib.solvers.mixing import simplex, tree
from liftlib.solvers.mixing.compiling import compiled
from liftlib.solvers.mixing.directions import directions
from liftlib.solvers.mixing.masters import AT_ONCE, DEARER, DEAREST, STEPS, SUPPORT_TOL, UNITS_TOL
from liftlib.solvers.mixing.pairs import vertices
from liftlib.solvers.mixing.primal import join, mixed, offer
from liftlib.solvers.mixing.problem import ENOUGH, NEAR, WORTHLESS, Problem, Records, Stack
from liftlib.solvers.mixing.ranges import ALIKE
from liftlib.solvers.mixing.resuming import resume, siblings
from liftlib.solvers.mixing.search import CAP_ROOM, FINER, FINEST, LAST, RESUMED
from liftlib.solvers.mixing.supports import AT_AN_END, FLAT
from liftlib.solvers.mixing.tree import surprise

DOWN = 20
"""Steps downhill from a start, at most."""

LISTED = 400
"""Rows that a pass lists, at most."""

JOINING = 300
"""Of those the cheapest, which join."""

GOOD = 1e-7
"""Nats that a row saves at least which joins before there is a pass."""

PASSES = 40
"""Passes after which a search is given up."""

space = compiled(simplex.space)


class Mixing(NamedTuple):
    """The linear programme over rows: these and their costs, how many, what unit vectors cost, and the basis."""

    rows: Any  # (K, n)
    costs: Any  # (K,)
    count: Any  # (1,)
    dear: Any  # (1,)
    target: Any  # (n,)
    basis: Any  # (n,)
    inverse: Any  # (n, n)


@compiled
def polytope(halfspaces, target, slack):
    """Return what ``ranges.ranges`` and ``problem.Problem.of`` do."""
    rows, low, high, sides, sizes = directions(halfspaces, ALIKE)
    rows = np.ascontiguousarray(rows)
    m, n = rows.shape
    tight_low, tight_high, safe_low, safe_high = low.copy(), high.copy(), low.copy(), high.copy()
    for r in range(m):
        value = 0.0
        for x in range(n):
            value += rows[r, x] * target[x]
        if value - low[r] < NEAR:
            tight_low[r] = value
        if high[r] - value < NEAR:
            tight_high[r] = value
        for side in range(2):
            one = sides[r, side]
            if one >= 0:
                room = slack * max(1.0, np.abs(halfspaces[one]).max()) / sizes[r, side]
                if side == 0:
                    safe_low[r] -= room
                else:
                    safe_high[r] += room
    tight_low[m - 1] = tight_high[m - 1] = 1.0
    problem = Problem(rows, np.ascontiguousarray(rows.T), tight_low, tight_high, safe_low, safe_high)
    return problem, (low, high, sides, sizes)


@compiled
def widest(problem, work):
    """Return a little more than each coordinate can be, and the multipliers that prove it."""
    n, m = problem.columns.shape
    caps, multipliers = np.ones(n), np.zeros((n, m))
    tree.largest(problem, caps, multipliers, work)
    for x in range(n):
        caps[x] = min(1.0, caps[x] + CAP_ROOM * (1.0 + np.abs(multipliers[x]).sum()))
    return caps, multipliers


@compiled
def add(mixing, rows):
    """Let rows join, without what is rounding; return how many are new, -1 where there is no room."""
    before = mixing.count[0]
    if before + len(rows) > mixing.costs.size:
        return -1
    for k in range(len(rows)):
        total = 0.0
        for x in range(rows.shape[1]):
            if not rows[k, x] > SUPPORT_TOL:
                rows[k, x] = 0.0
            total += rows[k, x]
        rows[k] /= total
    mixing.count[0] = join(mixing.rows, mixing.costs, before, rows)
    return mixing.count[0] - before


@compiled
def settle(mixing, table):
    """Mix, and let vertices on one or two coordinates join until none would improve it.

    Returns whether it went well, the cost, the duals, and the weights of the rows.
    """
    n = mixing.target.size
    while True:
        count = mixing.count[0]
        well, cost, mixing.dear[0], dual, weights = mixed(
            mixing.rows, mixing.costs, count, mixing.dear[0], mixing.target, mixing.basis, mixing.inverse, STEPS * n,
            (DEARER, DEAREST, UNITS_TOL),
        )  # fmt: skip
        most = AT_ONCE * n
        if not well or count + most > mixing.costs.size:
            return False, cost, dual, weights
        if table[2].size == 0:
            return True, cost, dual, weights
        more = offer(
            mixing.rows, mixing.costs, count, table[0], table[1], table[2], table[3], dual, most, WORTHLESS
        )  # fmt: skip
        if more == count:
            return True, cost, dual, weights
        mixing.count[0] = more


@compiled
def downhill(problem, dual, starts, worth, work):
    """Return those points that starts lead to downhill which save more than is worth a row."""
    rows, prices = np.zeros_like(starts), np.full(len(starts), np.inf)
    tree.descend(problem, dual, starts, DOWN, rows, prices, work)
    count = 0
    for k in range(len(starts)):
        if prices[k] < -worth:
            for x in range(rows.shape[1]):
                rows[count, x] = max(rows[k, x], 0.0)
            count += 1
    return rows[:count]


@compiled
def empty(nodes, m):
    """Return room for nodes, see ``problem.Records``; ``explore`` writes all of it."""
    return Records(
        np.empty(nodes, np.int64), np.empty(nodes, np.int64), np.empty(nodes, np.int64), np.empty(nodes, np.int64),
        np.empty(nodes), np.empty((nodes, m)), np.empty((nodes, m), np.int32),
    )  # fmt: skip


@compiled
def one_pass(problem, dual, caps, delta, records, count, order, programmes, work):
    """Look through the tree, from an earlier one on where that was large; see ``search.Search.one_pass``.

    Returns whether it came to an end, what no row's price is below, the programmes solved, the rows found, cheapest
    first, and the tree: its records, how many, and the order of coordinates.
    """
    n, m = problem.columns.shape
    nodes = records.parent.size
    into, size = empty(nodes, m), 64 * n + 256 + 2 * nodes
    stack = Stack(np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size))
    state = np.array([0.0, 0.0, 0.0, 0.0, np.inf, 0.0, 0.0])
    resumed = False
    if count >= RESUMED:
        place, links = np.full(count, -1), siblings(records, count)
        at = resume(problem, dual, caps, order, -delta, records, count, into, place, links, stack, state, 0)
        resumed = at == count and state[1] <= state[0]
    if not resumed:
        order = np.argsort(dual, kind="mergesort")
        state[:2], state[4] = (0.0, 1.0), np.inf
        stack.parent[0], stack.child[0], stack.bound[0] = -1, 0, -np.inf
    found, prices = np.empty((LISTED, n)), np.empty(LISTED)
    tree.explore(
        problem, dual, caps, order, -delta, delta / FINER, into, stack, state, found, prices,
        (programmes, LISTED, ENOUGH, LISTED + 1), work,
    )  # fmt: skip
    least = min(state[4], stack.bound[0]) if state[1] > 0 else state[4]
    ended = state[1] == 0 or state[3] < min(-delta, ENOUGH * least)
    which = np.argsort(prices[: int(state[2])], kind="mergesort")[:JOINING]
    return ended, least, int(state[6]), found[which], into, int(state[0]), order


@compiled
def begun(problem, target, starts, rows, dear, work):
    """Return the programme over rows, the vertices on one or two coordinates, and how it ended, see ``settle``."""
    n, m = problem.columns.shape
    table = vertices(problem.rows[: m - 1], problem.low, problem.high, FLAT, AT_AN_END, True)
    price = np.array([dear])
    basis = np.arange(n)
    mixing = Mixing(np.empty((rows, n)), np.empty(rows), np.zeros(1, np.int64), price, target, basis, np.eye(n))
    add(mixing, target.copy().reshape(1, n))
    settled = settle(mixing, table)
    if settled[0] and add(mixing, downhill(problem, settled[2], starts, GOOD, work)) > 0:
        settled = settle(mixing, table)
    return mixing, table, settled


@compiled
def kept_of(mixing, weights, dual, total):
    """Return which rows are worth keeping: those in use, those that nearly are, and the target."""
    kept = weights > 0.0
    for k in range(kept.size):
        price = mixing.costs[k]
        for x in range(dual.size):
            price -= mixing.rows[k, x] * dual[x]
        kept[k] = kept[k] or price < 1e-7 * (1.0 + total)
    kept[0] = True
    return np.flatnonzero(kept)


@compiled
def searched(halfspaces, target, slack, starts, gap, dear, room, programmes, dust):
    """Search, and return whether that went well, and what ``search.Found`` and ``search.Proven`` hold.

    ``room`` is how many nodes a tree may have, ``programmes`` how many a pass may solve.
    """
    n = target.size
    problem, hull = polytope(halfspaces, target, slack)
    m = len(problem.rows)
    work = space(m, n)
    caps, cap_multipliers = widest(problem, work)
    total = 0.0
    for x in range(n):
        total += surprise(target[x])
    mixing, table, (well, cost, dual, weights) = begun(problem, target, starts, 16 * n + room, dear, work)
    records, count, order = empty(room, m), 0, np.arange(n)
    proof, proven, proof_order, proof_dual, bound = records, 0, order, dual, 0.0
    solved, passes, done = 0, 0, False
    while well and not done and passes < PASSES:
        passes += 1
        ended, least, steps, found, records, count, order = one_pass(
            problem, dual, caps, LAST * max(gap * (total - cost), FINEST), records, count, order, programmes, work
        )
        solved += steps
        here = min(least, 0.0)
        for x in range(n):
            here += dual[x] * target[x]
        if here > bound or (proven == 0 and here > -FINEST):
            proof, proven, proof_order, proof_dual, bound = records, count, order, dual, here
        joined = 0
        if len(found) > 0:
            starts = np.maximum(found, dust)
            for k in range(len(starts)):
                starts[k] /= starts[k].sum()
            more = downhill(problem, dual, starts, WORTHLESS, work)
            first, second = add(mixing, found), add(mixing, more)
            joined = first + second
            well = min(first, second) >= 0
            if well:
                well, cost, dual, weights = settle(mixing, table)
        done = well and proven > 0 and cost - bound <= max(gap * (total - cost), FINEST)
        well = well and ended and (done or joined > 0)
    kept = kept_of(mixing, weights, dual, total)
    some = slice(0, proven)
    tables = (proof.parent[some].copy(), proof.child[some].copy(), proof.kind[some].copy(), proof.symbol[some].copy())
    return (
        done, mixing.rows[kept], weights[kept], dual, cost, bound, solved, passes, problem.rows, hull, caps,
        cap_multipliers, proof_dual, proof_order, tables, proof.level[some].copy(), proof.multipliers[some].copy(),
    )  # fmt: skip
