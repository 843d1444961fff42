"""Execute a chapter with other parameters, using papermill."""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.project import refuse_address
from companion.running import execute
from liftbook.chapters.card import CRATE, as_text, card, crate, edited_cells, named_source
from liftbook.chapters.errors import ChapterFailed, RerunError
from liftbook.chapters.folders import CARD, FAILED, check_replaceable, code_digest, file_digest, list_files
from liftbook.chapters.layout import lay_out
from liftbook.chapters.parameters import (
    check_values,
    find_chapter,
    read_parameters,
    with_values,
)
from liftbook.chapters.results import TWO_FORMATS, take_figures, write_tables


@dataclass(frozen=True)
class Run:
    """The files of a rerun, and Sphinx's warnings about the page."""

    folder: Path
    notebook: Path
    page: Path | None
    tables: tuple[Path, ...]
    figures: tuple[Path, ...]
    seconds: float
    warnings: tuple[str, ...] = ()


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
        A chapter's name, or the path of a notebook (``.md`` or ``.ipynb``).
    values : mapping
        Parameters by name; strings are parsed as Python literals.
    output : pathlib.Path
        A folder, which receives ``NAME.ipynb``, the page ``NAME.html`` with ``_static`` and ``_images``, a CSV for each
        table that the chapter keeps, ``figures`` as SVG and PNG, and the run's card as ``run.json`` and ``run.md``
        (parameters, versions, git state, seed, seconds, cores), for repositories also as
        the RO-Crate ``ro-crate-metadata.json``. It is renamed into place once complete.
    html : bool, keyword-only
        Whether to write the page into a folder.
    force : bool, keyword-only
        Whether to replace the folder of an earlier run if this run succeeds (never a folder with other files).
    progress : bool, keyword-only
        Whether to show papermill's progress bar.
    timeout : int, optional, keyword-only
        Time limit per cell, in seconds.
    kernel : str, keyword-only
        Name of the Jupyter kernel.
    book : str, keyword-only
        Address or folder of the built book, the target of the page's references to other pages.

    Raises
    ------
    RerunError
        If a name, type or value is invalid, the output exists, the kernel is unknown, or a cell fails or assigns to a
        parameter. In the last two cases the message names the cell or the parameter, and the partial notebook is
        ``NAME.failed.ipynb`` in the folder (in ``FOLDER.failed`` if an earlier run is kept).
    """
    path = find_chapter(chapter)
    checked = check_values(path, values)
    _check_output(output, force)
    import nbformat  # noqa: PLC0415 - `list` does without it
    from jupyter_client.kernelspec import NoSuchKernel  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix=f".{output.name}.", dir=output.parent) as temporary:
        aside = Path(temporary)
        started = time.perf_counter()
        # the kernel's own notes are not the reader's
        options: dict[str, Any] = {"kernel_name": kernel, "extra_arguments": [*TWO_FORMATS, "--log-level=CRITICAL"]}
        options |= {"progress_bar": progress, "execution_timeout": timeout}
        try:
            notebook, ran, failure = execute(path, aside / "executed.ipynb", checked, read_parameters(path), **options)
        except NoSuchKernel as error:
            raise RerunError(f"no kernel {kernel!r}: `jupyter kernelspec list` lists the installed kernels") from error
        seconds = time.perf_counter() - started
        run_folder, warnings = aside / output.name, list[str]()
        run_folder.mkdir()
        _write_results(notebook, run_folder, path, failure)
        if not failure:
            content = _write_card(run_folder, path, ran, seconds)
            if html:
                executed = nbformat.read(aside / "executed.ipynb", as_version=4)  # with its figures
                warnings = _lay_out(executed, path, run_folder, content, book)
            files = [*list_files(run_folder), CARD]
            (run_folder / CRATE).write_text(json.dumps(crate(content, files), indent=2) + "\n", encoding="utf-8")
            _list_files(run_folder / CARD, content)
        _put_in_place(run_folder, output, aside, path.stem, failure)
    page = output / f"{path.stem}.html"
    return Run(
        output,
        output / f"{path.stem}.ipynb",
        page if page.exists() else None,
        tuple(sorted(output.glob("*.csv"))),
        tuple(sorted(output.glob("figures/*"))),
        seconds,
        tuple(warnings),
    )


def _check_output(output: Path, force: bool) -> None:
    """Refuse an output that is no new folder, nor one that may be replaced; make its parent folder."""
    refuse_address(output, RerunError)
    if output.suffix == ".ipynb":
        raise RerunError(
            f"{output} would be a notebook without its card: name a folder, such as {output.with_suffix('')}, which "
            "gets the notebook, the card and the tables"
        )
    if os.path.lexists(output):
        if not force:
            raise RerunError(f"{output} already exists: choose another folder or overwrite it", arguments=("force",))
        check_replaceable(output)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RerunError(f"cannot write {output}: {error.strerror}; choose another folder") from error


def _write_results(notebook: Any, folder: Path, path: Path, failure: str) -> None:
    """Write a run's tables, figures and notebook; for a failed run also its file list."""
    import nbformat  # noqa: PLC0415

    write_tables(notebook, folder)
    take_figures(notebook, folder)
    nbformat.write(notebook, folder / f"{path.stem}{'.failed' if failure else ''}.ipynb")
    if failure:
        _list_files(folder / FAILED, {"chapter": path.stem})


def _put_in_place(run_folder: Path, folder: Path, aside: Path, stem: str, failure: str) -> None:
    """Rename a run's folder; a failed run never replaces a finished one."""
    target = folder.with_name(f"{folder.name}.failed") if failure and (folder / CARD).exists() else folder
    if os.path.lexists(target):
        check_replaceable(target)
        target.rename(aside / "replaced")
    run_folder.rename(target)
    if failure:
        raise ChapterFailed(failure, target / f"{stem}.failed.ipynb")


def _lay_out(notebook: Any, path: Path, folder: Path, card: Mapping[str, Any], book: str) -> list[str]:
    """Write a run's page, and return Sphinx's warnings."""
    from companion.rerunning import told_of  # noqa: PLC0415 - Sphinx takes seconds

    values, more = card["parameters"], {"files": list_files(folder), "downloaded": path.suffix == ".ipynb"}
    told = told_of(values, read_parameters(path), card["seconds"], finished=card["finished"], **more)
    for cell in notebook.cells:
        if "parameters" in cell.metadata.get("tags", []):
            cell.source = with_values(cell.source, {name: values[name] for name in card["changed"]})
    if card["edited_cells"] != 0:
        said = f"\n\n```{{warning}}\nThis is a run of {named_source(card)[0]}.\n```"
        for cell in [cell for cell in notebook.cells if cell.cell_type == "markdown"][:1]:
            cell.source = re.sub(r"^# .*$", lambda title: title[0] + said, cell.source, count=1, flags=re.MULTILINE)
    return lay_out(notebook, path, folder, told, book)


def with_defaults(path: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return all parameters of a chapter: ``values``, and the defaults of the others."""
    return {parameter.name: parameter.default for parameter in read_parameters(path)} | dict(values)


def made_of(path: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return digests of the chapter, the code and the input files of a run."""
    given = [parameter.name for parameter in read_parameters(path) if parameter.is_file and values[parameter.name]]
    inputs = {name: file_digest(Path(values[name])) for name in given}
    return {"chapter": file_digest(path), "code": code_digest(), "inputs": inputs}


def _write_card(folder: Path, path: Path, values: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Write a run's card, with all its parameters, as Markdown; return its JSON content."""
    defaults = with_defaults(path, {})
    changed = [name for name, value in values.items() if value != defaults[name]]
    content = card(path.stem, edited_cells(path), values, changed, seconds) | {"made_of": made_of(path, values)}
    (folder / "run.md").write_text(as_text(content), encoding="utf-8")
    return content


def _list_files(path: Path, content: Mapping[str, Any]) -> None:
    """Write a run's file list, which determines what a later run may replace."""
    files = [*list_files(path.parent), path.name]
    path.write_text(json.dumps({**content, "files": files}, indent=2) + "\n", encoding="utf-8")
