"""Polytopes with auxiliary variables: the same points, the same optimum, and proofs in terms of halfspaces."""

import numpy as np
import pytest

import liftlib as ll
from liftlib.proofs import check_proof
from liftlib.response.optimal import optimal_response
from mixproof.extension import Extended
from mixproof.search import cheapest_mixture

ROUTES = [pytest.param(True, id="compiled"), pytest.param(False, id="plain")]


def joint_of(seed, shape=(5, 6), concentration=1.0, zeros=0.0):
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.full(shape[0] * shape[1], concentration)).reshape(shape)
    table[rng.random(shape) < zeros] = 0.0
    table += 1e-3 * (table.sum(axis=1, keepdims=True) == 0) + 1e-3 * (table.sum(axis=0) == 0)
    return ll.Joint(table / table.sum())


def test_both_descriptions_have_the_same_points():
    rng, inside = np.random.default_rng(0), 0.0
    for seed in range(20):
        joint, notion = joint_of(seed), ll.LDP(rng.uniform(0.1, 2))
        table, extension = notion.halfspaces(joint), notion.extension(joint)
        share = rng.random((300, 1))
        points = share * rng.dirichlet(np.full(6, 0.7), 300) + (1 - share) * joint.p_x
        # u has to lie between the largest lift and e^eps times the least: the largest is as good as any
        u = (points @ (joint.s_given_x / joint.p_s[:, None]).T).max(axis=1)
        assert u.max() <= extension.upper[0] + 1e-12
        extended = (np.column_stack([points, u]) @ extension.halfspaces.T).min(axis=1) >= -1e-12
        np.testing.assert_array_equal(extended, (points @ table.T).min(axis=1) >= -1e-12)
        inside += extended.mean() / 20
        at_target = extension.halfspaces @ np.append(joint.p_x, extension.inside)
        assert at_target.min() >= -1e-12
    assert 0.1 < inside < 0.9  # both kinds of points were drawn


@pytest.mark.parametrize("seed", range(5))
def test_multipliers_are_pulled_back_to_halfspaces(seed):
    rng = np.random.default_rng(seed)
    joint, notion = joint_of(seed), ll.LDP(rng.uniform(0.1, 2))
    table, extension = notion.halfspaces(joint), notion.extension(joint)
    weights = rng.exponential(size=(200, len(extension.halfspaces))) * (rng.random((200, 10)) < 0.5)
    found, cost = extension.pull_back(weights)
    own, auxiliary = extension.halfspaces[:, :-1], extension.halfspaces[:, -1]
    np.testing.assert_allclose(cost, np.maximum(weights @ auxiliary, 0) * extension.upper[0], atol=1e-12)
    assert found.min() >= 0
    assert (found @ table <= weights @ own + cost[:, None] + 1e-12).all()
    # balanced multipliers lose nothing but what a secret is matched with itself
    assert (cost == 0).any()
    assert (cost > 0).any()


def test_the_bound_of_a_box_is_no_better_than_what_halfspaces_prove():
    """What the search believes of a box, by inequalities, follows from the proof's multipliers of the halfspaces."""
    rng = np.random.default_rng(1)
    for seed in range(20):
        joint, notion = joint_of(seed), ll.LDP(rng.uniform(0.1, 2))
        extension = notion.extension(joint)
        hull = Extended.of(extension, len(notion.halfspaces(joint)))
        ranges = hull.ranges
        y = rng.normal(size=(1, len(ranges.rows)))
        proof = hull.weights(y)[0]
        points, u = rng.random((300, 6)), rng.random((300, 1)) * extension.upper
        value = (
            np.where(y >= 0, ranges.low, ranges.high)[0] @ y[0] - np.column_stack([points, u]) @ ranges.rows.T @ y[0]
        )
        # at a point of the box, which need not lie on the simplex, u at its best
        u_slope = y[0] @ ranges.rows[:, -1]
        value += u[:, 0] * u_slope - max(0.0, u_slope * extension.upper[0])
        translated = proof[-1] - points @ (proof[:-1] @ notion.halfspaces(joint) + proof[-1])
        assert (translated >= value - 1e-9).all()


@pytest.mark.parametrize("compiled", ROUTES)
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_is_that_of_the_halfspaces(compiled, seed):
    joint, notion = joint_of(seed, (4, 6), 0.5), ll.LDP([0.2, 0.7, 1.5, 4.0][seed])
    table = notion.halfspaces(joint)
    found = [
        cheapest_mixture(table, joint.p_x, slack=1e-9, compiled=compiled, extension=extension)
        for extension in (None, notion.extension(joint))
    ]
    assert found[0].cost == pytest.approx(found[1].cost, abs=3e-6)
    for one, other in (found, found[::-1]):
        assert one.proven.bound <= other.cost + 1e-8


@pytest.mark.parametrize("compiled", ROUTES)
def test_its_proof_refers_to_pairs_of_secrets(compiled):
    for seed, zeros in enumerate([0.0, 0.0, 0.3, 0.3]):
        joint, notion = joint_of(seed, (5, 7), 0.4, zeros), ll.LDP([0.3, 2.0, 0.5, 6.0][seed])
        channel = optimal_response(joint, notion, method="tree", gap=1e-4, compiled=compiled)
        found = check_proof(joint, notion, channel)
        assert found.gap <= 1e-4 * found.value + 1e-8
        assert channel.certificate.proof.sides.shape == (20, 2)


@pytest.mark.parametrize("eps", [0.0, 1e-7, 40.0, np.inf])
def test_extreme_budgets_are_left_to_the_halfspaces(eps):
    joint = joint_of(0)
    assert ll.LDP(eps).extension(joint) is None
    assert ll.LDP(0.5).extension(joint_of(0, (3, 6))) is None
    assert ll.LDP(eps).is_satisfied(joint, optimal_response(joint, ll.LDP(eps), method="tree", gap=1e-3))


def test_limits_are_kept_with_many_pairs_of_secrets():
    """With a limit no vertices are listed, which nothing could interrupt (20 secrets have 380 halfspaces)."""
    joint, notion = joint_of(11, (20, 18)), ll.LDP(1.0)
    with pytest.warns(ll.LiftWarning, match="the programmes were over"):
        channel = optimal_response(joint, notion, programmes=500)
    assert 0 < channel.certificate.programmes <= 4500
    assert np.isfinite(channel.certificate.upper)
