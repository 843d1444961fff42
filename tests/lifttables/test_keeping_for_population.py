"""Designs next to kept columns for a population."""

import collections
import itertools
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import beta

import liftlib as ll
import lifttables as tables
from liftlib.errors import InfeasiblePrivacy
from lifttables import Reading, open_table
from lifttables.confident.certification import for_population
from lifttables.designs.keeping import BUDGET_SHARES, linked_counts
from lifttables.population.sample import Sample
from lifttables.population.within import SampleWithin
from lifttables.releases import pipeline
from lifttables.releases.noising import with_noise

EPS = 0.7


def law_of(seed):
    """Return P(s, x, z) in which z = 3 alone is beyond the budget."""
    rng = np.random.default_rng(seed)
    p_z = rng.dirichlet(np.full(4, 8.0))
    ill = np.array([0.3, 0.36, 0.44, 0.72]) * rng.uniform(0.9, 1.1, 4)
    x = rng.dirichlet(np.full(3, 4.0), 8).reshape(2, 4, 3)
    return np.stack([(p_z * of)[None, :] * x[s].T for s, of in enumerate((ill, 1 - ill))])


def rows_of(law, n, seed):
    """Return n rows drawn from a law, and each row's cell."""
    cells = np.array(list(itertools.product(*map(range, law.shape))))
    drawn = cells[np.random.default_rng(seed).choice(len(cells), n, p=law.ravel() / law.sum())]
    return pl.DataFrame({name: [f"{name}{code}" for code in drawn[:, at]] for at, name in enumerate("sxz")})


def log_lifts(law, design):
    """Return log P(s|y,z) / P(s) under the law."""
    cells = list(itertools.product(range(law.shape[1]), range(law.shape[2])))
    frame = pl.DataFrame({"x": [f"x{x}" for x, _ in cells], "z": [f"z{z}" for _, z in cells]})
    codes = design.codes(frame, "draw")
    found = np.zeros((law.shape[0], design.channel.n_outputs))
    for (x, z), code in zip(cells, codes, strict=True):
        for s in range(law.shape[0]) if code >= 0 else ():
            for y, chance in enumerate(design.channel.kernel[code]):
                found[s, y] += law[s, x, z] * chance
    found = found[:, found.sum(axis=0) > 0] / found.sum()
    with np.errstate(divide="ignore"):
        return np.log(found / found.sum(axis=0) / found.sum(axis=1)[:, None])


def released(rows, **words):
    of = {"secret": "s", "public": "x", "notion": ll.LIP(EPS), "keep": ["z"], "resamples": 0}
    return tables.sanitise(rows, **{**of, **words}, rng=1)


@pytest.mark.parametrize("n", [400, 3000, 20000])
def test_nearly_all_designs_satisfy_the_notion_under_the_law(n):
    broken, kept = 0, 0
    for seed in range(20):
        law = law_of(seed % 5)
        done = released(rows_of(law, n, seed))
        assert done.design.confidence == 0.95
        broken += np.abs(log_lifts(law, done.design)).max() > EPS + 1e-9
        kept += "z" in done.frame.columns
    assert broken <= 1
    assert kept == 20 or n < 20000


@pytest.mark.filterwarnings("ignore")
def test_a_design_for_the_sample_would_fail_this_test():
    broken = 0
    for seed in range(20):
        law = law_of(seed % 5)
        broken += np.abs(log_lifts(law, released(rows_of(law, 3000, seed), confidence=None).design)).max() > EPS
    assert broken >= 10


@pytest.mark.parametrize("notion", [ll.ALIP(0.9, 0.6), ll.LDP(1.2), ll.ALIP(np.inf, 0.5)], ids=str)
def test_other_notions(notion):
    for seed in range(4):
        law = law_of(seed)
        log = log_lifts(law, released(rows_of(law, 5000, seed), notion=notion).design)
        if isinstance(notion, ll.LDP):
            assert (log.max(axis=0) - log.min(axis=0)).max() <= notion.eps + 1e-9
        else:
            assert log.max() <= notion.eps_u + 1e-9
            assert -log.min() <= notion.eps_l + 1e-9


def test_the_card_the_audit_and_the_notes_say_so():
    done = released(rows_of(law_of(0), 8000, 0))
    assert [one.whom for one in done.card.kept] == ["the population"]
    assert done.card.kept[0].confidence == 0.95
    assert "a random quarter of the rows chose how to group kept values" in done.card.kept[0].how
    assert done.audit.population == "kept"
    assert done.card.mechanism == "confident-merging (in place of subset-merging) for each value of z"
    assert done.card.noise is not None
    text = "\n".join(done.audit.notes)
    assert "kept columns: z: " in text
    assert re.search(r"with values grouped for \d+ % of the budget: H\(Z\) = ", text)


def test_everything_is_computed_from_noisy_counts(monkeypatch):
    """Two tables with the same noisy counts have one card."""
    rows = rows_of(law_of(2), 2000, 5)
    monkeypatch.setattr("lifttables.releases.noising.geometric_noise", lambda shape, *_: np.zeros(shape, int))
    seen = []

    def same(counts, *_, **__):
        seen.append(counts[0].table)
        return [replace(counts[0], noisy=made[0].noisy)]

    made = with_noise([linked_counts(open_table(rows), Reading("s", "x"), ["z"], 0.95).counts], 1.0, bytes(32), 0)
    monkeypatch.setattr("lifttables.releases.pipeline.with_noise", same)
    flipped = rows.with_columns(s=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("s1")).otherwise("s"))
    cards = [released(one).card for one in (rows, flipped, rows.with_columns(s=pl.Series(rows["s"][::-1])))]
    assert not np.array_equal(seen[0], seen[2])
    for one in cards[1:]:
        assert (one.texts, one.words, one.kept, one.mechanism) == (
            cards[0].texts,
            cards[0].words,
            cards[0].kept,
            cards[0].mechanism,
        )
        assert np.array_equal(one.kernel, cards[0].kernel)


def test_bounds_within_a_part_are_those_of_clopper_and_pearson():
    counts = np.array([[30, 20, 40, 10], [15, 25, 30, 30]])
    part = SampleWithin.of(Sample(counts, 0.9, chosen=np.log(7)), [0, 1])
    member = np.array([[True, False], [False, True], [True, True]])
    found = part.subsets(member)
    level = 0.1 / 4 / 7 / 3 / 2  # 2 secrets, P(X) and P(S); 7 choices; 3 pairs of a subset and its complement; 2 ends
    for at, inside in enumerate(member):
        for s, of in enumerate([*counts, counts.sum(axis=0)]):
            k, n = of[:2][inside].sum(), of.sum()
            assert found.lower[s, at] == pytest.approx(beta.ppf(level, k, n - k + 1))
            assert found.upper[s, at] == pytest.approx(beta.isf(level, k + 1, n - k))
    whole = SampleWithin.of(Sample(counts, 0.9), range(4))
    every = np.eye(4, dtype=bool)
    np.testing.assert_array_equal(whole.subsets(every).lower, Sample(counts, 0.9).subsets(every).lower)


def test_a_part_is_split_merged_and_scaled_like_the_whole():
    counts = np.array([[30, 20, 40, 10], [15, 25, 30, 30]])
    part = SampleWithin.of(Sample(counts, 0.9), [2, 0])
    assert part.merged([(0, 1)]).counts.tolist() == [[70], [45]]
    assert part.merged([(0, 1)]).prior[0] == pytest.approx(part.prior[0])
    assert part.scaled(10).counts.tolist() == [[400, 300], [300, 150]]
    assert part.choosing(7).whole.chosen == pytest.approx(np.log(7))
    some, rest = part.split(0)
    assert np.array_equal(some + rest.counts, part.counts)
    assert rest.rows == 150


def test_values_of_z_share_the_chance_of_error(monkeypatch):
    asked = []
    of = SampleWithin.of
    monkeypatch.setattr(SampleWithin, "of", lambda sample, pairs: asked.append(sample.chosen) or of(sample, pairs))
    released(rows_of(law_of(1), 20000, 2))
    n_z = collections.Counter(asked)
    for chosen, times in n_z.items():
        assert chosen == pytest.approx(np.log(len(BUDGET_SHARES) * times))


@pytest.mark.parametrize(("n", "each"), [(4, 0.95), (8, 0.975)])
def test_designs_over_other_symbols_share_the_chance_of_error(monkeypatch, n, each):
    """With more symbols than have bounds for all subsets, merging has blocks and randomised response has none."""
    asked, made = [], pipeline.design_next_to

    def recording(linked, notion, mechanism, confidence, ways):
        asked.append(confidence)
        return made(linked, notion, mechanism, confidence, ways)

    monkeypatch.setattr(pipeline, "design_next_to", recording)
    law = np.random.default_rng(0).uniform(0.8, 1.2, (2, n, 2))
    done = released(rows_of(law / law.sum(), 4000, 1), mechanism="estimates")
    assert asked == [each, each]
    assert done.design.confidence == 0.95


def test_more_symbols_than_all_of_whose_subsets_are_looked_at():
    rng = np.random.default_rng(0)
    law = rng.uniform(0.7, 1.3, (2, 20, 2))
    law = law / law.sum()
    done = released(rows_of(law, 20000, 1))
    assert np.abs(log_lifts(law, done.design)).max() <= EPS
    assert done.audit.overall["nmi"] > 0.2


@pytest.mark.parametrize("mechanism", ["subset-merging", "randomised-response", "optimal", "watchdog"])
def test_a_value_that_tells_too_much_alone_is_refused_by_every_mechanism(mechanism):
    """A constant release next to it tells the value, so it must be certified like any other."""
    sample = Sample(np.array([[300, 300, 100, 100], [100, 100, 300, 300]]))
    part = SampleWithin.of(sample, [0, 1])
    with pytest.raises(InfeasiblePrivacy):
        for_population(ll.mechanisms[mechanism], part, ll.LIP(0.3))
    made = for_population(ll.mechanisms[mechanism], part, ll.LIP(1.0))
    assert made.certifier.keeps(made.channel)
