"""The parameter that a LIP budget buys in closed form, against the root finder."""

from fractions import Fraction

import numpy as np
import pytest
from awkward_joints import on_each_joint
from messages import raised

import liftlib as ll
from liftlib.errors import InvalidParameter

JOINT = ll.Joint.from_counts([[4, 1, 2, 3], [1, 5, 2, 2], [3, 3, 1, 0]])
each = pytest.mark.parametrize(
    "family",
    [
        ll.mechanisms.randomised_response,
        ll.mechanisms.unary_encoding,
        ll.mechanisms.conditional_reporting,
    ],
    ids=lambda family: family.name,
)


def narrow(joint, n):
    return (
        joint
        if joint.n_public <= n
        else ll.Joint.from_counts(joint.p[:, :n], drop_empty=True)
    )


@each
@pytest.mark.parametrize("eps", [0.05, 0.4, 1.3, 6.0])
@on_each_joint
def test_closed_form_is_the_root_that_calibrate_finds(family, eps, joint):
    small = narrow(joint, 9)
    found, root = family.at_lip(small, eps), ll.calibrate(family, small, ll.LIP(eps))
    assert family.lip(small, found) <= eps
    if np.isfinite(root):
        # where the level hardly moves with the parameter, that itself is not
        # determined, its level is
        assert family.lip(small, found) == pytest.approx(
            family.lip(small, root), abs=1e-9
        )
    else:
        assert found == root


def test_alpha_by_hand():
    """P(x|s) = 4/5 and 1/5, P(x) = 1/2, g = 5/4, in Fractions: the min-lift decides."""
    joint = ll.Joint([[0.4, 0.1], [0.1, 0.4]])
    g, most, least, mean = (
        Fraction(5, 4),
        Fraction(4, 5),
        Fraction(1, 5),
        Fraction(1, 2),
    )
    violation = max(most - g * mean, mean - g * least)
    odds = 1 + (g - 1) / violation
    assert odds == 2
    for family in (
        ll.mechanisms.randomised_response,
        ll.mechanisms.unary_encoding,
        ll.mechanisms.conditional_reporting,
    ):
        assert family.at_lip(joint, np.log(1.25)) == pytest.approx(
            np.log(float(odds)), abs=1e-12
        )


@each
def test_ends(family):
    independent = ll.Joint(np.outer([0.4, 0.6], [0.25, 0.25, 0.5]))
    assert family.at_lip(independent, 0.1) == np.inf
    assert family.at_lip(JOINT, 0.0) == 0
    # a zero cell leaks infinitely, and that is allowed
    assert family.at_lip(JOINT, np.inf) == np.inf
    for eps in (50.0, 800.0):
        found = family.at_lip(JOINT, eps)
        assert 0 < found <= 500
        assert ll.LIP(eps).is_satisfied(JOINT, family.at(JOINT, found))
    for shape in ((1, 3), (3, 1)):
        assert family.at_lip(ll.Joint(np.full(shape, 1 / 3)), 0.2) == np.inf
    with raised(InvalidParameter):
        family.at_lip(JOINT, np.nan)
    with raised(InvalidParameter):
        family.at_lip(JOINT, -1)


def test_randomised_response_and_reporting_are_truth_or_noise():
    for eps in (0.2, 1.0, 4.0):
        c = np.expm1(eps)
        for family, weight, noise in (
            (ll.mechanisms.randomised_response, c / (c + 4), np.full(4, 1 / 4)),
            (
                ll.mechanisms.conditional_reporting,
                c / (c + 3),
                JOINT.x_given_s.mean(axis=0),
            ),
        ):
            given = family.at(JOINT, eps).release(JOINT).x_given_s
            np.testing.assert_allclose(
                given, weight * JOINT.x_given_s + (1 - weight) * noise, atol=1e-12
            )


NOTIONS = [
    ll.LIP(0.2), ll.LIP(1e-7), ll.ALIP(0.5, 0.1), ll.ALIP(np.inf, 0.3),
    ll.ALIP(0.3, np.inf), ll.LDP(0.4), ll.L1Lift(0.3, 0.2), ll.Chi2Lift(np.inf, 0.2),
    ll.AlphaLift(2, 0.2, 0.1), ll.PerfectPrivacy(),
]  # fmt: skip


def odd_joints():
    rng = np.random.default_rng(3)
    yield from (
        ll.Joint(rng.dirichlet(np.ones(n_s * n_x)).reshape(n_s, n_x))
        for n_s, n_x in ((2, 2), (5, 17), (3, 40))
    )
    yield ll.Joint.from_counts([[1, 0, 3], [2, 2, 0]])
    yield ll.Joint.from_counts([[1, 1, 0, 0], [0, 0, 1, 2]])  # S = f(X)
    yield ll.Joint.from_counts([[1, 1e-12, 3], [2, 2e-13, 1]])
    yield ll.Joint.from_counts([[1, 1, 2], [2, 2, 4]])  # independent
    yield ll.Joint([[0.3, 0.7]])
    yield ll.Joint([[0.3], [0.7]])


CHEAP = {
    "randomised response": ll.mechanisms.randomised_response,
    "conditional reporting": ll.mechanisms.conditional_reporting,
}


@pytest.mark.parametrize("family", CHEAP.values(), ids=CHEAP)
def test_lifts_in_closed_form_are_the_kernels(family):
    for joint in odd_joints():
        for eps in (0.0, 1e-6, 0.7, 5.0, 50.0, np.inf):
            made = ll.lift(family.at(joint, eps).release(joint))
            np.testing.assert_allclose(
                family._lifts(joint, eps), made, rtol=1e-10, atol=0
            )


@pytest.mark.parametrize("family", CHEAP.values(), ids=CHEAP)
@pytest.mark.parametrize("notion", NOTIONS, ids=repr)
def test_calibrated_without_its_closed_forms(family, notion):
    plain = ll.Family(family.make)
    for joint in odd_joints():
        quick, slow = (
            ll.calibrate(family, joint, notion),
            ll.calibrate(plain, joint, notion),
        )
        # beyond, nothing changes
        assert quick == pytest.approx(slow, rel=1e-9, abs=1e-9) or min(quick, slow) > 30
        assert notion.violation(joint, family.at(joint, quick)) <= 1e-9
        if notion.violation(joint, ll.Channel.identity(joint.n_public)) > 0:
            assert notion.violation(joint, family.at(joint, quick)) <= 0 or quick == 0
