"""Claims about Figs 1 and 3 of C22."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from liftbook import figures
from liftbook.claims.figures import Figure, figure
from liftbook.rows.batch import Batch
from liftbook.rows.labels import watchdog_labels
from liftbook.rows.scales import C22_EPSILONS
from liftlib.datasets import uniform_joints
from liftlib.notions import LIP

FIG_1, FIG_3 = figure("c22_1"), figure("c22_3")


def _both(figure: Figure, seed: int, measure: str, column: str = "mean") -> tuple[pd.Series[float], pd.Series[float]]:
    figure = figure.at(seed)
    return figure.curve("Algorithm 1", measure, column), figure.curve("complete merging", measure, column)


def c22_fig1_complete_far_below(share: str, seed: int) -> bool:
    """Whether complete merging's mean leakage + std is <= ``share`` times each eps."""
    mean, std = (_both(FIG_1, seed, "high_risk_leakage", column)[1] for column in ("mean", "std"))
    return bool((mean + std <= mean.index * float(share)).all())


def c22_fig1_algorithm_below(seed: int) -> bool:
    mean, std = (_both(FIG_1, seed, "high_risk_leakage", column)[0] for column in ("mean", "std"))
    return bool((mean + std < mean.index).all())


def c22_fig3_leakage_below(seed: int) -> bool:
    return all(bool((leakage <= leakage.index).all()) for leakage in _both(FIG_3, seed, "leakage"))


def c22_fig3_perfect_privacy(reading: str, seed: int) -> bool:
    """Whether complete merging has NMIL 1 at eps 0.25 and 0.5.

    With the reading "mean", the mean is 1 to two digits; otherwise NMIL is 1 on each of 1,000 joints.
    """
    p = uniform_joints(1000, 13, 20, np.random.default_rng(seed))
    for eps in (0.25, 0.5):
        loss = figures.merged_risks(p, watchdog_labels(p, LIP(eps), extend=False), eps)["nmil"]
        if not (loss.mean() >= 0.995 if reading == "mean" else (loss > 1 - 1e-9).all()):
            return False
    return True


def c22_not_perfect_at_half(seed: int) -> float:
    """Return the share of 1,000 joints with NMIL < 1 after complete merging, eps 0.5."""
    p = uniform_joints(1000, 13, 20, np.random.default_rng(seed))
    loss = figures.merged_risks(p, watchdog_labels(p, LIP(0.5), extend=False), 0.5)["nmil"]
    return float((loss < 1 - 1e-9).mean())


def c22_samples_shrink(of: str, seed: int) -> bool:
    """Whether fewer joints, or fewer symbols per joint, are high-risk as eps grows."""
    if of == "joints":
        counts = FIG_1.at(seed).curve("complete merging", "high_risk_leakage", "n")
        return bool(counts.iloc[-1] < counts.iloc[0])
    batch = Batch(uniform_joints(1000, 13, 20, np.random.default_rng(seed)))
    means = [float(batch.high_risk(LIP(eps)).sum(axis=1).mean()) for eps in C22_EPSILONS]
    return all(later < earlier for earlier, later in pairwise(means))


def c22_share_without_high_risk(seed: int) -> float:
    """Return the share of 1,000 joints that have no symbol of high risk at eps 2.5."""
    return 1 - float(FIG_1.at(seed).curve("complete merging", "high_risk_leakage", "n")[2.5]) / 1000
