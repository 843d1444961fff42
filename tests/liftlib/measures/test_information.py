"""Entropy, information and the average measures against closed forms."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from asked import decimal
from hypothesis import given
from hypothesis import strategies as st
from messages import raised
from scipy import stats

from liftlib import Channel, InvalidDistribution, InvalidParameter, Joint, lift
from liftlib.measures import (
    arimoto,
    chi2_divergence,
    entropy,
    mutual_information,
    sibson,
    total_variation,
)
from liftlib.measures.information import mutual_information_of

COUNTS = [[3, 1, 0], [1, 5, 2], [4, 2, 6]]


def in_60_digits(compute):
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**9), 10**9
        return float(compute())


class TestEntropy:
    def test_against_scipy(self):
        for p in np.random.default_rng(0).dirichlet(np.full(7, 0.3), size=20):
            assert entropy(p) == pytest.approx(stats.entropy(p), rel=1e-12)

    def test_ends(self):
        assert entropy([1.0]) == 0
        assert entropy([0.0, 1.0, 0.0]) == 0
        assert math.copysign(1, entropy([0.0, 1.0])) == 1
        assert entropy(np.full(16, 1 / 16)) == pytest.approx(math.log(16), rel=1e-15)
        assert entropy(np.full((4, 4), 1 / 16)) == pytest.approx(
            math.log(16), rel=1e-15
        )

    @pytest.mark.parametrize("p", [[0.5, 0.4], [1.5, -0.5], [math.nan, 1], 1.0, []])
    def test_refuses(self, p):
        with raised(InvalidDistribution):
            entropy(p)


class TestMutualInformation:
    def test_is_a_divergence(self, joint):
        expected = stats.entropy(
            joint.p.ravel(), np.outer(joint.p_s, joint.p_x).ravel()
        )
        assert mutual_information(joint.p) == pytest.approx(
            expected, rel=1e-12, abs=1e-14
        )

    def test_ends(self, named_joints):
        assert mutual_information(np.eye(5) / 5) == pytest.approx(
            math.log(5), rel=1e-15
        )
        assert mutual_information(named_joints["independent"].p) == pytest.approx(
            0, abs=1e-15
        )
        function = named_joints["function-of-x"]
        assert mutual_information(function.p) == pytest.approx(
            stats.entropy(function.p_s), rel=1e-14
        )

    def test_near_independence(self):
        off = 1e-6
        joint = np.full((2, 2), 0.25) + off * np.array([[1, -1], [-1, 1]])
        # sum of p log 4p over the four cells is 8 off^2 + O(off^4)
        assert mutual_information(joint) == pytest.approx(8 * off**2, rel=1e-3, abs=0)
        for p in np.random.default_rng(3).random((200, 2)):
            assert mutual_information(np.outer([p[0], 1 - p[0]], [p[1], 1 - p[1]])) >= 0

    def test_two_tiny_masses_add_nothing(self):
        # the product of the marginals underflows, the term is 1e-200 log 1e200
        assert mutual_information(
            [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 1e-200]]
        ) == pytest.approx(math.log(2), rel=1e-14)

    def test_empty_rows_and_columns_are_allowed(self):
        padded = np.zeros((3, 4))
        padded[:2, :2] = [[0.4, 0.1], [0.2, 0.3]]
        assert mutual_information(padded) == pytest.approx(
            mutual_information([[0.4, 0.1], [0.2, 0.3]]), rel=1e-14
        )

    def test_batches(self):
        p = np.random.default_rng(1).dirichlet(np.ones(6), size=5).reshape(5, 2, 3)
        np.testing.assert_allclose(
            mutual_information_of(p), [mutual_information(one) for one in p], rtol=1e-14
        )

    @pytest.mark.parametrize(
        "p", [[[0.5, 0.4]], [0.5, 0.5], [[2.0, -1.0]], [[math.nan, 1.0]]]
    )
    def test_refuses(self, p):
        with raised(InvalidDistribution):
            mutual_information(p)


class TestDistances:
    def test_against_fractions(self):
        total = 24
        p_s = [Fraction(sum(row), total) for row in COUNTS]
        p_x = [Fraction(sum(column), total) for column in zip(*COUNTS, strict=True)]
        cells = [
            (Fraction(COUNTS[s][x], total), p_s[s] * p_x[x])
            for s in range(3)
            for x in range(3)
        ]
        joint = Joint.from_counts(COUNTS)
        assert total_variation(joint) == pytest.approx(
            float(sum(abs(p - q) for p, q in cells) / 2), rel=1e-14
        )
        assert chi2_divergence(joint) == pytest.approx(
            float(sum((p - q) ** 2 / q for p, q in cells)), rel=1e-14
        )

    def test_ends(self, named_joints):
        for name in ("independent", "one-secret", "one-symbol"):
            assert total_variation(named_joints[name]) == pytest.approx(0, abs=1e-15)
            assert chi2_divergence(named_joints[name]) == pytest.approx(0, abs=1e-15)
        uniform = Joint(np.eye(10) / 10)
        assert total_variation(uniform) == pytest.approx(0.9, rel=1e-14)
        assert chi2_divergence(uniform) == pytest.approx(9, rel=1e-14)


class TestSibson:
    @pytest.mark.parametrize("alpha", [2, 3, 10, 100])
    def test_against_60_digits(self, alpha):
        """The usual form alpha/(alpha-1) log sum_x (sum_s P(s)
        P(x|s)^alpha)^(1/alpha).
        """
        rows = [sum(row) for row in COUNTS]

        def compute():
            inner = [
                sum(
                    Fraction(n, 24) * Fraction(row[x], n) ** alpha
                    for row, n in zip(COUNTS, rows, strict=True)
                )
                for x in range(3)
            ]
            mean = sum(decimal(value) ** (1 / Decimal(alpha)) for value in inner)
            return Decimal(alpha) / (alpha - 1) * mean.ln()

        assert sibson(Joint.from_counts(COUNTS), alpha) == pytest.approx(
            in_60_digits(compute), rel=1e-12
        )

    def test_infinity_is_maximal_leakage(self, joint):
        expected = math.log(
            sum(max(joint.x_given_s[:, x]) for x in range(joint.n_public))
        )
        assert sibson(joint, math.inf) == pytest.approx(expected, rel=1e-12, abs=1e-12)

    @given(joint=st.from_type(Joint))
    def test_grows_with_the_order(self, joint):
        values = [sibson(joint, alpha) for alpha in (1, 1.5, 2, 5, 100, math.inf)]
        assert values[0] >= 0
        assert (np.diff(values) >= -1e-12).all()


def test_rounding_leaves_no_information_below_0():
    below = 0
    for seed in range(40):
        joint = Joint.from_counts(np.random.default_rng(seed).random((3, 5)))
        out = Channel.constant(5).release(joint)
        below += lift(out).max() < 1
        assert min(sibson(out, alpha) for alpha in (2, 100, math.inf)) >= 0
        assert min(arimoto(out, alpha) for alpha in (2, 100, math.inf)) >= 0
    assert below, "rounding went the other way each time, so that nothing was tried"


class TestArimoto:
    @pytest.mark.parametrize("alpha", [2, 3, 10, 100])
    def test_against_60_digits(self, alpha):
        """E23 Appendix B as printed, with the tilted prior."""
        self.check(COUNTS, alpha)

    @pytest.mark.parametrize("alpha", [2, 100])
    def test_with_a_very_skewed_prior(self, alpha):
        # the tilted prior of the second secret is 1e-900 at alpha = 100
        self.check([[10**9, 10**9 + 7], [3, 1], [1, 1]], alpha)

    def check(self, counts, alpha):
        total = sum(map(sum, counts))
        p_s = [Fraction(sum(row), total) for row in counts]
        p_x = [Fraction(sum(column), total) for column in zip(*counts, strict=True)]
        tilted = [p**alpha / sum(q**alpha for q in p_s) for p in p_s]

        def compute():
            mean = Decimal(0)
            for x, q in enumerate(p_x):
                lifts = [
                    Fraction(row[x], total) / (p * q)
                    for row, p in zip(counts, p_s, strict=True)
                ]
                inner = sum(t * v**alpha for t, v in zip(tilted, lifts, strict=True))
                mean += decimal(q) * decimal(inner) ** (1 / Decimal(alpha))
            return Decimal(alpha) / (alpha - 1) * mean.ln()

        assert arimoto(Joint.from_counts(counts), alpha) == pytest.approx(
            in_60_digits(compute), rel=1e-9, abs=1e-15
        )

    def test_is_the_gap_between_renyi_entropies(self, joint):
        """Arimoto's own definition: H_alpha(S) - H_alpha(S|X)."""
        alpha = 2.0
        renyi = alpha / (1 - alpha) * math.log((joint.p_s**alpha).sum() ** (1 / alpha))
        given_x = (
            alpha
            / (1 - alpha)
            * math.log(
                sum(
                    (joint.p[:, x] ** alpha).sum() ** (1 / alpha)
                    for x in range(joint.n_public)
                )
            )
        )
        assert arimoto(joint, alpha) == pytest.approx(
            renyi - given_x, rel=1e-9, abs=1e-12
        )

    def test_infinity_is_the_gain_in_guessing(self, joint):
        expected = math.log(joint.p.max(axis=0).sum() / joint.p_s.max())
        assert arimoto(joint, math.inf) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("measure", [sibson, arimoto])
class TestOrders:
    @pytest.mark.parametrize("alpha", [0.5, math.nan, True, None])
    def test_refuses(self, measure, alpha):
        with raised(InvalidParameter):
            measure(Joint([[1.0]]), alpha)

    def test_one_is_mutual_information_and_the_limit_from_above(self, measure, joint):
        told = mutual_information(joint.p)
        assert measure(joint, 1) == told
        assert measure(joint, 1 + 1e-6) == pytest.approx(told, rel=1e-4, abs=1e-8)

    def test_nothing_leaks_under_independence(self, measure, named_joints):
        for name in ("independent", "one-secret", "one-symbol", "one-of-each"):
            for alpha in (1, 2, 100, math.inf):
                assert measure(named_joints[name], alpha) == pytest.approx(0, abs=1e-12)
