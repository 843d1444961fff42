"""What a notion declares of itself, what a class of one has to say, and how far its halfspaces let a budget slip."""

import math

import numpy as np
import pytest

from liftbook.relatives import AverageLeakage, MaximalLeakage
from liftlib import (
    ALIP,
    LDP,
    LIP,
    SRLIP,
    AlphaLift,
    Channel,
    Chi2Lift,
    Joint,
    L1Lift,
    LiftError,
    Notion,
    PerfectPrivacy,
)
from liftlib.notions.averages import _Averages
from liftlib.notions.base import LiftNotion

INF = math.inf
TABLE = Joint.from_counts([[3, 2, 1], [1, 4, 2], [2, 2, 7]])
# (polyhedral, convex)
DECLARED = {
    ALIP(1, 1): (True, True), LIP(1): (True, True), LDP(1): (True, True), SRLIP(1, (3,)): (True, True),
    PerfectPrivacy(): (True, True),
    L1Lift(INF, 1): (True, True), L1Lift(0, 1): (True, True), L1Lift(1, INF): (False, False),
    Chi2Lift(1, 0): (True, True), Chi2Lift(INF, 1): (False, True), Chi2Lift(1, 1): (False, False),
    AlphaLift(INF, 1, 1): (True, True), AlphaLift(2, 0, 1): (True, True), AlphaLift(2, 1, 1): (False, True),
    AverageLeakage(1): (False, False), MaximalLeakage(1): (False, False),
}  # fmt: skip
NOTIONS = pytest.mark.parametrize("notion", DECLARED, ids=str)


@NOTIONS
def test_of_what_kind_it_is(notion):
    polyhedral, convex = DECLARED[notion]
    assert notion.polyhedral is polyhedral
    assert notion.convex is convex
    assert notion.rowwise is isinstance(notion, SRLIP)
    assert notion.attributes == ((3,) if isinstance(notion, SRLIP) else None)
    assert notion.average == (1 if isinstance(notion, AverageLeakage) else None)
    assert notion.maximal == (1 if isinstance(notion, MaximalLeakage) else None)


@NOTIONS
def test_what_is_no_joint_and_no_channel_is_named(notion):
    for method in ("leakage", "violation", "is_satisfied"):
        with pytest.raises(LiftError, match=r"^joint is "):
            getattr(notion, method)("a table", Channel.identity(3))
        with pytest.raises(LiftError, match=r"^channel is "):
            getattr(notion, method)(TABLE, "a channel")
    if notion.polyhedral:
        with pytest.raises(LiftError, match=r"^joint is "):
            notion.halfspaces("a table")


@pytest.mark.parametrize(
    ("base", "name"),
    [
        (Notion, "leakage"), (Notion, "violation"), (LiftNotion, "required_budgets"),
        (_Averages, "_measure"), (_Averages, "_budget"), (_Averages, "_largest"),
    ],
)  # fmt: skip
def test_a_class_that_says_too_little_makes_no_notion(base, name):
    said = {one: lambda *_, **__: 0.0 for one in base.__abstractmethods__}
    assert isinstance(type("Whole", (base,), said).__new__(type("Whole", (base,), said)), base)
    del said[name]
    with pytest.raises(TypeError, match=rf"abstract class Short.*\b{name}\b"):
        type("Short", (base,), said)()


ROWS = np.random.default_rng(0).dirichlet(np.ones(3), 50)


@pytest.mark.parametrize("eps", [0.3, 0.8, 1.0])
def test_how_far_the_l1_lifts_halfspaces_are_exceeded(eps):
    """By what the budget is exceeded by in nats, to first order, so that both are tolerated alike; never by more."""
    over = np.log1p(np.abs(ROWS @ TABLE.s_given_x.T - TABLE.p_s).sum(axis=1)) - eps
    found = (-ROWS @ L1Lift(INF, eps).halfspaces(TABLE).T).max(axis=1)
    np.testing.assert_allclose(found, np.expm1(over), atol=1e-12)


@pytest.mark.parametrize("eps", [0.01, 0.1])
def test_how_far_a_tangent_of_the_chi2_lift_is_exceeded_at_its_row(eps):
    root = np.sqrt(((ROWS @ (TABLE.s_given_x / TABLE.p_s[:, None]).T - 1) ** 2) @ TABLE.p_s)
    outside, over = np.log1p(root) > eps, np.log1p(root) - eps
    assert outside.sum() > 10
    found = (-ROWS[outside] @ Chi2Lift(INF, eps).tangents(TABLE, ROWS[outside]).T).max(axis=1)
    np.testing.assert_allclose(found, np.expm1(over[outside]), atol=1e-12)


def test_srlip_names_what_it_cannot_be_asked():
    notion = SRLIP(1, (3,))
    for ask in (
        lambda: notion.required_by_posteriors("a table", Channel.identity(3)),
        lambda: notion.attribute_halfspaces("a", 0, 1),
    ):
        with pytest.raises(LiftError, match=r"^joint is "):
            ask()
    with pytest.raises(LiftError, match=r"^channel is .*: give a Channel or None$"):
        notion.required_by_posteriors(TABLE, np.eye(3))
    for j, said in ((-1, "j is -1: give a whole number, 0 or more"), (1, "j is 1: give an attribute, 0 to 0")):
        with pytest.raises(LiftError, match=said):
            notion.attribute_halfspaces(TABLE, j, 1.0)
