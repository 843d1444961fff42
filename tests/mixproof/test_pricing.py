"""How mix_columns prices."""

import numpy as np
import pytest

from liftlib.errors import InfeasiblePrivacy
from mixproof import lp as programmes
from mixproof.lp import mix_columns
from mixproof.numerics import xlogx

N = 6


@pytest.fixture
def watched(monkeypatch):
    """Record what joins the programmes, their multipliers, and whole tables given."""
    joined, duals, handed = [], [], []

    class Watched(programmes.LinearProgram):
        def add(self, cost, columns):
            joined.append((cost, columns.T))
            super().add(cost, columns)

        def run(self, seconds=np.inf):
            x, dual = super().run(seconds)
            duals.append(dual)
            return x, dual

    whole = programmes.solve
    monkeypatch.setattr(programmes, "LinearProgram", Watched)
    monkeypatch.setattr(programmes, "solve", lambda *given: handed.append(len(given[0])) or whole(*given))
    return joined, duals, handed


def mixture(seed, m=3000):
    rng = np.random.default_rng(seed)
    columns = rng.dirichlet(np.full(N, 0.4), size=m)
    return -xlogx(columns).sum(axis=1), columns, rng.dirichlet(np.ones(m)) @ columns


@pytest.mark.parametrize("scale", [0.0, 1e-3, 1.0, 1e3, 1e5])
def test_feasible_rounds_cost_more_than_any_column_saves(watched, scale):
    _, _, handed = watched
    cost, columns, target = mixture(5)
    found = mix_columns(scale * cost, columns, target)
    assert handed == []
    np.testing.assert_allclose(found.x @ columns, target, atol=1e-9)


def test_columns_for_nothing_are_dearer_than_none_that_keep_a_round_feasible(watched):
    _, _, handed = watched
    for seed in range(10):
        rng = np.random.default_rng(seed)
        columns = rng.dirichlet(np.full(N, 0.05), size=3000)
        found = mix_columns(np.zeros(3000), columns, rng.dirichlet(np.ones(3000)) @ columns)
        assert found.objective == 0
    assert handed == []


def test_what_cannot_be_reached_is_handed_over_at_once(watched):
    _, duals, handed = watched
    columns = np.random.default_rng(0).dirichlet(np.ones(3), size=5000) * np.array([1, 1, 0])
    columns /= columns.sum(axis=1, keepdims=True)
    with pytest.raises(InfeasiblePrivacy):
        mix_columns(np.ones(5000), columns, np.array([0.3, 0.3, 0.4]))
    assert handed == [5000]
    assert len(duals) < 10


def test_the_least_of_many():
    values = np.random.default_rng(0).permutation(5000).astype(float)
    for count in (0, 1, 2, 17, 400, 4999):
        assert sorted(values[programmes._least(values, count)]) == list(range(count))
