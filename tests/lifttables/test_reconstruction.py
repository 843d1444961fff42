"""What the place of a released value tells of its row."""

import numpy as np
import polars as pl
from scipy import stats

import liftlib as ll
import lifttables as tables


def test_where_a_released_value_stands_says_nothing():
    n, squares = 2000, 0.0
    x = np.sort(np.random.default_rng(0).integers(4, size=n))
    frame = pl.DataFrame({"s": (x + np.arange(n)) % 2, "x": x}).cast(pl.String)
    words = {"secret": "s", "public": "x", "notion": ll.LIP(1.0)}
    for seed in range(12):
        found = tables.sanitise(frame, **words, rng=seed).frame
        assert found["x"].n_unique() > 1
        squares += (n - 1) * stats.spearmanr(
            found["x"].rank("dense"), np.arange(n)
        ).statistic ** 2
    assert stats.chi2.sf(squares, 12) > 1e-4
