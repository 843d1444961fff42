"""The registry has every public mechanism, says of each what it serves, and costs little to import."""

import inspect
import subprocess
import sys
import typing

import pytest

import liftlib as ll
from liftlib.errors import InvalidParameter, UnsupportedNotion
from liftlib.mechanisms.registry import MECHANISMS, Mechanism, mechanism, rows

PUBLIC = {name: getattr(ll, name) for name in ll.__all__}


def makes_channels(function):
    """Whether a function takes (joint, notion, *, ...) and returns a Channel, by its annotations."""
    if not inspect.isfunction(function):
        return False
    parameters = list(inspect.signature(function).parameters.values())
    if [one.name for one in parameters[:2]] != ["joint", "notion"]:
        return False
    plain = inspect.unwrap(function)
    return typing.get_type_hints(plain, vars(inspect.getmodule(plain)))["return"] is ll.Channel


def test_every_public_mechanism_is_in_it():
    registered = [one.function for one in MECHANISMS.values()]
    public = {name for name, one in PUBLIC.items() if makes_channels(one) or isinstance(one, ll.Family)}
    assert {name for name in public if PUBLIC[name] not in registered} == set()
    assert len(public) == len(MECHANISMS)  # and nothing else is
    assert {"watchdog", "product_response", "robust_response", "randomised_response"} <= public


def test_options_are_keywords():
    for one in MECHANISMS.values():
        parameters = list(inspect.signature(one.function).parameters.values())
        assert all(p.kind is p.KEYWORD_ONLY for p in parameters[2:]), one.name
        assert [p.name for p in parameters[:2]] == ["joint", one.family.parameter if one.family else "notion"]


def test_names():
    for name in ["watchdog", "subset-merging", "subset-response", "optimal", "randomised-response"]:
        assert mechanism(name) is MECHANISMS[name]
    assert {"conditional-reporting", "linear-reduction"} <= set(MECHANISMS)
    with pytest.raises(InvalidParameter, match=r"no mechanism 'magic': there are watchdog, subset-merging, "):
        mechanism("magic")


def test_rows():
    table = rows()
    assert [row["name"] for row in table] == list(MECHANISMS)
    for row in table:
        assert set(row) == {"name", "function", "serves", "cost", "source"}
        assert all(row.values())
        assert row["function"] in PUBLIC


def test_sees_secret_and_bad_input():
    joint = ll.Joint([[0.3, 0.2], [0.1, 0.4]])
    for one in MECHANISMS.values():
        with pytest.raises(InvalidParameter, match="is 'table': give a Joint"):
            one("table", ll.LIP(1.0))
        with pytest.raises(InvalidParameter, match="is 'lip': give a Notion"):
            one(joint, "lip")


def test_a_refusal_names_what_serves():
    joint = ll.Joint([[0.3, 0.2], [0.1, 0.4]])
    with pytest.raises(
        UnsupportedNotion,
        match=r"^optimal serves notions that allow a convex set of rows, which Chi2Lift.* is not: use",
    ):
        MECHANISMS["optimal"](joint, ll.Chi2Lift(1, 1))


def test_a_mechanism_of_ones_own():
    """As a test or a plug-in makes one: nothing but its place has to be given."""
    own = Mechanism("own", "merging.watchdog:watchdog", MECHANISMS["watchdog"].serves, "|S| |X|", "this test")
    assert own.function is ll.watchdog
    assert own.family is None


def test_importing_it_imports_no_mechanism():
    code = (
        "import sys, liftlib.mechanisms.registry as r; r.rows();"
        "print([m for m in sys.modules if m.startswith(('scipy', 'pandas', 'highspy', 'liftlib.mechanisms.response'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
