"""What notions refuse, by the class of the error; the words are in
tests/messages.txt.
"""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from messages import compare

import liftlib as ll
from liftlib.errors import InvalidDistribution, InvalidParameter, UnsupportedNotion
from liftlib.notions import (
    AlphaLift,
    AttributeWise,
    Polyhedral,
    PolyhedralLift,
    RatioBased,
    RequiredBudget,
    require,
)
from liftlib.notions.agreement import (
    check_agreement,
    disagreement,
    halfspaces_fault,
)
from mixproof.checks import checked

INF = math.inf
TABLE = ll.Joint.from_counts([[3, 2, 1], [1, 4, 2], [2, 2, 7]])
SIX = ll.Joint.from_counts([[6, 1, 2, 2, 1, 6], [2, 6, 1, 6, 2, 1]])
FOUR_INPUTS = ll.Channel.identity(4)
NO_BUDGET = [-0.1, math.nan, True, "1", None]
NO_ORDER = [1, 0, -2, math.nan, True, "2"]
NO_SHAPE = [(), (0, 2), (-1,), (2.0, 2), ("2",), "2", (True, 2), 4, np.array(4), None]
NO_PRIOR = [-0.1, 1.1, math.nan, "1", None, True]
OF_ONE_BUDGET = [ll.LIP, ll.LDP, lambda eps: ll.SRLIP(eps, (2,))]
OF_TWO_BUDGETS = [ll.ALIP, ll.L1Lift, ll.Chi2Lift, partial(ll.AlphaLift, 2)]


@checked
def polyhedral(notion: Polyhedral) -> float:
    return notion.eps_u


def bad_arguments():
    """Yield calls that make a notion of an argument which is none."""
    for value in NO_BUDGET:
        for make in OF_ONE_BUDGET:
            yield partial(make, value)
        for make in OF_TWO_BUDGETS:
            yield partial(make, value, 1)
            yield partial(make, 1, value)
    for order in NO_ORDER:
        yield partial(ll.AlphaLift, order, 1, 1)
    for shape in NO_SHAPE:
        yield partial(ll.SRLIP, 1, shape)
    yield partial(ll.ALIP.split, 2, 1.1)
    yield partial(ll.ALIP.split, math.nan, 0.5)
    yield partial(ll.ALIP.split, INF, 0)


def bad_questions():
    """Yield questions about a table, channel or prior that do not fit."""
    for notion in (ll.ALIP(1, 1), ll.LDP(1), ll.L1Lift(1, 1), ll.SRLIP(1, (3,))):
        for ask in (notion.leakage, notion.is_satisfied, notion.violation):
            yield partial(ask, TABLE, FOUR_INPUTS)
    two_by_two, three = ll.SRLIP(1, (2, 2)), ll.SRLIP(1, (3,))
    for ask in (two_by_two.leakage, two_by_two.is_satisfied, two_by_two.halfspaces):
        yield partial(ask, SIX)
    yield partial(three.required_by_posteriors, "a table")
    yield partial(three.required_by_posteriors, TABLE, np.eye(3))
    yield partial(three.attribute_halfspaces, "a", 0, 1)
    yield partial(three.attribute_halfspaces, TABLE, -1, 1.0)
    yield partial(three.attribute_halfspaces, TABLE, 1, 1.0)
    for notion in (ll.LIP(1), ll.LDP(1)):
        yield partial(notion.ratios, 2.5)
    for notion in (ll.ALIP(1, 1), ll.LDP(1), three):
        for prior in NO_PRIOR:
            yield partial(notion.belief, prior)
    yield partial(polyhedral, 3)


def bad_distributions():
    """Yield questions about secrets whose shares are no distribution of all of them."""
    for notion in (ll.LIP(1), ll.LDP(1), ll.L1Lift(1, 1), ll.AlphaLift(2, 0, 1)):
        yield partial(notion.lift_bounds, [1.0, 0.0])
    yield partial(ll.LIP(1).lift_bounds, 0.5)


def unsupported():
    """Yield questions that a notion of this form cannot answer."""
    many_secrets = ll.Joint(np.full((17, 2), 1 / 34))
    yield partial(ll.L1Lift(INF, 0.5).halfspaces, many_secrets)
    for notion in (ll.Chi2Lift(INF, 1), ll.AlphaLift(2, 1, 1)):  # curved
        yield partial(notion.halfspaces, TABLE)
    for notion in (ll.Chi2Lift(1, 1), ll.L1Lift(1, 1)):  # not convex
        yield partial(notion.halfspaces, TABLE)
    for notion in (ll.Chi2Lift(1, 1), ll.AlphaLift(INF, 1, 1), ll.Chi2Lift(INF, 0)):
        yield partial(notion.tangents, TABLE, TABLE.p_x[None])
    yield partial(require, ll.L1Lift(1, 1), RatioBased, "f")
    yield partial(require, ll.LDP(1), AttributeWise, "f")
    yield partial(polyhedral, ll.L1Lift(1, 1))


@pytest.mark.parametrize(
    ("calls", "error"),
    [
        (bad_arguments, InvalidParameter),
        (bad_questions, InvalidParameter),
        (bad_distributions, InvalidDistribution),
        (unsupported, UnsupportedNotion),
    ],
)
def test_refused(calls, error):
    met = []
    for call in calls():
        with pytest.raises(error) as caught:
            call()
        met.append(caught.value)
    compare(f"liftlib.notions: {calls.__name__}", met)


def test_what_is_right_is_not_refused():
    assert polyhedral(ll.L1Lift(INF, 1)) == 1
    for value in (0, 0.5, 1, np.float64(0.5), INF):
        for make in OF_ONE_BUDGET:
            make(value)
        for make in OF_TWO_BUDGETS:
            make(value, 1)
            make(1, value)


# Notions of one's own that contradict themselves: a search would prove a false optimum

JOINT = ll.datasets.dirichlet_joint(3, 5, 1.0, 0)


@dataclass(frozen=True)
class Cap(PolyhedralLift):
    """The largest lift is at most e^eps.

    ``halfspaces`` may be of another budget or sign, ``required_budgets`` of another
    form.
    """

    eps: float = 0.3
    factor: float = 1.0
    sign: int = 1
    fault: str = ""

    def required_budgets(self, lift, _):
        axis = -1 if self.fault == "axis" else -2
        most = np.log(lift.max(axis=axis)) * (-1 if self.fault == "sign" else 1)
        allowed = None if self.fault == "allowed" else self.eps
        need = RequiredBudget("eps", most, allowed, ("most",))
        forms = {"comma": need, "item": (need, 0.3), "list": [need]}
        return forms.get(self.fault, (need,))

    def halfspaces(self, joint):
        lifts = joint.s_given_x / joint.p_s[:, None]
        return self.sign * (1 - np.exp(-self.factor * self.eps) * lifts)


@dataclass(frozen=True)
class ByChannel(Polyhedral):
    """The same, known only by whole channels."""

    eps: float
    factor: float = 1.0

    def leakage(self, joint, channel=None):
        return ll.ALIP(INF, self.eps).leakage(joint, channel).upper

    def violation(self, joint, channel=None):
        return ll.ALIP(INF, self.eps).violation(joint, channel)

    def halfspaces(self, joint):
        return Cap(self.eps, self.factor).halfspaces(joint)


class Curved(AlphaLift):
    """Tangents with a flipped sign."""

    def tangents(self, joint, rows):
        return -super().tangents(joint, rows)


WRONG_SETS = [
    Cap(sign=-1),
    Cap(factor=2.0),
    Cap(factor=1.05),
    Cap(factor=0.9),
    ByChannel(0.3, 1.5),
    Curved(2, INF, 0.05),
]
WRONG_FORMS = [
    Cap(fault=fault) for fault in ("comma", "list", "item", "axis", "sign", "allowed")
]


def uses_of(notion):
    """Return the calls that have to refuse a notion which contradicts itself."""
    uses = [
        partial(ll.design, JOINT, notion, "optimal"),
        partial(ll.mechanisms.optimal, JOINT, notion),
    ]
    if isinstance(notion, Cap):
        uses.append(partial(ll.mechanisms.subset_response, JOINT, notion))
    if notion in WRONG_FORMS:
        uses.append(partial(ll.compare, JOINT, notion))
        uses.append(partial(notion.is_satisfied, JOINT))
        uses.append(partial(notion.leakage, JOINT))
    return uses


def test_contradictions_are_refused_in_every_use():
    met = []
    for notion in (*WRONG_SETS, *WRONG_FORMS):
        for use in uses_of(notion):
            with pytest.raises(InvalidParameter) as caught:
                use()
            met.append(caught.value)
    compare("liftlib.notions: contradictions", met)


def test_what_is_not_a_number_is_within_no_budget():
    assert disagreement("halfspaces", np.array([True]), np.array([np.nan]))
    assert not disagreement("halfspaces", np.array([False]), np.array([np.nan]))


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (3, 1), (2, 2), (15, 200)], ids=str)
def test_right_ones_pass(shape):
    joint = ll.datasets.dirichlet_joint(*shape, 1.0, 3)
    for eps in (0.0, 1e-9, 0.3, 50.0):
        check_agreement(Cap(eps), joint)
    if shape == (15, 200):  # many symbols hide nothing
        with pytest.raises(InvalidParameter):
            check_agreement(Cap(1.0, 1.1), joint)


def test_the_library_agrees_with_itself_and_a_right_notion_has_its_optimum():
    for notion in (
        ll.ALIP(0.7, 0.4),
        ll.LDP(1.0),
        ll.PerfectPrivacy(),
        ll.SRLIP(0.4, (5, 1)),
    ):
        assert halfspaces_fault(notion, JOINT) == ""
    best = ll.design(JOINT, ll.ALIP(INF, 0.3), "optimal").certificate
    for notion in (Cap(), ByChannel(0.3)):
        found = ll.design(JOINT, notion, "optimal").certificate
        assert found.value == pytest.approx(best.value, abs=1e-9)
