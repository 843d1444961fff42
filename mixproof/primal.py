"""A primal simplex method for the restricted master problem.

It solves min cost q with sum q v = target, q >= 0, in plain Python over arrays that numba can compile. Column j < n is
the unit vector of coordinate j, at a penalty cost; column n + k is the k-th point. The basis has one column per
coordinate, and its inverse is stored densely: this suits tens of coordinates, beyond which HiGHS is as fast.
"""

from __future__ import annotations

import math

import numpy as np

from mixproof.compiling import compiled
from mixproof.simplex import eliminate

REDUCED_TOL = 1e-12  # nats: a column with a reduced cost above minus this does not enter
STEP_TIE_TOL = 1e-15  # step lengths that differ by less are equal, and the larger pivot decides
MIN_PIVOT = 1e-10  # the smallest pivot
MASTER_REFACTOR_STEPS = 40  # steps after which the inverse is recomputed
DUPLICATE_TOL = 1e-11  # points that differ by at most this in every coordinate are equal


@compiled
def join(rows, costs, count, more):
    """Append the points that are not among the first ``count``; return the new count."""
    n = rows.shape[1]
    for k in range(more.shape[0]):
        known = False
        for j in range(count):
            x = 0
            while x < n and abs(rows[j, x] - more[k, x]) <= DUPLICATE_TOL:
                x += 1
            if x == n:
                known = True
                break
        if known:
            continue
        cost = 0.0
        for x in range(n):
            v = more[k, x]
            rows[count, x] = v
            if v > 0.0:
                cost -= v * math.log(v)
        costs[count] = cost
        count += 1
    return count


@compiled
def renew(rows, basis, inverse, target, weights):
    """Recompute the basis inverse and the weights; return whether this succeeded."""
    n = basis.size
    matrix = np.zeros((n, 2 * n))
    for r in range(n):
        j = basis[r]
        matrix[r, n + r] = 1.0
        if j < n:
            matrix[j, r] = 1.0
        else:
            for x in range(n):
                matrix[x, r] = rows[j - n, x]
    if not eliminate(matrix):
        return False
    for r in range(n):
        total = 0.0
        for x in range(n):
            inverse[r, x] = matrix[r, n + x]
            total += inverse[r, x] * target[x]
        weights[r] = total
    return True


@compiled
def cheapest(rows, costs, count, dear, dual):
    """Return the column with the most negative reduced cost, -1 if none is negative."""
    n = dual.size
    least, enters = -REDUCED_TOL * (1.0 + dear * 1e-3), -1
    for x in range(n):
        if dear - dual[x] < least:
            least, enters = dear - dual[x], x
    for j in range(count):
        value = costs[j]
        for x in range(n):
            value -= rows[j, x] * dual[x]
        if value < least:
            least, enters = value, n + j
    return enters


@compiled
def mix(rows, costs, count, dear, target, basis, inverse, weights, dual, steps):
    """Run the simplex method from a basis; return whether the optimum was reached.

    ``weights`` are the basic variables, ``dual`` the dual values of the coordinates; both are updated.
    """
    n = basis.size
    away = np.zeros(n)
    if not renew(rows, basis, inverse, target, weights):
        return False
    fresh, since = True, 0
    for _ in range(steps):
        for x in range(n):
            dual[x] = 0.0
        for r in range(n):
            cost = dear if basis[r] < n else costs[basis[r] - n]
            for x in range(n):
                dual[x] += cost * inverse[r, x]
        enters = cheapest(rows, costs, count, dear, dual)
        if enters < 0 or since >= MASTER_REFACTOR_STEPS:
            if fresh and enters < 0:
                return True
            if not renew(rows, basis, inverse, target, weights):
                return False
            fresh, since = True, 0
            continue
        for r in range(n):
            if enters < n:
                away[r] = inverse[r, enters]
            else:
                total = 0.0
                for x in range(n):
                    total += inverse[r, x] * rows[enters - n, x]
                away[r] = total
        length, leaves = math.inf, -1
        for r in range(n):
            if away[r] > MIN_PIVOT:
                ratio = max(weights[r], 0.0) / away[r]
                if ratio < length - STEP_TIE_TOL or (ratio <= length + STEP_TIE_TOL and away[r] > away[leaves]):
                    length, leaves = min(ratio, length), r
        if leaves < 0:
            return False
        for r in range(n):
            weights[r] -= length * away[r]
        weights[leaves] = length
        basis[leaves] = enters
        pivot = away[leaves]
        for x in range(n):
            inverse[leaves, x] /= pivot
        for r in range(n):
            factor = away[r]
            if r != leaves and factor != 0.0:
                for x in range(n):
                    inverse[r, x] -= factor * inverse[leaves, x]
        fresh = False
        since += 1
    return False


@compiled
def mixed(rows, costs, count, dear, target, basis, inverse, steps, limits):
    """Solve the master problem, raising the cost of unit vectors until none is in use.

    ``limits`` is (growth factor of that cost, its maximum, weight below which a column counts as unused). Return
    success, the optimal cost, the cost of unit vectors, the duals and the weights of the points.
    """
    n = basis.size
    weights, dual, column_weights = np.zeros(n), np.zeros(n), np.zeros(count)
    while mix(rows, costs, count, dear, target, basis, inverse, weights, dual, steps):
        of_units, least = 0.0, 0.0
        for r in range(n):
            least = min(least, weights[r])
            if basis[r] < n:
                of_units = max(of_units, weights[r])
        if of_units <= limits[2] or dear > limits[1]:
            if least < -limits[2]:
                break
            cost = 0.0
            for r in range(n):
                if basis[r] >= n:
                    column_weights[basis[r] - n] = max(weights[r], 0.0)
                    cost += column_weights[basis[r] - n] * costs[basis[r] - n]
            return True, cost, dear, dual, column_weights
        dear *= limits[0]
    return False, 0.0, dear, dual, column_weights


@compiled
def price(rows, costs, count, first, second, share, entropy, dual, most, worthless):
    """Add up to ``most`` sparse vertices of lowest reduced cost; return the new count."""
    prices = np.zeros(share.size)
    for k in range(share.size):
        price = entropy[k] - dual[second[k]] - (dual[first[k]] - dual[second[k]]) * share[k]
        prices[k] = price if price < -worthless else 0.0
    order = np.argsort(prices)
    vertex = np.zeros((1, rows.shape[1]))
    for k in order[:most]:
        if prices[k] == 0.0:
            break
        vertex[0, :] = 0.0
        vertex[0, second[k]] = 1.0 - share[k]
        vertex[0, first[k]] += share[k]
        count = join(rows, costs, count, vertex)
    return count
