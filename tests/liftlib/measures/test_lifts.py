"""Lift and the measures made of it, against Fractions by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import raised

from liftlib import InvalidParameter, Joint, lift
from liftlib.measures import (
    alpha_lift,
    alpha_lift_inverse,
    chi2_lift,
    chi2_lift_inverse,
    l1_lift,
    l1_lift_inverse,
    lift_ratio,
    max_lift,
    min_lift,
)
from liftlib.measures.lifts import alpha_of, chi2_of, inverse_of, l1_of, lift_of

COUNTS = [[3, 1, 0], [1, 5, 2], [4, 2, 6]]
ORDERS = (1.0001, 1.5, 2, 10, 100, math.inf)


def exact(counts):
    """The prior of S and the lifts of a table of counts, as Fractions."""
    total = sum(map(sum, counts))
    p_s = [Fraction(sum(row), total) for row in counts]
    p_x = [Fraction(sum(column), total) for column in zip(*counts, strict=True)]
    return p_s, [
        [Fraction(n, total) / (p_s[s] * p_x[x]) for x, n in enumerate(row)]
        for s, row in enumerate(counts)
    ]


class TestByHand:
    joint = Joint.from_counts(COUNTS)
    p_s, lifts = exact(COUNTS)

    def column(self, x):
        return [row[x] for row in self.lifts]

    def test_lift(self):
        np.testing.assert_allclose(
            lift(self.joint), np.array(self.lifts, dtype=float), rtol=1e-14
        )
        assert lift(self.joint)[0, 2] == 0

    def test_max_min_and_ratio(self):
        for x in range(3):
            assert max_lift(self.joint)[x] == pytest.approx(
                float(max(self.column(x))), rel=1e-14
            )
            assert min_lift(self.joint)[x] == pytest.approx(
                float(min(self.column(x))), rel=1e-14
            )
        assert lift_ratio(self.joint)[1] == pytest.approx(
            float(max(self.column(1)) / min(self.column(1))), rel=1e-14
        )
        assert lift_ratio(self.joint)[2] == math.inf

    @pytest.mark.parametrize(
        ("power", "symbols", "l1", "chi2"),
        [
            (1, 3, l1_lift, chi2_lift),
            # the last symbol has a zero cell
            (-1, 2, l1_lift_inverse, chi2_lift_inverse),
        ],
    )
    def test_l1_and_chi2(self, power, symbols, l1, chi2):
        for x in range(symbols):
            off = [v**power - 1 for v in self.column(x)]
            size = sum(p * abs(v) for p, v in zip(self.p_s, off, strict=True))
            square = sum(p * v**2 for p, v in zip(self.p_s, off, strict=True))
            assert l1(self.joint)[x] == pytest.approx(float(size), rel=1e-14)
            assert chi2(self.joint)[x] == pytest.approx(float(square), rel=1e-14)

    @pytest.mark.parametrize("alpha", [2, 3, 10, 100])
    def test_alpha(self, alpha):
        for x in range(3):
            mean = sum(
                p * v**alpha for p, v in zip(self.p_s, self.column(x), strict=True)
            )
            assert alpha_lift(self.joint, alpha)[x] ** alpha == pytest.approx(
                float(mean), rel=1e-11
            )
        for x in range(2):
            mean = sum(
                p / v**alpha for p, v in zip(self.p_s, self.column(x), strict=True)
            )
            assert alpha_lift_inverse(self.joint, alpha)[x] ** alpha == pytest.approx(
                float(mean), rel=1e-11
            )

    def test_a_zero_cell_makes_every_inverse_infinite_and_nothing_else(self):
        for measure in (
            l1_lift_inverse,
            chi2_lift_inverse,
            lambda j: alpha_lift_inverse(j, 2),
            lift_ratio,
        ):
            assert np.isinf(measure(self.joint)).tolist() == [False, False, True]
        for measure in (
            max_lift,
            min_lift,
            l1_lift,
            chi2_lift,
            lambda j: alpha_lift(j, 2),
        ):
            assert np.isfinite(measure(self.joint)).all()


class TestRanges:
    def test_on_every_named_joint(self, joint):
        values = lift(joint)
        np.testing.assert_allclose(joint.p_s @ values, 1, atol=1e-12)
        np.testing.assert_allclose(values @ joint.p_x, 1, atol=1e-12)
        assert ((values == 0) == (joint.p == 0)).all()
        assert (max_lift(joint) >= 1 - 1e-12).all()
        assert (min_lift(joint) <= 1 + 1e-12).all()
        assert (l1_lift(joint) <= 2).all()

    def test_a_lift_of_two_tiny_masses_does_not_underflow(self):
        joint = Joint([[1 - 2e-200, 0, 0], [0, 1e-200, 0], [0, 0, 1e-200]])
        assert lift(joint).tolist() == [[1, 0, 0], [0, 1e200, 0], [0, 0, 1e200]]
        assert min_lift(joint).tolist() == [0, 0, 0]

    def test_the_inverse_of_a_subnormal_lift_is_infinite_without_a_warning(self):
        assert inverse_of(np.array([1e-310, 0.0, 2.0])).tolist() == [
            math.inf,
            math.inf,
            0.5,
        ]

    def test_the_square_of_a_huge_inverse_is_infinite_without_a_warning(self):
        assert chi2_of(np.array([[1e200], [1.0]]), np.array([0.5, 0.5])).tolist() == [
            math.inf
        ]

    def test_independence_leaves_nothing(self, named_joints):
        for name in ("independent", "one-secret", "one-symbol", "one-of-each"):
            joint = named_joints[name]
            for measure in (l1_lift, chi2_lift, l1_lift_inverse, chi2_lift_inverse):
                np.testing.assert_allclose(measure(joint), 0, atol=1e-14)
            for measure in (max_lift, min_lift, lift_ratio):
                np.testing.assert_allclose(measure(joint), 1, atol=1e-14)
            for alpha in ORDERS:
                np.testing.assert_allclose(alpha_lift(joint, alpha), 1, atol=1e-14)
                np.testing.assert_allclose(
                    alpha_lift_inverse(joint, alpha), 1, atol=1e-14
                )

    @given(joint=st.from_type(Joint))
    def test_alpha_lift_grows_with_alpha_from_1_to_the_max_lift(self, joint):
        values = np.array([alpha_lift(joint, alpha) for alpha in ORDERS])
        inverses = np.array([alpha_lift_inverse(joint, alpha) for alpha in ORDERS])
        assert (values >= 1 - 1e-12).all()
        assert (np.diff(values, axis=0) >= -1e-12).all()
        with np.errstate(invalid="ignore"):
            steps = np.diff(inverses, axis=0)
        assert (np.isnan(steps) == np.isinf(inverses[1:])).all()
        assert not (steps < -1e-12).any()
        np.testing.assert_allclose(values[-1], max_lift(joint), rtol=1e-14)
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(inverses[-1], 1 / min_lift(joint), rtol=1e-14)

    @pytest.mark.parametrize("measure", [alpha_lift, alpha_lift_inverse])
    @pytest.mark.parametrize("alpha", [1, 0.5, math.nan, True, "2"])
    def test_refuses_other_orders(self, measure, alpha):
        with raised(InvalidParameter):
            measure(Joint([[1.0]]), alpha)


class TestBatches:
    rng = np.random.default_rng(8)
    p = rng.dirichlet(np.ones(12), size=6).reshape(6, 3, 4)
    p_s = p.sum(axis=2)

    def test_each_slice_is_the_measure_of_one_joint(self):
        batch = lift_of(self.p)
        for n, p in enumerate(self.p):
            one = Joint(p)
            np.testing.assert_allclose(batch[n], lift(one), rtol=1e-14)
            np.testing.assert_allclose(
                l1_of(batch, self.p_s)[n], l1_lift(one), rtol=1e-12
            )
            np.testing.assert_allclose(
                chi2_of(batch, self.p_s)[n], chi2_lift(one), rtol=1e-12
            )
            np.testing.assert_allclose(
                alpha_of(batch, self.p_s, 7)[n], alpha_lift(one, 7), rtol=1e-12
            )
            np.testing.assert_allclose(
                l1_of(inverse_of(batch), self.p_s)[n], l1_lift_inverse(one), rtol=1e-12
            )

    def test_empty_rows_and_columns_have_lift_1(self):
        p = np.array([[[0.5, 0.0, 0.5], [0.0, 0.0, 0.0]]])
        assert lift_of(p).tolist() == [[[1, 1, 1], [1, 1, 1]]]

    def test_columns_under_a_given_prior(self):
        columns = np.array([[0.125, 0.0], [0.375, 0.0]])
        assert lift_of(columns, np.array([0.5, 0.5])).tolist() == [[0.5, 1], [1.5, 1]]
