"""Tidy rows: one row a series, abscissa and measure, with the mean and the spread over trials."""

import time
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec

import numpy as np
import pandas as pd

from liftlib.errors import InvalidParameter
from liftlib.numerics import Matrix

RngLike = int | np.random.Generator
P = ParamSpec("P")


def timed(figure: Callable[P, pd.DataFrame]) -> Callable[P, pd.DataFrame]:
    """Let a figure's rows carry the seconds that they took, in ``rows.attrs["seconds"]``, for the map of figures."""

    @wraps(figure)
    def run(*args: P.args, **kwargs: P.kwargs) -> pd.DataFrame:
        started = time.perf_counter()
        rows = figure(*args, **kwargs)
        rows.attrs["seconds"] = time.perf_counter() - started
        return rows

    return run


def generator(rng: RngLike) -> np.random.Generator:
    """Return a numpy generator: the one given, or a new one from a seed."""
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)


def budgets(values: Iterable[float]) -> list[float]:
    """Return privacy budgets as floats, refusing an empty list and what is negative or not finite."""
    found = [float(v) for v in values]
    if not found or not all(0 <= v < np.inf for v in found):
        raise InvalidParameter(f"epsilons is {found}: give one finite budget or more, in nats, none negative")
    return found


def summary(measures: Mapping[str, Matrix], **keys: Any) -> list[dict[str, Any]]:
    """Return a row for each measure with the mean and standard deviation of its values over trials.

    Parameters
    ----------
    measures : mapping of str to numpy.ndarray, shape (n_trials,)
        Values of one point of one series. A NaN is an error in the caller, never skipped.
    **keys
        What identifies the point, such as ``series`` and ``eps``.
    """
    rows = []
    for measure, given in measures.items():
        values = np.asarray(given, dtype=np.float64)
        if np.isnan(values).any():
            raise InvalidParameter(f"{measure} is NaN in trial {int(np.isnan(values).argmax())} of {keys}")
        # the spread of values of which some are infinite has no meaning
        spread = float(values.std(ddof=1)) if values.size > 1 and np.isfinite(values).all() else np.nan
        rows.append({**keys, "measure": measure, "mean": float(values.mean()), "std": spread, "n": values.size})
    return rows


def frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows as a table."""
    return pd.DataFrame(list(rows))
