"""The share of a linear reduction that a notion asks for."""

import numpy as np
import pytest
from awkward_joints import on_each_joint

import liftlib as ll
from liftlib.reduction.linear import reduction_share

EXAMPLE = ll.Joint(
    np.array([[0.3], [0.7]]) * np.array([[0.2, 0.1, 0.5, 0.2], [0.5, 0.3, 0.1, 0.1]]),
    [1, 2],
    list("abcd"),
)


def by_extreme_lifts(joint, lower=np.inf, upper=np.inf, ratio=np.inf):
    """Each lift l becomes 1 + (1 - share)(l - 1) (I21 eq. (3)), which bounds share."""
    most, least = ll.measures.max_lift(joint), ll.measures.min_lift(joint)
    # each as an excess over what is to be reached by t; over e^eps, so that nothing
    # overflows
    parts = [
        (np.exp(-lower) - least, 1 - least),
        (np.exp(-upper) * most - 1, np.exp(-upper) * (most - 1)),
        (np.exp(-ratio) * most - least, np.exp(-ratio) * (most - 1) + (1 - least)),
    ]
    found = [
        np.divide(e, r, out=np.zeros_like(e), where=(e > 0) & (r > 0)).max()
        for e, r in parts
    ]
    return max(found)


BOUNDS = [
    (ll.ALIP(0.7, 0.4), {"lower": 0.7, "upper": 0.4}),
    (ll.ALIP(np.inf, 0.1), {"upper": 0.1}),
    (ll.ALIP(0.1, np.inf), {"lower": 0.1}),
    (ll.ALIP(50, 50), {"lower": 50, "upper": 50}),
    (ll.LIP(0.3), {"lower": 0.3, "upper": 0.3}),
    (ll.LIP(50), {"lower": 50, "upper": 50}),
    (ll.LDP(0.5), {"ratio": 0.5}),
    (ll.LDP(50), {"ratio": 50}),
    (ll.AlphaLift(np.inf, 0.2, 0.3), {"lower": 0.2, "upper": 0.3}),
]
POLYHEDRAL = [
    ll.LIP(800), ll.LDP(800), ll.PerfectPrivacy(), ll.LIP(0), ll.LDP(0),
    ll.L1Lift(np.inf, 0.05), ll.L1Lift(np.inf, 0.2),
]  # fmt: skip
OTHERS = [ll.Chi2Lift(0.5, 0.3), ll.AlphaLift(2, 0.5, 0.3), ll.L1Lift(0.5, 0.3)]


@pytest.mark.parametrize(("notion", "bounds"), BOUNDS, ids=str)
@on_each_joint
def test_share_by_the_extreme_lifts(joint, notion, bounds):
    assert reduction_share(joint, notion) == pytest.approx(
        by_extreme_lifts(joint, **bounds), rel=1e-9, abs=1e-13
    )


def test_share_at_a_large_budget_keeps_its_digits():
    joint = ll.Joint([[0.5, 0.0], [0.25, 0.25]])
    assert reduction_share(joint, ll.LIP(50)) == pytest.approx(
        np.exp(-50), rel=1e-12, abs=0
    )
    assert reduction_share(joint, ll.LDP(50)) == pytest.approx(
        2 * np.exp(-50), rel=1e-12, abs=0
    )


@pytest.mark.parametrize(
    "notion", [*(notion for notion, _ in BOUNDS), *POLYHEDRAL, *OTHERS], ids=str
)
@on_each_joint
def test_share_is_what_calibration_finds(joint, notion):
    share = reduction_share(joint, notion)
    channel = ll.mechanisms.linear_reduction.at(joint, share)
    assert notion.is_satisfied(joint, channel)
    # a budget above 0
    if notion.violation(joint, ll.mechanisms.linear_reduction.at(joint, 1.0)) < 0:
        assert share == pytest.approx(
            ll.calibrate(ll.mechanisms.linear_reduction, joint, notion), abs=1e-8
        )
    if share > 1e-6:
        assert not notion.is_satisfied(
            joint, ll.mechanisms.linear_reduction.at(joint, 0.999 * share)
        )


@pytest.mark.parametrize("eps", [0.0, 0.2, 1.0, 50.0])
@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (2, 2, 2)])
def test_share_against_side_channels(shape, eps):
    """SRLIP has halfspaces, though no lift column decides it."""
    for seed in range(5):
        joint = ll.datasets.dirichlet_joint(
            2, int(np.prod(shape)), 0.5, np.random.default_rng(seed)
        )
        notion = ll.SRLIP(eps, shape)
        share = reduction_share(joint, notion)
        assert notion.is_satisfied(
            joint, ll.mechanisms.linear_reduction.at(joint, share)
        )
        if eps:
            assert share == pytest.approx(
                ll.calibrate(ll.mechanisms.linear_reduction, joint, notion), abs=1e-8
            )


def test_share_where_there_are_too_many_halfspaces():
    joint = ll.datasets.uniform_joint(18, 4, np.random.default_rng(0))
    notion = ll.L1Lift(np.inf, 0.1)
    assert notion.is_satisfied(
        joint, ll.mechanisms.linear_reduction.at(joint, reduction_share(joint, notion))
    )


def test_share_at_the_ends():
    for notion in (ll.LIP(0), ll.LDP(0), ll.ALIP(0, 1)):
        assert reduction_share(EXAMPLE, notion) == 1
    for notion in (
        ll.LIP(np.inf),
        ll.LDP(np.inf),
        ll.ALIP(np.inf, np.inf),
        ll.LIP(10),
        ll.LDP(10),
    ):
        assert reduction_share(EXAMPLE, notion) == 0
    certain = ll.Joint([[0.5, 0.0], [0.0, 0.5]])
    assert reduction_share(certain, ll.LDP(np.inf)) == 0
    # lifts 3/2 and 1/2
    assert reduction_share(certain, ll.LDP(np.log(3))) == pytest.approx(0.5)
