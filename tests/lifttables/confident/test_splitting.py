"""The rows that choose symbols and the rows that certify a design."""

import numpy as np
import pytest

from lifttables.population.sample import SELECTION_SHARE, split


@pytest.mark.parametrize(
    "p", [[[0.3, 0.2], [0.1, 0.4]], [[0.1] * 5] * 2], ids=["2x2", "2x5"]
)
def test_counts_of_the_two_parts_are_uncorrelated_for_one_seed(p):
    p, tables = np.array(p), 1000
    draws = np.random.default_rng(5).multinomial(2000, p.ravel(), size=tables)
    some, others = np.array(
        [split(one.reshape(p.shape).astype(float), 0) for one in draws]
    ).swapaxes(0, 1)
    assert (some.sum(axis=(1, 2)) == round(SELECTION_SHARE * 2000)).all()
    found = [
        np.corrcoef(a, b)[0, 1]
        for a, b in zip(
            some.reshape(tables, -1).T, others.reshape(tables, -1).T, strict=True
        )
    ]
    # an independent pair exceeds this once in 150,000 times
    assert np.abs(found).max() < 4.5 / np.sqrt(tables)


def test_a_split_is_deterministic_and_takes_a_generator():
    counts = np.arange(12.0).reshape(3, 4)
    assert all(
        (one == other).all()
        for one, other in zip(split(counts, 7), split(counts, 7), strict=True)
    )
    a, b = split(counts, np.random.default_rng(7))
    assert (a + b == counts).all()
    assert (a >= 0).all()
