"""Execute a chapter with other parameters, through papermill."""

from __future__ import annotations

import copy
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
from liftbook.chapters.parameters import (
    Parameter,
    check_values,
    find_chapter,
    read_notebook,
    read_parameters,
    with_values,
)
from liftbook.chapters.results import TWO_FORMATS, drop_second_format, take_figures, write_tables


@dataclass(frozen=True)
class Run:
    """Where a rerun's results are.

    Attributes
    ----------
    warnings : tuple of str
        What Sphinx warned of as it laid out the page.
    """

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
        Parameters by name; texts are parsed as Python literals.
    output : pathlib.Path
        A folder gets ``NAME.ipynb``, the page ``NAME.html`` with what it loads in ``_static`` and ``_images``, a CSV
        for each table of rows that the chapter keeps, ``figures`` as SVG and PNG, and the run's card as ``run.json``
        and ``run.md`` (parameters, versions, git state, seed, seconds, cores). If ``output`` ends in ``.ipynb``, only
        that notebook is written, and each table beside it as ``OUTPUT.TABLE.csv``. Everything is written aside and then
        renamed.
    html : bool, keyword-only
        Whether a folder gets the page.
    force : bool, keyword-only
        Replace the folder of a former run, if this one does not fail (never a folder that holds anything else), or the
        notebook.
    progress : bool, keyword-only
        Show papermill's progress bar.
    timeout : int, optional, keyword-only
        Seconds that one cell may take.
    kernel : str, keyword-only
        The Jupyter kernel to run in.
    book : str, keyword-only
        Address or folder of the built book, to which the page's references to other pages lead.

    Raises
    ------
    RerunError
        If a name, type or range is wrong, the output exists, there is no such kernel, or a cell fails. In the last case
        ``NAME.failed.ipynb`` in the folder (or in ``FOLDER.failed``, where a former run is left as it was), or the
        output notebook, holds what ran, and the message names the cell.
    """
    path = find_chapter(chapter)
    checked = check_values(path, values)
    alone = output.suffix == ".ipynb"
    if os.path.lexists(output):
        if not force:
            raise RerunError(
                f"{output} is there already: choose another {'file' if alone else 'folder'} or use --force"
            )
        if not alone:
            check_replaceable(output)
        elif not output.is_file() or output.resolve() == path.resolve():
            raise RerunError(f"{output} is {'the input' if output.is_file() else 'no file'}: choose another file")
    _check_parent(output)
    options = {"kernel_name": kernel, "progress_bar": progress, "execution_timeout": timeout}
    with tempfile.TemporaryDirectory(prefix=f".{output.name}.", dir=output.parent) as aside:
        source = Path(aside) / "source.ipynb"
        _write_source(path, source)
        if alone:
            return _to_notebook(path, source, output, Path(aside), parameters=checked, **options)
        return _to_folder(path, source, output, Path(aside), html=html, book=book, parameters=checked, **options)


def _to_notebook(path: Path, source: Path, output: Path, aside: Path, **options: Any) -> Run:
    started = time.perf_counter()
    failure = _executed(source, aside / "executed.ipynb", path, **options)
    seconds = time.perf_counter() - started
    notebook = _read(aside / "executed.ipynb")
    drop_second_format(notebook)
    _write(notebook, aside / "executed.ipynb")
    (aside / "executed.ipynb").replace(output)
    if failure:
        raise RerunError(f"{failure}; what ran is in {output}")
    tables = write_tables(notebook, output.parent, f"{output.stem}.")
    return Run(output.parent, output, None, tuple(tables), (), seconds)


def _to_folder(
    path: Path,
    source: Path,
    folder: Path,
    aside: Path,
    *,
    html: bool,
    book: str,
    parameters: Mapping[str, Any],
    **options: Any,
) -> Run:
    started = time.perf_counter()
    made = aside / folder.name
    made.mkdir()
    executed, warnings = made / f"{path.stem}.ipynb", list[str]()
    failure = _executed(source, executed, path, parameters=parameters, **options)
    seconds = time.perf_counter() - started
    notebook = _read(executed)
    write_tables(notebook, made)
    whole = copy.deepcopy(notebook) if html else None
    take_figures(notebook, made)
    _write(notebook, executed)
    target = folder
    if failure:
        executed.rename(made / f"{path.stem}.failed.ipynb")
        _list_files(made / FAILED, {"chapter": path.stem})
        target = folder.with_name(f"{folder.name}.failed") if (folder / CARD).exists() else folder
    else:
        card = _write_card(made, path, parameters, seconds)
        if html:
            warnings = _lay_out(whole, path, made, card, book)
        _list_files(made / CARD, card)
    if os.path.lexists(target):
        check_replaceable(target)
        target.rename(aside / "replaced")
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
        tuple(warnings),
    )


def _lay_out(notebook: Any, path: Path, folder: Path, card: Mapping[str, Any], book: str) -> list[str]:
    """Write the page of a run, and return Sphinx's warnings."""
    from liftbook.chapters.layout import lay_out  # noqa: PLC0415 - Sphinx takes seconds, and --no-html does without

    values, defaults = card["parameters"], {one.name: one.default for one in read_parameters(path)}
    told = {
        "changed": [(name, repr(values[name]), repr(defaults[name])) for name in card["changed"]],
        "same": [(name, repr(value)) for name, value in values.items() if name not in card["changed"]],
        "seconds": card["seconds"],
        "finished": card["finished"],
        "files": list_files(folder),
        "downloaded": path.suffix == ".ipynb",
    }
    for cell in notebook.cells:
        if "parameters" in cell.metadata.get("tags", []):
            cell.source = with_values(cell.source, {name: values[name] for name in card["changed"]})
    return lay_out(notebook, path.stem, folder, told, book)


def _check_parent(folder: Path) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RerunError(f"cannot write {folder}: {error.strerror}; choose another folder") from error


def _executed(source: Path, executed: Path, path: Path, **options: Any) -> str:
    """Execute a notebook beside a chapter; return why it failed, if it did."""
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
    _write(read_notebook(path), source)


def _read(path: Path) -> Any:
    import nbformat  # noqa: PLC0415

    return nbformat.read(path, as_version=4)


def _write(notebook: Any, path: Path) -> None:
    import nbformat  # noqa: PLC0415

    nbformat.write(notebook, path)


def _write_card(folder: Path, path: Path, values: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Write a run's card as Markdown, and return the content of its JSON."""
    defaults = {parameter.name: parameter.default for parameter in read_parameters(path)}
    everything = defaults | dict(values)
    changed = [name for name, value in everything.items() if value != defaults[name]]
    made = card(path.stem, everything, changed, seconds)
    (folder / "run.md").write_text(as_text(made), encoding="utf-8")
    files = {
        one.name: file_digest(Path(everything[one.name])) for one in read_parameters(path) if _given(one, everything)
    }
    return {**made, "made_of": {"chapter": file_digest(path), "code": code_digest(), "inputs": files}}


def _given(one: Parameter, values: Mapping[str, Any]) -> bool:
    return one.is_file and bool(values[one.name])


def _list_files(path: Path, content: Mapping[str, Any]) -> None:
    """Write the names of a run's files, which a further run may replace."""
    files = [*list_files(path.parent), path.name]
    path.write_text(json.dumps({**content, "files": files}, indent=2) + "\n", encoding="utf-8")
