"""Linear programs side by side, against SciPy's HiGHS."""

import numpy as np
import pytest
from scipy.optimize import linprog

from mixproof import simplex
from mixproof.simplex import ABOVE, INFEASIBLE, LOOSE, OPTIMAL, STUCK, Simplex, product


def solutions(rows, low, high, cost, least, most, limit=np.inf, bases=None):
    """The programs that share ``rows``, in the order given, with their status,
    objective and point.
    """
    count, n = cost.shape
    programs = Simplex(rows, low, high, count)
    programs.least[:, :n], programs.most[:, :n] = least, most
    programs.from_slacks(slice(0, count))
    if bases is not None:
        programs.basis[:] = bases
        programs.inverse[:] = np.linalg.inv(
            programs.columns[programs.basis].transpose(0, 2, 1)
        )
    programs.used = count
    programs.start(slice(0, count), cost, limit)
    which, found = np.arange(count), {}
    for done in programs.ended():
        ends = zip(
            which[done], programs.status[done], programs.objective[done],
            programs.points(done), programs.multipliers(done),
            programs.basis[done].copy(), strict=True,
        )  # fmt: skip
        found.update({int(at): rest for at, *rest in ends})
        which = programs.without(done, which)
    return [found[k] for k in range(count)]


def random_programs(rng, count=40):
    m, n = int(rng.integers(1, 6)), int(rng.integers(1, 12))
    rows = np.where(rng.random((m, n)) < 0.3, 0.0, rng.normal(size=(m, n)))
    if rng.random() < 0.5:  # ties
        rows, n_ties = rows.round(), 3
        cost = rng.integers(-n_ties, n_ties + 1, (count, n)).astype(float)
    else:
        cost = rng.normal(size=(count, n))
    rows /= np.maximum(1.0, np.abs(rows).max(axis=1, keepdims=True))
    middle = rows @ rng.random(n)
    width = np.where(rng.random(m) < 0.3, 0.0, rng.random(m))
    least = np.where(rng.random((count, n)) < 0.3, rng.random((count, n)) / 2, 0.0)
    most = least + np.where(rng.random((count, n)) < 0.2, 0.0, rng.random((count, n)))
    return rows, middle - width, middle + width, cost, least, most


def test_random_programs_against_highs():
    rng, counts = np.random.default_rng(0), {OPTIMAL: 0, INFEASIBLE: 0}
    for _ in range(40):
        rows, low, high, cost, least, most = random_programs(rng)
        for k, (status, objective, point, multipliers, _) in enumerate(
            solutions(rows, low, high, cost, least, most)
        ):
            bounds = np.column_stack([least[k], most[k]])
            expected = linprog(
                cost[k],
                A_ub=np.vstack([rows, -rows]),
                b_ub=np.append(high, -low),
                bounds=bounds,
                method="highs",
            )
            assert status == (OPTIMAL if expected.status == 0 else INFEASIBLE)
            counts[int(status)] += 1
            if status != OPTIMAL:
                continue
            assert objective == pytest.approx(expected.fun, abs=1e-8)
            assert cost[k] @ point == pytest.approx(expected.fun, abs=1e-8)
            assert (rows @ point >= low - 1e-9).all()
            assert (rows @ point <= high + 1e-9).all()
            # the multipliers alone prove the bound
            reduced = cost[k] - multipliers @ rows
            sides = np.minimum(multipliers * low, multipliers * high).sum()
            bound = np.minimum(reduced * least[k], reduced * most[k]).sum() + sides
            assert bound == pytest.approx(expected.fun, abs=1e-7)
    assert min(counts.values()) > 100


def test_a_program_goes_on_from_any_basis():
    rng = np.random.default_rng(1)
    for _ in range(10):
        rows, low, high, cost, least, most = random_programs(rng)
        first = solutions(rows, low, high, cost, least, most)
        ended = [at for at, one in enumerate(first) if one[0] == OPTIMAL]
        if not ended:
            continue
        bases = np.array([first[at][4] for at in ended])
        again = solutions(
            rows, low, high, cost[ended], least[ended], most[ended], bases=bases
        )
        for at, one in zip(ended, again, strict=True):
            assert one[0] == OPTIMAL
            assert one[1] == pytest.approx(first[at][1], abs=1e-8)


def test_a_limit_ends_a_program():
    rng, above = np.random.default_rng(2), 0
    for _ in range(10):
        rows, low, high, cost, least, most = random_programs(rng)
        whole = solutions(rows, low, high, cost, least, most)
        optima = np.array([one[1] if one[0] == OPTIMAL else np.inf for one in whole])
        for one, limit, best in zip(
            solutions(rows, low, high, cost, least, most, optima - 0.1),
            optima - 0.1,
            optima,
            strict=True,
        ):
            if one[0] == ABOVE:
                above += 1
                assert limit - 1e-9 <= one[1] <= best + 1e-9
    assert above > 50


@pytest.mark.parametrize(
    ("missed", "status"), [(0.9e-7, LOOSE), (1.1e-7, INFEASIBLE), (0.5e-11, OPTIMAL)]
)
def test_a_constraint_missed_by_next_to_nothing(missed, status):
    one = np.ones((1, 2))
    found = solutions(
        one,
        np.ones(1),
        np.ones(1),
        np.array([[1.0, 2.0]]),
        np.zeros((1, 2)),
        np.full((1, 2), (1 - missed) / 2),
    )
    assert found[0][0] == status


def test_steps_that_never_end_are_given_up(monkeypatch):
    monkeypatch.setattr(simplex, "MAX_STEPS", 0)
    monkeypatch.setattr(simplex, "REFACTOR_STEPS", 1)
    found = solutions(
        np.ones((1, 3)),
        np.ones(1),
        np.ones(1),
        np.ones((2, 3)),
        np.zeros((2, 3)),
        np.ones((2, 3)),
    )
    assert [one[0] for one in found] == [STUCK, STUCK]


@pytest.mark.parametrize("few", [0, 16, 1000])
def test_either_ratio_test_comes_to_the_same(few, monkeypatch):
    """By scans for the next breakpoint, or by sorting some of them."""
    rng = np.random.default_rng(3)
    sets = [random_programs(rng, 30) for _ in range(12)]
    assert max(cost.shape[1] for _, _, _, cost, _, _ in sets) > 8
    expected = [solutions(*given) for given in sets]
    monkeypatch.setattr(simplex, "FEW", few)
    monkeypatch.setattr(simplex, "SORTED", 2)
    for given, those in zip(sets, expected, strict=True):
        for one, other in zip(solutions(*given), those, strict=True):
            assert one[0] == other[0]
            assert one[0] != OPTIMAL or one[1] == pytest.approx(other[1], abs=1e-8)


@pytest.mark.parametrize("rows", [0, 1, 7, 100])
def test_a_product_in_blocks(rows, monkeypatch):
    monkeypatch.setattr(simplex, "SERIAL_PRODUCT", 100)
    rng = np.random.default_rng(4)
    left, right = rng.normal(size=(rows, 4)), rng.normal(size=(4, 9))
    np.testing.assert_allclose(product(left, right), left @ right, atol=1e-12)
