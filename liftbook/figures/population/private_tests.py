"""Upper bounds on a probability from private counts, ours beside those of the most
powerful private tests.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy.stats import beta, binom

from lifttables.population.noise import Rows, upper_bounds
from mixproof.numerics import Matrix, Rng, Vector, generator

STEPS = 25
"""Bisections of an interval of probabilities."""


def tulap_cdf(x: Matrix, eps: float) -> Matrix:
    """Return the distribution function of discrete Laplace noise plus a uniform number
    in [-1/2, 1/2].

    This is Tulap(0, e^-eps, 0) of Awan and Slavkovic 2020; its density is constant
    between half integers.

    Examples
    --------
    >>> tulap_cdf(np.array([-0.5, 0.0, 0.5]), np.log(2)).round(4).tolist()
    [0.3333, 0.5, 0.6667]
    """
    b, away = np.exp(-eps), np.abs(x)
    nearest = np.floor(away + 0.5)
    # the mass beyond -away: whole steps that are further out, and a part of the step
    # that contains it
    beyond = b**nearest * (b + (nearest - away + 0.5) * (1 - b)) / (1 + b)
    return np.asarray(np.where(x <= 0, beyond, 1 - beyond))


def most_powerful_bounds(seen: Vector, n: int, eps: float, level: float) -> Vector:
    """Return upper bounds on p from a binomial count of n rows plus Tulap noise.

    The p-value of "the probability is at least p" is P(Bin(n, p) + noise <= seen), and
    its test is uniformly most powerful under eps-differential privacy (Awan and
    Slavkovic 2020). The bound is the largest p with a p-value above ``level``.
    """
    counts = np.arange(n + 1)
    below = tulap_cdf(seen[:, None] - counts, eps)
    low, high = np.zeros(len(seen)), np.ones(len(seen))
    for _ in range(STEPS):
        middle = (low + high) / 2
        p_values = (binom.pmf(counts, n, middle[:, None]) * below).sum(axis=1)
        low, high = (
            np.where(p_values > level, middle, low),
            np.where(p_values > level, high, middle),
        )
    return high


def bounds_from_cells(noisy: Matrix, n: int, c: float, level: float) -> Vector:
    """Return the upper bounds of ``thm-population-noise`` for the first of two noisy
    cells, shape (k, 2), of n rows.
    """
    found = []
    for first, second in noisy.astype(np.int64):
        rows = Rows(int(first + second), n, n, 2)
        bound = upper_bounds(
            rows, np.array([first]), np.array([1]), np.array([[np.log(level)]]), c
        )
        found.append(bound[0, 0])
    return np.array(found)


def private_bounds(
    rows: Iterable[int] = (50, 200, 800),
    epsilons: Iterable[float] = (0.5, 1.0, 2.0),
    p: float = 0.3,
    against: float = 0.4,
    level: float = 0.05,
    n_trials: int = 200,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return mean widths of upper bounds, and how often they are below ``against``.

    Each guarantee is eps for somebody who knows all rows but one. A changed row moves
    the count by 1, but two cells; so the noise of each cell is for eps / 2.

    Parameters
    ----------
    rows, epsilons : iterable
        Numbers of rows, which are public, and guarantees in nats.
    p, against : float
        The probability of the rows, and the one that the test rejects if its bound is
        below.
    level : float
        Error probability of a bound.
    n_trials : int
        Tables per row of the result.

    Returns
    -------
    pandas.DataFrame
        ``rows``, ``eps``, ``bounds``, ``width`` (mean bound minus p), ``power`` and
        ``failed`` (share of bounds below p).
    """
    random, found = generator(rng), []
    for n in rows:
        count = random.binomial(n, p, size=n_trials)
        exact = np.asarray(beta.ppf(1 - level, count + 1, n - count))
        for eps in epsilons:
            noisy = (
                count
                + _discrete_laplace(random, eps, n_trials)
                + random.uniform(-0.5, 0.5, n_trials)
            )
            cells = np.column_stack([count, n - count])
            cells = cells + _discrete_laplace(random, eps / 2, (n_trials, 2))
            bounds: dict[str, Vector] = {
                "no noise": exact,
                "most powerful": most_powerful_bounds(noisy, n, eps, level),
                "two cells": bounds_from_cells(cells, n, eps / 2, level),
            }
            for name, upper in bounds.items():
                found.append(
                    {
                        "rows": n,
                        "eps": eps,
                        "bounds": name,
                        "width": float(upper.mean() - p),
                        "power": float((upper < against).mean()),
                        "failed": float((upper < p).mean()),
                    }
                )
    return pd.DataFrame(found)


def _discrete_laplace(
    random: np.random.Generator, eps: float, size: int | tuple[int, ...]
) -> Matrix:
    """Return noise with probabilities proportional to exp(-eps abs(z)): a difference of
    two geometric numbers.
    """
    shape = (size,) if isinstance(size, int) else size
    first, second = random.geometric(-np.expm1(-eps), size=(2, *shape))
    return np.asarray(first - second, dtype=np.float64)
