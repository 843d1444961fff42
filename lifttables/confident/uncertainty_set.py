"""The optimal response under a notion on Pearson's uncertainty set around a table, with a proven bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.notions import CurvedLift, RatioBased, Ratios, RequiredBudget
from liftlib.response.convex import convex_response
from lifttables.population.sets import PearsonSample
from mixproof.checks import checked
from mixproof.numerics import Matrix, Vector

HALVINGS = 100
"""Steps of the bisection for a multiplier; any multiplier bounds the mean from above, so none is on the wrong side."""

FAR = (-30.0, 20.0)
"""How far beyond a column's largest entry a multiplier lies, as the logarithm of a part of the column's range."""

NEAR = 0.05
"""Nats from the worst condition of a row within which another one joins as a tangent."""


class Worst(NamedTuple):
    """The largest means of columns over balls, and the distributions that have them.

    Attributes
    ----------
    mean : numpy.ndarray, shape (S, m)
    at : numpy.ndarray, shape (S, m, X)
    """

    mean: Matrix
    at: np.ndarray


def largest_means(shares: Matrix, room: Vector, columns: Matrix) -> Worst:
    r"""Return the largest mean of each column over the p with :math:`\sum_x \hat p(x)^2 / p(x) \le 1 + r`.

    Parameters
    ----------
    shares : numpy.ndarray, shape (S, X)
        The balls' centres, each a distribution.
    room : numpy.ndarray, shape (S,)
        r, at least 0; infinite where nothing is known.
    columns : numpy.ndarray, shape (X, m)

    Notes
    -----
    By the multipliers of the two constraints the mean of k is at most
    :math:`\mu - (\sum_x \hat p(x) \sqrt{\mu - k(x)})^2 / (1 + r)` for every :math:`\mu \ge \max_x k(x)`, a convex
    function of it, with equality at the least. There p is proportional to :math:`\hat p / \sqrt{\mu - k}`, and what is
    left is on a symbol of the largest entry that has no share.

    Examples
    --------
    >>> largest_means(np.array([[0.2, 0.8]]), np.array([0.05]), np.eye(2)).mean.round(4).tolist()
    [[0.3027, 0.8742]]
    """
    top, span = columns.max(axis=0), np.maximum(np.ptp(columns, axis=0), np.finfo(float).tiny)
    beyond = ((top - columns) / span).T  # (m, X), from 0 to 1
    low, high = (np.full((len(shares), len(top)), end) for end in FAR)
    whole = 1 + room[:, None]
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            apart = np.sqrt(np.exp(middle)[..., None] + beyond)
            falls = np.einsum("sx,smx->sm", shares, apart) * np.einsum("sx,smx->sm", shares, 1 / apart) > whole
            low, high = np.where(falls, middle, low), np.where(falls, high, middle)
    apart = np.sqrt(np.exp(high)[..., None] + beyond)
    through = np.einsum("sx,smx->sm", shares, apart)
    mean = top + span * (np.exp(high) - through**2 / whole)
    at = shares[:, None, :] * (through / whole)[..., None] / apart
    left = np.maximum(1 - at.sum(axis=2), 0.0)
    at = at + left[..., None] * np.eye(columns.shape[0])[columns.argmax(axis=0)]
    return Worst(np.minimum(mean, top), np.asarray(at / at.sum(axis=2, keepdims=True)))


@dataclass(frozen=True, eq=False)
class OnBall(CurvedLift):
    """A notion on ratios, required on all of Pearson's uncertainty set, as a notion about X itself.

    Each P(.|s), and P_X, may be any that the set has, whatever the others are: together they are a little more than it.
    """

    notion: RatioBased
    sample: PearsonSample
    ratios_of: Ratios = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratios_of", self.notion.ratios(self.sample.n_secret))

    def _worst(self, lift: Matrix) -> tuple[Worst, Worst]:
        table = np.vstack([self.sample.counts, self.sample.counts.sum(axis=0)])
        of = table.sum(axis=1)
        shares = np.where(of[:, None] > 0, table / np.maximum(of, 1)[:, None], 1 / table.shape[1])
        room = self.sample.rooms(of)
        highest, lowest = largest_means(shares, room, lift), largest_means(shares, room, -lift)
        return highest, Worst(np.maximum(-lowest.mean, 0.0), lowest.at)

    def _needed(self, highest: Worst, lowest: Worst) -> Matrix:
        """Return by how many nats each condition is missed at worst, shape (conditions, m)."""
        ratios = self.ratios_of
        with np.errstate(divide="ignore"):
            return np.asarray(
                np.log(highest.mean[ratios.top]) - np.log(lowest.mean[ratios.bottom]) - ratios.budget[:, None]
            )

    def required_budgets(self, lift: Matrix, p_s: Vector) -> tuple[RequiredBudget, ...]:  # noqa: ARG002, D102
        if not len(self.ratios_of.budget):
            return (RequiredBudget("violation", np.zeros(lift.shape[-1]), 0.0),)
        return (RequiredBudget("violation", self._needed(*self._worst(lift)).max(axis=0), 0.0),)

    def tangents(self, joint: Joint, rows: Matrix) -> Matrix:  # noqa: D102
        if not len(self.ratios_of.budget):
            return np.empty((0, rows.shape[1]))
        ratios = self.ratios_of
        highest, lowest = self._worst((rows / joint.p_x).T)
        missed = self._needed(highest, lowest)
        which, row = np.nonzero(missed >= missed.max(axis=0) - NEAR)
        scale = np.exp(-ratios.budget[which])[:, None]
        cuts = lowest.at[ratios.bottom[which], row] - scale * highest.at[ratios.top[which], row]
        return np.asarray(cuts / joint.p_x)


@checked
def pearson_response(
    counts: ArrayLike, notion: RatioBased, *, confidence: float = 0.95, gap: float = 1e-3, seconds: float | None = None
) -> Channel:
    """Return the response with the largest I(X; Y) that satisfies a notion on Pearson's uncertainty set.

    Parameters
    ----------
    counts : array_like, shape (S, X)
        As for :class:`~lifttables.population.sets.PearsonSample`; so are the errors.
    notion : Notion
        One that bounds ratios of P(y|s) and P(y): ALIP, LIP, LDP, perfect privacy.
    confidence : float, keyword-only
        In (0, 1), for many rows in each cell.
    gap, seconds : keyword-only
        Where the search ends, see :func:`~liftlib.response.optimal.optimal_response`.

    Returns
    -------
    Channel
        With a :class:`~liftlib.response.posteriors.RowsCertificate`, but for one secret or a budget of 0; no response
        that keeps the notion for all P(.|s), and P_X, that are in the set's projections has an I(X; Y) above its
        ``upper``.

    Raises
    ------
    UnsupportedNotion
        If the notion bounds no ratios.

    Notes
    -----
    The problem of Lopuhaä-Zwakenberg and Goseling 2024 for a mechanism that sees X: a notion kept for all P with
    D_2(P̂ || P) at most a bound, through the projections on P(.|s), which are such balls again. They put a polytope
    around the set and list vertices; here the worst case over a ball has a closed form, and tangents join where it is
    missed. Of their paper the abstract and another author's summary were read.

    Examples
    --------
    >>> from liftlib.notions import LDP
    >>> channel = pearson_response([[400, 600], [300, 700]], LDP(0.5))
    >>> LDP(0.5).is_satisfied(Joint.from_counts([[420, 580], [290, 710]]), channel)
    True
    """
    sample = PearsonSample(counts, confidence)
    held, n = OnBall(notion, sample), sample.n_public
    if sample.n_secret == 1:  # of which nothing can be told
        return Channel.identity(n)
    if (held.ratios_of.budget <= 0).any():
        # the largest mean of each output would have to be at most the least: it is the same for all symbols
        return Channel.constant(n)
    return convex_response(Joint(np.diag(sample.weights)), held, gap=gap, seconds=seconds)
