"""Groups of an ordered column are intervals."""

import itertools

import numpy as np
import pytest

import liftlib as ll
from lifttables.confident.merging import confident_merging
from lifttables.confident.subset_lattice import (
    FEW_BLOCKS,
    MANY_SECRETS,
    MAX_LATTICE_SYMBOLS,
    MAX_RESPONSE_SYMBOLS,
    blocks_of,
    united,
)
from lifttables.encoding.columns import MISSING, RARE, Column, Symbols
from lifttables.encoding.naming import texts_of_outputs
from lifttables.population.sample import Sample


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


def intervals(n):
    """Every partition of n symbols in order into runs, as tuples."""
    for ends in range(2 ** (n - 1)):
        cuts = [0, *(at + 1 for at in range(n - 1) if ends >> at & 1), n]
        yield [tuple(range(low, high)) for low, high in itertools.pairwise(cuts)]


@pytest.mark.parametrize("seed", range(3))
def test_groups_are_the_best_intervals(seed):
    """By trying every partition into intervals, each group of which the sample
    certifies.
    """
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(3000, np.full(12, 1 / 12)).reshape(2, 6)
    counts = counts + 60 * np.abs(np.arange(6) - 2.5).astype(int) * np.array([[1], [0]])
    sample, notion = Sample(counts, 0.95), ll.LIP(0.4)
    found = confident_merging(counts, notion, places=np.arange(6.0)).partition
    best = 0.0
    for groups in intervals(6):
        member = np.array([[x in group for x in range(6)] for group in groups])
        if len(groups) == 1 or sample.satisfied(notion, member).all():
            share = member @ (counts.sum(axis=0) / counts.sum())
            best = max(best, -(share * np.log(share)).sum())
    share = (
        np.array([counts.sum(axis=0)[list(group)].sum() for group in found])
        / counts.sum()
    )
    assert all(np.ptp(group) == len(group) - 1 for group in found)
    assert -(share * np.log(share)).sum() == pytest.approx(best)


def test_a_value_without_a_place_is_alone_unless_all_are_one():
    counts = np.array([[300, 300, 280, 30], [290, 310, 300, 35]])
    places = np.array([0.0, 1.0, 2.0, np.nan])
    found = confident_merging(counts, ll.LIP(2.0), places=places).partition
    assert (3,) in found or len(found) == 1
    assert len(confident_merging(counts, ll.LIP(1e-4), places=places).partition) == 1


def test_many_values_are_merged_into_blocks_of_neighbours():
    rng = np.random.default_rng(0)
    places = rng.permutation(30).astype(float)
    blocks = united(rng.integers(1, 50, (2, 30)).astype(float), 7, places)
    assert len(blocks) == 7
    for block in blocks:
        assert np.ptp(places[list(block)]) == len(block) - 1


def loss_of(mass, first, second):
    """The relative loss of H(X), and of I(S; X), by joining two columns."""
    joined = np.delete(mass, second, axis=1)
    joined[:, first] += mass[:, second]
    entropies = [ll.measures.entropy(p.sum(axis=0)) for p in (mass, joined)]
    of_secret = [ll.measures.mutual_information(p) for p in (mass, joined)]
    return joined, entropies[0] - entropies[1], of_secret[0] - of_secret[1]


@pytest.mark.parametrize("seed", range(4))
def test_each_step_joins_the_two_blocks_that_lose_least(seed):
    counts = np.random.default_rng(seed).gamma(0.5, 20, (3, 9))
    mass = (counts + 0.5 / 9) / (counts + 0.5 / 9).sum()
    h, i = ll.measures.entropy(mass.sum(axis=0)), ll.measures.mutual_information(mass)
    groups = [(x,) for x in range(9)]
    for wanted in range(8, 1, -1):

        def loss(pair, mass=mass):
            _, of_x, of_s = loss_of(mass, *pair)
            return of_x / h - of_s / i

        first, second = min(itertools.combinations(range(len(groups)), 2), key=loss)
        mass = loss_of(mass, first, second)[0]
        groups[first] += groups.pop(second)
        assert united(counts, wanted) == tuple(sorted(map(tuple, map(sorted, groups))))


def test_many_secrets_leave_fewer_blocks():
    counts = np.ones((MANY_SECRETS + 1, 40))
    for most in (MAX_LATTICE_SYMBOLS, MAX_RESPONSE_SYMBOLS):
        assert len(blocks_of(Sample(counts), 0, most)[0]) == FEW_BLOCKS
        assert len(blocks_of(Sample(counts[1:]), 0, most)[0]) == most


def test_a_run_that_begins_with_a_minus_is_no_formula():
    from lifttables.designs.publishing import is_formula

    numbers = symbols("-3", "-2", "-1", "0")
    text, _ = texts_of_outputs(numbers, [(0, 1, 2), (3,)])
    assert text == ("-3 to -1",)
    assert not is_formula(text[0])
    assert is_formula("-3 to =1")
