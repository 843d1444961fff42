"""Designs for the population."""

import itertools
import math

import numpy as np
import pytest
from asked import partitions
from awkward_joints import JOINTS, named_joint
from messages import raised

import liftlib as ll
from liftlib.errors import InvalidDistribution, InvalidParameter, UnsupportedNotion
from lifttables.confident.families import FAMILIES
from lifttables.confident.merging import confident_merging
from lifttables.confident.response import confident_response
from lifttables.confident.subset_lattice import (
    MAX_LATTICE_SYMBOLS,
    MAX_RESPONSE_SYMBOLS,
    blocks_of,
    rows_needed,
    small_subsets,
)
from lifttables.population import noisy
from lifttables.population.noisy import NoisySample
from lifttables.population.sample import Sample

NOTIONS = [
    ll.LIP(0.5),
    ll.LDP(0.8),
    ll.ALIP(0.8, 0.4),
    ll.ALIP(math.inf, 0.4),
    ll.ALIP(0.7, math.inf),
]
DESIGNS = [confident_merging, confident_response]
MOST = {
    confident_merging: MAX_LATTICE_SYMBOLS,
    confident_response: MAX_RESPONSE_SYMBOLS,
}
each_design = pytest.mark.parametrize("design", DESIGNS, ids=lambda one: one.__name__)
each_notion = pytest.mark.parametrize("notion", NOTIONS, ids=repr)


def drawn(joint, rows, seed):
    return (
        np.random.default_rng(seed)
        .multinomial(rows, joint.p.ravel())
        .reshape(joint.p.shape)
    )


@each_notion
@pytest.mark.parametrize("seed", range(3))
def test_no_partition_that_the_sample_certifies_is_better(notion, seed):
    counts = np.random.default_rng(seed).integers(0, 400, (3, 5))
    sample, entropy = Sample(counts, 0.9), ll.measures.entropy
    best = max(
        entropy(sample.weights @ channel.kernel)
        for channel in (
            ll.Channel.merge(partition, 5) for partition in partitions(list(range(5)))
        )
        if sample.keeps(notion, channel)
    )
    channel = confident_merging(counts, notion, confidence=0.9)
    assert channel.certificate.value == pytest.approx(best)
    assert entropy(sample.weights @ channel.kernel) == pytest.approx(best)
    assert sample.keeps(notion, channel)


@each_notion
@pytest.mark.parametrize("seed", range(3))
def test_a_response_is_no_worse_than_merging_and_as_sure(notion, seed):
    counts = np.random.default_rng(seed).integers(0, 400, (3, 6))
    merged, response = (design(counts, notion) for design in DESIGNS)
    assert response.certificate.value >= merged.certificate.value - 1e-6
    found = response.certificate
    assert np.allclose(found.parts.kernel, response.kernel, rtol=0, atol=1e-14)
    assert (found.parts.weights >= 0).all()
    assert np.allclose(response.kernel.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert Sample(counts).keeps(notion, response)
    assert (found.confidence, found.rows, found.notion) == (
        0.95,
        counts.sum(),
        repr(notion),
    )
    # and it is not merely cautious: some output spends its whole budget, or all is told
    misses = Sample(counts).misses(notion, found.parts.member) @ found.parts.weights
    assert misses.max() > -1e-6 or found.value == pytest.approx(
        ll.measures.entropy(counts.sum(axis=0) / counts.sum())
    )


LARGE = {"adult", "random-5x17"}
"""Tables of which designs take a second or more, whatever the number of
rows: weekly.
"""


@pytest.mark.parametrize("family", FAMILIES)
def test_quick_bounds_choose_and_certify_nothing(family, monkeypatch):
    def too_small(_rows, _seen, _cells, log_level, _c):
        return np.zeros(log_level.shape)

    monkeypatch.setattr(noisy, "quick_bounds", too_small)
    sample = NoisySample([[200, 100, 50, 150], [100, 200, 150, 50]], 1000, 1.0)
    notion = ll.LIP(0.5)
    assert sample.trusted.keeps(notion, ll.Channel.identity(4))
    assert not sample.keeps(notion, ll.Channel.identity(4))
    assert sample.keeps(notion, FAMILIES[family](sample, notion))


@each_design
@pytest.mark.parametrize(
    ("rows", "name"),
    [
        pytest.param(rows, name, marks=pytest.mark.slow if name in LARGE else ())
        for rows in (60, 20_000)
        for name in JOINTS
    ],
)
def test_odd_tables(design, name, rows):
    joint = named_joint(name)
    if joint.n_secret > 8:
        joint = ll.Joint.from_counts(joint.p[:, :6])
    counts = drawn(joint, rows, 5)
    for notion in (ll.LIP(0.0), ll.LIP(1.0), ll.LDP(50.0)):
        channel = design(counts, notion)
        assert notion.is_satisfied(joint, channel), notion
        if channel.n_outputs == 1 and 1 < joint.n_public <= 15 and joint.n_secret > 1:
            assert channel.certificate.value == pytest.approx(0, abs=1e-12)
            assert rows_needed(Sample(counts), notion) > rows


@each_design
def test_without_a_bound_all_is_told(design):
    counts = [[5, 0, 3], [1, 1, 9]]
    assert design(counts, ll.LIP(math.inf)).certificate.value == pytest.approx(
        ll.measures.entropy([6 / 19, 1 / 19, 12 / 19])
    )


@each_design
def test_one_secret_hides_nothing(design):
    assert design([[5, 1, 3]], ll.LIP(0.0)).n_outputs == 3


def test_a_secret_of_which_nothing_was_seen():
    counts, notion = np.array([[500, 600], [400, 700], [0, 0]]), ll.LIP(2.0)
    merged, response = (design(counts, notion) for design in DESIGNS)
    assert merged.n_outputs == 1
    assert rows_needed(Sample(counts), notion) == math.inf
    assert response.n_outputs == 2
    for third in ([1.0, 0.0], [0.0, 1.0], [0.5, 0.5]):
        truth = ll.Joint.from_counts(
            np.vstack([counts[:2] / counts.sum(), 1e-4 * np.array(third)]) + 0.0
        )
        assert notion.is_satisfied(truth, response)


def test_a_symbol_without_a_row_joins_the_others():
    counts = [[500, 600, 0], [600, 500, 0]]
    assert confident_merging(counts, ll.LIP(0.5)).n_outputs == 2
    response = confident_response(counts, ll.LIP(0.5))
    assert np.allclose(response.kernel.sum(axis=1), 1)


def test_the_rows_that_it_takes():
    counts, notion = np.array([[20, 10, 5, 15], [10, 20, 15, 5]]), ll.LIP(0.3)
    needed = rows_needed(Sample(counts), notion)
    assert counts.sum() < needed < math.inf
    assert (
        confident_merging(
            np.round(counts * 1.1 * needed / counts.sum()), notion
        ).n_outputs
        > 1
    )
    assert (
        confident_merging(
            np.round(counts * 0.9 * needed / counts.sum()), notion
        ).n_outputs
        == 1
    )


@pytest.mark.parametrize("n", [1, 2, 5, 6, 7, 9])
def test_small_subsets_are_those_of_three_symbols_and_all_but_three(n):
    found = {tuple(row) for row in small_subsets(n).tolist()}
    assert len(found) == len(small_subsets(n))
    sizes = (1, 2, 3, n - 3, n - 2, n - 1, n)
    assert found == {
        one
        for one in itertools.product([False, True], repeat=n)
        if sum(one) > 0 and sum(one) in sizes
    }
    assert small_subsets(n)[: max(n, 1)].sum() == n
    assert small_subsets(n)[-1].all()


def test_no_number_of_rows_makes_a_secret_that_is_told_private():
    assert rows_needed(Sample([[50, 0], [0, 50]]), ll.LIP(0.5)) == math.inf


ADULT, THIN = 0, 3
LAWS_OF = {
    ADULT: lambda: ll.datasets.adult("relationship", "occupation"),
    THIN: lambda: ll.datasets.dirichlet_joint(5, 8, 0.3, 3),
}


@pytest.mark.parametrize(
    ("law", "rows", "seed", "notion"),
    [
        (THIN, 300, 149, ll.LIP(1.0)),
        (THIN, 300, 7, ll.LDP(1.0)),
        pytest.param(ADULT, 1000, 61, ll.LIP(1.0), marks=pytest.mark.slow),
        pytest.param(ADULT, 1000, 91, ll.LIP(1.0), marks=pytest.mark.slow),
        pytest.param(ADULT, 1000, 166, ll.LIP(1.0), marks=pytest.mark.slow),
        pytest.param(ADULT, 100_000, 26, ll.LIP(2.0), marks=pytest.mark.slow),
    ],
)
def test_a_solver_that_loses_its_way_does_not_end_a_design(law, rows, seed, notion):
    truth = LAWS_OF[law]()
    counts = (
        np.random.default_rng([law, rows, seed])
        .multinomial(rows, truth.p.ravel())
        .reshape(truth.p.shape)
    )
    channel = confident_response(counts, notion)
    assert Sample(counts).keeps(notion, channel)
    assert notion.is_satisfied(truth, channel)
    # no worse than the best partition, with which the search begins
    merged = confident_merging(counts, notion)
    assert channel.certificate.value >= merged.certificate.value - 1e-6


@pytest.mark.parametrize("fails", ["least", "cheapest"])
def test_a_design_is_sure_whatever_the_solver_does(monkeypatch, fails):
    from liftlib.errors import SolverFailure
    from lifttables.confident import response

    calls, owner = [], response._Search if fails == "least" else response
    real = getattr(owner, fails)

    def failing(*given):
        calls.append(given)
        if len(calls) > 2:
            raise SolverFailure("HiGHS stopped: Unknown")
        return real(*given)

    monkeypatch.setattr(owner, fails, failing)
    counts, notion = (
        drawn(ll.datasets.dirichlet_joint(4, 6, 1.0, 2), 5000, 1),
        ll.LIP(1.0),
    )
    channel = confident_response(counts, notion)
    assert len(calls) > 2
    assert Sample(counts).keeps(notion, channel)
    assert channel.n_outputs > 1


@each_design
def test_many_symbols_are_united_by_other_rows(design):
    joint = ll.datasets.dirichlet_joint(3, 60, 0.7, 1)
    counts = drawn(joint, 40_000, 2)
    channel = design(counts, ll.LIP(0.7), rng=3)
    assert channel.certificate.rows == 30_000
    assert ll.LIP(0.7).is_satisfied(joint, channel)
    assert f"{MOST[design]} blocks" in channel.certificate.route
    assert ll.evaluate(joint, channel).nmi > 0.4
    assert np.array_equal(channel.kernel, design(counts, ll.LIP(0.7), rng=3).kernel)
    blocks, rest = blocks_of(Sample(counts), 3, MOST[design])
    assert sorted(x for block in blocks for x in block) == list(range(60))
    assert rest.counts.shape == (3, MOST[design])


@each_design
def test_bad_input(design):
    with raised(InvalidDistribution):
        design([[0.5, 0.5]], ll.LIP(1.0))
    with raised(InvalidParameter):
        design([[1, 2]], ll.LIP(1.0), confidence=1.5)
    with raised(InvalidParameter):
        design([[1, 2]], 1)
    for notion in (ll.SRLIP(1.0, (2,)), ll.Chi2Lift(1.0, 1.0)):
        with pytest.raises(UnsupportedNotion):
            design([[1, 2], [3, 4]], notion)


LAWS = {
    "2x2": [[0.3, 0.2], [0.1, 0.4]],
    "3x4": ll.datasets.dirichlet_joint(3, 4, 1.0, 0).p,
    "zero cells": [[0.25, 0.0, 0.1], [0.05, 0.3, 0.3]],
}


@pytest.mark.slow
@each_design
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("rows", [50, 500, 5_000])
def test_the_confidence_over_many_tables(design, law, rows):
    joint = ll.Joint(LAWS[law])
    notion = ll.LIP(0.5)
    made = [
        design(drawn(joint, rows, seed), notion, confidence=0.8) for seed in range(200)
    ]
    assert sum(not notion.is_satisfied(joint, channel) for channel in made) <= 40
