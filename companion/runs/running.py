"""Run one page with other parameters, and write a folder that says how it ended."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.parameters import Parameter, with_values
from companion.project import refuse_address
from companion.runs.book import Book
from companion.runs.errors import RunError, RunFailed
from companion.runs.folders import (
    RECORD,
    check_replaceable,
    is_done,
    list_files,
    read_record,
)
from companion.runs.kernel import Execution, Limits, execute
from companion.runs.record import as_text, record_of
from companion.runs.results import take_figures, write_tables


@dataclass(frozen=True)
class Run:
    """The files of a run, and Sphinx's warnings about its page."""

    folder: Path
    notebook: Path
    page: Path | None
    tables: tuple[Path, ...]
    figures: tuple[Path, ...]
    seconds: float
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class How:
    """How pages are run.

    Attributes
    ----------
    html : bool
        Whether to write the page.
    address : str
        URL or folder of the built book, the target of the page's references to other
        pages.
    limits : Limits
        What a run may take.
    retries : int
        How often a run that fails, dies or times out is tried again.
    kernel : str
        Name of the Jupyter kernel.
    progress : bool
        Whether to show a bar.
    """

    html: bool = True
    address: str = ""
    limits: Limits = field(default_factory=Limits)
    retries: int = 0
    kernel: str = "python3"
    progress: bool = False


def rerun(
    book: Book,
    name: str,
    values: Mapping[str, Any],
    output: Path,
    how: How = How(),
    *,
    force: bool = False,
) -> Run:
    """Run a page with other parameters, and write the results.

    Parameters
    ----------
    book : Book
        The book.
    name : str
        A page's name or path (``.md``, ``.ipynb`` or ``.py``).
    values : mapping
        Parameters by name; strings are parsed as Python literals.
    output : pathlib.Path
        A folder, which receives ``NAME.ipynb``, the page ``NAME.html`` with ``_static``
        and ``_images``, a CSV for each table that the page keeps, ``figures`` as SVG
        and PNG, and the run's record as ``run.json`` and ``run.md`` (parameters, how it
        ended, digests, versions, git state, seed, seconds, cores). It is renamed into
        place once complete.
    how : How
        How it is run.
    force : bool, keyword-only
        Whether to replace the folder of an earlier run that is done, if this run is
        done too. The folder of a run that failed is replaced in any case, and a folder
        with other files never.

    Raises
    ------
    RunError
        If a name, type or value is invalid, the output exists, or the kernel is
        unknown: then nothing is written.
    RunFailed
        If the run has another ending than "done", or a cell assigns to a parameter. The
        folder has the record, the tables up to there, and ``NAME.failed.ipynb``
        (``FOLDER.failed`` if an earlier run is kept).
    """
    page = book.find(name)
    checked = book.check(page, values)
    book.inputs(page, checked)
    _check_output(output, force)
    with tempfile.TemporaryDirectory(
        prefix=f".{output.name}.", dir=output.parent
    ) as temporary:
        aside = Path(temporary)
        folder = aside / output.name
        folder.mkdir()
        execution, seconds, attempts = _executed(book, page, checked, how)
        warnings = _write(book, page, folder, execution, seconds, attempts, how)
        target = _put_in_place(folder, output, aside, execution.status)
    if execution.status != "done":
        raise RunFailed(
            execution.status, execution.message, target / f"{page.stem}.failed.ipynb"
        )
    laid_out = output / f"{page.stem}.html"
    return Run(
        output,
        output / f"{page.stem}.ipynb",
        laid_out if laid_out.exists() else None,
        tuple(sorted(output.glob("*.csv"))),
        tuple(sorted(output.glob("figures/*"))),
        seconds,
        tuple(warnings),
    )


def _executed(
    book: Book, page: Path, values: Mapping[str, Any], how: How
) -> tuple[Execution, float, int]:
    """Return an execution, its seconds, and its number of attempts."""
    declared = book.parameters(page)
    attempts, ended = 0, False
    while not ended:
        attempts += 1
        started = time.perf_counter()
        execution = execute(
            page,
            values,
            declared,
            packages=book.packages,
            limits=how.limits,
            kernel=how.kernel,
            progress=how.progress,
        )
        seconds = time.perf_counter() - started
        ended = execution.status in ("done", "interrupted") or attempts > how.retries
    return execution, seconds, attempts


def _write(
    book: Book,
    page: Path,
    folder: Path,
    execution: Execution,
    seconds: float,
    attempts: int,
    how: How,
) -> list[str]:
    """Write a run's files, its record last; return Sphinx's warnings."""
    import nbformat

    done, warnings = execution.status == "done", list[str]()
    record = record_of(
        *(
            book,
            page,
            execution.values,
            book.digests(page, execution.values, execution),
        ),
        status=execution.status,
        message=execution.message,
        seconds=seconds,
        attempts=attempts,
        address=how.address,
    )
    # a copy: the notebook's own lose their SVG
    with_figures = nbformat.from_dict(execution.notebook)
    write_tables(execution.notebook, folder)
    take_figures(execution.notebook, folder)
    nbformat.write(
        execution.notebook, folder / f"{page.stem}{'' if done else '.failed'}.ipynb"
    )
    if done:
        (folder / "run.md").write_text(as_text(record), encoding="utf-8")
        if how.html:
            warnings = _lay_out(
                book, page, folder, with_figures, record, execution.values, how
            )
    files = [*list_files(folder), RECORD]
    (folder / RECORD).write_text(
        json.dumps({**record, "files": files}, indent=2) + "\n", encoding="utf-8"
    )
    return warnings


def _lay_out(
    book: Book,
    page: Path,
    folder: Path,
    notebook: Any,
    record: Mapping[str, Any],
    values: Mapping[str, Any],
    how: How,
) -> list[str]:
    """Write a run's page, and return Sphinx's warnings."""
    told = told_of(
        *(values, book.parameters(page), record["seconds"]),
        finished=record["finished"],
        compared=record["compared"],
        files=list_files(folder),
        downloaded=page.suffix == ".ipynb" and not page.is_relative_to(book.root),
    )
    for cell in notebook.cells:
        if "parameters" in cell.metadata.get("tags", []):
            cell.source = with_values(
                cell.source, {name: values[name] for name in record["changed"]}
            )
    return book.lay_out(notebook, page, folder, told, how.address)


def told_of(
    values: Mapping[str, Any],
    parameters: Sequence[Parameter],
    seconds: float,
    **more: Any,
) -> dict[str, Any]:
    """Return what the box below the title of a run's page says.

    ``changed`` are rows of (name, value here, value in the book), ``same`` pairs of
    (name, value); ``more`` are ``finished``, ``files``, ``compared``, and whether the
    notebook was ``downloaded``.
    """
    changed = [one for one in parameters if values[one.name] != one.default]
    return {
        "changed": [
            (one.name, repr(values[one.name]), repr(one.default)) for one in changed
        ],
        "same": [
            (one.name, repr(one.default)) for one in parameters if one not in changed
        ],
        "seconds": seconds,
        **more,
    }


def _check_output(output: Path, force: bool) -> None:
    """Refuse an output that is no new folder, nor one that may be replaced; make its
    parent folder.
    """
    refuse_address(output, RunError)
    if output.suffix == ".ipynb":
        raise RunError(
            f"{output} would be a notebook without its record: name a folder, such as"
            f" {output.with_suffix('')}, which gets the notebook, the record and the"
            " tables"
        )
    if os.path.lexists(output):
        former = read_record(output) if output.is_dir() else None
        if not force and (former is None or former["status"] == "done"):
            raise RunError(
                f"{output} already exists: choose another folder or overwrite it",
                argument="force",
            )
        check_replaceable(output)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(
            f"cannot write {output}: {error.strerror}; choose another folder"
        ) from error


def _put_in_place(run_folder: Path, folder: Path, aside: Path, status: str) -> Path:
    """Rename a run's folder and return its path; another ending never replaces a run
    that is done.
    """
    target = (
        folder.with_name(f"{folder.name}.failed")
        if status != "done" and is_done(folder)
        else folder
    )
    if os.path.lexists(target):
        check_replaceable(target)
        target.rename(aside / "replaced")
    run_folder.rename(target)
    return target
