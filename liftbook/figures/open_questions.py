"""Figures of the open questions.

The best partition (C22 section 3.1), the optimum under alpha-lift (E23 section 7), the
reduction of the extreme lifts alone (I21 section IV), and designs on an estimate of
P_SX (S20 section IX).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
import pandas as pd

from liftbook.relatives.best_partition import best_partition
from liftbook.relatives.bounded_reduction import bounded_reduction, extreme_reduction
from liftbook.relatives.robust import robust_response
from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import C22_EPSILONS, figure
from liftbook.rows.tidy import Measured, over_trials
from liftbook.rows.tradeoffs import over_budgets
from liftlib.channel import Channel
from liftlib.datasets import dirichlet_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.merging.subset_merging import subset_merging
from liftlib.notions import LIP, AlphaLift
from liftlib.reduction.linear import linear_reduction
from liftlib.reduction.transport import secret_aware_reduction
from liftlib.response.optimal import optimal_response
from liftlib.response.posteriors import ResponseCertificate
from mixproof.numerics import Matrix, Rng, generator


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

    ``|X|`` is at most 13. The columns are ``series``, ``eps``, ``measure`` (nmil),
    ``mean``, ``std``, ``n``.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return over_budgets(_partitions, p, epsilons)


def _partitions(joint: Joint, eps: float) -> Measured:
    notion = LIP(eps)
    channels = {
        "greedy (C22 Algorithm 1)": subset_merging(joint, notion),
        "best partition": best_partition(joint, notion),
        "optimal response": optimal_response(joint, notion),
    }
    return {
        series: {"nmil": evaluate(joint, channel).nmil}
        for series, channel in channels.items()
    }


@figure
def alpha_lift_optimum(
    n_trials: int = 50,
    epsilons: Iterable[float] = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0),
    alphas: Iterable[float] = (2.0, 10.0),
    n_secret: int = 5,
    n_public: int = 17,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the optimal utility under alpha-lift-privacy, to a proven gap.

    The LDP budgets are positive and halved for the alpha-lift and its inverse, as in
    E23 Fig. 13; orders are finite.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``eps``, ``measure`` (nmi of the best mechanism found; gap,
        by which the proven bound exceeds it), ``mean``, ``std``, ``n``.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return over_budgets(partial(_alpha_lifts, alphas=tuple(alphas)), p, epsilons)


def _alpha_lifts(joint: Joint, eps: float, alphas: tuple[float, ...]) -> Measured:
    h_x = evaluate(joint, Channel.identity(joint.n_public)).entropy
    points: dict[str, dict[str, float]] = {}
    for alpha in alphas:
        notion = AlphaLift(alpha, eps / 2, eps / 2)
        best = optimal_response(joint, notion).certified(ResponseCertificate)
        points[f"optimum, α={alpha:g}"] = {
            "nmi": best.value / h_x,
            "gap": best.gap / h_x,
        }
        points[f"merging, α={alpha:g}"] = {
            "nmi": evaluate(joint, subset_merging(joint, notion)).nmi
        }
    return points | {
        "optimum, ALIP": {
            "nmi": evaluate(joint, optimal_response(joint, LIP(eps / 2))).nmi
        }
    }


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
        Columns ``series``, ``n_secret``, ``measure`` (moved_share: P(Y != X) relative
        to I21 Proposition 1), ``mean``, ``std``, ``n``.
    """
    source, sizes = generator(rng), [int(n) for n in secrets]
    tasks = [
        (p_sx, share)
        for n in sizes
        for p_sx in uniform_joints(n_trials, n, n_public, source)
    ]
    trials = parallel_map(_extremes, tasks)
    parts = [trials[at * n_trials : (at + 1) * n_trials] for at in range(len(sizes))]
    pairs = zip(sizes, parts, strict=True)
    return pd.concat(
        [over_trials(part, "n_secret", [n]) for n, part in pairs], ignore_index=True
    )


def _extremes(task: tuple[Matrix, float]) -> list[Measured]:
    joint, share = Joint(task[0]), task[1]
    printed = secret_aware_reduction.at(joint, share)
    eps = evaluate(joint, linear_reduction.at(joint, share)).lip
    channels = {
        "every lift, eq. (3)": printed,
        "extreme lifts": extreme_reduction.at(joint, share),
        "the same log-lift": bounded_reduction(joint, np.exp(-eps), np.exp(eps)),
    }
    costs = {
        series: float(1 - np.trace(channel.joint_xy(joint)))
        for series, channel in channels.items()
    }
    printed_cost = costs["every lift, eq. (3)"]
    return [
        {series: {"moved_share": cost / printed_cost} for series, cost in costs.items()}
    ]


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
        Sample sizes; for each, a new sample is drawn from each of ``n_trials`` uniform
        random distributions.
    tables : iterable of int
        Numbers of distributions, drawn from the posterior under Jeffreys' prior, for
        which the mechanism must be private in addition to the estimate.
    eps : float
        LIP budget, nats.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``people``, ``measure`` (under the true distribution: nmi;
        lip, nats; broken, the share of mechanisms that exceed the budget), ``mean``,
        ``std``, ``n``.
    """
    numbers, designs = [int(n) for n in people], tuple(int(k) for k in tables)
    seeds = generator(rng).integers(2**63, size=n_trials)
    tasks = [(int(seed), numbers, designs, n_secret, n_public, eps) for seed in seeds]
    return over_trials(
        parallel_map(_surveys, tasks), "people", [float(n) for n in numbers]
    )


def _surveys(
    task: tuple[int, list[int], tuple[int, ...], int, int, float],
) -> list[Measured]:
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
            channel = robust_response(
                estimate, notion, others=[Joint(p) for p in drawn[:k]]
            )
            result = evaluate(truth, channel)
            series = "the estimate alone" if k == 0 else f"and {k} others"
            point[series] = {
                "nmi": result.nmi,
                "lip": result.lip,
                "broken": float(not notion.is_satisfied(truth, channel)),
            }
        points.append(point)
    return points
