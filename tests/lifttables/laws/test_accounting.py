"""What a release spends of its confidence, by recording each error probability that is
asked for.

The law: on every road, the error probabilities of all statements that may be asked for,
times the number of designs among which the rows choose, sum to at most 1 - confidence.
A simulation cannot see a share that is spent twice.
"""

import itertools
import math

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from lifttables.confident.families import FAMILIES
from lifttables.confident.subset_lattice import small_subsets
from lifttables.encoding.columns import Column, Counts, Symbols
from lifttables.population import noisy, sample
from lifttables.population.differences import pairs_of
from lifttables.population.noisy import NoisySample
from lifttables.population.sample import Sample
from lifttables.releases import noising
from lifttables.releases.noising import noisy_totals, with_noise

CONFIDENCE = 0.9
CHOICES = [1, 7]
SHAPES = [(2, 2), (2, 5), (3, 4), (3, 7), (4, 9)]
NOTIONS = [ll.LIP(1.0), ll.ALIP(2.0, 0.7), ll.LDP(1.5)]


class Spending:
    """Statements that were made, and their error probabilities.

    Bounds are nested: whoever asks for one at several levels pays for the largest. The
    bounds on P(s) are paid for by whoever relies on them: conditions on P(y|a) and
    P(y|b) do not.
    """

    def __init__(self):
        self.of = {}
        self.relies_on_prior = False

    def add(self, statement, log_level):
        self.of[statement] = max(self.of.get(statement, 0.0), math.exp(log_level))

    @property
    def total(self):
        paid = (
            statement
            for statement in self.of
            if self.relies_on_prior or "prior" not in statement
        )
        return sum(self.of[statement] for statement in paid)


def members(inside):
    """Name the proper subsets, of which alone something is stated."""
    for at, row in enumerate(np.asarray(inside, dtype=bool)):
        if 0 < row.sum() < len(row):
            yield at, tuple(row.tolist()), tuple((~row).tolist())


def pairs(spent, ratios, prior, inside, log_level):
    """Record the joint statements: an upper bound on P(A) in one group, or one on P(not
    A) in the other.
    """
    if len(prior[0]) in (*ratios.top, *ratios.bottom):  # P(y), without a secret
        spent.relies_on_prior = True
    for pair in pairs_of(ratios, prior):
        for at, subset, complement in members(inside):
            spent.add(
                frozenset([(pair.p, subset), (pair.q, complement)]), log_level[at]
            )


@pytest.fixture
def spent(monkeypatch):
    spending, now = Spending(), {}

    # exact counts
    bounds, differences = sample.clopper_pearson, sample.differences

    def bounds_of_prior(seen, rows, log_level, **options):
        if np.ndim(seen) == 2:
            for group, x, end in itertools.product(
                *map(range, seen.shape), ("low", "high")
            ):
                spending.add((group, x, end), log_level)
        elif np.ndim(log_level) == 0:
            for at in itertools.product(range(len(seen)), ("low", "high")):
                spending.add(("prior", *at), log_level)
        return bounds(seen, rows, log_level, **options)

    def of_between(make):
        def between(self, *words):
            spending.relies_on_prior = True
            return make(self, *words)

        return between

    def of_pairs(counts, prior, ratios, inside, log_level):
        pairs(spending, ratios, prior, inside, log_level)
        return differences(counts, prior, ratios, inside, log_level)

    monkeypatch.setattr(sample, "clopper_pearson", bounds_of_prior)
    monkeypatch.setattr(sample, "differences", of_pairs)
    monkeypatch.setattr(Sample, "cells", of_between(Sample.cells))

    # noisy counts
    staircase, prior = noisy.fisher_levels, noisy._prior
    width, noisy_differences = noisy.most_error_of_rows, NoisySample.differences

    def of_noisy_pairs(self, ratios, member):
        now["pairs"] = ratios, self.prior, member
        return noisy_differences(self, ratios, member)

    def levels(log_level):
        pairs(spending, *now["pairs"], log_level)
        return staircase(log_level)

    def of_prior(seen, n, cells, c, log_level):
        for at in itertools.product(range(len(seen)), ("low", "high")):
            spending.add(("prior", *at), log_level)
        return prior(seen, n, cells, c, log_level)

    def of_width(cells, n_secret, c, log_level):
        for s in range(n_secret):
            spending.add(("rows", s), log_level)
        return width(cells, n_secret, c, log_level)

    monkeypatch.setattr(NoisySample, "differences", of_noisy_pairs)
    monkeypatch.setattr(noisy, "fisher_levels", levels)
    monkeypatch.setattr(noisy, "_prior", of_prior)
    monkeypatch.setattr(noisy, "most_error_of_rows", of_width)
    return spending


def mild_counts(shape):
    """Return numbers of rows that depend little on the secret, so that designs retain
    something.
    """
    s, x = np.indices(shape)
    return 400 + 40 * ((s + x) % 3)


def made_sample(kind, shape, ways):
    table, chosen = mild_counts(shape), math.log(ways)
    if kind == "exact":
        return Sample(table, CONFIDENCE, chosen)
    # little noise, so that bounds are quickly computed: levels do not depend on it
    return NoisySample(table, int(table.sum()), 2.0, CONFIDENCE, chosen)


def every_subset(n):
    return (np.arange(2**n)[:, None] >> np.arange(n)) & 1


@pytest.mark.parametrize("ways", CHOICES)
@pytest.mark.parametrize("notion", NOTIONS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("kind", ["exact", "noisy"])
def test_ratios_of_all_subsets_together(kind, shape, notion, ways, spent):
    member = every_subset(shape[1]) if shape[1] < 8 else small_subsets(shape[1])
    made_sample(kind, shape, ways).misses(notion, member)
    assert 0.4 * (1 - CONFIDENCE) < ways * spent.total <= (1 - CONFIDENCE) * (1 + 1e-9)


def test_a_secret_of_many_values(spent):
    """Of which P(s) leaves nearly nothing unspent."""
    made_sample("noisy", (64, 3), 1).trusted.misses(ll.LIP(1.0), every_subset(3))
    assert 0.99 * (1 - CONFIDENCE) < spent.total <= (1 - CONFIDENCE) * (1 + 1e-9)


@pytest.mark.parametrize("ways", CHOICES)
@pytest.mark.parametrize("shape", SHAPES[:4], ids=str)
def test_bounds_of_single_symbols_together(shape, ways, spent):
    made_sample("exact", shape, ways).cells()
    assert 0.3 * (1 - CONFIDENCE) < ways * spent.total <= (1 - CONFIDENCE) * (1 + 1e-9)


@pytest.mark.parametrize("ways", CHOICES)
@pytest.mark.parametrize("notion", NOTIONS, ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_whole_design(family, notion, ways, spent):
    channel = FAMILIES[family](made_sample("noisy", (3, 5), ways), notion)
    assert channel.n_outputs > 1
    assert 0 < ways * spent.total <= (1 - CONFIDENCE) * (1 + 1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_design_of_blocks_that_other_rows_chose(family, spent):
    table = mild_counts((2, 26))
    whole = NoisySample(table, int(table.sum()), 2.0, CONFIDENCE, choosers=table // 4)
    FAMILIES[family](whole, ll.LDP(2.0))
    assert 0 < spent.total <= (1 - CONFIDENCE) * (1 + 1e-9)


TABLES = {
    "of listed values": ("abcde", ["x=a,b,c,d,e", "s=u,v"], 1),
    "of which rare values are pooled": ("abcd" * 25 + "efghi", [], math.comb(9, 5)),
    "of 28 values": ("abcdefghijklmnopqrstuvwxyzäö", [], 1),
}
"""Values of 3,000 rows, what is listed, and among how many pools the rows choose."""


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("name", TABLES)
def test_a_whole_release(name, merge, spent):
    """From the frame to the card, on every road: groups, responses, pools, and blocks
    that other rows choose.
    """
    letters, values, ways = TABLES[name]
    n = 3000
    rows = [("uv"[i // len(letters) % 2], letters[i % len(letters)]) for i in range(n)]
    frame = pl.DataFrame(rows, schema=["s", "x"], orient="row")
    words = {"rare": "pool", "min_count": 40} if ways > 1 else {}
    done = tables.sanitise(
        frame,
        secret="s",
        public="x",
        notion=ll.LIP(1.5),
        confidence=CONFIDENCE,
        merge=merge,
        noise=1.0,
        values=values,
        **words,
    )
    assert done.design.confidence == CONFIDENCE
    assert len(done.design.public.pooled) == (5 if ways > 1 else 0)
    assert 0 < ways * spent.total <= (1 - CONFIDENCE) * (1 + 1e-9)


@pytest.mark.parametrize("ways", CHOICES)
@pytest.mark.parametrize("kind", ["exact", "noisy"])
def test_one_secret_states_nothing_that_could_fail(kind, ways, spent):
    made_sample(kind, (1, 4), ways).misses(ll.LIP(1.0), every_subset(4))
    assert ways * spent.total <= (1 - CONFIDENCE) * (1 + 1e-9)


@pytest.mark.parametrize("log_level", [-3.0, -8.0])
@pytest.mark.parametrize(("cells", "n_secret", "c"), [(1, 2, 1.0), (4, 3, 0.5)])
def test_the_intervals_of_rows_fail_with_their_level(cells, n_secret, c, log_level):
    """By the distribution of (S - 1) Z - W, added up noise by noise."""
    z = np.arange(-150, 151)
    one = np.tanh(c / 2) * np.exp(-c * np.abs(z))

    def of_sum(times):
        found = np.ones(1)
        for _ in range(times):
            found = np.convolve(found, one)
        return found

    own, rest = of_sum(cells), of_sum((n_secret - 1) * cells)
    error = (n_secret - 1) * (np.arange(len(own)) - len(own) // 2)[:, None]
    error = np.abs(error - (np.arange(len(rest)) - len(rest) // 2))
    likely = np.outer(own, rest)
    width = noisy.most_error_of_rows(cells, n_secret, c, log_level)
    assert likely[error > width].sum() <= math.exp(log_level)
    assert likely[error > width - 1].sum() > math.exp(log_level)


def counts_of_symbols(n):
    """Return counts without noise of n symbols."""
    secret = Symbols((Column("s"),), tuple((f"s{i}",) for i in range(2)))
    public = Symbols((Column("x"),), tuple((f"x{i}",) for i in range(n)))
    return Counts(np.full((2, n), 50.0), secret, public)


def test_levels_and_purposes_have_independent_noise():
    """Shared random numbers would cancel in differences: they would be correlated, and
    nearly 1 for near levels.
    """
    counts_of, key = counts_of_symbols(600), bytes(range(32))
    drawn = [
        with_noise(counts_of, c, key, most=1000).noisy.table - counts_of.table
        for c in (0.5, 0.51, 1.0)
    ]
    drawn.append(
        np.vstack(
            [noisy_totals(counts_of, 0.5, key).table - counts_of.table.sum(axis=0)] * 2
        )
    )
    again = with_noise(counts_of, 0.5, key, most=1000).noisy.table - counts_of.table
    assert (again == drawn[0]).all()
    for first, second in itertools.combinations(drawn, 2):
        assert abs(np.corrcoef(first[0], second[0])[0, 1]) < 5 / math.sqrt(600)
        assert abs(
            np.corrcoef(np.abs(first[0]), np.abs(second[0]))[0, 1]
        ) < 5 / math.sqrt(600)


def test_no_level_and_no_purpose_shares_a_stream(monkeypatch):
    keys = []

    class Recorded(noising.Stream):
        def __init__(self, key, *place):
            keys.append((key, place))
            super().__init__(key, *place)

    monkeypatch.setattr(noising, "Stream", Recorded)
    counts_of, key = counts_of_symbols(6), bytes(32)
    for c in (0.5, 0.51, 1.0):
        with_noise(counts_of, c, key, most=10)
        with_noise(counts_of, c, key, most=3)
        noisy_totals(counts_of, c, key)
    # the parts have one more stream, for the split
    assert len(set(keys)) == len(keys) == 3 * 4
