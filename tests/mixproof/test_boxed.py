"""Programmes over boxes that change."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from mixproof.lp import Boxed


def bound(multipliers, cost, rows, low, high, least, most):
    """What multipliers prove that no point of the box costs less than."""
    at_ends = np.where(multipliers > 0, low, high)
    reduced = cost - multipliers @ rows
    return float(multipliers @ at_ends + (np.where(reduced > 0, least, most) * reduced).sum())


def by_scipy(cost, rows, low, high, least, most):
    """The least cost, infinite where there is no point."""
    found = linprog(
        cost, A_ub=np.concatenate([rows, -rows]), b_ub=np.concatenate([high, -low]),
        bounds=np.column_stack([least, most]), method="highs",
    )  # fmt: skip
    assert found.status in (0, 2)
    return found.fun if found.status == 0 else math.inf


@pytest.mark.parametrize("seed", range(5))
def test_box_after_box(seed):
    rng = np.random.default_rng(seed)
    n, m = 6, 3
    rows = np.concatenate([np.ones((1, n)), rng.normal(size=(m, n))])
    low, high = np.r_[1.0, np.full(m, -0.4)], np.r_[1.0, np.full(m, 0.6)]
    boxed, empty, full = Boxed(rows, low, high), 0, 0
    for _ in range(30):
        cost, least = rng.normal(size=n), rng.random(n) * rng.choice([0.0, 0.4], size=n)
        most = np.minimum(least + rng.random(n), 1.0)
        best = by_scipy(cost, rows, low, high, least, most)
        solved, values, multipliers = boxed.solve(cost, least, most)
        if math.isinf(best):
            empty += 1
            assert (solved, values) == (False, None)
            # a ray: without a cost it proves that nothing costs less than a number above 0
            assert bound(multipliers, np.zeros(n), rows, low, high, least, most) > 1e-9
            continue
        full += 1
        assert solved
        assert cost @ values == pytest.approx(best, abs=1e-9)
        assert (values >= least - 1e-9).all()
        assert (values <= most + 1e-9).all()
        assert (rows @ values >= low - 1e-9).all()
        assert (rows @ values <= high + 1e-9).all()
        assert bound(multipliers, cost, rows, low, high, least, most) == pytest.approx(best, abs=1e-9)
    assert empty
    assert full


def test_a_threshold_ends_it_early_with_multipliers_that_show_why():
    rng, early = np.random.default_rng(0), 0
    for _ in range(10):
        n = 20
        rows = np.concatenate([np.ones((1, n)), rng.normal(size=(5, n))])
        low, high = np.r_[1.0, np.full(5, -0.1)], np.r_[1.0, np.full(5, 0.1)]
        least, most, cost = np.zeros(n), np.ones(n), rng.random(n)
        best = by_scipy(cost, rows, low, high, least, most)
        boxed = Boxed(rows, low, high)
        for cutoff in (best - 0.05, best + 0.05, -1.0, math.inf, -math.inf, 1e308):
            assert boxed.solve(-cost, least, most)[0]
            solved, values, multipliers = boxed.solve(cost, least, most, cutoff)
            assert values is not None
            assert bound(multipliers, cost, rows, low, high, least, most) > min(cutoff, best - 1e-9)
            early += not solved
            if solved:
                assert cost @ values == pytest.approx(best, abs=1e-9)
            else:
                assert cutoff < best
    assert early
