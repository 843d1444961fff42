"""A figure's trials shared out over worker processes, which joblib's loky starts and looks after."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from concurrent.futures.process import BrokenProcessPool
from threading import Thread
from typing import TypeVar

from liftlib.errors import InvalidParameter, LiftError

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


def worker_pool(jobs: int) -> Executor:
    """Return a new executor with this many processes of this machine, which end when this process does."""
    from joblib.externals.loky import ProcessPoolExecutor  # noqa: PLC0415 - a fifth of a second that only users of workers pay

    executor: Executor = ProcessPoolExecutor(jobs, initializer=_end_with_parent, initargs=(os.getpid(),))
    return executor


def _end_with_parent(parent: int) -> None:
    """Make a worker process exit within a second of its parent's death, even of a kill (not on Windows)."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def parallel_map(function: Callable[[T], R], tasks: Iterable[T], jobs: int | None = None) -> list[R]:
    """Return ``[function(t) for t in tasks]``, computed by worker processes; the order is that of the tasks.

    The first error of a task is raised here, and the tasks that have not begun are dropped. Workers stay for later
    calls until they have been idle for five minutes.

    Parameters
    ----------
    function : callable
        Randomness belongs in the task, not in the function, so that the result does not depend on how many workers
        there are.
    tasks : iterable
        Each is sent to one worker.
    jobs : int, optional
        How many tasks run at the same time; with 1 they run in this process. By default :func:`n_jobs`.

    Raises
    ------
    LiftError
        If a worker process dies.
    """
    todo = list(tasks)
    workers = min(n_jobs() if jobs is None else jobs, len(todo))
    if workers <= 1:
        return [function(task) for task in todo]
    from joblib import Parallel, delayed  # noqa: PLC0415 - a fifth of a second that only users of workers pay

    # memory maps would hand large arrays to a function read-only, though only if it runs in a worker
    parallel = Parallel(
        workers,
        batch_size=1,
        pre_dispatch="all",
        max_nbytes=None,
        initializer=_end_with_parent,
        initargs=(os.getpid(),),
    )
    try:
        return list(parallel(delayed(function)(task) for task in todo))
    except BrokenProcessPool as error:
        raise LiftError(
            "a worker process died, probably because memory ran out: set LIFT_JOBS to fewer workers (1 for none)"
        ) from error
