"""Claims of E23 section 4 about subset merging, and published numbers on Adult."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import lru_cache

import numpy as np
import pandas as pd

from liftbook.claims.curves import MEAN_TOL, Figure, figure, never_below, on_adult
from liftbook.claims.samples import Size, drawn, occupations, on_each, utility
from liftbook.figures.e23.merging import algorithm_1_readings, merged_nmi
from liftbook.rows.making import E23_LAMBDAS as LAMBDAS
from liftbook.rows.tradeoffs import alip_name
from liftlib.channel import Channel
from liftlib.datasets import uniform_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.lifts import lift_ratio
from liftlib.merging.risk import high_risk
from liftlib.merging.watchdog import watchdog
from liftlib.notions import ALIP, LDP
from liftlib.response.optimal import optimal_response
from mixproof.numerics import KEEP_TOL

SERIES = ("LDP", *map(alip_name, LAMBDAS))
WATCHDOG, MERGING = figure("e23_2"), figure("e23_6")


@lru_cache(maxsize=8)
def _readings(
    seed: int, size: Size = (1000, 5, 17)
) -> dict[tuple[str, str, bool], dict[Hashable, float]]:
    rows = algorithm_1_readings(*size, rng=seed).to_dict("records")
    return {(row["risk"], row["loop"], row["repaired"]): row for row in rows}


def merging_synthetic_eps_1(risk: str, seed: int) -> float:
    return _readings(seed)[risk, "C22's", False]["random"]


def merging_with_printed_loop(
    risk: str, seed: int, size: Size = (1000, 5, 17), eps: float = 1.0
) -> float:
    p = uniform_joints(*size, np.random.default_rng(seed))
    return merged_nmi(p, ALIP.split(eps, 0.5), risk, "printed", extend=False)


def merging_repaired_eps_1(seed: int) -> float:
    return _readings(seed)["Λ + 1/Ψ", "C22's", True]["random"]


def merging_gain_synthetic(risk: str, seed: int) -> float:
    return _readings(seed)[risk, "C22's", False]["gain_random"]


def merging_gain_adult_from_prints() -> float:
    """Return the gain of the published 0.73 over the published 0.28, in per cent."""
    return 100 * (0.73 / 0.28 - 1)


def merging_broken_points_adult(without: str) -> float:
    """Return the number of Fig. 7's 128 points where Algorithm 1 violates
    its notion.
    """
    return float((on_adult("e23_7", without).of("broken")["mean"] > 0).sum())


def _pairs(seed: int) -> Iterator[tuple[Figure, Figure]]:
    yield MERGING.at(seed), WATCHDOG.at(seed)
    yield on_adult("e23_7", "Other-relative"), on_adult("e23_3", "Other-relative")


def merging_above_watchdog(strictly: str, seed: int) -> bool:
    """Whether subset merging has at least the watchdog's mean NMI ("strictly": more).

    For LDP and all lambdas, on random joints and on Adult.
    """
    for ours, theirs in _pairs(seed):
        for name in SERIES:
            upper, lower = ours.curve(name), theirs.curve(name)
            holds = (
                (upper > lower + MEAN_TOL).all()
                if strictly == "strictly"
                else never_below(upper, lower)
            )
            if not holds:
                return False
    return True


def merging_mean_leakage_below_synthetic(seed: int) -> bool:
    return all(
        never_below(pd.Series(leakage.index * share, leakage.index), leakage, KEEP_TOL)
        for lam in LAMBDAS
        for measure, share in (("min_lift_leakage", lam), ("max_lift_leakage", 1 - lam))
        for leakage in [MERGING.at(seed).curve(alip_name(lam), measure)]
    )


@on_each(drawn, 100, 5, 17)
def merging_worst_resolution(
    joint: Joint, *, rng: np.random.Generator, eps: float = 1.0
) -> bool:
    """Whether no randomisation within X_H has less utility than merging X_H.

    On 100 joints 5 x 17, one random kernel each, and one that hardly depends on the
    symbol.
    """
    notion = ALIP.split(eps, 0.5)
    risky = high_risk(joint, notion)
    within = rng.dirichlet(np.full(risky.sum(), 0.3), size=risky.sum())
    merged = utility(joint, watchdog(joint, notion, extend=False))
    for close in (0.0, 0.99):
        kernel = np.eye(17)
        kernel[np.ix_(risky, risky)] = close / risky.sum() + (1 - close) * within
        if utility(joint, Channel(kernel)) < merged - 1e-12:
            return False
    return True


def merging_ldp_threshold(
    reading: str, size: Size = (1, 5, 17), eps: float = 1.5
) -> bool:
    """Whether Gamma > eps, or Gamma > e^eps, marks the same symbols as eps-LDP."""
    joint = uniform_joint(*size[1:], np.random.default_rng(0))
    bound = eps if reading == "eps" else np.exp(eps)
    return bool(((lift_ratio(joint) > bound) == high_risk(joint, LDP(eps))).all())


@on_each(drawn, 200, 5, 17)
def refinement_never_loses(joint: Joint, *, rng: np.random.Generator) -> bool:
    """Whether merging groups of a random partition never raises utility."""
    fine = rng.integers(0, 8, 17)
    coarse = rng.integers(0, 3, 8)[fine]
    kept = []
    for labels in (fine, coarse):
        groups = [np.flatnonzero(labels == g).tolist() for g in np.unique(labels)]
        kept.append(utility(joint, Channel.merge(groups, 17)))
    return kept[0] >= kept[1] - 1e-12


LIP_RISK = "max{log Λ, |log Ψ|}"
"""The risk that E23 section 4.1 states for LIP."""


def adult_number(which: str) -> float:
    """Return a number on Adult at lambda 1/2, with five of its relationships; "merging
    1, Husband+Wife".

    The mechanism is "watchdog", "AORR", "merging" or "gain" (of merging over the
    watchdog, per cent), and the budget follows. Merging orders symbols by the risk for
    LIP, or by another: "merging 1 by Λ + Ψ, Husband".
    """
    what, way = which.split(", ")
    what, _, risk = what.partition(" by ")
    mechanism, budget = what.split(" ")
    joint, notion = occupations(way), ALIP.split(float(budget), 0.5)
    if mechanism == "AORR":
        return evaluate(joint, optimal_response(joint, notion)).nmi
    complete = evaluate(joint, watchdog(joint, notion, extend=False)).nmi
    if mechanism == "watchdog":
        return complete
    merged = merged_nmi(
        joint.p[None], notion, risk or LIP_RISK, "standard", extend=False
    )
    return merged if mechanism == "merging" else 100 * (merged / complete - 1)
