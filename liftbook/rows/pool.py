"""Groups of symbols that grow by least risk, in many joint distributions at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from liftbook.rows.batch import Batch, Labels
from liftlib.notions import LiftNotion
from mixproof.numerics import Mask, Matrix, Vector

Risk = Callable[[Matrix, Vector], Matrix]


class Pool:
    """A growing group and the free symbols of each of N joint distributions.

    The first axis is the secret, so that each secret's numbers are contiguous. A secret's share of a group is P(X in
    group | s); divided by the group's probability, it is the lift.

    Attributes
    ----------
    live : numpy.ndarray of bool, shape (N,)
        Joint distributions that are not finished.
    free : numpy.ndarray of bool, shape (N, X)
        Symbols that can still join.
    group : numpy.ndarray of int, shape (N,)
        The first symbol of each group; -1 for an empty group.
    mass, whole : numpy.ndarray, shape (S, N) and (N,)
        P(X in group | s) and P(X in group).
    """

    def __init__(self, batch: Batch, allowed: Mask, notion: LiftNotion, risk: Risk, live: Mask):
        self.batch, self.notion, self.risk = batch, notion, risk
        self.live, self.free, self.group = live, allowed.copy(), np.full(len(live), -1)
        self.mass, self.whole = np.ones(batch.p_s.T.shape), np.ones(len(live))

    def start(self, rows: Labels, symbols: Labels) -> None:
        """Start groups in these rows with these symbols."""
        self.mass[:, rows], self.whole[rows] = 0, 0
        self.group[rows] = symbols
        self.take(rows, symbols)

    def take(self, rows: Labels, symbols: Labels) -> None:
        """Add these symbols to the groups in these rows."""
        self.mass[:, rows] += self.batch.shares[:, rows, symbols]
        self.whole[rows] += self.batch.p_x[rows, symbols]
        self.free[rows, symbols] = False

    def close(self, rows: Labels) -> tuple[Labels, Labels]:
        """Add all free symbols to groups where the result satisfies the notion.

        Returns the rows and symbols that were added.
        """
        mass = self.mass + np.einsum("snx,nx->sn", self.batch.shares, self.free)
        probability = self.whole + np.einsum("nx,nx->n", self.batch.p_x, self.free)
        closed = rows[self._kept(mass, probability)[rows]]
        at, symbols = np.nonzero(self.free[closed])
        self.free[closed] = False
        return closed[at], symbols

    def nearest(self, rows: Labels) -> Labels:
        """Return the free symbol that gives each group the least risk.

        If every union has an infinite risk (zero cells), return the symbol with the smallest maximum lift.
        """
        unions = self.batch.shares[:, rows] + self.mass[:, rows, None]
        unions /= self.batch.p_x[rows] + self.whole[rows, None]
        free, lifts = self.free[rows], unions.transpose(1, 0, 2)
        value = np.where(free, self.risk(lifts, self.batch.p_s[rows]), np.inf)
        symbols = value.argmin(axis=1)
        hopeless = np.isinf(value.min(axis=1, initial=np.inf))
        if hopeless.any():
            symbols[hopeless] = np.where(free[hopeless], lifts[hopeless].max(axis=1), np.inf).argmin(axis=1)
        return np.asarray(symbols)

    def satisfied(self) -> Mask:
        """Return which groups satisfy the notion, shape (N,)."""
        return self._kept(self.mass, self.whole)

    def _kept(self, mass: Matrix, whole: Vector) -> Mask:
        return np.asarray(self.notion.kept_columns((mass / whole).T[:, :, None], self.batch.p_s)[:, 0])


def absorb(batch: Batch, members: Mask, allowed: Mask, notion: LiftNotion, risk: Risk) -> Mask:
    """Return the allowed symbols that groups absorb until the notion is satisfied.

    Symbols with the least risk are absorbed first. ``members`` (the groups), ``allowed`` and the result have shape (N,
    X).
    """
    broken = ~batch.satisfied(members, notion) & allowed.any(axis=1)
    if not broken.any():
        return np.zeros_like(allowed)
    failing = batch.some(broken)
    pool = Pool(failing, allowed[broken], notion, risk, np.ones(len(failing.p), dtype=bool))
    shares = np.einsum("snx,nx->sn", failing.shares, members[broken])
    probability = np.einsum("nx,nx->n", failing.p_x, members[broken])
    # an empty group gets 1 / 1, to avoid 0 / 0
    pool.mass, pool.whole = np.where(probability > 0, shares, 1), np.where(probability > 0, probability, 1)
    while pool.live.any():
        rows = np.flatnonzero(pool.live)
        pool.take(rows, pool.nearest(rows))
        pool.live &= ~pool.satisfied() & pool.free.any(axis=1)
    taken = np.zeros_like(allowed)
    taken[broken] = allowed[broken] & ~pool.free
    return taken
