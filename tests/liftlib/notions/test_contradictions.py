"""A notion that contradicts itself is refused before a search, which would prove a false optimum."""

from dataclasses import dataclass

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import InvalidParameter
from liftlib.notions import AlphaLift, LiftNotion, Polyhedral, PolyhedralLift, RequiredBudget
from liftlib.notions.agreement import check_agreement, halfspaces_fault

JOINT = ll.datasets.dirichlet_joint(3, 5, 1.0, 0)


@dataclass(frozen=True)
class Cap(PolyhedralLift):
    """The largest lift is at most e^eps; ``halfspaces`` may be of another budget or sign."""

    eps: float
    factor: float = 1.0
    sign: int = 1

    def required_budgets(self, lift, _):
        return (RequiredBudget("eps", np.log(lift.max(axis=-2)), self.eps, ("most",)),)

    def halfspaces(self, joint):
        return self.sign * (1 - np.exp(-self.factor * self.eps) * joint.s_given_x / joint.p_s[:, None])


@dataclass(frozen=True)
class ByChannel(Polyhedral):
    """The same, known only by whole channels."""

    eps: float
    factor: float = 1.0

    def leakage(self, joint, channel=None):
        return ll.ALIP(np.inf, self.eps).leakage(joint, channel).upper

    def violation(self, joint, channel=None):
        return ll.ALIP(np.inf, self.eps).violation(joint, channel)

    def halfspaces(self, joint):
        return Cap(self.eps, self.factor).halfspaces(joint)


class Curved(AlphaLift):
    """Tangents with a flipped sign."""

    def tangents(self, joint, rows):
        return -super().tangents(joint, rows)


@pytest.mark.parametrize("mechanism", [ll.mechanisms.optimal, ll.mechanisms["optimal"], ll.mechanisms.subset_response])
@pytest.mark.parametrize(
    ("notion", "fault"),
    [
        (Cap(0.3, sign=-1), "the halfspaces exclude P_X, which reveals nothing: is a sign flipped"),
        (Cap(0.3, factor=2.0), "halfspaces accept a posterior that exceeds a budget by"),
        (Cap(0.3, factor=1.05), "halfspaces accept a posterior that exceeds a budget by"),
        (Cap(0.3, factor=0.9), "halfspaces refuse a posterior that stays"),
    ],
)
def test_contradictions_are_refused(mechanism, notion, fault):
    with pytest.raises(InvalidParameter, match=rf"Cap\(.* contradicts itself: {fault}.*check_notion"):
        mechanism(JOINT, notion)


def test_a_notion_known_by_channels_is_compared_too():
    assert ll.design(JOINT, ByChannel(0.3), "optimal").certificate.gap < 1e-6
    with pytest.raises(InvalidParameter, match=r"ByChannel.*contradicts itself: halfspaces accept"):
        ll.design(JOINT, ByChannel(0.3, 1.5), "optimal")


def test_tangents_are_compared_too():
    with pytest.raises(InvalidParameter, match="contradicts itself: a tangent cuts off an allowed posterior"):
        ll.design(JOINT, Curved(2, np.inf, 0.05), "optimal")


@pytest.mark.parametrize(("n_secret", "n_public"), [(1, 1), (1, 4), (3, 1), (2, 2), (15, 200)])
@pytest.mark.parametrize("eps", [0.0, 1e-9, 0.3, 50.0])
def test_a_right_notion_passes(n_secret, n_public, eps):
    check_agreement(Cap(eps), ll.datasets.dirichlet_joint(n_secret, n_public, 1.0, 3))


def test_many_symbols_do_not_hide_a_contradiction():
    joint = ll.datasets.dirichlet_joint(15, 200, 1.0, 3)
    with pytest.raises(InvalidParameter, match="halfspaces accept a posterior"):
        check_agreement(Cap(1.0, 1.1), joint)


@pytest.mark.parametrize(
    "notion", [ll.ALIP(0.7, 0.4), ll.LDP(1.0), ll.PerfectPrivacy(), ll.SRLIP(0.4, (5, 1))], ids=str
)
def test_the_library_agrees_with_itself(notion):
    assert halfspaces_fault(notion, JOINT) == ""


def test_the_optimum_of_a_right_notion_is_unchanged():
    own = ll.design(JOINT, Cap(0.3), "optimal").certificate.value
    assert own == pytest.approx(ll.design(JOINT, ll.ALIP(np.inf, 0.3), "optimal").certificate.value, abs=1e-9)
    assert isinstance(Cap(0.3), LiftNotion)


@dataclass(frozen=True)
class Beginner(LiftNotion):
    """What a beginner gets wrong in form."""

    fault: str
    eps: float = 0.3

    def required_budgets(self, lift, _):
        need = RequiredBudget("eps", np.log(lift.max(axis=-1 if self.fault == "axis" else -2)), self.eps)
        return {"comma": need, "item": (need, 0.3), "list": [need]}.get(self.fault, (need,))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("comma", "required_budgets of Beginner returns a RequiredBudget, not a tuple .*: is a comma missing"),
        ("list", "returns a list, not a tuple of RequiredBudget"),
        ("item", "returns a float as item 1: give a RequiredBudget"),
        ("axis", r"`needed` of shape \(3,\) for eps and lifts of shape \(3, 5\): reduce over the secrets, axis -2"),
    ],
)
def test_the_first_use_says_what_is_wrong(fault, message):
    for use in (ll.design, ll.compare):
        with pytest.raises(InvalidParameter, match=message):
            use(JOINT, Beginner(fault))


def test_a_notion_of_the_right_form_is_used():
    assert Beginner("none").is_satisfied(JOINT, ll.design(JOINT, Beginner("none")))
