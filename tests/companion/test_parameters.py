"""Parameters of any page: of text, notebooks and scripts, with and without types."""

import datetime as dt
import json

import jupytext
import nbformat
import pytest

from companion.errors import CompanionError, InvalidValue
from companion.parameters import (
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
day: dt.date = dt.date(2026, 1, 31)
weights: dict[str, float] = {"a": 1}
anything = [1, "a"]
half = n / 2
"""


def parameters():
    return {one.name: one for one in parse_parameters(CELL, "here")}


def test_what_a_cell_declares():
    found = {name: (one.annotation, one.default) for name, one in parameters().items()}
    assert found == {
        "n": ("int", 1_000_000),
        "share": ("float", -0.25),
        "law": ("Literal['uniform', 'skewed']", "uniform"),
        "seed": ("int | None", None),
        "day": ("dt.date", dt.date(2026, 1, 31)),
        "weights": ("dict[str, float]", {"a": 1}),
        "anything": ("list[object]", [1, "a"]),
    }


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("n", "2 * 10**3", 2000),
        ("law", "skewed", "skewed"),
        ("seed", "None", None),
        ("seed", "3", 3),
        ("day", "2026-02-28", dt.date(2026, 2, 28)),
        ("weights", "{'b': 2}", {"b": 2.0}),
        ("anything", "[None]", [None]),
    ],
)
def test_values_on_the_command_line(name, text, value):
    found = parameters()[name].parse(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("name", "text"),
    [("n", "2.5"), ("n", "True"), ("law", "flat"), ("seed", "10"), ("seed", "a"), ("day", "2026-02-30"),  # noqa: E501
     ("weights", "[1]"), ("weights", "{'b': 'c'}"), ("n", "9**9**9")],
)  # fmt: skip
def test_values_that_are_refused(name, text):
    with pytest.raises(InvalidValue):
        parameters()[name].parse(text)


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
    assert [one.name for one in read_parameters(path)] == list(parameters())
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


def test_what_a_rerun_wrote_is_read(tmp_path):
    source = (
        "# Parameters\nday = __import__('datetime').date(2026, 1, 31)\nx ="
        " float('-inf')\n"
    )
    cell = nbformat.v4.new_code_cell(source, metadata={"tags": ["injected-parameters"]})
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "run.ipynb")
    assert injected_values(tmp_path / "run.ipynb") == {
        "day": dt.date(2026, 1, 31),
        "x": float("-inf"),
    }
    cell.source = "import os"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "run.ipynb")
    with pytest.raises(InvalidValue):
        injected_values(tmp_path / "run.ipynb")


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
