"""What a design for the population needs, by hand.

A condition of LIP is one on P(x|s) and P(x|not s), and the bounds on these share a
chance of error by Fisher's method.
"""

import functools
import itertools
import math

import numpy as np
from scipy.stats import beta

from lifttables.population.binomial import fisher_levels


@functools.cache  # halving a budget asks for the same ends again
def upper(seen, rows, level):
    return float(beta.isf(level, seen + 1, rows - seen)) if seen < rows else 1.0


@functools.cache
def lower(seen, rows, level):
    return float(beta.ppf(level, seen, rows - seen + 1)) if seen > 0 else 0.0


def interval(seen, rows, level):
    """Return Clopper and Pearson's interval, each end wrong with chance ``level``."""
    return lower(seen, rows, level), upper(seen, rows, level)


@functools.cache
def levels_of(error):
    return np.exp(fisher_levels(np.log([error]))[0])


def miss(counts, s, x, budget, error, *, rises):
    """Bound P(x|s) e^-budget - P(x) if the belief in s rises, else the converse.

    The chance of error is shared by each secret's condition and P(s), a quarter of
    all for P(s), and halved for rising and falling, and for the symbol and the other.
    """
    counts = np.asarray(counts)
    rows, f = counts.sum(axis=1), math.exp(-budget)
    ends = [end(rows[s], rows.sum(), error / 4 / 4) for end in (lower, upper)]
    levels = levels_of(error / 3 / 2 / 2)
    worst = -math.inf
    for pi, (u, v) in itertools.product(ends, zip(levels, levels[::-1], strict=True)):
        if rises:
            p, q, c, d = counts[s], counts[1 - s], max(f - pi, 0), 1 - pi
        else:
            p, q, c, d = counts[1 - s], counts[s], f * (1 - pi), 1 - f * pi
        worst = max(worst, c * upper(p[x], p.sum(), u) - d * lower(q[x], q.sum(), v))
    return worst


def needed(counts, kernel, error):
    """Return the least budget of LIP at which all bounds keep it, by halving."""
    low, high = 0.0, 20.0
    while high - low > 1e-10:
        middle = (low + high) / 2
        kept = all(
            (column.max() - column.min())
            * miss(counts, s, int(column.argmax()), middle, error, rises=rises)
            + column.min() * math.expm1(-middle)
            <= 1e-15
            for column in np.asarray(kernel, dtype=float).T
            for s, rises in itertools.product(range(2), (True, False))
        )
        low, high = (low, middle) if kept else (middle, high)
    return high
