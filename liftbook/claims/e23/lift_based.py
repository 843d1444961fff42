"""Claims of E23 section 6 about lift-based notions and convexity."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from liftbook import figures
from liftbook.claims.curves import figure
from liftbook.claims.judging import long
from liftbook.claims.samples import Size, drawn, on_each
from liftbook.figures.e23.convexity import convexity_of_bounds
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.lifts import lift_of
from liftlib.merging.subset_merging import merged_subsets, subset_merging
from liftlib.notions import ALIP, AlphaLift, Chi2Lift, L1Lift, LiftNotion
from liftlib.response.optimal import optimal_response

FIGURE_13 = figure("e23_13")


def alpha_grows_towards_alip(seed: int) -> bool:
    rows = FIGURE_13.at(seed)
    alip = rows.curve("ALIP")
    gaps = [
        float((rows.curve(f"α={alpha}") - alip).abs().mean()) for alpha in (2, 10, 100)
    ]
    return gaps[0] > gaps[1] > gaps[2]


RULED_OUT = Joint([[0.0, 0.3], [0.35, 0.35]])


def max_lift_alone_is_restricted(eps_u: str) -> bool:
    """Whether l1-lift allows an output that rules out a secret of probability 0.3."""
    return L1Lift(np.inf, float(eps_u)).is_satisfied(RULED_OUT, Channel.identity(2))


def lift_based_alone_leaks_min_lift(
    seed: int, size: Size = (200, 5, 17), eps: float = 0.5
) -> bool:
    """Whether the mean min-lift leakage at least doubles without the inverse bound."""
    p = np.stack([joint.p for joint in drawn(*size, seed)])
    for kind in (L1Lift, Chi2Lift, lambda low, high: AlphaLift(2, low, high)):
        two_sided, alone = (
            figures.merged_measures(p, merged_subsets(p, kind(eps_l, eps)))[
                "min_lift_leakage"
            ].mean()
            for eps_l in (eps, np.inf)
        )
        if alone < 2 * two_sided:
            return False
    return True


def _relaxes(notion: LiftNotion, alip: ALIP) -> bool:
    """Return whether the notion allows the two extreme lifts under ALIP."""
    a, b = np.exp(-alip.eps_l), np.exp(alip.eps_u)
    p_s = np.array([1 - a, b - 1]) / (b - a)
    return bool(notion.kept_columns(np.array([[b], [a]]), p_s)[0])


def lift_based_relax_alip(
    lam: str, epsilons: Sequence[float] = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
) -> bool:
    """Whether l1- and chi2-privacy allow the extreme lifts under ALIP, at
    six budgets.
    """
    return all(
        _relaxes(notion, alip)
        for alip in (ALIP.split(eps, float(lam)) for eps in epsilons)
        for notion in (L1Lift(alip.eps_l, alip.eps_u), Chi2Lift(alip.eps_l, alip.eps_u))
    )


@on_each(drawn, 50, 5, 17)
def alpha_lift_at_infinity_is_alip(joint: Joint) -> bool:
    alip, alpha = ALIP(0.8, 0.5), AlphaLift(np.inf, 0.8, 0.5)
    same = (
        subset_merging(joint, alip).partition == subset_merging(joint, alpha).partition
    )
    return same and np.allclose(alip.leakage(joint), alpha.leakage(joint))


def strict_side_at_065(
    side: str,
    seed: int,
    size: Size = (200, 5, 17),
    epsilons: Sequence[float] = (0.25, 0.5, 0.75),
) -> bool:
    """Whether more symbols violate only this side's bound than only the other's.

    At lambda 0.65 and eps 0.25 to 0.75.
    """
    p = np.stack([joint.p for joint in drawn(*size, seed)])
    lifts, p_s = lift_of(p), p.sum(axis=-1)
    for eps in epsilons:
        for notion in (
            L1Lift(0.65 * eps, 0.35 * eps),
            Chi2Lift(0.65 * eps, 0.35 * eps),
        ):
            broken = {
                need.budget: need.needed > need.allowed
                for need in notion.required_budgets(lifts, p_s)
            }
            low, high = broken["eps_l"], broken["eps_u"]
            mine, other = (low, high) if side == "inverse" else (high, low)
            if (mine & ~other).sum() <= (other & ~mine).sum():
                return False
    return True


BEYOND_ROUNDING = 1e-7
"""Smallest violation, in nats, that is not rounding."""


@lru_cache(maxsize=2)
def _excess(
    seed: int,
    epsilons: Sequence[float] = (0.25, 1.0, 2.0),
    priors: int = 10,
    pairs_each: int = 300,
) -> dict[str, list[float]]:
    """Return the violations at three budgets by measure and side, "l1, two-sided"."""
    rows = convexity_of_bounds(epsilons, n_priors=priors, pairs=pairs_each, rng=seed)
    return {
        f"{measure}, {side}": part["excess"].tolist()
        for (measure, side), part in rows.groupby(["measure", "side"])
    }


@long
def set_is_not_convex(which: str, seed: int) -> bool:
    """Whether a mixture of two allowed outputs exceeds the bound at any of
    3 budgets.
    """
    return any(violation > BEYOND_ROUNDING for violation in _excess(seed)[which])


def excess_of_a_mixture(which: str, seed: int) -> float:
    """Return the largest violation by a mixture of allowed outputs, 3 budgets, nats."""
    return max(_excess(seed)[which])


def orr_does_not_apply_to_l1_lift(
    seed: int, size: Size = (20, 4, 8), eps: float = 0.25
) -> bool:
    """Whether the optimal response fails under one-sided l1-lift on any of 20 joints.

    It fails if it exceeds the bound or has less utility than subset merging.
    """
    for joint in drawn(*size, seed):
        notion = L1Lift(np.inf, eps)
        best, merged = optimal_response(joint, notion), subset_merging(joint, notion)
        if (
            not notion.is_satisfied(joint, best)
            or evaluate(joint, best).nmi < evaluate(joint, merged).nmi - 1e-9
        ):
            return True
    return False


@lru_cache(maxsize=64)
def _shares(measure: str, eps_u: float, seed: int, size: Size = (20, 5, 10)) -> float:
    """Return subset merging's mean share of the one-sided optimum, on 20 joints."""
    notion = {"l1": L1Lift, "chi2": Chi2Lift}[measure](np.inf, eps_u)
    shares = [
        evaluate(joint, subset_merging(joint, notion)).mutual_information
        / evaluate(joint, optimal_response(joint, notion)).mutual_information
        for joint in drawn(*size, seed)
    ]
    return float(np.mean(shares))


@long
def merging_share_of_the_optimum(which: str, seed: int) -> float:
    """Return subset merging's mean share of the one-sided optimum; "l1, 0.5"."""
    measure, eps_u = which.split(", ")
    return _shares(measure, float(eps_u), seed)


@long
def merging_is_comparable(which: str, seed: int) -> bool:
    """Whether subset merging averages at least 90 % of the one-sided optimum.

    ``which`` gives the measure and the budget, such as "l1, 0.5".
    """
    return merging_share_of_the_optimum(which, seed) >= 0.9
