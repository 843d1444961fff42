"""The optimal response at any size, with a gap proven by branch and bound.

The search itself is in ``mixproof``; this module supplies the notion's cone and builds
the mechanism and the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.notions import LiftNotion, Polyhedral, provides
from liftlib.response.aorr import MEAN_TOL, Mixture, certified, cheapest, exactly
from liftlib.response.convex import Found, by_tangents
from liftlib.response.posteriors import (
    PosteriorCone,
    ResponseCertificate,
    merged_rows,
    rounded_up,
)
from mixproof.limits import Clock, Limits, Reached
from mixproof.lp import certify
from mixproof.numerics import HALFSPACE_SLACK, Matrix, Vector, entropies
from mixproof.proof import Proof, preorder
from mixproof.search import ProvenBound, cheapest_mixture

UNRESOLVED = Reached(
    "what rounding and the notion's tolerance leave unresolved was reached",
    "give a wider gap",
)
"""The reason and the remedy if rounding ends a search before its gap."""

# nats: the tolerance of a posterior times multipliers of up to some thousand, which no
# further search would regain
SILENT_GAP = 1e-5
"""Largest gap in nats without a warning that rounding ended the search."""


def proven_response(cone: PosteriorCone, limits: Limits = Limits()) -> Channel:
    """Return a mechanism within a proven gap of the optimum, at any size.

    Parameters
    ----------
    cone : PosteriorCone
        The posteriors that a notion allows, as
        :func:`~liftlib.response.posteriors.cone_for` returns them: the notion is
        polyhedral, with known halfspaces, or convex, and tangents are added on demand.
        If it must hold under other distributions too, the result has no proof.
    limits : Limits
        When the search ends.

    Returns
    -------
    Channel
        With a :class:`~liftlib.response.posteriors.ResponseCertificate`.

    Warns
    -----
    LiftWarning
        If a limit (time, linear programs, rounds of tangents or memory) was reached
        before the gap, or rounding prevents it.
    """
    search = by_tree if provides(cone.notion, Polyhedral) else by_tangents
    found = search(cone, limits)
    mixture, channel, mixed = first_that_holds(found.mixtures, cone)
    upper = np.inf
    if cone.support.resolved.all():
        upper = rounded_up(cone.joint, found.proven.bound)
    certificate = certified(cone.joint, channel, found.route, mixture, mixed, upper)
    certificate = replace(
        certificate, programmes=found.programmes, seconds=found.seconds
    )
    if not cone.others:
        certificate = with_proof(certificate, found.proven, found.points)
    reason = found.limit
    if reason is None and unresolved(certificate, limits.gap):
        reason = UNRESOLVED
    if reason is not None:
        certificate.warn_of(reason, limits.gap, after=found.rounds, stacklevel=4)
    return channel.with_certificate(certificate)


def by_tree(cone: PosteriorCone, limits: Limits) -> Found:
    """Return what a search finds in a cone whose halfspaces are known.

    The candidate mixtures are, in order: the search's, if certified; for posteriors
    that nearly coincide, the mixture found by HiGHS and the uncertified mixture of the
    search; and, for posteriors too far outside the cone to be repaired, a mixture of
    posteriors moved inside.
    """
    clock = Clock(limits.seconds)
    p_x = cone.support.joint.p_x
    fallback = None
    if isinstance(cone.notion, LiftNotion) and not cone.others:
        fallback = partial(merged_rows, cone.support, cone.notion)
    result = cheapest_mixture(
        cone.halfspaces,
        p_x,
        limits,
        fallback=fallback,
        slack=HALFSPACE_SLACK,
        extension=cone.extension,
    )
    rows, weights = result.rows, result.weights

    def by_search() -> Mixture:
        solution = certify(entropies(rows), rows.T, p_x, weights, result.dual)
        return Mixture(rows, solution, p_x)

    def inside() -> Mixture:
        moved = rows
        if cone.halfspaces is not None:
            moved = moved_inside(rows, cone.halfspaces, p_x)
        if fallback is not None:
            moved = np.concatenate([moved, fallback()[0]])
        return cheapest(moved, p_x, seconds=clock.last)

    return Found(
        route="a tree of bounds",
        mixtures=(
            by_search,
            lambda: cheapest(rows, p_x, seconds=clock.last),
            lambda: Mixture.of(rows, weights, p_x),
            inside,
        ),
        proven=result.proven,
        points=np.empty((0, 0)),
        programmes=result.programmes,
        seconds=result.seconds,
        limit=None if result.ended else result.limit,
    )


def publication(cone: PosteriorCone) -> Channel | None:
    """Return X itself if symbols were removed but the notion allows it, as with a
    single secret; otherwise None.

    A search over the other symbols would prove nothing, although no I(X; Y) exceeds
    H(X).
    """
    if cone.support.resolved.all():
        return None
    joint = cone.joint
    symbols = np.eye(joint.n_public)
    channel = Channel(symbols)
    if not cone.keeps(channel):
        return None
    mixture = Mixture.of(symbols, joint.p_x, joint.p_x)
    upper = rounded_up(joint, 0.0)
    certificate = certified(joint, channel, "X itself", mixture, 0.0, upper)
    proof = partial(Proof.of_nothing, joint.n_public, upper)
    return channel.with_certificate(replace(certificate, proof=proof))


def with_proof(
    certificate: ResponseCertificate, proven: ProvenBound, points: Matrix
) -> ResponseCertificate:
    """Return a certificate with the proof of its bound, if the bound is finite."""
    if not np.isfinite(certificate.upper):
        return certificate
    return replace(
        certificate, proof=partial(proof_of, proven.alone(), certificate.upper, points)
    )


def unresolved(certificate: ResponseCertificate, gap: float) -> bool:
    """Return whether the gap exceeds the requested one and ``SILENT_GAP``."""
    return bool(np.isfinite(certificate.upper)) and certificate.gap > max(
        gap * certificate.value, SILENT_GAP
    )


def first_that_holds(
    mixtures: Sequence[Callable[[], Mixture]], cone: PosteriorCone
) -> tuple[Mixture, Channel, float]:
    """Return the first candidate mixture that satisfies the notion after repair, in the
    end a constant release.
    """
    for candidate in mixtures:
        try:
            mixture = exactly(candidate())
            return mixture, *cone.channel(mixture.kernel)
        except (InfeasiblePrivacy, SolverFailure, TimeoutError):
            continue
    mixture = Mixture.constant(cone.support.joint.p_x)
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
    share = np.where(outside, here / np.where(outside, here - there, 1.0), 1.0).min(
        axis=1, initial=1.0
    )
    return np.asarray(p_x + share[:, None] * (rows - p_x))


def proof_of(proven: ProvenBound, upper: float, points: Matrix) -> Proof | None:
    """Return the proof of a search's bound; None if no pass gave a bound."""
    work = proven.work
    if work is None:
        return None
    count = work.nodes
    records = work.records
    which = preorder(records.parent[:count])
    place = np.empty(count, np.int64)
    place[which] = np.arange(count)
    parent = records.parent[which]
    sides, weights = proven.hull.pulled_back(
        np.concatenate([proven.cap_multipliers, records.multipliers[which]])
    )
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
