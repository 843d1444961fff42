"""The privacy funnel: releases whose leakage is bounded on average over outputs."""

from __future__ import annotations

import itertools

import numpy as np

from liftbook.relatives.average import few_symbols, release_of_rows, rows_of
from liftbook.relatives.descent import funnel_descent
from liftbook.relatives.overall import AverageLeakage
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.notions import LIP, Notion
from liftlib.response.optimal import optimal_response
from mixproof.checks import checked
from mixproof.numerics import Matrix, xlogx

MOST = 12
"""Symbols beyond which the 2^|X| subsets take too long."""

BUDGETS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""LIP budgets, nats, whose optima lend their rows to the pool."""


@checked
def funnel_merging(joint: Joint, notion: Notion) -> Channel:
    """Merge two symbols after the other until a notion of the whole release is kept.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        Any, of the whole release or of its outputs.

    Returns
    -------
    Channel
        It merges; the partition is on ``partition``. Each step takes the pair whose merging lowers the leakage most
        for what it loses of I(X; Y).

    Notes
    -----
    The agglomerative algorithm of Makhdoumi2014, which merges while I(X; Y) stays above a bound, the other way round:
    until a bound on the leakage is kept. One output keeps every notion.

    Examples
    --------
    >>> from liftbook.relatives.overall import AverageLeakage
    >>> joint = Joint([[0.2, 0.1, 0.05, 0.15], [0.1, 0.2, 0.15, 0.05]])
    >>> funnel_merging(joint, AverageLeakage(0.01)).partition
    ((0, 1), (2, 3))
    """
    groups: list[tuple[int, ...]] = [(x,) for x in range(joint.n_public)]
    channel = Channel.merge(groups, joint.n_public, joint.public)
    while not notion.is_satisfied(joint, channel) and len(groups) > 1:
        p_y = np.array([joint.p_x[list(group)].sum() for group in groups])
        before = notion.violation(joint, channel)
        best, chosen, made = -np.inf, groups, channel
        for a, b in itertools.combinations(range(len(groups)), 2):
            merged = [group for k, group in enumerate(groups) if k not in (a, b)] + [groups[a] + groups[b]]
            found = Channel.merge(merged, joint.n_public, joint.public)
            lost = float(xlogx(p_y[a] + p_y[b]) - xlogx(p_y[a]) - xlogx(p_y[b]))
            after = notion.violation(joint, found)
            # where it stays infinite nothing is gained, and what loses least is merged first
            fall = before - after if np.isfinite(after) else 0.0
            rate = (fall / lost if lost > 0 else np.inf) if fall > 0 else -lost
            if rate > best:
                best, chosen, made = rate, merged, found
        groups, channel = chosen, made
    order = sorted(tuple(sorted(group)) for group in groups)
    return Channel.merge(order, joint.n_public, joint.public)


@checked
def funnel_response(joint: Joint, notion: AverageLeakage) -> Channel:
    """Return the release of largest I(X; Y) with a bounded I(S; Y) that mixes rows of a pool.

    Parameters
    ----------
    joint : Joint
        P_SX, of 12 symbols at most.
    notion : Notion
        :class:`~liftbook.relatives.overall.AverageLeakage`.

    Returns
    -------
    Channel
        With a :class:`~liftlib.response.posteriors.RowsCertificate` whose ``upper`` is infinite: the pool need not hold
        the best rows. I(X; Y) is never below that of any merging, or any mixture of mergings, nor below that of
        :func:`~liftbook.relatives.descent.funnel_descent`, or of the optimum under LIP at one of ``BUDGETS``
        that leaks as much on average.

    Raises
    ------
    UnsupportedNotion
        If the notion is another than a bound on I(S; Y).
    InvalidParameter
        If there are more than 12 symbols.

    Notes
    -----
    A release is a mixture of rows v = P(X=.|Y=y), and both I(X; Y) and I(S; Y) are linear in the weights: given rows,
    the funnel of Makhdoumi2014 is a linear programme with one row more than that of E23 eq. (26). The pool has P_X on
    each subset of symbols, so that its mixtures are all mergings and all draws between them, the rows of the optimal
    responses under LIP, and those of descents in the manner of Huang2024. This book's.

    Examples
    --------
    >>> from liftbook.relatives.overall import AverageLeakage
    >>> joint = Joint([[0.2, 0.1, 0.05, 0.15], [0.1, 0.2, 0.15, 0.05]])
    >>> channel = funnel_response(joint, AverageLeakage(0.01))
    >>> AverageLeakage(0.01).is_satisfied(joint, channel)
    True
    """
    budget = notion.eps
    few_symbols(joint, MOST, "funnel_merging or funnel_descent")
    return release_of_rows(joint, notion, budget, lambda core: _pool(core, notion), "a pool of rows")


def _pool(joint: Joint, notion: AverageLeakage) -> Matrix:
    """Return P_X on each subset of symbols, and the rows of descents and of optima under LIP, shape (M, X)."""
    n = joint.n_public
    rows = ((np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1) * joint.p_x
    others = [optimal_response(joint, LIP(eps)) for eps in BUDGETS]
    found = [rows_of(joint, one) for one in (*others, funnel_descent(joint, notion))]
    return np.concatenate([rows / rows.sum(axis=1, keepdims=True), *found])
