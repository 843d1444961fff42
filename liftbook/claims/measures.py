"""What E23 section 6 prints about lift-based and lift-inverse measures in words."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from liftbook import figures
from liftbook.figures.e23.convexity import ENDS, PRIOR
from liftlib.channel import Channel
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import chi2_divergence, sibson, total_variation
from liftlib.measures.lifts import (
    alpha_lift,
    alpha_lift_inverse,
    chi2_lift,
    chi2_lift_inverse,
    l1_lift,
    l1_lift_inverse,
    lift,
    lift_of,
    max_lift,
    min_lift,
)
from liftlib.mechanisms.merging.subset import merge_labels, subset_merging
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.notions import ALIP, AlphaLift, Chi2Lift, L1Lift, LiftNotion
from liftlib.numerics import Matrix, Vector

ORDERS = (1.5, 2.0, 10.0, 100.0)
ROUNDING = 1 + 1e-9


@cache
def _joints() -> list[Joint]:
    """Return 200 random joints 5 x 17."""
    return [Joint(p) for p in uniform_joints(200, 5, 17, np.random.default_rng(0))]


# Definitions 5 and 6, Propositions 3 to 6 -----------------------------------------------------------------------------


def lift_based_means_are_averages() -> bool:
    return all(
        np.isclose(total_variation(joint), joint.p_x @ l1_lift(joint) / 2)
        and np.isclose(chi2_divergence(joint), joint.p_x @ chi2_lift(joint))
        and all(np.isclose(sibson(joint, a), a / (a - 1) * np.log(joint.p_x @ alpha_lift(joint, a))) for a in ORDERS)
        for joint in _joints()
    )


def proposition_3_alpha() -> bool:
    return all((alpha_lift(joint, a) <= max_lift(joint) * ROUNDING).all() for joint in _joints() for a in ORDERS)


def proposition_5_alpha() -> bool:
    return all(
        (alpha_lift_inverse(joint, a) <= ROUNDING / min_lift(joint)).all() for joint in _joints() for a in ORDERS
    )


def proposition_4() -> bool:
    for joint in _joints():
        values = lift(joint)
        s, x = np.unravel_index(values.argmax(), values.shape)
        p, high = joint.p_s[s], values[s, x] / ROUNDING
        bounds = [l1_lift(joint).max() / p + 1, np.sqrt(chi2_lift(joint).max() / p) + 1]
        bounds += [alpha_lift(joint, a).max() / p ** (1 / a) for a in ORDERS]
        if not (high <= np.array(bounds)).all():
            return False
    return True


def proposition_6() -> bool:
    for joint in _joints():
        values = lift(joint)
        s, x = np.unravel_index(values.argmin(), values.shape)
        p, low, root = joint.p_s[s], values[s, x] * ROUNDING, np.sqrt(joint.p_s[s])
        bounds = [p / (l1_lift_inverse(joint).max() + p), root / (np.sqrt(chi2_lift_inverse(joint).max()) + root)]
        bounds += [p ** (1 / a) / alpha_lift_inverse(joint, a).max() for a in ORDERS]
        if not (low >= np.array(bounds)).all():
            return False
    return True


# What lift-based bounds do to the min-lift ----------------------------------------------------------------------------


def l1_bound_never_protects_min_lift() -> bool:
    """Whether an output may rule out a secret of probability 0.3 at eps_u = 0.25, the others' lifts equal."""
    joint = Joint([[0.0, 0.3], [0.35, 0.35]])
    return L1Lift(np.inf, 0.25).is_kept(joint, Channel.identity(2))


def lift_based_alone_leaks_min_lift() -> bool:
    """Whether dropping the inverse bound at least doubles the mean min-lift leakage of subset merging, eps_u = 1/2."""
    p = np.stack([joint.p for joint in _joints()])
    for kind in (L1Lift, Chi2Lift, lambda low, high: AlphaLift(2, low, high)):
        both, alone = (
            figures.merged_measures(p, merge_labels(p, kind(eps_l, 0.5))[0])["min_lift_leakage"].mean()
            for eps_l in (0.5, np.inf)
        )
        if alone < 2 * both:
            return False
    return True


# Relaxations of ALIP --------------------------------------------------------------------------------------------------


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
        for joint in _joints()
    )


def lift_inverse_is_the_strict_side() -> bool:
    """Whether at lambda 0.65 and eps 0.25 to 0.75 more symbols break only the inverse bound than only the other."""
    p = np.stack([joint.p for joint in _joints()])
    lifts, p_s = lift_of(p), p.sum(axis=-1)
    for eps in (0.25, 0.5, 0.75):
        for notion in (L1Lift(0.65 * eps, 0.35 * eps), Chi2Lift(0.65 * eps, 0.35 * eps)):
            low, high = notion.budgets_of(*notion.measures(lifts, p_s))
            by_low, by_high = low > notion.eps_l, high > notion.eps_u
            if (by_low & ~by_high).sum() <= (by_high & ~by_low).sum():
                return False
    return True


# Section 6.2: convexity and the optimum -------------------------------------------------------------------------------


def _mixture_exceeds(name: str) -> bool:
    """Whether a mixture of two outputs near those of the chapter's figure exceeds both, over 10,000 pairs."""
    rng, p_s = np.random.default_rng(0), np.array(PRIOR)
    one, two = (rng.dirichlet(100 * np.array(end), size=10_000).T for end in ENDS)
    share = rng.random(10_000)
    columns: list[Matrix] = [one, two, share * one + (1 - share) * two]
    values: list[Vector] = [figures.lift_measures(2)[name](v / p_s[:, None], p_s) for v in columns]
    return bool((values[2] > np.maximum(values[0], values[1]) * ROUNDING).any())


def l1_and_chi2_inverse_are_not_convex() -> bool:
    return _mixture_exceeds("l1_lift_inverse") and _mixture_exceeds("chi2_lift_inverse")


def alpha_inverse_is_not_convex() -> bool:
    return _mixture_exceeds("alpha_lift_inverse")


@cache
def _l1_utilities() -> pd.DataFrame:
    """Return NMI of the optimum and of subset merging under an l1-lift bound, 20 joints 4 x 8, three budgets."""
    rows = []
    for p in uniform_joints(20, 4, 8, np.random.default_rng(0)):
        joint = Joint(p)
        for eps_u in (0.1, 0.25, 0.5):
            notion = L1Lift(np.inf, eps_u)
            best, merged = optimal_response(joint, notion), subset_merging(joint, notion)
            kept = notion.is_kept(joint, best)
            rows.append([eps_u, kept, evaluate(joint, best).nmi, evaluate(joint, merged).nmi])
    return pd.DataFrame(rows, columns=["eps_u", "kept", "optimum", "merging"])


def orr_does_not_apply_to_l1_lift() -> bool:
    found = _l1_utilities()
    return not (found["kept"].all() and (found["optimum"] >= found["merging"] - 1e-9).all())


def merging_share_of_l1_optimum() -> float:
    means = _l1_utilities().groupby("eps_u")[["optimum", "merging"]].mean()
    return float((means["merging"] / means["optimum"]).mean())
