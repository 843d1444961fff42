"""E23 Figs 4, 5 and 8-10: AORR, subset random response and subset merging; the number of vertices of section 3.1.2;
and the distance from the proven optimum.

The figures' rows have the columns of ``liftbook.figures.response_tradeoff``: the measures nmi, min_lift_leakage,
max_lift_leakage, broken and seconds; vertices, for SRR and, where they are listed (Figs 8 and 9), for AORR; and, for
SRR, largest_subset, unions and fallback.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import E23_EPSILONS as EPSILONS
from liftbook.rows.making import E23_LAMBDAS as LAMBDAS
from liftbook.rows.making import E23_LARGE_EPSILONS, adult_joint, figure
from liftbook.rows.tidy import Measured, budgets, frame, over_trials, summary
from liftbook.rows.tradeoffs import (
    Maker,
    Point,
    alip_name,
    merge_in_subsets,
    respond,
    respond_by_vertices,
    respond_in_subsets,
    response_tradeoff,
)
from liftlib.datasets import uniform_joints
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import ALIP, LDP, Polyhedral
from liftlib.response.optimal import optimal_response
from liftlib.response.posteriors import ResponseCertificate
from mixproof.numerics import Matrix, Rng, generator
from mixproof.polytope import vertices

Floats = Iterable[float]

SUBSET_MECHANISMS: dict[str, Maker] = {"SRR": respond_in_subsets, "subset merging": merge_in_subsets}
ALL_MECHANISMS: dict[str, Maker] = {"AORR": respond_by_vertices, **SUBSET_MECHANISMS}


def _optimal(epsilons: Floats, lambdas: Floats, ldp: bool, make: Maker = respond) -> list[Point]:
    shares, points = list(lambdas), []
    for eps in budgets(epsilons):
        points += [Point("LDP", eps, make, LDP(eps))] if ldp else []
        points += [Point(alip_name(lam), eps, make, ALIP.split(eps, lam)) for lam in shares]
    return points


def _beside(makers: dict[str, Maker], epsilons: Floats, lam: float) -> list[Point]:
    return [Point(name, eps, make, ALIP.split(eps, lam)) for eps in budgets(epsilons) for name, make in makers.items()]


@figure
def figure_e23_4(
    n_trials: int = 100,
    epsilons: Floats = EPSILONS,
    lambdas: Floats = LAMBDAS,
    n_secret: int = 5,
    n_public: int = 17,
    *,
    ldp: bool = False,
    listed: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the optimal response's trade-off on random joints (E23 Fig. 4)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return response_tradeoff(p, _optimal(epsilons, lambdas, ldp, respond_by_vertices if listed else respond))


@figure
def figure_e23_5(
    epsilons: Floats = EPSILONS,
    lambdas: Floats = LAMBDAS,
    *,
    ldp: bool = False,
    leave_out: Sequence[str] = (),
    joint: Joint | None = None,
) -> pd.DataFrame:
    """Return the optimal response's trade-off on Adult (E23 Fig. 5)."""
    p = adult_joint(leave_out, joint)
    return response_tradeoff(p, _optimal(epsilons, lambdas, ldp))


@figure
def figure_e23_8(
    n_trials: int = 100,
    epsilons: Floats = EPSILONS,
    lam: float = 0.65,
    n_secret: int = 5,
    n_public: int = 17,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the trade-off and time of AORR, SRR and subset merging (E23 Fig. 8)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return response_tradeoff(p, _beside(ALL_MECHANISMS, epsilons, lam))


@figure
def figure_e23_9(
    epsilons: Floats = EPSILONS, lam: float = 0.65, *, leave_out: Sequence[str] = (), joint: Joint | None = None
) -> pd.DataFrame:
    """Return Fig. 8's rows on Adult, S = relationship, X = occupation (E23 Fig. 9)."""
    p = adult_joint(leave_out, joint)
    return response_tradeoff(p, _beside(ALL_MECHANISMS, epsilons, lam))


@figure
def figure_e23_10(
    n_trials: int = 100,
    epsilons: Floats = E23_LARGE_EPSILONS,
    lam: float = 0.5,
    n_secret: int = 15,
    n_public: int = 200,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return SRR and subset merging on 15 secrets and 200 symbols (E23 Fig. 10).

    Parameters
    ----------
    n_trials : int
        Number of uniform random joint distributions; the paper does not state its own.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return response_tradeoff(p, _beside(SUBSET_MECHANISMS, epsilons, lam))


@figure
def vertex_growth(
    n_trials: int = 5,
    n_publics: Iterable[int] = (5, 10, 20, 40),
    n_secrets: Iterable[int] = (2, 3, 4, 5),
    notion: Polyhedral = ALIP(0.5, 0.5),  # noqa: B008 - frozen
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the number of vertices on random joints of several sizes.

    Parameters
    ----------
    n_publics, n_secrets : iterable of int
        Numbers of symbols and of secrets; ``n_trials`` joints for each size.
    notion : Notion
        A polyhedral notion.

    Returns
    -------
    pandas.DataFrame
        Columns ``series`` (``|S| = 3`` and so on), ``n_public``, ``measure`` (vertices; support, the largest number of
        non-zero entries of a vertex), ``mean``, ``std``, ``n``.
    """
    source = generator(rng)
    sizes = list(itertools.product(n_secrets, n_publics))
    tasks = [(p, notion) for size in sizes for p in uniform_joints(n_trials, *size, source)]
    counts = np.array(parallel_map(_count, tasks), dtype=np.float64).reshape(len(sizes), n_trials, 2)
    rows = []
    for (n_secret, n_public), by_trial in zip(sizes, counts, strict=True):
        rows += summary(
            {"vertices": by_trial[:, 0], "support": by_trial[:, 1]}, series=f"|S| = {n_secret}", n_public=n_public
        )
    return frame(rows)


def _count(task: tuple[Matrix, Polyhedral]) -> tuple[int, int]:
    p, notion = task
    joint = Joint(p)
    points = vertices(notion.halfspaces(joint), interior=joint.p_x)
    return len(points), int((points > 0).sum(axis=1).max())


GAP = 1e-3
"""Proven gap of the optimum, relative to its utility."""

PROGRAMMES = 200_000
"""Maximum number of linear programs of a search."""


@figure
def distance_to_optimum(
    n_trials: int = 10,
    sizes: Sequence[int] = (17, 50, 100, 200, 500),
    n_secret: int = 5,
    eps: float = 1.0,
    lam: float = 0.5,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the distance of SRR and subset merging from the optimum, by ``|X|``.

    Parameters
    ----------
    sizes : sequence of int
        Values of ``|X|``, each at least 2; ``n_trials`` joints for each.
    eps : float
        LDP budget, nats.

    Returns
    -------
    pandas.DataFrame
        Columns ``series`` (optimum, SRR, subset merging), ``n_public``, ``measure``, ``mean``, ``std``, ``n``. Measures
        are nmi; gap (optimum only), the proven bound on any mechanism's NMI minus the NMI found, at most 0.1 % unless
        the search ended early; and behind (the others), the same bound minus their NMI.
    """
    tried = [int(size) for size in sizes]
    if not tried or min(tried) < 2:
        raise InvalidParameter(f"sizes is {tried}: give one number of symbols or more, each at least 2")
    # a size's joint distributions are the same whichever other sizes there are
    seed = int(generator(rng).integers(2**32))
    drawn = {size: uniform_joints(n_trials, n_secret, size, generator(seed + size)) for size in tried}
    tasks = [(drawn[size][trial], eps, lam) for trial in range(n_trials) for size in tried]
    distances = parallel_map(_distances, tasks)
    trials = [distances[at : at + len(tried)] for at in range(0, len(distances), len(tried))]
    return over_trials(trials, "n_public", tried)


def _distances(task: tuple[Matrix, float, float]) -> Measured:
    joint, notion = Joint(task[0]), ALIP.split(task[1], task[2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the bound shows whether the limit was reached
        best = optimal_response(joint, notion, gap=GAP, work=PROGRAMMES).certified(ResponseCertificate)
    merged, answered = merge_in_subsets(joint, notion)[0], respond_in_subsets(joint, notion)[0]
    first = evaluate(joint, merged)
    optimum, upper = best.value / first.entropy, best.upper / first.entropy
    heuristics = {"SRR": evaluate(joint, answered).nmi, "subset merging": first.nmi}
    return {"optimum": {"nmi": optimum, "gap": upper - optimum}} | {
        name: {"nmi": nmi, "behind": max(0.0, upper - nmi)} for name, nmi in heuristics.items()
    }
