"""What a card tells of its table, by an attacker who knows the program.

The attacker holds the true table and others in which up to three people have another secret, so that n and the public
counts are the same, makes each one's card with this very program, and keeps those whose card is the published one.
"""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats

import liftlib as ll
import lifttables as tables
from liftbook.relatives import AverageLeakage, MaximalLeakage
from liftlib import registry
from liftlib.notions import AttributeWise, LiftNotion
from lifttables.designs.designing import design
from lifttables.designs.statement import MERGING_TELLS, OUTPUTS_TELL
from lifttables.encoding.columns import Column, Counts, Symbols
from lifttables.releases.card import card_of

SIX = np.array([[30, 14, 25, 9, 40, 21], [22, 31, 12, 27, 19, 50]]) * 400
SECRET = Symbols((Column("s"),), (("s0",), ("s1",)))
PUBLIC = Symbols((Column("x"), Column("z")), tuple((x, z) for x in "ab" for z in "pqr"))
NOTIONS = [ll.LIP(0.4), ll.ALIP(np.inf, 0.3), AverageLeakage(0.02), MaximalLeakage(0.5), ll.SRLIP(0.4, (2, 3))]

BLUNT = {
    "watchdog", "subset-merging", "best-partition", "funnel-merging", "funnel-subsets", "extremal", "staircase",
    "hamming",
}  # fmt: skip
"""Mechanisms whose very channel is the same for tables near one another: symbols merged, or a closed form."""


def notion_for(name):
    return next(one for one in NOTIONS if registry.mechanisms[name].serves(one))


def neighbours(n, seed=0):
    """Tables in which one to three people have the other secret."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        counts = SIX.copy()
        for _ in range(rng.integers(1, 4)):
            x, s = rng.integers(6), rng.integers(2)
            counts[s, x] -= 1
            counts[1 - s, x] += 1
        if (counts != SIX).any():
            yield counts


def card(counts, name, confidence):
    made = design(Counts(counts.astype(float), SECRET, PUBLIC), notion_for(name), name, confidence)
    return {key: value for key, value in card_of(made).as_dict().items() if key not in ("made", "cite", "digest")}


@pytest.mark.parametrize("confidence", [None, 0.95])
@pytest.mark.parametrize("name", registry.mechanisms)
def test_a_card_does_not_single_out_its_table(name, confidence):
    try:
        public = card(SIX, name, confidence)
    except ll.UnsupportedNotion:
        assert confidence is not None
        pytest.skip(f"{name} has no design for a population under {notion_for(name)}")
    notion = notion_for(name)
    if not isinstance(notion, LiftNotion | AttributeWise):
        assert public["kernel"] is None or registry.mechanisms[name].name in BLUNT
    if public["kernel"] is None:
        # what the outputs are called stands in the release itself; no number here is more than whose name it is
        numbers = json.dumps({**public, "kept": None, "version": None})
        assert "." not in "".join(part for part in numbers.split('"')[::2])
    else:
        assert any(card(counts, name, confidence) == public for counts in neighbours(60))


@pytest.mark.parametrize("name", [name for name in registry.mechanisms if name not in BLUNT])
def test_the_exact_channel_would_single_it_out(name):
    """What the attack finds where kernels are published to all their digits."""
    mechanism, notion = registry.mechanisms[name], notion_for(name)
    truth = mechanism(ll.Joint.from_counts(SIX), notion).kernel
    others = [mechanism(ll.Joint.from_counts(counts), notion).kernel for counts in neighbours(10)]
    assert sum(not np.array_equal(one, truth) for one in others) >= len(others) / 2


def laws_table(n_s, n_x, rows, seed):
    """Rows of a law whose secrets share 60 % of the distribution of the symbols."""
    rng = np.random.default_rng([77, n_s, n_x, seed])
    p_s, base = rng.dirichlet(np.full(n_s, 8.0)), rng.dirichlet(np.full(n_x, 2.0))
    law = p_s[:, None] * np.stack([0.6 * base + 0.4 * rng.dirichlet(np.ones(n_x)) for _ in range(n_s)])
    return np.random.default_rng([5, seed]).multinomial(rows, law.ravel()).reshape(n_s, n_x)


@pytest.mark.parametrize("mechanism", ["optimal", "subset-merging"])
def test_a_card_says_that_its_outputs_can_depend_on_one_row(mechanism):
    """Where one row's secret changes the list of outputs, who knows all other rows can tell two of its values apart."""
    differ = tried = 0
    for seed in range(4):
        counts, rng = laws_table(3, 6, 300, seed), np.random.default_rng([6, seed])
        s, x = divmod(int(rng.choice(18, p=counts.ravel() / 300)), 6)
        other = counts.copy()
        other[s, x], other[(s + 1) % 3, x] = other[s, x] - 1, other[(s + 1) % 3, x] + 1
        symbols = [Symbols((Column(name),), tuple(zip(labels))) for name, labels in (("s", "abc"), ("x", "uvwxyz"))]
        cards = [
            card_of(design(Counts(table.astype(float), *symbols), ll.LIP(1.0), mechanism)) for table in (counts, other)
        ]
        differ += cards[0].texts != cards[1].texts or cards[0].sources != cards[1].sources
        tried += 1
        for card in cards:
            assert (OUTPUTS_TELL if card.kernel is None else MERGING_TELLS) in card.not_covered
            assert "Whatever else somebody knows" not in card.as_text()
            assert "knows only how common each value of s is" in card.as_text()
    assert mechanism == "subset-merging" or differ >= tried / 2


def test_where_a_released_value_stands_says_nothing():
    n, squares = 2000, 0.0
    x = np.sort(np.random.default_rng(0).integers(4, size=n))
    frame = pl.DataFrame({"s": (x + np.arange(n)) % 2, "x": x}).cast(pl.String)
    words = {"secret": "s", "public": "x", "notion": ll.LIP(1.0), "resamples": 0}
    for seed in range(12):
        found = tables.sanitise(frame, **words, rng=seed).frame
        assert found["x"].n_unique() > 1
        squares += (n - 1) * stats.spearmanr(found["x"].rank("dense"), np.arange(n)).statistic ** 2
    assert stats.chi2.sf(squares, 12) > 1e-4
