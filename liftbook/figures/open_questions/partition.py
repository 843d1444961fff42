"""Subset merging against the best partition (C22 section 3.1)."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from liftbook.relatives.best_partition import best_partition
from liftbook.rows.making import figure
from liftbook.rows.responses import over_budgets
from liftbook.rows.scales import C22_EPSILONS
from liftbook.rows.tidy import Measured
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.merging.subset_merging import subset_merging
from liftlib.notions import LIP
from liftlib.response.optimal import optimal_response
from mixproof.numerics import Rng


@figure
def partition_gap(
    n_trials: int = 100,
    epsilons: Iterable[float] = C22_EPSILONS,
    n_secret: int = 5,
    n_public: int = 10,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the NMI loss of greedy and best merging and of the optimum, under LIP.

    ``|X|`` is at most 13. The columns are ``series``, ``eps``, ``measure`` (nmil), ``mean``, ``std``, ``n``.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return over_budgets(_partitions, p, epsilons)


def _partitions(joint: Joint, eps: float) -> Measured:
    notion = LIP(eps)
    channels = {
        "greedy (Algorithm 1)": subset_merging(joint, notion),
        "best partition": best_partition(joint, notion),
        "optimal response": optimal_response(joint, notion),
    }
    return {series: {"nmil": evaluate(joint, channel).nmil} for series, channel in channels.items()}
