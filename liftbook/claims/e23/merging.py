"""What E23 section 4 prints of subset merging."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from liftbook import figures
from liftbook.claims.e23.figures import HALF, MERGING, MERGING_ADULT, RELAXED, STRICT, WATCHDOG, WATCHDOG_ADULT
from liftbook.claims.e23.watchdog import watchdog_adult_eps_1, watchdog_synthetic_eps_1
from liftbook.claims.figures import ROUNDING, never_below
from liftbook.rows.merging import alip_name
from liftbook.rows.scales import E23_LAMBDAS as LAMBDAS
from liftlib.channel import Channel
from liftlib.datasets import uniform_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.lifts import lift_ratio
from liftlib.mechanisms.merging.subset import merge_labels
from liftlib.mechanisms.merging.watchdog import high_risk, watchdog
from liftlib.notions import ALIP, LDP
from liftlib.numerics import KEEP_TOL

PAIRS = ((MERGING, WATCHDOG), (MERGING_ADULT, WATCHDOG_ADULT))


def merging_synthetic_eps_1() -> float:
    return float(MERGING.curve(HALF)[1.0])


def merging_adult_eps_1() -> float:
    return float(MERGING_ADULT.curve(HALF)[1.0])


def merging_enhancement_synthetic() -> float:
    return 100 * (merging_synthetic_eps_1() / watchdog_synthetic_eps_1() - 1)


def merging_enhancement_adult() -> float:
    return 100 * (merging_adult_eps_1() / watchdog_adult_eps_1() - 1)


def _variant(**options: Literal["printed"]) -> float:
    p = uniform_joints(1000, 5, 17, np.random.default_rng(0))
    labels, _ = merge_labels(p, ALIP.split(1.0, 0.5), extend=False, **options)
    return float(figures.merged_measures(p, labels)["nmi"].mean())


def merging_with_printed_risk() -> float:
    return _variant(risk="printed")


def merging_with_printed_loop() -> float:
    return _variant(loop="printed")


def merging_keeps_alip() -> bool:
    return bool((MERGING.curve(HALF, "broken") == 0).all())


def merging_above_watchdog() -> bool:
    names = ("LDP", STRICT, HALF, RELAXED)
    return all(never_below(ours.curve(name), theirs.curve(name)) for ours, theirs in PAIRS for name in names)


def merging_strictly_above_watchdog() -> bool:
    """Whether the mean utility is above complete merging's, LDP and all lambdas, random joints and Adult."""
    names = ("LDP", STRICT, HALF, RELAXED)
    return all(
        bool((ours.curve(name) > theirs.curve(name) + ROUNDING).all()) for ours, theirs in PAIRS for name in names
    )


def merging_mean_leakage_below_synthetic() -> bool:
    return all(
        never_below(pd.Series(leakage.index * share, leakage.index), leakage, KEEP_TOL)
        for lam in LAMBDAS
        for measure, share in (("min_lift_leakage", lam), ("max_lift_leakage", 1 - lam))
        for leakage in [MERGING.curve(alip_name(lam), measure)]
    )


def merging_kept_adult() -> bool:
    return bool((MERGING_ADULT.of("broken")["mean"] == 0).all())


def merging_ldp_kept_synthetic() -> bool:
    """Whether the release keeps LDP for each of 1,000 joints at each budget."""
    return bool((MERGING.curve("LDP", "broken") == 0).all())


def merging_worst_resolution() -> bool:
    """Whether no randomisation of X_H within itself has less utility than merging it, 100 joints 5 x 17."""
    rng, notion = np.random.default_rng(0), ALIP.split(1.0, 0.5)
    for p in uniform_joints(100, 5, 17, rng):
        joint = Joint(p)
        risky = high_risk(joint, notion)
        kernel = np.eye(17)
        kernel[np.ix_(risky, risky)] = rng.dirichlet(np.full(risky.sum(), 0.3), size=risky.sum())
        merged = evaluate(joint, watchdog(joint, notion, extend=False)).mutual_information
        if evaluate(joint, Channel(kernel)).mutual_information < merged - 1e-12:
            return False
    return True


def merging_ldp_threshold_is_eps() -> bool:
    """Whether Gamma > eps marks the same symbols as eps-LDP does, one joint 5 x 17, eps 1.5."""
    joint, eps = uniform_joint(5, 17, np.random.default_rng(0)), 1.5
    return bool(((lift_ratio(joint) > eps) == high_risk(joint, LDP(eps))).all())
