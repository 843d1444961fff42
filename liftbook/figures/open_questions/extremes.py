"""Linear reduction of the extreme lifts alone (I21 section IV)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from liftbook.relatives.bounded_reduction import bounded_reduction, extreme_reduction
from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import figure
from liftbook.rows.tidy import Measured, over_trials
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.reduction.linear import linear_reduction
from liftlib.reduction.transport import secret_aware_reduction
from mixproof.numerics import Matrix, Rng, generator


@figure
def extreme_lifts(
    n_trials: int = 50,
    secrets: Iterable[int] = (2, 3, 4, 5, 7, 10, 15, 20),
    n_public: int = 17,
    share: float = 0.5,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return how much less mass moves if only extreme lifts are reduced.

    Parameters
    ----------
    secrets : iterable of int
        Numbers of secrets; ``n_trials`` joints for each.
    share : float
        The share of the reduction, in (0, 1].

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``n_secret``, ``measure`` (moved_share: P(Y != X) relative to I21 Proposition 1), ``mean``,
        ``std``, ``n``.
    """
    source, sizes = generator(rng), [int(n) for n in secrets]
    tasks = [(p_sx, share) for n in sizes for p_sx in uniform_joints(n_trials, n, n_public, source)]
    trials = parallel_map(_extremes, tasks)
    parts = [trials[at * n_trials : (at + 1) * n_trials] for at in range(len(sizes))]
    pairs = zip(sizes, parts, strict=True)
    return pd.concat([over_trials(part, "n_secret", [n]) for n, part in pairs], ignore_index=True)


def _extremes(task: tuple[Matrix, float]) -> list[Measured]:
    joint, share = Joint(task[0]), task[1]
    printed = secret_aware_reduction.at(joint, share)
    eps = evaluate(joint, linear_reduction.at(joint, share)).lip
    channels = {
        "every lift, eq. (3)": printed,
        "extreme lifts": extreme_reduction.at(joint, share),
        "the same log-lift": bounded_reduction(joint, np.exp(-eps), np.exp(eps)),
    }
    costs = {series: float(1 - np.trace(channel.joint_xy(joint))) for series, channel in channels.items()}
    printed_cost = costs["every lift, eq. (3)"]
    return [{series: {"moved_share": cost / printed_cost} for series, cost in costs.items()}]
