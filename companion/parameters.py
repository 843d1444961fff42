"""Parameters of pages, declared as typed assignments with comments and ranges.

``tosses: int = 20  # how often the coin is tossed, in [1, 10000]``
"""

from __future__ import annotations

import ast
import copy
import difflib
import functools
import math
import re
import reprlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import InvalidValue

TYPES: Mapping[str, Any] = {"int": int, "float": float, "str": str, "bool": bool, "list": list, "tuple": tuple}


@dataclass(frozen=True)
class Parameter:
    """A page's parameter: name, type, default, comment, and range (for a list, of each item)."""

    name: str
    annotation: str
    default: Any
    comment: str
    low: float = -math.inf
    high: float = math.inf

    @property
    def above(self) -> str:
        """The name of the parameter that this one must exceed, as its comment says ("above NAME"), or ""."""
        found = re.search(r"\babove (\w+)", self.comment)
        return found[1] if found else ""

    @property
    def is_file(self) -> bool:
        """Whether the value is a path to a file, as its comment says ("file:...")."""
        return self.annotation == "str" and self.comment.startswith("file:")

    def parse(self, text: str) -> Any:
        """Return the checked value that a command-line argument represents.

        Raises
        ------
        InvalidValue
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
            raise InvalidValue(f"{self.name} is {text!r}: give {self._wanted()}, such as {self.default!r}") from error
        return self.check(value)

    def check(self, value: Any) -> Any:
        """Return ``value``, converted if necessary, after checking type and range."""
        value = self._judged(ast.parse(self.annotation, mode="eval").body, value)
        if self.is_file and value:
            # the page runs elsewhere than its reader stands
            path = Path(value).expanduser().absolute()
            if not path.is_file():
                raise InvalidValue(f"{self.name} is {value!r}: no such file; check the path")
            return str(path)
        return value

    def _judged(self, wanted: ast.expr, value: Any) -> Any:
        """Return a value of the wanted type; arrays, ranges and numbers of NumPy are converted."""
        kind, items = _parts(wanted)
        value = value.tolist() if hasattr(value, "tolist") else value
        if kind in ("list", "tuple") and isinstance(value, Sequence) and not isinstance(value, str | bytes):
            if not value and [_parts(item)[0] for item in items] != ["str"]:
                raise InvalidValue(f"{self.name} is an empty list: give {self._wanted()}")
            types = items * len(value) if len(items) == 1 else items
            if len(types) == len(value):
                return TYPES[kind](self._judged(*pair) for pair in zip(types, value, strict=True))
        if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
            value = float(value) if abs(value) < sys.float_info.max else math.inf
        if items or not isinstance(value, TYPES[kind]) or (kind == "int" and isinstance(value, bool)):
            raise InvalidValue(f"{self.name} is {value!r}: give {self._wanted()}, such as {self.default!r}")
        if kind in ("int", "float"):
            if not self.low <= value <= self.high:
                raise InvalidValue(f"{self.name} is {value!r}, not in {self._range}: give {self._wanted()}")
            if kind == "float" and math.isinf(value) and not self._range:
                raise InvalidValue(f"{self.name} is {value!r}, not finite: give {self._wanted()}")
        return value

    @property
    def _range(self) -> str:
        unlimited = math.isinf(self.low) and math.isinf(self.high)
        return "" if unlimited else f"[{self.low:g}, {self.high:g}]"

    def _wanted(self) -> str:
        told = _in_words(ast.parse(self.annotation, mode="eval").body)
        return f"{told} in {self._range}" if self._range else told


def _parts(wanted: ast.expr) -> tuple[str, list[ast.expr]]:
    """Return the name of a type and the types of its items: one, if all items have it."""
    if not isinstance(wanted, ast.Subscript):
        name = ast.unparse(wanted)
        return name, [ast.Name("float")] if name in ("list", "tuple") else []
    of = wanted.slice.elts if isinstance(wanted.slice, ast.Tuple) else [wanted.slice]
    return ast.unparse(wanted.value), [item for item in of if ast.unparse(item) != "..."]


def _in_words(wanted: ast.expr) -> str:
    kind, items = _parts(wanted)
    if not items:
        return {"int": "a whole number", "float": "a number", "str": "a text", "bool": "True or False"}[kind]
    if len(items) == 1:
        return f"a list such as '[1, 2]', each entry {_in_words(items[0])}"
    return f"a list of {' and '.join(map(_in_words, items))}"


def _is_type(wanted: ast.expr) -> bool:
    kind, items = _parts(wanted)
    return kind in TYPES and bool(items) == (kind in ("list", "tuple")) and all(map(_is_type, items))


def read_notebook(path: Path) -> Any:
    """Return a page as a notebook whose kernelspec has a language, without the values of an earlier run."""
    notebook = copy.deepcopy(_parsed(path.read_text(encoding="utf-8"), path.suffix))
    # papermill replaces this cell only if it is given values itself, and would else run with the old ones
    notebook.cells = [cell for cell in notebook.cells if "injected-parameters" not in cell.metadata.get("tags", [])]
    # papermill refuses a notebook whose kernelspec does not say this
    notebook.metadata.setdefault("kernelspec", {"name": "python3", "display_name": "Python 3"})
    notebook.metadata["kernelspec"].setdefault("language", "python")
    return notebook


@functools.lru_cache(maxsize=32)
def _parsed(text: str, suffix: str) -> Any:
    """Return a parsed notebook; cached, because sweeps and listings read it again."""
    import jupytext

    return jupytext.reads(text, {"extension": suffix})


def injected_values(path: Path) -> dict[str, Any]:
    """Return the values that papermill put into a notebook, such as one that a rerun wrote.

    Raises
    ------
    InvalidValue
        If such a cell has a line that does not assign a literal.
    """
    cells = _parsed(path.read_text(encoding="utf-8"), path.suffix).cells
    found = [cell.source for cell in cells if "injected-parameters" in cell.metadata.get("tags", [])]
    # papermill writes infinity as float('inf')
    source = re.sub(r"float\('(-?)inf'\)", r"\g<1>1e999", "\n".join(found))
    try:
        lines = [
            ast.literal_eval(re.sub(r"^(\w+) = ", r"'\1', ", ast.unparse(line))) for line in ast.parse(source).body
        ]
        return dict(lines)
    except (ValueError, SyntaxError) as error:
        raise InvalidValue(
            f"{path.name}: the cell tagged injected-parameters has another line than `name = literal`: mend or remove "
            "the cell"
        ) from error


def ask_for_values(notebook: Any, names: Sequence[str]) -> None:
    """Append a cell that shows the values of these variables after a run, for ``take_values``."""
    import nbformat

    source = f"{{name: repr(globals().get(name)) for name in {list(names)!r}}}"
    cell = nbformat.v4.new_code_cell(source)
    if (notebook.nbformat, notebook.nbformat_minor) < (4, 5):  # which has no ids
        del cell["id"]
    notebook.cells.append(cell)


def take_values(notebook: Any, expected: Mapping[str, Any], page: str) -> dict[str, Any]:
    """Remove the cell of ``ask_for_values`` from an executed notebook, and return the values that it shows.

    The result is empty if an earlier cell failed.

    Raises
    ------
    ValueError
        If a value is not the expected one, because a cell has assigned to the parameter.
    """
    shown = [output.data["text/plain"] for output in notebook.cells.pop().outputs]
    found: dict[str, str] = ast.literal_eval(shown[0]) if shown else {}
    values = {name: literal(text) for name, text in found.items()}
    for name, value in values.items():
        # a number that is not finite has no literal
        if value != expected[name] and found[name] != repr(expected[name]):
            was, is_now = reprlib.repr(expected[name]), found[name] if len(found[name]) < 40 else "another value"
            raise ValueError(
                f"{page} assigns to its parameter {name!r}, which was {was} and is {is_now} after the run: give the "
                "variable in that cell another name"
            )
    return {name: expected[name] if value is None else value for name, value in values.items()}


def literal(text: str) -> Any:
    """Return the value of a literal, or None if the text is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None


def read_parameters(path: Path) -> list[Parameter]:
    """Return the parameters of a page, or an empty list without a parameters cell.

    Raises
    ------
    InvalidValue
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
        raise InvalidValue(f"{path.name} has {len(cells)} cells tagged parameters: keep one")
    return parse_parameters(cells[0].source, path.name)


def parse_parameters(source: str, where: str) -> list[Parameter]:
    """Return the parameters that a cell's source declares.

    Examples
    --------
    >>> parse_parameters("eps: float = 2.0  # LDP budget, nats, in [0, 50]", "a test")
    [Parameter(name='eps', annotation='float', default=2.0, comment='LDP budget, nats, in [0, 50]', low=0.0, high=50.0)]
    """
    lines = source.splitlines()
    parameters = []
    for node in ast.parse(source).body:
        if not isinstance(node, ast.AnnAssign) or node.value is None or not _is_type(node.annotation):
            raise InvalidValue(f"{where}: {lines[node.lineno - 1]!r} is not `name: type = literal  # comment`")
        last = lines[(node.end_lineno or node.lineno) - 1]
        comment = last[node.end_col_offset or 0 :].partition("#")[2].strip()
        bounds = re.search(r"in \[([^,\]]+), ([^\]]+)\]\s*$", comment)
        low, high = (float(bounds[1]), float(bounds[2])) if bounds else (-math.inf, math.inf)
        annotation = ast.unparse(node.annotation)
        parameters.append(
            Parameter(ast.unparse(node.target), annotation, ast.literal_eval(node.value), comment, low, high)
        )
    return parameters


def check_values(parameters: Sequence[Parameter], values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return values, parsed if they are texts, and checked against their declarations and against each other.

    Raises
    ------
    InvalidValue
        At the first that is not declared or not valid; for a misspelt name the message suggests the right one.

    Examples
    --------
    >>> declared = parse_parameters("a: int = 1\\nb: int = 2  # above a", "a test")
    >>> check_values(declared, {"b": "3"}, "a test")
    {'b': 3}
    """
    known = {parameter.name: parameter for parameter in parameters}
    for name in values:
        if name not in known:
            raise InvalidValue(f"{where} has no parameter {name!r}: {suggest(name, list(known))}")
    checked = {
        name: known[name].parse(value) if isinstance(value, str) else known[name].check(value)
        for name, value in values.items()
    }
    ran = {name: parameter.default for name, parameter in known.items()} | checked
    for name, parameter in known.items():
        lower = parameter.above
        if lower in known and not ran[name] > ran[lower]:
            raise InvalidValue(
                f"{name} is {ran[name]!r}, not above {lower}, which is {ran[lower]!r}: change one of them"
            )
    return checked


def suggest(name: str, known: Sequence[str]) -> str:
    """Return the end of a message about a name that is not known."""
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known) or 'none'}"
