"""The optimal response under a convex, non-polyhedral notion, by cutting planes.

The polytope defined by tangents contains the convex set of allowed posteriors, so its minimum-cost mixture, bounded by
branch and bound, is a lower bound on the cost of any mixture of allowed posteriors. Moving the points of that mixture
towards P_X until they reach the boundary of the convex set gives a mechanism. Tangents at those boundary points are
added until the two costs agree.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.joint import Joint
from liftlib.measures.information import entropy
from liftlib.notions import CurvedLift
from liftlib.response.aorr import Mixture, certified, cheapest
from liftlib.response.posteriors import ResponseCertificate, Support, repaired, without_negligible
from liftlib.response.proven import (
    UNRESOLVED,
    exactly,
    merged_rows,
    raised,
    solution_of,
    unresolved,
    with_proof,
)
from mixproof.limits import Clock, Limits
from mixproof.numerics import EDGE_TOL, HALFSPACE_SLACK, KEEP_TOL, Matrix, Vector
from mixproof.restricted_master import RestrictedMaster
from mixproof.search import ProvenBound, cheapest_mixture

FIRST_GAP = 1e-2  # relative gap of the first polytope's optimum
POLYTOPE_GAP_SHARE = 0.25  # gap of a polytope's optimum as a share of the remaining gap
MAX_TANGENT_ROUNDS = 60  # maximum number of rounds of tangents
MIN_CURVED_GAP = 1e-8  # smallest gap in nats, limited by the notion's tolerance times the tangents' weights
EDGE_KEEP_TOL = (1 - 1e-6) * KEEP_TOL  # nats, for points on the boundary: with room for rounding where they are mixed
BOUNDARY_BISECTIONS = 50  # steps of the bisection for a point on the boundary of the allowed set


class Bracket(NamedTuple):
    """The best mixture found, the best lower bound, and the bound's tangent points."""

    inner: Mixture
    proven: ProvenBound
    points: Matrix
    rounds: int
    programmes: int
    limit: tuple[str, str] | None
    """The limit that ended the search before its gap, and a remedy."""


def convex_response(
    joint: Joint,
    notion: CurvedLift,
    *,
    limits: Limits = Limits(),
) -> Channel:
    """Return a mechanism within a proven gap of the optimum under a convex notion.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        A convex notion with tangents.
    limits : Limits, keyword-only
        When the search ends; the gap is at least ``MIN_CURVED_GAP`` nats.

    Returns
    -------
    Channel
        With a :class:`~liftlib.response.posteriors.ResponseCertificate`, whose proof contains the points of tangency.

    Warns
    -----
    LiftWarning
        If a limit (time, linear programs, rounds or memory) was reached before the gap, or rounding prevents it.
    """
    clock = Clock(limits.seconds)
    support = without_negligible(joint, notion)
    bracket = _bracketed(support, notion, limits, clock)
    inner = exactly(bracket.inner)
    channel, mixed = repaired(
        support.extended(inner.kernel), joint.p_x, lambda candidate: notion.is_satisfied(joint, candidate), name=notion
    )
    upper = raised(joint, support, bracket.proven.bound)
    certified_channel = certified(joint, channel, "tangents, and a tree of bounds", inner, mixed, upper)
    certificate = replace(
        certified_channel.certified(ResponseCertificate), programmes=bracket.programmes, seconds=clock.seconds
    )
    certificate = with_proof(certificate, joint, notion, bracket.proven, bracket.points)
    reason = UNRESOLVED if bracket.limit is None and unresolved(certificate, limits.gap) else bracket.limit
    if reason is not None:
        certificate.warn_of(reason, limits.gap, after=f" and {bracket.rounds} rounds of tangents", stacklevel=4)
    return channel.with_certificate(certificate)


def _bracketed(support: Support, notion: CurvedLift, limits: Limits, clock: Clock) -> Bracket:
    joint, p_x, gap = support.joint, support.joint.p_x, limits.gap
    total = entropy(p_x)
    points, inner, tangents = np.empty((0, p_x.size)), p_x[None], np.empty((0, p_x.size))
    best: tuple[ProvenBound, Matrix] | None = None
    left, programmes, rounds = FIRST_GAP, 0, 0
    while True:
        rounds += 1
        outer = cheapest_mixture(
            tangents, p_x, limits.less(programmes, clock.seconds, gap=POLYTOPE_GAP_SHARE * max(left, gap)),
            more=inner, slack=HALFSPACE_SLACK,
        )  # fmt: skip
        programmes += outer.programmes
        if best is None or outer.proven.bound > best[0].bound:
            best = outer.proven, points
        edge = boundary(joint, notion, outer.rows)
        mixture = _cheapest(np.concatenate([inner, edge]), p_x)
        cost = mixture.solution.objective
        wanted = max(gap * (total - cost), MIN_CURVED_GAP)
        off = cost - best[0].bound
        limit = None if outer.ended else outer.limit
        more = edge[_outside(outer.rows, edge, outer.weights)]
        if rounds == MAX_TANGENT_ROUNDS:
            limit = "the rounds of tangents were over", "give a wider gap"
        elif limit is None and not len(more) and left <= gap:
            limit = "no tangent brought the bound nearer", "give a wider gap"
        if off <= wanted:
            return Bracket(mixture, *best, rounds, programmes, None)
        if limit is not None:
            mixture = _cheapest(np.concatenate([inner, edge, merged_rows(support, notion)]), p_x)
            return Bracket(mixture, *best, rounds, programmes, limit)
        inner = np.concatenate([p_x[None], mixture.rows[mixture.solution.x > 0]])
        points = np.concatenate([points, more])
        tangents = notion.tangents(joint, points)
        left = min(FIRST_GAP, off / max(total - cost, MIN_CURVED_GAP))


def _cheapest(rows: Matrix, p_x: Vector) -> Mixture:
    """Return the minimum-cost mixture, uncertified if its check fails."""
    try:
        return cheapest(rows, p_x)
    except (InfeasiblePrivacy, SolverFailure):
        master = RestrictedMaster(p_x)
        master.add(rows)
        *_, weights = master.run()
        return Mixture(master.rows, solution_of(master.rows, weights, p_x), p_x)


def boundary(joint: Joint, notion: CurvedLift, rows: Matrix) -> Matrix:
    """Return the last allowed point on the segment from P_X to each posterior."""
    lifts = joint.s_given_x / joint.p_s[:, None] @ rows.T
    low, high = np.zeros(len(rows)), np.ones(len(rows))
    low[notion.kept_columns(lifts, joint.p_s, EDGE_KEEP_TOL)] = 1.0
    for _ in range(BOUNDARY_BISECTIONS):
        middle = (low + high) / 2
        allowed = notion.kept_columns(1 + middle * (lifts - 1), joint.p_s, EDGE_KEEP_TOL)
        low, high = np.where(allowed, middle, low), np.where(allowed, high, middle)
    return np.asarray(joint.p_x + low[:, None] * (rows - joint.p_x))


def _outside(rows: Matrix, edge: Matrix, weights: Vector) -> np.ndarray:
    """Return a mask of the posteriors with positive weight that are not allowed."""
    return np.asarray((weights > 0) & (np.abs(rows - edge).max(axis=1) > EDGE_TOL))
