"""Execute chapters in parallel, each in its own kernel, and cache their outputs."""

import compileall
import hashlib
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import JupyterCacheAbstract, ProjectNb
from jupyter_cache.executors.base import ExecutorRunResult
from jupyter_cache.executors.basic import (
    ExecutionWorkerLocalSerial,
    JupyterExecutorLocalSerial,
    ProcessData,
)
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution

from companion.reading import note, unchanged
from companion.sockets import LocalKernel


@dataclass(frozen=True)
class Project:
    """A folder whose files the chapters read.

    Attributes
    ----------
    root : pathlib.Path
    always : tuple of str
        Names of files in ``root`` on which every chapter depends, such as a lock file.
    everything : tuple of str
        Glob patterns of the files on which a chapter depends if it starts another
        program.
    """

    root: Path
    always: tuple[str, ...] = ()
    everything: tuple[str, ...] = ("**/*.py",)

    def files(self) -> list[Path]:
        """Return the sorted files that match ``everything``, without caches."""
        paths = {
            path
            for pattern in self.everything
            for path in self.root.glob(pattern)
            if path.is_file()
        }
        return sorted(path for path in paths if "__pycache__" not in path.parts)


def execute(
    pages: Iterable[Path],
    folder: Path,
    jobs: int,
    project: Project,
    longest: Sequence[str] = (),
) -> bool:
    """Execute chapters whose outputs are missing or stale; return whether all succeed.

    Outputs are valid as long as neither the chapter's cells nor any file that they read
    has changed. Those that took longest the last time start first, so that none runs
    alone at the end.

    Parameters
    ----------
    pages : iterable of pathlib.Path
        Sources of the book's pages; pages without code cells are skipped.
    folder : pathlib.Path
        The folder of the jupyter-cache that stores the outputs.
    jobs : int
        Number of processes.
    project : Project
        The files that the chapters read.
    longest : sequence of str
        Names of chapters to start first, in this order, as long as nobody knows how
        long they take.
    """
    cache = get_cache(folder)
    wanted = [
        str(path.absolute())
        for path in pages
        if "{code-cell}" in path.read_text(encoding="utf-8")
    ]
    for record in cache.list_project_records():
        # the pages of another build stay, such as the book's when one page is built
        if record.uri in wanted or not Path(record.uri).exists():
            cache.remove_nb_from_project(record.pk)
    for uri in wanted:
        cache.add_nb_to_project(uri, read_data={"name": "myst_nb_md", "type": "plugin"})
    seconds = stored_seconds(cache)
    for uri in wanted:
        cached = cache.get_cached_project_nb(uri)
        if cached is not None and not unchanged(_reads(folder, uri), project.root):
            cache.remove_cache(cached.pk)
    stale = sorted(
        (record.uri for record in cache.list_unexecuted() if record.uri in wanted),
        key=partial(_turn, seconds, longest),
    )
    if not stale:
        return True
    print(f"executing {', '.join(Path(uri).stem for uri in stale)}", flush=True)
    # an import reads compiled modules only, so that a comment does not count
    for path in project.files():
        compileall.compile_file(path, quiet=2) if path.suffix == ".py" else None
    failed = []
    with ProcessPoolExecutor(jobs) as pool:
        for result in pool.map(partial(execute_one, folder, project), stale):
            failed += [*result.excepted, *result.errored]
    for uri in failed:
        trace = cache.get_project_record(uri).traceback or "no traceback was kept"
        print(f"\n{Path(uri).name} failed:\n{trace}", file=sys.stderr)
    return not failed


def execute_one(folder: Path, project: Project, uri: str) -> ExecutorRunResult:
    """Execute one chapter; cache its outputs and record the files that it reads."""
    cache, reads = get_cache(folder), _reads(folder, uri)
    # jupyter-cache asks twice which records there are: one that another process adds in
    # between seems one too many, and is not found, or is thrown away
    cache.truncate_caches = lambda: None
    reads.parent.mkdir(exist_ok=True)
    _Worker.reads, _Worker.root = reads, project.root
    run_result = _Executor(cache).run_and_cache(
        filter_uris=[uri], timeout=1800, allow_errors=False
    )
    note(
        reads,
        project.root,
        [*project.files()],
        [project.root / name for name in project.always],
    )
    return run_result


def _reads(folder: Path, uri: str) -> Path:
    """Return where a chapter's record is: chapters of one name lie in different
    folders.
    """
    digest = hashlib.sha256(str(Path(uri).parent.resolve()).encode()).hexdigest()[:8]
    return folder / "reads" / f"{Path(uri).stem}-{digest}.json"


class _Worker(ExecutionWorkerLocalSerial):  # type: ignore[misc]
    reads: Path
    root: Path

    @staticmethod
    def execute(project_nb: ProjectNb, data: ProcessData) -> ExecutionResult:
        first = (
            f"__import__('companion.reading').reading.watch({str(_Worker.reads)!r},"
            f" {str(_Worker.root)!r})"
        )
        return single_nb_execution(
            project_nb.nb,
            cwd=str(Path(project_nb.uri).parent),
            timeout=data.timeout,
            allow_errors=data.allow_errors,
            kernel_manager_class=LocalKernel,
            extra_arguments=[f"--IPKernelApp.exec_lines={first}"],
        )


class _Executor(JupyterExecutorLocalSerial):  # type: ignore[misc]
    """Executes chapters one at a time; the base class passes them on in threes."""

    _EXECUTION_WORKER = _Worker


def stored_seconds(cache: JupyterCacheAbstract) -> dict[str, float]:
    """Return how long each chapter took when it was last executed, by its URI."""
    records = sorted(cache.list_cache_records(), key=lambda record: record.created)
    return {
        record.uri: record.data["execution_seconds"]
        for record in records
        if record.data
    }


def _turn(
    seconds: Mapping[str, float], longest: Sequence[str], uri: str
) -> tuple[float, int]:
    """Return a key that sorts chapters: unknown ones first, then those that took
    longest.
    """
    name = Path(uri).stem
    place = longest.index(name) if name in longest else len(longest)
    return -seconds.get(uri, math.inf), place
