"""The bracketed optimum, against the interval that two secrets leave, random channels and the polyhedral case."""

import numpy as np
import pytest
from scipy.optimize import brentq

import liftlib as ll
from liftlib.errors import InvalidParameter, SolverFailure, UnsupportedNotion
from liftlib.mechanisms.response import bracket
from liftlib.numerics import xlogx
from liftlib.solvers.programmes import mix_columns


def utility(joint, channel):
    return ll.evaluate(joint, channel).mutual_information


def as_alip(joint, notion):
    """With two secrets a lift column is one number, so any convex notion is an interval: find its two ends."""
    p = joint.p_s

    def excess(first):
        column = np.array([first, (1 - p[0] * first) / p[1]])[:, None]
        return max(float(need.needed[0]) - need.allowed for need in notion.needs(column, p))

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
    assert found.certificate.value - 1e-7 <= optimum <= found.certificate.upper + 1e-7
    assert found.certificate.gap <= 1e-5
    assert notion.is_kept(joint, found)
    assert utility(joint, found) == pytest.approx(found.certificate.value)


@pytest.mark.parametrize("notion", NOTIONS, ids=str)
def test_bracket_on_more_secrets(notion):
    for seed in range(3):
        joint = ll.datasets.uniform_joint(4, 6, np.random.default_rng(seed))
        found = ll.bracket_response(joint, notion)
        assert 0 <= found.certificate.gap <= 1e-3
        assert notion.is_kept(joint, found)
        assert utility(joint, ll.subset_merging(joint, notion)) <= found.certificate.upper + 1e-9
        # nobody who keeps the notion does better: merged partitions and shrunken releases, tried at random
        rng = np.random.default_rng(seed)
        for _ in range(200):
            kernel = rng.dirichlet(np.full(7, 0.2), size=6)
            share = rng.uniform()
            tried = ll.Channel((1 - share) * kernel + share * (joint.p_x @ kernel))
            if notion.is_kept(joint, tried):
                assert utility(joint, tried) <= found.certificate.upper + 1e-9


def test_large_orders_tend_to_alip():
    joint = ll.datasets.uniform_joint(3, 5, np.random.default_rng(1))
    alip = utility(joint, ll.optimal_response(joint, ll.ALIP(0.3, 0.3)))
    gaps = []
    for alpha in (2, 10, 50, 200):
        found = ll.bracket_response(joint, ll.AlphaLift(alpha, 0.3, 0.3))
        assert found.certificate.upper >= alip - 1e-9  # alpha-lift relaxes ALIP
        gaps.append(found.certificate.value - alip)
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 0.01


def test_bracket_where_nothing_has_to_be_done():
    joint = ll.datasets.uniform_joint(3, 5, np.random.default_rng(1))
    found = ll.bracket_response(joint, ll.AlphaLift(2, 20, 20))
    assert found.certificate.value == pytest.approx(ll.entropy(joint.p_x))
    assert (found.certificate.rounds, found.certificate.cuts) == (1, 0)
    zeros = ll.Joint([[0.2, 0.0, 0.1, 0.1], [0.1, 0.3, 0.0, 0.2]])
    found = ll.bracket_response(zeros, ll.AlphaLift(2, 0.3, 0.3))
    assert ll.AlphaLift(2, 0.3, 0.3).is_kept(zeros, found)
    assert found.certificate.gap <= 1e-3


def small(joint):
    """Cutting planes are for a handful of symbols."""
    return ll.Joint.from_counts(joint.p[:, :5], drop_empty=True)


@pytest.mark.parametrize("notion", [*NOTIONS, ll.AlphaLift(2, 50, 50), ll.AlphaLift(2, 30, 0.2)], ids=str)
def test_bracket_on_odd_joints(notion, joint):
    """Zero cells, ties, symbols and secrets of next to no mass: kept, and bracketed where no symbol is left out."""
    joint = small(joint)
    channel = ll.bracket_response(joint, notion)
    made = channel.certified(ll.BracketCertificate)
    assert notion.is_kept(joint, channel)
    assert made.value == utility(joint, channel)
    assert made.route == "cutting planes"
    assert made.rounds >= 1
    if (joint.p_x >= 1e-9).all():
        assert 0 <= made.gap <= 1e-3
    else:
        assert made.upper == np.inf


POLYHEDRAL = [
    ll.ALIP(0.7, 0.4), ll.LIP(1.0), ll.LIP(50.0), ll.LDP(1.5), ll.PerfectPrivacy(), ll.L1Lift(np.inf, 0.2),
    ll.AlphaLift(np.inf, 0.3, 0.2), ll.AlphaLift(2, 0, 1), ll.AlphaLift(2, 1, 0), ll.Chi2Lift(0, 1), ll.Chi2Lift(1, 0),
    ll.L1Lift(0.5, 0),
]  # fmt: skip


@pytest.mark.parametrize("notion", POLYHEDRAL, ids=str)
def test_polyhedral_notions_are_left_to_the_optimal_response(notion, joint):
    joint = small(joint)
    channel, best = ll.bracket_response(joint, notion), ll.optimal_response(joint, notion, method="qhull")
    np.testing.assert_array_equal(channel.kernel, best.kernel)
    made, expected = channel.certified(ll.BracketCertificate), best.certified(ll.RowsCertificate)
    assert (made.rounds, made.cuts) == (0, 0)
    assert (made.value, made.upper, made.rows) == (expected.value, expected.upper, expected.rows)


def test_a_budget_of_0_is_perfect_privacy():
    joint = ll.datasets.uniform_joint(3, 6, np.random.default_rng(0))
    perfect = utility(joint, ll.optimal_response(joint, ll.PerfectPrivacy()))
    for notion in (ll.AlphaLift(2, 0, 1), ll.AlphaLift(2, 1, 0), ll.Chi2Lift(0, 1), ll.Chi2Lift(np.inf, 0)):
        assert utility(joint, ll.bracket_response(joint, notion)) == pytest.approx(perfect, abs=1e-9)


def test_rounds_and_gap_are_obeyed():
    joint, notion = ll.datasets.uniform_joint(3, 6, np.random.default_rng(0)), ll.AlphaLift(2, 0.25, 0.25)
    gaps = []
    for rounds in (1, 2, 3):
        made = ll.bracket_response(joint, notion, gap=1e-9, rounds=rounds).certificate
        assert made.rounds == rounds
        assert (made.cuts == 0) == (rounds == 1)
        gaps.append(made.gap)
    assert gaps == sorted(gaps, reverse=True)
    wide = ll.bracket_response(joint, notion, gap=gaps[1] * (1 + 1e-9)).certificate
    assert wide.rounds == 2
    assert ll.bracket_response(joint, notion, gap=gaps[1] * (1 - 1e-6)).certificate.rounds == 3


def test_boundary_points_by_hand():
    """Two secrets, S = X: at v = (1 - t, t) the lifts are 2 (1 - t) and 2 t, and the chi2-lift (1 - 2 t)^2."""
    joint = ll.Joint([[0.5, 0.0], [0.0, 0.5]])
    notion = ll.Chi2Lift(np.inf, np.log(1.5))  # (1 - 2 t)^2 <= 1/4
    found = bracket.boundary(joint, notion, np.array([[1.0, 0.0], [0.6, 0.4], [0.0, 1.0]]))
    np.testing.assert_allclose(found, [[0.75, 0.25], [0.6, 0.4], [0.25, 0.75]], atol=1e-8)


def test_bracket_refuses():
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(0))
    for notion in (ll.Chi2Lift(1, 1), ll.L1Lift(1, 1)):
        with pytest.raises(UnsupportedNotion, match=r"Lift\(.*\) allows are not convex.*or use subset_merging"):
            ll.bracket_response(joint, notion)
    for wrong, message in (
        ({"gap": 0}, "gap is 0"),
        ({"gap": np.nan}, "gap is nan"),
        ({"rounds": 0}, r"rounds is 0: give a whole number, 1 or more"),
        ({"rounds": 1.5}, "rounds is 1.5: give a whole number"),
    ):
        with pytest.raises(InvalidParameter, match=message):
            ll.bracket_response(joint, ll.AlphaLift(2, 1, 1), **wrong)


def test_bracket_says_when_it_cannot_go_on(monkeypatch):
    joint, notion = ll.datasets.uniform_joint(3, 5, np.random.default_rng(0)), ll.AlphaLift(2, 0.1, 0.1)
    monkeypatch.setattr(ll.AlphaLift, "tangents", lambda *_: np.empty((0, 5)))
    with pytest.raises(SolverFailure, match=r"no cut brings .* nearer: widen the gap"):
        ll.bracket_response(joint, notion)
    monkeypatch.undo()
    monkeypatch.setattr(bracket, "boundary", lambda *given: given[2])
    monkeypatch.setattr(bracket, "mended", lambda *_, **__: (ll.Channel.constant(5), 0.0))
    with pytest.raises(SolverFailure, match=r"no cut brings .* nearer: widen the gap"):
        ll.bracket_response(joint, notion)
