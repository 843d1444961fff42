"""Vertices with one or two non-zero coordinates, by loops. Plain Python over arrays that numba compiles."""

from __future__ import annotations

import math

import numpy as np

from mixproof.compiling import compiled


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


@compiled
def put(at, i, j, share, first, second, found, entropy):
    """Write one vertex; return where the next goes."""
    first[at], second[at], found[at] = i, j, share
    entropy[at] = 0.0
    if share < 1.0:
        entropy[at] = -share * math.log(share) - (1.0 - share) * math.log(1.0 - share)
    return at + 1


@compiled
def vertices(rows, low, high, flat, end, pairs):
    """Return what ``SparseVertices`` holds: all vertices on one coordinate and, if ``pairs``, on two.

    Parameters
    ----------
    rows, low, high, flat
        See :func:`shares`.
    end : float
        A share nearer than this to 0 or 1 is a coordinate alone.
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
