"""Bounds on differences of probabilities, by other routes."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import beta, binom

import liftlib as ll
from lifttables.population.binomial import (
    STAIRCASE_STEPS,
    clopper_pearson,
    fisher_levels,
)
from lifttables.population.sample import Parts, Sample, subset_price

NOTIONS = [ll.LIP(0.3), ll.ALIP(0.7, 0.2), ll.LDP(0.5), ll.LIP(3.0)]
each_notion = pytest.mark.parametrize("notion", NOTIONS, ids=repr)


@pytest.mark.parametrize("level", [0.3, 0.01, 1e-6])
def test_uniform_p_values_are_in_no_corner_with_the_chance_of_the_level(level):
    levels = np.exp(fisher_levels(np.log([level]))[0])
    assert len(levels) == STAIRCASE_STEPS - 1
    edges = np.concatenate([[1.0], levels, [levels[-1] * levels[0]]])
    np.testing.assert_allclose(edges[1:] / edges[:-1], edges[1], rtol=1e-9)
    # u between two levels: right with each level up to it, so wrong for v below the
    # smallest level left
    area = (
        sum(
            (a - b) * v
            for a, b, v in zip(edges[:-1], edges[1:], [*levels[::-1], 1.0], strict=True)
        )
        + edges[-1]
    )
    assert area == pytest.approx(level, rel=1e-9)
    t = -math.log(edges[-1])
    assert (1 + t) * math.exp(-t) < level < 2 * (1 + t) * math.exp(-t)


@pytest.mark.parametrize(("p", "q"), [(0.1, 0.3), (0.5, 0.5), (0.02, 0.9)])
def test_the_chance_that_no_pair_of_bounds_is_right_by_every_pair_of_counts(p, q):
    n, m, level = 25, 40, 0.1
    levels = fisher_levels(np.log([level]))[0]
    _, up = clopper_pearson(np.arange(n + 1)[:, None], n, levels)
    low, _ = clopper_pearson(np.arange(m + 1)[:, None], m, levels[::-1])
    right = (up[:, None] >= p) & (low[None] <= q)
    chance = np.outer(binom.pmf(range(n + 1), n, p), binom.pmf(range(m + 1), m, q))[
        ~right.any(axis=2)
    ].sum()
    assert chance <= level


def bound(seen, rows, level, *, upper):
    if upper:
        return float(beta.isf(level, seen + 1, rows - seen)) if seen < rows else 1.0
    return float(beta.ppf(level, seen, rows - seen + 1)) if seen > 0 else 0.0


@each_notion
def test_the_bounds_by_a_loop(notion):
    counts = np.array([[12, 0, 7, 30], [25, 9, 1, 14], [3, 3, 40, 0]])
    sample, ratios, n = Sample(counts, 0.9), notion.ratios(3), counts.shape[1]
    member = np.array(list(itertools.product([False, True], repeat=n))[1:-1])
    found = sample.misses(notion, member)
    # of P(s) for each s and of all P(s), or of three pairs
    parts = 4 if isinstance(notion, ll.LIP | ll.ALIP) else 3
    for subset, column in zip(member, found.T, strict=True):
        level = 0.1 / parts / 2 / (n // 2) / math.comb(n, subset.sum())
        levels = np.exp(fisher_levels(np.log([level]))[0])
        for a, b, budget, miss in zip(
            ratios.top, ratios.bottom, ratios.budget, column, strict=True
        ):
            f, s = math.exp(-budget), min(a, b)
            others = counts.sum(axis=0) - counts[s]
            ends = [1.0] if max(a, b) < 3 else [end[s] for end in sample.prior]
            wanted = -np.inf
            for pi, (u, v) in itertools.product(
                ends, zip(levels, levels[::-1], strict=True)
            ):
                if b == 3:
                    p, q, c, d = counts[a], others, max(f - pi, 0), 1 - pi
                elif a == 3:
                    p, q, c, d = others, counts[b], f * (1 - pi), 1 - f * pi
                else:
                    p, q, c, d = counts[a], counts[b], f, 1.0
                high = bound(p[subset].sum(), p.sum(), u, upper=True)
                wanted = max(
                    wanted,
                    c * high - d * bound(q[subset].sum(), q.sum(), v, upper=False),
                )
            assert miss == pytest.approx(wanted, abs=1e-9)


@each_notion
def test_of_no_symbol_and_of_all_the_difference_is_known(notion):
    found = Sample([[5, 0, 2], [0, 0, 0], [1, 4, 0]]).misses(
        notion, np.array([[False] * 3, [True] * 3])
    )
    np.testing.assert_allclose(found[:, 0], 0)
    np.testing.assert_allclose(found[:, 1], np.expm1(-notion.ratios(3).budget))


def true_misses(p, notion, member):
    """Return P(A|a) e^-budget - P(A|b) under a law."""
    of, ratios = (
        np.vstack([p / p.sum(axis=1, keepdims=True), p.sum(axis=0)]) @ member.T,
        notion.ratios(len(p)),
    )
    return np.exp(-ratios.budget)[:, None] * of[ratios.top] - of[ratios.bottom]


@each_notion
@pytest.mark.parametrize("p", [[[0.3, 0.2], [0.1, 0.4]], [[0.02, 0.5], [0.44, 0.04]]])
def test_the_confidence_by_every_table_there_can_be(notion, p):
    """Twelve rows in four cells: all 455 tables, with their multinomial chances."""
    p, member, wrong = np.array(p), np.eye(2, dtype=bool), 0.0
    true = true_misses(p, notion, member)
    for bars in itertools.combinations(range(15), 3):
        cells = np.array([b - a - 1 for a, b in itertools.pairwise([-1, *bars, 15])])
        found = Sample(cells.reshape(2, 2), 0.6).misses(notion, member)
        if not (true <= found + 1e-12).all():
            wrong += math.factorial(12) * np.prod(
                [
                    x**k / math.factorial(k)
                    for x, k in zip(p.ravel(), cells, strict=True)
                ]
            )
    assert wrong <= 0.4


@pytest.mark.parametrize("rows", [40, 400])
def test_coverage_of_all_subsets_by_simulation(rows):
    p, notion = ll.datasets.dirichlet_joint(3, 5, 0.5, 4).p, ll.LIP(0.5)
    member = np.array(list(itertools.product([False, True], repeat=5))[1:-1])
    true, rng = true_misses(p, notion, member), np.random.default_rng(rows)
    tables = rng.multinomial(rows, p.ravel(), 300).reshape(-1, *p.shape)
    wrong = sum(
        not (true <= Sample(one, 0.8).misses(notion, member) + 1e-12).all()
        for one in tables
    )
    assert wrong <= 60


@pytest.mark.parametrize("kind", [ll.LIP, ll.LDP])
def test_a_channel_is_kept_from_the_budget_on_at_which_its_bounds_are_0(kind):
    counts, kernel = (
        [[40, 30, 30], [20, 50, 30]],
        np.array([[0.6, 0.4], [0.3, 0.7], [0.5, 0.5]]),
    )
    sample, parts = Sample(counts), Parts.nested(kernel)
    ratios = kind(0.1).ratios(2)
    misses = sample.differences(ratios, parts.member)
    low, high = 0.0, 5.0
    while high - low > 1e-9:
        nats = (low + high) / 2
        kept = (misses(np.full(len(ratios.budget), nats)) @ parts.weights <= 0).all()
        low, high = (low, nats) if kept else (nats, high)
    assert 0.1 < high < 4
    assert not sample.keeps(kind(high - 1e-6), ll.Channel(kernel))
    assert sample.keeps(kind(high + 1e-6), ll.Channel(kernel))
    assert not Sample(counts, 0.999).keeps(kind(high + 1e-6), ll.Channel(kernel))


def test_prices_share_one_chance_of_error():
    # those of half the symbols are their own complements' and charged twice
    for n in range(2, 30):
        shares = np.exp(-subset_price(n, np.arange(1, n)))
        assert sum(
            shares[k - 1] * math.comb(n, k) for k in range(1, n // 2 + 1)
        ) == pytest.approx(1)
        np.testing.assert_allclose(shares, shares[::-1])
