"""Lift and the measures made of it, against Fractions by hand."""

import math
from fractions import Fraction
from functools import partial

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

ORDERS = (1.0001, 1.5, 2, 10, 100, math.inf)
COUNTS = [[3, 1, 0], [1, 5, 2], [4, 2, 6]]
JOINT = Joint.from_counts(COUNTS)
P_S = [Fraction(sum(row), 24) for row in COUNTS]
LIFTS = [
    [
        24 * Fraction(n, sum(row) * sum(column))
        for n, row in zip(column, COUNTS, strict=True)
    ]
    for column in zip(*COUNTS, strict=True)
]
"""Of each symbol; that of the first secret and the last symbol is 0."""


def prior_mean(values):
    return sum(p * v for p, v in zip(P_S, values, strict=True))


def l1_by_hand(lifts):
    return prior_mean(abs(v - 1) for v in lifts)


def chi2_by_hand(lifts):
    return prior_mean((v - 1) ** 2 for v in lifts)


def of_order(alpha):
    return lambda lifts: float(prior_mean(v**alpha for v in lifts)) ** (1 / alpha)


POWERS = (2, 3, 10, 100)
OF_LIFTS = {
    max_lift: max,
    min_lift: min,
    l1_lift: l1_by_hand,
    chi2_lift: chi2_by_hand,
    **{partial(alpha_lift, alpha=alpha): of_order(alpha) for alpha in POWERS},
}
OF_INVERSES = {
    l1_lift_inverse: l1_by_hand,
    chi2_lift_inverse: chi2_by_hand,
    lift_ratio: lambda inverses: max(inverses) / min(inverses),
    **{partial(alpha_lift_inverse, alpha=alpha): of_order(alpha) for alpha in POWERS},
}


def test_a_lift_is_the_ratio_of_the_posterior_to_the_prior():
    expected = np.array(LIFTS, dtype=float).T
    np.testing.assert_allclose(lift(JOINT), expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize("measures", [OF_LIFTS, OF_INVERSES], ids=["lifts", "inverses"])
def test_each_measure_is_its_definition(measures):
    """A lift of 0 makes those of inverses infinite, and no other."""
    for measure, definition in measures.items():
        expected = [
            definition(column if measures is OF_LIFTS else [1 / v for v in column])
            if measures is OF_LIFTS or 0 not in column
            else math.inf
            for column in LIFTS
        ]
        np.testing.assert_allclose(
            measure(JOINT), np.array(expected, dtype=float), rtol=1e-13
        )


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
            for measure in (*OF_LIFTS, *OF_INVERSES):
                off = measure in (
                    l1_lift,
                    chi2_lift,
                    l1_lift_inverse,
                    chi2_lift_inverse,
                )
                np.testing.assert_allclose(
                    measure(named_joints[name]), 0 if off else 1, atol=1e-14
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
