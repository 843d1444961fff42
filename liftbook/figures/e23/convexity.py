"""E23 section 6.2: the posteriors that a bound on a measure allows, and whether bounds
are convex, on mixtures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from liftbook.rows.making import figure
from liftbook.rows.tidy import budgets, frame
from liftlib.errors import InvalidParameter
from liftlib.measures.lifts import alpha_of, chi2_of, inverse_of, l1_of
from liftlib.notions import AlphaLift, Chi2Lift, L1Lift, LiftNotion
from mixproof.numerics import SUM_TOL, Matrix, Rng, Vector, check_scalar, generator

PRIOR = (0.05, 0.05, 0.9)
ENDS = ((0.19, 0.05, 0.76), (0.05, 0.19, 0.76))
"""Posteriors of two outputs, each raising a rare secret; their mixture exceeds a bound
on two of the inverses.
"""


def lift_measures(alpha: float = 2) -> dict[str, Callable[[Matrix, Vector], Vector]]:
    """Return E23's six measures by name, as functions of lifts and priors.

    ``alpha``, above 1, is the order of the alpha-lift and its inverse.
    """
    order = check_scalar("alpha", alpha, 1, open_low=True)
    return {
        "l1_lift": l1_of,
        "chi2_lift": chi2_of,
        "alpha_lift": lambda lift, p_s: alpha_of(lift, p_s, order),
        "l1_lift_inverse": lambda lift, p_s: l1_of(inverse_of(lift), p_s),
        "chi2_lift_inverse": lambda lift, p_s: chi2_of(inverse_of(lift), p_s),
        "alpha_lift_inverse": lambda lift, p_s: alpha_of(inverse_of(lift), p_s, order),
    }


def lift_sets(
    prior: Sequence[float] = PRIOR,
    ends: Sequence[Sequence[float]] = ENDS,
    *,
    alpha: float = 2,
    resolution: int = 200,
    largest: float = 0.3,
) -> pd.DataFrame:
    """Return E23's six measures over posteriors of three secrets, and on a chord.

    Parameters
    ----------
    prior : sequence of float, length 3
        P_S.
    ends : sequence of two posteriors
        End points of the chord; its midpoint is their equal mixture.
    alpha : float, keyword-only
        The order of the alpha-lift and its inverse, above 1.
    resolution : int, keyword-only
        Number of grid points per side.
    largest : float, keyword-only
        The largest P(s1|y) and P(s2|y) of the grid.

    Returns
    -------
    pandas.DataFrame
        Columns ``measure``, ``s1``, ``s2`` (posterior of the first two secrets),
        ``value``, and, constant for each measure, ``level``, the larger value of the
        two ends, and ``middle``, the value of their mixture.

    Raises
    ------
    InvalidParameter
        If the prior or an end is no distribution of three secrets.
    """
    p_s, points = np.array(prior, dtype=float), np.array(ends, dtype=float)
    if p_s.shape != (3,) or points.shape != (2, 3):
        raise InvalidParameter(
            f"prior {prior} and ends {ends}: give the three probabilities of one prior,"
            " two ends"
        )
    sums = np.vstack([p_s, points]).sum(axis=1)
    if (
        not (np.abs(sums - 1) <= SUM_TOL).all()
        or not (p_s > 0).all()
        or not (points >= 0).all()
    ):
        raise InvalidParameter(
            f"prior {prior} and ends {ends} must each sum to 1, none with a negative"
            " entry, the prior without zeros"
        )
    side = (
        check_scalar("largest", largest, 0, 1, open_low=True)
        * (np.arange(resolution) + 0.5)
        / resolution
    )
    s1, s2 = (grid.ravel() for grid in np.meshgrid(side, side))
    inside = s1 + s2 < 1
    grid = np.stack([s1, s2, 1 - s1 - s2])[:, inside]
    chord = np.column_stack([*points, points.mean(axis=0)])
    tables = []
    for name, measure in lift_measures(alpha).items():
        first, second, middle = measure(chord / p_s[:, None], p_s)
        tables.append(
            pd.DataFrame({"measure": name, "s1": grid[0], "s2": grid[1]}).assign(
                value=measure(grid / p_s[:, None], p_s),
                level=max(first, second),
                middle=middle,
            )
        )
    return pd.concat(tables, ignore_index=True)


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
"""Budgets of the measure, of its inverse, or of both as in E23 section 6.2, at lambda
1/2.
"""


def excess_of_mixtures(
    notion: LiftNotion, p_s: Vector, pairs: int, rng: np.random.Generator
) -> float:
    """Return the largest violation by a mixture of two boundary outputs, in nats.

    ``pairs`` random pairs of posteriors are mixed with weights 1/4, 1/2 and 3/4.
    """
    ends = _on_the_boundary(
        notion, p_s, rng.dirichlet(np.full(len(p_s), 0.5), size=2 * pairs).T
    )
    first, second = ends[:, :pairs], ends[:, pairs:]
    worst = -np.inf
    for share in (0.25, 0.5, 0.75):
        mixed = (share * first + (1 - share) * second) / p_s[:, None]
        worst = max(
            worst,
            *(
                float((need.needed - need.allowed).max())
                for need in notion.required_budgets(mixed, p_s)
            ),
        )
    return worst


def _on_the_boundary(notion: LiftNotion, p_s: Vector, towards: Matrix) -> Matrix:
    """Return the last allowed posterior on the segment from the prior to
    each column.
    """
    low, high = np.zeros(towards.shape[1]), np.ones(towards.shape[1])
    for _ in range(50):
        middle = (low + high) / 2
        posterior = p_s[:, None] + middle * (towards - p_s[:, None])
        needs = notion.required_budgets(posterior / p_s[:, None], p_s)
        satisfied = np.logical_and.reduce(
            [need.needed <= need.allowed for need in needs]
        )
        low, high = np.where(satisfied, middle, low), np.where(satisfied, high, middle)
    return np.asarray(p_s[:, None] + low * (towards - p_s[:, None]))


@figure
def convexity_of_bounds(
    epsilons: Iterable[float] = (0.25, 1.0, 2.0),
    n_secret: int = 5,
    n_priors: int = 20,
    pairs: int = 500,
    rng: Rng = 0,
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
        Columns ``measure`` (l1, chi2, alpha of order 2), ``side`` (one-sided, inverse
        alone, two-sided), ``eps`` (the LDP budget, half for each side), ``excess`` (the
        largest, nats; at most 0 where the set is convex).
    """
    random, rows = generator(rng), []
    priors = random.dirichlet(np.ones(n_secret), size=n_priors)
    for measure, kind in KINDS.items():
        for side, split in SIDES.items():
            for eps in budgets(epsilons):
                violations = [
                    excess_of_mixtures(kind(*split(eps)), p_s, pairs, random)
                    for p_s in priors
                ]
                rows.append(
                    {
                        "measure": measure,
                        "side": side,
                        "eps": eps,
                        "excess": max(violations),
                    }
                )
    return frame(rows)
