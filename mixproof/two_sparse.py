"""Vertices with one or two non-zero coordinates, by loops that numba can compile."""

from __future__ import annotations

import math

import numpy as np

from mixproof.compiling import compiled


@compiled
def shares(rows, low, high, flat, least, most):
    """Write, for each pair i < j, the range of t for which t e_i + (1 - t) e_j is feasible.

    A point v is feasible if low <= rows v <= high. An empty range has ``least > most``.

    Parameters
    ----------
    rows : numpy.ndarray, shape (m, n)
    low, high : numpy.ndarray, shape (m,)
    flat : float
        A row whose two coefficients differ by less than this is ignored for the pair.
    least, most : numpy.ndarray, shape (n (n - 1) / 2,)
        The output arrays.
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


@compiled
def put(at, i, j, share, first, second, found, entropy):
    """Write one vertex; return the index of the next."""
    first[at], second[at], found[at] = i, j, share
    entropy[at] = 0.0
    if share < 1.0:
        entropy[at] = -share * math.log(share) - (1.0 - share) * math.log(1.0 - share)
    return at + 1


@compiled
def vertices(rows, low, high, flat, end, pairs):
    """Return the arrays of ``SparseVertices``: all one-sparse and, if ``pairs``, two-sparse vertices.

    Parameters
    ----------
    rows, low, high, flat
        See :func:`shares`.
    end : float
        A share closer than this to 0 or 1 is rounded to a single coordinate.
    pairs : bool
    """
    m, n = rows.shape
    count = n * (n - 1) // 2 if pairs else 0
    least, most = np.zeros(count), np.ones(count)
    if pairs:
        shares(rows, low, high, flat, least, most)
    size = n
    for p in range(count):
        if least[p] <= most[p]:
            size += 2
    first, second = np.zeros(size, np.int64), np.zeros(size, np.int64)
    found, entropy = np.zeros(size), np.zeros(size)
    at = 0
    for x in range(n):
        allowed = True
        for s in range(m):
            allowed = allowed and low[s] <= rows[s, x] <= high[s]
        if allowed:
            at = put(at, x, x, 1.0, first, second, found, entropy)
    for side in range(2):
        p = 0
        for i in range(n if pairs else 0):
            for j in range(i + 1, n):
                share = least[p] if side == 0 else most[p]
                if least[p] <= most[p] and end < share < 1.0 - end:
                    at = put(at, i, j, share, first, second, found, entropy)
                p += 1
    return first[:at], second[:at], found[:at], entropy[:at]
