"""Vertices with one or two non-zero coordinates: there are many, they cost next to nothing, and most are good."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftlib.numerics import Matrix, Vector, xlogx
from liftlib.solvers.mixing.ranges import Ranges

WIDEST = 1500
"""Coordinates beyond which pairs are left to the search: their tables would not fit into a gigabyte."""


class Supports(NamedTuple):
    """Points share e_first + (1 - share) e_second, and their entropies."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    share: Vector
    entropy: Vector

    def prices(self, dual: Vector) -> Vector:
        """Return H(v) - dual v of each."""
        return np.asarray(self.entropy - dual[self.second] - (dual[self.first] - dual[self.second]) * self.share)

    def points(self, which: NDArray[np.intp], n: int) -> Matrix:
        """Return some of them, shape (k, n)."""
        found = np.zeros((which.size, n))
        at = np.arange(which.size)
        found[at, self.second[which]] = 1 - self.share[which]
        found[at, self.first[which]] += self.share[which]
        return found


def supports(hull: Ranges) -> Supports:
    """Return all vertices on one or two coordinates.

    Examples
    --------
    >>> from liftlib.solvers.mixing.ranges import ranges
    >>> found = supports(ranges(np.array([[1.0, -1.0, 0.0]])))  # v_0 >= v_1
    >>> found.points(np.arange(3), 3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.5, 0.0]]
    """
    rows, low, high = hull.rows[:-1], hull.low[:-1, None], hull.high[:-1, None]
    n = hull.rows.shape[1]
    alone = np.flatnonzero(((rows >= low) & (rows <= high)).all(axis=0))
    first, second = np.triu_indices(n if n <= WIDEST else 0, 1)
    least, most = np.zeros(first.size), np.ones(first.size)
    for row, a, b in zip(rows, low[:, 0], high[:, 0], strict=True):
        slope, rest = row[first] - row[second], row[second]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            one, two = (a - rest) / slope, (b - rest) / slope
        flat = np.abs(slope) < 1e-13
        outside = flat & ((rest < a) | (rest > b))
        least = np.maximum(least, np.where(flat, np.where(outside, 2.0, 0.0), np.minimum(one, two)))
        most = np.minimum(most, np.where(flat, 1.0, np.maximum(one, two)))
    allowed = least <= most
    first, second = np.tile(first[allowed], 2), np.tile(second[allowed], 2)
    share = np.concatenate([least[allowed], most[allowed]])
    inside = (share > 1e-12) & (share < 1 - 1e-12)
    first = np.concatenate([alone, first[inside]])
    second = np.concatenate([alone, second[inside]])
    share = np.concatenate([np.ones(alone.size), share[inside]])
    entropy = np.asarray(-xlogx(share) - xlogx(1 - share))
    return Supports(first, second, share, entropy)
