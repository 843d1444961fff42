"""Run a page over a grid of parameters; a sweep can be stopped and resumed.

Each run has a folder, named by a hash, that is renamed into place when it is complete;
runs that are done are never repeated. Runs are submitted through the
``concurrent.futures`` interface, which local processes and Dask share.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing import active_children
from pathlib import Path
from typing import Any

from companion.errors import CompanionError
from companion.project import refuse_address
from companion.runs.book import Book
from companion.runs.digests import digest_of, file_digest, packages_digest
from companion.runs.errors import RunError, RunFailed, RunStopped
from companion.runs.folders import PLAN, RECORD, is_done, worked_in_alone, write_whole
from companion.runs.record import plain, record_of
from companion.runs.reporting import write_report
from companion.runs.running import How, rerun
from companion.runs.workers import MAX_ATTEMPTS, Workers

PATIENCE = 5.0
"""Seconds that a pool has to end its futures once its workers are killed."""
Files = dict[str, bytes]


@dataclass(frozen=True)
class Outcome:
    """What a worker sends back: how a run ended, and its files."""

    status: str
    message: str
    files: Files


@dataclass(frozen=True)
class Sweep:
    """The result of a sweep.

    ``folder`` has ``runs/NAME``, ``results.parquet``, ``results.csv`` and
    ``index.html``. ``done`` names the runs that this call finished, ``skipped`` the
    runs finished earlier; ``failed`` maps names to messages.
    """

    folder: Path
    done: tuple[str, ...]
    skipped: tuple[str, ...]
    failed: Mapping[str, str]


@dataclass(frozen=True)
class Task:
    """One run of a page, as it is sent to a worker.

    The page is run where it lies. A machine that does not have it there gets its
    ``text`` and the files that it declares as ``inputs``, by their paths from the
    page's folder, and ``named``, the files that parameters name. ``static`` is the
    sweep's folder of what all pages load.
    """

    book: Book
    page: Path
    text: bytes
    inputs: Files
    how: How
    static: Path

    def __call__(
        self, values: Mapping[str, Any], named: Mapping[str, bytes]
    ) -> Outcome:
        """Run one set of parameters; whatever happens is an outcome."""
        with tempfile.TemporaryDirectory() as temporary:
            aside, target = Path(temporary), Path(temporary) / "run"
            try:
                page, how = self._placed(aside)
                rerun(
                    self.book,
                    str(page),
                    _placed_files(values, named, aside),
                    target,
                    how,
                )
                status, message = "done", ""
            except RunFailed as error:
                status, message = error.status, error.reason
            except CompanionError as error:
                status, message = "refused", str(error)
            except Exception as error:  # noqa: BLE001 - the sweep goes on
                status, message = "failed", f"{type(error).__name__}: {error}"
            self._share(target / "_static")
            return Outcome(status, message, _files_of(target))

    def _share(self, static: Path) -> None:
        """Move what a page loads to the sweep, which has one copy of these five
        megabytes for all its pages.
        """
        if (
            not static.is_dir()
            or self.static.exists()
            or not (self.static.parent / "runs").is_dir()
        ):
            return
        with tempfile.TemporaryDirectory(
            prefix=".", dir=self.static.parent / "runs"
        ) as aside:
            copy = shutil.copytree(static, Path(aside) / "_static")
            with suppress(OSError):  # another run has been quicker
                copy.rename(self.static)

    def _placed(self, aside: Path) -> tuple[Path, How]:
        """Return the page's path on this machine, and how it can be run here."""
        if self.page.is_file() and self.page.read_bytes() == self.text:
            return self.page, self.how
        place = aside / "page"
        for name, content in {**self.inputs, self.page.name: self.text}.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return place / self.page.name, (
            self.how if self.book.is_here else replace(self.how, html=False)
        )


def _placed_files(
    values: Mapping[str, Any], named: Mapping[str, bytes], aside: Path
) -> dict[str, Any]:
    """Return the parameters, with a copy for each file that this machine
    does not have.
    """
    placed = dict(values)
    for name, content in named.items():
        path = Path(values[name])
        if not path.is_file() or path.read_bytes() != content:
            placed[name] = str(aside / path.name)
            Path(placed[name]).write_bytes(content)
    return placed


def _files_of(folder: Path) -> Files:
    """Return a run's files, but for what its page loads."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in paths
        if path.relative_to(folder).parts[0] != "_static"
    }


def run_name(book: Book, page: Path, values: Mapping[str, Any], code: str = "") -> str:
    """Return a run's name, a hash of its parameters, page, code and input files.

    ``code`` is the digest of :func:`code_of`, if the caller has it.
    """
    everything = {one.name: one.default for one in book.parameters(page)} | dict(values)
    inputs = {
        name: file_digest(path) for name, path in book.inputs(page, everything).items()
    }
    depends_on = json.dumps(
        [plain(everything), file_digest(page), code or code_of(book, page), inputs],
        sort_keys=True,
    )
    return hashlib.sha256(depends_on.encode()).hexdigest()[:12]


def code_of(book: Book, page: Path) -> str:
    """Return the digest of the code that a page may import: the book's packages, and
    the modules in its folder.
    """
    beside = [
        file_digest(path).encode()
        for path in sorted(page.parent.glob("*.py"))
        if path != page
    ]
    return digest_of([packages_digest(book.package_folders()).encode(), *beside])


def sweep(
    book: Book,
    name: str,
    runs: Sequence[Mapping[str, Any]],
    folder: Path,
    workers: Workers,
    how: How = How(),  # noqa: B008 - it is frozen
) -> Sweep:
    """Run a page with each parameter set that is not done yet, and compare all runs.

    Parameters
    ----------
    book, name, how
        As in :func:`companion.runs.running.rerun`; the progress bar is over runs.
    runs : sequence of mappings
        Parameter sets, as returned by :func:`companion.runs.grids.read_grid`.
    folder : pathlib.Path
        A new folder, or one of an earlier sweep of this page.
    workers : Workers
        Such as ``Local(2)`` or ``Dask("tcp://scheduler:8786")``.

    Returns
    -------
    Sweep
        It lists failed runs, which do not stop the others; the next sweep retries them.

    Raises
    ------
    RunStopped
        After Ctrl-C, which ends the runs that are not complete; the report has the
        complete ones.
    RunError
        If the folder is not a sweep of this page, or the workers are gone.
    """
    page = book.find(name)
    docname, new = book.docname(page, how.address), not folder.exists()
    _begin(folder, docname)
    with worked_in_alone(
        folder, lambda: print(f"waiting for another sweep in {folder}", file=sys.stderr)
    ):
        _begin(folder, docname)  # the other sweep was stopped, and has removed it
        for left in (folder / "runs").glob(".*"):
            shutil.rmtree(left)
        code = code_of(book, page)
        by_name = {run_name(book, page, values, code): dict(values) for values in runs}
        _plan(folder, book, page, by_name, code)
        skipped = tuple(one for one in by_name if is_done(folder / "runs" / one))
        todo = {one: values for one, values in by_name.items() if one not in skipped}
        failed, stopped = dict[str, str](), False
        task = _task(book, page, replace(how, progress=False), folder / "_static")
        with closing(_outcomes(workers, task, todo, how.progress)) as outcomes:
            try:
                for one, outcome in outcomes:
                    _put(
                        _with_record(outcome, book, page, todo[one]),
                        folder / "runs" / one,
                    )
                    if outcome.status != "done":
                        failed[one] = outcome.message
            except KeyboardInterrupt:
                stopped = True
        n_done = sum(is_done(folder / "runs" / one) for one in by_name)
        if stopped and not any((folder / "runs").iterdir()):
            if new:
                shutil.rmtree(folder)
            raise RunStopped(
                f"stopped: none of {len(by_name)} runs is complete, so nothing was"
                f" written in {folder}"
            )
        write_report(folder, book, page, code, html=how.html)
        if stopped:
            raise RunStopped(
                f"stopped: {n_done} of {len(by_name)} runs are complete and kept, with"
                f" their table results.csv, in {folder}: run the command again to"
                " continue"
            )
        return Sweep(
            folder, tuple(one for one in todo if one not in failed), skipped, failed
        )


def _task(book: Book, page: Path, how: How, static: Path) -> Task:
    """Return what performs one run on any machine."""
    files = {
        path
        for path in book.inputs(page, {}).values()
        if path.resolve().is_relative_to(page.parent)
    }
    inputs = {
        path.resolve().relative_to(page.parent).as_posix(): path.read_bytes()
        for path in files
    }
    return Task(book, page, page.read_bytes(), inputs, how, static.absolute())


def _begin(folder: Path, docname: str) -> None:
    """Make a sweep's folder; refuse a folder that is not a sweep of this page."""
    refuse_address(folder, RunError)
    mark = folder / PLAN
    # another sweep may be about to mark a folder that it has just made
    for _ in range(20):
        if (
            mark.is_file()
            or not folder.is_dir()
            or {path.name for path in folder.iterdir()} - {"runs"}
        ):
            break
        time.sleep(0.05)
    if os.path.lexists(folder) and not mark.is_file():
        raise RunError(
            f"{folder} already exists and is not a sweep: choose another folder"
        )
    if mark.is_file():
        try:
            old = str(json.loads(mark.read_text(encoding="utf-8"))["page"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunError(
                f"{mark} is damaged: remove it with its folder, or choose another"
                " folder"
            ) from error
        if old != docname:
            raise RunError(
                f"{folder} is a sweep of {old}: choose another folder for {docname}"
            )
        return
    try:
        (folder / "runs").mkdir(parents=True)
        write_whole(mark, json.dumps({"page": docname, "runs": {}}) + "\n")
    except OSError as error:
        raise RunError(
            f"cannot write {folder}: {error.strerror}; choose another folder"
        ) from error


def _plan(
    folder: Path,
    book: Book,
    page: Path,
    by_name: Mapping[str, Mapping[str, Any]],
    code: str,
) -> None:
    """Add the runs to the plan, with all their parameters, these parameters' types, and
    the digest of the code.
    """
    plan = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    defaults = {one.name: one.default for one in book.parameters(page)}
    types = {one.name: one.annotation for one in book.parameters(page)}
    source = file_digest(page)
    for name, values in by_name.items():
        parameters = plain(defaults | dict(values))
        plan["runs"][name] = {
            "parameters": parameters,
            "types": types,
            "source": source,
            "code": code,
        }
    write_whole(folder / PLAN, json.dumps(plan, indent=1) + "\n")


def _outcomes(
    workers: Workers, task: Task, todo: Mapping[str, Mapping[str, Any]], progress: bool
) -> Generator[tuple[str, Outcome], None, None]:
    """Yield the outcome of each run.

    A worker process that dies takes its pool with it, and does not say which run it
    had. The runs that it may have had are then run one at a time, each in a pool of its
    own.
    """
    from tqdm import tqdm

    left, deaths = dict(todo), Counter[str]()
    with tqdm(total=len(left), unit="run", disable=not progress or not left) as bar:
        while left:
            suspect = next((name for name in left if deaths[name]), None)
            batch = list(left) if suspect is None else [suspect]
            jobs = workers.jobs if suspect is None else 1
            try:
                with workers.open(jobs) as executor, _killed_by_ctrl_c() as futures:
                    for name in batch:
                        futures[
                            executor.submit(
                                task, left[name], _named_files(task, left[name])
                            )
                        ] = name
                    for future in as_completed(futures):
                        outcome = _outcome(future, len(left))
                        del left[futures[future]]
                        yield futures[future], outcome
                        bar.update()
            except BrokenProcessPool:
                # one more waits in its queue
                for name in [name for name in batch if name in left][: jobs + 1]:
                    deaths[name] += 1
                    if deaths[name] == MAX_ATTEMPTS:
                        del left[name]
                        yield (
                            name,
                            Outcome(
                                "died",
                                f"its worker process died {MAX_ATTEMPTS} times",
                                {},
                            ),
                        )
                        bar.update()


def _named_files(task: Task, values: Mapping[str, Any]) -> Files:
    """Return the contents of the files that parameters name."""
    named = [
        one.name
        for one in task.book.parameters(task.page)
        if one.is_file and values.get(one.name)
    ]
    return {name: Path(values[name]).read_bytes() for name in named}


def _outcome(future: Future[Outcome], n_left: int) -> Outcome:
    """Return what came of a run; raise if it is the workers that are gone."""
    try:
        return future.result()
    except BrokenProcessPool:
        raise
    except (CancelledError, OSError) as error:
        raise RunError(
            f"the workers are gone ({type(error).__name__}); {n_left} runs are left:"
            " run the command again to continue"
        ) from error
    except Exception as error:  # noqa: BLE001
        # such as Dask's of a worker that this run has killed again and again
        return Outcome(
            "died", f"its worker ended with {type(error).__name__}: {error}", {}
        )


@contextmanager
def _killed_by_ctrl_c() -> Iterator[dict[Future[Any], str]]:
    """If Ctrl-C ends the block, kill the processes begun in it and cancel the futures
    put into the mapping.
    """
    futures, others = dict[Future[Any], str](), set(active_children())
    try:
        yield futures
    except (KeyboardInterrupt, GeneratorExit):  # in this generator, or in who reads it
        begun = set(active_children()) - others
        for worker in begun:
            worker.kill()  # its kernel ends with it
        # their pool then ends each future, and one that was cancelled would be an error
        # in its thread
        if begun:
            wait(futures, PATIENCE)
        for future in futures:
            future.cancel()
        raise


def _with_record(
    outcome: Outcome, book: Book, page: Path, values: Mapping[str, Any]
) -> Files:
    """Return a run's files, with a record also if it did not come to write
    one itself.
    """
    if RECORD in outcome.files:
        return outcome.files
    everything = {one.name: one.default for one in book.parameters(page)} | dict(values)
    status, message = outcome.status, outcome.message
    record = record_of(
        book, page, everything, {}, status=status, message=message, seconds=0.0
    )
    files = [*outcome.files, RECORD]
    return outcome.files | {
        RECORD: (json.dumps({**record, "files": files}, indent=2) + "\n").encode()
    }


def _put(files: Files, folder: Path) -> None:
    """Write a run's files to a temporary folder, then rename it."""
    with tempfile.TemporaryDirectory(prefix=".", dir=folder.parent) as aside:
        run_folder = Path(aside) / "run"
        for name, content in files.items():
            target = run_folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith(".html"):
                page = content.replace(b'"_static/', b'"../../_static/').replace(
                    b'root="./"', b'root="../../"'
                )
                target.write_bytes(page)
            else:
                target.write_bytes(content)
        if folder.exists():  # left by a run with another ending
            folder.rename(Path(aside) / "replaced")
        run_folder.rename(folder)
