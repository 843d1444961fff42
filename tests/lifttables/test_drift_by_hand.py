"""The p-value of drift by permutations of single rows, and by every division."""

import itertools
import math
from collections import Counter

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from lifttables.releases.drift import N_PERMUTATIONS, SIGNIFICANCE_LEVEL, drift_of


def rows_of(counts):
    cells = [cell for cell, n in counts.items() for _ in range(n)]
    return pl.DataFrame(cells, schema=["s", "x"], orient="row")


def design_of(counts):
    words = {"secret": "s", "public": "x", "notion": ll.LIP(2.0), "resamples": 0, "confidence": None}
    return tables.sanitise(rows_of(counts), **words).design


def pearson(one, other):
    """Return Pearson's statistic of two rows of counts."""
    total = sum(one) + sum(other)
    found = 0.0
    for a, b in zip(one, other, strict=True):
        for seen, size in ((a, sum(one)), (b, sum(other))):
            expected = (a + b) * size / total
            found += (seen - expected) ** 2 / expected
    return found


class Shuffled:
    """Divides rows by shuffling, and remembers what it took and what was left."""

    def __init__(self, seed):
        self.rng, self.divisions = np.random.default_rng(seed), []

    def multivariate_hypergeometric(self, pooled, n, method):  # noqa: ARG002
        rows = self.rng.permutation(np.repeat(np.arange(len(pooled)), pooled))
        taken, left = (np.bincount(part, minlength=len(pooled)) for part in (rows[:n], rows[n:]))
        self.divisions.append((taken, left))
        return taken


OLD = {("a", "u"): 30, ("a", "v"): 12, ("b", "u"): 10, ("b", "v"): 28}
NEW = {
    "fewer new rows": {("a", "u"): 9, ("a", "v"): 9, ("b", "u"): 5, ("b", "v"): 8},
    "more new rows": {("a", "u"): 60, ("a", "v"): 40, ("b", "u"): 35, ("b", "v"): 60},
    "as many, with a new symbol": {("a", "u"): 28, ("a", "w"): 2, ("a", "v"): 12, ("b", "u"): 10, ("b", "v"): 28},
    "one cell alone": {("a", "v"): 3},
    "a rare cell": {("a", "u"): 10, ("b", "u"): 3, ("b", "v"): 9, ("c", "u"): 1},
}


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("with_secret", [True, False])
def test_the_p_value_is_that_of_a_permutation_test_of_the_rows(name, with_secret):
    made, rng, new = design_of(OLD), Shuffled(0), rows_of(NEW[name])
    found = drift_of(tables.open_table(new if with_secret else new.select("x")), made, rng)
    old, fresh = (
        Counter(cell if with_secret else cell[1] for cell, n in counts.items() for _ in range(n))
        for counts in (OLD, NEW[name])
    )
    cells = sorted({*old, *fresh})
    old, fresh = ([counts[cell] for cell in cells] for counts in (old, fresh))
    real, as_far = pearson(old, fresh), 0
    for taken, left in rng.divisions:
        assert (taken + left).tolist() == [a + b for a, b in zip(old, fresh, strict=True)]
        assert taken.sum() in (sum(old), sum(fresh))
        as_far += pearson(taken, left) >= real * (1 - 1e-9)
    assert len(rng.divisions) == N_PERMUTATIONS == 999
    assert found.p_value == (1 + as_far) / 1000


def chance_of(taken, pooled):
    """Return the chance that these rows are taken: products of binomial coefficients."""
    ways = math.prod(math.comb(a, b) for a, b in zip(pooled, taken, strict=True))
    return ways / math.comb(sum(pooled), sum(taken))


@pytest.mark.parametrize("new", [{"u": 7, "v": 3, "w": 2}, {"u": 2, "v": 6, "w": 4}, {"u": 20, "v": 25, "w": 30}])
def test_the_p_value_by_every_division_there_can_be(new):
    old = {"u": 14, "v": 9, "w": 7}
    made = design_of({("ab"[i % 2], x): n for i, (x, n) in enumerate(old.items())})
    frame = pl.DataFrame({"x": [x for x, n in new.items() for _ in range(n)]})
    found = drift_of(tables.open_table(frame), made, np.random.default_rng(1))
    pooled, size = [old[x] + new[x] for x in old], sum(new.values())
    real, exact = pearson(list(old.values()), list(new.values())), 0.0
    for u, v in itertools.product(range(pooled[0] + 1), range(pooled[1] + 1)):
        taken = [u, v, size - u - v]
        if not 0 <= taken[2] <= pooled[2]:
            continue
        if pearson(taken, [a - b for a, b in zip(pooled, taken, strict=True)]) >= real * (1 - 1e-9):
            exact += chance_of(taken, pooled)
    assert 0.0 < exact < 1.0
    assert abs(found.p_value - exact) < 5 * math.sqrt(exact * (1 - exact) / 999) + 1 / 1000


def test_the_least_and_the_largest_p_value():
    made = design_of({cell: 10 * n for cell, n in OLD.items()})
    far = {("a", "u"): 5, ("a", "v"): 300, ("b", "u"): 300, ("b", "v"): 5}
    found = drift_of(tables.open_table(rows_of(far)), made, np.random.default_rng(0))
    assert found.p_value == 1 / 1000 == SIGNIFICANCE_LEVEL
    assert found.differs
    same = drift_of(tables.open_table(rows_of(OLD)), made, np.random.default_rng(0))
    assert same.p_value == 1.0
    assert not same.differs
