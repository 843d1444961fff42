"""How much faster a search for the optimum would be on many cores, simulated from recorded work."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import pandas as pd

from liftbook.rows.making import figure
from liftlib.resources import resource


@figure
def on_cores(cores: Sequence[int] = (1, 2, 4, 8, 16, 32, 64, 128, 256)) -> pd.DataFrame:
    """Return simulated speedups of the recorded searches, by number of cores.

    A search is a sequence of steps, and a step consists of independent tasks. Each task goes to the core that is free
    first, in order, and a step starts when the one before it has ended. Threads cost nothing.

    The seconds are those that ``python -m benchmarks.cores`` recorded.

    Parameters
    ----------
    cores : sequence of int
        Numbers of cores.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``cores``, ``measure`` (speedup: the seconds of all tasks by those on the cores), ``mean``.
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
    """Return the total seconds if each task goes to the core that is free first.

    Examples
    --------
    >>> makespan([3.0, 2.0, 2.0], 2), makespan([3.0, 2.0, 2.0], 8)
    (4.0, 3.0)
    """
    free = [0.0] * cores
    for seconds in tasks:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)
