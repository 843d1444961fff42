"""What is written beside a page so that it can be run."""

import ast
import re
from types import SimpleNamespace

import pytest
from asked import ROOT

from companion.parameters import parse_parameters
from companion.sphinx.alive import as_json
from companion.sphinx.exercises import cells_of, labels_of
from liftbook.chapters import read_notebook

CHAPTERS = sorted((ROOT / "chapters").glob("*.md"))


def notebook_cell(kind, source, *tags):
    return SimpleNamespace(cell_type=kind, source=source, metadata={"tags": list(tags)})


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_the_cells_are_those_of_the_notebook(path):
    """jupytext is the other reader."""
    mine = [
        (one.source.rstrip(), one.metadata.get("tags", []))
        for one in cells_of(path)
        if one.cell_type == "code"
    ]
    other = [
        (one.source.rstrip(), one.metadata.get("tags", []))
        for one in read_notebook(path).cells
    ]
    codes = [
        one
        for one, cell in zip(other, read_notebook(path).cells, strict=True)
        if cell.cell_type == "code"
    ]
    assert mine == codes


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_each_check_has_its_exercise(path):
    labels = list(labels_of(cells_of(path)))
    assert len(labels) == path.read_text(encoding="utf-8").count(", check]")
    assert len(set(labels)) == len(labels)
    assert all(label.startswith("ex-") for label in labels)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_hints_begin_with_a_direction(path):
    """Two at least: the first has no formula, which would be a method or
    the solution.
    """
    for one in re.findall(
        r"\n(check\(.*?)\n```", path.read_text(encoding="utf-8"), re.DOTALL
    ):
        first, *others = (
            ast.literal_eval(hint) for hint in ast.parse(one).body[0].value.args[2:]
        )
        assert others, one
        assert not re.search(r"[=^]|\d/\d", first), first


def test_exercises_by_hand():
    cells = [
        notebook_cell(
            "markdown",
            "```{exercise} A\n:label: ex-a\n```\n\n```{exercise} B\n:label: ex-b\n```",
        ),
        notebook_cell("code", "answer_2 = 1", "solution"),
        notebook_cell("code", "check(answer_2, 1, 'count')", "check"),
        notebook_cell("markdown", "no exercise"),
    ]
    assert list(labels_of(cells)) == ["ex-b"]


def test_a_parameter_without_a_range_has_no_bounds():
    n, xs = parse_parameters(
        "n: int = 3  # in [1, 9]\nxs: list[str] = []  # names", "a test"
    )
    assert as_json(n, 2, first=True) | {"comment": ""} == {
        "name": "n",
        "kind": "int",
        "comment": "",
        "low": 1.0,
        "high": 9.0,
        "book": 3,
        "start": 2,
        "first": True,
    }
    assert as_json(xs, [], first=False)["low"] is None
