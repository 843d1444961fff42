"""Shared parts of figure functions: timing, and Adult as the default table."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import wraps
from typing import ParamSpec

import pandas as pd

from liftlib.datasets import adult
from liftlib.joint import Joint
from mixproof.numerics import Matrix

P = ParamSpec("P")


def figure(function: Callable[P, pd.DataFrame]) -> Callable[P, pd.DataFrame]:
    """Record a figure's computing time in ``rows.attrs["seconds"]``."""

    @wraps(function)
    def timed(*args: P.args, **kwargs: P.kwargs) -> pd.DataFrame:
        started = time.perf_counter()
        rows = function(*args, **kwargs)
        rows.attrs["seconds"] = time.perf_counter() - started
        return rows

    return timed


def adult_joint(leave_out: Sequence[str] = (), joint: Joint | None = None) -> Matrix:
    """Return the given joint, or else Adult's relationship and occupation, (1, S, X)."""
    return (adult("relationship", "occupation", leave_out=tuple(leave_out)) if joint is None else joint).p[None]
