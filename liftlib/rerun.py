"""Run a chapter again with other parameters.

A chapter is a MyST text notebook with one cell tagged ``parameters``, a typed assignment a line with a comment that
may end in a range, such as ``eps: float = 2.0  # LDP budget, nats, in [0, 50]``.
"""

from __future__ import annotations

import ast
import datetime as dt
import difflib
import io
import json
import math
import os
import platform
import re
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

from liftlib.errors import RerunError

RECORD = "application/papermill.record/"
ROWS_MIME = "application/vnd.liftlib.rows+json"
TYPES: Mapping[str, type] = {"int": int, "float": float, "str": str, "bool": bool, "list": list}
STAMPED = ("liftlib", "numpy", "scipy", "pandas", "matplotlib")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a chapter: name, type as written, default, comment, and the range that the comment states."""

    name: str
    annotation: str
    default: Any
    comment: str
    low: float = -math.inf
    high: float = math.inf

    def parse(self, text: str) -> Any:
        """Return the value that a command line's text stands for, checked.

        Raises
        ------
        RerunError
            If the text is not a value of this type or is out of range.

        Examples
        --------
        >>> Parameter("eps", "float", 1.0, "budget", 0, 50).parse("2")
        2.0
        """
        if self.annotation == "str":
            return self.check(text)
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError) as error:
            raise RerunError(f"{self.name} is {text!r}: give {self._wanted()}, such as {self.default!r}") from error
        return self.check(value)

    def check(self, value: Any) -> Any:
        """Return ``value``, as a float where one is asked for, if it is of the type and in the range."""
        kind, _, inner = self.annotation.partition("[")
        value = self._one(kind, value)
        if kind == "list":
            if not value and inner != "str]":
                raise RerunError(f"{self.name} is an empty list: give {self._wanted()}")
            return [self._one(inner.rstrip("]") or "float", entry) for entry in value]
        return value

    def _one(self, kind: str, value: Any) -> Any:
        if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        wanted = TYPES[kind]
        if not isinstance(value, wanted) or (kind in ("int", "float") and isinstance(value, bool)):
            raise RerunError(f"{self.name} is {value!r}: give {self._wanted()}, such as {self.default!r}")
        if isinstance(value, int | float) and not self.low <= value <= self.high:
            raise RerunError(f"{self.name} is {value!r}, not in [{self.low:g}, {self.high:g}]: give {self._wanted()}")
        return value

    def _wanted(self) -> str:
        kind, _, inner = self.annotation.partition("[")
        named = {"int": "a whole number", "float": "a number", "str": "a text", "bool": "True or False"}
        if kind == "list":
            named["list"] = f"a list such as '[1, 2]', each entry {named[inner.rstrip(']') or 'float']}"
        bounds = "" if math.isinf(self.low) and math.isinf(self.high) else f" in [{self.low:g}, {self.high:g}]"
        return named[kind] + bounds


def chapters_folder() -> Path:
    """Return the folder with the chapters' sources: beside the package, or the copy inside an installed one."""
    package = Path(__file__).parent
    for folder in (package.parent / "chapters", package / "_chapters"):
        if folder.is_dir():
            return folder
    raise RerunError(f"no chapters beside {package}: install liftlib from its repository")


def find_chapter(name: str) -> Path:
    """Return the path of a chapter by its name or path.

    Raises
    ------
    RerunError
        If there is none; the message suggests the nearest.
    """
    if name.endswith(".md"):
        if Path(name).is_file():
            return Path(name)
        raise RerunError(f"no file {name}: check the path, or name a chapter that `python -m liftlib list` shows")
    known = {path.stem: path for path in sorted(chapters_folder().glob("*.md")) if read_parameters(path)}
    if name not in known:
        raise RerunError(f"no chapter {name!r}: {_suggest(name, list(known))}")
    return known[name]


def _suggest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known) or 'none'}"


def read_notebook(path: Path) -> Any:
    """Return a MyST text notebook as a notebook object, with its kernel's language named."""
    import jupytext  # noqa: PLC0415 - only a rerun needs it

    notebook = jupytext.read(path)
    # papermill refuses a notebook whose kernelspec does not say this
    notebook.metadata.setdefault("kernelspec", {"name": "python3", "display_name": "Python 3"})
    notebook.metadata["kernelspec"].setdefault("language", "python")
    return notebook


def read_parameters(path: Path) -> list[Parameter]:
    """Return the parameters of a chapter; none for a page without a parameters cell.

    Raises
    ------
    RerunError
        If there are several parameters cells, or a line is not a typed assignment of a literal.
    """
    text = path.read_text(encoding="utf-8")
    # jupytext takes a tenth of a second a file, and most pages of a listing have no such cell
    if "tags: [parameters]" not in text:
        return []
    cells = [cell for cell in read_notebook(path).cells if "parameters" in cell.metadata.get("tags", [])]
    if len(cells) != 1:
        raise RerunError(f"{path.name} has {len(cells)} cells tagged parameters: keep one")
    return parse_parameters(cells[0].source, path.name)


def parse_parameters(source: str, where: str) -> list[Parameter]:
    """Return the parameters that a cell's source declares.

    Examples
    --------
    >>> parse_parameters("eps: float = 2.0  # LDP budget, nats, in [0, 50]", "a test")
    [Parameter(name='eps', annotation='float', default=2.0, comment='LDP budget, nats, in [0, 50]', low=0.0, high=50.0)]
    """
    lines = source.splitlines()
    found = []
    for node in ast.parse(source).body:
        kind = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
        if not isinstance(node, ast.AnnAssign) or node.value is None or kind.partition("[")[0] not in TYPES:
            raise RerunError(f"{where}: {lines[node.lineno - 1]!r} is not `name: type = literal  # comment`")
        last = lines[(node.end_lineno or node.lineno) - 1]
        comment = last[node.end_col_offset or 0 :].partition("#")[2].strip()
        bounds = re.search(r"in \[([^,\]]+), ([^\]]+)\]\s*$", comment)
        low, high = (float(bounds[1]), float(bounds[2])) if bounds else (-math.inf, math.inf)
        found.append(Parameter(ast.unparse(node.target), kind, ast.literal_eval(node.value), comment, low, high))
    return found


def preview_parameters(path: Path) -> dict[str, Any]:
    """Return the small parameters that a chapter's front matter names under ``lift: preview:``."""
    return dict(read_notebook(path).metadata.get("lift", {}).get("preview", {}))


def check_values(path: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values, texts parsed, after checking each name, type and range against the chapter.

    Raises
    ------
    RerunError
        At the first value that does not fit; a misspelt name's message suggests the right one.
    """
    known = {parameter.name: parameter for parameter in read_parameters(path)}
    for name in values:
        if name not in known:
            raise RerunError(f"{path.stem} has no parameter {name!r}: {_suggest(name, list(known))}")
    return {
        name: known[name].parse(value) if isinstance(value, str) else known[name].check(value)
        for name, value in values.items()
    }


@dataclass(frozen=True)
class Run:
    """Where a rerun's results are."""

    folder: Path
    notebook: Path
    page: Path | None
    tables: tuple[Path, ...]
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
) -> Run:
    """Execute a chapter with other parameters and write what came of it to a folder.

    Parameters
    ----------
    chapter : str
        A chapter's name, or the path of a MyST notebook.
    values : mapping
        Parameters by name; texts are parsed as Python literals.
    folder : pathlib.Path
        Gets ``NAME.ipynb``, ``NAME.html`` with the MathJax it loads, ``run.json`` (parameters, versions, seconds) and
        a CSV for each table of rows that the chapter keeps. Everything is written aside and then renamed.
    html : bool, keyword-only
        Whether to write the HTML page.
    force : bool, keyword-only
        Replace a folder that is there already.
    progress : bool, keyword-only
        Show papermill's progress bar.
    timeout : int, optional, keyword-only
        Seconds that one cell may take.

    Raises
    ------
    RerunError
        If a name, type or range is wrong, the folder is there, or a cell fails; then ``NAME.failed.ipynb`` in the
        folder's place holds what ran, and the message names the cell.
    """
    import papermill  # noqa: PLC0415 - a second, and `list` does without it

    path = find_chapter(chapter)
    checked = check_values(path, values)
    if folder.exists() and not force:
        raise RerunError(f"{folder} is there already: choose another folder or use --force")
    folder.parent.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as aside:
        made = Path(aside) / folder.name
        made.mkdir()
        source, executed = Path(aside) / "source.ipynb", made / f"{path.stem}.ipynb"
        source.write_text(json.dumps(_plain(read_notebook(path))), encoding="utf-8")
        failure = None
        try:
            papermill.execute_notebook(
                source,
                executed,
                parameters=checked,
                cwd=path.parent,
                kernel_name="python3",
                progress_bar=progress,
                execution_timeout=timeout,
                log_output=False,
            )
        except papermill.PapermillExecutionError as error:
            failure = error
            executed.rename(made / f"{path.stem}.failed.ipynb")
        seconds = time.perf_counter() - started
        if failure is None:
            _write_results(executed, made, path, checked, seconds, html=html)
        if folder.exists():
            shutil.rmtree(folder)
        made.rename(folder)
    if failure is not None:
        raise RerunError(
            f"cell {failure.cell_index} of {path.stem} failed with {failure.ename}: {failure.evalue}; "
            f"what ran is in {folder / f'{path.stem}.failed.ipynb'}"
        )
    page = folder / f"{path.stem}.html"
    tables = tuple(sorted(folder.glob("*.csv")))
    return Run(folder, folder / executed.name, page if page.exists() else None, tables, seconds)


def _plain(notebook: Any) -> Any:
    import nbformat  # noqa: PLC0415

    return json.loads(nbformat.writes(notebook, version=4))


def _write_results(
    executed: Path, folder: Path, path: Path, values: Mapping[str, Any], seconds: float, *, html: bool
) -> None:
    import nbformat  # noqa: PLC0415

    notebook = nbformat.read(executed, as_version=4)
    for cell in notebook.cells:
        shown = []
        for output in cell.get("outputs", []):
            kept = output.get("data", {}).get(RECORD + ROWS_MIME)
            if kept:
                table = pd.DataFrame(kept["rows"], columns=kept["columns"])
                table.to_csv(folder / f"{output['metadata']['scrapbook']['name']}.csv", index=False)
            if not any(mime.startswith(RECORD) for mime in output.get("data", {})):
                shown.append(output)
        if cell.cell_type == "code":
            cell.outputs = shown  # the page is for readers, who do not see what is recorded
    if html:
        from nbconvert import HTMLExporter  # noqa: PLC0415 - two seconds

        exporter = HTMLExporter(mathjax_url="", require_js_url="", jquery_url="", mermaid_js_url="")
        page, _ = exporter.from_notebook_node(notebook, resources={"metadata": {"name": path.stem}})
        # the exporter's scripts come from third parties; formulas are set by the copy that the book serves
        page = page.replace('<script src=""></script>', "").replace('<script src=""> </script>', _own_mathjax(folder))
        (folder / f"{path.stem}.html").write_text(page, encoding="utf-8")
    everything = {parameter.name: parameter.default for parameter in read_parameters(path)} | dict(values)
    card = {
        "chapter": path.stem,
        "parameters": everything,
        "changed": sorted(values),
        "seconds": round(seconds, 3),
        "finished": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "versions": _versions(),
    }
    (folder / "run.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def _own_mathjax(folder: Path) -> str:
    """Copy the book's MathJax to the folder and return the tags that load it, none where it is not installed."""
    package = Path(__file__).parent
    for source in (package.parent / "_static" / "mathjax", package / "_mathjax"):
        if source.is_dir():
            shutil.copytree(source, folder / "mathjax")
            settings = r"MathJax = {tex: {inlineMath: [['$', '$'], ['\\(', '\\)']]}}"
            return f'<script>{settings}</script><script async src="mathjax/tex-chtml-full.js"></script>'
    return ""


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in STAMPED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # liftlib itself may be imported from its folder without being installed
            found[name] = "not installed"
    return found


def keep(name: str, table: pd.DataFrame) -> None:
    """Mark a table of a chapter as a result, so that a rerun writes it to ``name.csv``; the book does not show it."""
    from IPython.display import display  # noqa: PLC0415

    if not re.fullmatch(r"[a-z0-9_]+", name):
        raise RerunError(f"the table's name is {name!r}: use lower-case letters, digits and _")
    body = json.loads(table.to_json(orient="split", index=False, double_precision=15))
    data = {RECORD + ROWS_MIME: {"columns": body["columns"], "rows": body["data"]}}
    # the form in which glue records a value: the book's renderer reads it and leaves it out of the page
    display(data, metadata={"scrapbook": {"name": name, "mime_prefix": RECORD}}, raw=True)


@dataclass(frozen=True)
class Stamp:
    """What a chapter ran with; notebooks show it as a table."""

    values: Mapping[str, str]

    def _repr_markdown_(self) -> str:
        out = io.StringIO()
        out.write("| what it ran with | |\n|---|---|\n")
        for name, value in self.values.items():
            out.write(f"| {name} | {value} |\n")
        return out.getvalue()


def ran_with(started: float, *, seed: int | None = None) -> Stamp:
    """Return the stamp that ends a chapter: versions, seed, and seconds since ``started`` (time.perf_counter).

    Examples
    --------
    >>> "seconds" in ran_with(time.perf_counter(), seed=0).values
    True
    """
    values = _versions() | ({} if seed is None else {"seed": str(seed)})
    return Stamp(values | {"seconds": f"{time.perf_counter() - started:.1f}"})
