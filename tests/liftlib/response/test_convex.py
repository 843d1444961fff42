"""Convex notions in the tree."""

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest
from awkward_joints import on_each_joint
from cutting_planes import between
from scipy.optimize import brentq

import liftlib as ll
from liftlib.errors import InvalidProof, LiftWarning, SolverFailure
from liftlib.notions import Polyhedral, provides
from liftlib.notions.agreement import boundary
from liftlib.response import convex
from liftlib.response.posteriors import ResponseCertificate
from mixproof import polytope, search
from mixproof.lp import mix_columns
from mixproof.numerics import KEEP_TOL, xlogx
from mixproof.proof import Proof

NOTIONS = [
    ll.AlphaLift(2, 0.3, 0.2), ll.AlphaLift(2, np.inf, 0.2),
    ll.AlphaLift(5, 0.4, np.inf), ll.AlphaLift(30, 1.0, 0.5), ll.Chi2Lift(np.inf, 0.3),
    ll.Chi2Lift(np.inf, 2.0),
]  # fmt: skip


def assert_bracketed(joint, notion, gap=1e-4):
    """Cutting planes bracket the same optimum; the channel is private and proven."""
    channel = ll.mechanisms.optimal(joint, notion, gap=gap)
    made = channel.certified(ResponseCertificate)
    assert notion.is_satisfied(joint, channel)
    assert made.value == pytest.approx(
        ll.measures.mutual_information(channel.joint_xy(joint)), abs=1e-12
    )
    assert np.isfinite(made.upper) == (
        (joint.p_x >= 1e-9).all() or made.route == "X itself"
    )
    if np.isfinite(made.upper):
        low, high = between(joint, notion)
        assert low <= made.upper + 1e-9
        assert made.value <= high + 1e-9
        assert made.gap <= max(2 * gap * made.value, 1e-7)
        assert ll.check_proof(joint, notion, channel).upper <= made.upper


@pytest.mark.parametrize("notion", NOTIONS, ids=str)
def test_against_cutting_planes(notion):
    for seed in range(4):
        joint = ll.datasets.uniform_joint(3, 5, np.random.default_rng(seed))
        assert_bracketed(joint, notion, 1e-4)


@pytest.mark.parametrize(
    "notion",
    [*NOTIONS[::2], ll.AlphaLift(2, 50, 50), ll.AlphaLift(2, 30, 0.2)],
    ids=str,
)
@on_each_joint
def test_awkward_joints(joint, notion):
    assert_bracketed(ll.Joint.from_counts(joint.p[:4, :5], drop_empty=True), notion)


def as_alip(joint, notion):
    """With two secrets a convex notion is an interval of lifts: find its two ends."""
    p = joint.p_s

    def violation(first):
        column = np.array([first, (1 - p[0] * first) / p[1]])[:, None]
        return max(
            float(need.needed[0]) - need.allowed
            for need in notion.required_budgets(column, p)
        )

    ends = [
        brentq(violation, 1, bound, xtol=1e-14) if violation(bound) > 0 else bound
        for bound in (1e-9, (1 - 1e-9) / p[0])
    ]
    likelihood = joint.s_given_x[0] / p[0]
    return np.array([likelihood - ends[0], ends[1] - likelihood])


@pytest.mark.parametrize("notion", [*NOTIONS, ll.AlphaLift(1.5, np.inf, 0.05)], ids=str)
def test_the_optimum_for_two_secrets_is_a_linear_programme(notion):
    for seed in range(3):
        joint = ll.datasets.uniform_joint(2, 5, np.random.default_rng(seed))
        rows = polytope.vertices(as_alip(joint, notion))
        optimum = (
            ll.measures.entropy(joint.p_x)
            - mix_columns(-xlogx(rows).sum(axis=1), rows, joint.p_x).objective
        )
        made = ll.mechanisms.optimal(joint, notion, gap=1e-5).certificate
        assert made.value - 1e-7 <= optimum <= made.upper + 1e-7
        assert made.gap <= 1e-5 * made.value + 1e-8


def test_where_nothing_has_to_be_done():
    joint = ll.datasets.uniform_joint(3, 5, np.random.default_rng(1))
    made = ll.mechanisms.optimal(joint, ll.AlphaLift(2, 20, 20)).certificate
    assert made.value == pytest.approx(ll.measures.entropy(joint.p_x))
    assert made.proof.points.size == 0


@pytest.mark.parametrize("eps", [0.3, 1.0, 3.0])
def test_what_a_notion_accepts_is_what_a_proof_allows_for(eps):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        joint = ll.datasets.uniform_joint(4, 6, rng)
        rows = np.concatenate([np.eye(6), rng.dirichlet(np.full(6, 0.3), 10)])
        for notion in (
            ll.AlphaLift(2, np.inf, eps), ll.AlphaLift(5, eps, np.inf),
            ll.Chi2Lift(np.inf, eps), ll.L1Lift(np.inf, eps)
        ):  # fmt: skip
            accepted = boundary(joint, notion, rows, convex.EDGE_KEEP_TOL)
            g = (
                notion.halfspaces(joint)
                if provides(notion, Polyhedral)
                else notion.tangents(joint, accepted)
            )
            room = KEEP_TOL * np.maximum(1.0, np.abs(g).max(axis=1, initial=0.0))
            assert (g @ accepted.T >= -(1 + 1e-5) * room[:, None]).all()


def test_boundary_points_by_hand():
    joint = ll.Joint([[0.5, 0.0], [0.0, 0.5]])
    notion = ll.Chi2Lift(np.inf, np.log(1.5))  # (1 - 2 t)^2 <= 1/4
    rows = np.array([[1.0, 0.0], [0.6, 0.4], [0.0, 1.0]])
    found = boundary(joint, notion, rows)
    np.testing.assert_allclose(
        found, [[0.75, 0.25], [0.6, 0.4], [0.25, 0.75]], atol=1e-8
    )


def test_more_budget_never_costs():
    joint = ll.datasets.uniform_joint(3, 6, np.random.default_rng(5))
    found = [
        ll.mechanisms.optimal(joint, ll.AlphaLift(3, eps, eps)).certificate
        for eps in (0.0, 0.1, 0.3, 1.0, 3.0)
    ]
    for tighter, looser in itertools.pairwise(found):
        assert tighter.value <= looser.upper + 1e-9


def test_a_high_order_comes_near_to_the_largest_lift():
    joint = ll.datasets.uniform_joint(3, 6, np.random.default_rng(6))
    limit = ll.mechanisms.optimal(joint, ll.ALIP(np.inf, 0.3)).certificate
    values = [
        ll.mechanisms.optimal(joint, ll.AlphaLift(alpha, np.inf, 0.3)).certificate
        for alpha in (2, 10, 300)
    ]
    for looser, tighter in itertools.pairwise(values):
        assert tighter.value <= looser.upper
    assert limit.value <= values[-1].upper
    assert values[-1].value - limit.value < 0.02


def test_beyond_enumeration():
    joint = ll.datasets.uniform_joint(4, 20, np.random.default_rng(0))
    for notion in (ll.AlphaLift(2, 0.3, 0.3), ll.Chi2Lift(np.inf, 0.3)):
        channel = ll.mechanisms.optimal(joint, notion, gap=1e-2)
        made = channel.certified(ResponseCertificate)
        assert made.gap <= 1e-2 * made.value
        assert len(made.proof.points)
        assert ll.check_proof(joint, notion, channel).upper <= made.upper
        assert (
            made.value
            >= ll.evaluate(
                joint, ll.mechanisms.subset_merging(joint, notion)
            ).mutual_information
        )


def test_other_points_prove_something_else():
    joint, notion = (
        ll.datasets.uniform_joint(3, 5, np.random.default_rng(1)),
        ll.AlphaLift(2, 0.3, 0.2),
    )
    channel = ll.mechanisms.optimal(joint, notion)
    proof = channel.certificate.proof
    points = proof.points.copy()
    points[:] = joint.p_x
    for moved in (points, proof.points[:, ::-1].copy(), proof.points[:1]):
        with pytest.raises(InvalidProof):
            ll.check_proof(
                joint, notion, channel, replace(proof, points=moved, digest="")
            )
    again = Proof.from_json(proof.to_json())
    np.testing.assert_array_equal(again.points, proof.points)
    assert (
        ll.check_proof(joint, notion, channel, again).upper <= channel.certificate.upper
    )


def test_out_of_time_is_told():
    joint = ll.datasets.uniform_joint(4, 12, np.random.default_rng(2))
    with pytest.warns(LiftWarning):
        channel = ll.mechanisms.optimal(joint, ll.AlphaLift(2, 0.3, 0.2), seconds=0)
    assert ll.AlphaLift(2, 0.3, 0.2).is_satisfied(joint, channel)
    made = channel.certificate
    best = ll.mechanisms.optimal(joint, ll.AlphaLift(2, 0.3, 0.2), gap=1e-4).certificate
    assert made.value <= best.upper
    assert made.upper >= best.value


@pytest.mark.parametrize("limit", [{"seconds": 0.0}, {"work": 1}], ids=str)
def test_never_less_than_merging(limit):
    for seed in (0, 4, 10):
        joint = ll.datasets.dirichlet_joint(5, 12, 0.3, np.random.default_rng(seed))
        for notion in (ll.AlphaLift(10, 0.1, 0.1), ll.Chi2Lift(np.inf, 0.3)):
            with pytest.warns(LiftWarning):
                made = ll.mechanisms.optimal(joint, notion, **limit).certificate
            merged = ll.evaluate(
                joint, ll.mechanisms.subset_merging(joint, notion)
            ).mutual_information
            assert merged - 1e-9 <= made.value < made.upper


def test_a_mixture_that_fails_its_check_is_taken_as_it_is(monkeypatch):
    joint, notion = (
        ll.datasets.uniform_joint(4, 8, np.random.default_rng(2)),
        ll.AlphaLift(2, 0.3, 0.2),
    )
    expected = ll.mechanisms.optimal(joint, notion).certificate
    calls = []

    def failing(rows, p_x, seconds):
        calls.append(len(rows))
        raise SolverFailure("the linear program's solution fails its check")

    monkeypatch.setattr(convex, "cheapest", failing)
    channel = ll.mechanisms.optimal(joint, notion)
    made = channel.certified(ResponseCertificate)
    assert len(calls) > 1
    assert notion.is_satisfied(joint, channel)
    assert made.value == pytest.approx(expected.value, rel=2e-6)
    assert ll.check_proof(joint, notion, channel).upper <= made.upper


def test_rounds_run_out(monkeypatch):
    joint = ll.datasets.uniform_joint(4, 8, np.random.default_rng(2))
    monkeypatch.setattr(convex, "MAX_TANGENT_ROUNDS", 2)
    with pytest.warns(LiftWarning):
        ll.mechanisms.optimal(joint, ll.AlphaLift(2, 0.3, 0.2), gap=1e-6)


def test_other_limits_are_told_as_they_are(monkeypatch):
    joint = ll.datasets.uniform_joint(4, 12, np.random.default_rng(2))
    with pytest.warns(LiftWarning):
        ll.mechanisms.optimal(joint, ll.AlphaLift(2, 0.3, 0.2), work=30)
    monkeypatch.setattr(search, "MAX_TREE_BYTES", 1.0)
    with pytest.warns(LiftWarning):
        ll.mechanisms.optimal(joint, ll.AlphaLift(2, 0.3, 0.2))


@pytest.mark.parametrize("work", [1, 30])
@pytest.mark.parametrize("notion", [ll.Chi2Lift(np.inf, 1.4e-7), ll.LIP(0.5)], ids=str)
def test_work_limits_descents_and_rounds_of_tangents(monkeypatch, work, notion):
    joint = ll.datasets.uniform_joint(6, 6, np.random.default_rng(0))
    batches = []
    plain = search.descend

    def counted(problem, dual, starts, clock):
        batches.append(len(starts))
        return plain(problem, dual, starts, clock)

    monkeypatch.setattr(search, "descend", counted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LiftWarning)
        channel = ll.mechanisms.optimal(
            joint, notion, method="tree", gap=1e-6, work=work
        )
    found = channel.certificate
    assert found.programmes <= work + 1
    # the limit is checked before a batch; a column that is found descends by itself
    last = max(batches)
    allowed = search.DESCENTS_PER_PROGRAMME * work + found.programmes
    assert sum(batches) <= allowed + last
    assert ll.check_proof(joint, notion, channel).upper <= found.upper


def test_where_symbols_are_left_out_nothing_is_proven():
    p = ll.datasets.uniform_joint(3, 5, np.random.default_rng(3)).p.copy()
    p[:, 4] *= 1e-12
    joint = ll.Joint.from_counts(p)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        channel = ll.mechanisms.optimal(joint, ll.Chi2Lift(np.inf, 0.3))
    made = channel.certified(ResponseCertificate)
    assert made.upper == np.inf
    assert made.proof is None
    assert ll.Chi2Lift(np.inf, 0.3).is_satisfied(joint, channel)


def test_a_rare_symbol_takes_weights_that_are_exact():
    joint = ll.Joint.from_counts(
        [
            [1.254404e-13, 9.735452e-06, 0.0, 3.067741e-05],
            [2.259944e-09, 0.0, 0.0, 6.133122e-01],
            [2.460956e-08, 8.578338e-02, 0.0, 0.0],
            [6.942881e-10, 1.155371e-01, 1.043417e-01, 8.098516e-02],
        ]
    )
    notion = ll.AlphaLift(3.0, 0.120714969768, np.inf)
    channel = ll.mechanisms.optimal(joint, notion, gap=1e-4)
    assert notion.is_satisfied(joint, channel)
    assert (
        ll.check_proof(joint, notion, channel).gap
        <= 1e-4 * channel.certificate.value + 1e-8
    )
