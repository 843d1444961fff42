"""The master problem against SciPy."""

import numpy as np
import pytest
from scipy.optimize import linprog

from liftlib.errors import SolverFailure
from mixproof import restricted_master
from mixproof.constraints import two_sided
from mixproof.numerics import entropies, xlogx
from mixproof.restricted_master import RestrictedMaster, cleaned
from mixproof.sparse_vertices import sparse_vertices


def by_scipy(rows, target):
    found = linprog(-xlogx(rows).sum(axis=1), A_eq=rows.T, b_eq=target, method="highs")
    assert found.status == 0
    return found.fun


def test_against_scipy_as_rows_join():
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 7, 17):
        target = rng.dirichlet(np.ones(n))
        master = RestrictedMaster(target)
        cost, dual, weights = master.run()
        assert cost == pytest.approx(-xlogx(target).sum())
        assert weights.tolist() == pytest.approx([1.0])
        for _ in range(6):
            master.add(rng.dirichlet(np.full(n, 0.3), size=3 * n))
            cost, dual, weights = master.run()
            assert cost == pytest.approx(by_scipy(master.rows, target), abs=1e-9)
            np.testing.assert_allclose(weights @ master.rows, target, atol=1e-9)
            assert weights.min() >= 0
            assert weights.size == len(master.rows)
            assert dual @ target == pytest.approx(cost, abs=1e-9)
            assert (entropies(master.rows) - master.rows @ dual).min() >= -1e-9


def test_ties_do_not_go_round_in_circles():
    n = 9
    target = np.full(n, 1 / n)
    first, second = np.triu_indices(n, 1)
    pairs = np.zeros((first.size, n))
    pairs[np.arange(first.size), first] = pairs[np.arange(first.size), second] = 0.5
    triples = np.zeros((n // 3, n))
    for at in range(n // 3):
        triples[at, 3 * at : 3 * at + 3] = 1 / 3
    master = RestrictedMaster(target)
    master.add(triples)
    assert master.run()[0] == pytest.approx(np.log(3))
    master.add(pairs)
    cost, _, weights = master.run()
    assert cost == pytest.approx(np.log(2))
    np.testing.assert_allclose(weights @ master.rows, target, atol=1e-12)


def test_what_is_there_does_not_join_again():
    target = np.array([0.5, 0.3, 0.2])
    master = RestrictedMaster(target)
    row = np.array([[0.7, 0.3, 0.0]])
    assert master.add(row) == 1
    assert master.add(row) == 0
    assert master.add(row + np.array([1e-13, -1e-13, 1e-14])) == 0
    assert master.add(row + np.array([1e-6, -1e-6, 0.0])) == 1
    assert master.add(target[None]) == 0
    assert len(master.rows) == 3


def test_columns_one_by_one():
    rng = np.random.default_rng(2)
    target = rng.dirichlet(np.ones(3))
    master = RestrictedMaster(target)
    for row in rng.dirichlet(np.ones(3), size=8 * 3 + 64):
        assert master.add(row[None]) == 1
        assert master.run()[0] == pytest.approx(by_scipy(master.rows, target), abs=1e-9)


def test_rounding_is_cleaned_away():
    found = cleaned(np.array([[0.5, 0.5 - 1e-14, 1e-14], [0.2, 0.3, 0.5]]))
    assert found[0].tolist() == pytest.approx([0.5, 0.5, 0.0])
    assert found[0, 2] == 0.0
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-15)
    np.testing.assert_allclose(found[1], [0.2, 0.3, 0.5], rtol=1e-15)


def test_a_billionth_is_no_rounding():
    kept = cleaned(np.array([[0.5, 0.5 - 1e-10, 1e-10]]))[0, 2]
    assert kept == pytest.approx(1e-10, rel=1e-12, abs=0)


@pytest.mark.parametrize("rare", [1e-3, 1e-6, 2e-9])
def test_a_rare_coordinate_is_reached_without_its_unit_vector(rare):
    target = np.array([0.5 - rare, 0.5, rare])
    master = RestrictedMaster(target)
    master.add(np.eye(3)[:2])
    cost, dual, weights = master.run()
    np.testing.assert_allclose(weights @ master.rows, target, rtol=0, atol=1e-11)
    assert cost == pytest.approx(-xlogx(target).sum())
    assert dual @ target == pytest.approx(cost)
    # at the price that unit vectors have by now, a row that saves little still joins
    # the mixture
    # half of each is the target
    two = np.array([[0.49 - rare, 0.51, rare], [0.51 - rare, 0.49, rare]])
    master.add(two)
    cost, dual, weights = master.run()
    assert cost == pytest.approx(-xlogx(two).sum() / 2, abs=1e-8)
    np.testing.assert_allclose(weights @ master.rows, target, rtol=0, atol=1e-11)


def test_those_that_save_most_are_offered():
    rng = np.random.default_rng(4)
    for n, scale in ((4, 0.2), (4, 3.0), (9, 1.0), (30, 1.0)):
        target = rng.dirichlet(np.ones(n))
        table = sparse_vertices(two_sided(rng.normal(size=(3, n)) + 0.5))
        dual = scale * rng.normal(size=n)
        prices = table.prices(dual)
        expected = np.argsort(prices)[
            : min(
                restricted_master.PRICED_PER_COORDINATE * n, int((prices < -1e-9).sum())
            )
        ]
        master = RestrictedMaster(target)
        assert master.price(table, dual) == len(expected)
        found = {tuple(row) for row in master.rows[1:].round(9)}
        assert found == {tuple(row) for row in table.points(expected, n).round(9)}
        assert (
            RestrictedMaster(target).price(table, np.full(n, 1e-10)) == 0
        )  # each coordinate alone saves less than counts


def test_a_worn_out_programme_starts_afresh(monkeypatch):
    rng = np.random.default_rng(2)
    target = rng.dirichlet(np.ones(4))
    master = RestrictedMaster(target)
    master.add(rng.dirichlet(np.full(4, 0.3), size=20))
    expected, right = master.run()[0], restricted_master.LinearProgram.run
    calls = []

    def fails_once(self, *seconds):
        calls.append(self)
        if len(calls) == 1:
            raise SolverFailure("worn out")
        return right(self, *seconds)

    monkeypatch.setattr(restricted_master.LinearProgram, "run", fails_once)
    assert master.run()[0] == pytest.approx(expected)
    assert len(calls) == 2
    assert calls[0] is not calls[1]
