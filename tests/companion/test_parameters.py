"""Parameters of any page: of text, notebooks and scripts, with and without types."""

import datetime as dt
import json
import math

import jupytext
import nbformat
import numpy as np
import pytest
from asked import raised_if
from messages import raised

from companion.errors import CompanionError, InvalidValue
from companion.parameters import (
    Parameter,
    constant,
    injected_values,
    literal_text,
    parse_parameters,
    read_notebook,
    read_parameters,
    with_values,
)
from companion.runs.grids import parse_grid, parse_values
from liftbook.chapters import chapters_folder

CELL = """import datetime as dt
from typing import Literal

n = 10**6
share = -1 / 4
law: Literal["uniform", "skewed"] = "uniform"  # of the symbols
seed: int | None = None  # in [0, 9]
eps: list[float] = [
    1.0,
    2.0,
]  # budgets, each in [0, 8]
day: dt.date = dt.date(2026, 1, 31)
weights: dict[str, float] = {"a": 1}
anything = [1, "a"]
half = n / 2
"""


DECLARED = [
    Parameter("n", "int", 1_000_000, ""),
    Parameter("share", "float", -0.25, ""),
    Parameter("law", "Literal['uniform', 'skewed']", "uniform", "of the symbols"),
    Parameter("seed", "int | None", None, "in [0, 9]", 0, 9),
    Parameter("eps", "list[float]", [1.0, 2.0], "budgets, each in [0, 8]", 0, 8),
    Parameter("day", "dt.date", dt.date(2026, 1, 31), ""),
    Parameter("weights", "dict[str, float]", {"a": 1}, ""),
    Parameter("anything", "list[object]", [1, "a"], ""),
]


def test_what_a_cell_declares():
    assert parse_parameters(CELL, "here") == DECLARED


@pytest.mark.parametrize("text", ["0, 9", "0,9", "-inf, 9", "m", "0 9", "0, x", "1"])
def test_the_range_of_a_comment(text):
    """What looks like a range and is none is refused, and was no range before."""
    highest = {"m": math.inf}.get(text, 9)
    with raised_if(text in ("0 9", "0, x", "1"), InvalidValue):
        (one,) = parse_parameters(f"n: int = 3  # length, in [{text}]", "a page")
        assert one.high == highest


# a text is what a command line gives, which may not judge it as Python does
VALUES = [
    ("int", "2 * 10**1", 20),
    ("int", "-(1 - 3)", 2),
    ("int", np.int64(4), 4),
    ("float | int", 2, 2),
    ("int | None", "None", None),
    ("int | None", "3", 3),
    ("float", "2", 2.0),
    ("float", np.float32(0.5), 0.5),
    ("float", np.int8(1), 1.0),
    ("bool", "True", True),
    ("bool", np.True_, True),
    ("str", "b c", "b c"),
    ("Literal['uniform', 'skewed']", "skewed", "skewed"),
    ("dt.date", "2026-02-28", dt.date(2026, 2, 28)),
    ("dict[str, float]", "{'b': 2}", {"b": 2.0}),
    ("list[object]", "[None]", [None]),
    ("list", np.array([1, 2]), [1.0, 2.0]),
    ("list[int]", range(1, 4), [1, 2, 3]),
    ("list[float]", "[1, 2]", [1.0, 2.0]),
    ("list[float]", (1, 2.5), [1.0, 2.5]),
    ("list[str]", [], []),
    ("list[list[float]]", [[1], (2, 3)], [[1.0], [2.0, 3.0]]),
    ("list[tuple[int, str]]", [[1, "a"]], [(1, "a")]),
    ("tuple[int, float]", [1, 2], (1, 2.0)),
    ("tuple[int, ...]", range(3), (0, 1, 2)),
]
REFUSED = [
    ("int", ["2.5", "True", "-1", "51", "9**9**9", np.float64(4), np.True_, 10**40]),
    ("int | None", ["a", "51"]),
    ("float", ["two", 10**400]),
    ("bool", ["1"]),
    ("Literal['uniform', 'skewed']", ["flat"]),
    ("Literal[1]", [True]),
    ("dt.date", ["2026-02-30"]),
    ("dict[str, float]", ["[1]", "{'b': 'c'}"]),
    ("list[float]", ["3", "[]", "['a']", "12", [-1], [1, math.inf], range(0)]),
    ("list[list[int]]", [[[1], [51]]]),
    ("tuple[int, float]", [(1, 2, 3)]),
]


def parsed_value(annotation, given):
    one = Parameter("one", annotation, None, "", 0, 50)
    return one.parse(given) if isinstance(given, str) else one.check(given)


@pytest.mark.parametrize(("annotation", "given", "value"), VALUES)
def test_a_value_gets_the_declared_type(annotation, given, value):
    found = parsed_value(annotation, given)
    assert (found, repr(found)) == (value, repr(value))


@pytest.mark.parametrize(("annotation", "refused"), REFUSED)
def test_what_is_of_another_type_or_out_of_its_range_is_refused(annotation, refused):
    for given in refused:
        with raised(InvalidValue):
            parsed_value(annotation, given)


@pytest.mark.parametrize(
    ("annotation", "text"), [("float", "1"), ("list[float]", "12")]
)
def test_outside_of_a_command_a_text_is_no_number(annotation, text):
    with raised(InvalidValue):
        Parameter("one", annotation, 1.0, "").check(text)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_number_without_a_range_is_finite(value):
    with raised(InvalidValue):
        Parameter("one", "list[float]", [1.0], "").check([value])
    assert Parameter("one", "float", 1.0, "", 0, math.inf).check(math.inf) == math.inf


@pytest.mark.parametrize(
    "line",
    [
        "eps: complex = 2j",
        "eps: float",
        "eps: float = other",
        "a: list[set] = []",
        "a: dict[str] = {}",
        "a: int[str] = 1",
    ],
)
def test_a_line_that_is_no_parameter(line):
    with raised(InvalidValue):
        parse_parameters(line, "here")


@pytest.mark.parametrize(
    "text",
    [
        "n",
        "__import__('os')",
        "f(1)",
        "1 / 0",
        "'a' * 10**9",
        "10**10**10",
        "[",
        "x = 1",
    ],
)
def test_only_constants_are_computed(text):
    with pytest.raises(ValueError):  # noqa: PT011 - its words are not ours
        constant(text)


@pytest.mark.parametrize(
    "value",
    [3, -2.5, float("inf"), "a", None, [1, (2,)], {"a": [1.5]}, dt.date(2026, 1, 31)],
)
def test_the_code_of_a_value_gives_the_value(value):
    assert constant(literal_text(value)) == value


def test_defaults_are_replaced_in_lines_with_and_without_types():
    source = "é: str = 'ü'  # ö\nn = 10**6  # how many\nx: float = 1.0"
    values = {"é": "a", "n": 5, "x": 2.0}
    after = {
        one.name: (one.default, one.comment)
        for one in parse_parameters(with_values(source, values), "here")
    }
    assert after == {"é": ("a", "ö"), "n": (5, "how many"), "x": (2.0, "")}


@pytest.mark.parametrize(
    ("suffix", "format_name"),
    [
        (".ipynb", "ipynb"),
        (".md", "md:myst"),
        (".md", "md:markdown"),
        (".py", "py:percent"),
    ],
)
def test_each_kind_of_page_is_read(tmp_path, suffix, format_name):
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# Parameters"),
            nbformat.v4.new_code_cell(
                CELL.strip(), metadata={"tags": ["hide-input", "parameters"]}
            ),
            nbformat.v4.new_code_cell(
                "n = 3  # parameters", metadata={"tags": ["remove-cell"]}
            ),
        ]
    )
    path = tmp_path / f"page{suffix}"
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    jupytext.write(notebook, path, fmt=format_name)
    assert read_parameters(path) == DECLARED
    assert len(read_notebook(path).cells) == 3


BLOCKS = """---
kernelspec: {name: python3, display_name: Python 3}
---

````{note}
```{code-cell} ipython3
:tags: [parameters]

a = 1
```
````

```{code-cell} ipython3
---
mystnb:
  figure: {name: one}
tags:
  - hide-input
  - parameters
---
n = 2

m = 3
```

~~~{code-cell} ipython3
:tags: [other]
k = 4
~~~
"""


def test_tags_in_a_block_are_seen_and_a_cell_in_another_fence_is_none(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(BLOCKS, encoding="utf-8")
    assert [(one.name, one.default) for one in read_parameters(path)] == [
        ("n", 2),
        ("m", 3),
    ]


@pytest.mark.parametrize(
    "path", sorted(chapters_folder().glob("*.md")), ids=lambda path: path.stem
)
def test_the_quick_reader_finds_the_cell_that_jupytext_finds(path):
    if "parameters" not in path.read_text(encoding="utf-8"):
        return
    cells = [
        cell
        for cell in read_notebook(path).cells
        if "parameters" in cell.metadata.get("tags", [])
    ]
    wanted = [one for cell in cells for one in parse_parameters(cell.source, path.name)]
    assert read_parameters(path) == wanted


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("# Parameters\nn = 2\neps = float('inf')\nvalues = [-1.0, 'x']\nok = None\n",
         {"n": 2, "eps": math.inf, "values": [-1.0, "x"], "ok": None}),
        ("low = float('-inf')\ntext = \"it's = 1, \\n\"",
         {"low": -math.inf, "text": "it's = 1, \n"}),
        ("day = __import__('datetime').date(2026, 1, 31)",
         {"day": dt.date(2026, 1, 31)}),
        ("# Parameters\n", {}),
        ("n = 1\nn = 2", {"n": 2}),
        ("n = 2 * 2", {"n": 4}),
        ("n = 2 * m", None),
        ("import os", None),
        ("n", None),
        ("n =", None),
        ("n, m = 2, 3", None),
        ("n = m = 2", None),
    ],
)  # fmt: skip
def test_what_a_rerun_wrote_is_read(tmp_path, source, values):
    cell = nbformat.v4.new_code_cell(source, metadata={"tags": ["injected-parameters"]})
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "run.ipynb")
    with raised_if(values is None, InvalidValue):
        assert injected_values(tmp_path / "run.ipynb") == values


def test_a_page_has_one_cell_of_parameters(tmp_path):
    (tmp_path / "two.md").write_text(BLOCKS.replace("other", "parameters"))
    with raised(InvalidValue):
        read_parameters(tmp_path / "two.md")


def test_numbers_and_twins_in_yaml():
    assert parse_values("{a: 1e-1, b: [1E5, .5, -3], c: .inf, d: 1_000, e: 1e}") == {
        "a": 0.1, "b": [1e5, 0.5, -3], "c": float("inf"), "d": 1000, "e": "1e",
    }  # fmt: skip
    for text in ("{a: 1, a: 2}", "a: {b: 1, b: 1}"):
        with pytest.raises(CompanionError):
            parse_values(text)


def test_a_grid_of_words():
    runs = parse_grid(
        ["n=50,100", "eps=[1],[2, 3]", "law=low,high"], {"seed": "1"}, dict
    )
    assert len(runs) == 8
    assert (
        json.dumps(runs[-1]) == '{"seed": "1", "n": 100, "eps": [2, 3], "law": "high"}'
    )
    for words in (["n"], ["n="], ["n=1", "n=2"], ["n=1,1"], ["1=2"]):
        with pytest.raises(CompanionError):
            parse_grid(words, {}, dict)
