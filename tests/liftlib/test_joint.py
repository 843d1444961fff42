"""Joint: what it accepts and refuses, its views, and tables."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from awkward_joints import on_each_joint
from hypothesis import given
from hypothesis import strategies as st
from messages import raised

from liftlib import InvalidDistribution, Joint
from liftlib.errors import DataError

COUNTS = [[1, 0, 3], [2, 4, 6]]


def assert_views(joint):
    """Compare the views of a joint distribution with sums, cell by cell."""
    p = joint.p.tolist()
    p_s = [math.fsum(row) for row in p]
    p_x = [math.fsum(one) for one in zip(*p, strict=True)]
    assert math.fsum(p_s) == pytest.approx(1, abs=1e-12)
    assert joint.p_s == pytest.approx(p_s, rel=1e-14, abs=0)
    assert joint.p_x == pytest.approx(p_x, rel=1e-14, abs=0)
    for s, x in np.ndindex(joint.p.shape):
        given_x, given_s = p[s][x] / p_x[x], p[s][x] / p_s[s]
        assert joint.s_given_x[s, x] == pytest.approx(given_x, rel=1e-14, abs=0)
        assert joint.x_given_s[s, x] == pytest.approx(given_s, rel=1e-14, abs=0)


test_views_of_each_named_joint = on_each_joint(assert_views)
test_views_of_any_joint = given(joint=st.from_type(Joint))(assert_views)


def test_counts_labels_and_name():
    joint = Joint.from_counts(COUNTS, secret=("ill", 3), public="abc")
    np.testing.assert_allclose(joint.p, np.array(COUNTS) / 16, rtol=1e-15)
    assert (joint.n_secret, joint.n_public) == (2, 3)
    assert joint.secret == ("ill", 3)
    assert joint.public == ("a", "b", "c")
    assert repr(joint) == "Joint(2 secrets x 3 public symbols, lifts 0 to 1.33)"
    assert Joint.from_counts(COUNTS).public == (0, 1, 2)
    labels = (None, ("a", 1), 2.5)
    assert Joint([[0.2, 0.3, 0.5]], public=labels).public == labels


@pytest.mark.parametrize("name", ["p", "p_s", "p_x", "s_given_x", "x_given_s"])
def test_writing_into_an_array_raises(name):
    with raised(ValueError):
        getattr(Joint.from_counts(COUNTS), name)[0] = 1


@pytest.mark.parametrize("name", ["p", "secret"])
def test_an_attribute_cannot_be_replaced(name):
    joint = Joint.from_counts(COUNTS)
    with pytest.raises(FrozenInstanceError):
        setattr(joint, name, getattr(joint, name))


def test_the_source_can_change_without_effect():
    source = np.array([[0.5, 0.5]])
    joint = Joint(source)
    source[0, 0] = 0
    assert joint.p.tolist() == [[0.5, 0.5]]
    assert source.flags.writeable


@pytest.mark.parametrize(
    "p",
    [
        [[0.5, 0.48]],
        [[1, 2], [3, 4]],
        [[0.5, 0.5 + 2e-9]],
        [[1.5, -0.5]],
        [[math.nan, 1.0]],
        [[math.inf, 1.0]],
        [0.5, 0.5],
        [],
        np.zeros((0, 3)),
        [[0.5, 0.5], [0, 0]],
        [[1, 0]],
        np.zeros((2, 2)),
        pd.DataFrame([[1.0, 0.0]], columns=["clerk", "cook"]),
    ],
)
def test_what_is_no_distribution(p):
    with raised(InvalidDistribution):
        Joint(p)


def test_sums_within_the_tolerance_are_accepted():
    assert Joint([[0.5, 0.5 + 9e-10]]).p_s[0] == pytest.approx(1 + 9e-10, abs=1e-15)


@pytest.mark.parametrize("labels", [["a"], ["a", "b", "c"], ["a", "a"], [1, True]])
@pytest.mark.parametrize("side", ["secret", "public"])
def test_labels_that_do_not_fit(side, labels):
    with raised(InvalidDistribution):
        Joint(np.full((2, 2), 0.25), **{side: labels})


class TestFromCounts:
    def test_weights_need_not_be_whole(self):
        assert Joint.from_counts([[0.5, 1.5]]).p.tolist() == [[0.25, 0.75]]

    def test_drop_empty_drops_labels_too(self):
        counts = [[0, 0, 0], [1, 0, 2], [3, 0, 2]]
        joint = Joint.from_counts(counts, secret="uvw", public="abc", drop_empty=True)
        assert joint.p.tolist() == [[0.125, 0.25], [0.375, 0.25]]
        assert joint.secret == ("v", "w")
        assert joint.public == ("a", "c")
        full = Joint.from_counts(COUNTS)
        assert Joint.from_counts(COUNTS, drop_empty=True) == full

    @pytest.mark.parametrize(
        "counts", [[[1, 0], [2, 0]], [[0, 0]], [[1, -1]], [[1, math.nan]], [1, 2]]
    )
    def test_refuses(self, counts):
        with raised(InvalidDistribution):
            Joint.from_counts(counts)

    def test_labels_are_checked_before_any_is_dropped(self):
        with raised(InvalidDistribution):
            Joint.from_counts([[1, 0]], public=["a"], drop_empty=True)


def of_table(s, x):
    return Joint.from_table({"s": s, "x": x}, secret="s", public="x")


class TestFromTable:
    def test_against_counting_by_hand(self):
        rng = np.random.default_rng(5)
        rows = [("xyz"[rng.integers(3)], int(rng.integers(4))) for _ in range(200)]
        joint = of_table(*zip(*rows, strict=True))
        assert joint.secret == ("x", "y", "z")
        assert joint.public == (0, 1, 2, 3)
        expected = [
            [sum(row == (s, x) for row in rows) / 200 for x in range(4)] for s in "xyz"
        ]
        np.testing.assert_allclose(joint.p, expected, rtol=1e-15)

    def test_labels_that_are_tuples_stay_whole(self):
        pairs = [("f", "rich"), ("f", "poor"), ("m", "rich"), ("f", "poor")]
        joint = of_table(list("abab"), pairs)
        assert joint.public == (("f", "poor"), ("f", "rich"), ("m", "rich"))
        assert joint.p.tolist() == [[0, 0.25, 0.25], [0.5, 0, 0]]

    def test_labels_that_do_not_compare_are_sorted_by_type_then_text(self):
        joint = of_table(["b", 2, "a", 1], list("wxyz"))
        assert joint.secret == (1, 2, "a", "b")
        np.testing.assert_array_equal(joint.p, np.eye(4)[[3, 1, 2, 0]] / 4)

    def test_categories_that_do_not_occur_are_no_symbols(self):
        categories = ["young", "middle", "old"]
        joint = of_table([1, 1, 2], pd.Categorical(["old", "young", "old"], categories))
        assert joint.public == ("old", "young")
        np.testing.assert_allclose(joint.p, [[1 / 3, 1 / 3], [1 / 3, 0]])

    def test_labels_are_plain_python(self):
        joint = of_table(np.array([3, 1]), np.array([0.5, 1.5]))
        assert set(map(type, joint.secret)) == {int}
        assert set(map(type, joint.public)) == {float}

    @pytest.mark.parametrize(
        ("table", "secret", "public"),
        [
            ({"s": [1], "x": [1]}, "s", "y"),
            ({"s": [1], "x": [1]}, "S", "x"),
            ({"s": [1], "x": [1]}, "s", "s"),
            ({"s": [], "x": []}, "s", "x"),
            ({"s": ["a", "b", None, None], "x": [1, 2, 3, 4]}, "s", "x"),
            ({"s": ["a", "b"], "x": [math.nan, 1.0]}, "s", "x"),
            ({"s": ["a", "b"], "x": [pd.NaT, pd.Timestamp(0)]}, "s", "x"),
            (pd.DataFrame([[1, 2, 3]], columns=["s", "s", "x"]), "s", "x"),
        ],
    )
    def test_refuses(self, table, secret, public):
        with raised(DataError):
            Joint.from_table(table, secret=secret, public=public)
