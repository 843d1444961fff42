"""Verification of a channel's privacy and of its upper bound on utility.

A notion allows a posterior v = P(X=.|Y=y) exactly when G v >= 0, and I(X; Y) = H(X) -
H(X|Y), so
:mod:`mixproof.checker` verifies the bound.
"""

from __future__ import annotations

import json
import time
from typing import NamedTuple

import numpy as np

from liftlib import exact
from liftlib.channel import Channel, in_order_of
from liftlib.errors import InvalidProof, UnsupportedNotion
from liftlib.joint import Joint
from liftlib.notions import CurvedLift, Notion, Polyhedral, provides
from liftlib.notions.base import MIN_RESOLVED_LIFT
from liftlib.notions.catalogue import content_of
from mixproof import checker
from mixproof.checks import checked
from mixproof.numerics import KEEP_TOL, Matrix, xlogx
from mixproof.proof import Proof

# nats by which H(X) is raised where it is the bound, for the rounding of its sum
ENTROPY_MARGIN = 1e-11
# how far a point's entries may be from summing to 1; tangents hold at any non-negative
# point
POINT_TOL = 1e-6
# how far probabilities may sum from 1 until a bound is computed from their normalised
# values
NORMALISATION_TOL = 1e-14
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
        return max(0.0, self.upper - self.value)


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
    The bound holds for every mechanism that ``notion.proven.is_satisfied`` accepts.
    ``notion.proven`` is the notion itself, except that ALIP, L1Lift, Chi2Lift and
    AlphaLift with a budget of 0 are perfect privacy.

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
    certificate = channel.certificate
    given = getattr(certificate, "proof", None) if proof is None else proof
    if certificate is None or given is None:
        raise InvalidProof(
            'the channel has no proof: make it by optimal_response(..., method="tree")'
        )
    if given.fingerprint() != given.digest:
        raise InvalidProof(
            "the proof's numbers do not match its digest: use the original"
        )
    joint = in_order_of(channel, joint)  # the proof numbers symbols as the channel does
    violation = notion.proven.violation(joint, channel)
    if not violation <= KEEP_TOL:
        raise InvalidProof(
            f"the channel exceeds {notion} by {violation:.3g} nats: it is not private"
        )
    p_xy = channel.joint_xy(joint)
    value = float(
        xlogx(p_xy).sum()
        - xlogx(p_xy.sum(axis=0)).sum()
        - xlogx(p_xy.sum(axis=1)).sum()
    )
    if not abs(value - certificate.value) <= VALUE_TOL:
        raise InvalidProof(
            f"I(X; Y) is {value:.12g}, not {certificate.value:.12g}, the value in the "
            "certificate"
        )
    # that no I(X; Y) exceeds H(X) needs no proof
    upper = min(
        upper_bound(joint, notion, given),
        float(-xlogx(joint.p_x).sum()) + ENTROPY_MARGIN,
    )
    for whose, claimed in (
        ("the proof", given.upper),
        ("the certificate", certificate.upper),
    ):
        if not upper <= claimed:
            raise InvalidProof(
                f"the proven bound is {upper:.12g} nats, not {claimed:.12g}, as "
                f"{whose} says"
            )
    return Checked(value, upper, violation, given.boxes, time.perf_counter() - started)


@checked
def to_problem(
    joint: Joint, notion: Notion, channel: Channel, proof: Proof | None = None
) -> str:
    """Return the JSON text that ``liftlib/exact.py`` checks in exact arithmetic.

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
    UnsupportedNotion
        If the notion is none of ALIP, LIP, LDP, L1Lift, Chi2Lift and AlphaLift.
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
    content = content_of(notion)
    if content is None or content["class"] not in exact.NOTION_FIELDS:
        raise UnsupportedNotion(
            f"{notion} is outside the exact checker: use check_proof"
        )
    given = getattr(channel.certificate, "proof", None) if proof is None else proof
    if given is None:
        raise InvalidProof(
            'the channel has no proof: make it by optimal_response(..., method="tree")'
        )
    joint = in_order_of(channel, joint)
    lower = upper = np.empty((0, joint.n_secret))
    if len(given.points):
        lower, upper = _with_points(joint, notion, given.points).tangent_directions(
            joint, given.points
        )
    solved = notion.proven
    tangents = [["upper", u.tolist()] for u in upper] + [
        ["lower", u.tolist()] for u in lower
    ]
    return json.dumps(
        {
            "format": "liftlib problem",
            "version": 1,
            "joint": joint.p.tolist(),
            "notion": content,
            "relaxed": provides(solved, Polyhedral)
            and solved.relaxed(joint.p_s, MIN_RESOLVED_LIFT)[1] > 0,
            "tangents": tangents,
            "channel": channel.kernel.tolist(),
            "proof": json.loads(given.to_json()),
        }
    )


def upper_bound(joint: Joint, notion: Notion, proof: Proof) -> float:
    """Return the upper bound on I(X; Y), in nats, that a proof establishes.

    Raises
    ------
    InvalidProof
        If the proof is not valid for this joint distribution and notion.
    """
    total = float(joint.p.sum())
    if abs(total - 1) > NORMALISATION_TOL:
        joint = Joint(joint.p / total)
    return checker.upper_bound(joint.p_x, halfspaces_of(joint, notion, proof), proof)


def halfspaces_of(joint: Joint, notion: Notion, proof: Proof) -> checker.Rows:
    """Return halfspaces G v >= 0 that hold for every allowed v, indexed by number."""
    if len(proof.points):
        curved = _with_points(joint, notion, proof.points)
        # the checker rejects entries that are not finite
        with np.errstate(all="ignore"):
            halfspaces = curved.tangents(joint, proof.points)
    elif provides(notion, Polyhedral):
        return notion.relaxed(joint.p_s, MIN_RESOLVED_LIFT)[0].numbered_halfspaces(
            joint
        )
    else:
        halfspaces = np.empty((0, joint.n_public))
    return halfspaces


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
