"""What is released follows the channel, and nothing else is."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import liftlib as ll
from lifttables.encoding.columns import ROWS, Column
from lifttables.encoding.counting import count
from lifttables.sources.randomness import SystemRandom, generator, note_on


def fits(one):
    """Whether a mechanism serves ALIP on Adult's five races."""
    return one.serves(ll.ALIP(1.0, 0.5)) and (one.most_symbols is None or one.most_symbols >= 5)


def test_system_random_is_uniform_and_does_not_repeat():
    numbers = SystemRandom().random(100_000)
    assert stats.kstest(numbers, "uniform").pvalue > 1e-6
    assert not np.array_equal(numbers[:10], SystemRandom().random(10))


def test_a_seed_may_be_as_long_as_it_likes():
    """And each is another, where a float would be the same for two."""
    for seed in (2**53, 2**53 + 1, 10**400, np.int64(3)):
        assert generator(seed).random() == np.random.default_rng(seed).random()
    assert note_on(10**400).startswith("drawn from the seed 1000")
    assert note_on(10**5000).startswith("drawn from the seed int too long to write: ")
    with pytest.raises(ll.InvalidParameter, match=r"^rng is -1: give a whole number, 0 or more$"):
        generator(-1)


def test_counts_are_of_the_rows():
    counted = pl.DataFrame({"s": ["a", "b"], "x": ["u", "u"], ROWS: [7, 3]})
    found = count(counted, [Column("s")], [Column("x")])
    assert found.table.tolist() == [[7], [3]]
