"""The optimum as the budget goes to 0, by another route.

With as many symbols as secrets and P(s|x) invertible, an output's lifts determine its posterior, and to second order
I(X; Y) is half the largest chi-square distance of a posterior from P_X. This is the small-budget approximation of
Zamani, Sadeghi and Skoglund (arXiv 2501.11757, for LIP; their earlier work for the chi2-criterion).
"""

import itertools

import numpy as np
import pytest

import liftlib as ll

EPS = 1e-3


def joints(n):
    source = np.random.default_rng(n)
    for _ in range(4):
        p = source.dirichlet(np.ones(n * n)).reshape(n, n) + np.eye(n) / 2
        yield ll.Joint(p / p.sum())


def largest_over_the_box(joint):
    """Half the largest chi-square distance over lifts in [1 - t, 1 + t], for t = 1."""
    n, inverse, best = joint.n_secret, np.linalg.inv(joint.s_given_x), 0.0
    for free in range(n):
        others = [s for s in range(n) if s != free]
        for signs in itertools.product((-1, 1), repeat=n - 1):
            moved = np.zeros(n)
            moved[others] = np.array(signs) * joint.p_s[others]
            moved[free] = -moved.sum()
            if abs(moved[free]) <= joint.p_s[free]:
                best = max(best, float(((inverse @ moved) ** 2 / joint.p_x).sum() / 2))
    return best


def largest_singular_value(joint):
    """Half the square of the largest singular value across P_S^(1/2)."""
    matrix = np.diag(joint.p_x**-0.5) @ np.linalg.inv(joint.s_given_x) @ np.diag(joint.p_s**0.5)
    basis, _ = np.linalg.qr(np.c_[np.sqrt(joint.p_s), np.eye(joint.n_secret)])
    return float(np.linalg.norm(matrix @ basis[:, 1 : joint.n_secret], 2) ** 2 / 2)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_lip(n):
    for joint in joints(n):
        found = ll.evaluate(joint, ll.mechanisms.optimal(joint, ll.LIP(EPS))).mutual_information
        assert found / EPS**2 == pytest.approx(largest_over_the_box(joint), rel=3 * EPS)


@pytest.mark.parametrize("joint", [joint for n in (2, 3, 4) for joint in joints(n)], ids=lambda one: str(one.p.shape))
def test_chi2_lift(joint):
    notion = ll.Chi2Lift(np.inf, EPS)
    found = ll.evaluate(joint, ll.mechanisms.optimal(joint, notion)).mutual_information
    assert found / np.expm1(EPS) ** 2 == pytest.approx(largest_singular_value(joint), rel=3 * EPS)
