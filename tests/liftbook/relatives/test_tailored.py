"""The tailored response."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import linprog

import liftlib as ll

JOINT = ll.Joint.from_counts([[4, 1, 2, 3], [1, 5, 2, 2], [3, 3, 1, 0]])


@dataclass(frozen=True)
class OneByOne(ll.notions.LiftNotion):
    """Bounds on single lifts that differ between secrets."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def required_budgets(self, lift, _):
        with np.errstate(divide="ignore"):
            log = np.log(lift)
        low = (-log - np.array(self.lower)[:, None]).max(axis=-2)
        high = (log - np.array(self.upper)[:, None]).max(axis=-2)
        return (
            ll.notions.RequiredBudget("lower", low, 0.0),
            ll.notions.RequiredBudget("upper", high, 0.0),
        )

    def lift_bounds(self, _):
        return ll.notions.LiftBounds(
            np.array(self.lower), np.array(self.upper), exact=True
        )


def largest_truth(joint, lower, upper):
    """Truth w and noise n(y) = (1 - w) r(y), by a linear programme."""
    n = joint.n_public
    rows = []
    for s in range(joint.n_secret):
        a, b = (
            np.exp(sign * np.broadcast_to(eps, joint.n_secret)[s])
            for sign, eps in ((-1, lower), (1, upper))
        )
        for y in range(n):
            unit = np.eye(n)[y]
            u, v = joint.x_given_s[s, y], joint.p_x[y]
            rows.append(np.concatenate([[u - b * v], (1 - b) * unit]))
            rows.append(np.concatenate([[a * v - u], (a - 1) * unit]))
    found = linprog(
        np.r_[-1.0, np.zeros(n)],
        rows,
        np.zeros(len(rows)),
        np.ones((1, n + 1)),
        [1.0],
        (0, None),
    )
    return -found.fun


NOTIONS = [
    (ll.LIP(0.5), 0.5, 0.5),
    (ll.ALIP(0.8, 0.3), 0.8, 0.3),
    (ll.ALIP(0.05, 2.0), 0.05, 2.0),
    (ll.AlphaLift(np.inf, 0.4, 0.2), 0.4, 0.2),
    (OneByOne((0.5, 0.1, 2.0), (0.3, 0.8, 0.2)), (0.5, 0.1, 2.0), (0.3, 0.8, 0.2)),
]


@pytest.mark.parametrize(("notion", "lower", "upper"), NOTIONS, ids=str)
def test_tailored_response_tells_the_truth_as_often_as_can_be(notion, lower, upper):
    for seed in range(5):
        joint = ll.datasets.dirichlet_joint(3, 5, 0.5, np.random.default_rng(seed))
        channel = ll.mechanisms.tailored(joint, notion)
        assert notion.is_satisfied(joint, channel)
        # a column's entries off the diagonal are the noise alone
        noise = np.array([channel.kernel[(y + 1) % 5, y] for y in range(5)])
        assert 1 - noise.sum() == pytest.approx(
            largest_truth(joint, lower, upper), abs=1e-9
        )
        np.testing.assert_allclose(
            channel.kernel - np.eye(5) * (1 - noise.sum()),
            np.tile(noise, (5, 1)),
            atol=1e-12,
        )


@pytest.mark.filterwarnings("error")
def test_the_smallest_budget_leaves_noise_alone():
    joint = ll.Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    assert np.allclose(ll.mechanisms.tailored(joint, ll.LIP(5e-324)).kernel, joint.p_x)


def test_tailored_response_at_the_ends():
    independent = ll.Joint(np.outer([0.5, 0.5], [0.4, 0.3, 0.2, 0.1]))
    assert (ll.mechanisms.tailored(independent, ll.LIP(0)).kernel == np.eye(4)).all()
    kernel = ll.mechanisms.tailored(JOINT, ll.LIP(0)).kernel
    assert (kernel == kernel[0]).all()


@pytest.mark.parametrize(
    "notion", [ll.LIP(0.1), ll.LIP(0.9), ll.ALIP(0.3, 0.7), ll.ALIP(np.inf, 0.2)]
)
def test_tailored_response_is_optimal_for_two_symbols(notion):
    """The polytope of rows is an interval, and both outputs are its ends."""
    for seed in range(10):
        joint = ll.datasets.dirichlet_joint(4, 2, 0.5, np.random.default_rng(seed))
        pair = (
            ll.mechanisms.tailored(joint, notion),
            ll.mechanisms.optimal(joint, notion),
        )
        tailored, best = (
            ll.evaluate(joint, channel).mutual_information for channel in pair
        )
        assert tailored == pytest.approx(best, abs=1e-9)
