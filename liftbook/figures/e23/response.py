"""E23 Figs 4 and 5: the asymmetric optimal random response; and how many vertices its polytope has."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from liftbook.rows.jobs import parallel_map
from liftbook.rows.merging import EPSILONS, LAMBDAS, alip_name
from liftbook.rows.responses import Point, respond, response_tradeoff
from liftbook.rows.tidy import RngLike, budgets, frame, generator, summary, timed
from liftlib.datasets import adult, uniform_joints
from liftlib.joint import Joint
from liftlib.notions import ALIP, LDP, Notion
from liftlib.numerics import Matrix
from liftlib.solvers.polytope import vertices


def _points(epsilons: Iterable[float], lambdas: Iterable[float], ldp: bool) -> list[Point]:
    shares, found = list(lambdas), []
    for eps in budgets(epsilons):
        found += [Point("LDP", eps, respond, LDP(eps))] if ldp else []
        found += [Point(alip_name(lam), eps, respond, ALIP.split(eps, lam)) for lam in shares]
    return found


@timed
def figure_e23_4(
    n_trials: int = 100,
    epsilons: Iterable[float] = EPSILONS,
    lambdas: Iterable[float] = LAMBDAS,
    n_secret: int = 5,
    n_public: int = 17,
    *,
    ldp: bool = False,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return the trade-off of the optimal response under ALIP on random joints (E23 Fig. 4).

    Parameters
    ----------
    n_trials : int
        Uniform random joint distributions.
    epsilons : iterable of float
        LDP budgets, nats.
    lambdas : iterable of float
        Shares of the min-lift budget, in [0, 1].
    n_secret, n_public : int
        Alphabet sizes.
    ldp : bool, keyword-only
        Whether to add the optimal LDP response, which the paper's figure does not have.
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of randomness.

    Returns
    -------
    pandas.DataFrame
        Columns as of ``liftbook.figures.response_tradeoff``; measures nmi, min_lift_leakage, max_lift_leakage,
        broken, seconds, vertices.
    """
    p = uniform_joints(n_trials, n_secret, n_public, generator(rng))
    return response_tradeoff(p, _points(epsilons, lambdas, ldp))


@timed
def figure_e23_5(
    epsilons: Iterable[float] = EPSILONS,
    lambdas: Iterable[float] = LAMBDAS,
    *,
    leave_out: Sequence[str] = (),
    joint: Joint | None = None,
    ldp: bool = False,
) -> pd.DataFrame:
    """Return the trade-off of the optimal response on Adult, S = relationship, X = occupation (E23 Fig. 5).

    Parameters
    ----------
    epsilons, lambdas, ldp
        As in :func:`figure_e23_4`.
    leave_out : sequence of str, keyword-only
        Relationships whose people are left out.
    joint : Joint, optional, keyword-only
        Another joint distribution to run on instead.
    """
    chosen = adult("relationship", "occupation", leave_out=tuple(leave_out)) if joint is None else joint
    return response_tradeoff(chosen.p[None], _points(epsilons, lambdas, ldp))


def vertex_growth(
    n_trials: int = 5,
    n_publics: Iterable[int] = (5, 10, 20, 40),
    n_secrets: Iterable[int] = (2, 3, 4, 5),
    notion: Notion = ALIP(0.5, 0.5),  # noqa: B008 - frozen
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return how many vertices the polytope of allowed rows has, over random joints of several sizes.

    Parameters
    ----------
    n_trials : int
        Uniform random joint distributions for each size.
    n_publics, n_secrets : iterable of int
        Alphabet sizes.
    notion : Notion
        One with halfspaces.
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of randomness.

    Returns
    -------
    pandas.DataFrame
        Columns ``series`` (``|S| = 3`` and so on), ``n_public``, ``measure`` (vertices, and support, the most
        non-zero entries of any vertex), ``mean``, ``std``, ``n``.
    """
    source = generator(rng)
    sizes = list(itertools.product(n_secrets, n_publics))
    tasks = [(p, notion) for size in sizes for p in uniform_joints(n_trials, *size, source)]
    found = np.array(parallel_map(_count, tasks), dtype=np.float64).reshape(len(sizes), n_trials, 2)
    rows = []
    for (n_secret, n_public), one in zip(sizes, found, strict=True):
        rows += summary({"vertices": one[:, 0], "support": one[:, 1]}, series=f"|S| = {n_secret}", n_public=n_public)
    return frame(rows)


def _count(task: tuple[Matrix, Notion]) -> tuple[int, int]:
    p, notion = task
    joint = Joint(p)
    found = vertices(notion.halfspaces(joint), interior=joint.p_x)
    return len(found), int((found > 0).sum(axis=1).max())
