"""Composition against a linear programme over the states of all releases."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from liftbook.relatives.independent_releases import composed
from liftlib import ALIP, LDP, LIP, Channel, Joint
from liftlib.errors import InvalidParameter, UnsupportedNotion
from liftlib.notions import Chi2Lift

LOOSER = 0.05


def coupled(budgets):
    """The laws of (l_1, ..., l_k) with the smallest and the largest mean product."""
    lows, highs = np.exp(-np.array(budgets)[:, 0]), np.exp(np.array(budgets)[:, 1])
    states = np.array(list(itertools.product([0, 1], repeat=len(budgets))))
    lifts = np.where(states, highs, lows)
    sides = np.vstack([np.ones(len(states)), states.T]), [1, *(1 - lows) / (highs - lows)]
    return lifts, [linprog(sign * lifts.prod(axis=1), A_eq=sides[0], b_eq=sides[1]).x for sign in (1, -1)]


def released(lifts, masses, kept=1e-7):
    """The ALIP budgets of releases that each have one rare output with these lifts.

    A secret of mass ``kept`` at the largest and the smallest lifts is added.
    """
    seen = masses > 0
    prior = np.append(masses[seen] / masses[seen].sum(), [kept, kept])
    columns = np.vstack([lifts[seen], lifts.max(axis=0), lifts.min(axis=0)])
    prior = prior / prior.sum()
    columns = columns / (prior @ columns)
    secret = Joint(np.diag(prior))
    both, alone = np.ones((len(prior), 1)), []
    for column in columns.T:
        kernel = np.column_stack([1e-6 * column, 1 - 1e-6 * column])
        alone.append(ALIP(0, 0).leakage(secret, Channel(kernel)))
        both = (both[:, :, None] * kernel[:, None, :]).reshape(len(prior), -1)
    together = Joint(prior[:, None] * np.column_stack([both[:, 0], 1 - both[:, 0]]))
    return alone, ALIP(0, 0).leakage(together, Channel.identity(2))


SETS = [
    [(0.5, 0.5), (0.5, 0.5)],
    [(0.1, 1.0), (0.1, 1.0)],
    [(1.0, 0.1), (1.0, 0.1)],
    [(0.1, 1.0), (1.0, 0.1)],
    [(0.2, 0.7), (1.5, 0.3)],
    [(0.5, 0.5)] * 3,
    [(0.3, 0.6)] * 4,
    [(1.0, 0.2)] * 3,
    [(0.3, 0.6), (0.3, 0.6), (0.5, 0.2)],
    [(0.3, 0.6), (0.4, 0.1), (0.5, 0.2), (0.1, 0.9)],
]


@pytest.mark.parametrize("budgets", SETS)
def test_a_law_attains_it(budgets):
    bound = composed([ALIP(*pair) for pair in budgets])
    lifts, (least, most) = coupled(budgets)
    found = []
    for masses in (least, most):
        alone, together = released(lifts, np.maximum(masses, 0))
        assert np.allclose(alone, budgets, atol=1e-5)
        assert together.lower <= bound.eps_l + 1e-4
        assert together.upper <= bound.eps_u + 1e-4
        found.append(together)
    assert found[1].lower == pytest.approx(bound.eps_l, abs=1e-3)
    assert found[0].upper == pytest.approx(bound.eps_u, abs=1e-3)
    # so a claim that is smaller by 0.05 nats is false, and a bound that is larger by as much is not attained
    assert found[1].lower > bound.eps_l - LOOSER
    assert found[0].upper > bound.eps_u - LOOSER


@pytest.mark.parametrize("eps", [0.01, 0.25, 0.5, 1.0, 2.0])
def test_lip_of_two(eps):
    t = math.exp(eps)
    bound = composed([LIP(eps), LIP(eps)]).eps
    assert bound == pytest.approx(eps + math.log(t * t - t + 1), rel=1e-12)
    one, two = (grid.ravel() for grid in np.meshgrid(*2 * [np.linspace(1 / t, t, 21)]))
    worst = 0.0
    for p, first, second in itertools.product((1e-6, 1 / (t + 1), 0.4), (t, 1 / t), (t, 1 / t)):
        for sign in (1, -1):
            sides = np.vstack([np.ones_like(one), one, two]), [1 - p, 1 - p * first, 1 - p * second]
            found = linprog(sign * one * two, A_eq=sides[0], b_eq=sides[1])
            if found.status == 0:
                worst = max(worst, abs(math.log(first * second / (p * first * second + sign * found.fun))))
    assert worst == pytest.approx(bound, abs=1e-6)


def test_two_secrets_in_fractions():
    """Two secrets with P_S = (1/3, 2/3), each release naming the same one."""
    prior, lifts = [Fraction(1, 3), Fraction(2, 3)], [Fraction(2), Fraction(1, 2)]
    assert sum(p * v for p, v in zip(prior, lifts, strict=True)) == 1
    pair = lifts[1] ** 2 / sum(p * v * v for p, v in zip(prior, lifts, strict=True))
    assert pair == Fraction(1, 6)
    assert composed([LIP(math.log(2))] * 2).eps == pytest.approx(math.log(6), rel=1e-14)


@given(seed=st.integers(0, 2**32 - 1))
def test_never_exceeded(seed):
    rng = np.random.default_rng(seed)
    n, k = rng.integers(2, 6), rng.integers(1, 5)
    prior = rng.dirichlet(np.full(n, 0.7)) * 0.99 + 0.01 / n
    secret, both, notions = Joint(np.diag(prior)), np.ones((n, 1)), []
    for _ in range(k):
        kernel = rng.dirichlet(np.full(3, rng.choice([0.5, 5.0])), size=n)
        notions.append(ALIP(*ALIP(0, 0).leakage(secret, Channel(kernel))))
        both = (both[:, :, None] * kernel[:, None, :]).reshape(n, -1)
    lower, upper = ALIP(0, 0).leakage(secret, Channel(both))
    bound = composed(notions)
    assert lower <= bound.eps_l + 1e-7
    assert upper <= bound.eps_u + 1e-7


@given(st.lists(st.tuples(st.floats(0.01, 1.5), st.floats(0.01, 1.5)), min_size=1, max_size=5))
def test_linear_program_over_all_states(budgets):
    found = composed([ALIP(*pair) for pair in budgets])
    lifts, (least, most) = coupled(budgets)
    low, high = (float(masses @ lifts.prod(axis=1)) for masses in (least, most))
    total_l, total_u = np.sum(budgets, axis=0)
    assert found.eps_l == pytest.approx(total_l + math.log(high), abs=1e-6)
    assert found.eps_u == pytest.approx(total_u - math.log(low), abs=1e-6)


def test_many_releases():
    for eps, k in ((0.5, 3), (0.5, 8), (1.0, 200), (3.0, 500)):
        bound, t = composed([LIP(eps)] * k).eps, math.exp(eps)
        assert bound == pytest.approx(
            2 * k * eps + math.log1p(math.exp(eps - 2 * k * eps)) - math.log(1 + t), rel=1e-12
        )
    assert 2 * 200 - composed([LIP(1.0)] * 200).eps == pytest.approx(math.log(1 + math.e))
    # Jensen's bound and pairs hold where there are too many different budgets for the linear program
    several = [ALIP(eps, 0.3) for eps in np.linspace(0.1, 0.5, 14)]
    assert composed(several).eps_u <= sum(n.eps_l + n.eps_u for n in several)
    assert composed(several).eps_u >= composed(several[:7]).eps_u


def test_ends():
    assert composed([LDP(0.5), LDP(0.25)]) == LDP(0.75)
    assert composed([LIP(1)]) == LIP(1)
    assert composed([ALIP(1, 2), ALIP(0, 5)]) == ALIP(1, 2)
    assert composed([LIP(0), LIP(0)]) == LIP(0)
    only = composed([ALIP(math.inf, 0.3), ALIP(math.inf, 0.2)])
    assert only.eps_l == math.inf
    # both outputs rule out as many secrets as they may, none of them twice
    assert only.eps_u == pytest.approx(-math.log(math.exp(-0.3) + math.exp(-0.2) - 1), rel=1e-12)
    assert composed([ALIP(1, math.inf), ALIP(1, math.inf)]) == ALIP(math.inf, math.inf)
    assert composed([ALIP(1, math.inf), ALIP(1, 1)]).eps_l == pytest.approx(composed([LIP(1), LIP(1)]).eps, rel=1e-12)
    huge = composed([ALIP(800, 800)] * 3)
    assert (huge.eps_l, huge.eps_u) == pytest.approx((4000, 4000 - math.log(3)), rel=1e-12)


def test_dependent_releases_have_no_bound():
    """X = (S xor R, R): each part is independent of S, both together determine it."""
    bits = Joint([[0.25, 0, 0, 0.25], [0, 0.25, 0.25, 0]])
    for partition in ([(0, 1), (2, 3)], [(0, 2), (1, 3)]):
        assert LIP(0).is_satisfied(bits, Channel.merge(partition, 4))
    assert composed([LIP(0), LIP(0)]) == LIP(0)
    assert LIP(0).leakage(bits, Channel.identity(4)) == math.inf


def test_bad_arguments():
    with pytest.raises(InvalidParameter, match="notions is empty"):
        composed([])
    for notions in ([Chi2Lift(1, 1)], [LDP(1), LIP(1)]):
        with pytest.raises(UnsupportedNotion, match="give LDP alone, or LIP and ALIP"):
            composed(notions)
