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
    provides,
)
from liftlib.notions.agreement import (
    BOUNDARY_MARGIN,
    N_POSTERIORS,
    disagreement,
    halfspaces_fault,
    lifts_of,
    random_posteriors,
    tangents_fault,
    violations_of,
)
from liftlib.notions.base import N
from liftlib.registry import mechanisms
from liftlib.testing.channels import channel_faults
from liftlib.testing.reports import Fault, NotSupported, Report, run_checks
from mixproof.checks import checked
from mixproof.numerics import KEEP_TOL


def example_joints() -> list[Joint]:
    """Return joints with more and fewer symbols than secrets, and one with labels and a
    zero cell.
    """
    rng = np.random.default_rng(0)
    counts = [[0, 3, 1, 4], [2, 2, 6, 1], [3, 1, 1, 2]]
    zero = Joint.from_counts(counts, secret="abc", public="stuv")
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
        A constant release must satisfy the notion. ``required_budgets`` must have the
        right shape, be minimal for an output that reveals nothing, and agree with
        ``halfspaces``, ``tangents``, ``lift_bounds``, ``ratios`` and ``belief``. Each
        mechanism that serves the notion must satisfy it.

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
        (
            "required_budgets: least where nothing is revealed",
            partial(_least_at_nothing, notion),
        ),
        ("halfspaces agree with is_satisfied", partial(_halfspaces, notion)),
        ("tangents agree with is_satisfied", partial(_tangents, notion)),
        ("lift_bounds agree with is_satisfied", partial(_lift_bounds, notion)),
        ("ratios agree with is_satisfied", partial(_ratios, notion)),
        ("belief and odds_growth bound posteriors", partial(_beliefs, notion)),
    ]
    checks += [
        (f"mechanism {name}", partial(_mechanism, notion, name)) for name in mechanisms
    ]
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
        lifts = (
            rng.dirichlet(np.ones(n_secret), (2, n_public)).swapaxes(-1, -2)
            / p_s[:, :, None]
        )
        budgets = notion.required_budgets(lifts, p_s)
        for at, budget in enumerate(budgets):
            if not hasattr(notion, budget.budget):
                raise Fault(
                    f"{budget.budget!r} is no parameter of {type(notion).__name__}: "
                    "give the name of the budget"
                )
            alone = notion.required_budgets(lifts[1], p_s[1])[at].needed
            if not np.allclose(alone, budget.needed[1], equal_nan=True):
                raise Fault(
                    f"{budget.budget}: a batch of two lift arrays gives other values "
                    "than each array alone"
                )
    return "in batches and alone"


def _least_at_nothing(asked: Notion) -> None:
    """Raise a fault if an output needs less than one that reveals nothing."""
    notion = _as(asked, LiftNotion)
    for joint in _joints(notion):
        lifts = lifts_of(joint, random_posteriors(joint))
        nothing = np.ones((joint.n_secret, 1))
        budgets = notion.required_budgets(np.hstack([nothing, lifts]), joint.p_s)
        for name, needed, *_ in budgets:
            if np.isnan(needed).any():
                raise Fault(f"{name}: `needed` is not a number for some lifts")
            # several conditions may share a budget
            least = max(other.needed[0] for other in budgets if other.budget == name)
            if (needed[1:] < least - KEEP_TOL).any():
                raise Fault(
                    f"{name}: an output needs {needed[1:].min():.4g} nats and one that "
                    f"reveals nothing {least:.4g}: is a sign flipped?"
                )


def _halfspaces(asked: Notion) -> str:
    notion = _as(asked, Polyhedral)
    return _on_joints(notion, partial(halfspaces_fault, notion))


def _tangents(asked: Notion) -> str:
    notion = _as(asked, CurvedLift)
    return _on_joints(notion, partial(tangents_fault, notion))


def _on_joints(notion: Notion, fault_on: Callable[[Joint], str]) -> str:
    """Raise the first fault on the example joint distributions."""
    for joint in _joints(notion):
        if fault := fault_on(joint):
            raise Fault(fault)
    return (
        f"{N_POSTERIORS} posteriors on each of {len(_joints(notion))} joint "
        "distributions"
    )


def _lift_bounds(asked: Notion) -> str:
    notion = _as(asked, LiftNotion)
    exact = False
    for joint in _joints(notion):
        bounds = notion.lift_bounds(joint.p_s)
        rows = random_posteriors(joint)
        lifts = lifts_of(joint, rows)
        violations = violations_of(notion, joint, rows)
        least, most = np.exp(-bounds.lower)[:, None], np.exp(bounds.upper)[:, None]
        within = ((lifts >= least * (1 - 1e-9)) & (lifts <= most * (1 + 1e-9))).all(
            axis=0
        )
        if (~within & (violations < -BOUNDARY_MARGIN)).any():
            raise Fault("an allowed output has a lift beyond the bounds")
        exact = bounds.exact
        if exact and (within & (violations > BOUNDARY_MARGIN)).any():
            raise Fault(
                "they are declared exact, but an output within them exceeds a budget"
            )
    return "exact" if exact else "implied, not exact"


def _ratios(asked: Notion) -> str:
    notion = _as(asked, RatioBased)
    of_lifts = _as(asked, LiftNotion)
    for joint in _joints(notion):
        ratios = notion.ratios(joint.n_secret)
        rows = random_posteriors(joint)
        # P(y|s) / P(y), and P(y) / P(y)
        lifts = np.vstack([lifts_of(joint, rows), np.ones(len(rows))])
        accepted = np.all(
            lifts[ratios.top] <= np.exp(ratios.budget)[:, None] * lifts[ratios.bottom],
            axis=0,
        )
        if fault := disagreement(
            "ratios", accepted, violations_of(of_lifts, joint, rows)
        ):
            raise Fault(fault)
    return f"{N_POSTERIORS} posteriors"


def _beliefs(asked: Notion) -> None:
    notion = _as(asked, LiftNotion)
    for joint in _joints(notion):
        rows = random_posteriors(joint)
        lifts = lifts_of(joint, rows)[
            :, violations_of(notion, joint, rows) < -BOUNDARY_MARGIN
        ]
        for p, after in zip(joint.p_s, joint.p_s[:, None] * lifts, strict=True):
            low, high = notion.belief(float(p))
            if (after < low - 1e-9).any() or (after > high + 1e-9).any():
                raise Fault(
                    f"belief({p:.3g}) is ({low:.4g}, {high:.4g}), but an allowed "
                    "output leads to a belief between "
                    f"{after.min():.4g} and {after.max():.4g}"
                )
        with np.errstate(divide="ignore", invalid="ignore"):
            growth = np.log(lifts.max(axis=0)) - np.log(lifts.min(axis=0))
        if (growth > notion.odds_growth + BOUNDARY_MARGIN).any():
            raise Fault(
                f"odds_growth is {notion.odds_growth:.4g}, and the odds grow by "
                f"{growth.max():.4g} nats"
            )


def _mechanism(notion: Notion, name: str) -> None:
    mechanism = mechanisms[name]
    if not mechanism.serves(notion):
        raise NotSupported(f"needs {mechanism.words}")
    most = mechanism.most_symbols
    for joint in _joints(notion):
        if most is not None and joint.n_public > most:
            continue
        faults = channel_faults(joint, mechanism(joint, notion), notion)
        if faults:
            raise Fault("; ".join(faults))
