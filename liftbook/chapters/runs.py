"""The book's chapters, rerun and swept: the engine of :mod:`companion.runs` with this
book's names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.runs import grids, running, sweeping
from companion.runs.kernel import Limits
from companion.runs.running import How, Run
from companion.runs.sweeping import Sweep
from companion.runs.workers import Local, Workers
from liftbook.chapters.book import LiftBook


def rerun(
    chapter: str,
    values: Mapping[str, Any],
    output: Path,
    *,
    html: bool = True,
    force: bool = False,
    progress: bool = True,
    timeout: int | None = None,
    kernel: str = "python3",
    book: str = "",
) -> Run:
    """Execute a chapter with other parameters, and write the results.

    Parameters
    ----------
    chapter : str
        A chapter's name, or the path of a notebook (``.md``, ``.ipynb`` or ``.py``).
    values : mapping
        Parameters by name; strings are parsed as Python literals.
    output : pathlib.Path
        A folder for the results; see ``companion.runs.running.rerun``.
    html : bool, keyword-only
        Whether to write the page.
    force : bool, keyword-only
        Whether to replace the folder of an earlier run.
    progress : bool, keyword-only
        Whether to show a progress bar.
    timeout : int, optional, keyword-only
        Time limit per cell, in seconds.
    kernel : str, keyword-only
        Name of the Jupyter kernel.
    book : str, keyword-only
        Address or folder of the built book, the target of the page's references to
        other pages.

    Raises
    ------
    RerunError
        If a name, type or value is invalid, the output exists, the kernel is unknown,
        or the run does not come to its end; then the folder's ``run.json`` says how it
        ended.
    """
    how = How(html, book, Limits(timeout), kernel=kernel, progress=progress)
    return running.rerun(LiftBook(), chapter, values, output, how, force=force)


def read_grid(path: Path, chapter: str) -> list[dict[str, Any]]:
    """Return the parameter sets of a YAML file, checked against the chapter."""
    book = LiftBook()
    page = book.find(chapter)
    return grids.read_grid(path, lambda values: book.check(page, values))


def sweep(
    chapter: str,
    runs: Sequence[Mapping[str, Any]],
    folder: Path,
    workers: Workers | None = None,
    *,
    html: bool = True,
    timeout: int | None = None,
    progress: bool = True,
    book: str = "",
) -> Sweep:
    """Run a chapter with each parameter set that is not done yet, and compare all runs.

    Parameters
    ----------
    runs : sequence of mappings
        Parameter sets, as returned by :func:`read_grid`.
    folder : pathlib.Path
        A new folder, or one of an earlier sweep of this chapter.
    workers : Workers, optional
        By default one process of this machine; see ``companion.runs.workers``.
    chapter, html, timeout, progress, book
        As in :func:`rerun`; the progress bar is over runs.

    Returns
    -------
    Sweep
        It lists failed runs, which do not stop the others; the next sweep retries them.
    """
    how = How(html, book, Limits(timeout), progress=progress)
    return sweeping.sweep(LiftBook(), chapter, runs, folder, workers or Local(1), how)
