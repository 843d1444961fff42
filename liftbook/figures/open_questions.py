"""What the papers leave open, on random joints: how far the published methods are from what is now known as best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from liftbook.rows.jobs import parallel_map
from liftbook.rows.tidy import RngLike, budgets, frame, generator, summary
from liftlib.channel import Channel
from liftlib.datasets import dirichlet_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.mechanisms.merging.partition import best_partition
from liftlib.mechanisms.merging.subset import subset_merging
from liftlib.mechanisms.reduction.bounded import bounded_reduction, extreme_reduction
from liftlib.mechanisms.reduction.linear import linear_reduction
from liftlib.mechanisms.reduction.transport import secret_aware_reduction
from liftlib.mechanisms.response.bracket import BracketCertificate, bracket_response
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.mechanisms.response.robust import robust_response
from liftlib.notions import LIP, AlphaLift
from liftlib.numerics import Matrix

C22_EPSILONS = tuple(float(e) for e in np.arange(1, 11) / 4)
"""C22 section 4: LIP budgets 0.25, 0.5, ..., 2.5, nats."""

Point = dict[str, dict[str, float]]


def _rows(found: list[list[Point]], name: str, values: Sequence[float]) -> pd.DataFrame:
    """Return rows from what each trial gave at each value of the abscissa: series to measures."""
    rows = []
    for at, value in enumerate(values):
        for series in found[0][at]:
            measures = {key: np.array([trial[at][series][key] for trial in found]) for key in found[0][at][series]}
            rows += summary(measures, series=series, **{name: value})
    return frame(rows)


def _partitions(task: tuple[Matrix, list[float]]) -> list[Point]:
    joint, found = Joint(task[0]), []
    for eps in task[1]:
        notion = LIP(eps)
        channels = {
            "greedy (Algorithm 1)": subset_merging(joint, notion),
            "best partition": best_partition(joint, notion),
            "optimal response": optimal_response(joint, notion),
        }
        found.append({series: {"nmil": evaluate(joint, channel).nmil} for series, channel in channels.items()})
    return found


def partition_gap(
    n_trials: int = 100,
    epsilons: Iterable[float] = C22_EPSILONS,
    n_secret: int = 5,
    n_public: int = 10,
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return what C22's greedy merging loses against the best partition and against no partition, under LIP.

    Parameters
    ----------
    n_trials : int
        Uniform random joint distributions.
    epsilons : iterable of float
        LIP budgets, nats.
    n_secret, n_public : int
        Alphabet sizes; of symbols 13 at most.
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of randomness.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``eps``, ``measure`` (nmil), ``mean``, ``std``, ``n``.
    """
    tried = budgets(epsilons)
    p = uniform_joints(n_trials, n_secret, n_public, generator(rng))
    return _rows(parallel_map(_partitions, [(one, tried) for one in p]), "eps", tried)


def _alpha_lifts(task: tuple[Matrix, list[float], tuple[float, ...]]) -> list[Point]:
    joint, found = Joint(task[0]), []
    h_x = evaluate(joint, Channel.identity(joint.n_public)).entropy
    for eps in task[1]:
        point: Point = {}
        for alpha in task[2]:
            notion = AlphaLift(alpha, eps / 2, eps / 2)
            bracket = bracket_response(joint, notion).certified(BracketCertificate)
            point[f"optimum, α={alpha:g}"] = {
                "nmi": bracket.value / h_x,
                "gap": bracket.gap / h_x,
            }
            point[f"merging, α={alpha:g}"] = {"nmi": evaluate(joint, subset_merging(joint, notion)).nmi}
        point["optimum, ALIP"] = {"nmi": evaluate(joint, optimal_response(joint, LIP(eps / 2))).nmi}
        found.append(point)
    return found


def alpha_lift_optimum(
    n_trials: int = 50,
    epsilons: Iterable[float] = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0),
    alphas: Iterable[float] = (2.0, 10.0),
    n_secret: int = 5,
    n_public: int = 17,
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return the optimal utility under alpha-lift-privacy, bracketed, beside subset merging's (E23 section 7).

    Parameters
    ----------
    n_trials : int
        Uniform random joint distributions.
    epsilons : iterable of float
        LDP budgets, nats, halved for the alpha-lift and its inverse as in E23 Fig. 13; positive.
    alphas : iterable of float
        Orders, above 1 and finite.
    n_secret, n_public, rng
        As for :func:`partition_gap`.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``eps``, ``measure`` (nmi of a mechanism that attains it; gap, by how much any other may
        exceed it), ``mean``, ``std``, ``n``.
    """
    tried = budgets(epsilons)
    p = uniform_joints(n_trials, n_secret, n_public, generator(rng))
    return _rows(parallel_map(_alpha_lifts, [(one, tried, tuple(alphas)) for one in p]), "eps", tried)


def _extremes(task: tuple[Matrix, float]) -> list[Point]:
    joint, alpha = Joint(task[0]), task[1]
    printed = secret_aware_reduction(joint, alpha)
    eps = evaluate(joint, linear_reduction(joint, alpha)).lip
    channels = {
        "every lift, eq. (3)": printed,
        "extreme lifts": extreme_reduction(joint, alpha),
        "the same log-lift": bounded_reduction(joint, np.exp(-eps), np.exp(eps)),
    }
    costs = {series: float(1 - np.trace(channel.joint_xy(joint))) for series, channel in channels.items()}
    whole = costs["every lift, eq. (3)"]
    return [{series: {"moved_share": cost / whole} for series, cost in costs.items()}]


def extreme_lifts(
    n_trials: int = 50,
    secrets: Iterable[int] = (2, 3, 4, 5, 7, 10, 15, 20),
    n_public: int = 17,
    alpha: float = 0.5,
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return how much less is moved if only extreme lifts are reduced, against the number of secrets (I21 section IV).

    Parameters
    ----------
    n_trials : int
        Uniform random joint distributions for each number of secrets.
    secrets : iterable of int
        Numbers of secrets.
    n_public : int
        ``|X|``.
    alpha : float
        The share of the reduction, in (0, 1].
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of randomness.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``n_secret``, ``measure`` (moved_share: P(Y != X) over that of I21 Proposition 1),
        ``mean``, ``std``, ``n``.
    """
    source, sizes = generator(rng), [int(n) for n in secrets]
    tasks = [(one, alpha) for n in sizes for one in uniform_joints(n_trials, n, n_public, source)]
    found = parallel_map(_extremes, tasks)
    parts = [found[at * n_trials : (at + 1) * n_trials] for at in range(len(sizes))]
    pairs = zip(sizes, parts, strict=True)
    return pd.concat([_rows(part, "n_secret", [n]) for n, part in pairs], ignore_index=True)


def _surveys(task: tuple[int, list[int], tuple[int, ...], int, int, float]) -> list[Point]:
    seed, people, tables, n_secret, n_public, eps = task
    rng = np.random.default_rng(seed)
    truth, notion = dirichlet_joint(n_secret, n_public, 1.0, rng), LIP(eps)
    found = []
    for n in people:
        # Jeffreys' prior: 1/2 a cell, so that no cell of an estimate is 0
        counts = rng.multinomial(n, truth.p.ravel()) + 0.5
        estimate = Joint.from_counts(counts.reshape(truth.p.shape))
        drawn = rng.dirichlet(counts, size=max(tables)).reshape(-1, *truth.p.shape)
        point: Point = {}
        for k in tables:
            channel = robust_response(estimate, notion, others=[Joint(p) for p in drawn[:k]])
            result = evaluate(truth, channel)
            series = "the estimate alone" if k == 0 else f"and {k} others"
            point[series] = {"nmi": result.nmi, "lip": result.lip, "broken": float(not notion.is_kept(truth, channel))}
        found.append(point)
    return found


def robust_surveys(
    n_trials: int = 100,
    people: Iterable[int] = (100, 300, 1000, 3000, 10000, 30000),
    tables: Iterable[int] = (0, 5, 20),
    n_secret: int = 2,
    n_public: int = 5,
    eps: float = 0.5,
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return what a mechanism leaks that was designed on an estimate of P_SX, with and without others (S20 section IX).

    Parameters
    ----------
    n_trials : int
        True distributions, drawn uniformly from all of them; each is surveyed anew at each number of people.
    people : iterable of int
        How many people the estimate comes from.
    tables : iterable of int
        How many distributions, drawn from the posterior under Jeffreys' prior, the mechanism must be private for
        besides the estimate.
    n_secret, n_public : int
        Alphabet sizes.
    eps : float
        LIP budget, nats.
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of randomness.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``people``, ``measure`` (under the true distribution: nmi; lip, nats; broken, the share of
        mechanisms that exceed the budget), ``mean``, ``std``, ``n``.
    """
    numbers, designs = [int(n) for n in people], tuple(int(k) for k in tables)
    seeds = generator(rng).integers(2**63, size=n_trials)
    tasks = [(int(seed), numbers, designs, n_secret, n_public, eps) for seed in seeds]
    return _rows(parallel_map(_surveys, tasks), "people", [float(n) for n in numbers])
