"""Many joint distributions of one shape at once.

Arrays have a leading axis over N joint distributions. ``labels[n, x]`` names the group of symbol x in joint n, as an
index below X.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from liftlib.measures.lifts import lift_of
from liftlib.notions import LiftNotion
from mixproof.numerics import Mask, Matrix

Labels = NDArray[np.int64]


class Batch:
    """N joint distributions, shape (N, S, X), unchecked, with cached arrays."""

    def __init__(self, p: Matrix):
        self.p = p
        self.p_s: Matrix = p.sum(axis=-1)

    @classmethod
    def of(cls, p: Matrix | Batch) -> Batch:
        """Return ``p`` as a batch; a batch is returned unchanged."""
        return p if isinstance(p, Batch) else cls(p)

    def some(self, which: Mask) -> Batch:
        """Return the batch where the mask ``which``, shape (N,), is True."""
        return self if which.all() else Batch(self.p[which])

    @cached_property
    def lifts(self) -> Matrix:
        """The lifts of the symbols, shape (N, S, X)."""
        return lift_of(self.p)

    @cached_property
    def p_x(self) -> Matrix:
        """P(x), shape (N, X)."""
        return np.asarray(self.p.sum(axis=1))

    @cached_property
    def shares(self) -> Matrix:
        """P(x|s), shape (S, N, X); P(x) where s has no mass, so that its lift is 1."""
        p, prior = self.p.transpose(1, 0, 2), self.p_s.T[:, :, None]
        return np.divide(p, prior, out=np.repeat(self.p_x[None], len(prior), axis=0), where=prior > 0)

    @cached_property
    def flat(self) -> Matrix:
        """P(s, x), shape (S, N X)."""
        return np.ascontiguousarray(self.p.transpose(1, 0, 2)).reshape(self.p.shape[1], -1)

    def high_risk(self, notion: LiftNotion) -> Mask:
        """Return a mask, shape (N, X), of the high-risk symbols."""
        return ~notion.kept_columns(self.lifts, self.p_s)

    def masses(self, labels: Labels) -> Matrix:
        """Return P(S = s, X in group g), shape (S, N, X); 0 for unused groups."""
        n, n_x = labels.shape
        at = (labels + n_x * np.arange(n)[:, None]).ravel()
        return np.array([np.bincount(at, row, n * n_x) for row in self.flat], dtype=np.float64).reshape(-1, n, n_x)

    def satisfied(self, members: Mask, notion: LiftNotion) -> Mask:
        """Return a mask, shape (N,): whether merged ``members`` satisfy the notion."""
        mass = np.einsum("nsx,nx->ns", self.p, members)
        return np.asarray(notion.kept_columns(lift_of(mass[:, :, None], self.p_s), self.p_s)[:, 0])

    def release(self, labels: Labels) -> tuple[Matrix, Matrix]:
        """Return the groups' lifts, shape (N, S, X), and probabilities, shape (N, X)."""
        lifts = self.masses(labels)
        chance = lifts.sum(axis=0)
        empty = chance == 0
        lifts /= np.where(empty, 1, chance)
        lifts /= np.where(self.p_s > 0, self.p_s, 1).T[:, :, None]
        lifts[:, empty] = 1
        return np.moveaxis(lifts, 0, 1), chance


def extremes_of(lifts: Matrix) -> Matrix:
    """Return each column's min-lift and max-lift, shape (N, 2, X)."""
    return np.stack([lifts.min(axis=1), lifts.max(axis=1)], axis=1)
