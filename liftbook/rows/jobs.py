"""Trials in parallel worker processes."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from companion.errors import CompanionError
from companion.runs import workers
from liftlib.errors import InvalidParameter, LiftError

T = TypeVar("T")
R = TypeVar("R")


def n_jobs() -> int:
    """Return the number of workers: LIFT_JOBS, or all cores by default."""
    try:
        return workers.n_jobs()
    except CompanionError as error:
        raise InvalidParameter(str(error)) from error


TRIAL_MODULES = ("liftbook.rows.tradeoffs",)
"""Modules that workers for a figure's trials import once."""


def worker_pool(jobs: int) -> ProcessPoolExecutor:
    """Return an executor with this many worker processes; see
    ``companion.runs.workers.worker_pool``.
    """
    return workers.worker_pool(jobs, TRIAL_MODULES)


def parallel_map(function: Callable[[T], R], tasks: Iterable[T]) -> list[R]:
    """Return ``[function(t) for t in tasks]``, computed by worker processes.

    The first error, in the order of the tasks, is raised after all tasks have ended.

    Parameters
    ----------
    function : callable
        Must be importable by name, so that a worker finds it. Randomness belongs in the
        tasks, not in the function, so that the result does not depend on the number of
        workers.
    tasks : iterable
        Each is sent to one worker.

    Raises
    ------
    LiftError
        If a worker process dies.
    """
    todo = list(tasks)
    jobs = min(n_jobs(), len(todo))
    if jobs <= 1:
        return [function(task) for task in todo]
    try:
        with worker_pool(jobs) as pool:
            # workers start while tasks are handed over
            with _script_unseen(function, todo):
                futures = [pool.submit(function, task) for task in todo]
            # none is cancelled after an error, as map would: Python before 3.11.4 may
            # then never end
            return [future.result() for future in futures]
    except BrokenProcessPool as error:
        raise LiftError(
            "a worker process died for lack of memory, or because it could not run your"
            " script again to find a class of yours: put the script's calls under `if"
            ' __name__ == "__main__":`, or set LIFT_JOBS=1'
        ) from error


@contextmanager
def _script_unseen(*sent: object) -> Iterator[None]:
    """Keep new workers from running the caller's script again, where possible.

    Workers run it to find its definitions, and a script without a main guard would
    start workers itself.
    """
    main = sys.modules["__main__"]
    spec, file = main.__spec__, getattr(main, "__file__", None)
    if file is None or b"__main__" in pickle.dumps(sent):
        yield
        return
    main.__spec__, main.__file__ = None, None
    try:
        yield
    finally:
        main.__spec__, main.__file__ = spec, file
