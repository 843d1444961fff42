"""E23 Figs 2, 3, 6, 7 and 11-13: the watchdog and subset merging; and Algorithm 1 as it can be read.

The figures' rows have the columns of ``liftbook.figures.merging_tradeoff``. Algorithm 1 is read with several risks,
loops and repairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ParamSpec

import numpy as np
import pandas as pd

from liftbook.rows.batch import Labels
from liftbook.rows.labels import LoopName, merge_labels, watchdog_labels
from liftbook.rows.making import E23_EPSILONS as EPSILONS
from liftbook.rows.making import E23_LAMBDAS as LAMBDAS
from liftbook.rows.making import adult_joint, figure
from liftbook.rows.tidy import budgets, frame
from liftbook.rows.tradeoffs import Labeller, Series, alip_name, ldp_and_alip, merged_measures, merging_tradeoff
from liftlib.datasets import adult, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.lifts import inverse_of
from liftlib.notions import ALIP, AlphaLift, Chi2Lift, L1Lift
from liftlib.notions.base import LiftNotion, RequiredBudget
from mixproof.numerics import Matrix, Rng, Vector, generator

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


RISKS: dict[str, Callable[[Matrix, Matrix], Matrix]] = {
    "Λ + Ψ": lambda low, high: high + low,
    "Λ + 1/Ψ": lambda low, high: high + inverse_of(low),
    "max{log Λ, |log Ψ|}": lambda low, high: np.maximum(high, inverse_of(low)),
    "Λ/Ψ": lambda low, high: high * inverse_of(low),
    "Λ − Ψ": lambda low, high: high - low,
    "1/Ψ": lambda low, _: inverse_of(low),
}
"""Risks that order Algorithm 1, of the least and the largest lift; the third, written here by its exponential, is
the one that E23 section 4.1 prints for LIP, which ALIP with lambda 1/2 is."""


@dataclass(frozen=True)
class ALIPWithRisk(LiftNotion):
    """ALIP with another risk ``omega``, one of :data:`RISKS`, for Algorithm 1."""

    notion: ALIP
    omega: str

    def required_budgets(self, lift: Matrix, p_s: Vector) -> tuple[RequiredBudget, ...]:
        """Return the required budgets of ALIP."""
        return self.notion.required_budgets(lift, p_s)

    def risk(self, lift: Matrix, p_s: Vector) -> Matrix:  # noqa: ARG002
        """Return the risk of each column, shape (..., X)."""
        return RISKS[self.omega](lift.min(axis=-2), lift.max(axis=-2))


def nmi_of(p: Matrix, labels: Labels) -> Vector:
    """Return the NMI of each of N merges, from shape (N, S, X)."""
    return merged_measures(p, labels)["nmi"]


def merged_nmi(p: Matrix, notion: ALIP, risk: str, loop: LoopName, *, extend: bool) -> float:
    """Return the mean NMI of one reading of Algorithm 1 over (N, S, X) joints."""
    labels, _ = merge_labels(p, ALIPWithRisk(notion, risk), loop=loop, extend=extend)
    return float(nmi_of(p, labels).mean())


@figure
def algorithm_1_readings(
    n_trials: int = 1000, n_secret: int = 5, n_public: int = 17, left_out: str = "Other-relative", *, rng: Rng = 0
) -> pd.DataFrame:
    """Return the NMI of each reading of E23 Algorithm 1 at lambda 1/2 and eps 1.

    Parameters
    ----------
    left_out : str
        Value of Adult's ``relationship`` whose rows are excluded.

    Returns
    -------
    pandas.DataFrame
        A row for each ``risk``, ``loop`` (C22's, printed) and ``repaired`` (whether low-risk symbols are added):
        ``random`` and ``adult``, NMI, and ``gain_random`` and ``gain_adult``, per cent over complete merging.
    """
    notion = ALIP.split(1.0, 0.5)
    tables = {
        "random": uniform_joints(n_trials, n_secret, n_public, generator(rng)),
        "adult": adult("relationship", "occupation", leave_out=(left_out,)).p[None],
    }
    complete = {name: float(nmi_of(p, watchdog_labels(p, notion, extend=False)).mean()) for name, p in tables.items()}
    rows = []
    for risk, (loop, shown), repaired in product(RISKS, LOOPS, (False, True)):
        nmi = {name: merged_nmi(p, notion, risk, loop, extend=repaired) for name, p in tables.items()}
        gains = {f"gain_{name}": 100 * (nmi[name] / complete[name] - 1) for name in nmi}
        rows.append({"risk": risk, "loop": shown, "repaired": repaired, **nmi, **gains})
    return frame(rows)


LOOPS: tuple[tuple[LoopName, str], ...] = (("standard", "C22's"), ("printed", "printed"))
"""Symbols that the loop of line 4 leaves: none, as in C22, or those that satisfy the notion once merged."""
