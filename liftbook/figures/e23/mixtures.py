"""Whether the bounds of E23 section 6 are convex, tested on mixtures of outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from liftbook.rows.making import figure
from liftbook.rows.tidy import budgets, frame
from liftlib.notions import AlphaLift, Chi2Lift, L1Lift, LiftNotion
from mixproof.numerics import Matrix, Rng, Vector, generator

KINDS: dict[str, Callable[[float, float], LiftNotion]] = {
    "l1": L1Lift,
    "chi2": Chi2Lift,
    "alpha": lambda low, high: AlphaLift(2, low, high),
}
SIDES: dict[str, Callable[[float], tuple[float, float]]] = {
    "one-sided": lambda eps: (np.inf, eps / 2),
    "inverse alone": lambda eps: (eps / 2, np.inf),
    "two-sided": lambda eps: (eps / 2, eps / 2),
}
"""Budgets of the measure, of its inverse, or of both as in E23 section 6.2, at lambda 1/2."""


def excess_of_mixtures(notion: LiftNotion, p_s: Vector, pairs: int, rng: np.random.Generator) -> float:
    """Return the largest violation by a mixture of two boundary outputs, in nats.

    ``pairs`` random pairs of posteriors are mixed with weights 1/4, 1/2 and 3/4.
    """
    ends = _on_the_boundary(notion, p_s, rng.dirichlet(np.full(len(p_s), 0.5), size=2 * pairs).T)
    first, second = ends[:, :pairs], ends[:, pairs:]
    worst = -np.inf
    for share in (0.25, 0.5, 0.75):
        mixed = (share * first + (1 - share) * second) / p_s[:, None]
        worst = max(worst, *(float((need.needed - need.allowed).max()) for need in notion.required_budgets(mixed, p_s)))
    return worst


def _on_the_boundary(notion: LiftNotion, p_s: Vector, towards: Matrix) -> Matrix:
    """Return the last allowed posterior on the segment from the prior to each column."""
    low, high = np.zeros(towards.shape[1]), np.ones(towards.shape[1])
    for _ in range(50):
        middle = (low + high) / 2
        posterior = p_s[:, None] + middle * (towards - p_s[:, None])
        needs = notion.required_budgets(posterior / p_s[:, None], p_s)
        satisfied = np.logical_and.reduce([need.needed <= need.allowed for need in needs])
        low, high = np.where(satisfied, middle, low), np.where(satisfied, high, middle)
    return np.asarray(p_s[:, None] + low * (towards - p_s[:, None]))


@figure
def convexity_of_bounds(
    epsilons: Iterable[float] = (0.25, 1.0, 2.0), n_secret: int = 5, n_priors: int = 20, pairs: int = 500, rng: Rng = 0
) -> pd.DataFrame:
    """Return how far mixtures exceed a bound that both outputs satisfy (ours).

    Parameters
    ----------
    n_priors : int
        Number of priors, drawn uniformly from the simplex.
    pairs : int
        Number of random pairs of outputs per prior.

    Returns
    -------
    pandas.DataFrame
        Columns ``measure`` (l1, chi2, alpha of order 2), ``side`` (one-sided, inverse alone, two-sided), ``eps`` (the
        LDP budget, half for each side), ``excess`` (the largest, nats; at most 0 where the set is convex).
    """
    random, rows = generator(rng), []
    priors = random.dirichlet(np.ones(n_secret), size=n_priors)
    for measure, kind in KINDS.items():
        for side, split in SIDES.items():
            for eps in budgets(epsilons):
                violations = [excess_of_mixtures(kind(*split(eps)), p_s, pairs, random) for p_s in priors]
                rows.append({"measure": measure, "side": side, "eps": eps, "excess": max(violations)})
    return frame(rows)
