"""The posteriors that a bound on a measure of lift allows (E23 section 6.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from liftlib.errors import InvalidParameter
from liftlib.measures.lifts import alpha_of, chi2_of, inverse_of, l1_of
from mixproof.numerics import SUM_TOL, Matrix, Vector, check_scalar

PRIOR = (0.05, 0.05, 0.9)
ENDS = ((0.19, 0.05, 0.76), (0.05, 0.19, 0.76))
"""Posteriors of two outputs, each raising a rare secret; their mixture exceeds a bound on two of the inverses."""


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
        Columns ``measure``, ``s1``, ``s2`` (posterior of the first two secrets), ``value``, and, constant for each
        measure, ``level``, the larger value of the two ends, and ``middle``, the value of their mixture.
    """
    p_s, points = np.array(prior, dtype=float), np.array(ends, dtype=float)
    if p_s.shape != (3,) or points.shape != (2, 3):
        raise InvalidParameter(f"prior {prior} and ends {ends}: give the three probabilities of one prior, two ends")
    sums = np.vstack([p_s, points]).sum(axis=1)
    if not (np.abs(sums - 1) <= SUM_TOL).all() or not (p_s > 0).all() or not (points >= 0).all():
        raise InvalidParameter(
            f"prior {prior} and ends {ends} must each sum to 1, none with a negative entry, the prior without zeros"
        )
    side = check_scalar("largest", largest, 0, 1, open_low=True) * (np.arange(resolution) + 0.5) / resolution
    s1, s2 = (grid.ravel() for grid in np.meshgrid(side, side))
    inside = s1 + s2 < 1
    grid = np.stack([s1, s2, 1 - s1 - s2])[:, inside]
    chord = np.column_stack([*points, points.mean(axis=0)])
    tables = []
    for name, measure in lift_measures(alpha).items():
        first, second, middle = measure(chord / p_s[:, None], p_s)
        tables.append(
            pd.DataFrame({"measure": name, "s1": grid[0], "s2": grid[1]}).assign(
                value=measure(grid / p_s[:, None], p_s), level=max(first, second), middle=middle
            )
        )
    return pd.concat(tables, ignore_index=True)
