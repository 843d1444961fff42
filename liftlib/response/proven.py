"""The optimal response at any size, with a gap proven by branch and bound.

The search itself is in ``mixproof``; this module supplies the notion's cone and builds the mechanism and the proof.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.joint import Joint
from liftlib.measures.information import entropy
from liftlib.merging.subset_merging import subset_merging
from liftlib.notions import LiftNotion, Notion, Polyhedral
from liftlib.proofs import upper_bound
from liftlib.response.aorr import Mixture, certified, cheapest, entropies
from liftlib.response.posteriors import PosteriorCone, ResponseCertificate, Support, cone_for
from mixproof.limits import Limits
from mixproof.lp import Solution, certify
from mixproof.numerics import HALFSPACE_SLACK, Matrix, Vector
from mixproof.proof import DeferredProof, Proof, preorder
from mixproof.search import ProvenBound, Result, cheapest_mixture

BOUND_MARGIN = 2e-10
"""By how much a bound is rounded up, relative to 1 + H(X): more than the rounding that a check subtracts."""

MAX_MEAN_MULTIPLIER = 100.0
"""Mean multipliers, in nats, beyond which a check may round by more than ``BOUND_MARGIN``."""

UNRESOLVED = "what rounding and the notion's tolerance leave unresolved was reached", "give a wider gap"
"""The reason and the remedy if rounding ends a search before its gap."""

# nats: the tolerance of a posterior times multipliers of up to some thousand, which no further search would regain
SILENT_GAP = 1e-5
"""Largest gap in nats without a warning that rounding ended the search."""

MEAN_TOL = 1e-14
"""Relative error of a mixture's mean that is the rounding of its sum."""


def proven_response(
    joint: Joint,
    notion: Polyhedral,
    *,
    cone: PosteriorCone | None = None,
    limits: Limits = Limits(),
) -> Channel:
    """Return a mechanism within a proven gap of the optimum, at any size.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        A polyhedral notion.
    cone : PosteriorCone, optional, keyword-only
        The result of :func:`~liftlib.response.posteriors.cone_for`, if it is already known. If the notion must hold
        under other distributions too, the result has no proof.
    limits : Limits, keyword-only
        When the search ends.

    Returns
    -------
    Channel
        With a :class:`~liftlib.response.posteriors.ResponseCertificate`.

    Warns
    -----
    LiftWarning
        If a limit (time, linear programs or memory) was reached before the gap, or rounding prevents it.
    """
    cone = cone_for(joint, notion) if cone is None else cone
    support = cone.support
    fallback = partial(merged_rows, support, notion) if isinstance(notion, LiftNotion) and not cone.others else None
    result = cheapest_mixture(
        cone.halfspaces,
        support.joint.p_x,
        limits,
        fallback=fallback,
        slack=HALFSPACE_SLACK,
        extension=cone.extension,
    )

    def inside() -> Matrix:
        rows = result.rows if cone.halfspaces is None else moved_inside(result.rows, cone.halfspaces, support.joint.p_x)
        return rows if fallback is None else np.concatenate([rows, fallback()])

    mixture, channel, mixed = first_that_holds(result, cone, inside)
    upper = raised(joint, support, result.proven.bound)
    certified_channel = certified(joint, channel, "a tree of bounds", mixture, mixed, upper)
    certificate = replace(
        certified_channel.certified(ResponseCertificate), programmes=result.programmes, seconds=result.seconds
    )
    if not cone.others:
        certificate = with_proof(certificate, joint, notion, result.proven, np.empty((0, 0)))
    if not result.ended:
        certificate.warn_of(result.limit, limits.gap, stacklevel=4)
    elif unresolved(certificate, limits.gap):
        certificate.warn_of(UNRESOLVED, limits.gap, stacklevel=4)
    return channel.with_certificate(certificate)


def raised(joint: Joint, support: Support, least: float) -> float:
    """Return the upper bound on I(X; Y), rounded up, from a lower bound on H(X|Y)."""
    total = entropy(joint.p_x)
    return total - least + BOUND_MARGIN * (1 + total) if support.resolved.all() else np.inf


def with_proof(
    certificate: ResponseCertificate, joint: Joint, notion: Notion, proven: ProvenBound, points: Matrix
) -> ResponseCertificate:
    """Return a certificate with the proof of its bound, if the bound is finite."""
    if not np.isfinite(certificate.upper):
        return certificate
    alone = proven.alone()
    if alone.work is not None and is_steep(alone.work.dual, joint.p_x):
        checked = upper_bound(joint, notion, cast("Proof", proof_of(alone, certificate.upper, points)))
        certificate = replace(
            certificate, upper=max(certificate.upper, min(checked, entropy(joint.p_x) + BOUND_MARGIN))
        )
    return replace(certificate, proof=DeferredProof(partial(proof_of, alone, certificate.upper, points)))


def is_steep(dual: Vector, p_x: Vector) -> bool:
    """Return whether large duals let a check round by more than ``BOUND_MARGIN``."""
    return bool(np.abs(dual) @ p_x > MAX_MEAN_MULTIPLIER)


def unresolved(certificate: ResponseCertificate, gap: float) -> bool:
    """Return whether a certificate's gap exceeds the requested gap and ``SILENT_GAP``."""
    return bool(np.isfinite(certificate.upper)) and certificate.gap > max(gap * certificate.value, SILENT_GAP)


def first_that_holds(
    result: Result, cone: PosteriorCone, inside: Callable[[], Matrix]
) -> tuple[Mixture, Channel, float]:
    """Return the first candidate mixture that satisfies the notion after repair.

    The candidates are, in order: the search's mixture, if certified; for posteriors that nearly coincide, the mixture
    found by HiGHS and the uncertified mixture of the search; for posteriors too far outside the cone to be repaired, a
    mixture of the posteriors ``inside()``; and a constant release.
    """
    rows, weights, p_x = result.rows, result.weights, cone.support.joint.p_x
    mixtures: tuple[Callable[[], Mixture], ...] = (
        lambda: Mixture(rows, certify(entropies(rows), rows.T, p_x, weights, result.dual), p_x),
        lambda: cheapest(rows, p_x),
        lambda: Mixture(rows, solution_of(rows, weights, p_x), p_x),
        lambda: cheapest(inside(), p_x),
    )
    for candidate in mixtures:
        try:
            mixture = exactly(candidate())
            return mixture, *cone.channel(mixture.kernel)
        except (InfeasiblePrivacy, SolverFailure):
            continue
    constant = result.rows[:1]
    mixture = Mixture(constant, solution_of(constant, np.ones(1), p_x), p_x)
    return mixture, *cone.channel(mixture.kernel)


def moved_inside(rows: Matrix, halfspaces: Matrix, p_x: Vector) -> Matrix:
    """Return posteriors moved towards P_X just far enough to be allowed.

    Examples
    --------
    >>> rows, halfspaces = np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([[1.5, -1.0]])
    >>> moved_inside(rows, halfspaces, np.array([0.5, 0.5])).round(3).tolist()
    [[0.5, 0.5], [0.4, 0.6]]
    """
    here, there = np.maximum(halfspaces @ p_x, 0.0), rows @ halfspaces.T
    outside = there < -MEAN_TOL
    share = np.where(outside, here / np.where(outside, here - there, 1.0), 1.0).min(axis=1, initial=1.0)
    return np.asarray(p_x + share[:, None] * (rows - p_x))


def solution_of(rows: Matrix, weights: Vector, p_x: Vector) -> Solution:
    """Return weights as an uncertified solution of the LP, without multipliers."""
    objective = float(entropies(rows) @ weights)
    residual = float(np.abs(weights @ rows - p_x).max())
    return Solution(np.maximum(weights, 0.0), np.zeros(p_x.size), objective, residual, np.inf, np.inf)


def exactly(mixture: Mixture) -> Mixture:
    """Return the mixture with weights refined so that the mean equals P_X.

    A solver's residual of 10^-10, divided by the mass of a rare symbol, would exceed a budget of 10^-9.
    """
    used = mixture.solution.x > 0
    rows = mixture.rows[used]
    weights = mixture.solution.x[used]
    missed = mixture.p_x - weights @ rows
    if (np.abs(missed) <= MEAN_TOL * mixture.p_x).all():
        return mixture
    change = np.linalg.lstsq(rows.T, missed, rcond=None)[0]
    if not (weights + change >= 0).all():
        return mixture
    full = np.zeros(len(mixture.rows))
    full[used] = weights + change
    return mixture._replace(solution=replace(mixture.solution, x=full))


def merged_rows(support: Support, notion: LiftNotion) -> Matrix:
    """Return the posteriors of subset merging, the fallback of a search."""
    merged = subset_merging(support.joint, notion)
    masses = (support.joint.p_x[:, None] * merged.kernel).T
    return np.asarray(masses / masses.sum(axis=1, keepdims=True))


def proof_of(proven: ProvenBound, upper: float, points: Matrix) -> Proof | None:
    """Return the proof of a search's bound; None if no pass gave a bound."""
    work = proven.work
    if work is None:
        return None
    count, records = work.nodes, work.records
    which = preorder(records.parent[:count])
    place = np.empty(count, np.int64)
    place[which] = np.arange(count)
    parent = records.parent[which]
    sides, weights = proven.hull.pulled_back(np.concatenate([proven.cap_multipliers, records.multipliers[which]]))
    return Proof(
        upper=upper,
        dual=work.dual,
        order=np.asarray(work.order, np.int64),
        sides=sides,
        caps=proven.caps,
        cap_weights=weights[: len(proven.caps), :-1],
        parent=np.where(parent >= 0, place[parent], -1),
        child=records.child[which],
        kind=records.kind[which],
        symbol=records.symbol[which],
        level=records.level[which],
        weights=weights[len(proven.caps) :],
        points=points,
    )
