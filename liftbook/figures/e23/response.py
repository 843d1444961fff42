"""E23: the number of vertices of section 3.1.2, and the distance from the proven
optimum.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import figure
from liftbook.rows.tidy import Measured, frame, over_trials, summary
from liftbook.rows.tradeoffs import merge_in_subsets, respond_in_subsets
from liftlib.datasets import uniform_joints
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import ALIP, Polyhedral
from liftlib.response.optimal import optimal_response
from liftlib.response.posteriors import ResponseCertificate
from mixproof.numerics import Matrix, Rng, generator
from mixproof.polytope import vertices


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
        Columns ``series`` (``|S| = 3`` and so on), ``n_public``, ``measure`` (vertices;
        support, the largest number of non-zero entries of a vertex), ``mean``, ``std``,
        ``n``.
    """
    source = generator(rng)
    sizes = list(itertools.product(n_secrets, n_publics))
    tasks = [
        (p, notion) for size in sizes for p in uniform_joints(n_trials, *size, source)
    ]
    counts = np.array(parallel_map(_count, tasks), dtype=np.float64).reshape(
        len(sizes), n_trials, 2
    )
    rows = []
    for (n_secret, n_public), by_trial in zip(sizes, counts, strict=True):
        rows += summary(
            {"vertices": by_trial[:, 0], "support": by_trial[:, 1]},
            series=f"|S| = {n_secret}",
            n_public=n_public,
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
        Columns ``series`` (optimum, SRR, subset merging), ``n_public``, ``measure``,
        ``mean``, ``std``, ``n``. Measures are nmi; gap (optimum only), the proven bound
        on any mechanism's NMI minus the NMI found, at most 0.1 % unless the search
        ended early; and behind (the others), the same bound minus their NMI.

    Raises
    ------
    InvalidParameter
        If a size is below 2, or there is none.
    """
    tried = [int(size) for size in sizes]
    if not tried or min(tried) < 2:
        raise InvalidParameter(
            f"sizes is {tried}: give one number of symbols or more, each at least 2"
        )
    # a size's joint distributions are the same whichever other sizes there are
    seed = int(generator(rng).integers(2**32))
    drawn = {
        size: uniform_joints(n_trials, n_secret, size, generator(seed + size))
        for size in tried
    }
    tasks = [
        (drawn[size][trial], eps, lam) for trial in range(n_trials) for size in tried
    ]
    distances = parallel_map(_distances, tasks)
    trials = [
        distances[at : at + len(tried)] for at in range(0, len(distances), len(tried))
    ]
    return over_trials(trials, "n_public", tried)


def _distances(task: tuple[Matrix, float, float]) -> Measured:
    joint, notion = Joint(task[0]), ALIP.split(task[1], task[2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the bound shows whether the limit was reached
        best = optimal_response(joint, notion, gap=GAP, work=PROGRAMMES).certified(
            ResponseCertificate
        )
    merged, answered = (
        merge_in_subsets(joint, notion)[0],
        respond_in_subsets(joint, notion)[0],
    )
    first = evaluate(joint, merged)
    optimum, upper = best.value / first.entropy, best.upper / first.entropy
    heuristics = {"SRR": evaluate(joint, answered).nmi, "subset merging": first.nmi}
    return {"optimum": {"nmi": optimum, "gap": upper - optimum}} | {
        name: {"nmi": nmi, "behind": max(0.0, upper - nmi)}
        for name, nmi in heuristics.items()
    }
