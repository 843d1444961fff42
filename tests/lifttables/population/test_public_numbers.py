"""What pays for a choice, and what only public numbers decide."""

import numpy as np
import pytest

import liftlib as ll
from lifttables.confident.subset_lattice import MAX_ROWS, rows_needed
from lifttables.population import noisy as module
from lifttables.population.noisy import ROWS_SHARE, WIDE_ROWS, NoisySample


@pytest.mark.parametrize("ways", [1, 4, 1000])
@pytest.mark.parametrize("c", [0.5, 1.0])
def test_the_intervals_of_the_rows_pay_for_the_choice_among_designs(c, ways):
    """Each design has intervals of its own, which fail with its part of the share: by every error that noise makes."""
    n, own, n_secret, confidence = 9000, 4000, 3, 0.95
    pmf, zero = NoisySample(np.ones((n_secret, 2)), n, c)._error
    failing = 0.0
    for error, chance in zip(np.arange(len(pmf)) - zero, pmf, strict=True):
        # noisy numbers of rows from which the first secret's is estimated with this error
        first = own - -error // n_secret
        rest = n + n_secret * -(-error // n_secret) - error - first
        sample = NoisySample([[first, 0], [rest, 0], [0, 0]], n, c, confidence, np.log(ways))
        assert sample._seen_rows[0] == n_secret * own + error
        rows = sample.groups[0]
        failing += 0.0 if rows.least <= own <= rows.most else chance
    assert 0 < n_secret * failing <= ROWS_SHARE * (1 - confidence) / ways


@pytest.mark.parametrize("more", [0, 1])
def test_the_kind_of_bounds_depends_on_the_number_of_all_rows_alone(more, monkeypatch):
    asked = []

    def recorded(name):
        def bounds(*words):
            asked.append(name)
            return np.ones(words[3].shape)

        return bounds

    for name in ("upper_bounds", "wide_bounds"):
        monkeypatch.setattr(module, name, recorded(name))
    n = WIDE_ROWS + more
    # noise may put one group on either side of the limit
    for extra in (-50, 50):
        table = np.array([[n // 2, n - n // 2 + extra], [3, 2]])
        NoisySample(table, n, 1.0).misses(ll.LIP(1.0), np.array([[True, False]]))
    assert set(asked) == {"wide_bounds" if more else "upper_bounds"}


@pytest.mark.parametrize("rows", [60, 5000, 10**6])
def test_the_rows_needed_are_within_32_bits(rows):
    """Also where only a number beyond a browser's arrays and integers would do."""
    counts = np.round(rows * np.array([[0.4999, 0.4999], [0.0001, 0.0001]]))
    sample = NoisySample(counts, rows, 1.0)
    found = rows_needed(sample, ll.LIP(0.001))
    assert found == np.inf or rows < found <= MAX_ROWS * 1.05
