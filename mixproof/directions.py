"""Two-sided constraints of a few halfspaces by loops that numba can compile; see ``constraints.py``."""

from __future__ import annotations

import numpy as np

from mixproof.compiling import compiled


@compiled
def alike(one, other, apart):
    """Return whether two directions are equal up to ``apart``."""
    for x in range(one.size):  # noqa: SIM110 - numba compiles it
        if abs(one[x] - other[x]) > apart:
            return False
    return True


@compiled
def directions(halfspaces, apart):
    """Return rows, lower and upper bounds, sides and sizes, as in ``Constraints``."""
    m, n = halfspaces.shape
    rows, unit = np.ones((m + 1, n)), np.zeros(n)
    ends, sides, sizes = np.ones((m + 1, 2)), np.full((m + 1, 2), -1), np.ones((m + 1, 2))
    ends[:, 0] = -1.0  # the simplex itself bounds each direction by 1
    firsts, count = np.zeros((m, n)), 0
    for r in range(m):
        most, least = halfspaces[r].max(), halfspaces[r].min()
        middle, size = (most + least) / 2, (most - least) / 2
        if not (size > 0.0 and least < 0.0):
            continue
        sign = 0.0
        for x in range(n):
            # rounding must not put a coordinate beyond 1
            unit[x] = min(max((halfspaces[r, x] - middle) / size, -1.0), 1.0)
            if sign == 0.0 and abs(unit[x]) > 0.5:
                sign = -1.0 if unit[x] < 0.0 else 1.0
        side, bound = 0 if sign > 0.0 else 1, -middle / size * sign
        for x in range(n):
            unit[x] *= sign
        k = 0
        while k < count and not alike(firsts[k], unit, apart):
            k += 1
        if k == count:
            firsts[count, :] = unit
            count += 1
        rows[k, :] = unit
        if sides[k, side] < 0 or (bound - ends[k, side]) * sign > 0.0:
            ends[k, side], sides[k, side], sizes[k, side] = bound, r, size
    rows[count, :] = 1.0
    ends[count, 0] = 1.0
    some = slice(0, count + 1)
    return rows[some], ends[some, 0].copy(), ends[some, 1].copy(), sides[some], sizes[some]
