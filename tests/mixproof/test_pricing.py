"""How mix_columns prices."""

import numpy as np
import pytest

from liftlib.errors import InfeasiblePrivacy
from mixproof import lp as programmes
from mixproof.lp import Solution, mix_columns, solve
from mixproof.numerics import FEASIBILITY_TOL, GAP_TOL, xlogx

N = 6


@pytest.fixture
def watched(monkeypatch):
    """Record what joins the programmes, their multipliers, and whole tables given."""
    joined, duals, handed = [], [], []

    class Watched(programmes.LinearProgram):
        def add(self, cost, columns):
            joined.append((cost, columns.T))
            super().add(cost, columns)

        def run(self):
            x, dual = super().run()
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


def indices(columns, some):
    where = {column.tobytes(): at for at, column in enumerate(columns)}
    return [where[one.tobytes()] for one in np.ascontiguousarray(some)]


@pytest.mark.parametrize("seed", range(3))
def test_the_cheapest_start_and_the_most_improving_join(watched, seed):
    joined, duals, handed = watched
    _, columns, _ = mixture(seed)
    # a column near the target is dear to none but to the target, so that few of the best are there at the start
    target = np.array([0.4, 0.25, 0.15, 0.1, 0.06, 0.04])
    cost = (columns**2).sum(axis=1) + 0.2 * np.random.default_rng(seed).random(len(columns))
    mix_columns(cost, columns, target)
    assert handed == []
    first = set(np.argsort(cost)[: 4 * N]).union(*(np.argsort(cost - columns[:, x])[:4] for x in range(N)))
    known = indices(columns, joined[0][1])
    assert sorted(known) == sorted(first)
    assert len(joined) == len(duals) > 2
    for (price, some), dual in zip(joined[1:], duals, strict=False):
        reduced = cost - columns @ dual
        reduced[known] = 0
        wanted = [at for at in np.argsort(reduced)[: 4 * N] if reduced[at] < -GAP_TOL]
        found = indices(columns, some)
        assert sorted(found) == sorted(wanted)
        np.testing.assert_array_equal(price, cost[found])
        known += found


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


def test_an_answer_that_fails_its_check_is_not_asked_for_again(watched, monkeypatch):
    _, _, handed = watched
    cost, columns, target = mixture(1)
    certify, spoilt = programmes.certify, []

    def first_spoilt(cost, a_eq, b_eq, x, dual):
        spoilt.append(len(spoilt) == 0)
        return certify(cost, a_eq, b_eq, x + 1e-6 * spoilt[-1], dual)

    monkeypatch.setattr(programmes, "certify", first_spoilt)
    mix_columns(cost, columns, target)
    assert (handed, spoilt) == ([3000], [True, False])


def test_the_least_of_many():
    values = np.random.default_rng(0).permutation(5000).astype(float)
    for count in (0, 1, 2, 17, 400, 4999):
        assert sorted(values[programmes._least(values, count)]) == list(range(count))


def test_solutions_are_values_that_are_told_apart():
    first, second = (solve(np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([1.0])) for _ in range(2))
    assert isinstance(first, Solution)
    assert len({first, second}) == 2
    with pytest.raises(AttributeError):
        first.objective = 0.0
    assert first.primal_residual <= FEASIBILITY_TOL
