"""How far a belief may move under a notion."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from liftbook.relatives import AverageLeakage
from liftlib import ALIP, LDP, LIP, SRLIP, AlphaLift, Chi2Lift, InvalidParameter, L1Lift, PerfectPrivacy
from liftlib.notions.base import belief_within

PRIORS = (1e-3, 0.1, 0.5, 0.75, 0.999)
BUDGETS = (0.0, 1e-3, 0.4, 2.0, 50.0)


def by_programme(prior, rows=(), low=0.0, high=None):
    """The least and the largest prior times lift, by a linear programme."""
    found = []
    for sign in (1, -1):
        made = linprog(
            [sign * prior, 0.0], A_eq=[[prior, 1 - prior]], b_eq=[1.0], A_ub=[[-a, -b] for a, b in rows] or None,
            b_ub=[0.0] * len(rows) or None, bounds=[(low, high)] * 2, method="highs",
        )  # fmt: skip
        assert made.status == 0
        found.append(sign * made.fun)
    return found


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("eps_l", [*BUDGETS, math.inf])
@pytest.mark.parametrize("eps_u", [*BUDGETS, math.inf])
def test_lifts_in_a_range(prior, eps_l, eps_u):
    expected = by_programme(prior, (), math.exp(-eps_l), math.exp(eps_u) if math.isfinite(eps_u) else None)
    assert belief_within(prior, eps_l, eps_u) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert ALIP(eps_l, eps_u).belief(prior) == belief_within(prior, eps_l, eps_u)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("eps", BUDGETS)
def test_one_budget(prior, eps):
    within = by_programme(prior, (), math.exp(-eps), math.exp(eps))
    for notion in (LIP(eps), SRLIP(eps, (2, 2))):
        assert notion.belief(prior) == pytest.approx(within, rel=1e-9, abs=1e-12)
    ratio = math.exp(-eps)  # neither lift is below this share of the other
    expected = by_programme(prior, [(1.0, -ratio), (-ratio, 1.0)])
    assert LDP(eps).belief(prior) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_without_a_bound_anything_may_be_learned():
    for notion in (LIP(math.inf), LDP(math.inf), ALIP(math.inf, math.inf), SRLIP(math.inf, (2,))):
        assert notion.belief(0.3) == (0.0, 1.0)
    for notion in (L1Lift(1, 1), Chi2Lift(1, 1), AlphaLift(2, 1, 1), AverageLeakage(1)):
        assert notion.belief(0.3) == (0.0, 1.0)
    assert PerfectPrivacy().belief(0.3) == pytest.approx((0.3, 0.3))


@pytest.mark.parametrize("notion", [LIP(1.0), LDP(1.0), LDP(math.inf), LIP(math.inf), LIP(1e4), SRLIP(1.0, (2,))])
def test_certainty_stays(notion):
    assert notion.belief(0) == (0.0, 0.0)
    assert notion.belief(1) == (1.0, 1.0)


@pytest.mark.parametrize("notion", [ALIP(1, 1), LIP(1), LDP(1), SRLIP(1, (2,))])
@pytest.mark.parametrize("prior", [-0.1, 1.1, math.nan, "1", None, True])
def test_what_is_no_prior(notion, prior):
    with pytest.raises(InvalidParameter, match=r"^prior is .*\[0, 1\]"):
        notion.belief(prior)


def test_budgets_beyond_what_a_float_holds():
    least, most = belief_within(0.25, 1e4, 1e4)
    assert (least, most) == (0.0, 1.0)
    assert np.isfinite(belief_within(1e-300, 800.0, 800.0)).all()


@pytest.mark.parametrize("eps", [699.5, 700.0, 700.5, 800.0, math.inf])
@pytest.mark.parametrize("prior", [1e-303, 5e-305, 1e-306, 1e-320])
def test_a_prior_next_to_0_and_a_budget_next_to_what_a_float_holds(eps, prior):
    """The bound is one, and no wider than it must be where e^eps can be had."""
    exact = min(1.0, math.exp(min(eps + math.log(prior), 0.0)))
    most = LIP(eps).belief(prior)[1]
    assert exact * (1 - 1e-9) <= most <= 1
    if eps <= 700:
        assert most == pytest.approx(exact, rel=1e-9)
