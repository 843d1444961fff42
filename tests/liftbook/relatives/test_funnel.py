"""Mergings for the funnel, against all partitions and pairs by hand; and the simple
bound.
"""

import itertools
import math

import numpy as np
import pytest
from partitions import best_by_hand

import liftlib as ll
from liftbook.claims.samples import utility
from liftbook.relatives import AverageLeakage
from liftbook.relatives.average import averaged, upper_bound


def information_told(joint, channel):
    return ll.evaluate(joint, channel).secret_information


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("seed", range(2))
def test_no_partition_is_better_than_the_best_by_hand(seed, share):
    joint = ll.datasets.uniform_joint(3, 5, seed)
    notion = AverageLeakage(share * ll.measures.mutual_information(joint.p))
    best, _ = best_by_hand(joint, notion)
    merged = ll.mechanisms.funnel_merging(joint, notion)
    assert notion.is_satisfied(joint, merged)
    assert utility(joint, merged) <= best + 1e-12
    descended = ll.mechanisms.funnel_descent(joint, notion)
    assert notion.is_satisfied(joint, descended)
    assert utility(joint, descended) >= best * (1 - 1e-3)
    assert descended.certificate.upper >= best


def test_a_step_of_merging_by_hand():
    joint = ll.Joint.from_counts([[6, 1, 2, 3], [1, 5, 2, 2]])
    whole = information_told(joint, ll.Channel.identity(4))
    found = ll.mechanisms.funnel_merging(joint, AverageLeakage(whole - 1e-6)).partition
    rates = {}
    for pair in itertools.combinations(range(4), 2):
        one = ll.Channel.merge([pair, *[(x,) for x in range(4) if x not in pair]], 4)
        lost = ll.measures.entropy(joint.p_x) - utility(joint, one)
        rates[pair] = (whole - information_told(joint, one)) / lost
    assert max(rates, key=rates.get) in found
    assert len(found) == 3


@pytest.mark.parametrize("eps", [0.0, 0.05, 50.0, math.inf])
@pytest.mark.parametrize("name", ["funnel_merging", "funnel_descent"])
def test_ends(name, eps, named_joints):
    make, notion = getattr(ll.mechanisms, name), AverageLeakage(eps)
    options = {"starts": 1} if name == "funnel_descent" else {}
    for case in (
        "one-symbol",
        "one-secret",
        "one-of-each",
        "function-of-x",
        "zeros",
        "independent",
    ):
        joint = named_joints[case]
        channel = make(joint, notion, **options)
        assert notion.is_satisfied(joint, channel), case
        assert utility(joint, channel) <= upper_bound(joint, eps) + 1e-9, case
        if case == "independent" and eps != 0:
            assert channel.n_outputs > 1


def simplex_grid(n, steps):
    """Return all distributions on n symbols whose entries are multiples of
    1 / steps.
    """
    places = itertools.combinations(range(steps + n - 1), n - 1)
    return (
        np.array([np.diff((-1, *bars, steps + n - 1)) - 1 for bars in places]) / steps
    )


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.9])
def test_a_grid_of_posteriors_lies_between_descent_and_bound(share):
    """A linear program over a fine grid is another route to the optimum, from below."""
    joint = ll.datasets.hundred_people()
    eps = share * ll.measures.mutual_information(joint.p)
    certificate = ll.mechanisms.funnel_descent(joint, AverageLeakage(eps)).certificate
    grid = np.concatenate([joint.p_x[None], simplex_grid(3, 120)])
    on_grid = averaged(joint, grid, eps).mixture
    best = ll.measures.entropy(joint.p_x) - on_grid.solution.objective
    assert certificate.upper >= best
    assert certificate.value >= best * (1 - 1e-3)


def test_the_bound_is_attained_where_x_is_the_secret():
    """I(S; Y) = I(X; Y): no other bound than eps itself is sharp."""
    joint = ll.Joint(np.diag([0.2, 0.3, 0.5]))
    channel = ll.mechanisms.funnel_descent(joint, AverageLeakage(0.4))
    assert channel.certificate.value == pytest.approx(0.4, abs=1e-6)
    assert channel.certificate.upper == pytest.approx(0.4, abs=1e-8)


def test_the_bound_by_loops():
    joint = ll.Joint([[0.2, 0.1, 0.0], [0.1, 0.3, 0.3]])
    given_s = 0.0
    for s in range(2):
        for x in range(3):
            if joint.p[s, x]:
                given_s -= joint.p[s, x] * math.log(joint.p[s, x] / joint.p_s[s])
    assert upper_bound(joint, 0.01) == pytest.approx(0.01 + given_s)
    assert upper_bound(joint, math.inf) == pytest.approx(ll.measures.entropy(joint.p_x))
