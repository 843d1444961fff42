"""What E23 prints in sections 3.1.2, 3.1.3 and 5 about the optimal and the subset random response."""

from __future__ import annotations

from functools import cache

import pandas as pd

from liftbook import figures

FIVE = ("Own-child",)
"""The relationship left out where E23 has five; see the watchdog chapter for why it is a guess."""

LAMBDAS = (0.35, 0.5, 0.65)

TRIALS = 5
"""Joints for claims in words, fewer than the figures' 100, so that all claims take seconds."""


def _curve(rows: pd.DataFrame, series: str, measure: str = "nmi") -> pd.Series[float]:
    chosen = rows[(rows["series"] == series) & (rows["measure"] == measure)]
    return chosen.set_index("eps")["mean"]


def _alip(lam: float) -> str:
    return f"ALIP, λ={lam:g}"


# Section 3.1.3: the optimal response ----------------------------------------------------------------------------------


@cache
def _figure_4() -> pd.DataFrame:
    return figures.figure_e23_4(n_trials=TRIALS)


@cache
def _figure_5() -> pd.DataFrame:
    return figures.figure_e23_5(leave_out=FIVE)


@cache
def _watchdog(extend: bool) -> pd.DataFrame:
    """Return the watchdog, printed or kept private, on the joints of :func:`_figure_4`."""
    return figures.figure_e23_2(n_trials=TRIALS, extend=extend)


def aorr_relaxation_gains_synthetic() -> bool:
    rows = figures.figure_e23_4(100, (1.25, 1.5, 2.0, 3.0, 4.0, 8.0), (0.5, 0.65))
    return bool((_curve(rows, _alip(0.65)) >= _curve(rows, _alip(0.5))).all())


def aorr_relaxation_gains_adult() -> bool:
    gain = _curve(_figure_5(), _alip(0.65)) - _curve(_figure_5(), _alip(0.5))
    return bool((gain[gain.index > 1] >= 0).all())


def aorr_strictness_loses_synthetic() -> bool:
    return bool((_curve(_figure_4(), _alip(0.5)) >= _curve(_figure_4(), _alip(0.35))).all())


def aorr_strictness_loses_adult() -> bool:
    return bool((_curve(_figure_5(), _alip(0.5)) >= _curve(_figure_5(), _alip(0.35))).all())


def _above_watchdog(measure: str, *, extend: bool) -> bool:
    rows = _watchdog(extend)
    return all(
        bool((_curve(_figure_4(), _alip(lam), measure) >= _curve(rows, _alip(lam), measure) - 1e-12).all())
        for lam in LAMBDAS
    )


def aorr_above_printed_watchdog() -> bool:
    return _above_watchdog("nmi", extend=False)


def aorr_above_private_watchdog() -> bool:
    return _above_watchdog("nmi", extend=True)


def aorr_leaks_more_than_private_watchdog() -> bool:
    return all(_above_watchdog(measure, extend=True) for measure in ("min_lift_leakage", "max_lift_leakage"))


def aorr_keeps_alip() -> bool:
    return all(bool((_curve(_figure_4(), _alip(lam), "broken") == 0).all()) for lam in LAMBDAS)


# Section 5: subset random response ------------------------------------------------------------------------------------


@cache
def _figure_8() -> pd.DataFrame:
    return figures.figure_e23_8(n_trials=TRIALS)


@cache
def _figure_9() -> pd.DataFrame:
    return figures.figure_e23_9(leave_out=FIVE)


@cache
def _figure_10() -> pd.DataFrame:
    return figures.figure_e23_10(2, (1.0, 2.0, 4.0, 8.0))


def _above_merging(rows: pd.DataFrame, measure: str) -> bool:
    return bool((_curve(rows, "SRR", measure) >= _curve(rows, "subset merging", measure) - 1e-12).all())


def _leaks_more_than_merging(rows: pd.DataFrame) -> bool:
    return _above_merging(rows, "min_lift_leakage") and _above_merging(rows, "max_lift_leakage")


def srr_above_merging_synthetic() -> bool:
    return _above_merging(_figure_8(), "nmi")


def srr_above_merging_adult() -> bool:
    return _above_merging(_figure_9(), "nmi")


def srr_above_merging_large() -> bool:
    return _above_merging(_figure_10(), "nmi")


def srr_leaks_more_than_merging_synthetic() -> bool:
    return _leaks_more_than_merging(_figure_8())


def srr_leaks_more_than_merging_adult() -> bool:
    return _leaks_more_than_merging(_figure_9())


def srr_leaks_more_than_merging_large() -> bool:
    return _leaks_more_than_merging(_figure_10())


def srr_within_budgets_large() -> bool:
    rows = _figure_10()
    leaks = rows[rows["measure"].isin(["min_lift_leakage", "max_lift_leakage"])]
    kept = bool((rows[rows["measure"] == "broken"]["mean"] == 0).all())
    return kept and bool((leaks["mean"] <= leaks["eps"] / 2 + 1e-9).all())


def srr_gap_to_optimum_synthetic() -> float:
    return float((_curve(_figure_8(), "AORR") - _curve(_figure_8(), "SRR")).max())


def srr_gap_to_optimum_adult() -> float:
    return float((_curve(_figure_9(), "AORR") - _curve(_figure_9(), "SRR")).max())


def responses_take_longer_than_merging() -> bool:
    total = {name: float(_curve(_figure_8(), name, "seconds").sum()) for name in ("AORR", "SRR", "subset merging")}
    return min(total["AORR"], total["SRR"]) > total["subset merging"]


def _fewer_vertices() -> pd.Series[bool]:
    return _curve(_figure_8(), "SRR", "vertices") < _curve(_figure_8(), "AORR", "vertices")


def srr_has_fewer_vertices_outside() -> bool:
    fewer = _fewer_vertices()
    return bool(fewer[(fewer.index < 1) | (fewer.index > 2.5)].all())


def srr_has_more_vertices_between() -> bool:
    fewer = _fewer_vertices()
    return bool((~fewer[(fewer.index >= 1) & (fewer.index <= 2.5)]).all())


def subsets_are_ever_united() -> bool:
    return bool(_curve(_figure_8(), "SRR", "unions").max() > 0)
