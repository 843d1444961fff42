"""No chapter assigns again to a name of its parameters cell; what counts as assigning is Python's, not a guess."""

from pathlib import Path

import jupytext
import nbformat
import pytest

from liftbook.build import rebinding

PARAMETERS = "eps: float = 2.0  # a budget, nats\nnames: list[str] = ['a']  # names"


def notebook(*sources):
    cells = [nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]})]
    return [*cells, nbformat.v4.new_markdown_cell("eps = 1"), *map(nbformat.v4.new_code_cell, sources)]


@pytest.mark.parametrize(
    "source",
    [
        "eps = 1",
        "eps: float = 1",
        "eps += 1",
        "other = eps = 1",
        "a, (eps, *b) = 1, (2, 3)",
        "first, *names = 1, 2",
        "for eps in (1, 2):\n    pass",
        "for name, names in {}.items():\n    pass",
        "with open('x') as eps:\n    pass",
        "if (eps := 1):\n    pass",
        "found = [eps := one for one in (1, 2)]",
        "found = [[eps := one for one in two] for two in []]",
        "import numpy as eps",
        "import eps.inside",
        "from numpy import linspace as eps",
        "from here import eps",
        "try:\n    pass\nexcept ValueError as eps:\n    pass",
        "def eps():\n    pass",
        "class eps:\n    pass",
        "def f():\n    global eps\n    eps = 1",
        "def f(one=(eps := 1)):\n    pass",
        "f = lambda one=(eps := 1): one",
        "@(eps := print)\ndef f():\n    pass",
        "class C((eps := object)):\n    pass",
        "match 1:\n    case eps:\n        pass",
        "match []:\n    case [*eps]:\n        pass",
        "match {}:\n    case {'a': 1, **eps}:\n        pass",
        "del eps",
        "if True:\n    while True:\n        eps = 1",
        "%time print(1)\neps = 1",
    ],
)
def test_it_is_refused(source):
    (message,) = rebinding.rebound(notebook("fine = 1", source), "here.md")
    name = "names" if "names" in source else "eps"
    assert message.startswith("here.md: ")
    assert message.endswith(f" binds the parameter {name} again: use another name")


@pytest.mark.parametrize(
    "source",
    [
        "print(eps)",
        "other = eps + 1",
        "found = [eps for eps in (1, 2)]",
        "found = {eps: names for eps, names in {}.items()}",
        "found = sum(eps for eps in (1, 2))",
        "f = lambda eps: eps",
        "def f(eps):\n    eps = 1\n    return eps",
        "def f():\n    for eps in (1,):\n        pass",
        "class C:\n    eps = 1",
        "names[0] = 'b'",
        "other.eps = 1",
        "f(eps=1)",
        "match 1:\n    case 1 | 2:\n        pass",
        "# eps = 1",
        "%time print(1)",
    ],
)
def test_it_is_let_through(source):
    assert rebinding.rebound(notebook(source), "here.md") == []


def test_the_line_is_shown():
    (message,) = rebinding.rebound(notebook("a = 1\nfor eps in (1, 2):\n    print(eps)"), "here.md")
    assert message == "here.md: 'for eps in (1, 2):' binds the parameter eps again: use another name"


def test_a_whole_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(rebinding, "ROOT", tmp_path)
    (tmp_path / "chapters").mkdir()
    small = Path(__file__).parents[1] / "fixtures" / "small.md"
    (tmp_path / "chapters" / "small.md").write_text(small.read_text())
    (tmp_path / "chapters" / "prose.md").write_text("# Nothing to run\n")
    assert rebinding.main() == 0
    assert capsys.readouterr().out == ""
    (tmp_path / "chapters" / "small.md").write_text(small.read_text() + "\n```{code-cell} ipython3\nn = 4\n```\n")
    assert rebinding.main() == 1
    assert capsys.readouterr().out == "small.md: 'n = 4' binds the parameter n again: use another name\n"


def test_the_fixture_has_parameters():
    small = Path(__file__).parents[1] / "fixtures" / "small.md"
    assert any("parameters" in cell.metadata.get("tags", []) for cell in jupytext.read(small).cells)
