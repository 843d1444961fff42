"""Families of mechanisms."""

import copy
import pickle

import numpy as np
import pytest
from messages import raised

import liftlib as ll
from liftlib.errors import InfeasiblePrivacy, InvalidParameter
from liftlib.reduction.linear import reduction_share

JOINT = ll.Joint.from_counts([[4, 1, 2, 3], [1, 5, 2, 2], [3, 3, 1, 0]])


def blunt(joint, share, *, labels=None):
    """Replace X by a fresh draw with chance ``share``."""
    return ll.Channel((1 - share) * np.eye(joint.n_public) + share * joint.p_x, labels)


BLUNT = ll.Family(blunt, high=1.0, private_end="high")


def test_a_member_is_what_the_function_makes():
    plain = blunt(JOINT, 0.3).kernel
    for channel in (
        BLUNT.at(JOINT, 0.3),
        BLUNT.at(joint=JOINT, parameter=np.float32(0.3)),
    ):
        np.testing.assert_allclose(channel.kernel, plain, atol=1e-7)
    assert BLUNT.at(JOINT, 0.3, labels="abcd").outputs == tuple("abcd")
    assert (BLUNT.__name__, BLUNT.__doc__, BLUNT.__wrapped__) == (
        "blunt",
        blunt.__doc__,
        blunt,
    )
    assert (BLUNT.parameter, BLUNT.start, BLUNT.end) == ("share", 1.0, 0.0)
    assert repr(BLUNT) == "Family(blunt, share in [0, 1])"
    assert (
        repr(ll.mechanisms.randomised_response)
        == "Family(randomised_response, eps in [0, inf])"
    )


def test_a_family_is_frozen_and_travels():
    with raised(AttributeError):
        BLUNT.low = 0.5
    for family in (
        ll.mechanisms.randomised_response,
        ll.mechanisms.markov_reduction,
    ):  # found by name, as a function is
        assert pickle.loads(pickle.dumps(family)) is family  # noqa: S301
        assert copy.deepcopy(family) is family
    again = pickle.loads(pickle.dumps(BLUNT))  # noqa: S301
    np.testing.assert_array_equal(
        again.at(JOINT, 0.4).kernel, BLUNT.at(JOINT, 0.4).kernel
    )


def test_levels_without_a_closed_form():
    for share in (0.0, 0.3, 0.9, 1.0):
        assert BLUNT.lip(JOINT, share) == pytest.approx(
            ll.LIP(0).leakage(JOINT, blunt(JOINT, share))
        )
    found = BLUNT.at_lip(JOINT, 0.2)
    assert BLUNT.lip(JOINT, found) <= 0.2 < BLUNT.lip(JOINT, 0.999 * found)
    assert found == pytest.approx(reduction_share(JOINT, ll.LIP(0.2)), abs=1e-9)


@pytest.mark.parametrize("parameter", [-0.1, 1.1, np.nan, "1", True, None])
def test_a_wrong_parameter_is_named(parameter):
    for ask in (BLUNT.at, BLUNT.lip):
        with raised(InvalidParameter):
            ask(JOINT, parameter)


def test_bad_input():
    for ask in (BLUNT, BLUNT.lip, BLUNT.at_lip):
        with raised(InvalidParameter):
            ask("table", 0.5)
    with raised(InvalidParameter):
        BLUNT.at_lip(JOINT, np.nan)
    with raised(InvalidParameter):
        ll.calibrate(blunt, JOINT, ll.LIP(1))
    with raised(InvalidParameter):
        ll.calibrate(BLUNT, 3, ll.LIP(1))
    with raised(InvalidParameter):
        BLUNT.calibrated(JOINT, 1.0)


def test_what_is_no_family():
    with raised(InvalidParameter):
        ll.Family(3)
    with raised(InvalidParameter):
        ll.Family(lambda joint: ll.Channel.identity(joint.n_public))
    with raised(InvalidParameter):
        ll.Family(blunt, private_end="left")
    for low, high, end in (
        (1, 1, "low"),
        (2, 1, "low"),
        (0, np.inf, "high"),
        (-np.inf, 0, "low"),
    ):
        with raised(InvalidParameter):
            ll.Family(blunt, low=low, high=high, private_end=end)
    for low in (np.nan, "0"):
        with raised(InvalidParameter):
            ll.Family(blunt, low=low)


def test_a_range_without_end_below():
    mirrored = ll.Family(
        lambda joint, eps: ll.mechanisms.randomised_response.at(joint, -eps),
        low=-np.inf,
        high=0,
        private_end="high",
    )
    for eps in (0.1, 0.5):
        found = ll.calibrate(mirrored, JOINT, ll.LIP(eps))
        assert found == pytest.approx(
            -ll.calibrate(ll.mechanisms.randomised_response, JOINT, ll.LIP(eps)),
            abs=1e-9,
        )
    assert ll.calibrate(mirrored, JOINT, ll.LIP(np.inf)) == -np.inf


def test_calibration_at_the_ends():
    independent = ll.Joint(np.outer([0.4, 0.6], [0.2, 0.3, 0.5]))
    assert (
        ll.calibrate(ll.mechanisms.randomised_response, independent, ll.LIP(0.1))
        == np.inf
    )
    assert ll.calibrate(
        ll.mechanisms.randomised_response, JOINT, ll.LIP(0.0)
    ) == pytest.approx(0, abs=1e-9)
    assert ll.calibrate(ll.mechanisms.linear_reduction, independent, ll.LIP(0.1)) == 0
    assert ll.calibrate(
        ll.mechanisms.linear_reduction, JOINT, ll.LIP(0.0)
    ) == pytest.approx(1, abs=1e-9)
    with raised(InfeasiblePrivacy):
        ll.calibrate(
            ll.Family(lambda joint, _: ll.Channel.identity(joint.n_public)),
            JOINT,
            ll.LIP(0.1),
        )


def test_calibration_of_two_budgets():
    """The tighter of the two decides."""
    joint = ll.datasets.uniform_joint(3, 6, np.random.default_rng(2))
    both = ll.calibrate(ll.mechanisms.linear_reduction, joint, ll.ALIP(0.4, 0.2))
    one = [
        ll.calibrate(ll.mechanisms.linear_reduction, joint, notion)
        for notion in (ll.ALIP(0.4, np.inf), ll.ALIP(np.inf, 0.2))
    ]
    assert both == pytest.approx(max(one), abs=1e-9)


@pytest.mark.parametrize(
    "notion", [ll.LIP(0.3), ll.LDP(0.3), ll.SRLIP(0.3, (2, 3))], ids=str
)
def test_a_member_s_violation_is_its_channel_s(notion):
    joint = ll.datasets.uniform_joint(3, 6, np.random.default_rng(0))
    for family in (
        ll.mechanisms.randomised_response,
        ll.mechanisms.conditional_reporting,
    ):
        by_channel = notion.violation(joint, family.at(joint, 1.0))
        assert family.violation(joint, notion, 1.0) == pytest.approx(by_channel)


def test_a_notion_that_is_none():
    with raised(InvalidParameter):
        ll.mechanisms.randomised_response.violation(ll.Joint([[0.5], [0.5]]), 3, 1.0)
