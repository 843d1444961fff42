"""Run time of one call."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

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
