"""E23's propositions on random joints P_SY, and exact counter-examples.

``joint`` here is P_SY: every joint distribution is one of some secret and some release.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftlib import ALIP, Channel, Joint, lift
from liftlib.measures import (
    alpha_lift,
    alpha_lift_inverse,
    chi2_divergence,
    chi2_lift,
    chi2_lift_inverse,
    l1_lift,
    l1_lift_inverse,
    max_lift,
    min_lift,
    total_variation,
)

ORDERS = (1.5, 2, 10, 100)
ROUNDING = 1 + 1e-9


def extreme_lifts(joint):
    """e^eps_u and e^-eps_l of the tightest ALIP: the largest and the smallest lift."""
    return max_lift(joint).max(), min_lift(joint).min()


def budgets(joint):
    return ALIP(1, 1).leakage(joint, Channel.identity(joint.n_public))


any_joint = given(joint=st.from_type(Joint))


class TestProposition1:
    """What ALIP implies for averages."""

    def test_2_as_printed_fails(self):
        """Three equally likely secrets, each of three outputs rules one out."""
        p = [[Fraction(s != y, 6) for y in range(3)] for s in range(3)]
        lifts = [[9 * v for v in row] for row in p]
        high = max(map(max, lifts))
        t = sum(abs(v - Fraction(1, 9)) for row in p for v in row) / 2
        chi2 = sum((v - 1) ** 2 / 9 for row in lifts for v in row)
        assert (high, t, chi2) == (Fraction(3, 2), Fraction(1, 3), Fraction(1, 2))
        assert t > (high - 1) / 2
        assert chi2 > (high - 1) ** 2
        joint = Joint(np.array(p, dtype=float))
        assert (total_variation(joint), chi2_divergence(joint)) == pytest.approx(
            (1 / 3, 1 / 2), rel=1e-14
        )
        assert math.exp(budgets(joint).upper) == pytest.approx(3 / 2, rel=1e-14)

    def test_2_as_printed_fails_with_full_support_too(self):
        joint = Joint.from_counts(20 * (1 - np.eye(3)) + np.eye(3))
        high = max_lift(joint).max()
        assert min_lift(joint).min() > 0
        assert total_variation(joint) > (high - 1) / 2 * 1.3
        assert chi2_divergence(joint) > (high - 1) ** 2 * 1.9


class TestProposition3:
    """What ALIP implies for each output."""

    def test_1_and_2_as_printed_fail(self):
        """Nine in ten secrets gain a ninth, the tenth is all but ruled out."""
        prior, column = (
            [Fraction(1, 10), Fraction(9, 10)],
            [Fraction(1, 10), Fraction(11, 10)],
        )
        assert sum(p * v for p, v in zip(prior, column, strict=True)) == 1
        l1 = sum(p * abs(v - 1) for p, v in zip(prior, column, strict=True))
        chi2 = sum(p * (v - 1) ** 2 for p, v in zip(prior, column, strict=True))
        gain = max(column) - 1
        assert (l1, chi2, gain) == (Fraction(9, 50), Fraction(9, 100), Fraction(1, 10))
        assert l1 > gain
        assert chi2 > gain**2
        joint = Joint.from_counts([[1, 19], [99, 81]])  # the column, and what is left
        assert lift(joint)[:, 0] == pytest.approx([0.1, 1.1], rel=1e-14)
        assert (l1_lift(joint)[0], chi2_lift(joint)[0]) == pytest.approx(
            (0.18, 0.09), rel=1e-12
        )


class TestProposition4:
    """What the lift-based measures imply for the max-lift."""

    @any_joint
    def test_all_three(self, joint):
        values = lift(joint)
        worst = max_lift(joint).argmax()
        mass = joint.p_s[values[:, worst].argmax()]
        high = max_lift(joint).max()
        assert high <= (l1_lift(joint).max() / mass + 1) * ROUNDING
        assert high <= (math.sqrt(chi2_lift(joint).max() / mass) + 1) * ROUNDING
        for alpha in ORDERS:
            assert (
                high <= alpha_lift(joint, alpha).max() / mass ** (1 / alpha) * ROUNDING
            )


class TestProposition5:
    """What ALIP implies for the inverses."""

    def test_1_and_2_as_printed_fail(self):
        """One secret in a hundred gains 99 per cent, the others lose one."""
        prior, column = (
            [Fraction(1, 100), Fraction(99, 100)],
            [Fraction(199, 100), Fraction(99, 100)],
        )
        assert sum(p * v for p, v in zip(prior, column, strict=True)) == 1
        l1 = sum(p * abs(1 / v - 1) for p, v in zip(prior, column, strict=True))
        chi2 = sum(p * (1 / v - 1) ** 2 for p, v in zip(prior, column, strict=True))
        loss = 1 / min(column) - 1
        assert loss == Fraction(1, 99)
        assert l1 > loss
        assert chi2 > 20 * loss**2
        joint = Joint.from_counts([[199, 1], [9801, 9999]])
        assert l1_lift_inverse(joint)[0] == pytest.approx(float(l1), rel=1e-10)
        assert chi2_lift_inverse(joint)[0] == pytest.approx(float(chi2), rel=1e-10)


class TestProposition6:
    """What the lift-inverse measures imply for the min-lift."""

    @any_joint
    def test_all_three(self, joint):
        worst = min_lift(joint).argmin()
        mass = joint.p_s[lift(joint)[:, worst].argmin()]
        low = min_lift(joint).min() * ROUNDING
        assert low >= mass / (l1_lift_inverse(joint).max() + mass)
        assert low >= math.sqrt(mass) / (
            math.sqrt(chi2_lift_inverse(joint).max()) + math.sqrt(mass)
        )
        for alpha in ORDERS:
            assert low >= mass ** (1 / alpha) / alpha_lift_inverse(joint, alpha).max()


class TestPropositionA1:
    """Bounds on lifts prevent privacy breaches, of every property of S."""

    @given(joint=st.from_type(Joint), share=st.floats(0.01, 0.99))
    def test_no_property_is_breached(self, joint, share):
        high, low = extreme_lifts(joint)
        properties = [
            list(q)
            for size in range(joint.n_secret + 1)
            for q in itertools.combinations(range(joint.n_secret), size)
        ]
        before = np.array([joint.p_s[q].sum() for q in properties])
        after = np.array([joint.s_given_x[q].sum(axis=0) for q in properties])
        for rho_1 in (*before[(before > 0) & (before < 1)], share):
            # the least rho_2 that the bounds e^-eps_l = (1 - rho_2) / (1 - rho_1) and
            # e^eps_u = rho_2 / rho_1 allow
            rho_2 = max(rho_1 * high, 1 - low * (1 - rho_1))
            if not rho_1 < rho_2 < 1:
                continue
            upward = (before[:, None] <= rho_1) & (after > rho_2 + 1e-9)
            downward = (before[:, None] >= rho_2) & (after < rho_1 - 1e-9)
            assert not upward.any()
            assert not downward.any()

    def test_a_tighter_second_threshold_is_breached(self):
        """The bound is not slack: one secret in two, after an output of lift 3/2."""
        joint = Joint([[0.375, 0.125], [0.125, 0.375]])
        assert extreme_lifts(joint) == pytest.approx((1.5, 0.5))
        assert joint.p_s[0] <= 0.5
        # rho_1 Lambda exactly, so any rho_2 below it is breached
        assert joint.s_given_x[0, 0] == 0.75


class TestAverages:
    """T and chi2 are means of the l1- and chi2-lift (E23 after (31) and (32))."""

    @any_joint
    def test_from_the_distributions(self, joint):
        product = np.outer(joint.p_s, joint.p_x)
        assert np.abs(joint.p - product).sum() / 2 == pytest.approx(
            joint.p_x @ l1_lift(joint) / 2, abs=1e-13
        )
        assert ((joint.p - product) ** 2 / product).sum() == pytest.approx(
            joint.p_x @ chi2_lift(joint), abs=1e-12
        )
        assert total_variation(joint) == pytest.approx(
            np.abs(joint.p - product).sum() / 2, abs=1e-13
        )
        assert chi2_divergence(joint) == pytest.approx(
            ((joint.p - product) ** 2 / product).sum(), abs=1e-12
        )
