"""The least share of a constant release in closed form, and its tolerance."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

import liftlib as ll
from liftlib.notions.base import LiftNotion
from lifttables.confident.mixing import mixed_parts, share_needed
from lifttables.population.sample import Parts, Sample
from lifttables.population.worst import Between
from mixproof.numerics import KEEP_TOL

PRIOR = np.array([0.4, 0.4]), np.array([0.6, 0.6])
EPS = 0.3


def between(lower, upper):
    """Return bounds for outputs whose P(y|s) have the same bounds for two secrets."""
    p_y = [(low + up) / 2 for low, up in zip(lower, upper, strict=True)]
    return Between(np.array([lower, lower, p_y]), np.array([upper, upper, p_y]), *PRIOR)


def share_by_hand(low, up, p_y, eps=EPS):
    """Solve (1 - t) up + t p_y = e^eps ((1 - t) m + t p_y) for t; and the least lift."""
    middle = (low + up) / 2
    over = (up - math.exp(eps) * middle) / (up - math.exp(eps) * middle + math.expm1(eps) * p_y)
    under = (middle - math.exp(eps) * low) / (middle - math.exp(eps) * low + math.expm1(eps) * p_y)
    return max(over, under, 0.0)


@pytest.mark.parametrize(
    ("lower", "upper", "p_y"),
    [
        ([0.2], [0.6], [1.0]),
        # the first of two outputs needs a share, and the second none; then the other way round
        ([0.1, 0.5], [0.3, 0.5], [0.3, 0.7]),
        ([0.5, 0.1], [0.5, 0.3], [0.7, 0.3]),
        # both need one
        ([0.1, 0.3], [0.4, 0.6], [0.4, 0.6]),
    ],
)
def test_the_share_is_the_largest_that_an_output_needs(lower, upper, p_y):
    each = [share_by_hand(*one) for one in zip(lower, upper, p_y, strict=True)]
    assert 0 < max(each) < 1
    found = share_needed(ll.LIP(EPS), between(lower, upper), np.array(p_y))
    assert found == pytest.approx(max(each), abs=1e-8)


def exceeding(nats):
    """Return bounds with lifts from 1 to e^(eps + nats) for an output of mass 1/2."""
    half = np.full((3, 1), 0.5)
    return Between(half, np.vstack([half[:2] * math.exp(EPS + nats), half[2:]]), *PRIOR)


@pytest.mark.parametrize(("part", "nothing"), [(0.0, True), (0.45, True), (0.55, False), (0.75, False), (1.5, False)])
def test_half_of_the_tolerance_is_left_for_rounding(part, nothing):
    share = share_needed(ll.LIP(EPS), exceeding(part * KEEP_TOL), np.array([0.5]))
    assert (share == 0.0) is nothing
    assert share < 1e-8


@pytest.mark.parametrize("seed", range(4))
def test_a_mixture_keeps_the_notion_with_half_of_the_tolerance_to_spare(seed):
    """The excess of the mixture, which only the bisection knows."""
    rng = np.random.default_rng(seed)
    sample, notion = Sample(rng.integers(50, 200, (3, 4)), 0.9), ll.LIP(0.1)
    parts = Parts.nested(rng.dirichlet(np.ones(3), 4))
    made, share = mixed_parts(sample, notion, parts)
    assert 0 < share < 1
    assert sample.violation_of_sums(notion, made) <= KEEP_TOL / 2 + 1e-12
    p_y, less = sample.weights @ parts.kernel, share - 1e-6
    everyone = np.ones((1, 4), dtype=bool)
    nearly = Parts(np.vstack([parts.member, everyone]), np.vstack([(1 - less) * parts.weights, less * p_y]))
    assert sample.violation_of_sums(notion, nearly) > KEEP_TOL


def test_an_average_is_taken_by_the_upper_ends_of_the_prior():
    d, eps = 0.5, 0.2
    half = np.full((3, 1), 0.5)
    found = Between(half * [[1 - d], [1 - d], [1]], half * [[1 + d], [1 + d], [1]], *PRIOR)
    share = share_needed(ll.L1Lift(math.inf, eps), found, np.array([0.5]))
    assert share == pytest.approx(1 - math.expm1(eps) / (1.2 * d), abs=1e-8)


@dataclass(frozen=True)
class Flat(LiftNotion):
    """Exceeds a budget of 0 by the same number of nats, whatever the lifts."""

    nats: float

    def required_budgets(self, lift, p_s):  # noqa: ARG002
        return (ll.notions.RequiredBudget("eps", np.full(lift.shape[-1], self.nats), 0.0),)


def test_the_tolerance_itself_is_kept():
    assert share_needed(Flat(KEEP_TOL / 2), exceeding(0.0), np.array([0.5])) == 0.0
    assert share_needed(Flat(math.nextafter(KEEP_TOL / 2, 1)), exceeding(0.0), np.array([0.5])) == 1.0
