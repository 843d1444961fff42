"""Notions as ratios of an output's probabilities, without a distribution."""

import itertools
import math

import numpy as np
import pytest

import liftlib as ll
from liftlib.notions import AttributeWise, RatioBased, provides, require

NOTIONS = {
    "ALIP": (ll.ALIP(0.3, 0.2), 6),
    "most": (ll.ALIP(math.inf, 0.2), 3),
    "least": (ll.ALIP(0.3, math.inf), 3),
    "LIP": (ll.LIP(0.25), 6),
    "none": (ll.LIP(math.inf), 0),
    "LDP": (ll.LDP(0.4), 6),
    "no LDP": (ll.LDP(math.inf), 0),
    "perfect": (ll.PerfectPrivacy(), 6),
}
each = pytest.mark.parametrize(("notion", "count"), NOTIONS.values(), ids=NOTIONS)


def kept_by(ratios, p_y_given_s, p_y):
    """Each condition for itself, by loops."""
    rows = [*p_y_given_s, p_y]
    return all(
        rows[a][y] <= math.exp(budget + 1e-9) * rows[b][y] + 1e-15
        for a, b, budget in zip(*ratios, strict=True)
        for y in range(len(p_y))
    )


@each
def test_kept_exactly_when_each_ratio_is(notion, count):
    rng, seen = np.random.default_rng(0), set()
    for concentration in itertools.islice(itertools.cycle([0.5, 5.0, 50.0, 500.0, 5000.0]), 100):
        joint = ll.Joint(rng.dirichlet(np.ones(12)).reshape(3, 4))
        channel = ll.Channel(rng.dirichlet(np.full(3, concentration), size=4))
        release = channel.release(joint)
        kept = notion.is_satisfied(joint, channel)
        assert kept_by(notion.ratios(3), release.p / joint.p_s[:, None], release.p_x) == kept
        seen.add(kept)
    assert True in seen or notion == ll.PerfectPrivacy()
    assert False in seen or not count
    assert kept_by(notion.ratios(3), np.ones((3, 1)), np.ones(1))


@each
def test_their_number_and_kind(notion, count):
    top, bottom, budget = notion.ratios(3)
    assert top.shape == bottom.shape == budget.shape == (count,)
    assert top.dtype == bottom.dtype == np.int64
    assert budget.dtype == np.float64
    assert np.isfinite(budget).all()
    assert len(set(zip(top.tolist(), bottom.tolist(), strict=True))) == count
    assert set(top.tolist()) | set(bottom.tolist()) <= {0, 1, 2, 3}


def test_one_secret():
    assert [column.tolist() for column in ll.LDP(1.0).ratios(1)] == [[], [], []]
    top, bottom, budget = ll.LIP(1.0).ratios(1)
    assert sorted(zip(top.tolist(), bottom.tolist(), budget.tolist(), strict=True)) == [(0, 1, 1.0), (1, 0, 1.0)]


@pytest.mark.parametrize("notion", [ll.L1Lift(1, 1), ll.Chi2Lift(1, 1), ll.AlphaLift(2, 1, 1), ll.SRLIP(1, (2,))])
def test_others_are_not_of_that_kind(notion):
    assert not provides(notion, RatioBased)
    with pytest.raises(
        ll.UnsupportedNotion, match=r"^f needs a bound on ratios of P\(y\|s\) and P\(y\); .* use confid"
    ):
        require(notion, RatioBased, "f")


@pytest.mark.parametrize("notion", [ll.ALIP(1, 1), ll.LDP(1), ll.L1Lift(1, 1)])
def test_only_one_notion_is_about_attributes(notion):
    with pytest.raises(ll.UnsupportedNotion, match=r"not provide attribute_halfspaces \(AttributeWise\): give SRLIP$"):
        require(notion, AttributeWise, "f")
