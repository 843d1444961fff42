"""Claims of E23 section 6.2 about convexity and lift-based notions."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from liftbook.claims.judging import long
from liftbook.claims.samples import drawn
from liftbook.figures.e23.mixtures import convexity_of_bounds
from liftlib.measures.evaluation import evaluate
from liftlib.merging.subset_merging import subset_merging
from liftlib.notions import Chi2Lift, L1Lift
from liftlib.response.optimal import optimal_response

BEYOND_ROUNDING = 1e-7
"""Smallest violation, in nats, that is not rounding."""


@lru_cache(maxsize=2)
def _excess(seed: int) -> dict[str, list[float]]:
    """Return the violations at three budgets by measure and side, "l1, two-sided"."""
    rows = convexity_of_bounds(n_priors=10, pairs=300, rng=seed)
    return {
        f"{measure}, {side}": part["excess"].tolist() for (measure, side), part in rows.groupby(["measure", "side"])
    }


@long
def set_is_not_convex(which: str, seed: int) -> bool:
    """Whether a mixture of two allowed outputs exceeds the bound at any of 3 budgets."""
    return any(violation > BEYOND_ROUNDING for violation in _excess(seed)[which])


def excess_of_a_mixture(which: str, seed: int) -> float:
    """Return the largest violation by a mixture of allowed outputs, 3 budgets, nats."""
    return max(_excess(seed)[which])


def orr_does_not_apply_to_l1_lift(seed: int) -> bool:
    """Whether the optimal response fails under one-sided l1-lift on any of 20 joints.

    It fails if it exceeds the bound or has less utility than subset merging.
    """
    for joint in drawn(20, 4, 8, seed):
        notion = L1Lift(np.inf, 0.25)
        best, merged = optimal_response(joint, notion), subset_merging(joint, notion)
        if not notion.is_satisfied(joint, best) or evaluate(joint, best).nmi < evaluate(joint, merged).nmi - 1e-9:
            return True
    return False


@lru_cache(maxsize=64)
def _shares(measure: str, eps_u: float, seed: int) -> float:
    """Return subset merging's mean share of the one-sided optimum, on 20 joints."""
    notion = {"l1": L1Lift, "chi2": Chi2Lift}[measure](np.inf, eps_u)
    shares = [
        evaluate(joint, subset_merging(joint, notion)).mutual_information
        / evaluate(joint, optimal_response(joint, notion)).mutual_information
        for joint in drawn(20, 5, 10, seed)
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
