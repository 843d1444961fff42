"""What a chapter can be run with: its parameters cell, read, listed and checked.

A chapter is a notebook, as MyST text or as ``.ipynb``, with one cell tagged ``parameters``, a typed assignment a line
with a comment that may end in a range, such as ``eps: float = 2.0  # LDP budget, nats, in [0, 50]``. The cell after it
calls :func:`check_parameters`, so that papermill alone refuses what does not fit, too.
"""

from __future__ import annotations

import ast
import copy
import difflib
import functools
import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liftbook.chapters.errors import RerunError
from liftlib.resources import resource

SUFFIXES = (".md", ".ipynb")
"""What a chapter's file may be."""
INJECTED = "# Parameters"
"""How the cell begins that papermill puts behind the parameters cell."""
OF_PAPERMILL = {"PAPERMILL_INPUT_PATH", "PAPERMILL_OUTPUT_PATH"}
"""Names that papermill itself may give, with ``--inject-paths``."""

TYPES: Mapping[str, type] = {"int": int, "float": float, "str": str, "bool": bool, "list": list}


@dataclass(frozen=True)
class Parameter:
    """A chapter's parameter: name, type, default, comment and range."""

    name: str
    annotation: str
    default: Any
    comment: str
    low: float = -math.inf
    high: float = math.inf

    @property
    def is_file(self) -> bool:
        """Whether it names a file that the chapter reads, as its comment says."""
        return self.annotation == "str" and self.comment.startswith("file:")

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
        """Return ``value``, converted if necessary, after checking type and range."""
        kind, _, inner = self.annotation.partition("[")
        value = self._one(kind, value)
        if self.is_file and value:
            # the chapter runs elsewhere than its reader stands
            path = Path(value).expanduser().absolute()
            if not path.is_file():
                raise RerunError(f"{self.name} is {value!r}: no such file; check the path")
            return str(path)
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
    """Return the folder with the chapters' sources."""
    return resource("chapters", "liftbook")


def find_chapter(name: str) -> Path:
    """Return the path of a chapter by its name or path.

    Raises
    ------
    RerunError
        If there is none; the message suggests the nearest.
    """
    if name.endswith(SUFFIXES):
        if Path(name).is_file():
            return Path(name)
        raise RerunError(f"no file {name}: check the path, or name a chapter that `liftbook list` shows")
    pages = {path.stem: path for path in sorted(chapters_folder().glob("*.md"))}
    if name not in pages or not read_parameters(pages[name]):
        known = [stem for stem, path in pages.items() if read_parameters(path)]  # which takes a second
        raise RerunError(f"no chapter {name!r}: {_suggest(name, known)}")
    return pages[name]


def _suggest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known) or 'none'}"


def read_notebook(path: Path) -> Any:
    """Return a notebook's cells, with its kernel's language named."""
    notebook = copy.deepcopy(_parsed(path.read_text(encoding="utf-8"), path.suffix))
    # papermill refuses a notebook whose kernelspec does not say this
    notebook.metadata.setdefault("kernelspec", {"name": "python3", "display_name": "Python 3"})
    notebook.metadata["kernelspec"].setdefault("language", "python")
    return notebook


@functools.lru_cache(maxsize=32)
def _parsed(text: str, suffix: str) -> Any:
    """Parse once what a sweep or a listing reads again and again."""
    import jupytext  # noqa: PLC0415 - only a rerun needs it

    return jupytext.reads(text, {"extension": suffix})


def read_parameters(path: Path) -> list[Parameter]:
    """Return the parameters of a chapter; none for a page without a parameters cell.

    Raises
    ------
    RerunError
        If there are several parameters cells, or a line is not a typed assignment of a literal.
    """
    text = path.read_text(encoding="utf-8")
    # jupytext takes a tenth of a second a file, and most pages of a listing have no such cell
    if not re.search(r'tags: \[[^]]*\bparameters\b|"parameters"', text):
        return []
    cells = [cell for cell in read_notebook(path).cells if "parameters" in cell.metadata.get("tags", [])]
    if not cells and path.suffix == ".ipynb":
        return []
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
    """Return the parameters of ``lift: preview:`` in a chapter's front matter."""
    return dict(read_notebook(path).metadata.get("lift", {}).get("preview", {}))


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
            whole = lines[first][: node.value.col_offset] + new + lines[last][node.value.end_col_offset :]
            lines[first : last + 1] = [whole]
    return b"\n".join(lines).decode()


def check_values(path: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return parsed values, each checked against the chapter's declaration.

    Raises
    ------
    RerunError
        At the first value that does not fit; a misspelt name's message suggests the right one.
    """
    return _checked(read_parameters(path), values, path.stem)


def _checked(parameters: Sequence[Parameter], values: Mapping[str, Any], where: str) -> dict[str, Any]:
    known = {parameter.name: parameter for parameter in parameters}
    for name in values:
        if name not in known:
            raise RerunError(f"{where} has no parameter {name!r}: {_suggest(name, list(known))}")
    return {
        name: known[name].parse(value) if isinstance(value, str) else known[name].check(value)
        for name, value in values.items()
    }


def check_parameters() -> None:
    """Check a notebook's parameters; call it in the cell after them.

    Papermill puts the values that it is given between the two cells. Numbers become floats where the declaration asks
    for floats, and texts such as ``"[1, 2]"`` become lists. Outside a notebook this does nothing.

    Raises
    ------
    RerunError
        If papermill gave a name that is not declared, or a value has another type or is out of range.
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
        if source.startswith(INJECTED):
            given += [ast.unparse(one) for line in lines if isinstance(line, ast.Assign) for one in line.targets]
        elif lines and all(isinstance(line, ast.AnnAssign) for line in lines):
            declared = parse_parameters(source, "the parameters cell")
            names = [one.name for one in declared] + [name for name in given if name not in OF_PAPERMILL]
            shell.user_ns.update(_checked(declared, {name: shell.user_ns[name] for name in names}, "this notebook"))
            return
    raise RerunError("no cell before this one declares parameters: put check_parameters() behind the parameters cell")


def read_values(path: Path) -> dict[str, Any]:
    """Return the parameters that a YAML file holds, a mapping from names to values.

    Raises
    ------
    RerunError
        If the file is not there, is not YAML, or is not a mapping.
    """
    return _mapping(read_yaml(path), str(path))


def parse_values(text: str) -> dict[str, Any]:
    """Return the parameters that a YAML text holds, such as ``{n_trials: 50}``."""
    return _mapping(parse_yaml(text, repr(text)), repr(text))


def _mapping(found: Any, where: str) -> dict[str, Any]:
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise RerunError(f"{where} is not a mapping from parameters to values: write lines such as `n_trials: 50`")
    return found


def read_yaml(path: Path) -> Any:
    """Return what a YAML file holds."""
    try:
        return parse_yaml(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise RerunError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RerunError(f"{path} is not YAML: {error}") from error


def parse_yaml(text: str, where: str) -> Any:
    """Return what a YAML text holds."""
    import yaml  # noqa: PLC0415 - only a rerun needs it

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" in line {mark.line + 1}" if mark is not None else ""
        raise RerunError(f"{where} is not YAML{line}: {getattr(error, 'problem', None) or error}") from error
