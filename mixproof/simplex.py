"""A dual simplex method for min c v subject to l <= v <= u, low <= R v <= high.

Each function is plain Python over arrays that numba can compile (``compiled.py``). The slack of row s is variable
n + s, bounded by its range, so that R v - slack = 0. The basis has one variable per row, and its inverse is stored
densely, because there are few rows and many variables. As all bounds are finite, any basis is dual feasible once each
nonbasic variable is at the bound that the sign of its reduced cost requires. Linear programs that differ only in bounds
and costs can therefore be warm-started from one another's bases.
"""

from __future__ import annotations

import math

import numpy as np

from mixproof.compiling import compiled

# status: solved; objective above the cutoff; infeasible; given up (the bound holds); solved within LOOSE_TOL
OPTIMAL, ABOVE, INFEASIBLE, STUCK, LOOSE = 0, 1, 2, 3, 4

LOOSE_TOL = 1e-7  # a smaller violation that cannot be removed is rounding in a flat polytope
PRIMAL_TOL = 1e-11  # the largest violation of a bound, with rows scaled to unit size
PIVOT_TOL = 1e-9  # the smallest pivot
REFACTOR_STEPS = 25  # steps after which the inverse and the multipliers are recomputed
SINGULAR_PIVOT = 1e-12  # a basis with a smaller pivot in its elimination is singular
RATIO_TIE_TOL = 1e-12  # ratios that differ by less are equal, and the larger pivot decides
COST_PERTURBATION = 1e-9  # the size of the perturbation of costs
CYCLING_STEPS = 100  # steps after which costs are perturbed, because ties can make a simplex cycle


def space(m, n):
    """Return reusable work arrays for linear programs with m rows and n variables."""
    return (
        np.zeros(n + m),  # 0 reduced costs
        np.zeros(n + m),  # 1 values
        np.zeros(n + m),  # 2 the pivot row
        np.zeros(n + m, np.int64),  # 3 candidates to enter
        np.zeros(n + m, np.bool_),  # 4 whether each variable is basic
        np.zeros(m, np.int64),  # 5 the basis
        np.zeros((m, m)),  # 6 its inverse
        np.zeros(m),  # 7 values of basic variables
        np.zeros((3, m)),  # 8 scratch
        np.zeros(m),  # 9 a ray that proves infeasibility
    )


@compiled
def factorise(rows, basis, basic, inverse):
    """Write the inverse of a basis; a singular basis is replaced by the slack basis.

    Only the rows whose slack is nonbasic are tight; there are as many as basic variables that are not slacks.
    Elimination is restricted to those rows and variables; the other rows follow.
    """
    m, n = rows.shape
    basic[:] = False
    count = 0
    for r in range(m):
        basic[basis[r]] = True
        if basis[r] < n:
            count += 1
    inverse[:, :] = 0.0
    tight, places = np.zeros(count, np.int64), np.zeros(count, np.int64)
    at = 0
    for s in range(m):
        if not basic[n + s] and at < count:
            tight[at] = s
            at += 1
    at = 0
    for r in range(m):
        if basis[r] < n:
            places[at] = r
            at += 1
    matrix = np.zeros((count, 2 * count))
    for c in range(count):
        matrix[c, count + c] = 1.0
        for t in range(count):
            matrix[t, c] = rows[tight[t], basis[places[c]]]
    if not eliminate(matrix):
        basic[:] = False
        for r in range(m):
            basis[r], basic[n + r], inverse[r, r] = n + r, True, -1.0
        return
    for c in range(count):
        for t in range(count):
            inverse[places[c], tight[t]] = matrix[c, count + t]
    for r in range(m):
        if basis[r] >= n:
            s = basis[r] - n
            inverse[r, s] = -1.0
            for c in range(count):
                value = rows[s, basis[places[c]]]
                if value != 0.0:
                    for t in range(count):
                        inverse[r, tight[t]] += value * matrix[c, count + t]


@compiled
def eliminate(matrix):
    """Turn (B | I) into (I | B^-1) in place; return whether B is non-singular."""
    m = matrix.shape[0]
    for c in range(m):
        at = c
        for r in range(c + 1, m):
            if abs(matrix[r, c]) > abs(matrix[at, c]):
                at = r
        if abs(matrix[at, c]) < SINGULAR_PIVOT:
            return False
        if at != c:
            for k in range(2 * m):
                matrix[c, k], matrix[at, k] = matrix[at, k], matrix[c, k]
        pivot_value = matrix[c, c]
        for k in range(c, 2 * m):
            matrix[c, k] /= pivot_value
        for r in range(m):
            factor = matrix[r, c]
            if r != c and factor != 0.0:
                for k in range(c, 2 * m):
                    matrix[r, k] -= factor * matrix[c, k]
    return True


@compiled
def price(rows, cost, basis, inverse, reduced):
    """Write the reduced costs; a slack's reduced cost is its row's multiplier."""
    m, n = rows.shape
    for j in range(n):
        reduced[j] = cost[j]
    for s in range(m):
        total = 0.0
        for r in range(m):
            k = basis[r]
            if k < n:
                total += cost[k] * inverse[r, s]
        reduced[n + s] = total
        if total != 0.0:
            for j in range(n):
                reduced[j] -= total * rows[s, j]
    for r in range(m):
        reduced[basis[r]] = 0.0


@compiled
def place(columns, low, high, least, most, work):
    """Put nonbasic variables at bounds, solve for the others; return the objective."""
    reduced, values, _, _, basic, basis, inverse, inside, scratch, _ = work
    n, m = columns.shape
    right = scratch[1]
    right[:] = 0.0
    objective = 0.0
    for j in range(n):
        values[j] = 0.0
        if not basic[j]:
            v = least[j] if reduced[j] >= 0 else most[j]
            values[j] = v
            if v != 0.0:
                objective += reduced[j] * v
                for s in range(m):
                    right[s] -= v * columns[j, s]
    for s in range(m):
        values[n + s] = 0.0
        if not basic[n + s]:
            v = low[s] if reduced[n + s] >= 0 else high[s]
            values[n + s] = v
            objective += reduced[n + s] * v
            right[s] += v
    for r in range(m):
        total = 0.0
        for s in range(m):
            total += inverse[r, s] * right[s]
        inside[r] = total
        values[basis[r]] = total
    return objective


@compiled
def leaving(n, low, high, least, most, basis, inside):
    """Return the basis row of the largest violation (or -1), the violation, the side."""
    worst, row, side = PRIMAL_TOL, -1, 0
    for r in range(basis.size):
        k = basis[r]
        a, b = (least[k], most[k]) if k < n else (low[k - n], high[k - n])
        if a - inside[r] > worst:
            worst, row, side = a - inside[r], r, -1
        elif inside[r] - b > worst:
            worst, row, side = inside[r] - b, r, 1
    return row, worst, side


@compiled
def entering(rows, low, high, least, most, row, violation, side, work):
    """Return the entering variable, or -1 if the program is infeasible.

    In the bound-flipping ratio test, ratios are visited in order; a variable whose whole range does not remove the
    violation is flipped to its other bound.
    """
    reduced, _, pivots, candidates, basic, _, inverse, _, _, _ = work
    m, n = rows.shape
    pivots[:n] = 0.0
    for s in range(m):
        b = inverse[row, s]
        pivots[n + s] = -b
        if b != 0.0:
            for j in range(n):
                pivots[j] += b * rows[s, j]
    sign = 1.0 if side < 0 else -1.0
    count = 0
    ratios = np.empty(n + m)
    for j in range(n + m):
        if basic[j]:
            continue
        a = pivots[j] * sign
        if (reduced[j] >= 0 and a >= -PIVOT_TOL) or (reduced[j] < 0 and a <= PIVOT_TOL):
            continue
        width = most[j] - least[j] if j < n else high[j - n] - low[j - n]
        if width > 0.0:
            candidates[count], ratios[count] = j, abs(reduced[j] / pivots[j])
            count += 1
    while count > 0:
        best, at = np.inf, -1
        for q in range(count):
            if ratios[q] >= best + RATIO_TIE_TOL:
                continue
            if ratios[q] < best - RATIO_TIE_TOL or abs(pivots[candidates[q]]) > abs(pivots[candidates[at]]):
                best, at = min(ratios[q], best), q
        j = candidates[at]
        width = most[j] - least[j] if j < n else high[j - n] - low[j - n]
        violation -= abs(pivots[j]) * width
        if violation < PRIMAL_TOL:
            return j
        count -= 1
        candidates[at], ratios[at] = candidates[count], ratios[count]
    return -1


@compiled
def pivot(columns, row, enters, work):
    """Exchange a basic and a nonbasic variable; return whether the pivot was accepted."""
    reduced, _, pivots, _, basic, basis, inverse, _, scratch, _ = work
    n, m = columns.shape
    column = scratch[2]
    for r in range(m):
        if enters < n:
            total = 0.0
            for s in range(m):
                total += inverse[r, s] * columns[enters, s]
            column[r] = total
        else:
            column[r] = -inverse[r, enters - n]
    if abs(column[row]) < PIVOT_TOL or abs(column[row] - pivots[enters]) > 1e-6 * (1 + abs(column[row])):
        return False
    step = reduced[enters] / pivots[enters]
    left = basis[row]
    for j in range(n + m):
        reduced[j] -= step * pivots[j]
    for r in range(m):
        reduced[basis[r]] = 0.0
    reduced[left], reduced[enters] = -step, 0.0
    basic[left], basic[enters], basis[row] = False, True, enters
    for s in range(m):
        inverse[row, s] /= column[row]
    for r in range(m):
        factor = column[r]
        if r != row and factor != 0.0:
            for s in range(m):
                inverse[r, s] -= factor * inverse[row, s]
    return True


@compiled
def solve(rows, columns, low, high, cost, least, most, cutoff, steps, work):
    """Solve from the basis in ``work``; return the status and the objective.

    ``work`` then holds the solution in its values and the multipliers of the rows in the slacks' reduced costs. If the
    program is infeasible, the ray holds multipliers along which the bound grows without limit.
    """
    reduced, _, _, _, basic, basis, inverse, inside, _, ray = work
    m, n = rows.shape
    factorise(rows, basis, basic, inverse)
    count = renewed = 0
    fresh = True
    price(rows, cost, basis, inverse, reduced)
    while True:
        objective = place(columns, low, high, least, most, work)
        row, violation, side = leaving(n, low, high, least, most, basis, inside)
        if row < 0 or objective >= cutoff or count % REFACTOR_STEPS == REFACTOR_STEPS - 1:
            if not fresh:  # values updated step by step are recomputed before they are trusted
                if count % REFACTOR_STEPS == REFACTOR_STEPS - 1:
                    factorise(rows, basis, basic, inverse)
                price(rows, cost, basis, inverse, reduced)
                fresh = True
                continue
            if objective >= cutoff:
                return ABOVE, objective
            if row < 0:
                return OPTIMAL, objective
        if count >= steps:
            return STUCK, objective
        count += 1
        if count == CYCLING_STEPS:  # ties can make a simplex cycle
            for j in range(n):
                cost[j] += COST_PERTURBATION * (1.0 + (0.6180339887 * j) % 1.0)
            price(rows, cost, basis, inverse, reduced)
            continue
        enters = entering(rows, low, high, least, most, row, violation, side, work)
        if enters < 0 and violation < LOOSE_TOL:
            return LOOSE, objective
        if enters < 0:
            for s in range(m):
                ray[s] = inverse[row, s]
            return INFEASIBLE, math.inf
        fresh = False
        if not pivot(columns, row, enters, work):
            if renewed >= 3:
                return STUCK, objective
            renewed += 1
            factorise(rows, basis, basic, inverse)
            price(rows, cost, basis, inverse, reduced)
            fresh = True
