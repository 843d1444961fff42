"""Run a chapter over a grid of parameters; a sweep can be stopped and resumed.

Each run has a folder, named by a hash, that is renamed into place when it is complete; complete runs are never
repeated. Runs are submitted through the ``concurrent.futures`` interface, which local processes and Dask share.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any

from companion.project import refuse_address
from liftbook.chapters.errors import ChapterFailed, RerunError, SweepStopped
from liftbook.chapters.folders import CARD, worked_in_alone
from liftbook.chapters.parameters import SUFFIXES, check_values, find_chapter, read_yaml
from liftbook.chapters.report import write_report
from liftbook.chapters.running import made_of, rerun, with_defaults
from liftlib.progress import bar as progress_bar
from lifttables.files import fresh_file

MAX_ATTEMPTS = 3
PATIENCE = 5.0  # seconds that a pool has to end its futures once its workers are killed
"""Number of attempts if a worker process dies."""

Executors = Callable[[], AbstractContextManager[Executor]]
Files = dict[str, bytes]
Task = Callable[[Mapping[str, Any]], tuple[str, Files]]


@dataclass(frozen=True)
class Sweep:
    """The result of a sweep.

    ``folder`` has ``runs/NAME``, ``results.parquet``, ``results.csv`` and ``index.html``. ``done`` names the runs that
    this call finished, ``skipped`` the runs finished earlier; ``failed`` maps names to messages.
    """

    folder: Path
    done: tuple[str, ...]
    skipped: tuple[str, ...]
    failed: Mapping[str, str]


def read_grid(path: Path, chapter: str) -> list[dict[str, Any]]:
    """Return the parameter sets of a YAML file, checked against the chapter.

    The file has ``grid:``, a mapping from parameters to lists of values (all combinations are run), or ``runs:``, a
    list of mappings; ``fixed:`` applies to all runs.

    Raises
    ------
    RerunError
        If the file has another structure, or a name, type or value is invalid.
    """
    content = read_yaml(path)
    known = {"grid", "runs", "fixed"}
    if not isinstance(content, dict) or not set(content) <= known or ("grid" in content) == ("runs" in content):
        raise RerunError(f"{path} must have `grid:` or `runs:`, and may have `fixed:`; it has {_shape(content)}")
    fixed = content.get("fixed") or {}
    if not isinstance(fixed, dict):
        raise RerunError(f"{path}: `fixed:` is not a mapping from parameters to values")
    if "runs" in content:
        sets = content["runs"]
        if not isinstance(sets, list) or not sets or not all(isinstance(run, dict) for run in sets):
            raise RerunError(f"{path}: `runs:` is not a list of mappings from parameters to values")
    else:
        grid = content["grid"]
        if not isinstance(grid, dict) or not grid or not all(isinstance(v, list) and v for v in grid.values()):
            raise RerunError(f"{path}: `grid:` is not a mapping from parameters to lists of values")
        sets = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    target = find_chapter(chapter)
    checked = [check_values(target, {**fixed, **run}) for run in sets]
    for at, run in enumerate(checked):
        if run in checked[:at]:
            raise RerunError(f"{path}: run {at + 1} repeats run {checked.index(run) + 1}: leave one out")
    return checked


def _shape(content: Any) -> str:
    return ", ".join(map(str, content)) if isinstance(content, dict) else type(content).__name__


def run_name(chapter: Path, values: Mapping[str, Any]) -> str:
    """Return a run's name, a hash of its parameters, chapter, code and input files."""
    everything = with_defaults(chapter, values)
    depends_on = json.dumps([everything, made_of(chapter, everything)], sort_keys=True)
    return hashlib.sha256(depends_on.encode()).hexdigest()[:12]


def is_finished(folder: Path) -> bool:
    """Return whether a run is complete (its card is written last)."""
    return (folder / CARD).is_file()


def dask_workers(address: str, jobs: int, patience: float = 20.0) -> Executors:
    """Return a function that connects to a Dask cluster, or starts a local one."""

    class _Dask(AbstractContextManager[Executor]):
        def __enter__(self) -> Executor:
            try:
                from distributed import Client  # noqa: PLC0415 - an optional extra
            except ImportError as error:
                raise RerunError("Dask is not installed: pip install 'distributed>=2025.1' (the extra dask)") from error
            try:
                if address == "local":
                    self._client = Client(n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address=None)
                else:
                    self._client = Client(address, timeout=patience)
            except (OSError, ValueError) as error:
                raise RerunError(f"no Dask scheduler at {address}: {error}; is it running?") from error
            executor: Executor = self._client.get_executor(pure=False, retries=MAX_ATTEMPTS - 1)
            return executor

        def __exit__(self, *_: object) -> None:
            self._client.close()
            if self._client.cluster is not None:
                self._client.cluster.close()

    return _Dask


def sweep(
    chapter: str,
    runs: Sequence[Mapping[str, Any]],
    folder: Path,
    executors: Executors,
    *,
    html: bool = True,
    timeout: int | None = None,
    progress: bool = True,
    book: str = "",
) -> Sweep:
    """Run a chapter with each parameter set not yet finished, and compare all runs.

    Parameters
    ----------
    runs : sequence of mappings
        Parameter sets, as returned by :func:`read_grid`.
    folder : pathlib.Path
        A new folder, or one of an earlier sweep of this chapter.
    executors : callable
        Returns a context manager for a ``concurrent.futures.Executor``, such as that of :func:`dask_workers` or
        ``partial(liftbook.rows.jobs.worker_pool, 2)``.
    chapter, html, timeout, progress, book
        As in :func:`liftbook.chapters.running.rerun`; the progress bar is over runs.

    Returns
    -------
    Sweep
        It lists failed runs, which do not stop the others; the next sweep retries them.

    Raises
    ------
    SweepStopped
        After Ctrl-C, which ends the runs that are not complete; the report has the complete ones.
    RerunError
        If the folder is not a sweep of this chapter, or the workers are gone.
    """
    path = find_chapter(chapter)
    new = not folder.exists()
    _begin(folder, path.stem)
    with worked_in_alone(folder, lambda: print(f"waiting for another sweep in {folder}", file=sys.stderr)):
        _begin(folder, path.stem)  # the other sweep was stopped, and has removed it
        for left in (folder / "runs").glob(".*"):
            shutil.rmtree(left)
        by_name = {run_name(path, values): dict(values) for values in runs}
        skipped = tuple(name for name in by_name if is_finished(folder / "runs" / name))
        todo = {name: values for name, values in by_name.items() if name not in skipped}
        failed, stopped = {}, False
        with closing(_outcomes(executors, _task(chapter, path, html, timeout, book), todo, progress)) as outcomes:
            try:
                for name, (message, files) in outcomes:
                    _put(files, folder / "runs" / name)
                    if message:
                        failed[name] = message
            except KeyboardInterrupt:
                stopped = True
        n_complete = sum(is_finished(folder / "runs" / name) for name in by_name)
        if stopped and not any((folder / "runs").iterdir()):
            if new:
                shutil.rmtree(folder)
            raise SweepStopped(f"stopped: none of {len(by_name)} runs is complete, so nothing was written in {folder}")
        write_report(folder, path, failed, html=html, book=book)
        if stopped:
            raise SweepStopped(
                f"stopped: {n_complete} of {len(by_name)} runs are complete and kept, with their table results.csv, in "
                f"{folder}: run the command again to continue"
            )
        return Sweep(folder, tuple(name for name in todo if name not in failed), skipped, failed)


def _task(chapter: str, path: Path, html: bool, timeout: int | None, book: str) -> Task:
    """Return a function that performs one run on any machine."""
    if chapter.endswith(SUFFIXES):
        return partial(_work, path.name, path.read_text(encoding="utf-8"), html, timeout, book)
    return partial(_work, path.stem, None, html, timeout, book)


def _begin(folder: Path, stem: str) -> None:
    """Make a sweep's folder; refuse a folder that is not a sweep of this chapter."""
    refuse_address(folder, RerunError)
    mark = folder / "sweep.json"
    for _ in range(20):  # another sweep may be about to mark a folder that it has just made
        if mark.is_file() or not folder.is_dir() or {path.name for path in folder.iterdir()} - {"runs"}:
            break
        time.sleep(0.05)
    if os.path.lexists(folder) and not mark.is_file():
        raise RerunError(f"{folder} already exists and is not a sweep: choose another folder")
    if mark.is_file():
        try:
            old = str(json.loads(mark.read_text(encoding="utf-8"))["chapter"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RerunError(f"{mark} is damaged: remove it with its folder, or choose another folder") from error
        if old != stem:
            raise RerunError(f"{folder} is a sweep of {old}: choose another folder for {stem}")
        return
    try:
        (folder / "runs").mkdir(parents=True)
        with fresh_file(mark) as aside:
            aside.write_text(json.dumps({"chapter": stem}) + "\n", encoding="utf-8")
    except OSError as error:
        raise RerunError(f"cannot write {folder}: {error.strerror}; choose another folder") from error


def _outcomes(
    executors: Executors, task: Task, todo: Mapping[str, Mapping[str, Any]], progress: bool
) -> Generator[tuple[str, tuple[str, Files]], None, None]:
    left, attempts = dict(todo), 0
    with progress_bar(total=len(left), unit="run", disable=not progress or not left) as bar:
        while left:
            try:
                with executors() as executor, _killed_by_ctrl_c() as futures:
                    futures |= {executor.submit(task, values): name for name, values in left.items()}
                    for future in as_completed(futures):
                        outcome = future.result()
                        del left[futures[future]]
                        yield futures[future], outcome
                        bar.update()
            except (CancelledError, OSError) as error:
                raise RerunError(
                    f"the workers are gone ({type(error).__name__}); {len(left)} runs are left: run the command again "
                    "to continue"
                ) from error
            except BrokenProcessPool as error:  # a worker was killed, and takes its pool with it
                attempts += 1
                if attempts == MAX_ATTEMPTS:
                    raise RerunError(
                        f"worker processes died {attempts} times, perhaps for lack of memory; {len(left)} runs are "
                        "left: run the command again with fewer jobs to continue"
                    ) from error


@contextmanager
def _killed_by_ctrl_c() -> Iterator[dict[Future[Any], str]]:
    """If Ctrl-C ends the block, kill the processes begun in it and cancel the futures put into the mapping."""
    futures, others = dict[Future[Any], str](), set(active_children())
    try:
        yield futures
    except (KeyboardInterrupt, GeneratorExit):  # in this generator, or in who reads it
        workers = set(active_children()) - others
        for worker in workers:
            worker.kill()  # its kernel ends with it
        if workers:  # their pool then ends each future, and one that was cancelled would be an error in its thread
            wait(futures, PATIENCE)
        for future in futures:
            future.cancel()
        raise


def _work(
    chapter: str, text: str | None, html: bool, timeout: int | None, book: str, values: Mapping[str, Any]
) -> tuple[str, Files]:
    """Run one parameter set; return an error message (or "") and the files."""
    with tempfile.TemporaryDirectory() as aside:
        target, message = Path(aside) / "run", ""
        if text is not None:
            source = Path(aside) / chapter
            source.write_text(text, encoding="utf-8")
            chapter = str(source)
        try:
            rerun(chapter, values, target, html=html, progress=False, timeout=timeout, book=book)
        except ChapterFailed as error:
            message = error.failure
        except RerunError as error:
            message = str(error)
        # what pages load is five megabytes, and one copy serves all pages
        paths = (p for p in target.rglob("*") if p.is_file() and p.relative_to(target).parts[0] != "_static")
        return message, {p.relative_to(target).as_posix(): p.read_bytes() for p in paths}


def _put(files: Files, folder: Path) -> None:
    """Write a run's files to a temporary folder, then rename it."""
    with tempfile.TemporaryDirectory(prefix=".", dir=folder.parent) as aside:
        run_folder = Path(aside) / "run"
        for name, content in files.items():
            target = run_folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith(".html"):
                page = content.replace(b'"_static/', b'"../../_static/').replace(b'root="./"', b'root="../../"')
                target.write_bytes(page)
            else:
                target.write_bytes(content)
        if folder.exists():  # left by a failed run
            folder.rename(Path(aside) / "replaced")
        run_folder.rename(folder)
