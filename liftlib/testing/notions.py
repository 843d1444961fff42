"""Checks that the methods of a notion are consistent with each other."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from liftlib.channel import Channel
from liftlib.datasets import dirichlet_joint
from liftlib.joint import Joint
from liftlib.notions import (
    AttributeWise,
    CurvedLift,
    LiftNotion,
    Notion,
    Polyhedral,
    RatioBased,
    RequiredBudget,
    provides,
)
from liftlib.notions.base import N
from liftlib.registry import mechanisms
from liftlib.testing.channels import channel_faults
from liftlib.testing.reports import Fault, NotSupported, Report, run_checks
from mixproof.checks import checked
from mixproof.numerics import KEEP_TOL, Mask, Matrix, Vector

BOUNDARY_MARGIN = 1e-6  # posteriors this close to the boundary (nats) are not used to compare two methods
N_POSTERIORS = 400  # random posteriors with which methods are compared


def example_joints() -> list[Joint]:
    """Return joints with more and fewer symbols than secrets, and a zero cell."""
    rng = np.random.default_rng(0)
    zero = Joint.from_counts([[0, 3, 1, 4], [2, 2, 6, 1], [3, 1, 1, 2]])
    return [dirichlet_joint(3, 5, 1.0, rng), dirichlet_joint(4, 3, 1.0, rng), zero]


@checked
def check_notion(notion: Notion) -> Report:
    """Return a report on a notion's properties, on small joint distributions.

    Parameters
    ----------
    notion : Notion
        A notion whose budgets allow some posteriors but not others.

    Returns
    -------
    Report
        A constant release must satisfy the notion. ``required_budgets`` must have the right shape, be minimal for an
        output that reveals nothing, and agree with ``halfspaces``, ``tangents``, ``lift_bounds``, ``ratios`` and
        ``belief``. Each mechanism that serves the notion must satisfy it.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> report = check_notion(LIP(0.5))
    >>> report.passed, report.checks[0].name
    (True, 'a constant release satisfies it')
    """
    checks: list[tuple[str, Callable[[], str | None]]] = [
        ("a constant release satisfies it", partial(_constant, notion)),
        ("required_budgets: a tuple, of the right shapes", partial(_shapes, notion)),
        ("required_budgets: least where nothing is revealed", partial(_least, notion)),
        ("halfspaces agree with is_satisfied", partial(_halfspaces, notion)),
        ("tangents agree with is_satisfied", partial(_tangents, notion)),
        ("lift_bounds agree with is_satisfied", partial(_lift_bounds, notion)),
        ("ratios agree with is_satisfied", partial(_ratios, notion)),
        ("belief and odds_growth bound posteriors", partial(_beliefs, notion)),
    ]
    checks += [(f"mechanism {name}", partial(_mechanism, notion, name)) for name in mechanisms]
    return run_checks(str(notion), checks)


def _joints(notion: Notion) -> list[Joint]:
    """Return example joint distributions whose number of symbols fits the notion."""
    if not isinstance(notion, AttributeWise):
        return example_joints()
    n = int(np.prod(notion.attributes))
    return [dirichlet_joint(3, n, 1.0, np.random.default_rng(1))]


def _constant(notion: Notion) -> None:
    for joint in _joints(notion):
        violation = notion.violation(joint, Channel.constant(joint.n_public))
        if not violation <= KEEP_TOL:
            raise Fault(f"it exceeds a budget by {violation:.4g} nats")


def _lifts(joint: Joint, posteriors: Matrix) -> Matrix:
    """Return the lifts, shape (S, n), of posteriors, shape (n, X)."""
    return np.asarray((joint.s_given_x @ posteriors.T) / joint.p_s[:, None])


def _posteriors(joint: Joint) -> Matrix:
    """Return random posteriors, shape (n, X), between P_X and the simplex vertices."""
    rng = np.random.default_rng(2)
    far = rng.dirichlet(np.full(joint.n_public, 0.3), N_POSTERIORS)
    share = rng.random((N_POSTERIORS, 1)) ** 2
    return np.asarray(share * far + (1 - share) * joint.p_x)


def _as(notion: Notion, interface: type[N]) -> N:
    """Return the notion if it provides an interface; raise NotSupported if not."""
    if not provides(notion, interface):
        raise NotSupported(notion.lacks(interface))
    return notion


def _shapes(asked: Notion) -> str:
    notion = _as(asked, LiftNotion)
    rng = np.random.default_rng(3)
    for n_secret, n_public in ((3, 5), (4, 2)):
        p_s = rng.dirichlet(np.ones(n_secret), 2)
        lifts = rng.dirichlet(np.ones(n_secret), (2, n_public)).swapaxes(-1, -2) / p_s[:, :, None]
        budgets = notion.required_budgets(lifts, p_s)
        if isinstance(budgets, RequiredBudget) or not isinstance(budgets, tuple):
            raise Fault(
                f"it returns a {type(budgets).__name__}, not a tuple of RequiredBudget: is a comma missing after it?"
            )
        for at, budget in enumerate(budgets):
            if not isinstance(budget, RequiredBudget):
                raise Fault(f"item {at} is a {type(budget).__name__}, not a RequiredBudget")
            if np.shape(budget.needed) != (2, n_public):
                raise Fault(
                    f"{budget.budget}: `needed` has shape {np.shape(budget.needed)} for lifts of shape {lifts.shape}; "
                    f"reduce over the secrets, axis -2, to shape {(2, n_public)}"
                )
            alone = notion.required_budgets(lifts[1], p_s[1])[at].needed
            if not np.allclose(alone, budget.needed[1], equal_nan=True):
                raise Fault(f"{budget.budget}: a batch of two lift arrays gives other values than each array alone")
    return "in batches and alone"


def _least(asked: Notion) -> None:
    notion = _as(asked, LiftNotion)
    for joint in _joints(notion):
        lifts = _lifts(joint, _posteriors(joint))
        for budget in notion.required_budgets(lifts, joint.p_s):
            constant = notion.required_budgets(np.ones((joint.n_secret, 1)), joint.p_s)
            nothing = float(np.max([required.needed for required in constant if required.budget == budget.budget]))
            if np.isnan(budget.needed).any():
                raise Fault(f"{budget.budget}: `needed` is not a number for some lifts")
            if (budget.needed < nothing - KEEP_TOL).any():
                raise Fault(
                    f"{budget.budget}: an output needs {budget.needed.min():.4g} nats and one that reveals nothing "
                    f"{nothing:.4g}: is a sign flipped?"
                )


def _violations(notion: LiftNotion, joint: Joint, posteriors: Matrix) -> Vector:
    """Return the largest budget violation of each posterior, in nats."""
    lifts = _lifts(joint, posteriors)
    violations = np.max(
        [required.needed - required.allowed for required in notion.required_budgets(lifts, joint.p_s)], axis=0
    )
    return np.asarray(violations)


def _compare(name: str, accepted: Mask, violations: Vector) -> str:
    """Raise if a method accepts a posterior beyond the budget or rejects one within."""
    wide, narrow = accepted & (violations > BOUNDARY_MARGIN), ~accepted & (violations < -BOUNDARY_MARGIN)
    if wide.any():
        raise Fault(f"{name} accept a posterior that exceeds a budget by {violations[wide].max():.4g} nats")
    if narrow.any():
        raise Fault(f"{name} refuse a posterior that stays {-violations[narrow].min():.4g} nats within the budgets")
    return f"{len(accepted)} posteriors, {int(accepted.sum())} of them allowed"


def _halfspaces(asked: Notion) -> str:
    notion = _as(asked, Polyhedral)
    detail = ""
    for joint in _joints(notion):
        halfspaces = notion.halfspaces(joint)
        if np.ndim(halfspaces) != 2 or np.shape(halfspaces)[1] != joint.n_public:
            raise Fault(f"halfspaces have shape {np.shape(halfspaces)}, and (m, {joint.n_public}) is expected")
        if (halfspaces @ joint.p_x < -KEEP_TOL).any():
            raise Fault("the halfspaces exclude P_X, which reveals nothing: is a sign flipped?")
        if isinstance(notion, LiftNotion):
            rows = _posteriors(joint)
            detail = _compare("halfspaces", np.all(rows @ halfspaces.T >= 0, axis=1), _violations(notion, joint, rows))
    return detail


def _tangents(asked: Notion) -> str:
    notion = _as(asked, CurvedLift)
    touched = 0
    for joint in _joints(notion):
        rows = _posteriors(joint)
        violations = _violations(notion, joint, rows)
        boundary = _boundary(notion, joint, rows[violations > BOUNDARY_MARGIN])
        if not len(boundary):
            continue
        touched += len(boundary)
        cuts = notion.tangents(joint, boundary)
        allowed = rows[violations < -BOUNDARY_MARGIN]
        if (allowed @ cuts.T < -KEEP_TOL * np.maximum(1, np.abs(cuts).max(axis=1))).any() or (
            joint.p_x @ cuts.T < -KEEP_TOL
        ).any():
            raise Fault("a tangent cuts off an allowed posterior: is a sign flipped?")
        if ((boundary @ cuts.T).min(axis=1) > 1e-4 * np.abs(cuts).max()).any():
            raise Fault("no tangent touches a posterior on the boundary")
    return f"{touched} posteriors on the boundary"


def _boundary(notion: LiftNotion, joint: Joint, outside: Matrix) -> Matrix:
    """Return the boundary points on the segments from P_X to posteriors outside."""
    low, high = np.zeros(len(outside)), np.ones(len(outside))
    for _ in range(60):
        middle = (low + high) / 2
        rows = middle[:, None] * outside + (1 - middle[:, None]) * joint.p_x
        inside = _violations(notion, joint, rows) <= 0 if len(rows) else np.zeros(0, dtype=bool)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.asarray(low[:, None] * outside + (1 - low[:, None]) * joint.p_x)


def _lift_bounds(asked: Notion) -> str:
    notion = _as(asked, LiftNotion)
    exact = False
    for joint in _joints(notion):
        bounds, rows = notion.lift_bounds(joint.p_s), _posteriors(joint)
        lifts, violations = _lifts(joint, rows), _violations(notion, joint, rows)
        least, most = np.exp(-bounds.lower)[:, None], np.exp(bounds.upper)[:, None]
        within = ((lifts >= least * (1 - 1e-9)) & (lifts <= most * (1 + 1e-9))).all(axis=0)
        if (~within & (violations < -BOUNDARY_MARGIN)).any():
            raise Fault("an allowed output has a lift beyond the bounds")
        exact = bounds.exact
        if exact and (within & (violations > BOUNDARY_MARGIN)).any():
            raise Fault("they are declared exact, but an output within them exceeds a budget")
    return "exact" if exact else "implied, not exact"


def _ratios(asked: Notion) -> str:
    notion, of_lifts = _as(asked, RatioBased), _as(asked, LiftNotion)
    detail = ""
    for joint in _joints(notion):
        ratios, rows = notion.ratios(joint.n_secret), _posteriors(joint)
        lifts = np.vstack([_lifts(joint, rows), np.ones(len(rows))])  # P(y|s) / P(y), and P(y) / P(y)
        accepted = np.all(lifts[ratios.top] <= np.exp(ratios.budget)[:, None] * lifts[ratios.bottom], axis=0)
        detail = _compare("ratios", accepted, _violations(of_lifts, joint, rows))
    return detail


def _beliefs(asked: Notion) -> None:
    notion = _as(asked, LiftNotion)
    for joint in _joints(notion):
        rows = _posteriors(joint)
        lifts = _lifts(joint, rows)[:, _violations(notion, joint, rows) < -BOUNDARY_MARGIN]
        for p, after in zip(joint.p_s, joint.p_s[:, None] * lifts, strict=True):
            low, high = notion.belief(float(p))
            if (after < low - 1e-9).any() or (after > high + 1e-9).any():
                raise Fault(
                    f"belief({p:.3g}) is ({low:.4g}, {high:.4g}), but an allowed output leads to a belief between "
                    f"{after.min():.4g} and {after.max():.4g}"
                )
        with np.errstate(divide="ignore", invalid="ignore"):
            growth = np.log(lifts.max(axis=0)) - np.log(lifts.min(axis=0))
        if (growth > notion.odds_growth + BOUNDARY_MARGIN).any():
            raise Fault(f"odds_growth is {notion.odds_growth:.4g}, and the odds grow by {growth.max():.4g} nats")


def _mechanism(notion: Notion, name: str) -> None:
    if not mechanisms[name].serves(notion):
        raise NotSupported(f"needs {mechanisms[name].words}")
    for joint in _joints(notion):
        if (most := mechanisms[name].most_symbols) is not None and joint.n_public > most:
            continue
        faults = channel_faults(joint, mechanisms[name](joint, notion), notion)
        if faults:
            raise Fault("; ".join(faults))
