"""What E23 section 6 prints of lift-based notions: Figs 11-13, and how they relax ALIP."""

from __future__ import annotations

import numpy as np

from liftbook import figures
from liftbook.claims.e23.figures import ALPHA_LIFT, HALF, LIFT_BASED, LIFT_BASED_ADULT
from liftbook.claims.figures import ROUNDING, Figure, above_one, never_below
from liftbook.claims.samples import drawn
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.lifts import lift_of
from liftlib.mechanisms.merging.subset import merge_labels, subset_merging
from liftlib.notions import ALIP, AlphaLift, Chi2Lift, L1Lift, LiftNotion


def _above_alip(figure: Figure) -> bool:
    return all(never_below(figure.curve(f"{name}, λ=0.5"), figure.curve(HALF)) for name in ("ℓ1", "χ²"))


def lift_based_above_alip_synthetic() -> bool:
    return _above_alip(LIFT_BASED)


def lift_based_above_alip_adult() -> bool:
    return _above_alip(LIFT_BASED_ADULT)


def _gains(figure: Figure) -> bool:
    """Whether lambda 0.65 gains over 1/2 at budgets above 1."""
    return all(above_one(figure.curve(f"{name}, λ=0.65") - figure.curve(f"{name}, λ=0.5")) for name in ("ℓ1", "χ²"))


def _loses(figure: Figure) -> bool:
    """Whether lambda 0.65 loses against 1/2 at budgets below 1."""
    outcome = []
    for name in ("ℓ1", "χ²"):
        loss = figure.curve(f"{name}, λ=0.5") - figure.curve(f"{name}, λ=0.65")
        outcome.append(bool((loss[loss.index < 1] >= -ROUNDING).all()))
    return all(outcome)


def lift_based_relaxation_gains_synthetic() -> bool:
    return _gains(LIFT_BASED)


def lift_based_relaxation_loses_synthetic() -> bool:
    return _loses(LIFT_BASED)


def lift_based_relaxation_gains_adult() -> bool:
    return _gains(LIFT_BASED_ADULT)


def lift_based_relaxation_loses_adult() -> bool:
    return _loses(LIFT_BASED_ADULT)


def alpha_2_is_highest() -> bool:
    best = ALPHA_LIFT.curve("α=2")
    return all(never_below(best, ALPHA_LIFT.curve(name)) for name in ("ALIP", "α=10", "α=100"))


def alpha_grows_towards_alip() -> bool:
    alip = ALPHA_LIFT.curve("ALIP")
    gaps = [float((ALPHA_LIFT.curve(f"α={alpha}") - alip).abs().mean()) for alpha in (2, 10, 100)]
    return gaps[0] > gaps[1] > gaps[2]


def l1_bound_never_protects_min_lift() -> bool:
    """Whether an output may rule out a secret of probability 0.3 at eps_u = 0.25, the others' lifts equal."""
    joint = Joint([[0.0, 0.3], [0.35, 0.35]])
    return L1Lift(np.inf, 0.25).is_kept(joint, Channel.identity(2))


def lift_based_alone_leaks_min_lift() -> bool:
    """Whether dropping the inverse bound at least doubles the mean min-lift leakage of subset merging, eps_u = 1/2."""
    p = np.stack([joint.p for joint in drawn(200, 5, 17)])
    for kind in (L1Lift, Chi2Lift, lambda low, high: AlphaLift(2, low, high)):
        both, alone = (
            figures.merged_measures(p, merge_labels(p, kind(eps_l, 0.5))[0])["min_lift_leakage"].mean()
            for eps_l in (0.5, np.inf)
        )
        if alone < 2 * both:
            return False
    return True


def _relaxes(notion: LiftNotion, alip: ALIP) -> bool:
    """Whether the notion allows the column with only the two extreme lifts that ALIP allows."""
    a, b = np.exp(-alip.eps_l), np.exp(alip.eps_u)
    p_s = np.array([1 - a, b - 1]) / (b - a)
    return bool(notion.kept_columns(np.array([[b], [a]]), p_s)[0])


def _all_relax(lam: float) -> bool:
    return all(
        _relaxes(notion, alip)
        for alip in (ALIP.split(eps, lam) for eps in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0))
        for notion in (L1Lift(alip.eps_l, alip.eps_u), Chi2Lift(alip.eps_l, alip.eps_u))
    )


def lift_based_relax_alip_at_half() -> bool:
    return _all_relax(0.5)


def lift_based_relax_alip_at_065() -> bool:
    return _all_relax(0.65)


def alpha_lift_at_infinity_is_alip() -> bool:
    alip, alpha = ALIP(0.8, 0.5), AlphaLift(np.inf, 0.8, 0.5)
    return all(
        np.allclose(alip.leakage(joint, Channel.identity(17)), alpha.leakage(joint, Channel.identity(17)))
        and subset_merging(joint, alip).partition == subset_merging(joint, alpha).partition
        for joint in drawn(200, 5, 17)
    )


def lift_inverse_is_the_strict_side() -> bool:
    """Whether at lambda 0.65 and eps 0.25 to 0.75 more symbols break only the inverse bound than only the other."""
    p = np.stack([joint.p for joint in drawn(200, 5, 17)])
    lifts, p_s = lift_of(p), p.sum(axis=-1)
    for eps in (0.25, 0.5, 0.75):
        for notion in (L1Lift(0.65 * eps, 0.35 * eps), Chi2Lift(0.65 * eps, 0.35 * eps)):
            broken = {need.budget: need.needed > need.allowed for need in notion.needs(lifts, p_s)}
            by_low, by_high = broken["eps_l"], broken["eps_u"]
            if (by_low & ~by_high).sum() <= (by_high & ~by_low).sum():
                return False
    return True
