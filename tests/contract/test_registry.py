"""The registry has every public mechanism, says of each what it serves, and costs little to import."""

import inspect
import re
import subprocess
import sys

import pytest

import liftlib as ll
from liftlib import tables
from liftlib.errors import InvalidParameter, UnsupportedNotion
from liftlib.mechanisms.registry import MECHANISMS, Mechanism, mechanism, rows

PUBLIC = {name: getattr(ll, name) for name in ll.__all__}


NOT_REGISTERED = {
    "confident_merging": "starts from counts: what it keeps, it keeps for the population, with a confidence",
    "confident_response": "starts from counts: what it keeps, it keeps for the population, with a confidence",
    "bounded_reduction": "starts from bounds on lifts; extreme_reduction is its family, and has the notion",
    "optimal_responses": "many joint distributions at once; optimal_response is the mechanism",
    "family": "makes a family of a function, for who writes one",
}
"""Public names that give a channel or a family and are no ``(joint, notion, *, ...) -> Channel``, each with why."""


def makes_channels(thing):
    """Whether something is a family, or a function whose return annotation speaks of channels or families."""
    if isinstance(thing, ll.Family):
        return True
    if not inspect.isfunction(thing):
        return False
    told = inspect.unwrap(thing).__annotations__.get("return")
    return bool({"Channel", "Family"} & set(re.findall(r"\w+", str(told))))


def made_by(names):
    """Return those of some names that give channels or families; a module stands for the functions that it defines."""
    found = {}
    for name, one in names.items():
        inside = vars(one) if inspect.ismodule(one) else {}
        own = {f"{name}.{n}": f for n, f in inside.items() if n[0] != "_" and inspect.getmodule(f) is one}
        found |= {n: f for n, f in (own or {name: one}).items() if makes_channels(f)}
    return found


def missing(names):
    """Return which names give channels or families and are neither registered nor excepted."""
    registered = [one.function for one in MECHANISMS.values()]
    return {n for n, one in made_by(names).items() if one not in registered and n not in NOT_REGISTERED}


def test_every_public_mechanism_is_in_it():
    assert missing(PUBLIC) == set()
    assert missing({name: getattr(tables, name) for name in tables.__all__}) == set()
    public = made_by(PUBLIC)
    assert set(NOT_REGISTERED) <= set(public)  # an exception that is none any more goes
    assert len(public) - len(NOT_REGISTERED) == len(MECHANISMS)  # and nothing else is
    assert {"watchdog", "product_response", "robust_response", "randomised_response"} <= set(public)


def test_an_exception_is_no_mechanism():
    """What takes a joint distribution and a notion belongs into the registry, whatever reason is given."""
    for name in NOT_REGISTERED:
        assert list(inspect.signature(PUBLIC[name]).parameters)[:2] != ["joint", "notion"], name


def test_what_is_forgotten_is_found():
    def from_counts(counts: list[int], notion: ll.Notion) -> ll.Channel:
        raise NotImplementedError

    def several(joints: list[ll.Joint]) -> "tuple[int, list[ll.Channel]]":
        raise NotImplementedError

    def a_number(joint: ll.Joint, notion: ll.Notion) -> float:
        raise NotImplementedError

    own = ll.family(high=1.0, private_end="high")(lambda joint, share: ll.Channel.identity(2))  # noqa: ARG005
    names = {"from_counts": from_counts, "several": several, "a_number": a_number, "own": own, "joint": ll.Joint}
    assert missing(names) == {"from_counts", "several", "own"}
    assert missing({"watchdog": ll.watchdog}) == set()


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
