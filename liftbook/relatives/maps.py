"""Cheapest maps from the elements of a distribution to symbols.

A point u of shape (S,) and a map m from 0, ..., S - 1 to symbols define a distribution
over pairs (s, m(s)). Its price is the entropy of the symbols minus the worth of the
pairs, H(m(u)) - sum_s u_s worth(s, m(s)). Entropy is concave, so the sets of elements
with the same symbol can be chosen by dynamic programming, for all points at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mixproof.numerics import Matrix, Vector, xlogx

Index = NDArray[np.int64]


def marginal_entropies(points: Matrix, maps: Index, n_symbols: int) -> Vector:
    """Return the entropy of the symbols of each point, (K, S), under its map, nats.

    Examples
    --------
    >>> marginal_entropies(
    ...     np.array([[0.5, 0.5]] * 2), np.array([[0, 1], [1, 1]]), 2
    ... ).round(4).tolist()
    [0.6931, -0.0]
    """
    masses = np.zeros((len(points), n_symbols))
    np.add.at(masses, (np.arange(len(points))[:, None], maps), points)
    return np.asarray(-xlogx(masses).sum(axis=1))


class ExactMaps:
    """The cheapest map of each of many points, by dynamic programming.

    The points are distributions, shape (K, S). Pricing takes K 3^S / 2 steps, and
    storage K 2^S numbers.
    """

    def __init__(self, points: Matrix) -> None:
        self.points = points
        self.n = points.shape[1]
        member = (np.arange(2**self.n)[:, None] >> np.arange(self.n)) & 1
        self._sets = [np.flatnonzero(row) for row in member]
        self._entropy = -xlogx(member @ points.T)  # (2^S, K), of a set's mass

    def cheapest(self, worth: Matrix) -> tuple[Vector, Index]:
        """Return the least price of each point, shape (K,), and a map that attains it.

        ``worth``, shape (S, X), is the value of one unit of mass at each pair; very
        negative where a pair is not allowed.
        """
        size, every = len(self.points), np.arange(len(self.points))
        alone, to = (
            np.zeros((2**self.n, size)),
            np.zeros((2**self.n, size), dtype=np.int64),
        )
        for part in range(1, 2**self.n):
            inside = self._sets[part]
            values = self.points[:, inside] @ worth[inside]
            to[part] = values.argmax(axis=1)
            alone[part] = self._entropy[part] - values[every, to[part]]
        best, first = self._best(alone)
        maps = np.zeros((size, self.n), dtype=np.int64)
        left = np.full(size, 2**self.n - 1)
        while left.any():
            part = first[left, every]
            inside = (part[:, None] >> np.arange(self.n)) & 1
            maps = np.where(inside == 1, to[part, every][:, None], maps)
            left ^= part
        return best, maps

    def _best(self, alone: Matrix) -> tuple[Vector, Index]:
        """Return the least sum of ``alone`` over partitions, and one part for each set.

        Two parts with the same symbol cost more than their union, so the parts' symbols
        need not be distinct.
        """
        best, first = np.zeros_like(alone), np.zeros(alone.shape, dtype=np.int64)
        for subset in range(1, 2**self.n):
            low = subset & -subset
            best[subset], first[subset] = alone[subset], subset
            rest = part = subset ^ low
            while part:
                part = (part - 1) & rest
                value = alone[part | low] + best[rest ^ part]
                better = value < best[subset]
                best[subset] = np.where(better, value, best[subset])
                first[subset][better] = part | low
        return best[-1], first


def moved(points: Matrix, maps: Index, worth: Matrix) -> Index:
    """Return locally cheapest maps, (K, S): moving one element never lowers
    the price.
    """
    maps, every = maps.copy(), np.arange(len(points))
    masses = np.zeros((len(points), worth.shape[1]))
    np.add.at(masses, (every[:, None], maps), points)
    changed = True
    while changed:
        changed = False
        for s in range(points.shape[1]):
            mass, at = points[:, s], maps[:, s].copy()
            masses[every, at] = np.maximum(masses[every, at] - mass, 0)
            prices = (
                xlogx(masses) - xlogx(masses + mass[:, None]) - mass[:, None] * worth[s]
            )
            to = prices.argmin(axis=1)
            keep = prices[every, to] >= prices[every, at] - 1e-13
            maps[:, s] = np.where(keep, at, to)
            masses[every, maps[:, s]] += mass
            changed |= not keep.all()
    return maps
