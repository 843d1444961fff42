"""Verification of a channel's privacy and of its upper bound on utility.

:mod:`liftlib.exact` verifies the bound in exact arithmetic. For the notions that it
knows, it derives the halfspaces G v >= 0 of the allowed posteriors v = P(X=.|Y=y) from
the joint distribution and the budgets; for others, it is given the notion's halfspaces.
"""

from __future__ import annotations

import json
import math
import time
from typing import Any, NamedTuple

import numpy as np

from liftlib import exact
from liftlib.channel import Channel, gap_between, in_order_of
from liftlib.errors import InvalidProof
from liftlib.joint import Joint
from liftlib.notions import CurvedLift, Notion, Polyhedral, provides
from liftlib.notions.base import MIN_RESOLVED_LIFT
from liftlib.notions.catalogue import content_of
from mixproof.checks import checked
from mixproof.numerics import KEEP_TOL, Matrix
from mixproof.proof import Proof

# how far a point's entries may be from summing to 1; tangents hold at any non-negative
# point
POINT_TOL = 1e-6
# how far a certificate's value may be from the recomputed I(X; Y), in nats
VALUE_TOL = 1e-9


class Checked(NamedTuple):
    """The result of a check; every number is recomputed.

    Attributes
    ----------
    value : float
        I(X; Y) of the channel, nats.
    upper : float
        An upper bound on I(X; Y) of every mechanism that satisfies the notion, nats.
    leakage : float
        The channel's violation of the notion, nats, at most ``numerics.KEEP_TOL``.
    boxes : int
        Number of boxes of the proof.
    seconds : float
        Duration of the check.
    """

    value: float
    upper: float
    leakage: float
    boxes: int
    seconds: float

    @property
    def gap(self) -> float:
        """The optimality gap ``upper - value``, nats."""
        return gap_between(self.value, self.upper)


@checked
def check_proof(
    joint: Joint, notion: Notion, channel: Channel, proof: Proof | None = None
) -> Checked:
    """Return the result of verifying a channel's privacy and its certificate's bound.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        The notion that the channel must satisfy.
    channel : Channel
        With a certificate.
    proof : Proof, optional
        By default the proof in the certificate.

    Returns
    -------
    Checked
        The recomputed value and bound.

    Raises
    ------
    InvalidProof
        If there is no proof, or it does not prove the certificate's bound; the message
        says where it fails.

    Notes
    -----
    The bound holds for every mechanism that ``notion.is_satisfied`` accepts: with a
    budget of 0, ALIP, L1Lift, Chi2Lift and AlphaLift accept only perfect privacy.

    Examples
    --------
    >>> from liftlib import LIP
    >>> from liftlib.response.optimal import optimal_response
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> channel = optimal_response(joint, LIP(0.2), method="tree")
    >>> found = check_proof(joint, LIP(0.2), channel)
    >>> found.gap < 1e-6, found.boxes == channel.certificate.proof.boxes
    (True, True)
    """
    started = time.perf_counter()
    given = _proof_of(channel, proof)
    certificate = channel.certificate
    if certificate is None:
        raise InvalidProof(
            "the channel has no certificate: make it by optimal_response(...)"
        )
    if given.fingerprint() != given.digest:
        raise InvalidProof(
            "the proof's numbers do not match its digest: use the original"
        )
    joint = in_order_of(channel, joint)  # the proof numbers symbols as the channel does
    violation = notion.violation(joint, channel)
    if not violation <= KEEP_TOL:
        raise InvalidProof(
            f"the channel exceeds {notion} by {violation:.3g} nats: it is not private"
        )
    try:
        found = exact.check(_problem(joint, notion, channel, given))
    except exact.NotProven as error:
        raise InvalidProof(str(error)) from None
    value = float(found.value)
    if not abs(value - certificate.value) <= VALUE_TOL:
        raise InvalidProof(
            f"I(X; Y) is {value:.12g}, not {certificate.value:.12g}, the value in the "
            "certificate"
        )
    upper = rounded_up(found)
    if not upper <= certificate.upper:
        raise InvalidProof(
            f"the proven bound is {upper:.12g} nats, not {certificate.upper:.12g}, as "
            "the certificate says"
        )
    return Checked(value, upper, violation, given.boxes, time.perf_counter() - started)


@checked
def to_problem(
    joint: Joint, notion: Notion, channel: Channel, proof: Proof | None = None
) -> str:
    """Return the JSON text that ``liftlib/exact.py`` checks in exact arithmetic.

    Of a notion that this file does not know, the text holds halfspaces, and the verdict
    names neither the notion nor the joint distribution.

    Parameters
    ----------
    joint, notion, channel, proof
        See :func:`check_proof`.

    Returns
    -------
    str
        JSON, with every number as it is stored.

    Raises
    ------
    InvalidProof
        If there is no proof, or its points are not distributions.

    Examples
    --------
    >>> from liftlib import LIP, datasets, design
    >>> joint, notion = datasets.hundred_people(), LIP(0.5)
    >>> best = design(joint, notion, "optimal", method="tree")
    >>> text = to_problem(joint, notion, best)
    >>> sorted(json.loads(text))[:2]
    ['channel', 'format']
    """
    given = _proof_of(channel, proof)
    return json.dumps(_problem(in_order_of(channel, joint), notion, channel, given))


def rounded_up(found: exact.Result) -> float:
    """Return the least binary64 that is no less than a proven bound."""
    nearest = float(found.upper)
    return nearest if nearest >= found.upper else math.nextafter(nearest, math.inf)


def _proof_of(channel: Channel, proof: Proof | None) -> Proof:
    """Return the proof that is given, or else that of the channel's certificate."""
    given = getattr(channel.certificate, "proof", None) if proof is None else proof
    if given is None:
        raise InvalidProof(
            'the channel has no proof: make it by optimal_response(..., method="tree")'
        )
    return given


def _problem(
    joint: Joint, notion: Notion, channel: Channel, proof: Proof
) -> dict[str, Any]:
    """Return what the exact checker reads, by the notion or by its halfspaces."""
    content = content_of(notion)
    if content is not None and content["class"] in exact.NOTION_FIELDS:
        # budgets may be numbers of numpy, which JSON does not have
        content = json.loads(json.dumps(content))
        claim = _by_notion(joint, notion, proof) | {"notion": content}
    else:
        claim = {
            "format": "mixproof problem",
            "target": joint.p_x.tolist(),
            "halfspaces": _halfspaces(joint, notion, proof).tolist(),
        }
    return claim | {
        "version": 1,
        "channel": channel.kernel.tolist(),
        "proof": proof.content(),
    }


def _by_notion(joint: Joint, notion: Notion, proof: Proof) -> dict[str, Any]:
    """Return the joint distribution and how the proof numbers the halfspaces.

    ``tangents`` holds the directions of a convex notion's tangents, those of eps_u
    first, as ``CurvedLift.tangents`` orders them. If a bound is ``relaxed``, the proof
    does without halfspaces for the least lift.
    """
    tangents: list[list[Any]] = []
    if len(proof.points):
        curved = _with_points(joint, notion, proof.points)
        lower, upper = curved.tangent_directions(joint, proof.points)
        tangents += [["upper", direction] for direction in upper.tolist()]
        tangents += [["lower", direction] for direction in lower.tolist()]
    relaxed = False
    solved = notion.proven
    if provides(solved, Polyhedral):
        _, floor = solved.relaxed(joint.p_s, MIN_RESOLVED_LIFT)
        relaxed = floor > 0
    return {
        "format": "liftlib problem",
        "joint": joint.p.tolist(),
        "relaxed": relaxed,
        "tangents": tangents,
    }


def _halfspaces(joint: Joint, notion: Notion, proof: Proof) -> Matrix:
    """Return G, shape (m, X), with G v >= 0 for every allowed v."""
    if len(proof.points):
        curved = _with_points(joint, notion, proof.points)
        # the checker refuses entries that are not finite
        with np.errstate(all="ignore"):
            return curved.tangents(joint, proof.points)
    if provides(notion, Polyhedral):
        resolved = notion.relaxed(joint.p_s, MIN_RESOLVED_LIFT)[0]
        rows = resolved.numbered_halfspaces(joint)
        return np.asarray(rows[np.arange(len(rows))])
    return np.empty((0, joint.n_public))


def _with_points(joint: Joint, notion: Notion, points: Matrix) -> CurvedLift:
    """Return the notion after checking the points and that it has tangents."""
    if not provides(notion, CurvedLift):
        raise InvalidProof(
            f"the proof has points for tangents, but {notion.lacks(CurvedLift)}: "
            "points must be empty"
        )
    if points.ndim != 2 or points.shape[1] != joint.n_public:
        raise InvalidProof(
            f"points has shape {points.shape}, but the joint has {joint.n_public} "
            "symbols"
        )
    for at, point in enumerate(points):
        bad = np.flatnonzero(~((point >= 0) & (point <= 1 + POINT_TOL)))
        if bad.size:
            x = int(bad[0])
            raise InvalidProof(
                f"point {at} of the proof has the entry {point[x]:g} for symbol {x}: "
                "give a distribution"
            )
        if not abs(float(point.sum()) - 1) <= POINT_TOL:
            raise InvalidProof(
                f"point {at} of the proof sums to {point.sum():g}, not 1: give a "
                "distribution"
            )
    return notion
