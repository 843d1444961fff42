"""Tidy rows, with the mean, standard deviation and quantiles over trials."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from liftbook.rows.jobs import T, parallel_map
from liftlib.errors import InvalidParameter, shown
from mixproof.numerics import Matrix

Measured = Mapping[str, Mapping[str, float]]
"""Measures of one joint distribution at one abscissa, by series."""

QUANTILES = (0.1, 0.9)
"""Ends of a figure's band, which unlike mean and spread stay in the range of the
values.
"""


def budgets(values: Iterable[float]) -> list[float]:
    """Return privacy budgets as floats, checked."""
    if not isinstance(values, Iterable):
        raise InvalidParameter(
            f"epsilons is {shown(values)}: give several numbers, such as [0.5, 1.0]"
        )
    epsilons = [float(v) for v in values]
    if not epsilons or not all(0 <= v < np.inf for v in epsilons):
        raise InvalidParameter(
            f"epsilons is {epsilons}: give one finite budget or more, in nats, none"
            " negative"
        )
    return epsilons


def shares_in(values: Iterable[float]) -> list[float]:
    """Return a non-empty list of shares as floats, checked to be in [0, 1]."""
    shares = [float(v) for v in values]
    if not shares or not all(0 <= v <= 1 for v in shares):
        raise InvalidParameter(
            f"shares is {shares}: give one share or more, each in [0, 1]"
        )
    return shares


def ratio(part: float, whole: float) -> float:
    """Return ``part / whole`` of two amounts of information, which is 1 where both are
    zero up to rounding.

    >>> ratio(1.0, 2.0), ratio(1e-17, 0.0)
    (0.5, 1.0)
    """
    if max(part, whole) < 1e-12:
        return 1.0
    return part / whole if whole > 0 else np.inf


def exponent(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the power of x with which y grows, by least squares; NaN for fewer than
    two positive x.

    >>> round(exponent([0, 1, 2, 4], [5, 3, 12, 48]), 9), exponent([1], [2])
    (2.0, nan)
    """
    points = np.array([x, y], dtype=np.float64)
    sizes, values = np.log(points[:, points[0] > 0])
    return (
        float(np.polyfit(sizes, values, 1)[0]) if np.unique(sizes).size > 1 else np.nan
    )


def summary(measures: Mapping[str, Matrix], **keys: Any) -> list[dict[str, Any]]:
    """Return mean, standard deviation and quantiles of each measure over trials.

    ``keys`` identify the point, such as ``series`` and ``eps``. NaN raises
    ``InvalidParameter``.
    """
    rows = []
    for measure, given in measures.items():
        values = np.asarray(given, dtype=np.float64)
        if np.isnan(values).any():
            raise InvalidParameter(
                f"{measure} is NaN in trial {int(np.isnan(values).argmax())} of {keys}"
            )
        # the standard deviation is undefined if a value is infinite
        spread = (
            float(values.std(ddof=1))
            if values.size > 1 and np.isfinite(values).all()
            else np.nan
        )
        # does not interpolate infinite values
        low, high = np.quantile(values, QUANTILES, method="nearest")
        numbers = {
            "mean": float(values.mean()),
            "std": spread,
            "low": float(low),
            "high": float(high),
        }
        rows.append({**keys, "measure": measure, **numbers, "n": values.size})
    return rows


def single(measures: Mapping[str, float], **keys: Any) -> list[dict[str, Any]]:
    """Return the rows of ``summary`` for a single trial, which has no spread."""
    return summary(
        {name: np.array([value]) for name, value in measures.items()}, **keys
    )


def over_trials(
    trials: Sequence[Sequence[Measured]], name: str, values: Sequence[float]
) -> pd.DataFrame:
    """Return the summary of trials at each value of the abscissa ``name``.

    ``trials`` contains, for each trial, the measures at each value.
    """
    rows: list[dict[str, Any]] = []
    for at, value in enumerate(values):
        for series, measured in trials[0][at].items():
            measures = {
                key: np.array([trial[at][series][key] for trial in trials])
                for key in measured
            }
            rows += summary(measures, series=series, **{name: value})
    return frame(rows)


def parallel_rows(
    function: Callable[[T], Iterable[Mapping[str, Any]]], tasks: Iterable[T]
) -> pd.DataFrame:
    """Return the rows of all tasks as one table, computed by worker processes."""
    return frame(row for rows in parallel_map(function, tasks) for row in rows)


def frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows as a table."""
    return pd.DataFrame(list(rows))
