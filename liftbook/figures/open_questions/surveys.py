"""Mechanisms designed on an estimate of P_SX (S20 section IX)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from liftbook.relatives.robust import robust_response
from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import figure
from liftbook.rows.tidy import Measured, over_trials
from liftlib.datasets import dirichlet_joint
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import LIP
from mixproof.numerics import Rng, generator


@figure
def robust_surveys(
    n_trials: int = 100,
    people: Iterable[int] = (100, 300, 1000, 3000, 10000, 30000),
    tables: Iterable[int] = (0, 5, 20),
    n_secret: int = 2,
    n_public: int = 5,
    eps: float = 0.5,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the leakage of mechanisms designed on an estimate (S20 section IX).

    Parameters
    ----------
    people : iterable of int
        Sample sizes; for each, a new sample is drawn from each of ``n_trials`` uniform random distributions.
    tables : iterable of int
        Numbers of distributions, drawn from the posterior under Jeffreys' prior, for which the mechanism must be
        private in addition to the estimate.
    eps : float
        LIP budget, nats.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``people``, ``measure`` (under the true distribution: nmi; lip, nats; broken, the share of
        mechanisms that exceed the budget), ``mean``, ``std``, ``n``.
    """
    numbers, designs = [int(n) for n in people], tuple(int(k) for k in tables)
    seeds = generator(rng).integers(2**63, size=n_trials)
    tasks = [(int(seed), numbers, designs, n_secret, n_public, eps) for seed in seeds]
    return over_trials(parallel_map(_surveys, tasks), "people", [float(n) for n in numbers])


def _surveys(task: tuple[int, list[int], tuple[int, ...], int, int, float]) -> list[Measured]:
    seed, people, tables, n_secret, n_public, eps = task
    rng = np.random.default_rng(seed)
    truth, notion = dirichlet_joint(n_secret, n_public, 1.0, rng), LIP(eps)
    points: list[Measured] = []
    for n in people:
        # Jeffreys' prior: 1/2 a cell, so that no cell of an estimate is 0
        counts = rng.multinomial(n, truth.p.ravel()) + 0.5
        estimate = Joint.from_counts(counts.reshape(truth.p.shape))
        drawn = rng.dirichlet(counts, size=max(tables)).reshape(-1, *truth.p.shape)
        point: dict[str, dict[str, float]] = {}
        for k in tables:
            channel = robust_response(estimate, notion, others=[Joint(p) for p in drawn[:k]])
            result = evaluate(truth, channel)
            series = "the estimate alone" if k == 0 else f"and {k} others"
            point[series] = {
                "nmi": result.nmi,
                "lip": result.lip,
                "broken": float(not notion.is_satisfied(truth, channel)),
            }
        points.append(point)
    return points
