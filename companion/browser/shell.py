"""Run cells in a shared namespace and collect their outputs."""

from __future__ import annotations

import ast
import base64
import contextlib
import linecache
import re
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from companion.outputs.showing import as_figure_svg

SVG, PNG, HTML, TEXT = "image/svg+xml", "image/png", "text/html", "text/plain"
# characters that a cell may print; a loop that prints without end would fill the page
MAX_OUTPUT = 200_000

Output = dict[str, Any]

MAGIC = re.compile(r"\s*[%!]|.*\?\s*$")
"""A line for IPython alone: a magic, a command of the shell, a question."""


@dataclass
class Result:
    """The outputs of a cell, and its error if any.

    Attributes
    ----------
    outputs : list of dict
        The outputs in order, each a mapping from MIME type to content; ``stream`` is
        printed text.
    error : dict, optional
        ``name``, ``says``, ``line`` in the cell, ``trace``, and ``absent``, whether a
        browser lacks something needed.
    glued : dict
        The values that the cell gave to the prose, by their keys.
    """

    outputs: list[Output] = field(default_factory=list)
    error: dict[str, Any] | None = None
    glued: dict[str, Any] = field(default_factory=dict)


class Shell:
    r"""A namespace in which cells run.

    Parameters
    ----------
    rows : str
        The MIME type that marks a table of rows to keep, such as
        ``application/papermill.record/...``.

    Examples
    --------
    >>> Shell().run("a = 2\nprint(a)\na + 1").outputs
    [{'stream': '2\n'}, {'text/plain': '3'}]
    >>> Shell().run("1 + 1;").outputs
    []
    >>> Shell().run("x = 1\n1 / 0").error["line"]
    2
    """

    def __init__(self, rows: str = "") -> None:
        self._rows = rows  # the kind of content that is a table of rows to keep
        self.names: dict[str, Any] = {
            "__name__": "__main__",
            "__builtins__": __builtins__,
        }
        self.tables: dict[str, dict[str, Any]] = {}
        self.lost: set[str] = set()  # names of cells that could not run here
        self._outputs: list[Output] = []
        self._glued: dict[str, Any] = {}
        self._printed = 0
        self._cells = 0

    def show(
        self,
        *values: Any,
        metadata: Mapping[str, Any] | None = None,
        raw: bool = False,
        **_other: object,
    ) -> None:
        """Show values, as ``IPython.display.display`` does, and store kept tables."""
        for value in values:
            content = dict(value) if raw else bundle(value)
            if self._rows in content:
                self.tables[(metadata or {})["scrapbook"]["name"]] = content[self._rows]
            elif content:
                self._outputs.append(content)

    def glue(self, name: str, value: Any, display: bool = True) -> None:
        """Store a value for the prose, and show it unless ``display`` is false."""
        self._glued[name] = value
        if display:
            self.show(value)

    def write(self, text: str) -> int:
        """Collect printed text, as a stream does; return its length."""
        if self._printed > MAX_OUTPUT:
            return len(text)
        self._printed += len(text)
        text = (
            text
            if self._printed <= MAX_OUTPUT
            else "\n(more was printed than a page can hold)\n"
        )
        if self._outputs and "stream" in self._outputs[-1]:
            self._outputs[-1]["stream"] += text
        elif text:
            self._outputs.append({"stream": text})
        return len(text)

    def flush(self) -> None:
        """Do nothing, because printed text is collected immediately."""

    def run(self, source: str) -> Result:
        """Run a cell and return its outputs, with the error if it raises one."""
        self._outputs, self._glued, self._printed = [], {}, 0
        self._cells += 1
        name = f"<cell {self._cells}>"
        linecache.cache[name] = (
            len(source),
            None,
            source.splitlines(keepends=True),
            name,
        )
        assigned, error = set[str](), None
        stream: Any = SimpleNamespace(
            write=self.write, flush=self.flush, isatty=lambda: False, encoding="utf-8"
        )
        try:
            tree = parsed(source, name)
            assigned = stored(tree)
            with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
                self._execute(tree, source, name)
                self._take_figures()
            self.lost -= assigned
        except BaseException as fault:  # noqa: BLE001 - shown at the cell
            close_figures()
            error = self._told(fault, name)
            if error["absent"]:
                self.lost |= assigned - set(self.names)
        return Result(self._outputs, error, self._glued)

    def _execute(self, tree: ast.Module, source: str, name: str) -> None:
        last = tree.body[-1] if tree.body else None
        quiet = source.rstrip().endswith(";")
        if not isinstance(last, ast.Expr) or quiet:
            exec(compile(tree, name, "exec"), self.names)
            return
        exec(compile(ast.Module(tree.body[:-1], []), name, "exec"), self.names)
        value = eval(compile(ast.Expression(last.value), name, "eval"), self.names)
        if value is not None and not is_figure(value):
            self.show(value)

    def _take_figures(self) -> None:
        """Show the figures that the cell drew and close them, as a notebook does."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot:
            for number in pyplot.get_fignums():
                self._outputs.append({SVG: as_figure_svg(pyplot.figure(number))})
            pyplot.close("all")

    def _told(self, fault: BaseException, name: str) -> dict[str, Any]:
        frames = traceback.extract_tb(fault.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == name]
        line = (
            fault.lineno
            if isinstance(fault, SyntaxError)
            else (lines[-1] if lines else None)
        )
        wanted = getattr(fault, "name", None) or ""
        says, absent = str(fault), False
        if isinstance(fault, ModuleNotFoundError):
            says = (
                f"this needs {wanted}, which a browser does not have: run the chapter"
                " on your own machine"
            )
            absent = True
        elif isinstance(fault, NameError) and wanted in self.lost:
            says, absent = (
                f"this needs {wanted}, of a cell above that could not run here",
                True,
            )
        elif isinstance(fault, FileNotFoundError) and self.lost:
            says, absent = (
                f"this needs {fault.filename}, which a cell above would have written",
                True,
            )
        # from the cell on: what lies before it is this module's own
        first = next(
            (at for at, frame in enumerate(frames) if frame.filename == name), 0
        )
        trace = "".join(traceback.format_list(frames[first:])) + "".join(
            traceback.format_exception_only(fault)
        )
        return {
            "name": type(fault).__name__,
            "says": says,
            "line": line,
            "trace": trace,
            "absent": absent,
        }


def parsed(source: str, name: str) -> ast.Module:
    r"""Return a cell's syntax tree, without the lines that only a notebook understands.

    >>> ast.unparse(parsed("%matplotlib inline\n! pip list\na = 5 % 3\na?", "a cell"))
    'a = 5 % 3'
    """
    try:
        return ast.parse(source, name)
    except SyntaxError:
        lines = ["" if MAGIC.match(line) else line for line in source.splitlines()]
        return ast.parse("\n".join(lines), name)


def stored(tree: ast.Module) -> set[str]:
    r"""Return the names that a cell assigns at its top level.

    >>> sorted(
    ...     stored(ast.parse("import a.b as c; d, (e, f) = 1, (2, 3)\ndef g(): h = 1"))
    ... )
    ['c', 'd', 'e', 'f', 'g']
    """
    names: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            names.add(node.name)
            return
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update(
                alias.asname or alias.name.partition(".")[0] for alias in node.names
            )
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        for child in ast.iter_child_nodes(node):
            if not isinstance(
                child,
                ast.Lambda
                | ast.ListComp
                | ast.SetComp
                | ast.DictComp
                | ast.GeneratorExp,
            ):
                visit(child)

    visit(tree)
    return names


def is_figure(value: Any) -> bool:
    """Return whether a value is an open pyplot figure, which is shown after
    its cell.
    """
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    return (
        bool(pyplot)
        and isinstance(value, pyplot.Figure)
        and pyplot.fignum_exists(getattr(value, "number", -1))
    )


def close_figures() -> None:
    """Close the figures of a cell that failed."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


def bundle(value: Any) -> Output:
    """Return a value's content by MIME type, in the richest form a page can show.

    >>> bundle([1, 2])
    {'text/plain': '[1, 2]'}
    """
    mimebundle = getattr(value, "_repr_mimebundle_", None)
    content = mimebundle() if mimebundle and not isinstance(value, type) else None
    if content:
        return dict(content[0] if isinstance(content, tuple) else content)
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot and isinstance(value, pyplot.Figure):
        return {SVG: as_figure_svg(value)}
    for kind, method in (
        (HTML, "_repr_html_"),
        (SVG, "_repr_svg_"),
        ("text/markdown", "_repr_markdown_"),
    ):
        render = getattr(value, method, None)
        text = render() if render and not isinstance(value, type) else None
        if text:
            return {kind: text}
    png = getattr(value, "_repr_png_", None)
    if png and not isinstance(value, type) and (data := png()):
        return {
            PNG: base64.b64encode(data).decode() if isinstance(data, bytes) else data
        }
    return {TEXT: repr(value)}
