"""Speedup of the search for the optimum on many cores, from recorded task times."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import pandas as pd

from liftbook.rows.making import figure
from liftlib.resources import resource


@figure
def on_cores(cores: Sequence[int] = (1, 2, 4, 8, 16, 32, 64, 128, 256)) -> pd.DataFrame:
    """Return simulated speedups of the recorded searches, by number of cores.

    A search is a sequence of steps, and a step consists of independent tasks. Each task is assigned in order to the
    first free core, and a step starts when the previous one has ended. Threads have no overhead.

    The task times were recorded by ``python -m benchmarks.cores``.

    Parameters
    ----------
    cores : sequence of int
        Numbers of cores.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``cores``, ``measure`` (speedup: total task time over simulated time), ``mean``.
    """
    rows = []
    recorded = pd.read_csv(resource("data/cores.csv"), dtype={"seconds": str})
    for (search, parts), part in recorded.groupby(["search", "parts"], sort=False):
        steps = [list(map(float, tasks.split())) for tasks in part["seconds"]]
        work = sum(map(sum, steps))
        for number in cores:
            took = sum(makespan(step, number) for step in steps)
            rows.append((f"{search}, {parts} parts", number, "speedup", work / took))
    return pd.DataFrame(rows, columns=["series", "cores", "measure", "mean"])


def makespan(tasks: Sequence[float], cores: int) -> float:
    """Return the makespan, in seconds, if each task goes to the first free core.

    Examples
    --------
    >>> makespan([3.0, 2.0, 2.0], 2), makespan([3.0, 2.0, 2.0], 8)
    (4.0, 3.0)
    """
    free = [0.0] * cores
    for seconds in tasks:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)
