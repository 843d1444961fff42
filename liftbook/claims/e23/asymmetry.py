"""Claims about Fig. 1 of E23: least and largest lifts."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from liftbook import figures
from liftlib.datasets import uniform_joints
from liftlib.measures.lifts import lift_of


@lru_cache(maxsize=2)
def _extremes(seed: int) -> dict[str, float]:
    """Return statistics of Fig. 1, with the mean probability of the extreme cells."""
    p = uniform_joints(1000, 5, 17, np.random.default_rng(seed))
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
    return extremes["psi_largest"] - extremes["psi_least"] > extremes["lambda_largest"] - extremes["lambda_least"]


def fig1_peak_of_lambda_is_higher(width: str, seed: int) -> bool:
    peak = figures.figure_e23_1(bin_width=float(width), rng=seed).groupby("measure")["probability"].max()
    return bool(peak["log_max_lift"] > peak["log_min_lift"])


def fig1_maxima_are_likelier(seed: int) -> bool:
    extremes = _extremes(seed)
    return extremes["mass_at_maxima"] > extremes["mass_at_minima"]
