"""Merging symbols of many joint distributions at once: what the watchdog and subset merging share.

Arrays have a leading axis over N joint distributions of one shape, so that a figure over a thousand of them takes
as many numpy calls as one. ``labels[n, x]`` names the group that symbol x of joint n is in, as an index below X.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Channel
from liftlib.errors import UnsupportedNotion
from liftlib.joint import Joint
from liftlib.measures.lifts import lift_of
from liftlib.notions import Notion
from mixproof.numerics import Mask, Matrix

Labels = NDArray[np.int64]


def require_lift_notion(notion: Notion, mechanism: str) -> Notion:
    """Return ``notion`` if lift columns decide it, and otherwise say what serves it."""
    if not notion.columnwise:
        raise UnsupportedNotion(
            f"{notion} is not decided by each symbol's lifts alone, so {mechanism} cannot serve it: "
            "use optimal_response or product_response"
        )
    return notion


class Batch:
    """N joint distributions of one shape, unchecked, with what is asked of them under one notion after another.

    Parameters
    ----------
    p : numpy.ndarray, shape (N, S, X)
        Joint distributions.
    """

    def __init__(self, p: Matrix):
        self.p = p
        self.p_s: Matrix = p.sum(axis=-1)

    @classmethod
    def of(cls, p: Matrix | Batch) -> Batch:
        """Return the batch of joint distributions, itself if it is one."""
        return p if isinstance(p, Batch) else cls(p)

    def some(self, which: Mask) -> Batch:
        """Return the batch of some of the joint distributions."""
        return self if which.all() else Batch(self.p[which])

    @cached_property
    def lifts(self) -> Matrix:
        """The lifts of the symbols, shape (N, S, X)."""
        return lift_of(self.p)

    @cached_property
    def extremes(self) -> Matrix:
        """The least and the largest lift of each symbol, shape (N, 2, X)."""
        return extremes_of(self.lifts)

    @cached_property
    def p_x(self) -> Matrix:
        """P(x), shape (N, X)."""
        return np.asarray(self.p.sum(axis=1))

    @cached_property
    def shares(self) -> Matrix:
        """P(x|s), shape (S, N, X), whose ratio to P(x) is the lift; P(x) where s has no mass, whose lift is 1."""
        p, prior = self.p.transpose(1, 0, 2), self.p_s.T[:, :, None]
        return np.divide(p, prior, out=np.repeat(self.p_x[None], len(prior), axis=0), where=prior > 0)

    @cached_property
    def flat(self) -> Matrix:
        """P(s, x), shape (S, N X)."""
        return np.ascontiguousarray(self.p.transpose(1, 0, 2)).reshape(self.p.shape[1], -1)

    def columns(self, notion: Notion) -> Matrix:
        """Return what the notion needs to know of the symbols' lifts: their extremes, or all."""
        return self.extremes if notion.extremes else self.lifts

    def high_risk(self, notion: Notion) -> Mask:
        """Return, shape (N, X), which symbols break the notion if they are published as they are."""
        return ~notion.kept_columns(self.columns(notion), self.p_s)

    def masses(self, labels: Labels) -> Matrix:
        """Return P(S = s, X in group g), shape (S, N, X); groups that no label names are empty."""
        n, n_x = labels.shape
        at = (labels + n_x * np.arange(n)[:, None]).ravel()
        return np.array([np.bincount(at, row, n * n_x) for row in self.flat], dtype=np.float64).reshape(-1, n, n_x)

    def kept(self, members: Mask, notion: Notion) -> Mask:
        """Return, shape (N,), whether the symbols in ``members``, shape (N, X), merged, keep the notion."""
        mass = np.einsum("nsx,nx->ns", self.p, members)
        return np.asarray(notion.kept_columns(lift_of(mass[:, :, None], self.p_s), self.p_s)[:, 0])

    def release(self, labels: Labels) -> tuple[Matrix, Matrix]:
        """Return the lifts of the groups, shape (N, S, X), and their chances, shape (N, X); empty ones have lift 1."""
        found = self.masses(labels)
        chance = found.sum(axis=0)
        empty = chance == 0
        found /= np.where(empty, 1, chance)
        found /= np.where(self.p_s > 0, self.p_s, 1).T[:, :, None]
        found[:, empty] = 1
        return np.moveaxis(found, 0, 1), chance


def extremes_of(lifts: Matrix) -> Matrix:
    """Return the least and the largest lift of each column, shape (N, 2, X), for lifts of shape (N, S, X)."""
    return np.stack([lifts.min(axis=1), lifts.max(axis=1)], axis=1)


def channel_of(labels: Labels, joint: Joint, order: Labels) -> Channel:
    """Return the channel that releases the group of x, groups in the order given."""
    members = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels, minlength=labels.size))
    starts = ends - np.bincount(labels, minlength=labels.size)
    partition = [tuple(members[starts[g] : ends[g]].tolist()) for g in order]
    return Channel.merge(partition, joint.n_public, joint.public)
