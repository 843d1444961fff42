"""The symbols that growing groups may still take in, packed so that a step costs no more than what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from liftbook.rows.batch import Batch, Labels
from liftlib.notions import LiftNotion
from mixproof.numerics import Mask, Matrix, Vector

Risk = Callable[[Matrix, Vector], Matrix]

BLOCK = 2**16
"""Unions that are looked at together: half a megabyte stays in the processor's own memory."""

SPARSE = 0.6
"""The share of places in use below which a pool is packed anew."""

SMALL = 4096
"""Numbers that are not worth packing: going through them takes less than the calls that would pack them."""


class Pool:
    """For each of n joint distributions, a group that grows and the symbols that it may take in.

    Arrays have the secrets first, and then the joint distributions, so that each secret's numbers lie together. A
    secret's share of a group is P(X in group | s), which over the group's own chance is its lift.

    Attributes
    ----------
    of : numpy.ndarray of int, shape (n,)
        Which joint distribution of the batch a row is about.
    live : numpy.ndarray of bool, shape (n,)
        Which of them are not done with.
    ids : numpy.ndarray of int, shape (n, w)
        The symbols, in their order.
    free : numpy.ndarray of bool, shape (n, w)
        Which of them can still be taken in.
    left : numpy.ndarray of int, shape (n,)
        How many.
    gone : int
        How many were taken in since the pool was packed, or are of a joint distribution that is done with.
    group : numpy.ndarray of int, shape (n,)
        The symbol that each group started from, -1 where one is still to start.
    share, p_x : numpy.ndarray, shape (S, n, w) and (n, w)
        P(x|s) and P(x) of the symbols.
    mass, whole : numpy.ndarray, shape (S, n) and (n,)
        The same of the group that grows.
    """

    def __init__(self, batch: Batch, allowed: Mask, notion: LiftNotion, risk: Risk, live: Mask):
        self.notion, self.risk, self.p_s = notion, risk, batch.p_s
        self.extremes = notion.extremes_decide()
        self.of, self.live, self.group = np.arange(len(live)), live, np.full(len(live), -1)
        self.ids = np.broadcast_to(np.arange(allowed.shape[1]), allowed.shape)
        self.free, self.left = allowed.copy(), allowed.sum(axis=1)
        self.share, self.p_x = batch.shares, batch.p_x
        self.mass, self.whole = np.ones(batch.p_s.T.shape), np.ones(len(live))
        self.gone = self.free.size
        self.pack()

    def pack(self) -> None:
        """Leave out joint distributions that are done with, and symbols that are gone, where these are many."""
        n, w = self.free.shape
        if self.gone < (1 - SPARSE) * n * w or self.share.size <= SMALL:
            return
        self.left *= self.live
        width = int(self.left.max(initial=0))
        if width * np.count_nonzero(self.live) >= SPARSE * n * w:
            return
        rows, self.gone = np.flatnonzero(self.live), 0
        # the free ones first, in their order
        at = np.argsort(~self.free[rows], axis=1, kind="stable")[:, :width]
        for name in ("of", "p_s", "live", "left", "group", "whole"):
            setattr(self, name, getattr(self, name)[rows])
        for name in ("ids", "free", "p_x"):
            setattr(self, name, getattr(self, name)[rows[:, None], at])
        places = (rows[:, None] * w + at).ravel()
        self.mass = self.mass[:, rows]
        shape = len(self.mass), *at.shape
        self.share = self.share.reshape(shape[0], n * w).take(places, axis=1).reshape(shape)

    def start(self, rows: Labels, at: Labels) -> None:
        """Let the groups in these rows be the symbols at these places and no more."""
        self.mass[:, rows], self.whole[rows] = 0, 0
        self.group[rows] = self.take(rows, at)

    def take(self, rows: Labels, at: Labels) -> Labels:
        """Let the groups in these rows take in the symbols at these places, and return which they are."""
        n_s, n, w = self.share.shape
        self.mass[:, rows] += self.share.reshape(n_s, n * w).take(rows * w + at, axis=1)
        self.whole[rows] += self.p_x[rows, at]
        self.free[rows, at] = False
        self.left[rows] -= 1
        self.gone += rows.size
        return np.asarray(self.ids[rows, at])

    def close(self, rows: Labels) -> tuple[Labels, Labels]:
        """Let the groups in these rows take in all that is free, where that keeps the notion.

        Returns
        -------
        rows, symbols : numpy.ndarray of int
            Which rows took in which symbols.
        """
        mass = self.mass + np.einsum("snx,nx->sn", self.share, self.free)
        whole = self.whole + np.einsum("nx,nx->n", self.p_x, self.free)
        closed = rows[self._kept(mass, whole)[rows]]
        at, places = np.nonzero(self.free[closed])
        self.free[closed], self.left[closed] = False, 0
        self.gone += at.size
        return closed[at], self.ids[closed[at], places]

    def nearest(self) -> Labels:
        """Return, shape (n,), where the free symbol is that gives each group the least risk.

        Where every union has an infinite risk (zero cells), it is the one with the smallest largest lift.
        """
        unions = self._unions()
        value = np.where(self.free, self.risk(unions, self.p_s), np.inf)
        at = value.argmin(axis=1)
        hopeless = np.isinf(value[np.arange(len(at)), at])
        if hopeless.any():
            most = unions[hopeless].max(axis=1)
            at[hopeless] = np.where(self.free[hopeless], most, np.inf).argmin(axis=1)
        return np.asarray(at)

    def kept(self) -> Mask:
        """Return, shape (n,), which groups keep the notion as they are."""
        return self._kept(self.mass, self.whole)

    def _kept(self, mass: Matrix, whole: Vector) -> Mask:
        return np.asarray(self.notion.kept_columns((mass / whole).T[:, :, None], self.p_s)[:, 0])

    def _unions(self) -> Matrix:
        """Return the lifts of each group with each symbol: shape (n, 2, w) the extremes, or (n, S, w) all of them."""
        if self.extremes:
            found = np.empty((2, *self.p_x.shape))
            for at in self._blocks():
                union = self.share[(slice(None), *at)] + self.mass[:, at[0], None]
                union.min(axis=0, out=found[(0, *at)])
                union.max(axis=0, out=found[(1, *at)])
        else:
            found = self.share + self.mass[:, :, None]
        found /= self.p_x + self.whole[:, None]
        return found.transpose(1, 0, 2)

    def _blocks(self) -> Iterator[tuple[slice, slice]]:
        n_s, n, w = self.share.shape
        columns = max(1, BLOCK // n_s)
        rows = max(1, columns // w)
        for i in range(0, n, rows):
            for j in range(0, w, columns):
                yield slice(i, i + rows), slice(j, j + columns)


def absorb(batch: Batch, members: Mask, allowed: Mask, notion: LiftNotion, risk: Risk) -> Mask:
    """Let a group of each joint distribution take in symbols, least risk first, until it keeps the notion.

    Parameters
    ----------
    batch : Batch
        N joint distributions.
    members : numpy.ndarray of bool, shape (N, X)
        The group; none where there is none.
    allowed : numpy.ndarray of bool, shape (N, X)
        Which symbols it may take in.

    Returns
    -------
    numpy.ndarray of bool, shape (N, X)
        Which it has taken in.
    """
    taken = np.zeros_like(allowed)
    live = ~batch.kept(members, notion) & allowed.any(axis=1)
    if not live.any():
        return taken
    pool = Pool(batch, allowed, notion, risk, live)
    shares = np.einsum("snx,nx->sn", batch.shares[:, pool.of], members[pool.of])
    whole = np.einsum("nx,nx->n", batch.p_x[pool.of], members[pool.of])
    # a joint distribution without such a group is never asked, and 1 / 1 is a number
    pool.mass, pool.whole = np.where(whole > 0, shares, 1), np.where(whole > 0, whole, 1)
    while pool.live.any():
        rows = np.flatnonzero(pool.live)
        taken[pool.of[rows], pool.take(rows, pool.nearest()[rows])] = True
        pool.live &= ~pool.kept() & (pool.left > 0)
        pool.gone += int(pool.left[rows] @ ~pool.live[rows])
        pool.pack()
    return taken
