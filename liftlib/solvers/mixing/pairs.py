"""How much of a pair of coordinates may be the first's. Plain Python over arrays that numba compiles."""

from __future__ import annotations

from liftlib.solvers.mixing.compiling import compiled


@compiled
def shares(rows, low, high, flat, least, most):
    """Write for each pair i < j, in order, the range of t in which t e_i + (1 - t) e_j meets low <= rows v <= high.

    Where there is none, the least is above the most.

    Parameters
    ----------
    rows : numpy.ndarray, shape (m, n)
    low, high : numpy.ndarray, shape (m,)
    flat : float
        A row that differs by less between two coordinates bounds no share of theirs.
    least, most : numpy.ndarray, shape (n (n - 1) / 2,)
        What is written.
    """
    m, n = rows.shape
    at = 0
    for i in range(n):
        for j in range(i + 1, n):
            below, above = 0.0, 1.0
            for s in range(m):
                rest = rows[s, j]
                slope = rows[s, i] - rest
                if abs(slope) < flat:
                    if rest < low[s] or rest > high[s]:
                        below = 2.0
                        break
                    continue
                one, two = (low[s] - rest) / slope, (high[s] - rest) / slope
                if one > two:
                    one, two = two, one
                below, above = max(below, one), min(above, two)
                if below > above:
                    break
            least[at], most[at] = below, above
            at += 1
