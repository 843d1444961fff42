"""Trials side by side: a figure's joint distributions shared out over worker processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

from liftlib.errors import InvalidParameter

T = TypeVar("T")
R = TypeVar("R")


def n_jobs() -> int:
    """Return how many worker processes a figure may use: LIFT_JOBS from the environment, by default all cores."""
    given = os.environ.get("LIFT_JOBS", "")
    if not given:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not given.isdecimal() or int(given) < 1:
        raise InvalidParameter(f"the environment's LIFT_JOBS is {given!r}: give a whole number, 1 or more")
    return int(given)


def parallel_map(function: Callable[[T], R], tasks: Iterable[T]) -> list[R]:
    """Return ``[function(t) for t in tasks]``, computed by worker processes; the order is that of the tasks.

    Parameters
    ----------
    function : callable
        Importable by name, so that a worker finds it. Randomness belongs in the task, not in the function, so that
        the result does not depend on how many workers there are.
    tasks : iterable
        Each is sent to one worker.
    """
    todo = list(tasks)
    workers = min(n_jobs(), len(todo))
    if workers <= 1:
        return [function(task) for task in todo]
    # a forked child of a threaded kernel may deadlock
    with ProcessPoolExecutor(workers, mp_context=get_context("forkserver")) as pool:
        return list(pool.map(function, todo, chunksize=1))
