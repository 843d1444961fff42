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
        ("p", "text"),
        [
            (
                [[0.5, 0.48]],
                r"^P_SX sums to 0\.98, not 1: pass counts to Joint\.from_counts$",
            ),
            ([[1, 2], [3, 4]], r"^P_SX sums to 10, not 1"),
            ([[0.5, 0.5 + 2e-9]], r"^P_SX sums to 1\.000000002, not 1"),
            ([[1.5, -0.5]], r"^P_SX\[0, 1\] is -0\.5, below 0"),
            ([[math.nan, 1.0]], r"^P_SX\[0, 0\] is nan, not a finite number"),
            ([[math.inf, 1.0]], r"^P_SX\[0, 0\] is inf, not a finite number"),
            ([0.5, 0.5], r"^P_SX has shape \(2,\), not 2 axes: reshape it"),
            ([], r"^P_SX has shape \(0,\), not 2 axes"),
            (np.zeros((0, 3)), r"^P_SX has shape \(0, 3\), so it is empty"),
            (
                [[0.5, 0.5], [0, 0]],
                (
                    r"^secret 1 \(index 1\) has probability 0: drop it, or use"
                    r" Joint\.from_counts"
                ),
            ),
            (
                [[1, 0]],
                (
                    r"^public symbol 1 \(index 1\) has probability 0: drop it, or"
                    r" .*drop_empty=True\)$"
                ),
            ),
            (np.zeros((2, 2)), r"^P_SX sums to 0, not 1"),
        ],
    )
    def test_what_is_no_distribution(self, p, text):
        with pytest.raises(InvalidDistribution, match=text):
            Joint(p)

    def test_names_an_empty_symbol_by_its_label(self):
        with raised(InvalidDistribution):
            Joint([[1.0, 0.0]], public=["clerk", "cook"])

    def test_accepts_sums_within_the_tolerance(self):
        assert Joint([[0.5, 0.5 + 9e-10]]).p_s[0] == pytest.approx(1 + 9e-10, abs=1e-15)

    @pytest.mark.parametrize(
        ("labels", "text"),
        [
            (["a"], r"^secret has 1 labels for 2 symbols: give one label each$"),
            (["a", "b", "c"], r"^secret has 3 labels for 2 symbols"),
            (["a", "a"], r"^secret has the label 'a' twice: make labels unique$"),
            ([1, True], r"^secret has the label 1 twice"),
        ],
    )
    def test_labels_that_do_not_fit(self, labels, text):
        with pytest.raises(InvalidDistribution, match=text):
            Joint(np.full((2, 2), 0.25), secret=labels)
        with pytest.raises(InvalidDistribution, match=text.replace("secret", "public")):
            Joint(np.full((2, 2), 0.25), public=labels)

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
        ("counts", "text"),
        [
            (
                [[1, 0], [2, 0]],
                r"^public symbol 1 \(index 1\) has probability 0.*drop_empty=True",
            ),
            (
                [[0, 0]],
                r"^counts sum to 0: a distribution needs at least one observation$",
            ),
            ([[1, -1]], r"^counts\[0, 1\] is -1\.0, below 0"),
            ([[1, math.nan]], r"^counts\[0, 1\] is nan"),
            ([1, 2], r"^counts has shape \(2,\), not 2 axes"),
        ],
    )
    def test_refuses(self, counts, text):
        with pytest.raises(InvalidDistribution, match=text):
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

    @pytest.mark.parametrize(
        ("table", "secret", "public", "text"),
        [
            (
                {"s": [1], "x": [1]},
                "s",
                "y",
                r"^no column 'y': the table has 's', 'x'$",
            ),
            (
                {"s": [1], "x": [1]},
                "S",
                "x",
                r"^no column 'S': the table has 's', 'x'$",
            ),
            (
                {"s": [1], "x": [1]},
                "s",
                "s",
                r"^secret and public are both 's': name two columns$",
            ),
            (
                {"s": [], "x": []},
                "s",
                "x",
                (
                    r"^the table has no rows: a distribution needs at least one"
                    r" observation$"
                ),
            ),
            (
                {"s": ["a", "b", None, None], "x": [1, 2, 3, 4]},
                "s",
                "x",
                (
                    r"^column 's' has missing values in 2 of 4 rows, first at row 2:"
                    r" drop those rows or give them a label$"
                ),
            ),
            (
                {"s": ["a", "b"], "x": [math.nan, 1.0]},
                "s",
                "x",
                r"^column 'x' has missing values in 1 of 2 rows, first at row 0",
            ),
            (
                {"s": ["a", "b"], "x": [pd.NaT, pd.Timestamp(0)]},
                "s",
                "x",
                r"^column 'x' has missing values in 1 of 2 rows",
            ),
        ],
    )
    def test_refuses(self, table, secret, public, text):
        with pytest.raises(DataError, match=text):
            Joint.from_table(table, secret=secret, public=public)

    def test_refuses_a_column_name_that_occurs_twice(self):
        frame = pd.DataFrame([[1, 2, 3]], columns=["s", "s", "x"])
        with raised(DataError):
            Joint.from_table(frame, secret="s", public="x")
