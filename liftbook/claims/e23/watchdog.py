"""What E23 section 3 prints of the watchdog, and of the Adult table."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from liftbook.claims.e23.figures import HALF, RELAXED, STRICT, WATCHDOG
from liftbook.claims.figures import MEAN_TOL, Figure, above_one, never_below, on_adult
from liftbook.claims.samples import drawn, occupations
from liftbook.rows.batch import Batch
from liftbook.rows.merging import alip_name
from liftbook.rows.scales import E23_EPSILONS
from liftlib.datasets import uniform_joints
from liftlib.measures.evaluation import evaluate
from liftlib.measures.lifts import lift
from liftlib.merging.risk import high_risk
from liftlib.merging.watchdog import watchdog
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


def adult_lifts_are_finite(without: str) -> bool:
    """Whether P_S and P_X have full support and every lift is finite."""
    joint = occupations(without)
    return bool((joint.p_s > 0).all() and (joint.p_x > 0).all() and np.isfinite(lift(joint)).all())


def adult_zero_cells(without: str) -> float:
    return float((occupations(without).p == 0).sum())


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


def relaxation_gains_watchdog_on_average(without: str) -> bool:
    """Whether lambda 0.65 gains over 1/2 in the mean over the budgets above 1."""
    gain = _gain(on_adult("e23_3", without))
    return bool(gain[gain.index > 1].mean() > 0)


def relaxation_behind_on_adult(without: str) -> float:
    """Return at how many budgets above 1 lambda 0.65 is behind 1/2."""
    gain = _gain(on_adult("e23_3", without))
    return float((gain[gain.index > 1] < 0).sum())


def strictness_loses_watchdog_synthetic(seed: int) -> bool:
    return never_below(WATCHDOG.at(seed).curve(HALF), WATCHDOG.at(seed).curve(STRICT))


def strictness_loses_watchdog_adult(without: str) -> bool:
    return never_below(on_adult("e23_3", without).curve(HALF), on_adult("e23_3", without).curve(STRICT))


def strictness_loses_watchdog_on_average(without: str) -> bool:
    """Whether lambda 0.35 loses against 1/2 in the mean over the budgets."""
    return bool(_gain(on_adult("e23_3", without), STRICT, HALF).mean() < 0)


def strictness_ahead_on_adult(without: str) -> float:
    """Return by how much lambda 0.35 is ahead of 1/2, the most over the budgets, NMI."""
    return float(_gain(on_adult("e23_3", without), STRICT, HALF).max())


def strictness_ahead_at_budgets(without: str) -> float:
    """Return at how many of the 32 budgets lambda 0.35 is ahead of 1/2."""
    return float((_gain(on_adult("e23_3", without), STRICT, HALF) > MEAN_TOL).sum())


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
    """Whether no randomisation of the high-risk set has less Gamma than merging it: 100 joints, 20 kernels each.

    Every other kernel is close to one that does not depend on the symbol, and so close to merging.
    """
    rng = np.random.default_rng(seed)
    for joint in drawn(100, 5, 17, seed):
        mass = joint.x_given_s[:, high_risk(joint, LDP(1.0))]
        whole = mass.sum(axis=1)
        for at in range(20):
            close = 0.999 * (at % 2)
            released = mass @ (close / 4 + (1 - close) * rng.dirichlet(np.full(4, 0.5), size=mass.shape[1]))
            if (released.max(axis=0) / released.min(axis=0)).max() < whole.max() / whole.min() - 1e-12:
                return False
    return True


def utility_by_equation_11(seed: int) -> bool:
    """Whether I(X;Y) of complete merging is that of eq. (11): 100 uniform random joints 5 x 17, eps 1.5."""
    for joint in drawn(100, 5, 17, seed):
        notion = ALIP.split(1.5, 0.5)
        p = joint.p_x[high_risk(joint, notion)]
        found = evaluate(joint, watchdog(joint, notion, extend=False))
        if abs(found.mutual_information - (found.entropy - (p * np.log(p.sum() / p)).sum())) > 1e-12:
            return False
    return True


def larger_set_has_less_utility(which: str, seed: int) -> bool:
    """Whether one more high-risk symbol costs utility: joining a "set", or alone in an "empty" one."""
    for joint in drawn(100, 5, 17, seed):
        sizes = range(2, 17) if which == "set" else (1,)
        losses = [(p * np.log(p.sum() / p)).sum() for p in (joint.p_x[:n] for n in (*sizes, max(sizes) + 1))]
        if which == "empty":
            losses = [0.0, losses[0]]
        if any(later <= earlier + 1e-12 for earlier, later in pairwise(losses)):
            return False
    return True


def smaller_set_leaks_more(measure: str, seed: int) -> bool:
    """Whether the watchdog leaks at least as much under LDP, whose high-risk set is the smaller: 200 joints 5 x 17."""
    rng = np.random.default_rng(seed)
    for joint in drawn(200, 5, 17, seed):
        eps, lam = rng.uniform(0, 6), rng.uniform()
        ldp, alip = (
            getattr(evaluate(joint, watchdog(joint, notion, extend=False)), measure)
            for notion in (LDP(eps), ALIP.split(eps, lam))
        )
        if ldp < alip - 1e-9:
            return False
    return True


def ldp_misses_alip(seed: int) -> bool:
    """Whether the watchdog under LDP breaks ALIP of the same budget for some of 200 joints 5 x 17, eps 2."""
    alip = ALIP.split(2.0, 0.5)
    return not all(
        alip.is_satisfied(joint, watchdog(joint, LDP(2.0), extend=False)) for joint in drawn(200, 5, 17, seed)
    )


SHARES = Figure("e23_2", 1000, (0.5, 1.0, 2.0, 4.0, 8.0), (0.1, 0.2, 0.3, 0.4, 0.5))


def smaller_lambda_loses(reading: str, seed: int) -> bool:
    """Whether lambda 0.1 to 0.4 has no more utility than 1/2, at each of five budgets or in the mean over them."""
    figure = SHARES.at(seed)
    half = figure.curve(alip_name(0.5))
    gaps = [half - figure.curve(alip_name(lam)) for lam in (0.1, 0.2, 0.3, 0.4)]
    return all(gap.mean() >= 0 if reading == "mean" else never_below(gap, 0 * gap) for gap in gaps)


def strict_min_lift_enlarges_high_risk_set(seed: int) -> bool:
    """Whether lambda 0.35 has more symbols of high risk than 1/2, means of 1,000 joints at each budget up to 8."""
    batch = Batch(uniform_joints(1000, 5, 17, np.random.default_rng(seed)))
    return all(
        batch.high_risk(ALIP.split(eps, 0.35)).mean() >= batch.high_risk(ALIP.split(eps, 0.5)).mean()
        for eps in E23_EPSILONS
    )


def fig2_largest_mean_leakage(side: str, seed: int) -> float:
    """Return the largest mean min-lift or max-lift leakage of Fig. 2's curves, nats."""
    return float(WATCHDOG.at(seed).of(f"{side}_lift_leakage")["mean"].max())


def fig2_fits_its_axes(side: str, seed: int) -> bool:
    return fig2_largest_mean_leakage(side, seed) <= {"min": 4.5, "max": 1.0}[side]
