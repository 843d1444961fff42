"""Groups of an ordered column are neighbours, unless these retain clearly less."""

import numpy as np
import pytest

import liftlib as ll
from lifttables.confident.merging import confident_merging
from lifttables.confident.subset_lattice import GAP_COST, gaps, united
from lifttables.encoding.columns import MISSING, RARE, Column, Symbols
from lifttables.encoding.naming import texts_of_outputs


def symbols(*labels, **words):
    return Symbols((Column("x", **words),), tuple((label,) for label in labels))


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["2", "10", "9"], {}),
        (["2026-02", "2026-11", "2026-10"], {}),
        (["18-29", "75+", "30-44"], {}),
        (["< 20", ">= 40", "[20, 40)"], {"edges": (20.0, 40.0)}),
    ],
)
def test_labels_that_have_an_order(labels, words):
    assert symbols(*labels, MISSING, RARE, **words).places.tolist()[:3] == [0, 2, 1]
    assert np.isnan(symbols(*labels, MISSING, RARE, **words).places[3:]).all()


def test_labels_that_have_none():
    assert symbols("north", "10", "9").places is None
    assert symbols("10", "9", categorical=True).places is None
    assert Symbols((Column("x"), Column("y")), (("1", "2"), ("2", "1"))).places is None


@pytest.mark.parametrize("seed", range(4))
def test_neighbours_cost_at_most_the_price_of_each_gap(seed):
    counts = np.random.default_rng(seed).multinomial(3000, np.full(16, 1 / 16)).reshape(2, 8)
    counts = counts + 60 * np.abs(np.arange(8) - 3.5).astype(int) * np.array([[1], [0]])
    apart, near = (confident_merging(counts, ll.LIP(0.4), places=places) for places in (None, np.arange(8.0)))

    def found(channel):
        member = channel.kernel.T > 0
        p = counts.sum(axis=0) / counts.sum() @ channel.kernel
        return gaps(member, np.arange(8.0)).sum(), -(p * np.log(p)).sum()

    (many, most), (few, less) = found(apart), found(near)
    p_x = counts.sum(axis=0) / counts.sum()
    assert few <= many
    assert most - GAP_COST * -(p_x * np.log(p_x)).sum() * (many - few) <= less + 1e-12 <= most + 2e-12
    assert near.certificate.violation <= 0


def test_many_values_are_merged_into_blocks_of_neighbours():
    rng = np.random.default_rng(0)
    places = rng.permutation(30).astype(float)
    blocks = united(rng.integers(1, 50, (2, 30)).astype(float), 7, places)
    assert len(blocks) == 7
    for block in blocks:
        assert np.ptp(places[list(block)]) == len(block) - 1


def test_a_run_that_begins_with_a_minus_is_no_formula():
    from lifttables.designs.publishing import is_formula

    numbers = symbols("-3", "-2", "-1", "0")
    (text, _) = texts_of_outputs(numbers, [(0, 1, 2), (3,)])
    assert text == ("-3 to -1",)
    assert not is_formula(text[0])
    assert is_formula("-3 to =1")
