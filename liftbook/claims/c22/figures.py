"""What C22 prints of its Figs 1 and 3."""

from __future__ import annotations

import numpy as np
import pandas as pd

from liftbook import figures
from liftbook.claims.figures import Figure
from liftlib.datasets import uniform_joints
from liftlib.mechanisms.merging.watchdog import watchdog_labels
from liftlib.notions import LIP

FIG_1, FIG_3 = Figure("c22_1"), Figure("c22_3")


def _both(figure: Figure, measure: str, column: str = "mean") -> tuple[pd.Series[float], pd.Series[float]]:
    return figure.curve("Algorithm 1", measure, column), figure.curve("complete merging", measure, column)


def c22_fig1_complete_far_below() -> bool:
    mean, std = (_both(FIG_1, "high_risk_leakage", column)[1] for column in ("mean", "std"))
    return bool((mean + std <= mean.index / 2).all())


def c22_fig1_algorithm_below() -> bool:
    mean, std = (_both(FIG_1, "high_risk_leakage", column)[0] for column in ("mean", "std"))
    return bool((mean + std < mean.index).all())


def c22_fig1_algorithm_leaks_more() -> bool:
    algorithm, complete = _both(FIG_1, "high_risk_leakage")
    return bool((algorithm > complete).all())


def c22_fig1_spread_grows() -> bool:
    return all(bool((std.diff().dropna() > 0).all()) for std in _both(FIG_1, "high_risk_leakage", "std"))


def c22_fig3_leakage_below() -> bool:
    return all(bool((leakage <= leakage.index).all()) for leakage in _both(FIG_3, "leakage"))


def c22_fig3_perfect_privacy() -> bool:
    """Whether complete merging merges everything for each of 1,000 joints 13 x 20 at eps 0.25 and 0.5."""
    p = uniform_joints(1000, 13, 20, np.random.default_rng(0))
    return all(
        bool((figures.merged_risks(p, watchdog_labels(p, LIP(eps), extend=False), eps)["nmil"] > 1 - 1e-9).all())
        for eps in (0.25, 0.5)
    )
