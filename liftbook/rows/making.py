"""What figure functions share: timing, the papers' scales, Adult as the default table,
and numbers for the text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

import numpy as np
import pandas as pd

from liftlib.datasets import adult
from liftlib.joint import Joint
from mixproof.numerics import Matrix

P = ParamSpec("P")


def figure(function: Callable[P, pd.DataFrame]) -> Callable[P, pd.DataFrame]:
    """Mark a function as a figure."""
    function.is_figure = True  # type: ignore[attr-defined]
    return function


def adult_joint(leave_out: Sequence[str] = (), joint: Joint | None = None) -> Matrix:
    """Return the given joint, or else Adult's relationship and occupation,
    (1, S, X).
    """
    return (
        adult("relationship", "occupation", leave_out=tuple(leave_out))
        if joint is None
        else joint
    ).p[None]


T = TypeVar("T")

REPEATS = 3
"""Number of runs, of which the fastest counts."""


def fastest(function: Callable[[], T], repeats: int = REPEATS) -> tuple[T, float]:
    """Return a function's result and the seconds of its fastest run."""
    least = np.inf
    for _ in range(repeats):
        started = time.perf_counter()
        result = function()
        least = min(least, time.perf_counter() - started)
    return result, least


def _quarters(first: float, last: float) -> tuple[float, ...]:
    return tuple(float(e) for e in np.arange(4 * first, 4 * last + 1) / 4)


E23_EPSILONS = _quarters(0.25, 8)
"""E23 section 3.1.3: LDP budgets 0.25, 0.5, ..., 8, nats."""

E23_LARGE_EPSILONS = _quarters(1, 8)
"""E23 section 5.2: the LDP budgets 1, 1.25, ..., 8 of Fig. 10, nats."""

E23_LAMBDAS = (0.35, 0.5, 0.65)
"""E23 section 3.1.3: the shares of the min-lift budget."""

C22_EPSILONS = _quarters(0.25, 2.5)
"""C22 section 4: LIP budgets 0.25, 0.5, ..., 2.5, nats."""

I21_SHARES = tuple(float(a) for a in np.arange(1, 51) / 50)
"""Shares 0.02, 0.04, ..., 1; I21 covers (0, 1] without stating its steps."""

S20_EPSILONS = (0.5, 1.0, 1.5, 2.0)
"""S20 section VIII-A: LDP, LIP and SRLIP budgets, nats."""

S20_SHAPE = (3, 3, 4)
"""S20 section VIII-B: sizes of the three attributes."""

S20_ADULT_EPSILONS = (
    0.1,
    0.2,
    0.3,
    0.4,
    0.5,
    0.75,
    1.0,
    1.25,
    1.5,
    1.75,
    2.0,
    2.5,
    3.0,
    3.5,
    4.0,
)
"""LIP budgets of S20 Figs 5 and 8, nats; its text does not give its own."""

S20_RANDOM_EPSILONS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""LIP budgets of S20 Fig. 6, nats; its text does not give its own."""

S20_SIZES = (5, 10, 20)
"""Alphabet sizes of S20 Fig. 6; its text does not give its own."""

S20_SHAPES = ((20, 5), (10, 10), (5, 20))
"""(|S|, |X|) of S20 Fig. 7; its text does not give its own."""

S20_SECRETS, S20_PUBLICS = (
    ("marital-status", "occupation"),
    ("education", "relationship", "sex"),
)
"""S20 section VIII-C: the columns of Adult."""


def curve(rows: pd.DataFrame, series: str, measure: str = "nmi") -> pd.Series:
    """Return the means of one series by budget, in nats; empty if it was not run."""
    part = rows[(rows["series"] == series) & (rows["measure"] == measure)]
    return part.set_index("eps")["mean"].sort_index()


def at(rows: pd.DataFrame, series: str, eps: float, measure: str = "nmi") -> float:
    """Return the mean of one point; NaN if its series or budget was not run.

    A sentence names its budget, so the nearest budget of a rerun would be false there.

    Examples
    --------
    >>> rows = pd.DataFrame(
    ...     {"series": "LDP", "measure": "nmi", "eps": [1.0, 3.0], "mean": [0.25, 0.5]}
    ... )
    >>> at(rows, "LDP", 3), at(rows, "LDP", 2)
    (0.5, nan)
    """
    return float(curve(rows, series, measure).get(float(eps), float("nan")))


def nearest(values: Sequence[float], wanted: float) -> float:
    """Return the budget or share of a run that is nearest to the paper's; of two, the
    smaller.

    A sentence names the value that this returns, so that it holds for any run.

    Examples
    --------
    >>> nearest([0.5, 3.0, 1.5], 2), nearest([0.4], 0.65)
    (1.5, 0.4)
    """
    return float(min(sorted(values), key=lambda value: abs(value - wanted)))
