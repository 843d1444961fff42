"""The distance of SRR and subset merging from the proven optimum."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import pandas as pd

from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import figure
from liftbook.rows.responses import merge_in_subsets, respond_in_subsets
from liftbook.rows.tidy import Measured, over_trials
from liftlib.datasets import uniform_joints
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import ALIP
from liftlib.response.optimal import optimal_response
from liftlib.response.posteriors import ResponseCertificate
from mixproof.numerics import Matrix, Rng, generator

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
