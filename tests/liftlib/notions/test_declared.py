"""Notions that are declared, and the catalogue."""

import json
import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

import liftlib as ll
from liftbook.relatives import AverageLeakage, MaximalLeakage
from liftlib.notions.base import (
    AttributeWise,
    Convex,
    CurvedLift,
    LiftNotion,
    Polyhedral,
    PolyhedralLift,
    PosteriorNotion,
    RatioBased,
    provides,
    require,
)
from liftlib.notions.catalogue import content_of, from_content
from mixproof.checks import checked

INF = math.inf
TABLE = ll.Joint.from_counts([[3, 2, 1], [1, 4, 2], [2, 2, 7]])
LIFT, LINEAR = LiftNotion, (LiftNotion, Convex, Polyhedral, PolyhedralLift)
CURVED, RANGE = (LiftNotion, Convex, CurvedLift), (*LINEAR, RatioBased)
DECLARED = {
    ll.ALIP(1, 1): RANGE, ll.LIP(1): RANGE, ll.LDP(1): RANGE, ll.PerfectPrivacy(): RANGE,
    ll.SRLIP(1, (3,)): (Convex, Polyhedral, PosteriorNotion, AttributeWise),
    ll.L1Lift(INF, 1): LINEAR, ll.L1Lift(0, 1): LINEAR, ll.L1Lift(1, INF): (LIFT,),
    ll.Chi2Lift(1, 0): LINEAR, ll.Chi2Lift(INF, 1): CURVED, ll.Chi2Lift(1, 1): (LIFT,),
    ll.AlphaLift(INF, 1, 1): LINEAR, ll.AlphaLift(2, 0, 1): LINEAR, ll.AlphaLift(2, 1, 1): CURVED,
    AverageLeakage(1): (), MaximalLeakage(1): (),
}  # fmt: skip
INTERFACES = (
    LiftNotion, Convex, Polyhedral, PolyhedralLift, CurvedLift, RatioBased, PosteriorNotion, AttributeWise,
)  # fmt: skip
NOTIONS = pytest.mark.parametrize("notion", DECLARED, ids=str)


@NOTIONS
def test_which_interfaces_it_provides(notion):
    assert {one for one in INTERFACES if provides(notion, one)} == set(DECLARED[notion])


@NOTIONS
def test_what_it_lacks_is_said_and_raised(notion):
    for interface in INTERFACES:
        reason = notion.lacks(interface)
        if reason is None:
            assert require(notion, interface, "f") is notion
            assert isinstance(notion, interface)
            continue
        assert str(notion) in reason

        @checked
        def f(notion: interface) -> None: ...

        words, _, remedy = interface.requirement
        for ask in (f, partial(require, interface=interface, function="f")):
            with pytest.raises(ll.UnsupportedNotion) as refused:
                ask(notion)
            assert str(refused.value) == f"f needs {words}; {reason}: {remedy}"
        with pytest.raises(ll.InvalidParameter, match=r"^notion is 3: give a Notion$"):
            f(3)


def test_a_check_that_passed_is_not_taken_for_another_instance_of_the_class():
    @checked
    def f(notion: Polyhedral) -> float:
        return notion.eps_u

    assert f(ll.L1Lift(INF, 1)) == 1
    with pytest.raises(
        ll.UnsupportedNotion, match=r"bounds the inverse lifts too, which is not convex: set eps_l to inf"
    ):
        f(ll.L1Lift(1, 1))


@NOTIONS
def test_what_is_no_joint_and_no_channel_is_named(notion):
    for method in ("leakage", "violation", "is_satisfied"):
        with pytest.raises(ll.LiftError, match=r"^joint is "):
            getattr(notion, method)("a table", ll.Channel.identity(3))
        with pytest.raises(ll.LiftError, match=r"^channel is "):
            getattr(notion, method)(TABLE, "a channel")
    if provides(notion, Polyhedral):
        with pytest.raises(ll.LiftError, match=r"^joint is "):
            notion.halfspaces("a table")


ROWS = np.random.default_rng(0).dirichlet(np.ones(3), 50)


@pytest.mark.parametrize("eps", [0.3, 0.8, 1.0])
def test_how_far_the_l1_lifts_halfspaces_are_exceeded(eps):
    over = np.log1p(np.abs(ROWS @ TABLE.s_given_x.T - TABLE.p_s).sum(axis=1)) - eps
    found = (-ROWS @ ll.L1Lift(INF, eps).halfspaces(TABLE).T).max(axis=1)
    np.testing.assert_allclose(found, np.expm1(over), atol=1e-12)


@pytest.mark.parametrize("eps", [0.01, 0.1])
def test_how_far_a_tangent_of_the_chi2_lift_is_exceeded_at_its_row(eps):
    root = np.sqrt(((ROWS @ (TABLE.s_given_x / TABLE.p_s[:, None]).T - 1) ** 2) @ TABLE.p_s)
    outside, over = np.log1p(root) > eps, np.log1p(root) - eps
    assert outside.sum() > 10
    found = (-ROWS[outside] @ ll.Chi2Lift(INF, eps).tangents(TABLE, ROWS[outside]).T).max(axis=1)
    np.testing.assert_allclose(found, np.expm1(over[outside]), atol=1e-12)


def test_srlip_names_what_it_cannot_be_asked():
    notion = ll.SRLIP(1, (3,))
    for ask in (
        lambda: notion.required_by_posteriors("a table", ll.Channel.identity(3)),
        lambda: notion.attribute_halfspaces("a", 0, 1),
    ):
        with pytest.raises(ll.LiftError, match=r"^joint is "):
            ask()
    with pytest.raises(ll.LiftError, match=r"^channel is .*: give a Channel or None$"):
        notion.required_by_posteriors(TABLE, np.eye(3))
    for j, said in ((-1, "j is -1: give a whole number, 0 or more"), (1, "j is 1: give an attribute, 0 to 0")):
        with pytest.raises(ll.LiftError, match=said):
            notion.attribute_halfspaces(TABLE, j, 1.0)


OURS = (ll.ALIP(math.inf, 0.5), ll.LIP(1.0), ll.LDP(math.inf), ll.AlphaLift(2.0, 1.0, 0.5), ll.PerfectPrivacy())


@pytest.mark.parametrize("notion", OURS, ids=str)
def test_there_and_back(notion):
    text = json.dumps(content_of(notion), allow_nan=False)  # an infinite budget is a word: JSON has no such number
    again = from_content(json.loads(text))
    assert again == notion
    assert type(again) is type(notion)


def test_ones_own_has_no_content():
    @dataclass(frozen=True)
    class Own(ll.ALIP.__base__):
        """Another notion."""

        eps: float = 1.0

        def required_budgets(self, lift, p_s):  # noqa: ARG002
            return ()

    assert content_of(Own()) is None
