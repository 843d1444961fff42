"""The closed forms of S20's calibrated parameters, and the tailored response."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

import liftlib as ll
from liftlib.errors import InvalidParameter, UnsupportedNotion

SOLVED = [
    (ll.randomised_response, ll.randomised_response_lip, ll.randomised_response_alpha),
    (ll.unary_encoding, ll.unary_encoding_lip, ll.unary_encoding_alpha),
    (ll.conditional_reporting, ll.conditional_reporting_lip, ll.conditional_reporting_alpha),
]
each = pytest.mark.parametrize(("mechanism", "level", "solved"), SOLVED)
JOINT = ll.Joint.from_counts([[4, 1, 2, 3], [1, 5, 2, 2], [3, 3, 1, 0]])


def narrow(joint, n):
    return joint if joint.n_public <= n else ll.Joint.from_counts(joint.p[:, :n], drop_empty=True)


@each
@pytest.mark.parametrize("eps", [0.05, 0.4, 1.3, 6.0])
def test_closed_form_is_the_root_that_calibrate_finds(mechanism, level, solved, eps, joint):
    small = narrow(joint, 9)
    found, root = solved(small, eps), ll.calibrate(mechanism, small, ll.LIP(eps))
    assert level(small, found) <= eps
    if np.isfinite(root):
        # where the level hardly moves with alpha, alpha itself is not determined, its level is
        assert level(small, found) == pytest.approx(level(small, root), abs=1e-9)
    else:
        assert found == root


@each
def test_notion_is_kept_and_nearly_broken(mechanism, level, solved):
    for eps in (0.01, 0.3, 0.9):
        alpha = solved(JOINT, eps)
        assert ll.LIP(eps).leakage(JOINT, mechanism(JOINT, alpha)) == pytest.approx(eps, abs=1e-12)
        assert level(JOINT, 1.001 * alpha) > eps


def test_alpha_by_hand():
    """P(x|s) = 4/5 and 1/5, P(x) = 1/2, g = 5/4, in Fractions: the min-lift decides."""
    joint = ll.Joint([[0.4, 0.1], [0.1, 0.4]])
    g, most, least, mean = Fraction(5, 4), Fraction(4, 5), Fraction(1, 5), Fraction(1, 2)
    excess = max(most - g * mean, mean - g * least)
    odds = 1 + (g - 1) / excess
    assert odds == 2
    for solved in (ll.randomised_response_alpha, ll.unary_encoding_alpha, ll.conditional_reporting_alpha):
        assert solved(joint, np.log(1.25)) == pytest.approx(np.log(float(odds)), abs=1e-12)


@each
def test_ends(mechanism, level, solved):
    independent = ll.Joint(np.outer([0.4, 0.6], [0.25, 0.25, 0.5]))
    assert solved(independent, 0.1) == np.inf
    assert solved(JOINT, 0.0) == 0
    assert solved(JOINT, np.inf) == np.inf  # a zero cell leaks infinitely, and that is allowed
    for eps in (50.0, 800.0):
        alpha = solved(JOINT, eps)
        assert 0 < alpha <= 500
        assert ll.LIP(eps).is_kept(JOINT, mechanism(JOINT, alpha))
    for shape in ((1, 3), (3, 1)):
        assert solved(ll.Joint(np.full(shape, 1 / 3)), 0.2) == np.inf
    with pytest.raises(InvalidParameter, match="eps is nan"):
        solved(JOINT, np.nan)
    with pytest.raises(InvalidParameter, match=r"eps is -1, not in \[0, inf\]"):
        solved(JOINT, -1)


def test_unary_encoding_never_has_the_larger_alpha(joint):
    for eps in (0.1, 1.0, 3.0):
        assert ll.unary_encoding_alpha(joint, eps) <= ll.randomised_response_alpha(joint, eps) + 1e-9


def test_randomised_response_and_reporting_are_truth_or_noise():
    """P(y|s) is a mixture of P(y|s) and noise, which is uniform for GRR and the mean over s of P(y|s) for CR."""
    for alpha in (0.2, 1.0, 4.0):
        c = np.expm1(alpha)
        for mechanism, weight, noise in (
            (ll.randomised_response, c / (c + 4), np.full(4, 1 / 4)),
            (ll.conditional_reporting, c / (c + 3), JOINT.x_given_s.mean(axis=0)),
        ):
            given = mechanism(JOINT, alpha).release(JOINT).x_given_s
            np.testing.assert_allclose(given, weight * JOINT.x_given_s + (1 - weight) * noise, atol=1e-12)


def largest_truth(joint, eps_l, eps_u):
    """Truth w and noise n(y) = (1 - w) r(y), by a linear programme."""
    n = joint.n_public
    a, b = np.exp(-eps_l), np.exp(eps_u)
    rows = []
    for s in range(joint.n_secret):
        for y in range(n):
            unit = np.eye(n)[y]
            u, v = joint.x_given_s[s, y], joint.p_x[y]
            rows.append(np.concatenate([[u - b * v], (1 - b) * unit]))
            rows.append(np.concatenate([[a * v - u], (a - 1) * unit]))
    found = linprog(np.r_[-1.0, np.zeros(n)], rows, np.zeros(len(rows)), np.ones((1, n + 1)), [1.0], (0, None))
    return -found.fun


@pytest.mark.parametrize("budgets", [(0.5, 0.5), (0.8, 0.3), (0.05, 2.0)])
def test_tailored_response_tells_the_truth_as_often_as_can_be(budgets):
    for seed in range(5):
        joint = ll.datasets.dirichlet_joint(3, 5, 0.5, np.random.default_rng(seed))
        kernel = ll.tailored_response(joint, ll.ALIP(*budgets)).kernel
        # a column's entries off the diagonal are the noise alone
        noise = np.array([kernel[(y + 1) % 5, y] for y in range(5)])
        assert 1 - noise.sum() == pytest.approx(largest_truth(joint, *budgets), abs=1e-9)
        np.testing.assert_allclose(kernel - np.eye(5) * (1 - noise.sum()), np.tile(noise, (5, 1)), atol=1e-12)


@pytest.mark.parametrize(
    "notion", [ll.LIP(0.0), ll.LIP(0.3), ll.LIP(50), ll.ALIP(0.7, 0.2), ll.ALIP(np.inf, 0.4), ll.ALIP(0.4, np.inf)]
)
def test_tailored_response_keeps_its_notion(notion, joint):
    assert notion.is_kept(joint, ll.tailored_response(joint, notion))


def test_tailored_response_at_the_ends():
    independent = ll.Joint(np.outer([0.5, 0.5], [0.4, 0.3, 0.2, 0.1]))
    assert (ll.tailored_response(independent, ll.LIP(0)).kernel == np.eye(4)).all()
    kernel = ll.tailored_response(JOINT, ll.LIP(0)).kernel
    assert (kernel == kernel[0]).all()
    with pytest.raises(UnsupportedNotion, match="does not bound single lifts: give ALIP or LIP"):
        ll.tailored_response(JOINT, ll.LDP(1.0))


@pytest.mark.parametrize("notion", [ll.LIP(0.1), ll.LIP(0.9), ll.ALIP(0.3, 0.7), ll.ALIP(np.inf, 0.2)])
def test_tailored_response_is_optimal_for_two_symbols(notion):
    """The polytope of rows is an interval, and both outputs are its ends."""
    for seed in range(10):
        joint = ll.datasets.dirichlet_joint(4, 2, 0.5, np.random.default_rng(seed))
        pair = ll.tailored_response(joint, notion), ll.optimal_response(joint, notion)
        tailored, best = (ll.evaluate(joint, channel).mutual_information for channel in pair)
        assert tailored == pytest.approx(best, abs=1e-9)
