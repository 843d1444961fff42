"""Processes that run pages side by side: on this machine, or on a Dask cluster."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import Protocol

from companion.runs.errors import RunError

MAX_ATTEMPTS = 3
"""Number of attempts if a worker process dies."""
PRELOADED = (
    "companion.runs.running",
    "nbclient",
    "jupytext",
    "nbformat",
    "companion.sockets",
)
"""Modules that local workers import once; a run's own kernel imports the page's
library.
"""


class Workers(Protocol):
    """Where runs are executed: ``open`` gives an executor for so many of them at a
    time.
    """

    @property
    def jobs(self) -> int: ...

    def open(self, jobs: int) -> AbstractContextManager[Executor]: ...


def n_jobs() -> int:
    """Return the number of parallel runs: LIFT_JOBS, or all cores by default."""
    given = os.environ.get("LIFT_JOBS", "")
    if not given:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if not given.isdecimal() or int(given) < 1:
        raise RunError(
            f"the environment's LIFT_JOBS is {given!r}: give a whole number, 1 or more"
        )
    return int(given)


def worker_pool(jobs: int, preload: Sequence[str]) -> ProcessPoolExecutor:
    """Return an executor with this many worker processes.

    They are forked from a server that has imported the modules of ``preload``; the
    first pool of a process starts it.
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


@contextmanager
def safe_path() -> Iterator[None]:
    """Start processes that do not import from the working folder, where a ``types.py``
    would be another module.
    """
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


@dataclass(frozen=True)
class Local:
    """Worker processes of this machine."""

    jobs: int

    @contextmanager
    def open(self, jobs: int) -> Iterator[Executor]:
        """Yield a pool."""
        with safe_path(), worker_pool(jobs, PRELOADED) as pool:
            yield pool


@dataclass(frozen=True)
class Dask:
    """The workers of a Dask cluster: at the address of its scheduler, or started here
    for ``local``.
    """

    address: str
    jobs: int = 1
    patience: float = 20.0

    @contextmanager
    def open(self, jobs: int) -> Iterator[Executor]:
        """Yield an executor."""
        try:
            from distributed import Client
        except ImportError as error:
            raise RunError(
                "Dask is not installed: pip install 'distributed>=2025.1' (the extra"
                " dask)"
            ) from error
        with safe_path():
            try:
                if self.address == "local":
                    client = Client(
                        n_workers=jobs,
                        threads_per_worker=1,
                        processes=True,
                        dashboard_address=None,
                    )
                else:
                    client = Client(self.address, timeout=self.patience)
            except (OSError, ValueError) as error:
                raise RunError(
                    f"no Dask scheduler at {self.address}: {error}; is it running?"
                ) from error
            try:
                yield client.get_executor(pure=False, retries=MAX_ATTEMPTS - 1)
            finally:
                client.close()
                if client.cluster is not None:
                    client.cluster.close()
