"""Polytopes with auxiliary variables."""

import json

import numpy as np
import pytest
from messages import raised, warned

import liftlib as ll
from liftlib import exact
from liftlib.proofs import check_proof, to_problem
from liftlib.response.optimal import optimal_response
from mixproof.constraints import two_sided
from mixproof.extension import Extended
from mixproof.local import caps_of
from mixproof.polytope import vertices
from mixproof.problem import Problem
from mixproof.search import cheapest_mixture
from mixproof.sparse_vertices import sparse_vertices, sparse_vertices_by_cuts


def joint_of(seed, shape=(5, 6), concentration=1.0, zeros=0.0):
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.full(shape[0] * shape[1], concentration)).reshape(shape)
    table[rng.random(shape) < zeros] = 0.0
    table += 1e-3 * (table.sum(axis=1, keepdims=True) == 0) + 1e-3 * (
        table.sum(axis=0) == 0
    )
    return ll.Joint(table / table.sum())


def notions_drawn(kind, rng, seeds):
    """Yield a joint, the halfspaces of a notion, and their extension, of each seed."""
    for seed in seeds:
        joint, notion = joint_of(seed), kind(rng.uniform(0.1, 2))
        yield joint, notion.halfspaces(joint), notion.extension(joint)


LDP_OR_L1 = pytest.mark.parametrize(
    "kind", [ll.LDP, lambda eps: ll.L1Lift(np.inf, eps / 4)], ids=["LDP", "l1"]
)


@LDP_OR_L1
def test_both_descriptions_have_the_same_points(kind):
    rng, inside = np.random.default_rng(0), 0.0
    for joint, table, extension in notions_drawn(kind, rng, range(20)):
        share = rng.random((300, 1))
        points = share * rng.dirichlet(np.full(6, 0.7), 300) + (1 - share) * joint.p_x
        # LDP: u has to lie between the largest lift and e^eps times the least; l1: the
        # least u is as good as any
        forms = points @ extension.forms.T
        u = (
            forms.max(axis=1, keepdims=True)
            if len(extension.upper) == 1
            else np.maximum(forms[:, :-1], 0.0)
        )
        assert (u <= extension.upper + 1e-12).all()
        extended = (np.column_stack([points, u]) @ extension.halfspaces.T).min(
            axis=1
        ) >= -1e-12
        np.testing.assert_allclose(
            extension.worst(forms)[0], (points @ table.T).min(axis=1), atol=1e-12
        )
        assert extension.n_halfspaces == len(table)
        np.testing.assert_array_equal(
            extended, (points @ table.T).min(axis=1) >= -1e-12
        )
        inside += extended.mean() / 20
        at_target = extension.halfspaces @ np.append(joint.p_x, extension.inside)
        assert at_target.min() >= -1e-12
    assert 0.1 < inside < 0.9  # both kinds of points were drawn


@LDP_OR_L1
@pytest.mark.parametrize("seed", range(5))
def test_multipliers_are_pulled_back_to_halfspaces(kind, seed):
    rng = np.random.default_rng(seed)
    ((_, table, extension),) = notions_drawn(kind, rng, [seed])
    shape = (200, len(extension.halfspaces))
    weights = rng.exponential(size=shape) * (rng.random(shape) < 0.5)
    weights[:50, -1] += 5.0
    found, used, cost = extension.pull_back(weights)
    own, auxiliary = extension.halfspaces[:, :6], extension.halfspaces[:, 6:]
    np.testing.assert_allclose(
        cost, np.maximum(weights @ auxiliary, 0) @ extension.upper, atol=1e-11
    )
    assert found.min() >= 0
    assert (found @ table[used] <= weights @ own + cost[:, None] + 1e-14).all()
    # balanced multipliers lose nothing but what a secret is matched with itself
    assert (cost == 0).any()
    assert (cost > 0).any()


@LDP_OR_L1
def test_any_multipliers_prove_caps(kind):
    """Also where they leave a slope of an auxiliary variable."""
    rng = np.random.default_rng(2)
    for joint, table, extension in notions_drawn(kind, rng, range(10)):
        inside = np.append(joint.p_x, extension.inside)
        ranges = Extended.of(extension).ranges
        slack = np.zeros(len(extension.halfspaces))
        problem = Problem.of(ranges, slack, inside, extension.upper)
        most = vertices(table).max(axis=0)
        for size in (0.01, 0.1, 1.0):
            multipliers = size * rng.normal(size=(6, len(ranges.rows)))
            assert (caps_of(problem, multipliers) >= most - 1e-9).all()


@LDP_OR_L1
def test_the_bound_of_a_box_is_no_better_than_what_halfspaces_prove(kind):
    rng = np.random.default_rng(1)
    for _, halfspaces, extension in notions_drawn(kind, rng, range(20)):
        hull = Extended.of(extension)
        ranges = hull.ranges
        y = rng.normal(size=(1, len(ranges.rows)))
        sides, weights = hull.pulled_back(y)
        proof, table = weights[0], halfspaces[sides[:, 0]]
        # of the box
        points, u = rng.random((300, 6)), rng.random((300, 1)) * extension.upper
        value = (
            np.where(y >= 0, ranges.low, ranges.high)[0] @ y[0]
            - np.column_stack([points, u]) @ ranges.rows.T @ y[0]
        )
        # at a point of the box, which need not lie on the simplex, u at its best
        u_slopes = y[0] @ ranges.rows[:, 6:]
        value += u @ u_slopes - np.maximum(0.0, u_slopes * extension.upper).sum()
        translated = proof[-1] - points @ (proof[:-1] @ table + proof[-1])
        assert (translated >= value - 1e-9).all()


@LDP_OR_L1
@pytest.mark.parametrize("seed", range(3))
def test_sparse_vertices_are_those_of_the_halfspaces(kind, seed):
    joint, notion = joint_of(seed, (5, 12)), kind([0.3, 1.0, 3.0][seed])
    one = sparse_vertices(two_sided(notion.halfspaces(joint)))
    other = sparse_vertices_by_cuts(notion.extension(joint))
    both = [each.points(np.arange(each.share.size), 12) for each in (one, other)]
    assert both[0].shape == both[1].shape
    for rows in (both, both[::-1]):
        assert (
            np.abs(rows[0][:, None] - rows[1])
            .max(axis=2)
            .min(axis=1, initial=2.0)
            .max(initial=0.0)
            < 1e-9
        )


@LDP_OR_L1
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_is_that_of_the_halfspaces(kind, seed):
    joint, notion = joint_of(seed, (4, 6), 0.5), kind([0.2, 0.7, 1.5, 4.0][seed])
    table = notion.halfspaces(joint)
    found = [
        cheapest_mixture(table, joint.p_x, slack=1e-9, extension=extension)
        for extension in (None, notion.extension(joint))
    ]
    assert found[0].cost == pytest.approx(found[1].cost, abs=3e-6)
    for one, other in (found, found[::-1]):
        assert one.proven.bound <= other.cost + 1e-8


def test_its_proof_refers_to_pairs_or_sets_of_secrets():
    for seed, zeros in enumerate([0.0, 0.0, 0.3, 0.3]):
        joint, eps = joint_of(seed, (5, 7), 0.4, zeros), [0.3, 2.0, 0.5, 6.0][seed]
        for notion in (ll.LDP(eps), ll.L1Lift(np.inf, eps / 6)):
            channel = optimal_response(joint, notion, method="tree", gap=1e-4)
            found = check_proof(joint, notion, channel)
            assert found.gap <= 1e-4 * found.value + 1e-8
            assert (
                exact.check(json.loads(to_problem(joint, notion, channel))).upper
                <= channel.certificate.upper
            )


def test_the_l1_lift_of_many_secrets():
    joint, notion = joint_of(4, (62, 9)), ll.L1Lift(np.inf, 0.3)
    channel = optimal_response(joint, notion, gap=1e-2)
    assert notion.is_satisfied(joint, channel)
    found = check_proof(joint, notion, channel)
    assert found.gap <= 1e-2 * found.value + 1e-8
    assert channel.certificate.proof.sides.max() > 2**40
    with raised(ll.UnsupportedNotion):
        optimal_response(joint, notion, method="qhull")
    with raised(ll.UnsupportedNotion):
        optimal_response(joint_of(4, (63, 9)), notion)


@pytest.mark.parametrize("eps", [0.0, 1e-7, 40.0, np.inf])
def test_extreme_budgets_are_left_to_the_halfspaces(eps):
    joint = joint_of(0)
    assert ll.LDP(eps).extension(joint) is None
    assert ll.LDP(0.5).extension(joint_of(0, (3, 6))) is None
    assert ll.LDP(eps).is_satisfied(
        joint, optimal_response(joint, ll.LDP(eps), method="tree", gap=1e-3)
    )


def test_limits_are_kept_with_many_pairs_of_secrets():
    joint, notion = joint_of(11, (20, 18)), ll.LDP(1.0)
    with warned(ll.LiftWarning):
        channel = optimal_response(joint, notion, work=500)
    assert 0 < channel.certificate.programmes <= 4500
    assert np.isfinite(channel.certificate.upper)
