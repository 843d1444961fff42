"""Execute a chapter with other parameters, through papermill."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liftbook.chapters.card import as_text, card
from liftbook.chapters.errors import RerunError
from liftbook.chapters.folders import CARD, FAILED, check_replaceable, code_digest, file_digest, list_files
from liftbook.chapters.parameters import Parameter, check_values, find_chapter, read_notebook, read_parameters
from liftbook.chapters.results import TWO_FORMATS, take_figures, write_page, write_tables


@dataclass(frozen=True)
class Run:
    """Where a rerun's results are."""

    folder: Path
    notebook: Path
    page: Path | None
    tables: tuple[Path, ...]
    figures: tuple[Path, ...]
    seconds: float


def rerun(
    chapter: str,
    values: Mapping[str, Any],
    folder: Path,
    *,
    html: bool = True,
    force: bool = False,
    progress: bool = True,
    timeout: int | None = None,
    kernel: str = "python3",
) -> Run:
    """Execute a chapter with other parameters and write what came of it to a folder.

    Parameters
    ----------
    chapter : str
        A chapter's name, or the path of a MyST notebook.
    values : mapping
        Parameters by name; texts are parsed as Python literals.
    folder : pathlib.Path
        Gets ``NAME.ipynb``, ``NAME.html`` with the MathJax it loads, a CSV for each table of rows that the chapter
        keeps, ``figures`` as SVG and PNG, and the run's card as ``run.json`` and ``run.md`` (parameters, versions,
        git state, seed, seconds, cores). Everything is written aside and then renamed.
    html : bool, keyword-only
        Whether to write the HTML page.
    force : bool, keyword-only
        Replace the folder of a former run, if this one does not fail; never a folder that holds anything else.
    progress : bool, keyword-only
        Show papermill's progress bar.
    timeout : int, optional, keyword-only
        Seconds that one cell may take.
    kernel : str, keyword-only
        The Jupyter kernel to run in.

    Raises
    ------
    RerunError
        If a name, type or range is wrong, the folder is there, there is no such kernel, or a cell fails; then
        ``NAME.failed.ipynb`` in the folder (or in ``FOLDER.failed``, where a former run is left as it was) holds what
        ran, and the message names the cell.
    """
    path = find_chapter(chapter)
    checked = check_values(path, values)
    if os.path.lexists(folder):
        if not force:
            raise RerunError(f"{folder} is there already: choose another folder or use --force")
        check_replaceable(folder)
    _check_parent(folder)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as aside:
        made = Path(aside) / folder.name
        made.mkdir()
        source, executed = Path(aside) / "source.ipynb", made / f"{path.stem}.ipynb"
        _write_source(path, source)
        failure = _executed(
            source,
            executed,
            path,
            parameters=checked,
            kernel_name=kernel,
            progress_bar=progress,
            execution_timeout=timeout,
        )
        seconds = time.perf_counter() - started
        notebook = _tidied(executed, made)
        target = folder
        if failure:
            executed.rename(made / f"{path.stem}.failed.ipynb")
            _list_files(made / FAILED, {"chapter": path.stem})
            target = folder.with_name(f"{folder.name}.failed") if (folder / CARD).exists() else folder
        else:
            if html:
                write_page(notebook, made, path.stem)
            _write_card(made, path, checked, seconds)
        if os.path.lexists(target):
            check_replaceable(target)
            target.rename(Path(aside) / "replaced")
        made.rename(target)
    if failure:
        raise RerunError(f"{failure}; what ran is in {target / f'{path.stem}.failed.ipynb'}")
    page = folder / f"{path.stem}.html"
    return Run(
        folder,
        folder / executed.name,
        page if page.exists() else None,
        tuple(sorted(folder.glob("*.csv"))),
        tuple(sorted(folder.glob("figures/*"))),
        seconds,
    )


def _check_parent(folder: Path) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RerunError(f"cannot write {folder}: {error.strerror}; choose another folder") from error


def _executed(source: Path, executed: Path, path: Path, **options: Any) -> str:
    """Execute a notebook beside a chapter, papermill's options given, and return why it failed, if it did."""
    import papermill  # noqa: PLC0415 - a second, and `list` does without it
    from jupyter_client.kernelspec import NoSuchKernel  # noqa: PLC0415

    from companion.sockets import LocalKernel  # noqa: PLC0415

    # it reads the parameters' cell too, not every line of it, and warns; ours are checked by now
    notes = logging.getLogger("papermill")
    before = notes.level
    notes.setLevel(logging.ERROR)
    try:
        papermill.execute_notebook(
            source,
            executed,
            cwd=path.parent,
            log_output=False,
            kernel_manager_class=LocalKernel,
            extra_arguments=[*TWO_FORMATS, "--log-level=CRITICAL"],  # the kernel's own notes are not the reader's
            **options,
        )
    except NoSuchKernel as error:
        named = options["kernel_name"]
        raise RerunError(f"no kernel {named!r}: `jupyter kernelspec list` shows those there are") from error
    except papermill.PapermillExecutionError as error:
        line = next((line for line in error.source.splitlines() if line.strip()), "")
        return (
            f"cell {error.cell_index} of {path.stem}, which begins {line!r}, failed with {error.ename}: {error.evalue}"
        )
    except TimeoutError:
        return f"a cell of {path.stem} took longer than {options['execution_timeout']} s: raise --timeout"
    finally:
        notes.setLevel(before)  # it is the caller's
    return ""


def _write_source(path: Path, source: Path) -> None:
    import nbformat  # noqa: PLC0415

    source.write_text(nbformat.writes(read_notebook(path), version=4), encoding="utf-8")


def _tidied(executed: Path, folder: Path) -> Any:
    """Return the executed notebook, its tables and figures written out."""
    import nbformat  # noqa: PLC0415

    notebook = nbformat.read(executed, as_version=4)
    write_tables(notebook, folder)
    take_figures(notebook, folder)
    nbformat.write(notebook, executed)
    return notebook


def _write_card(folder: Path, path: Path, values: Mapping[str, Any], seconds: float) -> None:
    defaults = {parameter.name: parameter.default for parameter in read_parameters(path)}
    everything = defaults | dict(values)
    changed = [name for name, value in everything.items() if value != defaults[name]]
    made = card(path.stem, everything, changed, seconds)
    (folder / "run.md").write_text(as_text(made), encoding="utf-8")
    files = {
        one.name: file_digest(Path(everything[one.name])) for one in read_parameters(path) if _given(one, everything)
    }
    made_of = {"chapter": file_digest(path), "code": code_digest(), "inputs": files}
    _list_files(folder / CARD, {**made, "made_of": made_of})


def _given(one: Parameter, values: Mapping[str, Any]) -> bool:
    return one.is_file and bool(values[one.name])


def _list_files(path: Path, content: Mapping[str, Any]) -> None:
    """Write what a run's folder holds, with the files' names, which are those that a further run may replace."""
    files = [*list_files(path.parent), path.name]
    path.write_text(json.dumps({**content, "files": files}, indent=2) + "\n", encoding="utf-8")
