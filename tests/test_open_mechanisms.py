"""What answers the papers' open questions, against exhaustive search, closed forms and the polyhedral case."""

import numpy as np
import pytest
from scipy.optimize import brentq

import liftlib as ll
from liftlib.errors import InvalidParameter, SolverFailure, UnsupportedNotion
from liftlib.mechanisms import bracket, robust
from liftlib.numerics import xlogx
from liftlib.solvers.programmes import mix_columns


def utility(joint, channel):
    return ll.evaluate(joint, channel).mutual_information


# The bracketed optimum ------------------------------------------------------------------------------------------


def as_alip(joint, notion):
    """With two secrets a lift column is one number, so any convex notion is an interval: find its two ends."""
    p = joint.p_s

    def excess(first):
        column = np.array([first, (1 - p[0] * first) / p[1]])[:, None]
        low, high = notion.budgets_of(*notion.measures(column, p))
        return float(max(low[0] - notion.eps_l, high[0] - notion.eps_u))

    ends = [brentq(excess, 1, bound, xtol=1e-14) if excess(bound) > 0 else bound for bound in (1e-9, (1 - 1e-9) / p[0])]
    likelihood = joint.s_given_x[0] / p[0]
    return np.array([likelihood - ends[0], ends[1] - likelihood])


NOTIONS = [
    ll.AlphaLift(2, 0.1, 0.2),
    ll.AlphaLift(10, 0.3, 0.05),
    ll.AlphaLift(1.5, np.inf, 0.05),
    ll.AlphaLift(3, 0.1, np.inf),
    ll.Chi2Lift(np.inf, 0.2),
]


@pytest.mark.parametrize("notion", NOTIONS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_bracket_holds_the_optimum_for_two_secrets(seed, notion):
    joint = ll.datasets.uniform_joint(2, 5, np.random.default_rng(seed))
    rows = ll.polytope.vertices(as_alip(joint, notion))
    optimum = ll.entropy(joint.p_x) - mix_columns(-xlogx(rows).sum(axis=1), rows, joint.p_x).objective
    found = ll.bracket_response(joint, notion, gap=1e-5)
    assert found.lower - 1e-7 <= optimum <= found.upper + 1e-7
    assert found.upper - found.lower <= 1e-5
    assert notion.is_kept(joint, found.channel)
    assert utility(joint, found.channel) == pytest.approx(found.lower)


@pytest.mark.parametrize("notion", NOTIONS, ids=str)
def test_bracket_on_more_secrets(notion):
    for seed in range(3):
        joint = ll.datasets.uniform_joint(4, 6, np.random.default_rng(seed))
        found = ll.bracket_response(joint, notion)
        assert 0 <= found.upper - found.lower <= 1e-3
        assert notion.is_kept(joint, found.channel)
        assert utility(joint, ll.subset_merging(joint, notion)) <= found.upper + 1e-9
        # nobody who keeps the notion does better: merged partitions and shrunken releases, tried at random
        rng = np.random.default_rng(seed)
        for _ in range(200):
            kernel = rng.dirichlet(np.full(7, 0.2), size=6)
            share = rng.uniform()
            tried = ll.Channel((1 - share) * kernel + share * (joint.p_x @ kernel))
            if notion.is_kept(joint, tried):
                assert utility(joint, tried) <= found.upper + 1e-9


def test_large_orders_tend_to_alip():
    joint = ll.datasets.uniform_joint(3, 5, np.random.default_rng(1))
    alip = utility(joint, ll.optimal_response(joint, ll.ALIP(0.3, 0.3)))
    gaps = []
    for alpha in (2, 10, 50, 200):
        found = ll.bracket_response(joint, ll.AlphaLift(alpha, 0.3, 0.3))
        assert found.upper >= alip - 1e-9  # alpha-lift relaxes ALIP
        gaps.append(found.lower - alip)
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 0.01


def test_bracket_where_nothing_has_to_be_done():
    joint = ll.datasets.uniform_joint(3, 5, np.random.default_rng(1))
    found = ll.bracket_response(joint, ll.AlphaLift(2, 20, 20))
    assert found.lower == pytest.approx(ll.entropy(joint.p_x))
    assert (found.rounds, found.cuts) == (1, 0)
    zeros = ll.Joint([[0.2, 0.0, 0.1, 0.1], [0.1, 0.3, 0.0, 0.2]])
    found = ll.bracket_response(zeros, ll.AlphaLift(2, 0.3, 0.3))
    assert ll.AlphaLift(2, 0.3, 0.3).is_kept(zeros, found.channel)
    assert found.upper - found.lower <= 1e-3


def test_bracket_refuses():
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(0))
    for notion, message in (
        (ll.AlphaLift(np.inf, 1, 1), "is ALIP, which is polyhedral: use optimal_response"),
        (ll.Chi2Lift(1, 1), "chi2-lift-inverse, which is not convex: set eps_l to inf"),
        (ll.LIP(1), "is not AlphaLift or Chi2Lift: use optimal_response"),
    ):
        with pytest.raises(UnsupportedNotion, match=message):
            ll.bracket_response(joint, notion)
    with pytest.raises(InvalidParameter, match="has a budget of 0: use optimal_response with PerfectPrivacy"):
        ll.bracket_response(joint, ll.AlphaLift(2, 0, 1))
    with pytest.raises(InvalidParameter, match="gap is 0"):
        ll.bracket_response(joint, ll.AlphaLift(2, 1, 1), gap=0)


def test_bracket_says_when_it_cannot_go_on(monkeypatch):
    joint = ll.datasets.uniform_joint(3, 5, np.random.default_rng(0))
    monkeypatch.setattr(bracket, "_boundary", lambda *given: given[3])
    monkeypatch.setattr(bracket, "repaired", lambda *_: (ll.Channel.constant(5), 0.0))
    with pytest.raises(SolverFailure, match=r"no cut brings .* nearer: widen the gap"):
        ll.bracket_response(joint, ll.AlphaLift(2, 0.1, 0.1))


# Robust response ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("notion", [ll.LIP(0.4), ll.ALIP(0.5, 0.3), ll.LDP(0.7)], ids=str)
def test_robust_response_keeps_the_notion_everywhere(notion):
    joints = [ll.Joint(p) for p in ll.datasets.uniform_joints(5, 3, 6, np.random.default_rng(2))]
    channel = ll.robust_response(joints[0], joints[1:], notion)
    assert all(notion.is_kept(joint, channel) for joint in joints)
    optimum = ll.optimal_response(joints[0], notion)
    assert utility(joints[0], channel) <= utility(joints[0], optimum) + 1e-9
    fewer = ll.robust_response(joints[0], joints[1:2], notion)
    assert utility(joints[0], channel) <= utility(joints[0], fewer) + 1e-9
    alone = ll.robust_response(joints[0], [], notion)
    assert utility(joints[0], alone) == pytest.approx(utility(joints[0], optimum), abs=1e-9)
    itself = ll.robust_response(joints[0], [joints[0]] * 2, notion)
    assert utility(joints[0], itself) == pytest.approx(utility(joints[0], optimum), abs=1e-9)


def test_robust_response_covers_mixtures_with_one_prior():
    """With P_S the same, LIP is linear in the distribution, so what holds at two holds between them."""
    rng = np.random.default_rng(0)
    first, second = (rng.dirichlet(np.ones(5), size=3) / 3 for _ in range(2))
    channel = ll.robust_response(ll.Joint(first), [ll.Joint(second)], ll.LIP(0.3))
    for share in np.linspace(0, 1, 11):
        assert ll.LIP(0.3).is_kept(ll.Joint((1 - share) * first + share * second), channel)


def test_no_random_channel_is_better_and_robust():
    joints = [ll.Joint(p) for p in ll.datasets.uniform_joints(3, 2, 4, np.random.default_rng(5))]
    notion, rng = ll.LIP(0.3), np.random.default_rng(0)
    best = utility(joints[0], ll.robust_response(joints[0], joints[1:], notion))
    for _ in range(2000):
        kernel = rng.dirichlet(np.full(4, 0.3), size=4)
        tried = ll.Channel(0.5 * kernel + 0.5 * kernel.mean(axis=0))
        if all(notion.is_kept(joint, tried) for joint in joints):
            assert utility(joints[0], tried) <= best + 1e-9


def test_robust_response_refuses(monkeypatch):
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(0))
    with pytest.raises(InvalidParameter, match=r"others\[1\] has 4 symbols, joint 3: match them"):
        ll.robust_response(joint, [joint, ll.datasets.uniform_joint(2, 4, np.random.default_rng(0))], ll.LIP(1))
    with pytest.raises(UnsupportedNotion, match="use subset_merging"):
        ll.robust_response(joint, [], ll.Chi2Lift(1, 1))
    monkeypatch.setattr(robust, "kernel_of", lambda *_: np.eye(3))
    with pytest.raises(SolverFailure, match=r"breaks LIP.* by more than a share of 1e-07 can mend"):
        ll.robust_response(joint, [], ll.LIP(0.01))
