"""A notion of one's own goes through every mechanism that serves it."""

import numpy as np
import pytest
from awkward_joints import JOINTS, named_joint
from own_notions import MaxLift, Surprise

import liftlib as ll
from liftlib.errors import UnsupportedNotion
from liftlib.reduction.linear import reduction_share
from liftlib.registry import mechanisms

SAYS_MORE = {"extremal", "funnel-descent"}
"""Mechanisms that need of a notion what these two do not say: lift bounds, ratios, an
average.
"""

OWN = {"cone": MaxLift(0.4), "no-cone": Surprise(0.15)}

SERVED = {
    "cone": set(mechanisms) - {"product", "tailored", *SAYS_MORE},
    "no-cone": (
        set(mechanisms)
        - {
            "product",
            "tailored",
            *SAYS_MORE,
            "optimal",
            "subset-response",
            "robust",
            "secret-aware",
        }
    ),
}


def small(joint):
    return ll.Joint.from_counts(joint.p[:4, :3], drop_empty=True)


def test_they_are_lift_notions():
    joint = named_joint("ties")
    identity = ll.Channel.identity(joint.n_public)
    for notion in OWN.values():
        assert isinstance(notion, ll.notions.LiftNotion)
        assert not notion.is_satisfied(joint, identity)
        assert notion.is_satisfied(joint, ll.Channel.constant(joint.n_public))
        assert notion.leakage(joint, identity) - notion.eps == pytest.approx(
            notion.violation(joint, identity)
        )


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("mechanism", mechanisms)
def test_every_mechanism(mechanism, name):
    mechanism, notion = mechanisms[mechanism], OWN[name]
    assert bool(mechanism.serves(notion)) == (mechanism.name in SERVED[name])
    for joint in (small(named_joint(one)) for one in JOINTS):
        if mechanism.serves(notion):
            assert notion.is_satisfied(joint, mechanism(joint, notion))
        else:
            with pytest.raises(UnsupportedNotion):
                mechanism(joint, notion)


@pytest.mark.parametrize("mechanism", sorted(SERVED["cone"]))
def test_the_cone_is_what_it_says(mechanism):
    """MaxLift(eps) is ALIP(inf, eps), so it makes the same utility."""
    for seed in range(3):
        joint = ll.datasets.uniform_joint(3, 3, np.random.default_rng(seed))
        channels = [
            mechanisms[mechanism](joint, notion)
            for notion in (OWN["cone"], ll.ALIP(np.inf, 0.4))
        ]
        found = [ll.evaluate(joint, channel).mutual_information for channel in channels]
        assert found[0] == pytest.approx(found[1], abs=1e-9)


@pytest.mark.parametrize("name", OWN)
def test_calibrate(joint, name):
    notion = OWN[name]
    for family in (
        ll.mechanisms.randomised_response,
        ll.mechanisms.conditional_reporting,
        ll.mechanisms.linear_reduction,
    ):
        parameter = ll.calibrate(family, joint, notion)
        assert notion.violation(joint, family.at(joint, parameter)) <= 0
        if parameter != family.end:
            looser = (
                1.01 * parameter if family.private_end == "low" else 0.99 * parameter
            )
            assert not notion.is_satisfied(joint, family.at(joint, looser))
    share = reduction_share(joint, notion)
    assert share == pytest.approx(
        ll.calibrate(ll.mechanisms.linear_reduction, joint, notion), abs=1e-9
    )
