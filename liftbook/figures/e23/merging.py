"""E23 Figs 2, 3, 6, 7 and 11-13: the watchdog and subset merging, on random joints and on Adult.

Their rows have the columns of ``liftbook.figures.merging_tradeoff``.
"""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from liftbook.rows.labels import merge_labels, watchdog_labels
from liftbook.rows.making import on_adult, on_random_joints
from liftbook.rows.merging import Labeller, Series, alip_name, ldp_and_alip, merging_tradeoff
from liftbook.rows.scales import E23_EPSILONS as EPSILONS
from liftbook.rows.scales import E23_LAMBDAS as LAMBDAS
from liftbook.rows.tidy import budgets
from liftlib.notions import ALIP, AlphaLift, Chi2Lift, L1Lift
from mixproof.numerics import Matrix

Floats = Iterable[float]


def _watchdog(extend: bool) -> Labeller:
    return lambda p, notion: watchdog_labels(p, notion, extend=extend)


def _merging(extend: bool) -> Labeller:
    return lambda p, notion: merge_labels(p, notion, extend=extend)[0]


def _lift_based(lambdas: Floats) -> dict[str, Series]:
    series: dict[str, Series] = {alip_name(0.5): lambda eps: ALIP.split(eps, 0.5)}
    for name, kind in (("ℓ1", L1Lift), ("χ²", Chi2Lift)):
        for lam in lambdas:
            series[f"{name}, λ={lam:g}"] = lambda eps, kind=kind, lam=lam: kind(lam * eps, (1 - lam) * eps)  # type: ignore[misc]
    return series


@on_random_joints(1000, 5, 17)
def figure_e23_2(
    p: Matrix, epsilons: Floats = EPSILONS, lambdas: Floats = LAMBDAS, *, extend: bool = False
) -> pd.DataFrame:
    """Return the watchdog's trade-off on random joints, under LDP and ALIP (E23 Fig. 2)."""
    return merging_tradeoff(p, ldp_and_alip(lambdas), budgets(epsilons), _watchdog(extend))


@on_adult
def figure_e23_3(
    p: Matrix, epsilons: Floats = EPSILONS, lambdas: Floats = LAMBDAS, *, extend: bool = False
) -> pd.DataFrame:
    """Return the watchdog's trade-off on Adult, S = relationship, X = occupation (E23 Fig. 3)."""
    return merging_tradeoff(p, ldp_and_alip(lambdas), budgets(epsilons), _watchdog(extend))


@on_random_joints(1000, 5, 17)
def figure_e23_6(
    p: Matrix, epsilons: Floats = EPSILONS, lambdas: Floats = LAMBDAS, *, extend: bool = False
) -> pd.DataFrame:
    """Return subset merging's trade-off on random joints, under LDP and ALIP (E23 Fig. 6)."""
    return merging_tradeoff(p, ldp_and_alip(lambdas), budgets(epsilons), _merging(extend))


@on_adult
def figure_e23_7(
    p: Matrix, epsilons: Floats = EPSILONS, lambdas: Floats = LAMBDAS, *, extend: bool = False
) -> pd.DataFrame:
    """Return subset merging's trade-off on Adult (E23 Fig. 7)."""
    return merging_tradeoff(p, ldp_and_alip(lambdas), budgets(epsilons), _merging(extend))


@on_random_joints(1000, 5, 17)
def figure_e23_11(
    p: Matrix, epsilons: Floats = EPSILONS, lambdas: Floats = (0.5, 0.65), *, extend: bool = False
) -> pd.DataFrame:
    """Return subset merging's trade-off under ALIP, l1- and chi2-privacy, random joints (E23 Fig. 11)."""
    return merging_tradeoff(p, _lift_based(lambdas), budgets(epsilons), _merging(extend))


@on_adult
def figure_e23_12(
    p: Matrix, epsilons: Floats = EPSILONS, lambdas: Floats = (0.5, 0.65), *, extend: bool = False
) -> pd.DataFrame:
    """Return subset merging's trade-off under ALIP, l1- and chi2-privacy on Adult (E23 Fig. 12)."""
    return merging_tradeoff(p, _lift_based(lambdas), budgets(epsilons), _merging(extend))


@on_random_joints(1000, 5, 17)
def figure_e23_13(
    p: Matrix, epsilons: Floats = EPSILONS, alphas: Floats = (2, 10, 100), *, extend: bool = False
) -> pd.DataFrame:
    """Return subset merging's trade-off under ALIP and alpha-lift-privacy, lambda 1/2, random joints (E23 Fig. 13)."""
    series: dict[str, Series] = {"ALIP": lambda eps: ALIP.split(eps, 0.5)}
    for alpha in alphas:
        series[f"α={alpha:g}"] = lambda eps, alpha=alpha: AlphaLift(alpha, eps / 2, eps / 2)  # type: ignore[misc]
    return merging_tradeoff(p, series, budgets(epsilons), _merging(extend))
