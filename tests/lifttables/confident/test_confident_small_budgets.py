"""Budgets so small that only a constant release keeps them."""

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from lifttables.confident.merging import confident_merging
from lifttables.confident.subset_lattice import Candidates
from lifttables.population.sample import Sample
from lifttables.releases.pipeline import LEAST_RETAINED

COUNTS = [[40.0, 20, 10], [20, 30, 40], [5, 25, 20]]


class Members(np.ndarray):
    """The subsets of a search, which fails where it takes more than there
    are symbols.
    """

    taken = 0

    def __getitem__(self, at):
        if isinstance(at, int | np.integer):
            self.taken += 1
            assert self.taken <= self.shape[1], "the search does not end"
        return super().__getitem__(at)


class Bounded(Candidates):
    """Candidates whose search is bounded by the number of symbols, not by the clock."""

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "member", self.member.view(Members))


@pytest.fixture(autouse=True)
def bounded(monkeypatch):
    monkeypatch.setattr("lifttables.confident.merging.Candidates", Bounded)


SMALL = [kind(eps) for kind in (ll.LIP, ll.LDP) for eps in (0.0, 1e-6, 1e-3)]


@pytest.mark.parametrize("notion", SMALL, ids=str)
def test_only_a_constant_release_is_left(notion):
    channel = confident_merging(COUNTS, notion)
    assert channel.partition == ((0, 1, 2),)
    assert Sample(COUNTS).keeps(notion, channel)
    assert Sample(COUNTS).keeps(notion, ll.Channel.constant(3))


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize(
    "notion",
    [ll.LIP(0.001), ll.LIP(0.0), ll.ALIP(0.001, 0.001), ll.LDP(0.001)],
    ids=str,
)
def test_a_constant_is_not_released(notion, merge):
    rows = [
        (s, x)
        for s, row in enumerate(COUNTS)
        for x, count in enumerate(row)
        for _ in range(int(count))
    ]
    frame = pl.DataFrame(
        {"s": [f"s{s}" for s, _ in rows], "x": [f"x{x}" for _, x in rows]}
    )
    with pytest.raises(tables.NothingToRelease) as stopped:
        tables.sanitise(frame, secret="s", public="x", notion=notion, merge=merge)
    assert stopped.value.retained < LEAST_RETAINED


def test_more_symbols_than_all_of_whose_subsets_are_looked_at():
    counts = np.random.default_rng(0).integers(0, 9, (3, 40))
    assert confident_merging(counts, ll.LIP(1e-6)).n_outputs == 1


def test_a_partition_needs_no_subset_that_is_kept():
    """The whole alphabet is a partition, whatever a mask says."""
    for kept in (np.zeros(8, dtype=bool), np.arange(8) == 3):
        assert Bounded(Sample(COUNTS)).best_partition(kept) == ((0, 1, 2),)
