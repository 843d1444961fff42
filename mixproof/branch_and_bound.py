"""Branch and bound for the minimum of H(v) - dual v over a polytope.

The polytope is {v >= 0, sum v = 1, low <= R v <= high} (Falk and Soland 1969). On a box, entropy is bounded below by
its secant in each coordinate, which gives a linear program. Any multipliers of the constraints bound its optimum from
below: the Lagrangian separates into coordinates, and each term is concave, so it is smallest at an end of its interval.
Each node therefore stores its multipliers, so the bound can be checked without a solver.

There are two kinds of branching. FIRST splits the box according to the first coordinate, in a fixed order, that exceeds
a level (child -1: none does; child j: coordinate j). BISECT splits the interval of one coordinate at a level (children
0 and 1). Only nodes with multipliers are recorded; every other child is bounded by its parent's multipliers.

Each function is plain Python over arrays that numba compiles (``compiled.py``).
"""

from __future__ import annotations

import math

import numpy as np

from mixproof import simplex
from mixproof.compiling import compiled
from mixproof.heap import pop, push
from mixproof.problem import (
    BISECT,
    CHEAP,
    FIRST,
    LEAF,
    LEAST_BOUND,
    LISTED,
    LOWEST_PRICE,
    MAX_DEPTH,
    MAX_ENTROPY_SLOPE,
    MIN_SAVING,
    OPEN,
    POINT_WIDTH,
    RECORDED,
    SOLVED,
    TIGHTENING_MARGIN,
)  # fmt: skip
from mixproof.simplex import ABOVE, INFEASIBLE, LOOSE, OPTIMAL

MIN_RELATIVE_SAVING = 0.3  # a column is kept if it saves more than this share of what the best one so far saves


@compiled
def surprise(t):
    """Return -t log t."""
    return -t * math.log(t) if t > 1e-300 else 0.0


@compiled
def copy(source, into):
    """Copy ``source`` to the start of ``into`` (assigning a slice compiles slowly)."""
    for k in range(source.size):
        into[k] = source[k]


@compiled
def tighten(least, most):
    """Tighten a box to the simplex; return whether it is non-empty."""
    total = 0.0
    for x in range(least.size):
        total += least[x]
    if total > 1.0 + TIGHTENING_MARGIN:
        return False
    for x in range(least.size):
        # a small margin covers rounding, so that a checker may sum in any order
        most[x] = min(most[x], max(1.0 - total + least[x], least[x]) + TIGHTENING_MARGIN)
    return True


@compiled
def narrow(least, most, kind, symbol, level, child, order):
    """Shrink a node's box to the box of one of its children."""
    if kind == BISECT:
        if child == 0:
            most[symbol] = min(most[symbol], level)
        else:
            least[symbol] = max(least[symbol], level)
        return
    for q in range(order.size):
        x = order[q]
        if least[x] == 0.0 and most[x] > level:
            if x == child:
                least[x] = level
                return
            most[x] = level


@compiled
def box(parent, child, records, caps, order, path, least, most):
    """Write the box of a child, before tightening; return its depth."""
    depth = 0
    at, which = parent, child
    while at >= 0:
        path[depth, 0], path[depth, 1] = at, which
        depth += 1
        which = records.child[at]
        at = records.parent[at]
    least[:] = 0.0
    copy(caps, most)
    for d in range(depth - 1, -1, -1):
        at = path[d, 0]
        tighten(least, most)
        narrow(least, most, records.kind[at], records.symbol[at], records.level[at], path[d, 1], order)
    return depth


@compiled
def raised(least, most, heights):
    """Write -t log t at both ends of each interval, shape (2, n)."""
    for x in range(heights.shape[1]):
        heights[0, x] = surprise(least[x])
        heights[1, x] = surprise(most[x])


@compiled
def secants(least, most, heights, dual, cost):
    """Write the LP's costs, with secants for entropy; return its constant term."""
    constant = 0.0
    cost[dual.size :] = 0.0
    for x in range(dual.size):
        a, b, low = least[x], most[x], heights[0, x]
        if b - a > POINT_WIDTH:
            slope = (heights[1, x] - low) / (b - a)
            cost[x] = slope - dual[x]
            constant += low - slope * a
        else:
            cost[x] = -dual[x]
            constant += low
    return constant


@compiled
def bounded(rows, low, high, dual, least, most, heights, multipliers, slopes):
    """Return the dual lower bound over a box for given multipliers; fill ``slopes``."""
    m, n = rows.shape
    total = 0.0
    copy(dual, slopes)
    slopes[dual.size :] = 0.0
    for s in range(m):
        y = multipliers[s]
        if y != 0.0:
            total += y * low[s] if y >= 0 else y * high[s]
            for x in range(n):
                slopes[x] += y * rows[s, x]
    for x in range(dual.size):
        total += min(heights[0, x] - slopes[x] * least[x], heights[1, x] - slopes[x] * most[x])
    for j in range(dual.size, n):  # auxiliary variables have no entropy
        total += min(-slopes[j] * least[j], -slopes[j] * most[j])
    return total


@compiled
def along(rows, low, high, least, most, ray, sign, slopes):
    """Return the rate at which the bound grows along a ray."""
    m, n = rows.shape
    total = 0.0
    slopes[:] = 0.0
    for s in range(m):
        y = sign * ray[s]
        if y != 0.0:
            total += y * low[s] if y >= 0 else y * high[s]
            for x in range(n):
                slopes[x] += y * rows[s, x]
    for x in range(n):
        total += min(-slopes[x] * least[x], -slopes[x] * most[x])
    return total


@compiled
def impossible(rows, low, high, dual, least, most, heights, cutoff, multipliers, slopes, ray):
    """Move multipliers along a ray to raise the bound to the cutoff; return the bound."""
    sign = 1.0
    growth = along(rows, low, high, least, most, ray, 1.0, slopes)
    back = along(rows, low, high, least, most, ray, -1.0, slopes)
    if back > growth:
        sign, growth = -1.0, back
    value = bounded(rows, low, high, dual, least, most, heights, multipliers, slopes)
    if growth <= 1e-13:
        return value
    length = max(cutoff - value, 0.0) / growth + 1.0
    start = multipliers.copy()
    for _ in range(3):
        for s in range(multipliers.size):
            multipliers[s] = start[s] + sign * length * ray[s]
        value = bounded(rows, low, high, dual, least, most, heights, multipliers, slopes)
        if value >= cutoff:
            return value
        length *= 4.0
    return value


@compiled
def furthest(least, most, heights, row):
    """Return the coordinate where entropy most exceeds its secant, or -1."""
    most_off, at = 1e-13, -1
    for x in range(row.size):
        a, b = least[x], most[x]
        if b - a > POINT_WIDTH and row[x] > 1e-13:
            low = heights[0, x]
            off = surprise(row[x]) - (low + (heights[1, x] - low) / (b - a) * (row[x] - a))
            if off > most_off:
                most_off, at = off, x
    return at


@compiled
def branch(at, records, least, most, row, symbol):
    """Record how a node branches: the kind, the coordinate and the level."""
    if least[symbol] > 0.0:
        a, b = least[symbol], most[symbol]
        level = min(max(row[symbol], a + 0.2 * (b - a)), b - 0.2 * (b - a))
        records.kind[at], records.symbol[at], records.level[at] = BISECT, symbol, level
        return
    largest = 0.0
    for x in range(least.size):
        if least[x] == 0.0 and most[x] > largest:
            largest = most[x]
    records.kind[at], records.symbol[at], records.level[at] = FIRST, -1, 0.5 * largest


@compiled
def children(at, value, problem, records, open_nodes, size, least, most, heights, slopes, order, cutoff):
    """Push the children with bounds below the cutoff.

    Return the size of the heap and the smallest bound of the pruned children.
    """
    pruned = math.inf
    if records.kind[at] == BISECT:
        for child in range(2):
            size = push(open_nodes, size, at, child, value)
        return size, pruned
    size = push(open_nodes, size, at, -1, value)
    total, level = 0.0, records.level[at]
    height = surprise(level)
    for s in range(records.multipliers.shape[1]):
        y = records.multipliers[at, s]
        total += y * problem[4][s] if y >= 0 else y * problem[5][s]
    for j in range(problem[6].size):
        total += min(0.0, -slopes[least.size + j] * problem[6][j])
    for x in range(least.size):
        total += min(heights[0, x] - slopes[x] * least[x], heights[1, x] - slopes[x] * most[x])
    for q in range(order.size):
        x = order[q]
        if least[x] == 0.0 and most[x] > level:
            at_level = height - slopes[x] * level
            at_upper = heights[1, x] - slopes[x] * most[x]
            term = min(0.0, at_upper)
            bound = total - term + min(at_level, at_upper)
            if bound < cutoff:
                size = push(open_nodes, size, at, x, max(value, bound))
            elif bound < pruned:
                pruned = bound
            total += min(0.0, at_level) - term
    return size, pruned


@compiled
def node(at, problem, dual, cutoff, least, most, heights, cost, slopes, records, work):
    """Solve a node's LP and record its multipliers; return its status and bound."""
    rows, columns, low, high, safe_low, safe_high, _ = problem
    n = columns.shape[0]
    raised(least, most, heights)
    constant = secants(least, most, heights, dual, cost)
    multipliers = records.multipliers[at]
    limit, value, how = cutoff - constant, -math.inf, ABOVE
    while how == ABOVE and value < cutoff:  # at most twice: the second solve is to optimality
        how, _ = simplex.solve(rows, columns, low, high, cost, least, most, limit, 500, work)
        copy(work[0][n:], multipliers)
        value = bounded(rows, safe_low, safe_high, dual, least, most, heights, multipliers, slopes)
        if how == INFEASIBLE:
            value = impossible(
                rows, safe_low, safe_high, dual, least, most, heights, cutoff, multipliers, slopes, work[9]
            )
        limit = math.inf
    copy(work[5], records.basis[at])
    return how, value


@compiled
def explore(
    problem, dual, caps, order, cutoff, tolerance, records, open_nodes, state, rows_found, prices, limits, work
):
    """Solve open nodes until none is left, a column suffices, or a limit is reached.

    A call writes to records from ``state[RECORDED]`` on, at most one for each program allowed, so that several calls
    can share the arrays. ``state`` is described in :class:`~mixproof.problem.Pass`. ``limits`` is (maximum
    number of linear programs, maximum number of columns, share of the bound at which a price ends the pass (0: never),
    number of columns below the cutoff that ends it).
    """
    columns, n = problem[1], dual.size
    every, m = columns.shape
    all_least, all_most, cost, slopes, heights = (
        np.zeros(every), np.zeros(every), np.zeros(every), np.zeros(every), np.zeros((2, n))
    )  # fmt: skip
    copy(problem[6], all_most[n:])
    least, most = all_least[:n], all_most[:n]
    path = np.zeros((MAX_DEPTH, 2), np.int64)
    count, size, listed, solved = int(state[RECORDED]), int(state[OPEN]), int(state[LISTED]), 0
    programs, most_columns, enough, several = limits
    while size > 0 and solved < programs and count < records.parent.size and size + n + 3 < open_nodes.parent.size:
        if state[CHEAP] >= several:
            break
        if enough > 0.0 and state[LOWEST_PRICE] < min(cutoff, enough * min(open_nodes.bound[0], state[LEAST_BOUND])):
            break
        parent, child = pop(open_nodes, size)
        size -= 1
        at = count
        depth = box(parent, child, records, caps, order, path, least, most)
        if not tighten(least, most):
            continue
        solved += 1
        count += 1
        records.parent[at], records.child[at], records.kind[at] = parent, child, LEAF
        records.symbol[at], records.level[at] = -1, 0.0
        if parent >= 0:
            copy(records.basis[parent], work[5])
        else:
            for s in range(m):
                work[5][s] = every + s
        how, value = node(at, problem, dual, cutoff, all_least, all_most, heights, cost, slopes, records, work)
        if value >= cutoff:
            state[LEAST_BOUND] = min(state[LEAST_BOUND], value)
            continue
        row = work[1][:n]
        reduced_cost = math.inf
        if how in (OPTIMAL, LOOSE):
            reduced_cost = 0.0
            for x in range(n):
                reduced_cost += surprise(row[x]) - dual[x] * row[x]
            needed = min(-tolerance, MIN_RELATIVE_SAVING * state[LOWEST_PRICE])
            if how == OPTIMAL and reduced_cost < needed and listed < most_columns:
                copy(row, rows_found[listed])
                prices[listed] = reduced_cost
                listed += 1
                state[LOWEST_PRICE] = min(state[LOWEST_PRICE], reduced_cost)
                if reduced_cost < cutoff:
                    state[CHEAP] += 1.0
        symbol = -1 if how == INFEASIBLE else furthest(least, most, heights, row)
        if symbol < 0 or reduced_cost - value < tolerance or depth + 2 >= MAX_DEPTH:
            state[LEAST_BOUND] = min(state[LEAST_BOUND], value)
            continue
        branch(at, records, least, most, row, symbol)
        size, pruned = children(
            at, value, problem, records, open_nodes, size, least, most, heights, slopes, order, cutoff)  # fmt: skip
        state[LEAST_BOUND] = min(state[LEAST_BOUND], pruned)
    state[RECORDED], state[OPEN], state[LISTED] = count, size, listed
    state[SOLVED] += solved


@compiled
def descend(problem, dual, starts, steps, rows_found, prices, work):
    """Descend from each start to a local minimum, by linearising entropy repeatedly."""
    rows, columns, low, high = problem[0], problem[1], problem[2], problem[3]
    n, (every, m) = dual.size, columns.shape
    cost, least, most = np.zeros(every), np.zeros(every), np.ones(every)
    copy(problem[6], most[n:])
    for s in range(m):
        work[5][s] = every + s
    for r in range(starts.shape[0]):
        here = starts[r].copy()
        price = math.inf
        for _ in range(steps):
            for x in range(n):
                cost[x] = (MAX_ENTROPY_SLOPE if here[x] <= 0.0 else min(-math.log(here[x]), MAX_ENTROPY_SLOPE)) - dual[
                    x
                ]
            cost[n:] = 0.0
            how, _ = simplex.solve(rows, columns, low, high, cost, least, most, math.inf, 500, work)
            if how != OPTIMAL:
                for s in range(m):
                    work[5][s] = every + s
                break
            row = work[1]
            reduced_cost = 0.0
            for x in range(n):
                reduced_cost += surprise(row[x]) - dual[x] * row[x]
            if reduced_cost >= price - MIN_SAVING:
                break
            price = reduced_cost
            copy(row[:n], here)
            copy(here, rows_found[r])
            prices[r] = reduced_cost


@compiled
def largest(problem, caps, multipliers, first, last, work):
    """Write upper bounds on coordinates ``first``, ..., ``last - 1``, and multipliers."""
    rows, columns, low, high, safe_low, safe_high, upper = problem
    n, (every, m) = caps.size, columns.shape
    cost, least, most = np.zeros(every), np.zeros(every), np.ones(every)
    copy(upper, most[n:])
    for s in range(m):
        work[5][s] = every + s
    for x in range(first, last):
        for z in range(n):  # a cost vector with one non-zero entry ties everywhere, and ties can make a simplex cycle
            cost[z] = 1e-8 * (1.0 + (0.6180339887 * z) % 1.0)
        cost[x] = -1.0
        cost[n:] = 0.0
        how, _ = simplex.solve(rows, columns, low, high, cost, least, most, math.inf, 2000, work)
        for s in range(m):
            multipliers[x, s] = work[0][every + s]
        if how != OPTIMAL:
            for s in range(m):
                work[5][s] = every + s
        caps[x] = min(1.0, capped(columns, safe_low, safe_high, upper, x, multipliers[x]))


@compiled
def capped(columns, low, high, upper, x, multipliers):
    """Return the upper bound that multipliers prove on coordinate x over the simplex."""
    m = columns.shape[1]
    n = columns.shape[0] - upper.size
    constant = 0.0
    for s in range(m - 1):  # the last row is the sum, which is 1 on the simplex
        y = multipliers[s]
        constant += y * low[s] if y >= 0 else y * high[s]
    worst = -math.inf
    for z in range(n):
        value = 1.0 if z == x else 0.0
        for s in range(m - 1):
            value += multipliers[s] * columns[z, s]
        worst = max(worst, value)
    for j in range(upper.size):
        value = 0.0
        for s in range(m - 1):
            value += multipliers[s] * columns[n + j, s]
        worst += max(0.0, value * upper[j])
    return worst - constant
