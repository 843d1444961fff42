"""Execute chapters side by side, each in a kernel of its own, and keep what they put out in one folder."""

import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import ProjectNb
from jupyter_cache.executors.base import ExecutorRunResult
from jupyter_cache.executors.basic import ExecutionWorkerLocalSerial, JupyterExecutorLocalSerial, ProcessData
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution

from companion.sockets import LocalKernel


def execute(pages: Iterable[Path], folder: Path, jobs: int, longest: Sequence[str] = ()) -> bool:
    """Execute every chapter whose outputs are not kept, and return whether all cells ran.

    Parameters
    ----------
    pages : iterable of pathlib.Path
        Sources of the book's pages; those without code are left out.
    folder : pathlib.Path
        Where outputs are kept, a cache of jupyter-cache.
    jobs : int
        How many run side by side.
    longest : sequence of str
        Names of chapters that are begun before the others, in this order, so that none is left alone at the end.
    """
    cache = get_cache(folder)
    for record in cache.list_project_records():
        cache.remove_nb_from_project(record.pk)
    for path in pages:
        if "{code-cell}" in path.read_text(encoding="utf-8"):
            cache.add_nb_to_project(str(path), read_data={"name": "myst_nb_md", "type": "plugin"})
    stale = sorted((record.uri for record in cache.list_unexecuted()), key=partial(_turn, longest))
    if not stale:
        return True
    print(f"executing {', '.join(Path(uri).stem for uri in stale)}", flush=True)
    failed = []
    with ProcessPoolExecutor(jobs) as pool:
        for result in pool.map(partial(execute_one, folder), stale):
            failed += [*result.excepted, *result.errored]
    for uri in failed:
        trace = cache.get_project_record(uri).traceback or "no traceback was kept"
        print(f"\n{Path(uri).name} failed:\n{trace}", file=sys.stderr)
    return not failed


def execute_one(folder: Path, uri: str) -> ExecutorRunResult:
    """Execute one chapter of those that the folder knows, and keep its outputs there."""
    cache = get_cache(folder)
    # jupyter-cache asks twice which records there are: one that another process adds in between seems one too many, and
    # is not found, or is thrown away
    cache.truncate_caches = lambda: None
    return _Executor(cache).run_and_cache(filter_uris=[uri], timeout=1800, allow_errors=False)


class _Worker(ExecutionWorkerLocalSerial):  # type: ignore[misc]
    @staticmethod
    def execute(project_nb: ProjectNb, data: ProcessData) -> ExecutionResult:
        return single_nb_execution(
            project_nb.nb,
            cwd=str(Path(project_nb.uri).parent),
            timeout=data.timeout,
            allow_errors=data.allow_errors,
            kernel_manager_class=LocalKernel,
        )


class _Executor(JupyterExecutorLocalSerial):  # type: ignore[misc]
    """One chapter after the other: its own pool hands them out by threes, and one core waits for the other."""

    _EXECUTION_WORKER = _Worker


def _turn(longest: Sequence[str], uri: str) -> int:
    return longest.index(Path(uri).stem) if Path(uri).stem in longest else len(longest)
