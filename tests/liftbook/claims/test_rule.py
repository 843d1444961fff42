"""The rule, on rows made up for it."""

import pytest

from liftbook.claims import rule
from liftbook.claims.rule import Case, Reading, Row, verdict
from liftlib.errors import DataError


def reading(*values, quote="it holds", **fields):
    cases = tuple(
        Case(str(at), "f", value if isinstance(value, tuple) else (value,))
        for at, value in enumerate(values)
    )
    return Reading(quote, "p. 1", cases, **fields)


def verdict_of(form, *readings, printed=None, digit=0.0):
    return verdict(Row("a", form, readings, printed, digit))


def test_one_failing_instance_contradicts_a_statement_about_all():
    assert verdict_of("all", reading(True, True)) == "agrees"
    assert verdict_of("all", reading(True, False)) == "differs"
    assert verdict_of("all", reading((True,) * 19 + (False,))) == "differs"


def test_one_instance_shows_that_something_exists():
    assert verdict_of("some", reading(False, True)) == "agrees"
    assert verdict_of("some", reading(False, False)) == "differs"
    assert verdict_of("some", reading(False, False, closed=False)) == "cannot be told"


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        (20, "agrees"),
        (19, "agrees"),
        (18, "cannot be told"),
        (2, "cannot be told"),
        (1, "differs"),
    ],
)
def test_a_curve_may_fail_in_one_of_twenty(held, expected):
    assert (
        verdict_of("curve", reading((True,) * held + (False,) * (20 - held)))
        == expected
    )


def test_numbers():
    def of(value, digit):
        return verdict_of("number", reading(value), printed=0.5, digit=digit)

    assert of(0.59, 0.1) == "agrees"
    assert of(0.51, 0.01) == "agrees"
    assert of(0.52, 0.01) == "differs"
    assert of((0.47, 0.52), 0.01) == "agrees"
    assert of((0.52, 0.6), 0.01) == "differs"
    assert of(float("nan"), 0.01) == "differs"
    assert of((), 0.01) == "cannot be told"


@pytest.mark.parametrize("form", ["degree", "time"])
def test_our_margin_and_our_machine_contradict_nothing(form):
    assert verdict_of(form, reading(False)) == "cannot be told"
    assert verdict_of(form, reading(True, False)) == "cannot be told"
    assert verdict_of(form, reading(True)) == "agrees"
    assert verdict_of(form, reading(False, setting="budgets")) == "cannot be told"


def test_a_setting_in_which_only_some_agree_depends():
    assert verdict_of("curve", reading(True, False, setting="orders")) == "depends"
    assert (
        verdict_of("curve", reading(True, False, setting="orders", closed=False))
        == "cannot be told"
    )
    assert verdict_of("curve", reading(False, False, setting="orders")) == "differs"
    assert (
        verdict_of("curve", reading(True, True, setting="orders", closed=False))
        == "agrees"
    )


CHANCE = (True,) * 10 + (False,) * 10  # which tells nothing


def test_what_cannot_be_told_neither_agrees_nor_contradicts():
    assert verdict_of("curve", reading(True, CHANCE)) == "cannot be told"
    assert verdict_of("some", reading(True, CHANCE)) == "agrees"
    # an alternative that nobody can tell may be the paper's
    assert verdict_of("curve", reading(False, CHANCE, setting="orders")) == "depends"
    assert verdict_of("curve", reading(True, CHANCE, setting="orders")) == "depends"
    # and it prevails over a reading that depends
    depends = reading(True, False, setting="orders")
    chance = reading(CHANCE, quote="by chance")
    for pair in ((depends, chance), (chance, depends)):
        assert verdict_of("curve", *pair) == "cannot be told"


def test_nothing_fitted_agrees():
    assert (
        verdict_of("curve", reading(True, setting="orders", closed=False))
        == "cannot be told"
    )
    assert verdict_of("curve", reading(True, setting="orders")) == "agrees"


def test_readings():
    first, second = reading(True), reading(False, quote="it fails")
    for pair in ((first, second), (second, first)):
        assert verdict_of("all", *pair) == "depends"
    chance = reading(CHANCE, quote="by chance")
    assert verdict_of("curve", first, chance) == "cannot be told"
    assert verdict_of("curve", first, second, chance) == "depends"
    some = reading(True, False, quote="in some", setting="orders")
    assert verdict_of("curve", first, some) == "depends"


def test_what_a_row_needs():
    with pytest.raises(DataError):
        Row("a", "guess", (reading(True),))
    with pytest.raises(DataError):
        Row("a", "all", ())
    with pytest.raises(DataError):
        Row("a", "all", (reading(True), reading(False)))
    for quote, where, cases in (
        ("", "p", 1),
        ("w " * 26, "p", 1),
        ("w", "", 1),
        ("w", "p", 0),
    ):
        with pytest.raises(DataError):
            Reading(quote, where, (Case("", "f", (True,)),) * cases)


def test_share():
    row = Row(
        "a", "curve", (reading(True, False, True, setting="orders of the columns"),)
    )
    assert rule.share(row, row.readings[0]) == "2 of 3 orders of the columns"
    alone = Row("a", "curve", (reading(True),))
    assert rule.share(alone, alone.readings[0]) == ""
