"""Algorithm 1 and the watchdog on many joint distributions at once, in groups that grow by least risk.

Functions return labels, see :mod:`liftbook.rows.batch`. The readable implementations are
:func:`~liftlib.merging.subset_merging.subset_merging` and :func:`~liftlib.merging.watchdog.watchdog`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from liftbook.rows.batch import Batch, Labels
from liftlib.notions import LiftNotion
from mixproof.checks import checked
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


LoopName = Literal["standard", "printed"]


@checked
def watchdog_labels(p: Matrix | Batch, notion: LiftNotion, *, extend: bool = True) -> Labels:
    """Return the groups that complete merging forms in each of N joint distributions.

    ``p``, a batch or an array of shape (N, S, X), is not checked.

    Returns
    -------
    numpy.ndarray of int, shape (N, X)
        A low-risk symbol's own index; the first high-risk symbol's index for merged symbols.
    """
    batch = Batch.of(p)
    high = batch.high_risk(notion)
    merged = high | absorb(batch, high, ~high, notion, notion.risk) if extend else high
    return np.where(merged, high.argmax(axis=1)[:, None], np.arange(high.shape[1]))


@checked
def merge_labels(
    p: Matrix | Batch, notion: LiftNotion, *, loop: LoopName = "standard", extend: bool = True
) -> tuple[Labels, Labels]:
    """Return the groups that subset merging forms in each of N joint distributions.

    Parameters
    ----------
    p : Batch, or numpy.ndarray of shape (N, S, X)
        Joint distributions, unchecked.
    loop : {"standard", "printed"}, keyword-only
        ``"printed"`` stops once the remaining symbols, merged, satisfy the notion (E23 Algorithm 1, line 4), and merges
        them; the standard continues while symbols remain (C22 Algorithm 1, line 3).

    Returns
    -------
    labels : numpy.ndarray of int, shape (N, X)
        A low-risk symbol's own index; for a merged symbol, the index of the symbol that its group started from.
    order : numpy.ndarray of int, shape (N, X)
        The merged groups in the order in which they were formed, the repaired one last; then -1.
    """
    batch, omega = Batch.of(p), notion.risk
    high = batch.high_risk(notion)
    labels, order, last = _grown(batch, high, notion, omega, until_private=loop == "printed")
    _unite_last(batch, labels, order, last, notion, omega)
    if extend:
        taken = absorb(batch, labels == last[:, None], ~high, notion, omega)
        labels = np.where(taken, last[:, None], labels)
    return labels, order


def _grown(
    batch: Batch, high: Mask, notion: LiftNotion, omega: Risk, *, until_private: bool
) -> tuple[Labels, Labels, Labels]:
    """Return the groups of high-risk symbols, their order, and each joint's last.

    Joint distributions proceed independently: in one step, one may start a group while another completes its third.
    """
    n, n_x = high.shape
    alone = omega(batch.lifts, batch.p_s)
    labels, order = np.tile(np.arange(n_x), (n, 1)), np.full((n, n_x), -1)
    n_groups, last = np.zeros(n, dtype=np.int64), np.full(n, -1)
    pool = Pool(batch, high, notion, omega, np.asarray(high.any(axis=1)))
    while pool.live.any():
        rows = np.flatnonzero(pool.live & (pool.group < 0))
        if rows.size:
            pool.start(rows, np.where(pool.free[rows], alone[rows], -np.inf).argmax(axis=1))
            last[rows] = order[rows, n_groups[rows]] = pool.group[rows]
            n_groups[rows] += 1
            if until_private:
                rows, symbols = pool.close(rows)
                labels[rows, symbols] = pool.group[rows]
        rows = np.flatnonzero(pool.live & pool.free.any(axis=1))
        symbols = pool.nearest(rows)
        pool.take(rows, symbols)
        labels[rows, symbols] = pool.group[rows]
        pool.group[pool.satisfied()] = -1
        pool.live &= pool.free.any(axis=1)
    return labels, order, last


def _unite_last(batch: Batch, labels: Labels, order: Labels, last: Labels, notion: LiftNotion, omega: Risk) -> None:
    """Unite last groups with earlier ones, in place (E23 Algorithm 1, lines 12-16)."""
    n_x = labels.shape[1]
    which = ~batch.satisfied(labels == last[:, None], notion) & ((order >= 0).sum(axis=1) > 1)
    if not which.any():
        return
    failing = batch.some(which)
    groups = np.zeros((len(failing.p), n_x), dtype=bool)
    at, places = np.nonzero(order[which] >= 0)
    groups[at, order[which][at, places]] = True
    last_group = np.arange(n_x) == last[which][:, None]
    taken = absorb(
        Batch(np.moveaxis(failing.masses(labels[which]), 0, 1)), last_group, groups & ~last_group, notion, omega
    )
    gone = np.take_along_axis(taken, labels[which], axis=1)
    labels[which] = np.where(gone, last[which][:, None], labels[which])
    stays = (order[which] >= 0) & ~np.take_along_axis(taken, np.maximum(order[which], 0), axis=1)
    moved = np.take_along_axis(order[which], np.argsort(~stays, axis=1, kind="stable"), axis=1)
    order[which] = np.where(np.arange(n_x) < stays.sum(axis=1)[:, None], moved, -1)
