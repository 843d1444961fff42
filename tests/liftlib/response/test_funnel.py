"""The funnel's releases against all partitions, all pairs by hand, and the optimum under LIP."""

import itertools
import math

import numpy as np
import pytest
from partitions import best_by_hand

import liftlib as ll
from liftbook.relatives import AverageLeakage, MaximalLeakage
from liftbook.relatives.funnel import BUDGETS
from liftlib.errors import InvalidParameter, UnsupportedNotion


def utility(joint, channel):
    return ll.evaluate(joint, channel).mutual_information


def told(joint, channel):
    return ll.evaluate(joint, channel).secret_information


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("seed", range(2))
def test_no_partition_is_better(seed, share):
    joint = ll.datasets.uniform_joint(3, 5, seed)
    notion = AverageLeakage(share * ll.measures.mutual_information(joint.p))
    channel = ll.mechanisms.funnel(joint, notion)
    assert notion.is_satisfied(joint, channel)
    best, _ = best_by_hand(joint, notion)
    assert utility(joint, channel) >= best - 1e-9
    assert channel.certificate.upper == math.inf
    for merging in (ll.mechanisms.funnel_merging, ll.mechanisms.funnel_subsets):
        merged = merging(joint, notion)
        assert notion.is_satisfied(joint, merged)
        assert utility(joint, merged) <= best + 1e-12


def test_as_much_as_under_lip():
    """At the average leakage of an optimum under LIP, at a budget of the pool, there is as much utility or more."""
    joint = ll.datasets.uniform_joint(3, 6, 4)
    for eps in BUDGETS[1:4]:
        under = ll.mechanisms.optimal(joint, ll.LIP(eps))
        notion = AverageLeakage(told(joint, under))
        assert utility(joint, ll.mechanisms.funnel(joint, notion)) >= utility(joint, under) - 1e-8


def test_two_secrets_that_x_tells_are_a_line():
    """S = X, binary: I(S;Y) = I(X;Y), so that the budget is the utility."""
    joint = ll.Joint([[0.3, 0], [0, 0.7]])
    assert utility(joint, ll.mechanisms.funnel(joint, AverageLeakage(0.2))) == pytest.approx(0.2, abs=1e-9)


def test_a_step_of_merging_by_hand():
    joint = ll.Joint.from_counts([[6, 1, 2, 3], [1, 5, 2, 2]])
    whole = told(joint, ll.Channel.identity(4))
    found = ll.mechanisms.funnel_merging(joint, AverageLeakage(whole - 1e-6)).partition
    rates = {}
    for pair in itertools.combinations(range(4), 2):
        one = ll.Channel.merge([pair, *[(x,) for x in range(4) if x not in pair]], 4)
        lost = ll.measures.entropy(joint.p_x) - utility(joint, one)
        rates[pair] = (whole - told(joint, one)) / lost
    assert max(rates, key=rates.get) in found
    assert len(found) == 3


def test_ends(named_joints):
    for name in ("one-symbol", "one-secret", "one-of-each", "function-of-x", "zeros", "independent"):
        joint = named_joints[name]
        for make in (ll.mechanisms.funnel_merging, ll.mechanisms.funnel):
            for eps in (0.0, 0.05, 50.0, math.inf):
                channel = make(joint, AverageLeakage(eps))
                assert AverageLeakage(eps).is_satisfied(joint, channel), (name, make.__name__, eps)
    joint = named_joints["independent"]
    assert utility(joint, ll.mechanisms.funnel(joint, AverageLeakage(0.0))) == pytest.approx(
        ll.measures.entropy(joint.p_x)
    )


def test_perfect_privacy_is_in_the_pool():
    joint = ll.datasets.uniform_joint(2, 5, 1)
    best = utility(joint, ll.mechanisms.optimal(joint, ll.PerfectPrivacy()))
    assert best > 0.1
    assert utility(joint, ll.mechanisms.funnel(joint, AverageLeakage(1e-7))) >= best - 1e-6


def test_refusals():
    joint = ll.Joint(np.full((2, 3), 1 / 6))
    with pytest.raises(UnsupportedNotion, match=r"needs a bound on I\(S; Y\); MaximalLeakage.* use optimal"):
        ll.mechanisms.funnel(joint, MaximalLeakage(1.0))
    with pytest.raises(InvalidParameter, match="joint has 13 symbols, more than 12: use funnel_merging"):
        ll.mechanisms.funnel(ll.Joint(np.full((2, 13), 1 / 26)), AverageLeakage(0.1))
