"""Trials in parallel worker processes."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import TypeVar

from liftlib.errors import InvalidParameter, LiftError

T = TypeVar("T")
R = TypeVar("R")


def n_jobs() -> int:
    """Return the number of workers: LIFT_JOBS, or all cores by default."""
    given = os.environ.get("LIFT_JOBS", "")
    if not given:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not given.isdecimal() or int(given) < 1:
        raise InvalidParameter(f"the environment's LIFT_JOBS is {given!r}: give a whole number, 1 or more")
    return int(given)


TRIAL_MODULES = ("liftbook.rows.tradeoffs",)
"""Modules that workers for a figure's trials import once."""


def worker_pool(jobs: int, preload: Sequence[str] = TRIAL_MODULES) -> ProcessPoolExecutor:
    """Return an executor with this many worker processes.

    They are forked from a server that has imported the modules of ``preload``; the first pool of a process starts it.
    """
    # a forked child of a process with threads, such as a kernel, may deadlock
    context = get_context("spawn" if sys.platform == "win32" else "forkserver")
    context.set_forkserver_preload(list(preload))
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with_parent)


def _end_with_parent() -> None:
    """End a worker when its parent process ends."""
    parent = parent_process()
    if parent is None:  # called in the parent itself
        return

    def wait_for_it() -> None:
        wait([parent.sentinel])
        os._exit(1)

    Thread(target=wait_for_it, daemon=True).start()


def parallel_map(function: Callable[[T], R], tasks: Iterable[T]) -> list[R]:
    """Return ``[function(t) for t in tasks]``, computed by worker processes.

    The first error, in the order of the tasks, is raised after all tasks have ended.

    Parameters
    ----------
    function : callable
        Must be importable by name, so that a worker finds it. Randomness belongs in the tasks, not in the function, so
        that the result does not depend on the number of workers.
    tasks : iterable
        Each is sent to one worker.

    Raises
    ------
    LiftError
        If a worker process dies.
    """
    todo = list(tasks)
    workers = min(n_jobs(), len(todo))
    if workers <= 1:
        return [function(task) for task in todo]
    try:
        with worker_pool(workers) as pool:
            with _script_unseen(function, todo):  # workers start while tasks are handed over
                futures = [pool.submit(function, task) for task in todo]
            # none is cancelled after an error, as map would: Python before 3.11.4 may then never end
            return [future.result() for future in futures]
    except BrokenProcessPool as error:
        raise LiftError(
            "a worker process died for lack of memory, or because it could not run your script again to find a class "
            'of yours: put the script\'s calls under `if __name__ == "__main__":`, or set LIFT_JOBS=1'
        ) from error


@contextmanager
def _script_unseen(*sent: object) -> Iterator[None]:
    """Keep new workers from running the caller's script again, where possible.

    Workers run it to find its definitions, and a script without a main guard would start workers itself.
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
