"""Vertices with one or two non-zero coordinates: cheap, and usually good columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mixproof.constraints import Constraints
from mixproof.extension import Extension
from mixproof.limits import UNLIMITED, Clock
from mixproof.numerics import Matrix, Vector, xlogx

Index = NDArray[np.intp]

# the number of coordinates beyond which pairs are left out: they would need a gigabyte
MAX_PAIRED_COORDINATES = 1500
BLOCK_SIZE = 200_000  # entries of the table of pairs that are computed at once
# a row of unit size that differs by less between two coordinates does not bound their
# shares
FLAT_TOL = 1e-13
ONE_SPARSE_TOL = 1e-12  # a share closer than this to 0 or 1 is a single coordinate


class SparseVertices(NamedTuple):
    """The points share e_first + (1 - share) e_second, and their entropies in nats."""

    first: Index
    second: Index
    share: Vector
    entropy: Vector

    @staticmethod
    def of(first: Index, second: Index, share: Vector) -> SparseVertices:
        """Return the points with given coordinates and shares, and their entropies."""
        entropy = np.asarray(-xlogx(share) - xlogx(1 - share))
        return SparseVertices(first, second, share, entropy)

    def prices(self, dual: Vector) -> Vector:
        """Return the price H(v) - dual v of each point v."""
        of_second = dual[self.second]
        change = dual[self.first] - of_second
        return np.asarray(self.entropy - of_second - change * self.share)

    def points(self, which: Index, n: int) -> Matrix:
        """Return the points with the given indices as a dense array, shape (k, n)."""
        points = np.zeros((which.size, n))
        at = np.arange(which.size)
        share = self.share[which]
        points[at, self.second[which]] = 1 - share
        points[at, self.first[which]] += share
        return points


def sparse_vertices(hull: Constraints, clock: Clock = UNLIMITED) -> SparseVertices:
    """Return all one-sparse and two-sparse vertices of a polytope; those on edges only
    if time suffices.

    Examples
    --------
    >>> from mixproof.constraints import two_sided
    >>> found = sparse_vertices(two_sided(np.array([[1.0, -1.0, 0.0]])))  # v_0 >= v_1
    >>> found.points(np.arange(3), 3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.5, 0.0]]
    """
    n = hull.rows.shape[1]
    rows = hull.rows[:-1]
    low = hull.low[:-1, None]
    high = hull.high[:-1, None]
    within = (rows >= low) & (rows <= high)
    one_sparse = np.flatnonzero(within.all(axis=0))
    first, second = np.triu_indices(n if n <= MAX_PAIRED_COORDINATES else 0, 1)
    least = np.zeros(first.size)
    most = np.ones(first.size)
    in_time = _shares(rows, low, high, first, second, least, most, clock)
    allowed = (least <= most) & in_time
    first = np.tile(first[allowed], 2)
    second = np.tile(second[allowed], 2)
    share = np.concatenate([least[allowed], most[allowed]])
    inside = (share > ONE_SPARSE_TOL) & (share < 1 - ONE_SPARSE_TOL)
    ones = np.ones(one_sparse.size)
    return SparseVertices.of(
        np.concatenate([one_sparse, first[inside]]),
        np.concatenate([one_sparse, second[inside]]),
        np.concatenate([ones, share[inside]]),
    )


def sparse_vertices_by_cuts(
    extension: Extension, clock: Clock = UNLIMITED
) -> SparseVertices:
    """Return all one-sparse and two-sparse vertices of an extension's polytope; of the
    latter, those found in time.

    On the edge between two unit vectors, the smallest entry of G v is concave and
    piecewise linear, so Newton's method from either end reaches the first feasible
    point in finitely many steps. The two points, one from each end, are the vertices on
    this edge.
    """
    at_unit = extension.forms.T  # F e_x, a row for each unit vector e_x
    n, n_forms = at_unit.shape
    one_sparse = np.flatnonzero(extension.worst(at_unit)[0] >= -ONE_SPARSE_TOL)
    firsts = [one_sparse]
    seconds = [one_sparse]
    shares = [np.ones(one_sparse.size)]
    all_first, all_second = np.triu_indices(n if n <= MAX_PAIRED_COORDINATES else 0, 1)
    block = max(1, 10 * BLOCK_SIZE // max(1, n_forms))
    for at in range(0, all_first.size, block):
        if clock.left <= 0:
            break
        first = all_first[at : at + block]
        second = all_second[at : at + block]
        edge = at_unit[first] - at_unit[second]
        of_first = _first_allowed(extension, at_unit[second], edge)
        of_second = _first_allowed(extension, at_unit[first], -edge)
        for found, share in ((of_first, of_first), (of_second, 1 - of_second)):
            inside = (found > ONE_SPARSE_TOL) & (found < 1 - ONE_SPARSE_TOL)
            firsts.append(first[inside])
            seconds.append(second[inside])
            shares.append(share[inside])
    return SparseVertices.of(
        np.concatenate(firsts), np.concatenate(seconds), np.concatenate(shares)
    )


def _first_allowed(extension: Extension, start: Matrix, step: Matrix) -> Vector:
    """Return the smallest t in [0, 1] with start + t step allowed, 2 if none is.

    The arrays hold values of the forms, shape (K, s); the result has shape (K,).
    """
    share = np.zeros(len(start))
    moving = np.arange(len(start))
    while moving.size:
        here = start[moving] + share[moving, None] * step[moving]
        least, slopes = extension.worst(here)
        outside = least < -FLAT_TOL
        moving = moving[outside]
        slope = np.einsum("ks,ks->k", slopes[outside], step[moving])
        with np.errstate(divide="ignore", invalid="ignore"):
            there = share[moving] - least[outside] / slope
        goes_on = (slope > 0) & (there <= 1) & (there > share[moving])
        share[moving] = np.where(goes_on, there, 2.0)
        moving = moving[goes_on]
    return share


def _shares(
    rows: Matrix,
    low: Matrix,
    high: Matrix,
    first: Index,
    second: Index,
    least: Vector,
    most: Vector,
    clock: Clock = UNLIMITED,
) -> bool:
    """Write the range of feasible shares of the first coordinate, for each pair; return
    whether time sufficed.

    ``rows``, ``low`` and ``high``, shapes (m, n), (m, 1) and (m, 1), are the
    constraints; ``least`` and ``most``, a number for each pair, are narrowed.
    """
    block = max(1, BLOCK_SIZE // max(1, first.size))
    for at in range(0, len(rows), block):
        if clock.left <= 0:
            return False
        some = slice(at, at + block)
        slope = rows[some][:, first] - rows[some][:, second]
        rest = rows[some][:, second]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            at_low = (low[some] - rest) / slope
            at_high = (high[some] - rest) / slope
        # a flat row allows the whole edge, or nothing of it
        flat = np.abs(slope) < FLAT_TOL
        outside = (rest < low[some]) | (rest > high[some])
        whole = np.where(outside, 2.0, 0.0)
        begins = np.where(flat, whole, np.minimum(at_low, at_high))
        ends = np.where(flat, 1.0, np.maximum(at_low, at_high))
        np.maximum(least, begins.max(axis=0), out=least)
        np.minimum(most, ends.min(axis=0), out=most)
    return True
