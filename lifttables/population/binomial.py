"""Exact confidence bounds on one probability, or on two jointly, from counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mixproof.numerics import Vector

# steps of the staircase that bounds two probabilities together; more would save at most
# 0.6 nats
STAIRCASE_STEPS = 16


def clopper_pearson(
    seen: ArrayLike, rows: ArrayLike, log_level: ArrayLike, *, lower: bool = True
) -> tuple[Vector, Vector]:
    """Return the Clopper-Pearson bounds on probabilities.

    Parameters
    ----------
    seen, rows : array_like
        Number of successes and of independent rows, 0 <= seen <= rows. Without rows the
        bounds are 0 and 1.
    log_level : array_like
        Log of the error probability of each bound; negative, of any magnitude.
    lower : bool, keyword-only
        Whether to compute the lower bound, which is 0 otherwise.

    Returns
    -------
    lower, upper : numpy.ndarray
        Of the broadcast shape of the arguments. For ``seen = 0`` the bounds are 0 and a
        positive number.

    Notes
    -----
    Clopper and Pearson 1934: the lower bound is the p with P(Bin(rows, p) >= seen) =
    level, a beta quantile.

    Examples
    --------
    >>> low, up = clopper_pearson(0, 10, np.log(0.025))
    >>> float(low), round(float(up), 4)
    (0.0, 0.3085)
    """
    from scipy.special import (  # noqa: PLC0415
        betainccinv,
        betaincinv,
    )

    k, n = np.asarray(seen, dtype=np.float64), np.asarray(rows, dtype=np.float64)
    level = np.exp(np.asarray(log_level, dtype=np.float64))
    low = (
        np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, level), 0.0)
        if lower
        else np.zeros(())
    )
    upper = np.where(k < n, betainccinv(k + 1, np.maximum(n - k, 1), level), 1.0)
    return low, upper


def fisher_levels(log_level: ArrayLike) -> Vector:
    """Return the log-levels of paired bounds on two independent binomials.

    Parameters
    ----------
    log_level : array_like, shape (m,)
        Log of the probability that the joint statement is wrong, below 0.

    Returns
    -------
    numpy.ndarray, shape (m, STAIRCASE_STEPS - 1)
        Except with that probability, there is an i such that the bound at level i on
        one probability and the bound at level -1 - i on the other both hold.

    Notes
    -----
    Fisher's method: the p-values u and v of the true probabilities are independent and
    stochastically at least uniform. With n levels e^(-t i / n) including the last one,
    the region of (u, v) where each i fails has the area e^-t (1 + n (e^(t/n) - 1)); as
    n grows, this tends to P(uv < e^-t) = (1 + t) e^-t.

    Examples
    --------
    >>> levels = fisher_levels(np.log([0.01]))
    >>> levels.shape, float((levels[0, 0] + levels[0, -1]).round(2))
    ((1, 15), -6.86)
    """
    level = np.asarray(log_level, dtype=np.float64)
    t = 10 - 2 * level
    for _ in range(100):  # from above, so that the chance is never larger
        t = np.log1p(STAIRCASE_STEPS * np.expm1(t / STAIRCASE_STEPS)) - level
    return np.asarray(-t[..., None] * np.arange(1, STAIRCASE_STEPS) / STAIRCASE_STEPS)
