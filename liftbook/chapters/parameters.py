"""The parameters of a chapter: read, listed and checked.

A chapter is a notebook, as MyST text or as ``.ipynb``, with one cell tagged ``parameters``: one typed assignment per
line, with a comment that may end in a range, such as ``eps: float = 2.0  # LDP budget, nats, in [0, 50]``. The next
cell calls :func:`check_parameters`, so that invalid values are refused even under papermill alone.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion import parameters as typed
from companion.errors import InvalidValue
from liftbook.chapters.errors import RerunError
from liftlib.resources import resource

SUFFIXES = (".md", ".ipynb")
"""Suffixes of chapters' files."""
INJECTED_HEADER = "# Parameters"
"""First line of the cell that papermill inserts after the parameters cell."""
OF_PAPERMILL = {"PAPERMILL_INPUT_PATH", "PAPERMILL_OUTPUT_PATH"}
"""Names that papermill itself injects with ``--inject-paths``."""


@contextmanager
def told_as_rerun_error() -> Iterator[None]:
    """Raise ``RerunError`` for what the readers of parameters refuse."""
    try:
        yield
    except InvalidValue as error:
        raise RerunError(str(error)) from error


def chapters_folder() -> Path:
    """Return the folder with the chapters' sources."""
    return resource("chapters", "liftbook")


def find_chapter(name: str) -> Path:
    """Return the path of a chapter, given its name or path.

    Raises
    ------
    RerunError
        If there is no such chapter; the message suggests a similar name.
    """
    if name.endswith(SUFFIXES):
        if Path(name).is_file():
            return Path(name)
        raise RerunError(f"no file {name}: check the path, or name a chapter that `liftbook list` shows")
    pages = {path.stem: path for path in sorted(chapters_folder().glob("*.md"))}
    if name not in pages or not read_parameters(pages[name]):
        known = [stem for stem, path in pages.items() if read_parameters(path)]  # which takes a second
        raise RerunError(f"no chapter {name!r}: {typed.suggest(name, known)}")
    return pages[name]


@told_as_rerun_error()
def read_parameters(path: Path) -> list[typed.Parameter]:
    """Return the parameters of a chapter (none without a parameters cell).

    Raises
    ------
    RerunError
        If there are several parameters cells, or a line is not a typed assignment of a literal.
    """
    return typed.read_parameters(path)


def preview_parameters(path: Path) -> dict[str, Any]:
    """Return the parameters of ``lift: preview:`` in a chapter's front matter."""
    return dict(typed.read_notebook(path).metadata.get("lift", {}).get("preview", {}))


def with_values(source: str, values: Mapping[str, Any]) -> str:
    r"""Return a parameters cell with other defaults.

    Examples
    --------
    >>> with_values("n: int = 3  # how many\\nx: float = 1.0", {"n": 5})
    'n: int = 5  # how many\\nx: float = 1.0'
    """
    lines = [line.encode() for line in source.splitlines()]  # ast counts bytes
    for node in reversed(ast.parse(source).body):
        if isinstance(node, ast.AnnAssign) and node.value is not None and ast.unparse(node.target) in values:
            first, last = node.value.lineno - 1, (node.value.end_lineno or node.value.lineno) - 1
            new = repr(values[ast.unparse(node.target)]).encode()
            statement = lines[first][: node.value.col_offset] + new + lines[last][node.value.end_col_offset :]
            lines[first : last + 1] = [statement]
    return b"\n".join(lines).decode()


@told_as_rerun_error()
def check_values(path: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return parsed values, each checked against the chapter's declaration.

    A notebook that a rerun wrote also gives the values of that run.

    Raises
    ------
    RerunError
        At the first invalid value; for a misspelt name the message suggests the right one.
    """
    earlier = typed.injected_values(path)
    of_chapter = {name: value for name, value in earlier.items() if name not in OF_PAPERMILL}
    return typed.check_values(read_parameters(path), of_chapter | dict(values), path.stem)


@told_as_rerun_error()
def check_parameters() -> None:
    """Check a notebook's parameters; call this in the cell after them.

    Papermill puts its values between the two cells. Numbers become floats if so declared, and strings such as ``"[1,
    2]"`` become lists. Outside a notebook this does nothing.

    Raises
    ------
    RerunError
        If papermill set an undeclared name, or a value has the wrong type or is out of range.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel"):
        return
    given: list[str] = []
    for source in reversed(shell.user_ns["In"][:-1]):
        try:
            lines = ast.parse(source).body
        except SyntaxError:  # a line for the shell
            continue
        if source.startswith(INJECTED_HEADER):
            given += [ast.unparse(target) for line in lines if isinstance(line, ast.Assign) for target in line.targets]
        elif lines and all(isinstance(line, ast.AnnAssign) for line in lines):
            declared = typed.parse_parameters(source, "the parameters cell")
            names = [parameter.name for parameter in declared] + [name for name in given if name not in OF_PAPERMILL]
            values = {name: shell.user_ns[name] for name in names}
            shell.user_ns.update(typed.check_values(declared, values, "this notebook"))
            return
    raise RerunError("no cell before this one declares parameters: put check_parameters() after the parameters cell")


def read_values(path: Path) -> dict[str, Any]:
    """Return the parameters in a YAML file, a mapping from names to values.

    Raises
    ------
    RerunError
        If the file is missing, is not YAML, or is not a mapping.
    """
    return _mapping(read_yaml(path), str(path))


def parse_values(text: str) -> dict[str, Any]:
    """Return the parameters in a YAML string, such as ``{n_trials: 50}``."""
    return _mapping(parse_yaml(text, repr(text)), repr(text))


def _mapping(content: Any, where: str) -> dict[str, Any]:
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise RerunError(f"{where} is not a mapping from parameters to values: write lines such as `n_trials: 50`")
    return content


def read_yaml(path: Path) -> Any:
    """Return the content of a YAML file."""
    try:
        return parse_yaml(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise RerunError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RerunError(f"{path} is not YAML: {error}") from error


def parse_yaml(text: str, where: str) -> Any:
    """Return the content of a YAML text; ``where`` names it in errors."""
    import yaml  # noqa: PLC0415 - only a rerun needs it

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" in line {mark.line + 1}" if mark is not None else ""
        raise RerunError(f"{where} is not YAML{line}: {getattr(error, 'problem', None) or error}") from error
