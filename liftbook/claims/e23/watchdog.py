"""What E23 section 3 prints of the watchdog, and of the Adult table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from liftbook.claims.e23.figures import HALF, RELAXED, STRICT, WATCHDOG
from liftbook.claims.figures import Figure, above_one, never_below, on_adult
from liftbook.claims.samples import drawn, occupations
from liftlib.mechanisms.merging.watchdog import high_risk
from liftlib.notions import ALIP, LDP

LEAKAGES = ("min_lift_leakage", "max_lift_leakage")


def watchdog_synthetic(eps: str, seed: int) -> float:
    return float(WATCHDOG.at(seed).curve(HALF)[float(eps)])


def watchdog_adult_eps_1(without: str) -> float:
    return float(on_adult("e23_3", without).curve(HALF)[1.0])


def watchdog_adult_eps_2(without: str) -> float:
    return float(on_adult("e23_3", without).curve(HALF)[2.0])


def adult_relationships(without: str) -> float:
    return float(occupations(without).n_secret)


def adult_has_fifteen_occupations(without: str) -> float:
    return float(occupations(without).n_public)


def adult_has_full_support(without: str) -> bool:
    return bool((occupations(without).p > 0).all())


def _below_ldp(figure: Figure, measure: str = "nmi") -> bool:
    ldp = figure.curve("LDP", measure)
    return all(never_below(ldp, figure.curve(name, measure)) for name in (STRICT, HALF, RELAXED))


def ldp_above_alip_synthetic(seed: int) -> bool:
    return _below_ldp(WATCHDOG.at(seed))


def ldp_above_alip_adult(without: str) -> bool:
    return _below_ldp(on_adult("e23_3", without))


def ldp_leaks_more_synthetic(seed: int) -> bool:
    return all(_below_ldp(WATCHDOG.at(seed), measure) for measure in LEAKAGES)


def ldp_leaks_more_adult(without: str) -> bool:
    return all(_below_ldp(on_adult("e23_3", without), measure) for measure in LEAKAGES)


def _gain(figure: Figure, upper: str = RELAXED, lower: str = HALF) -> pd.Series[float]:
    return figure.curve(upper) - figure.curve(lower)


def relaxation_gains_watchdog_synthetic(seed: int) -> bool:
    return above_one(_gain(WATCHDOG.at(seed)))


def relaxation_gains_watchdog_adult(without: str) -> bool:
    return above_one(_gain(on_adult("e23_3", without)))


def relaxation_behind_on_adult(without: str) -> float:
    """Return at how many budgets above 1 lambda 0.65 is behind 1/2."""
    gain = _gain(on_adult("e23_3", without))
    return float((gain[gain.index > 1] < 0).sum())


def strictness_loses_watchdog_synthetic(seed: int) -> bool:
    return never_below(WATCHDOG.at(seed).curve(HALF), WATCHDOG.at(seed).curve(STRICT))


def strictness_loses_watchdog_adult(without: str) -> bool:
    return never_below(on_adult("e23_3", without).curve(HALF), on_adult("e23_3", without).curve(STRICT))


def strictness_ahead_on_adult(without: str) -> float:
    """Return by how much lambda 0.35 is ahead of 1/2, the most over the budgets, NMI."""
    return float(_gain(on_adult("e23_3", without), STRICT, HALF).max())


def watchdog_keeps_alip(seed: int) -> bool:
    return bool((WATCHDOG.at(seed).curve(HALF, "broken") == 0).all())


def watchdog_broken_at_8(seed: int) -> float:
    return float(WATCHDOG.at(seed).curve(HALF, "broken")[8.0])


def high_risk_set_is_smaller_under_ldp(seed: int) -> bool:
    """Whether the high-risk set under LDP lies within that under ALIP, and the utility is no less: 200 joints."""
    rng = np.random.default_rng(seed)
    for joint in drawn(200, 5, 17, seed):
        eps, lam = rng.uniform(0, 6), rng.uniform()
        ldp, alip = high_risk(joint, LDP(eps)), high_risk(joint, ALIP.split(eps, lam))
        if (ldp & ~alip).any():
            return False
    return True


def merged_set_leaks_least(seed: int) -> bool:
    """Whether no randomisation of the high-risk set has less Gamma than merging it: 100 joints, 20 kernels each."""
    rng = np.random.default_rng(seed)
    for joint in drawn(100, 5, 17, seed):
        mass = joint.x_given_s[:, high_risk(joint, LDP(1.0))]
        whole = mass.sum(axis=1)
        for _ in range(20):
            released = mass @ rng.dirichlet(np.full(4, 0.5), size=mass.shape[1])
            if (released.max(axis=0) / released.min(axis=0)).max() < whole.max() / whole.min() - 1e-12:
                return False
    return True
