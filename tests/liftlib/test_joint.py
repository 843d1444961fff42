"""Joint: what it accepts and refuses, its views, and tables."""

import math
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import raised

from liftlib import InvalidDistribution, Joint
from liftlib.errors import DataError

COUNTS = [[1, 0, 3], [2, 4, 6]]


class TestViews:
    def test_against_fractions(self):
        joint = Joint.from_counts(COUNTS)
        p = [[Fraction(n, 16) for n in row] for row in COUNTS]
        p_s = [sum(row) for row in p]
        p_x = [sum(column) for column in zip(*p, strict=True)]
        np.testing.assert_allclose(joint.p, np.array(p, dtype=float), rtol=1e-15)
        np.testing.assert_allclose(joint.p_s, np.array(p_s, dtype=float), rtol=1e-15)
        np.testing.assert_allclose(joint.p_x, np.array(p_x, dtype=float), rtol=1e-15)
        for s in range(2):
            for x in range(3):
                assert joint.s_given_x[s, x] == pytest.approx(
                    float(p[s][x] / p_x[x]), rel=1e-15
                )
                assert joint.x_given_s[s, x] == pytest.approx(
                    float(p[s][x] / p_s[s]), rel=1e-15
                )

    def test_sizes_labels_and_name(self):
        joint = Joint.from_counts(COUNTS, secret=("ill", 3), public="abc")
        assert (joint.n_secret, joint.n_public) == (2, 3)
        assert joint.secret == ("ill", 3)
        assert joint.public == ("a", "b", "c")
        assert repr(joint) == "Joint(2 secrets x 3 public symbols, lifts 0 to 1.33)"
        assert Joint.from_counts(COUNTS).public == (0, 1, 2)

    def test_every_named_joint_is_a_distribution_with_conditionals(self, joint):
        assert math.fsum(joint.p.ravel()) == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(joint.s_given_x.sum(axis=0), 1, atol=1e-12)
        np.testing.assert_allclose(joint.x_given_s.sum(axis=1), 1, atol=1e-12)

    @given(joint=st.from_type(Joint))
    def test_chain_rule(self, joint):
        np.testing.assert_allclose(joint.s_given_x * joint.p_x, joint.p, atol=1e-15)
        np.testing.assert_allclose(
            joint.x_given_s * joint.p_s[:, None], joint.p, atol=1e-15
        )


class TestFrozen:
    @pytest.mark.parametrize("name", ["p", "p_s", "p_x", "s_given_x", "x_given_s"])
    def test_writing_into_an_array_raises(self, name):
        with raised(ValueError):
            getattr(Joint.from_counts(COUNTS), name)[0] = 1

    def test_an_attribute_cannot_be_replaced(self):
        joint = Joint.from_counts(COUNTS)
        with pytest.raises(FrozenInstanceError):
            joint.p = np.eye(2) / 2
        with pytest.raises(FrozenInstanceError):
            joint.secret = (1, 2)

    def test_the_source_can_change_without_effect(self):
        source = np.array([[0.5, 0.5]])
        joint = Joint(source)
        source[0, 0] = 0
        assert joint.p.tolist() == [[0.5, 0.5]]
        assert source.flags.writeable


class TestRefuses:
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
        ],
    )
    def test_what_is_no_distribution(self, p):
        with raised(InvalidDistribution):
            Joint(p)

    def test_names_an_empty_symbol_by_its_label(self):
        with raised(InvalidDistribution):
            Joint([[1.0, 0.0]], public=["clerk", "cook"])

    def test_accepts_sums_within_the_tolerance(self):
        assert Joint([[0.5, 0.5 + 9e-10]]).p_s[0] == pytest.approx(1 + 9e-10, abs=1e-15)

    @pytest.mark.parametrize("labels", [["a"], ["a", "b", "c"], ["a", "a"], [1, True]])
    @pytest.mark.parametrize("side", ["secret", "public"])
    def test_labels_that_do_not_fit(self, side, labels):
        with raised(InvalidDistribution):
            Joint(np.full((2, 2), 0.25), **{side: labels})

    def test_labels_of_mixed_type_are_kept(self):
        labels = (None, ("a", 1), 2.5)
        assert Joint([[0.2, 0.3, 0.5]], public=labels).public == labels


class TestFromCounts:
    def test_weights_need_not_be_whole(self):
        assert Joint.from_counts([[0.5, 1.5]]).p.tolist() == [[0.25, 0.75]]

    def test_drop_empty_drops_labels_too(self):
        counts = [[0, 0, 0], [1, 0, 2], [3, 0, 2]]
        joint = Joint.from_counts(counts, secret="uvw", public="abc", drop_empty=True)
        assert joint.p.tolist() == [[0.125, 0.25], [0.375, 0.25]]
        assert joint.secret == ("v", "w")
        assert joint.public == ("a", "c")

    def test_drop_empty_without_empty_ones_changes_nothing(self):
        np.testing.assert_array_equal(
            Joint.from_counts(COUNTS, drop_empty=True).p,
            Joint.from_counts(COUNTS, drop_empty=False).p,
        )

    @pytest.mark.parametrize(
        "counts", [[[1, 0], [2, 0]], [[0, 0]], [[1, -1]], [[1, math.nan]], [1, 2]]
    )
    def test_refuses(self, counts):
        with raised(InvalidDistribution):
            Joint.from_counts(counts)

    def test_labels_are_checked_before_any_is_dropped(self):
        with raised(InvalidDistribution):
            Joint.from_counts([[1, 0]], public=["a"], drop_empty=True)


class TestFromTable:
    def test_against_counting_by_hand(self):
        rng = np.random.default_rng(5)
        rows = [("xyz"[rng.integers(3)], int(rng.integers(4))) for _ in range(200)]
        joint = Joint.from_table(
            pd.DataFrame(rows, columns=["s", "x"]), secret="s", public="x"
        )
        assert joint.secret == ("x", "y", "z")
        assert joint.public == (0, 1, 2, 3)
        expected = [
            [sum(row == (s, x) for row in rows) / 200 for x in range(4)] for s in "xyz"
        ]
        np.testing.assert_allclose(joint.p, expected, rtol=1e-15)

    def test_labels_that_are_tuples_stay_whole(self):
        pairs = [("f", "rich"), ("f", "poor"), ("m", "rich"), ("f", "poor")]
        joint = Joint.from_table(
            {"s": list("abab"), "x": pairs}, secret="s", public="x"
        )
        assert joint.public == (("f", "poor"), ("f", "rich"), ("m", "rich"))
        assert joint.p.tolist() == [[0, 0.25, 0.25], [0.5, 0, 0]]

    def test_labels_that_do_not_compare_are_sorted_by_type_then_text(self):
        joint = Joint.from_table(
            {"s": ["b", 2, "a", 1], "x": list("wxyz")}, secret="s", public="x"
        )
        assert joint.secret == (1, 2, "a", "b")
        assert joint.p.tolist() == [
            [0, 0, 0, 0.25],
            [0, 0.25, 0, 0],
            [0, 0, 0.25, 0],
            [0.25, 0, 0, 0],
        ]

    def test_categories_that_do_not_occur_are_no_symbols(self):
        ages = pd.Categorical(
            ["old", "young", "old"], categories=["young", "middle", "old"]
        )
        joint = Joint.from_table(
            pd.DataFrame({"s": [1, 1, 2], "x": ages}), secret="s", public="x"
        )
        assert joint.public == ("old", "young")
        np.testing.assert_allclose(joint.p, [[1 / 3, 1 / 3], [1 / 3, 0]])

    def test_labels_are_plain_python(self):
        joint = Joint.from_table(
            {"s": np.array([3, 1]), "x": np.array([0.5, 1.5])}, secret="s", public="x"
        )
        assert [type(label) for label in joint.secret + joint.public] == [
            int,
            int,
            float,
            float,
        ]

    @pytest.mark.parametrize(("secret", "public"), [("s", "y"), ("S", "x"), ("s", "s")])
    def test_refuses_other_columns(self, secret, public):
        with raised(DataError):
            Joint.from_table({"s": [1], "x": [1]}, secret=secret, public=public)

    @pytest.mark.parametrize(
        "table",
        [
            {"s": [], "x": []},
            {"s": ["a", "b", None, None], "x": [1, 2, 3, 4]},
            {"s": ["a", "b"], "x": [math.nan, 1.0]},
            {"s": ["a", "b"], "x": [pd.NaT, pd.Timestamp(0)]},
        ],
    )
    def test_refuses_what_is_missing(self, table):
        with raised(DataError):
            Joint.from_table(table, secret="s", public="x")

    def test_refuses_a_column_name_that_occurs_twice(self):
        frame = pd.DataFrame([[1, 2, 3]], columns=["s", "s", "x"])
        with raised(DataError):
            Joint.from_table(frame, secret="s", public="x")
