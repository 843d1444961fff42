"""Designs next to kept columns for a population."""

import itertools

import numpy as np
import polars as pl
import pytest
from scipy.stats import beta

import liftlib as ll
import lifttables as tables
from liftlib.errors import BrokenNotion
from lifttables.designs.alongside import alongside_for_population, retained
from lifttables.designs.keeping import BUDGET_SHARES
from lifttables.population.sample import Sample
from lifttables.population.within import SampleWithin

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
    of = {"secret": "s", "public": "x", "notion": ll.LIP(EPS), "keep": ["z"], "coarsen": True, "resamples": 0}
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
    assert [one.whom for one in done.card.kept] == ["these rows", "the population"]
    assert done.card.kept[1].confidence == 0.95
    assert "a random quarter of the rows chose how to group kept values" in done.card.kept[1].how
    assert done.audit.population == "kept"
    assert done.card.mechanism == "confident-response for each value of z"
    text = "\n".join(done.audit.notes)
    assert "coarsened: z: " in text
    assert "with kept columns at 100 % of the budget: H(Z) = " in text
    assert "for this sample only, H(Z) = " in text
    assert "nats would be retained" in text


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("confidence", [None, 0.95])
def test_the_best_of_all_shares_is_taken_and_one_can_be_asked_for(confidence):
    def total(done):
        """Return I(X, Z; Y, Z') from the rows."""
        p = rows.group_by("x", "z").len()
        joint = (p["len"].to_numpy() / len(rows))[:, None] * done.design.channel.kernel[done.design.codes(p)]
        ratio = joint / (joint.sum(axis=1, keepdims=True) * joint.sum(axis=0))
        return (joint * np.log(np.where(joint > 0, ratio, 1.0))).sum()

    rows = rows_of(law_of(1), 6000, 3)
    totals = {share: total(released(rows, coarsen=share, confidence=confidence)) for share in BUDGET_SHARES}
    best = total(released(rows, confidence=confidence))
    assert best >= max(totals.values()) - (1e-9 if confidence is None else 0.1)  # trying several has a price
    assert "z" not in released(rows, coarsen=0.0, confidence=confidence).frame.columns
    assert len({round(one, 6) for one in totals.values()}) > 1


def test_bounds_within_a_part_are_those_of_clopper_and_pearson():
    counts = np.array([[30, 20, 40, 10], [15, 25, 30, 30]])
    part = SampleWithin(counts[:, :2], counts[:, 2:].sum(axis=1), 0.9, chosen=np.log(7))
    member = np.array([[True, False], [False, True], [True, True]])
    found = part.subsets(member)
    level = 0.1 / 4 / 7 / 3 / 2  # 2 secrets, P(X) and P(S); 7 choices; 3 pairs of a subset and its complement; 2 ends
    for at, inside in enumerate(member):
        for s, of in enumerate([*counts, counts.sum(axis=0)]):
            k, n = of[:2][inside].sum(), of.sum()
            assert found.lower[s, at] == pytest.approx(beta.ppf(level, k, n - k + 1))
            assert found.upper[s, at] == pytest.approx(beta.isf(level, k + 1, n - k))
    whole = SampleWithin(counts, np.zeros(2), 0.9)
    every = np.eye(4, dtype=bool)
    np.testing.assert_array_equal(whole.subsets(every).lower, Sample(counts, 0.9).subsets(every).lower)


def test_values_of_z_share_the_chance_of_error():
    rng = np.random.default_rng(0)
    counts, z = rng.integers(200, 300, (2, 6)).astype(float), np.array([0, 0, 1, 1, 2, 2])
    found = alongside_for_population(counts, counts, z, ll.LIP(0.6), 0.95, 0.5)
    assert [one.sample.chosen for one in found.certifiers] == pytest.approx([0.5 + np.log(3)] * 3)
    assert found.keeps(found.channel)
    assert retained(ll.Joint.from_counts(counts), z, found.channel.kernel)[2] > 0
    shared = ll.Channel(np.ones((6, 1)))
    assert not found.keeps(shared)  # an output of two values of Z
    with pytest.raises(BrokenNotion, match="do not certify that Z alone"):
        alongside_for_population(counts, counts, z, ll.LIP(0.01), 0.95, 0.0)


def test_more_symbols_than_all_of_whose_subsets_are_looked_at():
    rng = np.random.default_rng(0)
    law = rng.uniform(0.7, 1.3, (2, 20, 2))
    law = law / law.sum()
    done = released(rows_of(law, 20000, 1), coarsen=1.0)
    assert np.abs(log_lifts(law, done.design)).max() <= EPS
    assert done.design.channel.n_public == 40
    assert done.audit.overall["nmi"] > 0.3
