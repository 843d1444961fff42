"""Which sets of rows are convex (E23 section 6.2), and what follows."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftlib import AlphaLift, Channel, Chi2Lift, Joint, L1Lift
from liftlib.measures.lifts import alpha_of, chi2_of, inverse_of, l1_of

CONVEX = {
    "max-lift": lambda lift, _: lift.max(axis=0),
    "1/min-lift": lambda lift, _: inverse_of(lift.min(axis=0)),
    "l1-lift": l1_of,
    "chi2-lift": chi2_of,
    "alpha-lift 1.5": lambda lift, p_s: alpha_of(lift, p_s, 1.5),
    "alpha-lift 10": lambda lift, p_s: alpha_of(lift, p_s, 10),
    "alpha-lift 100": lambda lift, p_s: alpha_of(lift, p_s, 100),
    "alpha-lift-inverse 1.5": lambda lift, p_s: alpha_of(inverse_of(lift), p_s, 1.5),
    "alpha-lift-inverse 10": lambda lift, p_s: alpha_of(inverse_of(lift), p_s, 10),
}

# Columns 0 and 1 swap two secrets that both gain; merged they have lifts that neither
# alone is worse off for.
L1_COUNTS = [[2, 4, 10], [4, 2, 10], [2, 2, 28]]
CHI2_COUNTS = [[3, 6, 11], [6, 3, 11], [11, 11, 138]]


@pytest.mark.parametrize("measure", CONVEX.values(), ids=CONVEX)
@given(joint=st.from_type(Joint), seed=st.integers(0, 2**32 - 1))
def test_a_mixture_of_rows_leaks_no_more_than_the_mean(measure, joint, seed):
    rng = np.random.default_rng(seed)
    one, two = (
        rng.dirichlet(np.full(joint.n_public, 0.5), size=20).T for _ in range(2)
    )
    share = rng.random(20)
    lifts = [
        joint.s_given_x @ rows / joint.p_s[:, None]
        for rows in (one, two, share * one + (1 - share) * two)
    ]
    first, second, mixed = (measure(values, joint.p_s) for values in lifts)
    with np.errstate(invalid="ignore"):
        mean = share * first + (1 - share) * second
    finite = np.isfinite(first) & np.isfinite(second)
    assert (mixed[finite] <= mean[finite] * (1 + 1e-9) + 1e-12).all()


def exact_inverse_measure(counts, columns, power):
    """sum_s P(s) |1/l - 1|^power of merged columns, as a Fraction."""
    total = sum(map(sum, counts))
    p_s = [Fraction(sum(row), total) for row in counts]
    mass = [Fraction(sum(row[x] for x in columns), total) for row in counts]
    lifts = [m / sum(mass) / p for m, p in zip(mass, p_s, strict=True)]
    return sum(p * abs(1 / v - 1) ** power for p, v in zip(p_s, lifts, strict=True))


@pytest.mark.parametrize(
    ("counts", "power", "make", "alone", "merged"),
    [
        (
            L1_COUNTS,
            1,
            lambda bound: L1Lift(math.log1p(bound), math.inf),
            Fraction(5, 8),
            Fraction(2, 3),
        ),
        (
            CHI2_COUNTS,
            2,
            lambda bound: Chi2Lift(math.log1p(math.sqrt(bound)), math.inf),
            Fraction(1, 18) + Fraction(4, 5) * Fraction(5, 11) ** 2,
            Fraction(1, 5) * Fraction(5, 9) ** 2
            + Fraction(4, 5) * Fraction(5, 11) ** 2,
        ),
    ],
    ids=["l1-lift-inverse", "chi2-lift-inverse"],
)
def test_merging_two_private_outputs_can_break_a_bound_on_the_inverse(
    counts, power, make, alone, merged
):
    values = [exact_inverse_measure(counts, [x], power) for x in range(3)]
    assert values[0] == values[1] == alone
    assert values[2] < alone
    assert exact_inverse_measure(counts, [0, 1], power) == merged
    assert merged > alone
    joint, notion = Joint.from_counts(counts), make(float((alone + merged) / 2))
    assert notion.is_satisfied(joint, Channel.identity(3))
    assert not notion.is_satisfied(joint, Channel.merge([(0, 1), (2,)], 3))


@pytest.mark.parametrize("counts", [L1_COUNTS, CHI2_COUNTS])
def test_the_alpha_lift_inverse_does_not_break_there(counts):
    joint = Joint.from_counts(counts)
    for alpha in (1.5, 2, 10, math.inf):
        alone = AlphaLift(alpha, 1, 1).leakage(joint, Channel.identity(3)).lower
        assert AlphaLift(alpha, alone, math.inf).is_satisfied(
            joint, Channel.merge([(0, 1), (2,)], 3)
        )
