"""E23 Figs 2, 3, 6, 7 and 11-13: the watchdog and subset merging.

Their rows have the columns of ``liftbook.figures.merging_tradeoff``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ParamSpec

import pandas as pd

from liftbook.rows.labels import merge_labels, watchdog_labels
from liftbook.rows.making import adult_joint, figure
from liftbook.rows.merging import Labeller, Series, alip_name, ldp_and_alip, merging_tradeoff
from liftbook.rows.scales import E23_EPSILONS as EPSILONS
from liftbook.rows.scales import E23_LAMBDAS as LAMBDAS
from liftbook.rows.tidy import budgets
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.notions import ALIP, AlphaLift, Chi2Lift, L1Lift
from mixproof.numerics import Rng

Floats = Iterable[float]
Family = Callable[[Floats], dict[str, Series]]
Mechanism = Callable[[bool], Labeller]
P = ParamSpec("P")


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


def _named(number: int, says: str, rows: Callable[P, pd.DataFrame]) -> Callable[P, pd.DataFrame]:
    """Return a figure's function under the name by which the book, its claims and its workers know it."""
    rows.__name__ = rows.__qualname__ = f"figure_e23_{number}"
    rows.__doc__ = f"Return {says} (E23 Fig. {number})."
    return figure(rows)


def _on_random(
    number: int, says: str, family: Family, mechanism: Mechanism, shares: Floats = LAMBDAS
) -> Callable[..., pd.DataFrame]:
    def rows(
        n_trials: int = 1000,
        epsilons: Floats = EPSILONS,
        lambdas: Floats = shares,
        n_secret: int = 5,
        n_public: int = 17,
        *,
        extend: bool = False,
        rng: Rng = 0,
    ) -> pd.DataFrame:
        p = uniform_joints(n_trials, n_secret, n_public, rng)
        return merging_tradeoff(p, family(lambdas), budgets(epsilons), mechanism(extend))

    return _named(number, f"{says} on random joints", rows)


def _on_adult(
    number: int, says: str, family: Family, mechanism: Mechanism, shares: Floats = LAMBDAS
) -> Callable[..., pd.DataFrame]:
    def rows(
        epsilons: Floats = EPSILONS,
        lambdas: Floats = shares,
        *,
        extend: bool = False,
        leave_out: Sequence[str] = (),
        joint: Joint | None = None,
    ) -> pd.DataFrame:
        p = adult_joint(leave_out, joint)
        return merging_tradeoff(p, family(lambdas), budgets(epsilons), mechanism(extend))

    return _named(number, f"{says} on Adult", rows)


THREE = "subset merging's trade-off under ALIP, l1- and chi2-privacy"
figure_e23_2 = _on_random(2, "the watchdog's trade-off", ldp_and_alip, _watchdog)
figure_e23_3 = _on_adult(3, "the watchdog's trade-off", ldp_and_alip, _watchdog)
figure_e23_6 = _on_random(6, "subset merging's trade-off", ldp_and_alip, _merging)
figure_e23_7 = _on_adult(7, "subset merging's trade-off", ldp_and_alip, _merging)
figure_e23_11 = _on_random(11, THREE, _lift_based, _merging, (0.5, 0.65))
figure_e23_12 = _on_adult(12, THREE, _lift_based, _merging, (0.5, 0.65))


@figure
def figure_e23_13(
    n_trials: int = 1000,
    epsilons: Floats = EPSILONS,
    alphas: Floats = (2, 10, 100),
    n_secret: int = 5,
    n_public: int = 17,
    *,
    extend: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the trade-off under ALIP and alpha-lift privacy (E23 Fig. 13).

    The mechanism is subset merging, on random joints.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    series: dict[str, Series] = {"ALIP": lambda eps: ALIP.split(eps, 0.5)}
    for alpha in alphas:
        series[f"α={alpha:g}"] = lambda eps, alpha=alpha: AlphaLift(alpha, eps / 2, eps / 2)  # type: ignore[misc]
    return merging_tradeoff(p, series, budgets(epsilons), _merging(extend))
