"""The privacy funnel: releases with a bound on the average leakage I(S; Y)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from liftbook.relatives.average import averaged, few_symbols, identity_if_allowed, rows_of
from liftbook.relatives.descent import descent_rows
from liftbook.relatives.funnel_proof import FunnelProof, Prices, rounding, upper_bound
from liftbook.relatives.funnel_search import search
from liftbook.relatives.overall import AverageLeakage
from liftlib.channel import Certificate, Channel
from liftlib.joint import Joint
from liftlib.measures.information import entropy, mutual_information
from liftlib.notions import Notion, PerfectPrivacy
from liftlib.response.aorr import Mixture
from liftlib.response.optimal import optimal_response
from liftlib.response.posteriors import repaired, without_negligible
from mixproof.checks import checked
from mixproof.numerics import KEEP_TOL, check_count, check_scalar, xlogx

MAX_SYMBOLS = 40
"""Maximum number of symbols, for which the descents that start the search take a few seconds."""

ALMOST_PRIVATE = 0.01
"""Share of I(S; X) up to which the search also starts from the optimum under perfect privacy."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FunnelCertificate(Certificate):
    """Certificate of a release, with an upper bound on I(X; Y) at its budget.

    Attributes
    ----------
    posteriors : int
        Number of candidate posteriors for the mixture.
    mixed : float
        Weight of the constant release that is mixed in so that the notion is satisfied in floating point; usually 0.
    nodes : int
        Number of boxes in branch and bound.
    proof : FunnelProof or None
        The proof of ``upper`` that ``funnel_proof.check_bound`` checks; None at a budget of 0, where the bound is the
        one for perfect privacy.
    """

    posteriors: int
    mixed: float
    nodes: int
    proof: FunnelProof | None


@checked
def funnel_merging(joint: Joint, notion: Notion) -> Channel:
    """Return the channel that merges pairs of symbols until the notion is satisfied.

    Each step merges the pair that lowers the leakage most per loss of I(X; Y). The attribute ``partition`` is the
    partition. A single output satisfies every notion.

    Notes
    -----
    The agglomerative algorithm of Makhdoumi2014 merges while I(X; Y) stays above a bound; this variant merges until a
    bound on the leakage is satisfied.

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
        best, chosen, best_channel = -np.inf, groups, channel
        for a, b in itertools.combinations(range(len(groups)), 2):
            merged = [group for k, group in enumerate(groups) if k not in (a, b)] + [groups[a] + groups[b]]
            candidate = Channel.merge(merged, joint.n_public, joint.public)
            lost = float(xlogx(p_y[a] + p_y[b]) - xlogx(p_y[a]) - xlogx(p_y[b]))
            after = notion.violation(joint, candidate)
            # if the violation stays infinite, the pair that loses least is merged first
            fall = before - after if np.isfinite(after) else 0.0
            rate = (fall / lost if lost > 0 else np.inf) if fall > 0 else -lost
            if rate > best:
                best, chosen, best_channel = rate, merged, candidate
        groups, channel = chosen, best_channel
    order = sorted(tuple(sorted(group)) for group in groups)
    return Channel.merge(order, joint.n_public, joint.public)


@checked
def funnel_response(joint: Joint, notion: AverageLeakage, *, gap: float = 1e-3, nodes: int = 20_000) -> Channel:
    """Return the release with the largest I(X; Y) under a bound on I(S; Y).

    Parameters
    ----------
    joint : Joint
        P_SX, with at most 40 symbols.
    gap : float, keyword-only
        The search ends once the proven gap is at most this fraction of I(X; Y), or 10^-9 nats.
    nodes : int, keyword-only
        Maximum number of boxes of posteriors in branch and bound, at least 1; about 10,000 take a second.

    Returns
    -------
    Channel
        With a :class:`FunnelCertificate` (a ``Certificate`` if X itself satisfies the bound). Its ``upper`` bounds I(X;
        Y) of every release with the same bound on I(S; Y), even if the search ends before it reaches ``gap``.

    Notes
    -----
    A release is a mixture of posteriors v = P(X=.|Y=y), and both I(X; Y) and I(S; Y) are linear in the weights: given
    posteriors, the funnel of Makhdoumi2014 is the linear program of E23 eq. (26) with one more constraint. The search
    starts from the posteriors found by descents as in Huang2024, and at small budgets also from the posteriors of the
    perfect-privacy optimum. Branch and bound (``funnel_search``) then finds posteriors that improve the mixture, or
    proves that none improves it by more than the gap. The method is this book's.

    Examples
    --------
    >>> from liftbook.relatives.overall import AverageLeakage
    >>> joint = Joint([[0.2, 0.1, 0.05, 0.15], [0.1, 0.2, 0.15, 0.05]])
    >>> channel = funnel_response(joint, AverageLeakage(0.01))
    >>> AverageLeakage(0.01).is_satisfied(joint, channel), round(channel.certificate.value, 2)
    (True, 0.82)
    >>> channel.certificate.gap <= 1e-3 * channel.certificate.value
    True
    """
    budget = notion.eps
    few_symbols(joint, MAX_SYMBOLS, "funnel_merging")
    share, most = check_scalar("gap", gap, open_low=True), check_count("nodes", nodes)
    if unchanged := identity_if_allowed(joint, notion):
        return unchanged
    support = without_negligible(joint, notion)
    outcome = _searched(support.joint, budget, share, most)
    channel, mixed = repaired(
        support.extended(outcome.mixture.kernel), joint.p_x, lambda made: notion.is_satisfied(joint, made), name=notion
    )
    value = mutual_information(channel.joint_xy(joint))
    certificate = FunnelCertificate(
        "column generation",
        value,
        # the bound is for the support's symbols alone; equal bounds may cross through rounding
        max(value, outcome.upper) if support.resolved.all() else np.inf,
        posteriors=len(outcome.mixture.rows),
        mixed=mixed,
        nodes=outcome.nodes,
        proof=outcome.proof,
    )
    return channel.with_certificate(certificate)


class _Found(NamedTuple):
    mixture: Mixture
    upper: float
    proof: FunnelProof | None
    nodes: int


def _searched(joint: Joint, budget: float, gap: float, nodes: int) -> _Found:
    """Return a mixture and an upper bound on I(X; Y), by column generation."""
    upper, proof, used = np.inf, None, 0
    rows = descent_rows(joint, budget)
    if budget <= ALMOST_PRIVATE * mutual_information(joint.p):
        private = optimal_response(joint, PerfectPrivacy(), gap=gap)
        rows = np.concatenate([rows, rows_of(joint, private)])
        if budget == 0 and private.certificate is not None:
            upper = private.certificate.upper
    if budget <= KEEP_TOL:
        return _Found(averaged(joint, rows, budget).mixture, upper, None, 0)
    while True:
        mixture, price = averaged(joint, rows, budget)
        value = entropy(joint.p_x) - mixture.solution.objective
        prices = Prices(mixture.solution.dual[:-1], price)
        pricing = search(joint, prices, max(gap * value, 1e-9), nodes - used)
        used += pricing.nodes
        bound = upper_bound(joint, prices, pricing.least, budget)
        if bound < upper:
            upper, proof = bound, pricing.proof
        reached = upper - value <= max(gap * value, 1e-9) + rounding(joint, prices, budget)
        if reached or used >= nodes or not len(pricing.posteriors):
            return _Found(mixture, upper, proof, used)
        rows = np.concatenate([rows, pricing.posteriors])
