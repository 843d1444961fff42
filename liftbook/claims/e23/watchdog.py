"""Claims of E23 about Fig. 1, and of section 3 about the watchdog and the
Adult table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from liftbook import figures
from liftbook.claims.curves import figure, never_below
from liftbook.claims.samples import Size, drawn, occupations, on_each
from liftbook.rows.making import E23_EPSILONS
from liftbook.rows.tradeoffs import alip_name
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.lifts import lift, lift_of
from liftlib.merging.risk import high_risk
from liftlib.merging.stack import Stack
from liftlib.merging.watchdog import watchdog
from liftlib.notions import ALIP, LDP


@lru_cache(maxsize=2)
def _extremes(seed: int, size: Size = (1000, 5, 17)) -> dict[str, float]:
    """Return statistics of Fig. 1, with the mean probability of the extreme cells."""
    p = uniform_joints(*size, np.random.default_rng(seed))
    lifts = lift_of(p)
    low, high = np.log(lifts.min(axis=1)), np.log(lifts.max(axis=1))
    # P(s, x) at the secret whose lift is the extreme one
    mass = [
        float(np.take_along_axis(p, at[:, None, :], axis=1).sum(axis=(1, 2)).mean())
        for at in (lifts.argmin(axis=1), lifts.argmax(axis=1))
    ]
    return {
        "psi_least": float(low.min()),
        "psi_largest": float(low.max()),
        "lambda_least": float(high.min()),
        "lambda_largest": float(high.max()),
        "psi_below_6": float((low <= -6).mean()),
        "mass_at_minima": mass[0],
        "mass_at_maxima": mass[1],
    }


def fig1_statistic(which: str, seed: int) -> float:
    return _extremes(seed)[which]


def fig1_range_of_psi_is_larger(seed: int) -> bool:
    extremes = _extremes(seed)
    return (
        extremes["psi_largest"] - extremes["psi_least"]
        > extremes["lambda_largest"] - extremes["lambda_least"]
    )


def fig1_peak_of_lambda_is_higher(
    width: str, seed: int, size: Size = (1000, 5, 17)
) -> bool:
    rows = figures.figure_e23_1(*size, bin_width=float(width), rng=seed)
    peak = rows.groupby("measure")["probability"].max()
    return bool(peak["log_max_lift"] > peak["log_min_lift"])


def fig1_maxima_are_likelier(seed: int) -> bool:
    extremes = _extremes(seed)
    return extremes["mass_at_maxima"] > extremes["mass_at_minima"]


def adult_relationships(way: str) -> float:
    return float(occupations(way).n_secret)


def adult_has_fifteen_occupations(way: str) -> float:
    return float(occupations(way).n_public)


def adult_lifts_are_finite(way: str) -> bool:
    """Whether P_S and P_X have full support and every lift is finite."""
    joint = occupations(way)
    return bool(
        (joint.p_s > 0).all()
        and (joint.p_x > 0).all()
        and np.isfinite(lift(joint)).all()
    )


def adult_zero_cells(way: str) -> float:
    return float((occupations(way).p == 0).sum())


@on_each(drawn, 200, 5, 17)
def high_risk_set_is_smaller_under_ldp(
    joint: Joint, *, rng: np.random.Generator
) -> bool:
    """Whether LDP's high-risk set lies within ALIP's, on 200 joints."""
    eps, lam = rng.uniform(0, 6), rng.uniform()
    ldp = high_risk(joint, LDP(eps))
    alip = high_risk(joint, ALIP.split(eps, lam))
    return not (ldp & ~alip).any()


@on_each(drawn, 100, 5, 17)
def merged_set_leaks_least(
    joint: Joint,
    *,
    rng: np.random.Generator,
    eps: float = 1.0,
    kernels_each: int = 20,
) -> bool:
    """Whether no randomisation of the high-risk set has less Gamma than merging it.

    Every other kernel hardly depends on the symbol.
    """
    mass = joint.x_given_s[:, high_risk(joint, LDP(eps))]
    merged = mass.sum(axis=1)
    least = merged.max() / merged.min() - 1e-12
    for at in range(kernels_each):
        close = 0.999 * (at % 2)
        random = rng.dirichlet(np.full(4, 0.5), size=mass.shape[1])
        released = mass @ (close / 4 + (1 - close) * random)
        if (released.max(axis=0) / released.min(axis=0)).max() < least:
            return False
    return True


@on_each(drawn, 100, 5, 17)
def utility_by_equation_11(joint: Joint, eps: float = 1.5) -> bool:
    """Whether eq. (11) gives the I(X;Y) of complete merging."""
    notion = ALIP.split(eps, 0.5)
    p = joint.p_x[high_risk(joint, notion)]
    evaluation = evaluate(joint, watchdog(joint, notion, extend=False))
    return bool(
        abs(
            evaluation.mutual_information
            - (evaluation.entropy - (p * np.log(p.sum() / p)).sum())
        )
        <= 1e-12
    )


@on_each(drawn, 100, 5, 17)
def larger_set_has_less_utility(joint: Joint, which: str) -> bool:
    """Whether one more symbol in a high-risk "set", or an "empty" one,
    lowers utility.
    """
    sizes = range(2, 17) if which == "set" else (1,)
    losses = [
        (p * np.log(p.sum() / p)).sum()
        for p in (joint.p_x[:n] for n in (*sizes, max(sizes) + 1))
    ]
    if which == "empty":
        losses = [0.0, losses[0]]
    return all(later > earlier + 1e-12 for earlier, later in pairwise(losses))


@on_each(drawn, 200, 5, 17)
def smaller_set_leaks_more(
    joint: Joint, measure: str, *, rng: np.random.Generator
) -> bool:
    """Whether the watchdog leaks at least as much under LDP as under ALIP."""
    eps, lam = rng.uniform(0, 6), rng.uniform()
    ldp, alip = (
        getattr(evaluate(joint, watchdog(joint, notion, extend=False)), measure)
        for notion in (LDP(eps), ALIP.split(eps, lam))
    )
    return bool(ldp >= alip - 1e-9)


def ldp_misses_alip(seed: int, size: Size = (200, 5, 17), eps: float = 2.0) -> bool:
    """Whether the watchdog under LDP violates ALIP of the same budget on some joint."""
    alip = ALIP.split(eps, 0.5)
    return not all(
        alip.is_satisfied(joint, watchdog(joint, LDP(eps), extend=False))
        for joint in drawn(*size, seed)
    )


AS_PRINTED = figure("e23_2")
SMALL_LAMBDAS = (0.1, 0.2, 0.3, 0.35, 0.4, 0.5)
FIGURE_2 = figure(
    "e23_2", epsilons=(0.5, 1.0, 2.0, 4.0, 8.0), lambdas=(0.1, 0.2, 0.3, 0.4, 0.5)
)


def smaller_lambda_loses(reading: str, seed: int) -> bool:
    """Whether lambda 0.1 to 0.4 has no more utility than 1/2.

    At each of five budgets, or with the reading "mean" on average.
    """
    figure = FIGURE_2.at(seed)
    half = figure.curve(alip_name(0.5))
    gaps = [half - figure.curve(alip_name(lam)) for lam in (0.1, 0.2, 0.3, 0.4)]
    return all(
        gap.mean() >= 0 if reading == "mean" else never_below(gap, 0 * gap)
        for gap in gaps
    )


def smaller_lambda_loses_adult(
    way: str, epsilons: Sequence[float] = E23_EPSILONS
) -> bool:
    """Whether five lambdas from 0.1 to 0.4 have no more utility than 1/2 on Adult, each
    in the mean over the budgets.
    """
    joint = occupations(way)
    rows = figures.figure_e23_3(epsilons, SMALL_LAMBDAS, joint=joint)
    nmi = rows[rows["measure"] == "nmi"]
    means = nmi.groupby("series")["mean"].mean()
    half = means[alip_name(0.5)]
    return all(means[alip_name(lam)] <= half for lam in SMALL_LAMBDAS[:-1])


def strict_min_lift_enlarges_high_risk_set(
    seed: int, size: Size = (1000, 5, 17), epsilons: Sequence[float] = E23_EPSILONS
) -> bool:
    """Whether lambda 0.35 has at least as many high-risk symbols as 1/2, on average."""
    stack = Stack(uniform_joints(*size, np.random.default_rng(seed)))
    return all(
        stack.high_risk(ALIP.split(eps, 0.35)).mean()
        >= stack.high_risk(ALIP.split(eps, 0.5)).mean()
        for eps in epsilons
    )


def fig2_fits_its_axes(side: str, seed: int) -> bool:
    """Whether Fig. 2's mean leakages are at most 4.5 (min-lift) and 1 nat
    (max-lift).
    """
    return bool(
        AS_PRINTED.at(seed).of(f"{side}_lift_leakage")["mean"].max()
        <= {"min": 4.5, "max": 1.0}[side]
    )
