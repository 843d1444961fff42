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
        return SparseVertices(
            first, second, share, np.asarray(-xlogx(share) - xlogx(1 - share))
        )

    def prices(self, dual: Vector) -> Vector:
        """Return the price H(v) - dual v of each point v."""
        return np.asarray(
            self.entropy
            - dual[self.second]
            - (dual[self.first] - dual[self.second]) * self.share
        )

    def points(self, which: Index, n: int) -> Matrix:
        """Return the points with the given indices as a dense array, shape (k, n)."""
        points = np.zeros((which.size, n))
        at = np.arange(which.size)
        points[at, self.second[which]] = 1 - self.share[which]
        points[at, self.first[which]] += self.share[which]
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
    one_sparse = np.flatnonzero(((rows >= low) & (rows <= high)).all(axis=0))
    first, second = np.triu_indices(n if n <= MAX_PAIRED_COORDINATES else 0, 1)
    least = np.zeros(first.size)
    most = np.ones(first.size)
    in_time = _shares(rows, low, high, first, second, least, most, clock)
    allowed = (least <= most) & in_time
    first = np.tile(first[allowed], 2)
    second = np.tile(second[allowed], 2)
    share = np.concatenate([least[allowed], most[allowed]])
    inside = (share > ONE_SPARSE_TOL) & (share < 1 - ONE_SPARSE_TOL)
    first, second = (
        np.concatenate([one_sparse, coordinates[inside]])
        for coordinates in (first, second)
    )
    return SparseVertices.of(
        first, second, np.concatenate([np.ones(one_sparse.size), share[inside]])
    )


def sparse_vertices_by_cuts(
    extension: Extension, clock: Clock = UNLIMITED
) -> SparseVertices:
    """Return all one-sparse and two-sparse vertices of an extension's polytope; of the
    latter, those found in time.

    On the edge between two unit vectors, the smallest entry of G v is concave and
    piecewise linear, so Newton's method from either end reaches the first feasible
    point in finitely many steps.
    """
    forms = extension.forms.T
    n = len(extension.forms.T)
    one_sparse = np.flatnonzero(extension.worst(forms)[0] >= -ONE_SPARSE_TOL)
    chunks = [(one_sparse, one_sparse, np.ones(one_sparse.size))]
    pairs = np.triu_indices(n if n <= MAX_PAIRED_COORDINATES else 0, 1)
    block = max(1, 10 * BLOCK_SIZE // max(1, len(extension.forms)))
    for at in range(0, pairs[0].size, block):
        if clock.left <= 0:
            break
        first = pairs[0][at : at + block]
        second = pairs[1][at : at + block]
        for target, origin, swapped in ((first, second, False), (second, first, True)):
            share = _first_allowed(
                extension, forms[origin], forms[target] - forms[origin]
            )
            inside = (share > ONE_SPARSE_TOL) & (share < 1 - ONE_SPARSE_TOL)
            chunks.append(
                (
                    first[inside],
                    second[inside],
                    1 - share[inside] if swapped else share[inside],
                )
            )
    return SparseVertices.of(
        *(np.concatenate(each) for each in zip(*chunks, strict=True))
    )


def _first_allowed(extension: Extension, start: Matrix, step: Matrix) -> Vector:
    """Return the smallest t in [0, 1] with start + t step allowed, 2 if none is."""
    share = np.zeros(len(start))
    open_ = np.arange(len(start))
    while open_.size:
        least, slopes = extension.worst(start[open_] + share[open_, None] * step[open_])
        open_ = open_[least < -FLAT_TOL]
        short = least < -FLAT_TOL
        slope = np.einsum("ks,ks->k", slopes[short], step[open_])
        with np.errstate(divide="ignore", invalid="ignore"):
            there = share[open_] - least[short] / slope
        beyond = ~((slope > 0) & (there <= 1) & (there > share[open_]))
        share[open_] = np.where(beyond, 2.0, there)
        open_ = open_[~beyond]
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
        flat = np.abs(slope) < FLAT_TOL
        outside = flat & ((rest < low[some]) | (rest > high[some]))
        bounds = np.where(
            flat, np.where(outside, 2.0, 0.0), np.minimum(at_low, at_high)
        )
        np.maximum(least, bounds.max(axis=0), out=least)
        np.minimum(
            most, np.where(flat, 1.0, np.maximum(at_low, at_high)).min(axis=0), out=most
        )
    return True
