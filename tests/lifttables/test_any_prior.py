"""The bound on beliefs that the card states for every adversary."""

import math

import numpy as np
import pytest

import liftlib as ll
from lifttables.designs.statement import in_words

CASES = [ll.ALIP(1.0, 0.5), ll.ALIP(0.2, 1.3), ll.LIP(0.5), ll.LIP(0.0), ll.LDP(1.0)]


@pytest.mark.parametrize("notion", CASES, ids=str)
def test_no_prior_moves_a_belief_further(notion):
    rng, growth, tried = np.random.default_rng(0), notion.odds_growth, 0
    for _ in range(4000):
        n = rng.integers(2, 6)
        p_s = rng.dirichlet(np.ones(n))
        likelihood = np.exp(growth * rng.beta(0.3, 0.3, n))
        lifts = likelihood / (p_s @ likelihood)
        if not all(float(need.needed[0]) <= need.allowed for need in notion.required_budgets(lifts[:, None], p_s)):
            continue
        tried += 1
        own = rng.dirichlet(np.full(n, 0.3))
        event = rng.random(n) < 0.5
        before, after = own[event].sum(), (own * lifts)[event].sum() / (own @ lifts)
        if 1e-6 < before < 1 - 1e-6:
            moved = math.log(after) - math.log1p(-after) - math.log(before) + math.log1p(-before)
            assert abs(moved) <= growth + 1e-6
    assert tried > 100


def test_the_bound_is_attained():
    """A secret whose lift is the largest, against one whose lift is the smallest."""
    notion, a, b = ll.ALIP(1.0, 0.5), math.exp(-1.0), math.exp(0.5)
    p = (1 - a) / (b - a)  # the probability of the first, so that the mean lift is 1
    needed = notion.required_budgets(np.array([[b], [a]]), np.array([p, 1 - p]))
    assert all(math.isclose(float(one.needed[0]), one.allowed) for one in needed)
    before = 0.1  # another adversary's belief in the first, not p
    after = before * b / (before * b + (1 - before) * a)
    assert after == pytest.approx(0.1 * math.e**1.5 / (1 + 0.1 * (math.e**1.5 - 1)))
    assert "at most 33.3 % and" in in_words(notion)[-1]
    assert "Whatever else" not in in_words(notion, insider=np.inf)[-1]
    odds = math.exp(notion.odds_growth + 1.0) / 9
    most = math.ceil(1000 * odds / (1 + odds)) / 10
    assert (
        f"knows all other rows can turn a belief of 10 % into at most {most:g} %" in in_words(notion, insider=1.0)[-1]
    )


def test_a_notion_without_such_a_bound_says_so():
    assert math.isinf(ll.Chi2Lift(0.5, 0.5).odds_growth)
    assert in_words(ll.ALIP(math.inf, 0.5))[-1].endswith("such as all other rows, there is no limit.")


@pytest.mark.parametrize("notion", [ll.LIP(800.0), ll.LDP(800.0), ll.ALIP(np.inf, 800.0)], ids=str)
def test_a_huge_budget_is_not_said_to_limit_an_average(notion):
    assert "at most 100 % and at least 0 %" in in_words(notion)[1]
