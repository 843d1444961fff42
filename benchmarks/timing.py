"""Routes to one answer, timed in turn."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def side_by_side(
    routes: dict[str, Callable[[], float]], repeats: int, limit: float = 60.0
) -> dict[str, float]:
    """Return each route's median seconds, routes in turn, after one round to warm up.

    A route slower than ``limit`` is run once; where all are faster than a hundredth of
    a second there are more rounds.
    """
    seconds: dict[str, list[float]] = {name: [] for name in routes}
    answers: dict[str, float] = {}
    rounds = 0
    while rounds <= repeats:
        if (
            rounds == 1
            and repeats > 1
            and all(first[0] < 0.01 for first in seconds.values())
        ):
            repeats = 50
        rounds += 1
        for name, route in routes.items():
            if seconds[name] and seconds[name][0] > limit / repeats:
                continue
            started = time.perf_counter()
            answers[name] = route()
            seconds[name].append(time.perf_counter() - started)
    first = next(iter(answers.values()))
    assert all(abs(value - first) < 1e-6 for value in answers.values()), answers
    return {
        name: statistics.median(values[1:] or values)
        for name, values in seconds.items()
    }
