"""The parameters of a chapter: read, listed and checked.

A chapter is a notebook, as MyST text or as ``.ipynb``, with one cell tagged
``parameters``: one typed assignment per line, with a comment that may end in a range,
such as ``eps: float = 2.0  # LDP budget, nats, in [0, 50]``. The next cell calls
:func:`check_parameters`, so that invalid values are refused even under papermill alone.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from companion.errors import CompanionError, InvalidValue
from companion.parameters import (
    OF_PAPERMILL,
    Parameter,
    parse_parameters,
    read_notebook,
    read_parameters,
    suggest,
)
from companion.parameters import check_values as judged
from liftlib.resources import resource

SUFFIXES = (".md", ".ipynb", ".py")
"""Suffixes of files that can be a chapter."""
INJECTED_HEADER = "# Parameters"
"""First line of the cell that papermill inserts after the parameters cell."""


def chapters_folder() -> Path:
    """Return the folder with the chapters' sources."""
    return resource("chapters", "liftbook")


def chapters() -> dict[str, Path]:
    """Return the paths of the chapters that have parameters, by name."""
    return {
        path.stem: path
        for path in sorted(chapters_folder().glob("*.md"))
        if read_parameters(path)
    }


def find_chapter(name: str) -> Path:
    """Return the path of a chapter, given its name or a path.

    Raises
    ------
    CompanionError
        If there is no such chapter; the message suggests a similar name.
    """
    if name.endswith(SUFFIXES):
        if Path(name).is_file():
            return Path(name).resolve()
        raise CompanionError(
            f"no file {name}: check the path, or name a chapter that `liftbook list`"
            " shows"
        )
    known = chapters()
    if name not in known:
        raise CompanionError(f"no chapter {name!r}: {suggest(name, list(known))}")
    return known[name]


def preview_parameters(path: Path) -> dict[str, Any]:
    """Return the parameters of ``lift: preview:`` in a chapter's front matter."""
    return dict(read_notebook(path).metadata.get("lift", {}).get("preview", {}))


def check_parameters() -> None:
    """Check a notebook's parameters; call this in the cell after them.

    Papermill puts its values between the two cells. Numbers become floats if so
    declared, and strings such as ``"[1, 2]"`` become lists. Outside a notebook this
    does nothing.

    Raises
    ------
    InvalidValue
        If papermill set an undeclared name, or a value has the wrong type or is out of
        range.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel"):
        return
    declared, injected = _cells_before(shell.user_ns["In"][:-1])
    names = [parameter.name for parameter in declared]
    names += [name for name in injected if name not in OF_PAPERMILL]
    values = {name: shell.user_ns[name] for name in names}
    shell.user_ns.update(judged(declared, values, "this notebook"))


def _cells_before(sources: Sequence[str]) -> tuple[list[Parameter], list[str]]:
    """Return what the last parameters cell declares, and the names that papermill's
    cells after it set.
    """
    injected: list[str] = []
    for source in reversed(sources):
        try:
            lines = ast.parse(source).body
        except SyntaxError:  # a line for the shell
            continue
        if source.startswith(INJECTED_HEADER):
            injected += _assigned(lines)
        elif lines and all(isinstance(line, ast.AnnAssign) for line in lines):
            return parse_parameters(source, "the parameters cell"), injected
    raise InvalidValue(
        "no cell before this one declares parameters: put check_parameters() after the"
        " parameters cell"
    )


def _assigned(lines: Sequence[ast.stmt]) -> list[str]:
    """Return the names that lines such as ``a = 1`` assign to."""
    return [
        ast.unparse(target)
        for line in lines
        if isinstance(line, ast.Assign)
        for target in line.targets
    ]
