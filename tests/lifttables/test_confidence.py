"""The population by default, and what it costs that rows choose their own symbols."""

import math

import numpy as np
import polars as pl
import pytest
from messages import raised
from table_of_people import counts_of

import liftlib as ll
from lifttables.population.sample import Sample


def test_choices_of_the_rows_are_counted():
    frame = pl.DataFrame(
        {
            "s": ["a", "b"] * 30,
            "x": ["u"] * 20 + ["v"] * 20 + ["w"] * 14 + ["y"] * 3 + ["z"] * 3,
            "n": [*range(10)] * 6,
        }
    )
    pooled = counts_of(frame, "s", "x", rare="pool")
    assert pooled.chosen == pytest.approx(math.log(math.comb(5, 2)))
    given = counts_of(frame, "s", "n", bins=("n=3,6",))
    assert given.chosen == 0
    first, notion = [[True, False, False, False]], ll.LIP(1.0)
    found = [
        Sample(pooled.table, 0.95, chosen).misses(notion, first)
        for chosen in (0, pooled.chosen)
    ]
    assert (found[1] > found[0]).all()
    # a chance of error ten times smaller is what ten choices cost
    tenth = Sample(pooled.table, 1 - 0.05 / 10).misses(notion, first)
    assert np.allclose(found[1], tenth)


def test_a_pool_of_symbols_that_were_rarer_than_they_are():
    rng, n = np.random.default_rng(0), 4000
    x_mass = np.concatenate([np.full(n, 2.0), np.full(n, 5.5)]) / (7.5 * n)
    of_secret = np.concatenate([np.full(n, 0.2), np.full(n, 0.9)])
    missed, missed_with, notion = 0, 0, ll.LDP(0.0)
    for _ in range(5):
        table = rng.multinomial(
            int(7.5 * n), np.concatenate([x_mass * of_secret, x_mass * (1 - of_secret)])
        )
        table = table.reshape(2, -1).astype(float)
        pool = table.sum(axis=0) < 5
        of = [
            (x_mass * share)[pool].sum() / (x_mass * share).sum()
            for share in (of_secret, 1 - of_secret)
        ]
        true = of[0] * math.exp(-notion.eps) - of[1]
        counts = np.column_stack(
            [table[:, pool].sum(axis=1), table[:, ~pool].sum(axis=1)]
        )
        chosen = (
            math.lgamma(2 * n + 1)
            - math.lgamma(pool.sum() + 1)
            - math.lgamma((~pool).sum() + 1)
        )
        for at, sample in enumerate((Sample(counts), Sample(counts, 0.95, chosen))):
            outside = sample.misses(notion, [[True, False]])[0, 0] < true
            missed, missed_with = (
                missed + (outside and at == 0),
                missed_with + (outside and at == 1),
            )
    assert (missed, missed_with) == (5, 0)


@pytest.mark.parametrize("chosen", [-1, math.nan, math.inf, "1"])
def test_chosen_is_a_number_of_nats(chosen):
    with raised(ll.LiftError):
        Sample([[1, 2]], 0.95, chosen)
