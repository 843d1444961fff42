"""Bounded and extreme reduction against one programme over the whole kernel."""

import numpy as np
import pytest
from messages import raised
from scipy.optimize import linprog

import liftlib as ll
from liftbook.relatives import bounded_reduction as bounded
from liftbook.relatives.bounded_reduction import bounded_reduction
from liftlib.errors import InvalidDistribution, InvalidParameter, SolverFailure
from mixproof.lp import solve


def moved(joint, channel):
    return 1 - np.trace(channel.joint_xy(joint))


def least_moved(joint, low, high):
    """The same programme over all of P(y|s,x) at once, with bounds as inequalities."""
    n_s, n = joint.n_secret, joint.n_public
    size = n_s * n * n

    def at(s, x, y):
        return (s * n + x) * n + y

    cost = np.array(
        [
            joint.p[s, x] * (x != y)
            for s in range(n_s)
            for x in range(n)
            for y in range(n)
        ]
    )
    equal, right, above, most = [], [], [], []
    for s in range(n_s):
        for x in range(n):
            equal.append(
                np.isin(np.arange(size), [at(s, x, y) for y in range(n)]).astype(float)
            )
            right.append(1.0)
    for y in range(n):
        row = np.zeros(size)
        for s in range(n_s):
            given = np.zeros(size)
            for x in range(n):
                row[at(s, x, y)] = joint.p[s, x]
                given[at(s, x, y)] = joint.x_given_s[s, x] / joint.p_x[y]
            above += [given, -given]
            most += [high[y], -low[y]]
        equal.append(row)
        right.append(joint.p_x[y])
    found = linprog(cost, above, most, equal, right, method="highs")
    assert found.status == 0
    return found.fun


@pytest.mark.parametrize("share", [0.3, 0.8, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_extreme_reduction_is_least(seed, share):
    joint = ll.datasets.dirichlet_joint(4, 5, 0.7, np.random.default_rng(seed))
    channel = ll.mechanisms.extreme_reduction.at(joint, share)
    low, high = (
        1 + (1 - share) * (extreme(joint) - 1)
        for extreme in (ll.measures.min_lift, ll.measures.max_lift)
    )
    assert moved(joint, channel) == pytest.approx(
        least_moved(joint, low, high), abs=1e-8
    )


def test_extreme_reduction_keeps_its_bounds(joint):
    for share in (0.0, 0.4, 1.0):
        channel, printed = (
            ll.mechanisms.extreme_reduction.at(joint, share),
            ll.mechanisms.linear_reduction.at(joint, share),
        )
        np.testing.assert_allclose(
            channel.joint_xy(joint).sum(axis=0), joint.p_x, rtol=1e-9, atol=1e-12
        )
        assert (
            ll.ALIP(0, 0).leakage(joint, channel).upper
            <= ll.ALIP(0, 0).leakage(joint, printed).upper + 1e-7
        )
        assert (
            moved(joint, channel) <= share * ll.measures.total_variation(joint) + 1e-9
        )
        after, before = (
            ll.measures.min_lift(channel.release(joint)),
            ll.measures.min_lift(printed.release(joint)),
        )
        assert (after >= before - 1e-7).all()


@pytest.mark.parametrize("n_secret", [1, 2, 3])
def test_three_secrets_gain_nothing(n_secret):
    for seed in range(5):
        joint = ll.datasets.uniform_joint(n_secret, 6, np.random.default_rng(seed))
        assert moved(
            joint, ll.mechanisms.extreme_reduction.at(joint, 0.5)
        ) == pytest.approx(0.5 * ll.measures.total_variation(joint), abs=1e-9)
    joint = ll.datasets.uniform_joint(6, 6, np.random.default_rng(0))
    assert moved(
        joint, ll.mechanisms.extreme_reduction.at(joint, 0.5)
    ) < 0.49 * ll.measures.total_variation(joint)


def test_bounded_reduction_with_one_bound_and_none():
    joint = ll.datasets.uniform_joint(4, 6, np.random.default_rng(3))
    assert moved(joint, bounded_reduction(joint, 0.0, np.inf)) == pytest.approx(
        0, abs=1e-12
    )
    upper = bounded_reduction(joint, 0.0, 1.1)
    assert ll.measures.max_lift(upper.release(joint)).max() <= 1.1 + 1e-9
    both = bounded_reduction(joint, 0.9, 1.1)
    assert moved(joint, both) >= moved(joint, upper) - 1e-9
    assert moved(joint, upper) == pytest.approx(
        least_moved(joint, np.zeros(6), np.full(6, 1.1)), abs=1e-8
    )


def test_bounds_on_the_wrong_side():
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(0))
    for low, high in ((1.1, 2), (0.5, 0.9), (-0.1, 2), (np.nan, 2), (0.5, np.nan)):
        with raised(InvalidParameter):
            bounded_reduction(joint, low, high)
    with raised(InvalidParameter):
        bounded_reduction(joint, 0.5, [1.2, 1.2, 0.7])


def test_a_missed_bound_is_refused(monkeypatch):
    def crooked(cost, a_eq, b_eq):
        found = solve(cost, a_eq, b_eq)
        return type(found)(
            found.x + 0.01 * np.arange(found.x.size), found.dual, 0.0, 0.0, 0.0, 0.0
        )

    monkeypatch.setattr(bounded, "solve", crooked)
    with pytest.raises((SolverFailure, InvalidDistribution)):
        bounded_reduction(
            ll.datasets.uniform_joint(3, 4, np.random.default_rng(0)), 0.9, 1.1
        )


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan, "1"])
def test_wrong_share(share):
    with raised(InvalidParameter):
        ll.mechanisms.extreme_reduction.at(ll.Joint(np.full((2, 4), 1 / 8)), share)
