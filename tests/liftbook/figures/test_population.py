"""Designs and audits over many tables, and published sets."""

import numpy as np
import pytest

import liftlib as ll
from liftbook.figures.population import designs, stored
from liftbook.figures.population.coverage import AUDITED, audited_table, interval_coverage
from liftbook.figures.population.designs import (
    DESIGNS,
    LAWS,
    NOTIONS,
    WAYS,
    drawn_table,
    halved,
    judged,
    judged_ways,
    kept_shares,
    population_designs,
    population_ways,
    whatever_the_law,
)
from liftbook.figures.population.losses import SHAPES, OneSubset, law_and_optimum, losses, population_losses
from liftlib.errors import InvalidParameter
from lifttables.audits.measuring import MEASURES
from lifttables.confident.certification import for_population, route
from lifttables.confident.merging import confident_merging
from lifttables.population.sample import Sample

FEW = 6
"""Tables of each setting that a stored run has at least; it goes on until there are ``stored.N_SEEDS`` of them."""


def test_a_table_is_of_its_law():
    counts = drawn_table("2x10", 5000, 3)
    assert counts.sum() == 5000
    assert np.array_equal(counts, drawn_table("2x10", 5000, 3))
    assert not np.array_equal(counts, drawn_table("2x10", 5000, 4))
    assert np.abs(counts / 5000 - LAWS["2x10"]().p).max() < 0.03
    with pytest.raises(InvalidParameter, match="law is 'x': give one of"):
        drawn_table("x", 10, 0)
    with pytest.raises(InvalidParameter, match="law is 'x': give one of"):
        audited_table(("x", 10, 0))


@pytest.mark.parametrize("notion", NOTIONS, ids=repr)
def test_designs_are_judged_by_the_law(notion):
    rows = judged((notion, "4x6", 3000, 1))
    assert [row["design"] for row in rows] == list(DESIGNS)
    truth, counts = LAWS["4x6"](), drawn_table("4x6", 3000, 1)
    channel = confident_merging(counts, notion)
    row = rows[1]
    assert row["kept"] is notion.is_satisfied(truth, channel)
    assert row["nmi"] == pytest.approx(abs(ll.evaluate(truth, channel).nmi))
    assert row["over"] == pytest.approx(notion.violation(truth, channel))
    # without any table, the notion is kept under each law
    assert all(
        notion.is_satisfied(law(), whatever_the_law(np.ones((1, law().n_public)), notion)) for law in LAWS.values()
    )


def test_halved():
    assert halved(ll.LIP(1.0)) == ll.LIP(0.5)
    assert halved(ll.ALIP(1.0, 0.5)) == ll.ALIP(0.5, 0.25)


@pytest.mark.parametrize("name", WAYS)
def test_ways_serve_the_notion_and_have_no_design_of_their_own(name):
    assert ll.mechanisms[name].serves(designs.NOTION)
    assert route(ll.mechanisms[name], designs.NOTION) == name


def test_ways_are_judged_by_the_law_of_what_their_table_has():
    counts = drawn_table("Adult, 6x15", 300, 0)
    there = counts.any(axis=0)
    assert not there.all()
    law = LAWS["Adult, 6x15"]().p[:, there]
    truth = ll.Joint(law / law.sum())
    rows = {row["design"]: row for row in judged_ways(("Adult, 6x15", 300, 0))}
    for name in ("randomised-response", "conditional-reporting"):
        channel, *_ = for_population(ll.mechanisms[name], counts[:, there], ll.LIP(1.0), 0.95)
        assert rows[name]["over"] == pytest.approx(ll.LIP(1.0).violation(truth, channel))
        assert rows[name]["nmi"] == pytest.approx(abs(ll.evaluate(truth, channel).nmi))


def test_stored_losses_are_kept_and_a_union_costs_something():
    found = stored.stored_losses()
    assert set(found["law"]) == set(SHAPES)
    assert found[found["bounds"] != "no union over subsets"]["kept"].all()
    mean = found.groupby(["law", "bounds"])["retained"].mean().unstack("bounds")
    assert (mean["bounds on both probabilities"] < mean["bounds on differences"]).all()
    assert (mean["bounds on differences"] < mean["no union over subsets"]).all()


def test_losses_are_their_tables():
    found = population_losses(["3x12"], [2000], [3])
    assert found["retained"].tolist() == [row["retained"] for row in losses(("3x12", 2000, 3))]
    law, best = law_and_optimum("3x12")
    assert best == pytest.approx(ll.evaluate(law, ll.mechanisms.optimal(law, ll.LIP(1.0))).nmi)
    assert found["retained"].between(0, 1).all()


def test_ways_that_take_too_long_are_left_out():
    found = population_ways(["Adult, 6x15"], [1000], [0])
    dear = {name for name in WAYS if (ll.mechanisms[name].most_symbols or 13) < 13}
    assert len(dear) == 1
    assert set(found["design"]) == set(WAYS) - dear
    assert (found["kept"] == (found["over"] <= 1e-9)).all()


def test_stored_ways_are_whole_and_kept():
    found = stored.stored_ways()
    tables = found.groupby(["design", "law", "rows"])["seed"].nunique()
    assert len(tables) == (len(WAYS) * len(LAWS) - 1) * len(stored.SIZES)
    assert tables.between(FEW, stored.N_SEEDS).all()
    assert found["kept"].all()


def test_figures_are_their_tables():
    rows = population_designs(["2x10"], [300], [0, 1])
    assert len(rows) == 2 * len(DESIGNS)
    assert rows["nmi"].tolist() == [row["nmi"] for seed in (0, 1) for row in judged((ll.LIP(1.0), "2x10", 300, seed))]
    rows = interval_coverage(["2x2"], [300], [0])
    assert rows["measure"].tolist() == list(MEASURES)
    assert rows["covered"].tolist() == [row["covered"] for row in audited_table(("2x2", 300, 0))]


def test_stored_designs_are_whole_and_kept():
    found = stored.stored_designs()
    first = found[found["notion"] == repr(NOTIONS[0])]
    tables = first.groupby(["law", "rows"])["seed"].nunique()
    assert set(tables.index) == {(law, rows) for law in LAWS for rows in stored.SIZES}
    assert tables.between(FEW, stored.N_SEEDS).all()
    confident = found[found["design"].str.startswith("confident")]
    assert confident["kept"].mean() >= 0.95


def test_stored_audits_are_whole_and_one_is_found_again():
    found = stored.stored_coverage()
    tables = found.groupby(["law", "rows", "measure"])["seed"].nunique()
    assert len(tables) == len(AUDITED) * len(stored.SIZES) * len(MEASURES)
    assert (tables == stored.N_SEEDS).all()
    assert found.groupby(["law", "rows", "measure"])["covered"].mean().min() >= 0.93
    again = {row["measure"]: row for row in audited_table(("4x10", 1000, 7))}
    for row in found[(found["law"] == "4x10") & (found["rows"] == 1000) & (found["seed"] == 7)].itertuples():
        assert row.covered == again[row.measure]["covered"]
        assert row.width == pytest.approx(again[row.measure]["width"], rel=1e-3)


def test_shares_have_exact_intervals():
    from scipy.stats import binomtest

    rows = population_designs(["2x10"], [300], range(6))
    found = kept_shares(rows, 0.9).set_index("design")
    assert list(found.index) == list(DESIGNS)
    for name, part in rows.groupby("design"):
        exact = binomtest(int(part["kept"].sum()), 6).proportion_ci(0.9, method="exact")
        assert found.loc[name, ["tables", "kept"]].tolist() == [6, part["kept"].sum()]
        assert found.loc[name, "low"] == pytest.approx(exact.low, abs=1e-9)
        assert found.loc[name, "high"] == pytest.approx(exact.high, abs=1e-9)
        assert found.loc[name, "nmi"] == pytest.approx(part["nmi"].mean())
        assert found.loc[name, "error"] == pytest.approx(np.std(part["nmi"], ddof=1) / np.sqrt(6))


def test_bounds_of_one_subset_are_narrower():
    counts, member = np.array([[30, 20, 10, 5], [10, 25, 20, 40]]), np.array([[True, True, False, False]])
    one, all_of_them = (kind(counts).subsets(member) for kind in (OneSubset, Sample))
    assert (one.upper < all_of_them.upper).all()
    assert (one.lower > all_of_them.lower).all()
