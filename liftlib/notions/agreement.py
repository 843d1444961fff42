"""Whether the halfspaces or tangents of a notion describe what it calls satisfied.

A search relies on halfspaces and tangents, and its proof refers to them. If they admit
more than ``is_satisfied`` does, a wrong optimum would be proven, so a notion from
elsewhere is compared on random posteriors before a search.
"""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from liftlib.notions.base import CurvedLift, LiftNotion, Notion, Polyhedral, provides
from mixproof.numerics import KEEP_TOL, Mask, Matrix, Vector

# posteriors this close to the boundary (nats) are not used to compare two methods
BOUNDARY_MARGIN = 1e-6
N_POSTERIORS = 400  # random posteriors with which methods are compared
# steps of the bisection for a point on the boundary of the allowed set
BOUNDARY_BISECTIONS = 50


def check_agreement(notion: Notion, joint: Joint) -> None:
    """Raise InvalidParameter if a notion from outside the library contradicts itself,
    on P_X or random posteriors.
    """
    if type(notion).__module__.startswith("liftlib."):  # tested with the library
        return
    fault = ""
    if provides(notion, Polyhedral):
        fault = halfspaces_fault(notion, joint)
    elif provides(notion, CurvedLift):
        fault = tangents_fault(notion, joint)
    if fault:
        raise InvalidParameter(
            f"{notion} contradicts itself: {fault}; see liftlib.testing.check_notion"
        )


def random_posteriors(joint: Joint) -> Matrix:
    """Return random posteriors, shape (n, X), between P_X and the simplex vertices."""
    rng = np.random.default_rng(2)
    far = rng.dirichlet(np.full(joint.n_public, 0.3), N_POSTERIORS)
    # with many symbols, only posteriors on a few have extreme lifts
    for row in far[::2]:
        few = rng.permutation(joint.n_public)[: rng.integers(1, 4)]
        row[:] = 0
        row[few] = rng.dirichlet(np.ones(few.size))
    share = rng.random((N_POSTERIORS, 1)) ** 2
    return np.asarray(share * far + (1 - share) * joint.p_x)


def lifts_of(joint: Joint, posteriors: Matrix) -> Matrix:
    """Return the lifts, shape (S, n), of posteriors, shape (n, X)."""
    return lift(joint) @ posteriors.T


def violations_of(notion: LiftNotion, joint: Joint, posteriors: Matrix) -> Vector:
    """Return the largest budget violation of each posterior, in nats."""
    needs = notion.required_budgets(lifts_of(joint, posteriors), joint.p_s)
    return np.asarray(np.max([need.needed - need.allowed for need in needs], axis=0))


def disagreement(name: str, accepted: Mask, violations: Vector) -> str:
    """Return how a method accepts a posterior beyond the budget or rejects one within;
    "" if it does not.
    """
    wide = accepted & ~(violations <= BOUNDARY_MARGIN)
    narrow = ~accepted & (violations < -BOUNDARY_MARGIN)
    if wide.any():
        return (
            f"{name} accept a posterior that exceeds a budget by "
            f"{violations[wide].max():.4g} nats"
        )
    if narrow.any():
        return (
            f"{name} refuse a posterior that stays {-violations[narrow].min():.4g} "
            "nats within the budgets"
        )
    return ""


def boundary(
    joint: Joint, notion: LiftNotion, rows: Matrix, tolerance: float = 0.0
) -> Matrix:
    """Return the last allowed point on the segment from P_X to each posterior, shape
    (n, X), with a tolerance in nats.
    """
    lifts = lifts_of(joint, rows)
    low = np.zeros(len(rows))
    high = np.ones(len(rows))
    low[notion.kept_columns(lifts, joint.p_s, tolerance)] = 1.0
    for _ in range(BOUNDARY_BISECTIONS):
        middle = (low + high) / 2
        between = 1 + middle * (lifts - 1)
        allowed = notion.kept_columns(between, joint.p_s, tolerance)
        low = np.where(allowed, middle, low)
        high = np.where(allowed, high, middle)
    return np.asarray(joint.p_x + low[:, None] * (rows - joint.p_x))


def halfspaces_fault(notion: Polyhedral, joint: Joint) -> str:
    """Return how the halfspaces contradict ``is_satisfied``, or ""."""
    halfspaces = np.asarray(notion.halfspaces(joint))
    if halfspaces.ndim != 2 or halfspaces.shape[1] != joint.n_public:
        return (
            f"halfspaces have shape {halfspaces.shape}, and (m, {joint.n_public}) is "
            "expected"
        )
    if not (halfspaces @ joint.p_x >= -KEEP_TOL).all():
        return "the halfspaces exclude P_X, which reveals nothing: is a sign flipped?"
    rows = random_posteriors(joint)
    if isinstance(notion, LiftNotion):
        outside = violations_of(notion, joint, rows) > BOUNDARY_MARGIN
        border = boundary(joint, notion, rows[outside])
        for factor in (0.98, 1.02):  # within the border, and beyond it
            points = joint.p_x + factor * (border - joint.p_x)
            rows = np.concatenate([rows, points[(points >= 0).all(axis=1)]])
        violations = violations_of(notion, joint, rows)
    else:
        rows, violations = _by_channels(notion, joint, rows, halfspaces)
    accepted = np.all(rows @ halfspaces.T >= 0, axis=1)
    return disagreement("halfspaces", accepted, violations)


def _by_channels(
    notion: Polyhedral, joint: Joint, rows: Matrix, halfspaces: Matrix
) -> tuple[Matrix, Vector]:
    """Return posteriors, and the violation of a channel that has each as an output and
    otherwise nearly P_X.
    """
    used = []
    violations = []
    for row in rows:
        with np.errstate(divide="ignore"):
            weight = 0.01 * float((joint.p_x / row).min())
        rest = (joint.p_x - weight * row) / (1 - weight)
        # then the other output may be the one that violates
        if not (halfspaces @ rest >= 0).all():
            continue
        used.append(row)
        masses = np.column_stack([weight * row, (1 - weight) * rest])
        kernel = masses / joint.p_x[:, None]
        violations.append(notion.violation(joint, Channel(kernel)))
    return np.array(used).reshape(-1, joint.n_public), np.array(violations)


def tangents_fault(notion: CurvedLift, joint: Joint) -> str:
    """Return how the tangents contradict ``is_satisfied``, or ""."""
    rows = random_posteriors(joint)
    violations = violations_of(notion, joint, rows)
    border = boundary(joint, notion, rows[violations > BOUNDARY_MARGIN])
    if not len(border):
        return ""
    cuts = notion.tangents(joint, border)
    size = np.abs(cuts).max(axis=1)
    allowed = rows[violations < -BOUNDARY_MARGIN]
    cut_off = allowed @ cuts.T < -KEEP_TOL * np.maximum(1, size)
    if cut_off.any() or (joint.p_x @ cuts.T < -KEEP_TOL).any():
        return "a tangent cuts off an allowed posterior: is a sign flipped?"
    if ((border @ cuts.T).min(axis=1) > 1e-4 * size.max()).any():
        return "no tangent touches a posterior on the boundary"
    return ""
