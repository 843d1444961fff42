"""What a card tells of its table, by an attacker who knows the program.

The attacker holds the true table and others in which up to three people have another
secret, so that n and the public counts are the same, makes each one's card with this
very program, and keeps those whose card is the published one.
"""

import numpy as np
import polars as pl
from scipy import stats

import liftlib as ll
import lifttables as tables
from lifttables.encoding.columns import Column, Symbols

SIX = np.array([[30, 14, 25, 9, 40, 21], [22, 31, 12, 27, 19, 50]]) * 400
SECRET = Symbols((Column("s"),), (("s0",), ("s1",)))
PUBLIC = Symbols((Column("x"), Column("z")), tuple((x, z) for x in "ab" for z in "pqr"))

BLUNT = {
    "watchdog", "subset-merging", "best-partition", "funnel-merging", "extremal",
}  # fmt: skip
"""Mechanisms whose very channel is the same for tables near one another: symbols
merged, or a closed form.
"""


def neighbours(n, seed=0):
    """Tables in which one to three people have the other secret."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        counts = SIX.copy()
        for _ in range(rng.integers(1, 4)):
            x, s = rng.integers(6), rng.integers(2)
            counts[s, x] -= 1
            counts[1 - s, x] += 1
        if (counts != SIX).any():
            yield counts


def laws_table(n_s, n_x, rows, seed):
    """Rows of a law whose secrets share 60 % of the distribution of the symbols."""
    rng = np.random.default_rng([77, n_s, n_x, seed])
    p_s, base = rng.dirichlet(np.full(n_s, 8.0)), rng.dirichlet(np.full(n_x, 2.0))
    law = p_s[:, None] * np.stack(
        [0.6 * base + 0.4 * rng.dirichlet(np.ones(n_x)) for _ in range(n_s)]
    )
    return (
        np.random.default_rng([5, seed])
        .multinomial(rows, law.ravel())
        .reshape(n_s, n_x)
    )


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
