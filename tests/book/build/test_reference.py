"""The reference page documents every public name once, a family like a function."""

import pytest

import liftlib
from liftbook import chapters, figures, plots
from liftbook.build.sphinx.reference import (
    addresses,
    documented,
    exported,
    found_at,
    mechanisms,
    order,
    reference,
    write,
)
from liftlib import tables
from liftlib.mechanisms.registry import MECHANISMS


@pytest.mark.parametrize("package", [liftlib, tables, figures, plots, chapters], ids=lambda one: one.__name__)
def test_nothing_public_is_missing(package):
    found = exported(package.__name__)
    assert list(found) == list(package.__all__)
    for name, address in found.items():
        assert found_at(address) is getattr(package, name), name
    text = "\n".join(reference(package.__name__, set()))
    for address in addresses(package.__name__):
        assert text.count(f":: {address}\n") == 1, address


def test_a_module_stands_for_what_it_defines():
    assert "liftlib.datasets.adult" in addresses("liftlib")
    assert "liftlib.solvers.polytope.vertices" in addresses("liftlib")
    assert exported("liftbook.exercises") == {
        "Verdict": "liftbook.exercises.Verdict",
        "check": "liftbook.exercises.check",
    }


def test_each_kind_by_its_own_directive():
    assert documented("liftlib.mechanisms.noise.randomised.randomised_response")[0].startswith(".. autofunction::")
    assert documented("liftlib.measures.lifts.lift")[0].startswith(".. autofunction::")
    assert documented("liftlib.errors.LiftError")[0].startswith(".. autoexception::")
    assert documented("liftbook.plots.styling.COLOURS")[0].startswith(".. autodata::")
    assert "   :exclude-members: eps_l, eps_u" in documented("liftlib.notions.ALIP")
    assert "   :exclude-members: lower, upper" in documented("liftlib.notions.Leakage")


def test_floors_come_first_and_nothing_twice():
    folders = ["liftlib.errors", "liftlib.notions", "liftlib.mechanisms.response", "liftlib.joint", "liftlib"]
    assert sorted(folders, key=order) == [
        "liftlib",
        "liftlib.joint",
        "liftlib.notions",
        "liftlib.mechanisms.response",
        "liftlib.errors",
    ]
    done = set()
    first = list(reference("liftlib.notions", done))
    assert any("autoclass:: liftlib.notions.bounds.ALIP" in line for line in first)
    assert list(reference("liftlib.notions", done)) == []


def test_the_registry_is_a_table():
    head, rule, *rows = mechanisms()
    assert len(rows) == len(MECHANISMS)
    columns = head.count("|")
    for row, one in zip(rows, MECHANISMS.values(), strict=True):
        assert row.replace(r"\|", "").count("|") == rule.count("|") == columns
        assert f"`{one.name}`" in row
        assert one.serves.words.replace("|", r"\|") in row


def test_places_in_a_page_are_filled():
    source = ["# A page\n\n```{lift-mechanisms}\n```\n\n```{lift-reference} liftbook.exercises\n```\n\nThe end.\n"]
    write(None, "api", source)
    assert "lift-" not in source[0].replace("lift-based", "")
    assert ".. autofunction:: liftbook.exercises.check" in source[0]
    assert source[0].endswith("The end.\n")
