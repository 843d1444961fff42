"""Groups of an ordered column are intervals."""

import itertools
import math
from fractions import Fraction

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


def mean_log(shares):
    """The sum of shares times the entropy of the choice between them."""
    whole = sum(shares)
    return -math.fsum(p * math.log(p / whole) for p in shares)


def united_by_hand(counts, wanted, places=None):
    """What ``united`` returns, pair by pair from exact shares, by the chain rule."""
    n = len(counts[0])
    # half a row for each cell of n symbols
    cells = [[2 * n * count + 1 for count in row] for row in counts]
    whole = sum(map(sum, cells))
    columns = [
        [Fraction(cell, whole) for cell in column]
        for column in zip(*cells, strict=True)
    ]
    of_x = mean_log([sum(column) for column in columns])
    of_secret = [sum(row) for row in zip(*columns, strict=True)]
    of_s = mean_log(of_secret) - math.fsum(map(mean_log, columns))

    def joinable(pair):
        placed = [[places[x] for x in block if places[x] >= 0] for block in pair]
        both = sorted(placed[0] + placed[1])
        inside = [place for place in places if both and both[0] <= place <= both[-1]]
        return not (placed[0] and placed[1]) or len(inside) == len(both)

    def loss(pair):
        """What H(X) and I(S; X) lose: what the choice between the two blocks tells."""
        first, second = (
            [sum(of) for of in zip(*(columns[x] for x in block), strict=True)]
            for block in pair
        )
        lost = mean_log([sum(first), sum(second)])
        unknown = math.fsum(map(mean_log, zip(first, second, strict=True)))
        return lost / of_x - (lost - unknown) / of_s

    blocks = [[x] for x in range(n)]
    while len(blocks) > wanted:
        pairs = list(itertools.combinations(blocks, 2))
        if places is not None:
            pairs = [pair for pair in pairs if joinable(pair)]
        losses = [loss(pair) for pair in pairs]
        ties = [at for at, of in enumerate(losses) if of < min(losses) + 1e-12]
        first, second = pairs[ties[0]]
        first += second
        blocks.remove(second)
    return tuple(sorted(tuple(sorted(block)) for block in blocks))


def test_each_step_joins_the_two_blocks_that_lose_least():
    rng = np.random.default_rng(12)
    for seed in range(60):
        n_secret, n = rng.integers(2, 13), rng.integers(3, 9)
        counts = rng.poisson(rng.gamma(0.5, 20, (n_secret, n)))
        counts[0, 0] += 1
        places = None
        if seed % 2:
            places = rng.permutation(n) + 0.5
            places[rng.random(n) < 0.2] = np.nan
        wanted = int(rng.integers(1, n))
        expected = united_by_hand(counts.tolist(), wanted, places)
        assert united(counts.astype(float), wanted, places) == expected, seed


@pytest.mark.parametrize("n_secret", [MANY_SECRETS, MANY_SECRETS + 1])
def test_a_quarter_of_the_rows_chooses_the_blocks(n_secret):
    counts = np.random.default_rng(3).integers(20, 90, (n_secret, 17))
    wanted = FEW_BLOCKS if n_secret > MANY_SECRETS else MAX_LATTICE_SYMBOLS
    choosing, rest = Sample(counts).split(5)
    blocks, sample = blocks_of(Sample(counts), 5, MAX_LATTICE_SYMBOLS)
    assert blocks == united_by_hand(choosing.astype(int).tolist(), wanted)
    of_blocks = [rest.counts[:, list(block)].sum(axis=1) for block in blocks]
    assert sample.counts.T.tolist() == np.array(of_blocks).tolist()
    assert abs(choosing.sum() / counts.sum() - 0.25) < 0.05


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
