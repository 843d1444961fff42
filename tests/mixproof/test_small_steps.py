"""Single steps of the search for the cheapest mixture, each by hand."""

import math

import numpy as np
import pytest
from loops import interpreted
from scipy.optimize import linprog

from mixproof import branch_and_bound as tree
from mixproof import primal, simplex
from mixproof.constraints import two_sided
from mixproof.problem import Problem


def looped(name):
    """A function of the primal simplex itself, whether or not numba compiles it."""
    return interpreted(getattr(primal, name))


@pytest.mark.parametrize(("apart", "known"), [(0.0, True), (0.9e-11, True), (1.1e-11, False), (-1.1e-11, False)])
def test_rows_join_once(apart, known):
    rows, costs = np.zeros((5, 3)), np.zeros(5)
    first = np.array([[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]])
    count = looped("join")(rows, costs, 0, first)
    assert count == 2
    for place in range(3):
        more = first[:1].copy()
        more[0, place] += apart
        assert looped("join")(rows.copy(), costs.copy(), count, more) == (2 if known else 3)
    np.testing.assert_array_equal(rows[:2], first)
    np.testing.assert_allclose(costs[:2], [1.5 * math.log(2), math.log(2)])
    assert looped("join")(rows, costs, count, np.array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])) == 3
    assert costs[2] == 0


def looped_mixed(rows, target, basis, dear=8.0, steps=400):
    """``primal.mixed`` over rows that have joined, with what is 0 left out."""
    n = len(target)
    table, costs = np.zeros((len(rows) + 2, n)), np.zeros(len(rows) + 2)
    count = looped("join")(table, costs, 0, np.array(rows, dtype=float))
    given = table, costs, count, dear, np.array(target, dtype=float), np.array(basis), np.eye(n)
    return looped("mixed")(*given, steps, (4.0, 1e9, 1e-11)), table[:count], costs[:count]


def test_a_basis_that_would_need_less_than_nothing_of_a_row_is_no_mixture():
    (well, *_), _, _ = looped_mixed([[0.5, 0.5], [0.9, 0.1]], [0.95, 0.05], [2, 3], steps=100)
    assert not well


def test_mixtures_of_rational_rows():
    rng = np.random.default_rng(5)
    for _ in range(120):
        n = int(rng.integers(2, 6))
        rows = rng.integers(0, 4, (int(rng.integers(1, 12)), n)) + np.eye(n)[rng.integers(0, n)]
        rows = rows / rows.sum(axis=1, keepdims=True)
        target = rng.dirichlet(np.ones(len(rows))) @ rows
        (well, cost, _, dual, weights), table, costs = looped_mixed(rows, target, range(n))
        best = linprog(costs, A_eq=table.T, b_eq=target, method="highs")
        assert well
        assert cost == pytest.approx(best.fun, abs=1e-9)
        np.testing.assert_allclose(weights @ table, target, atol=1e-9)
        assert (costs - table @ dual >= -1e-9).all()


@pytest.fixture
def thirds():
    """At least a third of either of two symbols."""
    g = np.array([[2.0, -1.0], [-1.0, 2.0]])
    return Problem.of(two_sided(g), np.zeros(2), np.array([0.5, 0.5]))


def test_a_basis_that_led_nowhere_is_not_gone_on_from(thirds, monkeypatch):
    """Where a programme is given up the next starts from the slacks."""
    from mixproof.compiled import Compiled  # numba takes a second to import

    one, starts = Compiled(thirds), []
    n, m = thirds.columns.shape

    def given_up(*given):
        work = given[-1]
        starts.append(work[5].tolist())
        work[5][:] = 0
        return simplex.STUCK, 0.0

    monkeypatch.setattr(simplex, "solve", given_up)
    for name, given in (
        ("largest", (np.ones(n), np.zeros((n, m)), 0, n)),
        ("descend", (np.zeros(n), np.full((3, n), 1 / n), 5, np.zeros((3, n)), np.full(3, math.inf))),
    ):
        starts.clear()
        interpreted(getattr(tree, name))(thirds, *given, one._works[0])
        assert len(starts) > 1
        assert starts == [list(range(n, n + m))] * len(starts)
