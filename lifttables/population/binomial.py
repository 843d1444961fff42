"""Exact bounds on a probability, given how often something was seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mixproof.numerics import Vector


def clopper_pearson(seen: ArrayLike, rows: ArrayLike, log_level: ArrayLike) -> tuple[Vector, Vector]:
    """Return a lower and an upper bound on a probability, each wrong with at most a given chance.

    Parameters
    ----------
    seen, rows : array_like
        How many of how many independent rows; 0 <= seen <= rows. No rows give 0 and 1.
    log_level : array_like
        The logarithm of the chance that one of the bounds is wrong, below 0; it may be very small.

    Returns
    -------
    lower, upper : numpy.ndarray
        Of the shape that the arguments broadcast to. ``seen = 0`` has the lower bound 0 and an upper one above 0.

    Notes
    -----
    Clopper and Pearson 1934. The lower bound is the p at which P(Bin(rows, p) >= seen) is the level, a quantile of
    the beta distribution.

    Examples
    --------
    >>> low, up = clopper_pearson(0, 10, np.log(0.025))
    >>> float(low), round(float(up), 4)
    (0.0, 0.3085)
    """
    from scipy.special import betainccinv, betaincinv  # noqa: PLC0415 - only who asks for a bound waits for scipy

    k, n = np.asarray(seen, dtype=np.float64), np.asarray(rows, dtype=np.float64)
    level = np.exp(np.asarray(log_level, dtype=np.float64))
    lower = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, level), 0.0)
    upper = np.where(k < n, betainccinv(k + 1, np.maximum(n - k, 1), level), 1.0)
    return lower, upper
