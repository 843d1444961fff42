"""The comparison of sets."""

import math

import numpy as np
import pytest

import liftlib as ll
from liftbook.figures.population.sets import hiding_the_data, l1_ball_corners, published_sets, set_coverage, table_of
from liftlib.errors import InvalidParameter
from lifttables.confident.response import confident_response


def test_the_corners_hold_the_least_mean():
    share, rng = np.array([0.5, 0.3, 0.2]), np.random.default_rng(0)
    corners = l1_ball_corners(share, 0.2)
    assert corners.sum(axis=1) == pytest.approx(np.ones(6))
    assert np.abs(corners - share).sum(axis=1) == pytest.approx(np.full(6, 0.2))
    for row in rng.random((50, 3)):
        # half of the distance goes from the largest entry to the least
        assert (corners @ row).min() == pytest.approx(share @ row - 0.1 * np.ptp(row))
    with pytest.raises(InvalidParameter, match=r"symbol 2 has the share 0\.2, .* give more rows"):
        l1_ball_corners(share, 0.4)


def test_the_binary_mechanism_by_hand():
    """Both outputs are as sharp as the worst of the interval of P(x = 0) allows."""
    counts, eps = np.array([[300.0, 200.0], [100.0, 400.0]]), 0.3
    half = math.sqrt(math.log(2 / 0.05) / (2 * 1000))
    low, high, grow = 0.4 - half, 0.4 + half, math.exp(eps)
    # a <= grow (low a + (1 - low) b) bounds a / b for the output of symbol 0, and likewise for symbol 1
    zero, one = grow * (1 - low) / (1 - grow * low), grow * high / (1 - grow * (1 - high))
    b = (1 - 1 / one) / (zero - 1 / one)
    kernel = np.array([[zero * b, 1 - zero * b], [b, 1 - b]])
    found = hiding_the_data(counts, eps).kernel
    assert found[:, np.argsort(-found[0])] == pytest.approx(kernel, abs=1e-6)


def test_what_is_known_of_x_is_known_of_any_secret():
    counts = table_of("4x6", 10000, 3)
    channel = hiding_the_data(counts, 0.5)
    joint = ll.Joint.from_counts(counts)
    assert ll.ALIP(math.inf, 0.5).is_satisfied(ll.Joint(np.diag(joint.p_x)), channel)
    assert ll.ALIP(math.inf, 0.5).is_satisfied(joint, channel)


def test_rows_of_the_comparison():
    rows = published_sets(["2x2", "4x6"], [300], [0])
    assert rows.groupby("law")["set"].nunique().to_dict() == {"2x2": 4, "4x6": 3}
    assert rows["nmi"].between(0, 1).all()
    again = confident_response(table_of("2x2", 300, 0), ll.LIP(1.0))
    law = ll.Joint([[0.3, 0.2], [0.1, 0.4]])
    first = rows.set_index(["law", "set"])["nmi"]["2x2", "all subsets, exact"]
    assert first == pytest.approx(ll.evaluate(law, again).nmi)


def test_coverage_is_a_share_of_tables():
    found = set_coverage(["2x2"], [30], 40).set_index("set")
    assert (found["share"] * 40 == np.round(found["share"] * 40)).all()
    assert found["share"].between(0.9, 1).all()
    assert found["inside"].notna().sum() == 1
