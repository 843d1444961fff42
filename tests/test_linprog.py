"""Solutions are certified, pricing finds what handing over all columns finds, and failures say by how much."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from liftlib import linprog
from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.numerics import xlogx
from liftlib.solvers.programmes import mix_columns, solve


def random_mix(seed, m, n):
    rng = np.random.default_rng(seed)
    columns = rng.dirichlet(np.full(n, 0.2), size=m)
    columns = np.concatenate([columns, np.eye(n)[: n // 2], rng.dirichlet(np.ones(n), size=n)])
    weights = rng.dirichlet(np.ones(len(columns)))
    return -xlogx(columns).sum(axis=1), columns, weights @ columns


def test_by_hand():
    """The cheaper of two ways to make (1/2, 1/2), with its multipliers."""
    solution = solve(np.array([1.0, 1.0, 0.5]), np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]]), np.array([0.5, 0.5]))
    assert solution.x.tolist() == [0, 0, 1]
    assert solution.objective == 0.5
    assert solution.dual @ [0.5, 0.5] == pytest.approx(0.5)


def test_sparse_rows():
    dense = solve(np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([1.0]))
    sparse = solve(np.array([1.0, 2.0]), csr_array(np.array([[1.0, 1.0]])), np.array([1.0]))
    assert dense.objective == sparse.objective


@pytest.mark.parametrize(("m", "n"), [(10, 4), (2000, 6), (5000, 20), (3000, 2)])
@pytest.mark.parametrize("seed", range(3))
def test_pricing_finds_the_optimum(seed, m, n):
    cost, columns, target = random_mix(seed, m, n)
    mixed, whole = mix_columns(cost, columns, target), solve(cost, columns.T, target)
    assert mixed.objective == pytest.approx(whole.objective, abs=1e-10)
    np.testing.assert_allclose(mixed.x @ columns, target, atol=1e-10)
    assert (mixed.x >= 0).all()
    assert (cost - columns @ mixed.dual).min() >= -1e-8
    assert (mixed.x > 1e-12).sum() <= n


def test_degenerate_mixes():
    """One column; the target itself a column; repeated columns; a target with zeros."""
    assert mix_columns(np.array([0.0]), np.array([[0.3, 0.7]]), np.array([0.3, 0.7])).x.tolist() == [1.0]
    cost, columns, _ = random_mix(0, 1000, 5)
    repeated = np.concatenate([columns, columns])
    target = columns[3]
    solution = mix_columns(np.concatenate([cost, cost]), repeated, target)
    assert solution.objective <= cost[3] + 1e-12
    solution = mix_columns(cost, columns, np.array([1.0, 0, 0, 0, 0]))
    assert solution.objective == pytest.approx(0)


@pytest.mark.parametrize("m", [3, 5000])
def test_infeasible_is_proven(m):
    columns = np.random.default_rng(0).dirichlet(np.ones(3), size=m) * np.array([1, 1, 0])
    columns /= columns.sum(axis=1, keepdims=True)
    with pytest.raises(InfeasiblePrivacy, match=f"no mixture of the {m} columns meets the 3 constraints"):
        mix_columns(np.ones(m), columns, np.array([0.3, 0.3, 0.4]))


def test_a_wrong_answer_is_caught(monkeypatch):
    monkeypatch.setattr(linprog._Programme, "run", lambda _: (np.array([0.5, 0.5]), np.array([1.0])))
    with pytest.raises(SolverFailure, match=r"gap 0\.5"):
        solve(np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([1.0]))
    with pytest.raises(SolverFailure, match="primal residual 1"):
        solve(np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([2.0]))


def test_a_failure_is_tried_again_with_presolve(monkeypatch):
    """Without presolve HiGHS has called feasible programmes with rows of very different size infeasible."""
    made, run = [], linprog._Programme.run

    class Doubtful(linprog._Programme):
        def __init__(self, cost, a_eq, b_eq, presolve="off"):
            made.append(presolve)
            super().__init__(cost, a_eq, b_eq, presolve)

        def run(self):
            if made == ["off"]:
                raise InfeasiblePrivacy("in doubt")
            return run(self)

    monkeypatch.setattr(linprog, "_Programme", Doubtful)
    assert solve(np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([1.0])).x.tolist() == [1.0, 0.0]
    assert made == ["off", "on"]
    made.clear()
    with pytest.raises(InfeasiblePrivacy, match="no mixture of the 1 columns meets the 2 constraints"):
        solve(np.array([1.0]), np.array([[1.0], [1.0]]), np.array([1.0, 2.0]))
    assert made == ["off", "on"]


def test_pricing_that_fails_its_check_starts_afresh(monkeypatch):
    """A worn basis: the priced answer is spoilt, and the whole programme solved anew gives the right one."""
    cost, columns, target = random_mix(1, 2000, 6)
    right, certify, failed = mix_columns(cost, columns, target), linprog._certified, []

    def once_spoilt(cost, a_eq, b_eq, x, dual):
        if not failed:
            failed.append(len(cost))
            x = x + 1e-6
        return certify(cost, a_eq, b_eq, x, dual)

    monkeypatch.setattr(linprog, "_certified", once_spoilt)
    again = mix_columns(cost, columns, target)
    assert failed == [len(cost)]
    assert again.objective == pytest.approx(right.objective, abs=1e-12)


def test_nan_is_caught(monkeypatch):
    monkeypatch.setattr(linprog._Programme, "run", lambda _: (np.array([np.nan]), np.array([1.0])))
    with pytest.raises(SolverFailure, match="primal residual nan"):
        solve(np.array([1.0]), np.array([[1.0]]), np.array([1.0]))


def test_an_unbounded_programme_is_a_failure():
    with pytest.raises(SolverFailure, match="HiGHS stopped: Unbounded"):
        solve(np.array([-1.0, 0.0]), np.array([[0.0, 1.0]]), np.array([1.0]))


@pytest.mark.parametrize("seed", range(20))
def test_few_columns_as_the_solver_has_them(seed):
    """No more columns than coordinates: one mixture or none, found without the solver and certified alike."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    columns = rng.dirichlet(np.ones(n), size=int(rng.integers(1, n + 1)))
    cost = -xlogx(columns).sum(axis=1)
    target = rng.dirichlet(np.ones(len(columns))) @ columns
    mixed, whole = mix_columns(cost, columns, target), solve(cost, columns.T, target)
    np.testing.assert_allclose(mixed.x, whole.x, atol=1e-9)
    assert mixed.objective == pytest.approx(whole.objective, abs=1e-10)
    beyond = 2 * columns[0] - columns.mean(axis=0) if len(columns) > 1 else np.roll(columns[0], 1)
    for route in (lambda: mix_columns(cost, columns, beyond), lambda: solve(cost, columns.T, beyond)):
        with pytest.raises(InfeasiblePrivacy, match="no mixture of the"):
            route()


def test_no_columns_mix_to_nothing():
    with pytest.raises(InfeasiblePrivacy, match="no mixture of the 0 columns meets the 3 constraints"):
        mix_columns(np.empty(0), np.empty((0, 3)), np.array([0.2, 0.3, 0.5]))


def test_nearly_equal_columns_are_left_to_the_solver():
    columns = np.array([[0.5, 0.5], [0.5 + 1e-9, 0.5 - 1e-9]])
    solution = mix_columns(np.array([1.0, 0.5]), columns, np.array([0.5, 0.5]))
    assert solution.primal_residual <= 1e-9
    assert linprog._only_mixture(np.array([1.0, 0.5]), columns, np.array([0.5, 0.5])) is None
