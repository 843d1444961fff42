"""Every mechanism takes a joint, a notion and its listed options, and loads late."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import InvalidParameter, UnsupportedNotion
from liftlib.registry import Mechanism, Registry

JOINT = ll.Joint([[0.3, 0.2], [0.1, 0.4]])
EACH = pytest.mark.parametrize("mechanism", list(ll.mechanisms.values()), ids=list(ll.mechanisms))


@EACH
def test_a_mechanism_takes_a_joint_and_a_notion(mechanism):
    parameters = list(inspect.signature(type(mechanism.function).__call__).parameters.values())
    if not mechanism.family:
        parameters = [None, *inspect.signature(mechanism.function).parameters.values()]
    assert [p.name for p in parameters[1:3]] == ["joint", "notion"]


@EACH
def test_the_listed_options_are_those_of_the_function(mechanism):
    if mechanism.family:
        assert mechanism.options == ()
        return
    parameters = list(inspect.signature(mechanism.function).parameters.values())[2:]
    assert all(p.kind is p.KEYWORD_ONLY for p in parameters)
    assert mechanism.options == tuple(p.name for p in parameters)


@EACH
def test_an_unknown_option_is_refused_by_name(mechanism):
    served = [ll.LIP(1.0), ll.SRLIP(1.0, (2, 1)), *beyond()]
    notion = next(one for one in served if mechanism.serves(one))
    takes = ", ".join(mechanism.options) or "it has none"
    with pytest.raises(InvalidParameter, match=rf"^{mechanism.name} has no option 'sedonds': .*{takes}$"):
        mechanism(JOINT, notion, sedonds=1)


@pytest.mark.parametrize("name", ["best-partition", "funnel", "funnel-descent", "funnel-subsets", "staircase"])
def test_more_symbols_than_it_can_do_are_refused(name):
    mechanism = ll.mechanisms[name]
    most = mechanism.most_symbols
    notion = next(one for one in (ll.LDP(1.0), *beyond()) if mechanism.serves(one))
    with pytest.raises(InvalidParameter, match=rf"^joint has {most + 1} symbols, more than {most}: use "):
        mechanism(ll.Joint(np.full((2, most + 1), 0.5 / (most + 1))), notion)


def beyond():
    from liftbook.relatives import AverageLeakage, MaximalLeakage

    return AverageLeakage(1.0), MaximalLeakage(1.0), ll.ALIP(np.inf, 1.0)


@EACH
def test_an_argument_of_another_kind_is_refused_by_name(mechanism):
    with pytest.raises(InvalidParameter, match="is 'table': give a Joint"):
        mechanism("table", ll.LIP(1.0))
    with pytest.raises(InvalidParameter, match="is 'lip': give a Notion"):
        mechanism(JOINT, "lip")


def test_a_refusal_names_what_serves():
    with pytest.raises(UnsupportedNotion, match=r"^optimal needs .*convex set; Chi2Lift.* inf: use watchdog, s"):
        ll.design(JOINT, ll.Chi2Lift(1, 1), "optimal")


def test_names():
    assert ll.mechanisms["watchdog"].function is ll.mechanisms.watchdog
    assert "watchdog" in ll.mechanisms
    assert "magic" not in ll.mechanisms
    assert "subset_merging" in dir(ll.mechanisms)
    with pytest.raises(InvalidParameter, match=r"^no mechanism 'magic': there are watchdog, subset-merging, "):
        ll.mechanisms["magic"]
    with pytest.raises(InvalidParameter, match=r"^no mechanism 'magic'"):
        ll.design(JOINT, ll.LIP(1.0), "magic")
    with pytest.raises(AttributeError, match=r"^no mechanism 'magic'"):
        _ = ll.mechanisms.magic


def test_the_papers_mechanisms_need_no_plug_in():
    homes = {name: one.where.partition(".")[0] for name, one in ll.mechanisms.items()}
    assert {name for name, home in homes.items() if home == "liftlib"} >= {
        "watchdog", "subset-merging", "optimal", "subset-response", "product", "randomised-response",
        "unary-encoding", "conditional-reporting", "linear-reduction", "markov-reduction", "secret-aware-reduction",
    }  # fmt: skip
    assert set(homes.values()) == {"liftlib", "liftbook"}


def test_a_mechanism_of_ones_own():
    own = Mechanism("own", "liftlib.merging.watchdog:watchdog", ll.notions.LiftNotion, "|S| |X|", "this test")
    registry = Registry(())
    registry.register(own)
    assert registry["own"](JOINT, ll.LIP(0.1)).partition == ((0, 1),)
    assert registry.own is ll.mechanisms.watchdog


def test_listing_the_registry_imports_no_mechanism():
    code = (
        "import sys, liftlib.registry as r; list(r.mechanisms);"
        "print([m for m in sys.modules if m.startswith(('scipy', 'pandas', 'highspy', 'liftlib.response'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_compare_refuses_an_empty_list():
    with pytest.raises(ll.InvalidParameter, match=r"^mechanisms is empty: name at least one"):
        ll.compare(ll.Joint([[0.3, 0.2], [0.1, 0.4]]), ll.LIP(0.5), ())


@EACH
def test_the_registry_names_the_interface_that_the_function_asks_for(mechanism):
    if mechanism.family is None:
        asked = inspect.get_annotations(inspect.unwrap(mechanism.function), eval_str=True)["notion"]
        assert mechanism.needs is asked
