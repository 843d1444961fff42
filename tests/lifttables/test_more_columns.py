"""A release of one public column more retains hardly less."""

import itertools
import math

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from lifttables.confident.certification import for_population
from lifttables.confident.merging import confident_merging
from lifttables.confident.response import confident_response
from lifttables.encoding.reading import Reading

SIZES = (2, 5, 4, 6)
MADE = {"subset-merging": confident_merging, "optimal": confident_response}


def law_of(seed):
    """Return P(s, a, b, c): a and c depend on the secret, b does not."""
    rng = np.random.default_rng(seed)
    a, b, c = (rng.dirichlet(np.full(n, 3.0), 2) for n in SIZES[1:])
    return np.einsum("s,sa,b,sc->sabc", [0.4, 0.6], a, b[0], 0.8 * c.mean(axis=0) + 0.2 * c)


def rows_of(law, n, seed):
    cells = np.array(list(itertools.product(*map(range, law.shape))))
    drawn = cells[np.random.default_rng(seed).choice(len(cells), n, p=law.ravel())]
    return pl.DataFrame({name: [f"{name}{code}" for code in drawn[:, at]] for at, name in enumerate("sabc")})


def told(done):
    """Return I(X; Y) in the table, for the columns that are released."""
    return ll.evaluate(ll.Joint.from_counts(done.design.table), done.design.channel).mutual_information


@pytest.mark.parametrize(
    ("name", "most", "gain"), [("subset-merging", 15, 0.95), pytest.param("optimal", 25, 1.1, marks=pytest.mark.slow)]
)
def test_fewer_blocks_are_tried_and_paid_for(name, most, gain):
    made, kept = MADE[name], []
    for seed in range(4):
        counts = Reading("s", ("a", "b", "c"), rare="keep").counts(tables.open_table(rows_of(law_of(seed), 600, seed)))
        table, notion = counts.table, ll.LIP(0.6)
        found = for_population(ll.mechanisms[name], table, notion, 0.95, 1.5)
        both = [made(table, notion, chosen=1.5 + math.log(2), blocks=blocks) for blocks in (most, most // 3)]
        values = [one.certificate.value for one in both]
        assert np.array_equal(found.channel.kernel, both[int(np.argmax(values))].kernel)
        assert found.certifier.sample.chosen == pytest.approx(1.5 + math.log(2))
        assert found.certifier.keeps(found.channel)
        kept.append((made(table, notion, chosen=1.5).certificate.value, max(values)))
    assert np.mean(kept, axis=0)[1] > gain * np.mean(kept, axis=0)[0]
    few = for_population(ll.mechanisms[name], table[:, :most], notion, 0.95, 1.5)
    assert few.certifier.sample.chosen == 1.5
