"""Parameters of pages, declared as assignments of literals with types, comments and
ranges.

``tosses: int = 20  # how often the coin is tossed, in [1, 10000]``

An assignment without a type, such as ``tosses = 20``, is one too: its value's type is
its own.
"""

from __future__ import annotations

import ast
import copy
import datetime as dt
import difflib
import functools
import json
import math
import operator
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import InvalidValue

PAGE_SUFFIXES = (".md", ".ipynb", ".py", ".Rmd")
"""The files that can be pages with code."""

TYPES: Mapping[str, Any] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "date": dt.date,
    "datetime": dt.datetime,
    "None": type(None),
    "object": object,
}
IN_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "True or False",
    "dict": "a mapping such as '{\"a\": 1}'",
    "date": "a date such as 2026-01-31",
    "datetime": "a time such as 2026-01-31T12:00",
    "None": "None",
    "object": "a literal",
}
OPERATIONS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
OF_PAPERMILL = {"PAPERMILL_INPUT_PATH", "PAPERMILL_OUTPUT_PATH"}
"""Names that papermill itself injects with ``--inject-paths``."""
MOST_DIGITS = 400
"""A power with more digits is no parameter, but a mistake."""


@dataclass(frozen=True)
class Parameter:
    """A page's parameter: name, type, default, comment, and range (for a list, of each
    item).
    """

    name: str
    annotation: str
    default: Any
    comment: str
    low: float = -math.inf
    high: float = math.inf

    @property
    def above(self) -> str:
        """The name of the parameter that this one must exceed, as its comment says
        ("above NAME"), or "".
        """
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
        >>> Parameter("n", "int | None", 1, "").parse("10**6")
        1000000
        >>> Parameter("law", "Literal['a', 'b']", "a", "").parse("b")
        'b'
        """
        if self.annotation == "str":
            return self.check(text)
        try:
            value = constant(text)
        except ValueError:  # a text may be a date, or one of the choices
            return self.check(text)
        try:
            return self.check(value)
        except InvalidValue as refused:
            try:
                return self.check(text)
            except InvalidValue:
                raise refused from None

    def check(self, value: Any) -> Any:
        """Return ``value``, converted if necessary, after checking type and range."""
        value = self._judged(ast.parse(self.annotation, mode="eval").body, value)
        if self.is_file and value:
            # the page runs elsewhere than its reader stands
            path = Path(value).expanduser().absolute()
            if not path.is_file():
                raise InvalidValue(
                    f"{self.name} is {value!r}: no such file; check the path"
                )
            return str(path)
        return value

    def _judged(self, wanted: ast.expr, value: Any) -> Any:
        """Return a value of the wanted type; arrays, ranges and numbers of NumPy are
        converted.
        """
        value = value.tolist() if hasattr(value, "tolist") else value
        if choices := _choices(wanted):
            return self._judged_choice(choices, value)
        if alternatives := _alternatives(wanted):
            return self._judged_by_any(alternatives, value)
        kind, items = _parts(wanted)
        judges = {
            "list": self._judged_sequence,
            "tuple": self._judged_sequence,
            "dict": self._judged_mapping,
            "date": self._judged_moment,
            "datetime": self._judged_moment,
        }
        judge = judges.get(kind, self._checked)
        return judge(kind, items, value)

    def _judged_choice(self, choices: Sequence[Any], value: Any) -> Any:
        """Return a value that is one of the choices, and of its type: True is not 1."""
        for choice in choices:
            if value == choice and type(value) is type(choice):
                return value
        raise InvalidValue(f"{self.name} is {value!r}: give {self._wanted()}")

    def _judged_sequence(self, kind: str, items: Sequence[ast.expr], value: Any) -> Any:
        """Return a list or tuple whose items have the type of all, or each its own.

        It may be empty only if its items are texts or anything.
        """
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return self._checked(kind, items, value)
        names = [_parts(item)[0] for item in items]
        if not value and names not in (["str"], ["object"]):
            raise InvalidValue(f"{self.name} is an empty list: give {self._wanted()}")
        types = list(items) * (len(value) if len(items) == 1 else 1)
        if len(types) != len(value):
            return self._checked(kind, items, value)
        judged = [self._judged(*pair) for pair in zip(types, value, strict=True)]
        return TYPES[kind](judged)

    def _judged_mapping(self, kind: str, items: Sequence[ast.expr], value: Any) -> Any:
        """Return a dict whose names and entries have the declared types, if any."""
        if not isinstance(value, Mapping):
            return self._checked(kind, items, value)
        if not items:
            return dict(value)
        of_names, of_entries = items
        return {
            self._judged(of_names, name): self._judged(of_entries, entry)
            for name, entry in value.items()
        }

    def _judged_moment(self, kind: str, items: Sequence[ast.expr], value: Any) -> Any:
        """Return a date or a time, which may be given as ISO text."""
        if isinstance(value, str):
            try:
                value = TYPES[kind].fromisoformat(value)
            except ValueError as error:
                raise InvalidValue(
                    f"{self.name} is {value!r}: give {self._wanted()}"
                ) from error
        return self._checked(kind, items, value)

    def _judged_by_any(self, alternatives: Sequence[ast.expr], value: Any) -> Any:
        """Return a value of the first type that takes it, and of one that need not
        convert it if there is one.
        """
        taken = []
        for alternative in alternatives:
            try:
                taken.append(self._judged(alternative, value))
            except InvalidValue:
                continue
        if not taken:
            raise InvalidValue(
                f"{self.name} is {value!r}: give {self._wanted()}, such as"
                f" {self.default!r}"
            )
        return next((one for one in taken if type(one) is type(value)), taken[0])

    def _checked(self, kind: str, items: Sequence[ast.expr], value: Any) -> Any:
        """Return a value that is no container, after checking its type and range."""
        if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
            value = float(value) if abs(value) < sys.float_info.max else math.inf
        mixed_up = (kind == "int" and isinstance(value, bool)) or (
            kind == "date" and isinstance(value, dt.datetime)
        )
        if items or not isinstance(value, TYPES[kind]) or mixed_up:
            raise InvalidValue(
                f"{self.name} is {value!r}: give {self._wanted()}, such as"
                f" {self.default!r}"
            )
        if kind in ("int", "float"):
            if not self.low <= value <= self.high:
                raise InvalidValue(
                    f"{self.name} is {value!r}, not in {self._range}: give"
                    f" {self._wanted()}"
                )
            if kind == "float" and math.isinf(value) and not self._range:
                raise InvalidValue(
                    f"{self.name} is {value!r}, not finite: give {self._wanted()}"
                )
        return value

    @property
    def _range(self) -> str:
        unlimited = math.isinf(self.low) and math.isinf(self.high)
        return "" if unlimited else f"[{self.low:g}, {self.high:g}]"

    def _wanted(self) -> str:
        told = _in_words(ast.parse(self.annotation, mode="eval").body)
        return f"{told} in {self._range}" if self._range else told


def _parts(wanted: ast.expr) -> tuple[str, list[ast.expr]]:
    """Return the name of a type, without its module, and the types of its items: one,
    if all items have it.
    """
    if not isinstance(wanted, ast.Subscript):
        name = ast.unparse(wanted).rpartition(".")[2]
        return name, [ast.Name("float")] if name in ("list", "tuple") else []
    of = wanted.slice.elts if isinstance(wanted.slice, ast.Tuple) else [wanted.slice]
    return ast.unparse(wanted.value).rpartition(".")[2], [
        item for item in of if ast.unparse(item) != "..."
    ]


def _choices(wanted: ast.expr) -> list[Any]:
    """Return the values of ``Literal[...]``, or an empty list for other types."""
    if not isinstance(wanted, ast.Subscript) or _parts(wanted)[0] != "Literal":
        return []
    return [ast.literal_eval(choice) for choice in _parts(wanted)[1]]


def _alternatives(wanted: ast.expr) -> list[ast.expr]:
    """Return the types of ``A | B``, ``Union[A, B]`` or ``Optional[A]``, or an empty
    list for other types.
    """
    if isinstance(wanted, ast.BinOp) and isinstance(wanted.op, ast.BitOr):
        return [
            one
            for side in (wanted.left, wanted.right)
            for one in _alternatives(side) or [side]
        ]
    kind, items = _parts(wanted)
    if kind in ("Union", "Optional") and items:
        return [*items, *([ast.Constant(None)] if kind == "Optional" else [])]
    return []


def _in_words(wanted: ast.expr) -> str:
    if choices := _choices(wanted):
        return f"one of {', '.join(map(repr, choices))}"
    if alternatives := _alternatives(wanted):
        return " or ".join(map(_in_words, alternatives))
    kind, items = _parts(wanted)
    if not items or kind == "dict":
        return IN_WORDS[kind]
    if len(items) == 1:
        return f"a list such as '[1, 2]', each entry {_in_words(items[0])}"
    return f"a list of {' and '.join(map(_in_words, items))}"


def _is_type(wanted: ast.expr) -> bool:
    try:
        if _choices(wanted):
            return True
    except ValueError:  # Literal of something that is none
        return False
    if alternatives := _alternatives(wanted):
        return all(map(_is_type, alternatives))
    kind, items = _parts(wanted)
    if kind == "dict":
        return len(items) in (0, 2) and all(map(_is_type, items))
    return (
        kind in TYPES
        and bool(items) == (kind in ("list", "tuple"))
        and all(map(_is_type, items))
    )


def _type_of(value: Any) -> str:
    """Return the type of an assignment that declares none.

    >>> _type_of(3), _type_of([1, 2.5]), _type_of([]), _type_of({"a": 1})
    ('int', 'list[float]', 'list[object]', 'dict')
    """
    if isinstance(value, list | tuple):
        kinds = {_type_of(item) for item in value}
        if kinds == {"int", "float"}:
            kinds = {"float"}
        item = kinds.pop() if len(kinds) == 1 else "object"
        return f"list[{item}]" if isinstance(value, list) else f"tuple[{item}, ...]"
    name = type(value).__name__
    return name if name in TYPES else "object"


def constant(expression: str | ast.expr) -> Any:
    """Return the value of a literal, of a date, or of arithmetic with numbers, such as
    ``10**6``.

    Raises
    ------
    ValueError
        If the expression is anything else.

    Examples
    --------
    >>> constant("[10**3, -1 / 4]"), constant("date(2026, 1, 31)")
    ([1000, -0.25], datetime.date(2026, 1, 31))
    """
    try:
        node = (
            ast.parse(expression.strip(), mode="eval").body
            if isinstance(expression, str)
            else expression
        )
        return _value(node)
    except (
        SyntaxError,
        TypeError,
        ArithmeticError,
        RecursionError,
        MemoryError,
    ) as error:
        raise ValueError(f"{expression!r} is no literal") from error


def _value(node: ast.expr) -> Any:
    match node:
        case ast.BinOp(left, operation, right) if type(operation) in OPERATIONS:
            first, second = _value(left), _value(right)
            if not all(type(number) in (int, float) for number in (first, second)):
                raise ValueError("arithmetic of something else than numbers")
            is_power = isinstance(operation, ast.Pow) and first and second
            if is_power and abs(second) * abs(math.log10(abs(first))) > MOST_DIGITS:
                raise ValueError("a power that is too large")
            return OPERATIONS[type(operation)](first, second)
        case ast.UnaryOp(ast.USub(), operand) if not isinstance(operand, ast.Constant):
            return -_value(operand)
        case ast.Call(name, values, []) if ast.unparse(name).rpartition(".")[2] in (
            "date",
            "datetime",
        ):
            return TYPES[ast.unparse(name).rpartition(".")[2]](*map(_value, values))
        case ast.Call(
            ast.Name("float"), [ast.Constant(("inf" | "-inf" | "nan") as text)], []
        ):
            return float(text)
        case ast.List(items):
            return [_value(item) for item in items]
        case ast.Tuple(items):
            return tuple(_value(item) for item in items)
        case ast.Dict(names, entries) if all(names):
            return {
                _value(name): _value(entry)
                for name, entry in zip(names, entries, strict=True)
                if name
            }
        case _:
            return ast.literal_eval(node)


def read_notebook(path: Path) -> Any:
    """Return a page as a notebook whose kernelspec has a language, without the values
    of an earlier run.
    """
    notebook = copy.deepcopy(_parsed(path.read_text(encoding="utf-8"), path.suffix))
    # papermill replaces this cell only if it is given values itself, and would else run
    # with the old ones
    notebook.cells = [
        cell
        for cell in notebook.cells
        if "injected-parameters" not in cell.metadata.get("tags", [])
    ]
    # papermill refuses a notebook whose kernelspec does not say this
    notebook.metadata.setdefault(
        "kernelspec", {"name": "python3", "display_name": "Python 3"}
    )
    notebook.metadata["kernelspec"].setdefault("language", "python")
    return notebook


@functools.lru_cache(maxsize=32)
def _parsed(text: str, suffix: str) -> Any:
    """Return a parsed notebook; cached, because sweeps and listings read it again."""
    import jupytext

    return jupytext.reads(text, {"extension": suffix})


def injected_values(path: Path) -> dict[str, Any]:
    """Return the values that papermill put into a notebook, or that a rerun wrote,
    without those of papermill's own names.

    Raises
    ------
    InvalidValue
        If such a cell has a line that does not assign a literal.
    """
    found = [
        source for tags, source in code_cells(path) if "injected-parameters" in tags
    ]
    values = {}
    try:
        for line in ast.parse("\n".join(found)).body:
            name, value = _assignment(line)
            if name not in OF_PAPERMILL:
                values[name] = constant(value)
    except (ValueError, SyntaxError) as error:
        raise InvalidValue(
            f"{path.name}: the cell tagged injected-parameters has another line than"
            " `name = literal`: mend or remove the cell"
        ) from error
    return values


def _assignment(line: ast.stmt) -> tuple[str, ast.expr]:
    match line:
        case ast.Assign([ast.Name(name)], value):
            return name, value
        case _:
            raise ValueError(f"{ast.unparse(line)!r} is no assignment")


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
        If there are several parameters cells, or a typed assignment has an unknown type
        or no literal.
    """
    found = [source for tags, source in code_cells(path) if "parameters" in tags]
    if len(found) > 1:
        raise InvalidValue(
            f"{path.name} has {len(found)} cells tagged parameters: keep one"
        )
    return parse_parameters(found[0], path.name) if found else []


def code_cells(path: Path) -> Iterator[tuple[list[str], str]]:
    """Yield the tags and the source of each code cell of a page that may have
    parameters.

    MyST text and ``.ipynb`` are read here, because jupytext takes a tenth of a second a
    file and most pages have none.
    """
    text = path.read_text(encoding="utf-8")
    if "parameters" not in text:
        return
    if path.suffix == ".ipynb":
        cells = json.loads(text).get("cells", [])
        for cell in cells:
            if cell.get("cell_type") == "code":
                source = cell["source"]
                yield (
                    cell.get("metadata", {}).get("tags", []),
                    source if isinstance(source, str) else "".join(source),
                )
    elif path.suffix == ".md" and "{code-cell}" in text:
        yield from _myst_cells(text)
    elif (
        path.suffix != ".md" or "tags=" in text
    ):  # jupytext's own Markdown has tags behind the fence
        for cell in _parsed(text, path.suffix).cells:
            if cell.cell_type == "code":
                yield cell.metadata.get("tags", []), cell.source


FENCE = re.compile(r"(`{3,}|~{3,})(.*)")


def _myst_cells(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield the tags and the source of each code cell of MyST text, which no other
    fence encloses.
    """
    lines = iter(text.splitlines())
    for line in lines:
        opening = FENCE.match(line)
        if not opening:
            continue
        body, (marks, said) = [], opening.groups()
        for inner in lines:
            if re.fullmatch(rf"{re.escape(marks)}{marks[0]}*\s*", inner):
                break
            body.append(inner)
        if said.startswith("{code-cell}"):
            yield _options(body)


def _options(body: list[str]) -> tuple[list[str], str]:
    """Return the tags that a cell's options give, and the source below them."""
    if body and body[0].strip() == "---":
        end = next(
            (at for at, line in enumerate(body[1:], start=1) if line.strip() == "---"),
            len(body),
        )
        options, rest = "\n".join(body[1:end]), body[end + 1 :]
    else:
        first = next(
            (at for at, line in enumerate(body) if not line.startswith(":")), len(body)
        )
        options, rest = "\n".join(line[1:] for line in body[:first]), body[first:]
    tags: Any = []
    if "tags" in options:
        import yaml

        tags = yaml.safe_load(options).get("tags", [])
    source = "\n".join(rest)
    return [tags] if isinstance(tags, str) else list(tags), source.strip("\n")


def parse_parameters(source: str, where: str) -> list[Parameter]:
    r"""Return the parameters that a cell's source declares.

    Raises
    ------
    InvalidValue
        If a typed assignment has an unknown type or no literal. Other lines, such as
        imports, declare none.

    Examples
    --------
    >>> parse_parameters("eps: float = 2.0  # in [0, 50]", "a test") == [
    ...     Parameter("eps", "float", 2.0, "in [0, 50]", low=0.0, high=50.0)
    ... ]
    True
    >>> [
    ...     (one.name, one.annotation)
    ...     for one in parse_parameters("import math\nn = 10**6\nm = 2 * n", "a test")
    ... ]
    [('n', 'int')]
    """
    try:
        body = ast.parse(source).body
    except SyntaxError as error:
        raise InvalidValue(
            f"{where}: line {error.lineno} of the parameters is not Python: {error.msg}"
        ) from error
    lines = source.splitlines()
    declared = (_declared(node, lines, where) for node in body)
    return [parameter for parameter in declared if parameter is not None]


def _declared(node: ast.stmt, lines: Sequence[str], where: str) -> Parameter | None:
    """Return the parameter that a statement declares, or None if it is no assignment of
    a literal.
    """
    match node:
        case ast.AnnAssign(ast.Name(name), typed, ast.expr() as given) if _is_type(
            typed
        ):
            try:
                default, annotation = constant(given), ast.unparse(typed)
            except ValueError as error:
                raise InvalidValue(_no_parameter(node, lines, where)) from error
        case ast.Assign([ast.Name(name)], given):
            try:
                default = constant(given)
            except ValueError:  # computed in the cell
                return None
            annotation = _type_of(default)
        case ast.AnnAssign():
            raise InvalidValue(_no_parameter(node, lines, where))
        case _:
            return None
    last = lines[(node.end_lineno or node.lineno) - 1].encode()  # ast counts bytes
    comment = last[node.end_col_offset or 0 :].decode().partition("#")[2].strip()
    return Parameter(name, annotation, default, comment, *_range_in(comment, where))


def _range_in(comment: str, where: str) -> tuple[float, float]:
    """Return the range that a comment ends in, infinite if it ends in none.

    Examples
    --------
    >>> _range_in("budget, in [0, 50]", "a page"), _range_in("in [m]", "a page")
    ((0.0, 50.0), (-inf, inf))
    """
    # what begins with another letter is a unit, or a word
    found = re.search(r"\bin \[((?:-?inf|[-+.\d])[^\]]*)\]\s*$", comment)
    if found is None:
        return -math.inf, math.inf
    try:
        low, high = map(float, found[1].split(","))
    except ValueError as error:
        raise InvalidValue(
            f"{where}: the range [{found[1]}] is not `in [low, high]`, with two numbers"
            " and a comma"
        ) from error
    return low, high


def _no_parameter(node: ast.stmt, lines: Sequence[str], where: str) -> str:
    return (
        f"{where}: {lines[node.lineno - 1]!r} is not `name: type = literal  # comment`"
    )


def literal_text(value: Any) -> str:
    """Return the code of a parameter's value, of which each name is known wherever it
    stands.

    >>> literal_text([1.5, float("inf")]), literal_text(dt.date(2026, 1, 31))
    ("[1.5, float('inf')]", "__import__('datetime').date(2026, 1, 31)")
    """
    match value:
        case float() if not math.isfinite(value):
            return f"float('{value}')"
        case dt.date():
            return f"__import__('datetime').{repr(value).removeprefix('datetime.')}"
        case list():
            return f"[{', '.join(map(literal_text, value))}]"
        case tuple():
            last = "," if len(value) == 1 else ""
            return f"({', '.join(map(literal_text, value))}{last})"
        case dict():
            entries = [
                f"{literal_text(name)}: {literal_text(entry)}"
                for name, entry in value.items()
            ]
            return f"{{{', '.join(entries)}}}"
        case _:
            return repr(value)


def with_values(source: str, values: Mapping[str, Any]) -> str:
    r"""Return a parameters cell with other defaults.

    Examples
    --------
    >>> with_values("n: int = 3  # how many\nx = 1.0", {"n": 5, "x": 2.0})
    'n: int = 5  # how many\nx = 2.0'
    """
    lines = [line.encode() for line in source.splitlines()]  # ast counts bytes
    for node in reversed(ast.parse(source).body):
        match node:
            case ast.AnnAssign(ast.Name(name), value=ast.expr() as given) | ast.Assign(
                [ast.Name(name)], given
            ):
                if name in values:
                    first, last = (
                        given.lineno - 1,
                        (given.end_lineno or given.lineno) - 1,
                    )
                    before, after = (
                        lines[first][: given.col_offset],
                        lines[last][given.end_col_offset :],
                    )
                    lines[first : last + 1] = [
                        before + repr(values[name]).encode() + after
                    ]
    return b"\n".join(lines).decode()


def check_values(
    parameters: Sequence[Parameter], values: Mapping[str, Any], where: str
) -> dict[str, Any]:
    """Return values, parsed if they are texts, and checked against their declarations
    and against each other.

    Raises
    ------
    InvalidValue
        At the first that is not declared or not valid; for a misspelt name the message
        suggests the right one.

    Examples
    --------
    >>> declared = parse_parameters("a: int = 1\\nb: int = 2  # above a", "a test")
    >>> check_values(declared, {"b": "3"}, "a test")
    {'b': 3}
    """
    known = {parameter.name: parameter for parameter in parameters}
    for name in values:
        if not known:
            raise InvalidValue(
                f"{where} declares no parameter, such as {name!r}: give the cell that"
                " assigns it the tag `parameters`"
            )
        if name not in known:
            raise InvalidValue(
                f"{where} has no parameter {name!r}: {suggest(name, list(known))}"
            )
    checked = {
        name: (
            known[name].parse(value)
            if isinstance(value, str)
            else known[name].check(value)
        )
        for name, value in values.items()
    }
    ran = {name: parameter.default for name, parameter in known.items()} | checked
    for name, parameter in known.items():
        lower = parameter.above
        if lower in known and not ran[name] > ran[lower]:
            raise InvalidValue(
                f"{name} is {ran[name]!r}, not above {lower}, which is {ran[lower]!r}:"
                " change one of them"
            )
    return checked


def suggest(name: str, known: Sequence[str]) -> str:
    """Return the end of a message about a name that is not known."""
    near = difflib.get_close_matches(name, known, n=1)
    return (
        f"did you mean {near[0]!r}?"
        if near
        else f"there are {', '.join(known) or 'none'}"
    )
