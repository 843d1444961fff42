"""Rerun a page of a book with other parameters, and lay it out like the book."""

from __future__ import annotations

import io
import json
import runpy
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.docutils import docutils_namespace, patch_docutils

from companion.errors import CompanionError
from companion.parameters import Parameter, ask_for_values, read_notebook, reader, take_values
from companion.project import refuse_address
from companion.sockets import LocalKernel
from companion.sphinx.findable import address_of


def lay_out(
    notebook: Any,
    page: str,
    folder: Path,
    settings: Mapping[str, Any],
    *,
    configured: Path | None = None,
    beside: tuple[Path, ...] = (),
) -> list[str]:
    """Write an executed notebook as ``PAGE.html``; return Sphinx's warnings.

    The page is written to ``folder`` with its ``_static`` and ``_images``. The settings, among them ``companion_rerun``
    (see ``companion.sphinx.reruns``), override the ``conf.py`` in ``configured``; the files in ``beside`` are copied
    next to the page's source. Raise CompanionError if Sphinx cannot lay out the page.
    """
    with tempfile.TemporaryDirectory() as aside:
        source, built = Path(aside) / "source", Path(aside) / "made"
        source.mkdir()
        nbformat.write(notebook, source / f"{page}.ipynb")
        for path in beside:
            shutil.copy(path, source)
        warnings = io.StringIO()
        with patch_docutils(str(source)), docutils_namespace():
            try:
                app = Sphinx(
                    source,
                    configured,
                    built,
                    Path(aside) / "doctrees",
                    "html",
                    confoverrides={**settings, "root_doc": page},
                    status=None,
                    warning=warnings,
                    freshenv=True,
                )
                app.build(force_all=True)
            except SphinxError as error:
                raise CompanionError(f"the page {page} cannot be laid out: {error}") from error
        for name in (f"{page}.html", "_static", "_images"):
            if (built / name).exists():
                shutil.move(built / name, folder / name)
    return warnings.getvalue().splitlines()


def rerun(name: str, texts: Mapping[str, str], folder: Path, book: Path) -> Path:
    """Execute a page with other parameters and return the path of its HTML.

    Parameters
    ----------
    name : str
        The page's name, such as ``coins``.
    texts : mapping of str to str
        Values of parameters as text, by name.
    folder : pathlib.Path
        A new folder for ``NAME.ipynb``, ``NAME.html`` and the files that the page loads.
    book : pathlib.Path
        The folder with ``conf.py``. If it contains the built book, changed numbers are marked.

    Raises
    ------
    CompanionError
        If there is no such book, page or parameter, a value is invalid, the folder exists, or a cell or layout fails.
    """
    refuse_address(folder)
    if not (book / "conf.py").is_file():
        raise CompanionError(f"no conf.py in {book.resolve()}: run this in the folder of a book, or name it (book)")
    if folder.exists():
        raise CompanionError(f"{folder} already exists: choose another folder")
    source = next((path for path in sorted(book.rglob(f"{name}.md")) if not {"_build", ".venv"} & {*path.parts}), None)
    if source is None:
        raise CompanionError(f"there is no page {name!r} in {book.resolve()}")
    conf = runpy.run_path(str(book / "conf.py"))
    read = reader(conf.get("companion_parameters", "companion.parameters"))
    declared = {parameter.name: parameter for parameter in read.read_parameters(source)}
    values = {key: _value(key, text, declared) for key, text in texts.items()}
    folder.mkdir(parents=True)
    executed, started = folder / f"{name}.ipynb", time.perf_counter()
    notebook, ran = _execute(source, executed, values, declared)
    changed = [key for key, value in ran.items() if value != declared[key].default]
    run_info = {
        "changed": [(key, repr(ran[key]), repr(declared[key].default)) for key in changed],
        "same": [(key, repr(parameter.default)) for key, parameter in declared.items() if key not in changed],
        "seconds": time.perf_counter() - started,
        "finished": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "files": [executed.name],
        "downloaded": False,
    }
    notebook.cells = [cell for cell in notebook.cells if "injected-parameters" not in cell.metadata.get("tags", [])]
    settings = {
        "companion_rerun": _of_the_book(name, book, conf, run_info),
        "nb_execution_mode": "off",
        "html_copy_source": False,
        "html_use_index": False,
    }
    lay_out(notebook, name, folder, settings, configured=book.resolve())
    return folder / f"{name}.html"


def _execute(
    source: Path, executed: Path, values: Mapping[str, Any], declared: Mapping[str, Parameter]
) -> tuple[Any, dict[str, Any]]:
    """Execute a page, write what ran to ``executed``, and return it with the values of all parameters in the kernel."""
    import papermill

    notebook, failure = read_notebook(source), ""
    ask_for_values(notebook, [name for name, parameter in declared.items() if not parameter.is_file])
    nbformat.write(notebook, executed)
    try:
        papermill.execute_notebook(
            *(executed, executed, values),
            cwd=source.parent,
            kernel_manager_class=LocalKernel,
            progress_bar=False,
            log_output=False,
        )
    except papermill.PapermillExecutionError as error:
        failure = f"a cell failed with {error.ename}: {error.evalue}"
    notebook = nbformat.read(executed, as_version=4)
    ran = {name: parameter.default for name, parameter in declared.items()} | dict(values)
    try:
        ran |= take_values(notebook, ran, source.stem)
    except ValueError as error:
        failure = str(error)
    nbformat.write(notebook, executed)
    if failure:
        raise CompanionError(f"{failure}; what ran is in {executed}")
    return notebook, ran


def _value(name: str, text: str, declared: Mapping[str, Parameter]) -> Any:
    if name not in declared:
        raise CompanionError(f"there is no parameter {name!r}, but {', '.join(declared) or 'none'}")
    try:
        return declared[name].parse(text)
    except ValueError as error:
        raise CompanionError(str(error)) from error


def _of_the_book(page: str, book: Path, conf: Mapping[str, Any], run_info: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of ``companion_rerun``, from the book and the run."""
    html = book / "_build" / "html"
    record_path = html / "book.json"
    record = (
        json.loads(record_path.read_text(encoding="utf-8")) | {"folder": str(html.resolve())}
        if record_path.is_file()
        else {}
    )
    address = address_of(str(conf.get("html_baseurl", "")), "")
    original = record.get("targets", {}).get(f"doc:{page}", ["", ""])[0]
    return {"page": page, "record": record, "address": address, "told": run_info, "original": original}
