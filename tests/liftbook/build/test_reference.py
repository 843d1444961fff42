"""The reference page documents every public name once, a family like a function."""

import ast
import inspect
from importlib import import_module
from pathlib import Path

import pytest

from liftbook.build.sphinx.reference import (
    REFERENCE_DIRECTIVE,
    addresses,
    commands,
    exported,
    found_at,
    reference,
    shorten,
)
from liftbook.commands import LIFTBOOK
from lifttables.cli import LIFT

ROOT = Path(__file__).resolve().parents[3]
PAGE = REFERENCE_DIRECTIVE.findall((ROOT / "chapters" / "api.md").read_text(encoding="utf-8"))


def exports(text):
    """Whether a module's lines give it an `__all__`."""
    targets = [one for node in ast.parse(text).body if isinstance(node, ast.Assign) for one in node.targets]
    names = {name.id for one in targets for name in ast.walk(one) if isinstance(name, ast.Name)}
    return "__all__" in names


EXPORTING = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in ("mixproof", "liftlib", "lifttables", "liftbook")
    for path in (ROOT / package).rglob("*.py")
    if exports(path.read_text(encoding="utf-8"))
)


def on_the_page(page):
    """Return the ids of all that a page documents, whatever address it has there."""
    return {id(found_at(address)) for package in page for address in addresses(package)}


def left_out(packages, page):
    """Return the names that some packages export and a page does not document."""
    there = on_the_page(page)
    return {address for package in packages for address in addresses(package) if id(found_at(address)) not in there}


def test_the_page_has_what_every_package_exports():
    assert len(EXPORTING) > 5
    assert left_out(EXPORTING, PAGE) == set()


def test_the_page_asks_for_nothing_twice():
    assert len(PAGE) == len(set(PAGE))


def test_the_page_has_what_chapters_import_from_underneath():
    """So that a reader who meets a name in a cell can look it up."""
    there, missing = on_the_page(PAGE), set()
    for path in (ROOT / "chapters").glob("*.md"):
        cells = path.read_text(encoding="utf-8").split("```{code-cell}")[1:]
        for cell in cells:
            code = cell.partition("\n```")[0].partition("\n")[2]
            lines = [line for line in code.splitlines() if not line.startswith((":", "%", "!"))]
            try:
                tree = ast.parse("\n".join(lines))
            except SyntaxError:  # its options are of several lines, between two rules
                tree = ast.parse(code.partition("---\n")[2].partition("---\n")[2])
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and str(node.module).startswith(
                    ("liftlib.", "lifttables.", "mixproof.")
                ):
                    for alias in node.names:
                        one = getattr(import_module(node.module), alias.name, None)
                        if one is not None and not inspect.ismodule(one) and id(one) not in there:
                            missing.add(f"{path.name}: {node.module}.{alias.name}")
    assert missing == set()


@pytest.mark.parametrize("package", EXPORTING)
def test_nothing_public_is_missing(package):
    found, home = exported(package), import_module(package)
    assert list(found) == list(home.__all__)
    for name, address in found.items():
        assert found_at(address) is getattr(home, name), name
    text = "\n".join(reference(package, set()))
    for address in addresses(package):
        assert text.count(f":: {address}\n") == 1, address


def test_a_module_asked_for_has_its_own_heading():
    assert next(reference("liftbook.relatives.robust", set())) == "### `liftbook.relatives.robust`"
    done = set()
    headings = [line for package in PAGE for line in reference(package, done) if line.startswith("### ")]
    assert len(headings) == len(set(headings))


@pytest.mark.parametrize(("what", "kept"), [("function", ["Return x", "and y.", ""]), ("module", [])])
def test_the_page_has_the_first_paragraph_of_a_docstring(what, kept):
    lines = ["", "Return x", "and y.", "", "Parameters", "----------", "z : int"]
    shorten(None, what, "", None, None, lines)
    assert lines == kept


def test_the_command_line_is_a_table():
    _, _, *rows = commands()
    both = {f"{program.name} {name}": one for program in (LIFT, LIFTBOOK) for name, one in program.commands.items()}
    assert [row.split("`")[1] for row in rows] == list(both)
    for row, one in zip(rows, both.values(), strict=True):
        assert row.count("|") == 4
        assert one.summary in row
        assert f"[{one.extra}]" in row


def test_what_a_property_is_is_not_taken_for_its_type():
    kinds = {
        found_at(address) for package in PAGE for address in addresses(package) if inspect.isclass(found_at(address))
    }
    told = {
        f"{kind.__name__}.{name}": (inspect.getdoc(one) or "").partition("\n")[0]
        for kind in kinds
        for name, one in inspect.getmembers(kind, inspect.isdatadescriptor)
        if isinstance(one, property) and not name.startswith("_")
    }
    assert len(told) > 20
    assert {name: line for name, line in told.items() if ": " in line} == {}
