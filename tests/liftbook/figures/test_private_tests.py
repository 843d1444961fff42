"""Bounds from private counts, against sums over the noise."""

import numpy as np
import pytest
from scipy.stats import binom

from liftbook.figures.population.private_tests import (
    most_powerful_bounds,
    private_bounds,
    tulap_cdf,
)


@pytest.mark.parametrize("eps", [0.1, 0.7, 3.0])
def test_the_noise_is_discrete_laplace_and_uniform(eps):
    b, whole, x = np.exp(-eps), np.arange(-400, 401), np.linspace(-7, 7, 57)
    mass = (1 - b) / (1 + b) * b ** np.abs(whole)
    uniform = np.clip(x[:, None] - whole + 0.5, 0, 1)
    assert tulap_cdf(x, eps) == pytest.approx(uniform @ mass, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "p", "eps"), [(1, 0.5, 1.0), (20, 0.2, 0.5), (60, 0.7, 2.0)]
)
def test_a_most_powerful_bound_fails_exactly_at_its_level(n, p, eps):
    x = np.linspace(-60, n + 60, 4001)
    below = most_powerful_bounds(x, n, eps, 0.05) < p
    edge = x[below].max()
    failed = binom.pmf(np.arange(n + 1), n, p) @ tulap_cdf(edge - np.arange(n + 1), eps)
    assert failed == pytest.approx(0.05, abs=0.005)


def test_ours_are_valid_and_wider():
    rows = private_bounds((40,), (1.0,), n_trials=300, rng=3).set_index("bounds")
    assert (rows["failed"] <= 0.05 + 4 * np.sqrt(0.05 / 300)).all()
    assert rows["width"]["two cells"] > rows["width"]["most powerful"]
