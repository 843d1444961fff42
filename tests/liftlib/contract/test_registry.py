"""Every mechanism takes a joint, a notion and its listed options, and loads late."""

import copy
import inspect
from functools import partial

import numpy as np
import pytest
from asked import printed
from messages import raised, warned

import liftlib as ll
from liftlib.errors import InvalidParameter, LiftWarning, UnsupportedNotion
from liftlib.notions import Notion, catalogue
from liftlib.plugins import load_plugins
from liftlib.registry import Mechanism, Registry

JOINT = ll.Joint([[0.3, 0.2], [0.1, 0.4]])
EACH = pytest.mark.parametrize(
    "mechanism", list(ll.mechanisms.values()), ids=list(ll.mechanisms)
)


@EACH
def test_a_mechanism_takes_a_joint_and_a_notion(mechanism):
    parameters = list(
        inspect.signature(type(mechanism.function).__call__).parameters.values()
    )
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
    # not stored: a recipe's new mechanism has a line of its own
    with pytest.raises(InvalidParameter) as told:
        mechanism(JOINT, notion, sedonds=1)
    words = str(told.value)
    assert all(name in words for name in (mechanism.name, *mechanism.options))


@pytest.mark.parametrize("name", ["best-partition", "funnel-descent"])
def test_more_symbols_than_it_can_do_are_refused(name):
    mechanism = ll.mechanisms[name]
    most = mechanism.most_symbols
    notion = next(one for one in (ll.LDP(1.0), *beyond()) if mechanism.serves(one))
    with raised(InvalidParameter):
        mechanism(ll.Joint(np.full((2, most + 1), 0.5 / (most + 1))), notion)


def beyond():
    from liftbook.relatives import AverageLeakage, MaximalLeakage

    return AverageLeakage(1.0), MaximalLeakage(1.0), ll.ALIP(np.inf, 1.0)


@EACH
def test_an_argument_of_another_kind_is_refused_by_name(mechanism):
    with pytest.raises(InvalidParameter):
        mechanism("table", ll.LIP(1.0))
    with pytest.raises(InvalidParameter):
        mechanism(JOINT, "lip")


def test_a_refusal_names_what_serves():
    with pytest.raises(UnsupportedNotion):
        ll.design(JOINT, ll.Chi2Lift(1, 1), "optimal")


def test_names():
    assert ll.mechanisms["watchdog"].function is ll.mechanisms.watchdog
    assert "watchdog" in ll.mechanisms
    assert "magic" not in ll.mechanisms
    assert "Algorithm 1" not in ll.mechanisms
    assert "subset_merging" in dir(ll.mechanisms)
    for use in (
        ll.mechanisms.__getitem__,
        lambda name: ll.design(JOINT, ll.LIP(1.0), name),
    ):
        for name in (
            "magic",
            "",
            "no.such:function",
            "liftlib.joint:nothing",
            3,
            None,
            ["watchdog"],
        ):
            with pytest.raises(InvalidParameter):
                use(name)
    with pytest.raises(AttributeError):
        _ = ll.mechanisms.magic


PAPERS = {
    "AORR": "optimal", "ORR": "optimal", "SRR": "subset-response",
    "GRR": "randomised-response", "OUE": "unary-encoding",
    "CR": "conditional-reporting", "E23 Algorithm 1": "subset-merging",
    "C22 Algorithm 1": "subset-merging", "S20 Algorithm 1": "conditional-reporting",
    "E23 Algorithm 2": "subset-response", "subset_merging": "subset-merging",
    "Subset merging": "subset-merging", "complete merging": "watchdog",
    "aorr": "optimal", "e23 algorithm_1": "subset-merging",
    "Linear Reduction": "linear-reduction",
}  # fmt: skip


@pytest.mark.parametrize("name", PAPERS)
def test_the_papers_names_find_their_mechanisms(name):
    entry = ll.mechanisms[name]
    assert entry.name == PAPERS[name]
    assert name in ll.mechanisms
    assert entry.function is ll.mechanisms[PAPERS[name]].function


def test_each_name_of_a_paper_finds_its_entry():
    for entry in ll.mechanisms.values():
        for paper, name in entry.papers:
            assert ll.mechanisms[f"{paper} {name}"] is entry


def test_an_ambiguous_name_lists_what_it_can_mean():
    with pytest.raises(InvalidParameter) as caught:
        ll.mechanisms["algorithm 1"]
    for name in ("E23 Algorithm 1", "C22 Algorithm 1", "S20 Algorithm 1"):
        assert name in str(caught.value)


@pytest.mark.parametrize(
    ("miss", "meant"),
    [("optimall", "optimal"), ("AOR", "AORR"), ("subset mergin", "subset-merging")],
)
def test_a_miss_suggests_the_nearest(miss, meant):
    with pytest.raises(InvalidParameter) as caught:
        ll.mechanisms[miss]
    assert repr(meant) in str(caught.value)


def grown(joint, notion, *, share=0.5):
    """Return a constant channel."""
    return ll.Channel.constant(joint.n_public)


def one_argument(joint):
    return None


def three_arguments(joint, notion, eps):
    return None


class TestFunctions:
    def test_a_function_is_its_own_entry(self):
        entry = ll.mechanisms[grown]
        assert (entry.name, entry.function, entry.options) == (
            "grown",
            grown,
            ("share",),
        )
        assert entry(JOINT, ll.LIP(0.1), share=1).n_outputs == 1

    def test_a_registered_function_finds_its_entry(self):
        for name, entry in ll.mechanisms.items():
            found = ll.mechanisms[entry.function]
            assert (found.needs, found.options, found.sees_secret) == (
                entry.needs,
                entry.options,
                entry.sees_secret,
            )
            assert ll.mechanisms[entry].name == name

    def test_options_may_be_set(self):
        entry = ll.mechanisms[partial(ll.mechanisms.watchdog, extend=False)]
        assert (entry.name, entry.needs) == (
            "watchdog(extend=False)",
            ll.notions.LiftNotion,
        )
        with pytest.raises(UnsupportedNotion):
            entry(JOINT, ll.SRLIP(1.0, (2, 1)))

    @pytest.mark.parametrize("wrong", [one_argument, three_arguments, Notion])
    def test_a_function_of_other_arguments_is_refused(self, wrong):
        for use in (
            ll.mechanisms.__getitem__,
            lambda f: ll.design(JOINT, ll.LIP(1.0), f),
        ):
            with pytest.raises(InvalidParameter):
                use(wrong)

    @pytest.mark.parametrize(
        "returned",
        [
            None,
            np.eye(2),
            (ll.Channel.identity(2),),
            ll.Channel.identity(3),
            ll.Channel(np.full((3, 2, 2), 0.5)),
        ],
        ids=["none", "array", "comma", "shape", "secrets"],
    )
    def test_a_function_that_returns_no_channel_is_refused(self, returned):
        with raised(InvalidParameter):
            ll.design(
                JOINT,
                ll.LIP(1.0),
                Mechanism("own", lambda *_: returned, Notion, "", ""),
            )

    @pytest.mark.parametrize("wrong", [grown, "watchdog", None])
    def test_only_entries_are_registered(self, wrong):
        with pytest.raises(InvalidParameter):
            Registry(()).register(wrong)

    @pytest.mark.parametrize(
        "arguments",
        [
            ("own", "module:function", Notion),
            ("own", one_argument, Notion),
            ("own", grown, ll.LIP(1)),
        ],
    )
    def test_an_entry_is_checked(self, arguments):
        with pytest.raises(InvalidParameter):
            Mechanism(*arguments, "|X|", "this test")


def test_the_papers_mechanisms_need_no_plug_in():
    homes = {name: one.where.partition(".")[0] for name, one in ll.mechanisms.items()}
    assert {name for name, home in homes.items() if home == "liftlib"} >= {
        "watchdog", "subset-merging", "optimal", "subset-response", "product",
        "randomised-response", "unary-encoding", "conditional-reporting",
        "linear-reduction", "markov-reduction", "secret-aware-reduction",
    }  # fmt: skip
    assert set(homes.values()) == {"liftlib", "liftbook"}


def test_a_mechanism_of_ones_own():
    own = Mechanism(
        "own", ll.mechanisms.watchdog, ll.notions.LiftNotion, "|S| |X|", "this test"
    )
    registry = Registry(())
    registry.register(own)
    assert registry["own"](JOINT, ll.LIP(0.1)).partition == ((0, 1),)
    assert registry.own is ll.mechanisms.watchdog


class TestPlugIns:
    def test_what_works_without_them_imports_none(self):
        code = (
            "import sys, liftlib as ll; from liftlib.notions import catalogue\n"
            "content = catalogue.content_of(ll.LIP(1.0))\n"
            "print(catalogue.from_content(content), 'liftbook' in sys.modules)"
        )
        assert printed(code) == "LIP(eps=1.0) False"

    def test_one_that_cannot_be_imported_is_left_out(self, tmp_path, monkeypatch):
        """As after a package is removed, and its metadata is not."""
        left = tmp_path / "mine-1.0.dist-info"
        left.mkdir()
        left.joinpath("METADATA").write_text("Name: mine\nVersion: 1.0\n")
        left.joinpath("entry_points.txt").write_text(
            "[liftlib.plugins]\nmine = mine.mechanisms\n"
        )
        monkeypatch.syspath_prepend(tmp_path)
        with warned(LiftWarning):
            load_plugins.__wrapped__()

    def test_only_constructors_of_notions_are_registered(self):
        for wrong in (ll.LIP(1.0), "LIP"):
            with pytest.raises(InvalidParameter):
                catalogue.register(wrong=wrong)
        assert "wrong" not in catalogue.NOTIONS


def test_the_registry_and_a_design_import_no_solver():
    code = (
        "import sys, liftlib.registry as r; list(r.mechanisms); import liftlib as"
        " ll\nll.design(ll.Joint([[0.3, 0.2], [0.1, 0.4]]), ll.LIP(0.5), 'Subset"
        " merging')\nheavy = ('scipy.optimize', 'scipy.sparse', 'scipy.spatial',"
        " 'scipy.linalg', 'pandas', 'highspy')\nprint([m for m in sys.modules if"
        " m.startswith(heavy)])"
    )
    assert printed(code) == "[]"


def test_compare_refuses_an_empty_list():
    with pytest.raises(ll.InvalidParameter):
        ll.compare(ll.Joint([[0.3, 0.2], [0.1, 0.4]]), ll.LIP(0.5), ())


@EACH
def test_the_registry_names_the_interface_that_the_function_asks_for(mechanism):
    if mechanism.family is None:
        asked = inspect.get_annotations(
            inspect.unwrap(mechanism.function), eval_str=True
        )["notion"]
        assert mechanism.needs is asked


def test_an_own_mechanism_is_an_attribute_too():
    def own(joint, notion):
        return ll.Channel.constant(len(joint.p_x))

    registry = Registry((Mechanism("my_own", own, Notion, "", ""),))
    assert registry.my_own is registry["my_own"].function is own


def test_a_registry_can_be_copied():
    assert list(copy.copy(ll.mechanisms)) == list(ll.mechanisms)
