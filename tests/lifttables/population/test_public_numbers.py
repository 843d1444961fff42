"""What pays for a choice, and what only public numbers decide."""

import numpy as np
import pytest

import liftlib as ll
from lifttables.confident.subset_lattice import MAX_ROWS, rows_needed
from lifttables.population import noisy as module
from lifttables.population.noisy import MANY_ROWS, ROWS_SHARE, NoisySample


@pytest.mark.parametrize("ways", [1, 4, 1000])
@pytest.mark.parametrize("c", [0.5, 1.0])
def test_the_intervals_of_the_rows_pay_for_the_choice_among_designs(c, ways):
    """Each design has intervals of its own, which fail with its part of the share: by
    every error that noise makes.
    """
    n, own, n_secret, confidence = 9000, 4000, 3, 0.95
    pmf, zero = module._error_of_rows(2, n_secret, c)
    failing = 0.0
    for error, chance in zip(np.arange(len(pmf)) - zero, pmf, strict=True):
        # noisy numbers of rows from which the first secret's is estimated with this
        # error
        first = own - -error // n_secret
        rest = n + n_secret * -(-error // n_secret) - error - first
        sample = NoisySample(
            [[first, 0], [rest, 0], [0, 0]], n, c, confidence, np.log(ways)
        )
        assert sample._seen_rows[0] == n_secret * own + error
        rows = sample.groups[0]
        failing += 0.0 if rows.least <= own <= rows.most else chance
    assert 0 < n_secret * failing <= ROWS_SHARE * (1 - confidence) / ways


def test_the_number_of_rows_that_is_tested_decides_the_kind_of_test(monkeypatch):
    """A p-value of a number of rows may not be chosen by what was seen, which another
    noise would change.
    """
    asked = []

    def recorded(bounds):
        def bounds_of(rows, seen, cells, log_level, c):
            asked.append((bounds, rows.least, rows.most))
            return np.ones(log_level.shape)

        return bounds_of

    for name in ("upper_bounds", "chernoff_bounds"):
        monkeypatch.setattr(module, name, recorded(name))
    for own in (
        MANY_ROWS - 4000,
        MANY_ROWS - 10,
        MANY_ROWS,
        MANY_ROWS + 10,
        MANY_ROWS + 4000,
    ):
        table = np.array([[own // 2, own - own // 2], [300, 200]])
        NoisySample(table, own + 500, 1.0).misses(
            ll.LIP(1.0), np.array([[True, False]])
        )
    assert {kind for kind, _, _ in asked} == {"upper_bounds", "chernoff_bounds"}
    assert all(least <= most for _, least, most in asked)
    assert all(
        (kind == "upper_bounds") == (least <= MANY_ROWS) for kind, least, _ in asked
    )
    assert all(
        (kind == "upper_bounds") == (most <= MANY_ROWS) for kind, _, most in asked
    )


@pytest.mark.parametrize("rows", [60, 5000, 10**6])
def test_the_rows_needed_are_within_32_bits(rows):
    """Also where only a number beyond a browser's arrays and integers would do."""
    counts = np.round(rows * np.array([[0.4999, 0.4999], [0.0001, 0.0001]]))
    sample = NoisySample(counts, rows, 1.0)
    found = rows_needed(sample, ll.LIP(0.001))
    assert found == np.inf or rows < found <= MAX_ROWS * 1.05
