"""What E23 says of Fig. 1: least and largest lifts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from liftbook import figures
from liftbook.claims.judging import Spread
from liftlib.datasets import uniform_joints
from liftlib.measures.lifts import lift_of


@cache
def _extremes() -> pd.DataFrame:
    """Return least and largest log min-lift and log max-lift of 1,000 joints 5 x 17, for each of 20 seeds."""
    found = []
    for seed in range(20):
        lifts = lift_of(uniform_joints(1000, 5, 17, np.random.default_rng(seed)))
        low, high = np.log(lifts.min(axis=1)), np.log(lifts.max(axis=1))
        found.append([low.min(), low.max(), high.min(), high.max(), (low <= -6).mean()])
    return pd.DataFrame(found, columns=["psi_least", "psi_largest", "lambda_least", "lambda_largest", "psi_below_6"])


def _extreme(name: str) -> Spread:
    return Spread(float(_extremes()[name].min()), float(_extremes()[name].max()))


def fig1_psi_least() -> Spread:
    return _extreme("psi_least")


def fig1_psi_largest() -> Spread:
    return _extreme("psi_largest")


def fig1_lambda_least() -> Spread:
    return _extreme("lambda_least")


def fig1_lambda_largest() -> Spread:
    return _extreme("lambda_largest")


def fig1_probability_below_minus_6() -> float:
    return float(_extremes()["psi_below_6"].mean())


def fig1_peak_of_lambda_is_higher() -> bool:
    peak = figures.figure_e23_1().groupby("measure")["probability"].max()
    return bool(peak["log_max_lift"] > peak["log_min_lift"])
