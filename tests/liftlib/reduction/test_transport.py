"""Linear reduction against I21's equations, its Example 1 and its programme."""

import numpy as np
import pytest
from awkward_joints import on_each_joint
from messages import raised
from scipy.optimize import linprog

import liftlib as ll
from liftlib.errors import InvalidParameter, SolverFailure
from liftlib.reduction import transport
from mixproof.lp import solve

EXAMPLE = ll.Joint(
    np.array([[0.3], [0.7]]) * np.array([[0.2, 0.1, 0.5, 0.2], [0.5, 0.3, 0.1, 0.1]]),
    [1, 2],
    list("abcd"),
)
mechanisms = (
    ll.mechanisms.linear_reduction,
    ll.mechanisms.markov_reduction,
    ll.mechanisms.secret_aware_reduction,
)
SHARES = [0.0, 0.25, 0.5, 1.0]


def cheapest(joint, share, cost):
    """Problem (10) of I21 with linear cost, one secret at a time, over all kernels."""
    n, total = joint.n_public, 0.0
    for s in range(joint.n_secret):
        source = joint.x_given_s[s]
        target = (1 - share) * source + share * joint.p_x
        rows = [np.repeat(np.eye(n)[x], n) for x in range(n)] + [
            np.kron(source, np.eye(n)[y]) for y in range(n)
        ]
        found = linprog(
            np.kron(source, np.ones(n)) * cost.ravel(),
            A_eq=rows,
            b_eq=[*np.ones(n), *target],
        )
        assert found.status == 0
        total += joint.p_s[s] * found.fun
    return total


def paid(joint, channel, cost):
    return (channel.joint_xy(joint) * cost).sum()


@pytest.mark.parametrize("share", SHARES)
@on_each_joint
def test_both_reach_the_same_conditionals(joint, share):
    wanted = (1 - share) * joint.x_given_s + share * joint.p_x
    for make in mechanisms:
        channel = make.at(joint, share)
        reached = np.einsum(
            "sx,sxy->sy",
            joint.x_given_s,
            np.broadcast_to(
                channel.kernel, (joint.n_secret, *channel.kernel.shape[-2:])
            ),
        )
        np.testing.assert_allclose(reached, wanted, atol=1e-12)
        assert (
            np.abs(
                ll.lift(channel.release(joint)) - 1 - (1 - share) * (ll.lift(joint) - 1)
            ).max()
            < 1e-8
        )
        np.testing.assert_allclose(
            channel.joint_xy(joint).sum(axis=0), joint.p_x, atol=1e-12
        )


def test_example_1_entries():
    """I21 Example 1, share 1/2: the entries that eq. (11) fixes are those printed."""
    kernel = ll.mechanisms.secret_aware_reduction.at(EXAMPLE, 0.5).kernel[0]
    np.testing.assert_allclose(np.diag(kernel), [1, 1, 0.72, 0.825])
    np.testing.assert_allclose(EXAMPLE.p_x, [0.41, 0.24, 0.22, 0.13])
    # the other printed entries, one solution of many, meet (11d) and (11e) too
    c, d = np.array([0.21, 0.07]), np.array([0.0, 0.175])
    np.testing.assert_allclose(c.sum(), 1 - 0.72)
    np.testing.assert_allclose(d.sum(), 1 - 0.825)
    np.testing.assert_allclose(
        0.5 * c + 0.2 * d, 0.5 * (EXAMPLE.p_x - EXAMPLE.x_given_s[0])[:2]
    )


def test_example_1_numbers_differ_from_print():
    """Printed: I = 0.36, D_TV = 0.68 Markov; I = 1.19, D_TV = 0.23 non-Markov."""
    markov, aware = (
        ll.mechanisms.linear_reduction.at(EXAMPLE, 0.5),
        ll.mechanisms.secret_aware_reduction.at(EXAMPLE, 0.5),
    )
    distance = [1 - np.trace(channel.joint_xy(EXAMPLE)) for channel in (markov, aware)]
    np.testing.assert_allclose(
        distance, [0.5 * (1 - (EXAMPLE.p_x**2).sum()), 0.105], atol=1e-12
    )
    assert distance[0] == pytest.approx(0.3545)
    assert ll.evaluate(EXAMPLE, markov).mutual_information == pytest.approx(
        0.297, abs=5e-4
    )
    # the printed solution's own kernel, for both secrets' printed or only solution
    kernel = aware.kernel.copy()
    kernel[0, 2, :2], kernel[0, 3, :2] = [0.21, 0.07], [0.0, 0.175]
    assert ll.evaluate(EXAMPLE, ll.Channel(kernel)).mutual_information == pytest.approx(
        0.942, abs=0.03
    )


@pytest.mark.parametrize("share", [0.3, 0.6, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_no_kernel_costs_less(seed, share):
    joint = ll.datasets.dirichlet_joint(3, 6, 0.5, np.random.default_rng(seed))
    apart = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    make = ll.mechanisms.secret_aware_reduction.at
    # what is moved is what a distortion is if none is named
    for cost, named in ((1 - np.eye(6), None), (apart, apart), (apart**2, apart**2)):
        channel = make(joint, share, distortion=named)
        assert paid(joint, channel, cost) == pytest.approx(
            cheapest(joint, share, cost), abs=1e-8
        )


def test_squared_distances_break_proposition_2():
    joint = ll.Joint(np.array([[0.3, 0.15, 0.05], [0.05, 0.15, 0.3]]))
    cost = np.subtract.outer(np.arange(3.0), np.arange(3.0)) ** 2
    optimal = ll.mechanisms.secret_aware_reduction.at(joint, 0.5, distortion=cost)
    saturated = ll.mechanisms.secret_aware_reduction.at(
        joint, 0.5, distortion=np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    )
    assert paid(joint, optimal, cost) < paid(joint, saturated, cost) - 0.05


@pytest.mark.parametrize(
    "mechanism", [ll.mechanisms.markov_reduction, ll.mechanisms.secret_aware_reduction]
)
def test_wrong_distortion(mechanism):
    with raised(InvalidParameter):
        mechanism.at(EXAMPLE, 0.5, distortion=np.eye(2))
    with raised(InvalidParameter):
        mechanism.at(EXAMPLE, 0.5, distortion=np.eye(4) - np.eye(4, k=1))


def test_markov_reduction_has_the_printed_costs():
    rng = np.random.default_rng(0)
    joint, cost = (
        ll.datasets.uniform_joint(3, 5, rng),
        rng.random((5, 5)) * (1 - np.eye(5)),
    )
    channel = ll.mechanisms.linear_reduction.at(joint, 0.3)
    assert paid(joint, channel, cost) == pytest.approx(
        0.3 * joint.p_x @ cost @ joint.p_x
    )
    assert paid(joint, channel, 1 - np.eye(5)) == pytest.approx(
        0.3 * (1 - joint.p_x @ joint.p_x)
    )


def cheapest_markov(joint, share, cost):
    """Problem (10) over kernels P(y|x), dense and with one unknown less a row."""
    n = joint.n_public
    off = [(x, y) for x in range(n) for y in range(n) if x != y]
    target = (1 - share) * joint.x_given_s + share * joint.p_x
    rows, right = [], []
    for s in range(joint.n_secret):
        for y in range(n):
            rows.append([joint.x_given_s[s, x] * ((z == y) - (x == y)) for x, z in off])
            right.append(target[s, y] - joint.x_given_s[s, y])
    moved = [[float(x == row) for x, _ in off] for row in range(n)]
    found = linprog(
        [joint.p_x[x] * cost[x, y] for x, y in off],
        moved,
        np.ones(n),
        rows,
        right,
        method="highs-ipm",
    )
    assert found.status == 0
    return found.fun


@pytest.mark.parametrize("share", [0.2, 0.7, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_no_markov_kernel_costs_less(seed, share):
    joint = ll.datasets.dirichlet_joint(3, 6, 0.5, np.random.default_rng(seed))
    for cost in (
        1 - np.eye(6),
        np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0))),
    ):
        channel = ll.mechanisms.markov_reduction.at(joint, share, distortion=cost)
        assert not channel.sees_secret
        assert paid(joint, channel, cost) == pytest.approx(
            cheapest_markov(joint, share, cost), abs=1e-8
        )


def test_light_symbols_do_not_upset_the_programme():
    rng = np.random.default_rng(3)
    joints = [
        ll.Joint.from_counts(rng.random((3, 7)) * [1, 1, 1, 1, 1e-3, 1e-5, 10.0**-k])
        for k in range(5, 12)
    ]
    joints += [ll.datasets.dirichlet_joint(4, 20, 0.1, rng) for _ in range(10)]
    for joint in joints:
        out = ll.mechanisms.markov_reduction.at(joint, 0.6).release(joint)
        assert np.abs(ll.lift(out) - 1 - 0.4 * (ll.lift(joint) - 1)).max() < 1e-6
        cost = 1 - np.eye(joint.n_public)
        costs = [paid(joint, make.at(joint, 0.6), cost) for make in mechanisms]
        assert costs[2] - 1e-9 <= costs[1] <= costs[0] + 1e-9


def test_an_answer_that_misses_is_refused(monkeypatch):
    def crooked(cost, a_eq, b_eq):
        found = solve(cost, a_eq, b_eq)
        return type(found)(found.x + 1e-4, found.dual, found.objective, 0.0, 0.0, 0.0)

    monkeypatch.setattr(transport, "solve", crooked)
    with raised(SolverFailure):
        ll.mechanisms.markov_reduction.at(EXAMPLE, 0.5)


def test_full_rank_leaves_lemma_1_alone():
    joint = ll.datasets.uniform_joint(6, 4, np.random.default_rng(0))
    np.testing.assert_allclose(
        ll.mechanisms.markov_reduction.at(joint, 0.6).kernel,
        ll.mechanisms.linear_reduction.at(joint, 0.6).kernel,
        atol=1e-7,
    )
    cost = 1 - np.eye(4)
    assert paid(EXAMPLE, ll.mechanisms.markov_reduction.at(EXAMPLE, 0.5), cost) < 0.22
    assert paid(
        EXAMPLE, ll.mechanisms.linear_reduction.at(EXAMPLE, 0.5), cost
    ) == pytest.approx(0.3545)
