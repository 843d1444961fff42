"""Samples of noisy counts: coverage under known laws, designs, and the limit of no
noise.
"""

import numpy as np
import pytest
from messages import raised

import liftlib as ll
from liftlib.channel import Channel
from liftlib.errors import InvalidDistribution, InvalidParameter
from lifttables.confident.response import response_parts
from lifttables.confident.subset_lattice import Candidates
from lifttables.population.noise import geometric_noise
from lifttables.population.noisy import NoisySample
from lifttables.population.sample import Sample

RARE = np.array(
    [[0.6, 0.15, 0.15, 0.05], [0.02, 0.02, 0.003, 0.006], [0.0, 0.0, 0.0005, 0.0005]]
)
BOUNDARY = np.array([[0.3, 0.2], [0.2, 0.3]])
"""Published unchanged, it needs LIP .2231."""


def law(n_s, n_x, seed):
    rng = np.random.default_rng([77, n_s, n_x, seed])
    p_s, base = rng.dirichlet(np.full(n_s, 8.0)), rng.dirichlet(np.full(n_x, 2.0))
    return p_s[:, None] * np.stack(
        [0.6 * base + 0.4 * rng.dirichlet(np.ones(n_x)) for _ in range(n_s)]
    )


def noisy(p, n, c, rng, confidence=0.95):
    counts = rng.multinomial(n, p.ravel()).reshape(p.shape)
    return NoisySample(counts + geometric_noise(p.shape, c, rng), n, c, confidence)


@pytest.mark.parametrize("c", [0.5, 1.0])
@pytest.mark.parametrize(
    "p", [law(2, 4, 0), law(3, 4, 1), RARE], ids=["2x4", "3x4", "rare"]
)
def test_differences_hold_together_as_often_as_stated(p, c):
    """At confidence .5, so that the bounds would be seen to fail if they were too
    narrow.
    """
    rng, tables, failed = np.random.default_rng(1), 30, 0
    member = ((np.arange(1, 15)[:, None] >> np.arange(4)) & 1).astype(bool)
    ratios = ll.LIP(0.4).ratios(len(p))
    given = np.vstack([p / p.sum(axis=1, keepdims=True), p.sum(axis=0)]) @ member.T
    truth = given[ratios.top] * np.exp(-ratios.budget)[:, None] - given[ratios.bottom]
    prior = p.sum(axis=1)
    for _ in range(tables):
        sample = noisy(p, 400, c, rng, 0.5)
        found = sample.differences(ratios, member)(ratios.budget)
        low, high = sample.prior
        failed += not (
            (truth <= found + 1e-12).all()
            and (low <= prior).all()
            and (prior <= high).all()
        )
    assert failed <= 0.5 * tables


@pytest.mark.parametrize(
    ("p", "notion"),
    [(law(2, 3, 2), ll.LIP(0.5)), (RARE, ll.LIP(1.0)), (BOUNDARY, ll.LIP(0.2213))],
)
def test_designs_keep_the_notion_in_the_population(p, notion):
    rng, joint = np.random.default_rng(2), ll.Joint(p)
    assert notion.violation(joint) > 0
    for c in (0.5, 1.0):
        for n in (100, 3000):
            sample = noisy(p, n, c, rng)
            candidates = Candidates(sample)
            merged = Channel.merge(
                candidates.certified_partition(notion), sample.n_public
            )
            for channel in (merged, Channel(response_parts(sample, notion).kernel)):
                assert notion.is_satisfied(joint, channel)


def test_with_almost_no_noise_the_bounds_are_those_of_exact_counts():
    counts = np.array([[200, 100, 50, 150], [100, 200, 150, 50]])
    member = ((np.arange(16)[:, None] >> np.arange(4)) & 1).astype(bool)
    of_noisy, of_exact = NoisySample(counts, 1000, 40.0), Sample(counts)
    assert np.array(of_noisy.prior) == pytest.approx(
        np.array(of_exact.prior), abs=0.001
    )
    notion = ll.ALIP(0.5, 0.3)
    assert of_noisy.misses(notion, member) == pytest.approx(
        of_exact.misses(notion, member), abs=0.006
    )


def test_merged_symbols_have_the_noise_of_all_their_cells():
    rng, counts = (
        np.random.default_rng(3),
        np.array([[200, 100, 50, 150], [100, 200, 150, 50]]),
    )
    every = counts + geometric_noise(counts.shape, 1.0, rng)
    merged = NoisySample(every.reshape(2, 2, 2).sum(axis=2), 1000, 1.0, cells=[2, 2])
    alone = NoisySample(every.reshape(2, 2, 2).sum(axis=2), 1000, 1.0)
    assert merged.prior == pytest.approx(np.array(NoisySample(every, 1000, 1.0).prior))
    member = np.array([[True, False]])
    assert (
        alone.misses(ll.LIP(0.5), member) < merged.misses(ll.LIP(0.5), member)
    ).all()


def test_what_is_made_of_a_sample_pays_for_the_same_choice():
    sample = NoisySample([[40, 60], [30, 70]], 200, 1.0, 0.9, chosen=2.0)
    for made in (sample.merged(((0,), (1,))), sample.scaled(2), sample.trusted):
        assert (made.confidence, made.chosen, made.c) == (0.9, 2.0, 1.0)


def test_negative_counts_and_one_secret():
    sample = NoisySample([[-3, 5, 0], [-1, -2, -4]], 3, 0.5)
    assert np.isfinite(sample.misses(ll.LIP(0.5), np.eye(3, dtype=bool))).all()
    assert (sample.weights > 0).all()
    alone = NoisySample([[20, -1]], 20, 1.0)
    assert [end.tolist() for end in alone.prior] == [[1.0], [1.0]]
    assert alone.keeps(ll.LIP(0.1), Channel.identity(2))


def test_wrong_noisy_counts():
    with raised(InvalidDistribution):
        NoisySample([[0.5, 1.0]], 10, 1.0)
    with raised(InvalidDistribution):
        NoisySample([[np.nan, 1.0]], 10, 1.0)
    for c in (0.0, np.inf, np.nan):
        with raised(InvalidParameter):
            NoisySample([[1, 2]], 3, c)
    with raised(InvalidParameter):
        NoisySample([[1, 2]], 0, 1.0)
    with raised(InvalidParameter):
        NoisySample([[1, 2]], 3, 1.0, cells=[1])
