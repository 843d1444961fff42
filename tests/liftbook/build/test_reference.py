"""The reference documents every public name: arguments, result, errors and an example,
or a page that uses it.
"""

import ast
import inspect
import re
from importlib import import_module

import pytest
from asked import ROOT
from bs4 import BeautifulSoup

from liftbook.build.sphinx.reference import commands
from liftbook.build.sphinx.sources import DIRECTIVE, documented_names, found_at
from liftbook.commands import LIFTBOOK
from lifttables.cli import LIFT

HTML = ROOT / "_build" / "html" / "chapters"
PAGES = sorted((ROOT / "chapters").glob("api-*.md"))
PUBLIC = (
    "liftlib",
    "liftlib.measures",
    "liftlib.notions",
    "liftlib.errors",
    "liftlib.testing",
    "lifttables",
)
"""Packages whose names do not go without a warning (release/RELEASING.md), and their
public modules.
"""
LARGEST = 200_000  # bytes of a page


def is_function(value):
    return callable(value) and not inspect.isclass(value)


FUNCTIONS = [name for name in documented_names() if is_function(found_at(name))]
DESCRIBED_TOGETHER = (
    "liftbook.figures.",
    "liftbook.plots.",
    "liftbook.chapters.",
    "liftbook.relatives.",
)
"""Whose arguments are those of the papers' figures or of every mechanism, said at the
top of the section.
"""


def section(name, heading):
    """Return the text of a section of a docstring; empty if there is none."""
    text = inspect.getdoc(found_at(name)) or ""
    return f"{text}\n\n".partition(f"{heading}\n{'-' * len(heading)}\n")[2].partition(
        "\n\n"
    )[0]


def parameters(function):
    # a family is called like every mechanism, as its class says
    return (
        []
        if not inspect.isroutine(function)
        else list(inspect.signature(function).parameters)
    )


def imported_names(path):
    """Yield the module and the name of each import from underneath a package in a
    page's cells.
    """
    for cell in path.read_text(encoding="utf-8").split("```{code-cell}")[1:]:
        code = cell.partition("\n```")[0].partition("\n")[2]
        for module, names in re.findall(
            r"^from ((?:liftlib|lifttables|mixproof)\.\S+) import ([\w, ]+)$",
            code,
            re.MULTILINE,
        ):
            yield from ((module, name.strip()) for name in names.split(","))


def test_nothing_is_documented_twice():
    assert len(documented_names()) == len(set(documented_names()))
    # liftlib gives two errors of mixproof other names, and their entries there lead to
    # these
    values = [
        id(found_at(name))
        for name in documented_names()
        if not name.startswith("mixproof.errors.")
    ]
    assert len(values) == len(set(values))


@pytest.mark.parametrize("package", PUBLIC)
def test_every_public_name_is_documented(package):
    there = {id(found_at(name)) for name in documented_names()}
    home = import_module(package)
    values = {name: getattr(home, name) for name in home.__all__}
    missing = {
        name
        for name, value in values.items()
        if id(value) not in there and not inspect.ismodule(value)
    }
    # an object of the documented Registry; a helper of messages
    assert missing <= {"mechanisms", "shown"}


def test_what_chapters_import_from_underneath_is_documented():
    there, missing = {id(found_at(name)) for name in documented_names()}, set()
    for path in (ROOT / "chapters").glob("*.md"):
        for module, name in imported_names(path):
            value = getattr(import_module(module), name, None)
            if (
                value is not None
                and not inspect.ismodule(value)
                and id(value) not in there
            ):
                missing.add(f"{path.name}: {module}.{name}")
    # the command itself, in the table of commands
    assert missing == {
        "your-own-data.md: lifttables.cli.main",
        "population.md: liftlib.resources.resource",  # where stored tables lie
    }


@pytest.mark.parametrize(
    "name", [name for name in FUNCTIONS if not name.startswith(DESCRIBED_TOGETHER)]
)
def test_a_function_has_arguments_result_and_example(name):
    function = found_at(name)
    said = section(name, "Parameters")
    missing = [
        one
        for one in parameters(function)
        if not re.search(rf"^(?! ).*\b{one}\b", said, re.MULTILINE)
    ]
    assert missing == []
    assert inspect.getdoc(function).startswith("Return") or section(name, "Returns"), (
        "it says what it returns"
    )
    assert section(name, "Examples")


@pytest.mark.parametrize(
    "name", [name for name in FUNCTIONS if not name.startswith("liftbook.relatives.")]
)
def test_a_function_that_raises_says_so(name):
    function = inspect.unwrap(found_at(name))
    if inspect.isfunction(function):
        nodes = ast.walk(ast.parse(inspect.getsource(function)))
        raised = [
            node
            for node in nodes
            if isinstance(node, ast.Raise) and node.exc is not None
        ]
        assert section(name, "Raises") or not raised


ROLE = re.compile(
    r":(?:func|class|meth|mod|attr|exc):"
    r"`~?((?:mixproof|liftlib|lifttables|liftbook|companion)[\w.]+)`"
)


def docstrings(value):
    """Return the texts that a page shows of an object: its own, and its members'."""
    members = (
        [one for name, one in vars(value).items() if not name.startswith("_")]
        if inspect.isclass(value)
        else []
    )
    return "\n".join(inspect.getdoc(one) or "" for one in (value, *members))


def test_what_docstrings_refer_to_is_documented():
    values = {name: found_at(name) for name in documented_names()}
    there = set(values) | {
        f"{v.__module__}.{v.__qualname__}"
        for v in values.values()
        if inspect.isclass(v)
    }
    broken = {
        (name, target)
        for name, value in values.items()
        for target in ROLE.findall(docstrings(value))
        if target not in there and target.rpartition(".")[0] not in there
    }
    assert broken == set()


def test_the_command_line_is_a_table():
    _, _, *rows = commands()
    both = {
        f"{program.name} {name}": one
        for program in (LIFT, LIFTBOOK)
        for name, one in program.commands.items()
    }
    assert [row.split("`")[1] for row in rows] == list(both)
    for row, one in zip(rows, both.values(), strict=True):
        assert row.count("|") == 4
        assert one.summary in row
        assert f"[{one.extra}]" in row


def test_what_a_property_is_is_not_taken_for_its_type():
    kinds = {
        found_at(name) for name in documented_names() if inspect.isclass(found_at(name))
    }
    told = {
        f"{kind.__name__}.{name}": (inspect.getdoc(one) or "").partition("\n")[0]
        for kind in kinds
        for name, one in inspect.getmembers(kind, inspect.isdatadescriptor)
        if isinstance(one, property) and not name.startswith("_")
    }
    assert len(told) > 20
    assert {name: line for name, line in told.items() if ": " in line} == {}


@pytest.mark.book
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_light_and_shows_an_example_or_a_use(path):
    built = HTML / f"{path.stem}.html"
    assert built.stat().st_size < LARGEST
    page = BeautifulSoup(built.read_text(encoding="utf-8"), "html.parser")
    without = []
    for name in DIRECTIVE.findall(path.read_text(encoding="utf-8")):
        entry = page.find(id=name)
        assert entry is not None, name
        if (
            is_function(found_at(name))
            and not name.startswith("liftbook.")  # its figures are the book's
            and not section(name, "Examples")
            and entry.parent.find("details") is None
        ):
            without.append(name)
    assert without == []


@pytest.mark.book
def test_uses_are_linked_both_ways():
    page = BeautifulSoup(
        (HTML / "api-liftlib.html").read_text(encoding="utf-8"), "html.parser"
    )
    uses = page.find(id="liftlib.design").parent.find("details")
    used_in = {link["href"].partition("#")[0] for link in uses.select("table a")}
    assert "your-own-work.html" in used_in
    assert len(used_in) > 2
    for name in used_in:
        user = BeautifulSoup((HTML / name).read_text(encoding="utf-8"), "html.parser")
        assert user.select_one('pre a[href$="api-liftlib.html#liftlib.design"]'), name


@pytest.mark.book
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_uses_are_sorted_by_title(page):
    html = BeautifulSoup((HTML / f"{page.stem}.html").read_bytes(), "html.parser")
    for uses in html.select("article details table"):
        titles = [row.get_text(strip=True) for row in uses.select("td")]
        assert titles == sorted(titles)
