"""The least share of a constant release."""

import numpy as np
import pytest

import liftlib as ll
from lifttables.confident.response import mixed_parts
from lifttables.population.sample import Parts, Sample
from mixproof.numerics import KEEP_TOL


@pytest.mark.parametrize("seed", range(4))
def test_a_mixture_keeps_the_notion_with_half_of_the_tolerance_to_spare(seed):
    """The excess of the mixture, which only the bisection knows."""
    rng = np.random.default_rng(seed)
    sample, notion = Sample(rng.integers(50, 200, (3, 4)), 0.9), ll.LIP(0.1)
    parts = Parts.nested(rng.dirichlet(np.ones(3), 4))
    made, share = mixed_parts(sample, notion, parts)
    assert 0 < share < 1
    misses = sample.misses(notion, made.member, KEEP_TOL / 2)
    assert (misses @ made.weights).max() <= 1e-15
    p_y, less = sample.weights @ parts.kernel, share - 1e-6
    everyone = np.ones((1, 4), dtype=bool)
    nearly = Parts(
        np.vstack([parts.member, everyone]),
        np.vstack([(1 - less) * parts.weights, less * p_y]),
    )
    assert (sample.misses(notion, nearly.member, KEEP_TOL) @ nearly.weights).max() > 0
