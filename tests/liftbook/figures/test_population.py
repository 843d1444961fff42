"""Designs and audits over many tables, and published sets."""

from types import SimpleNamespace

import numpy as np
import pytest
from messages import raised

import liftlib as ll
from liftbook.figures.population import coverage, stored
from liftbook.figures.population.coverage import (
    AUDITED,
    audited_table,
    interval_coverage,
)
from liftbook.figures.population.designs import (
    DESIGNS,
    LAWS,
    NOTIONS,
    drawn_table,
    halved,
    judged,
    kept_shares,
    population_designs,
    whatever_the_law,
)
from liftlib.errors import InvalidParameter
from lifttables.audits.measuring import MEASURES
from lifttables.confident.merging import confident_merging

FEW = 6
"""Tables of each setting that a stored run has at least; it goes on until there are
``stored.N_SEEDS`` of them.
"""


def test_a_table_is_of_its_law():
    counts = drawn_table("2x10", 5000, 3)
    assert counts.sum() == 5000
    assert np.array_equal(counts, drawn_table("2x10", 5000, 3))
    assert not np.array_equal(counts, drawn_table("2x10", 5000, 4))
    assert np.abs(counts / 5000 - LAWS["2x10"]().p).max() < 0.03
    with raised(InvalidParameter):
        drawn_table("x", 10, 0)
    with raised(InvalidParameter):
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
        notion.is_satisfied(
            law(), whatever_the_law(np.ones((1, law().n_public)), notion)
        )
        for law in LAWS.values()
    )


def test_halved():
    assert halved(ll.LIP(1.0)) == ll.LIP(0.5)
    assert halved(ll.ALIP(1.0, 0.5)) == ll.ALIP(0.5, 0.25)


def test_figures_are_their_tables():
    rows = population_designs(["2x10"], [300], [0, 1])
    assert len(rows) == 2 * len(DESIGNS)
    assert rows["nmi"].tolist() == [
        row["nmi"]
        for seed in (0, 1)
        for row in judged((ll.LIP(1.0), "2x10", 300, seed))
    ]
    rows = interval_coverage(["2x2"], [300], [0])
    assert rows["measure"].tolist() == list(MEASURES)
    assert rows["covered"].tolist() == [
        row["covered"] for row in audited_table(("2x2", 300, 0))
    ]


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
    for row in found[
        (found["law"] == "4x10") & (found["rows"] == 1000) & (found["seed"] == 7)
    ].itertuples():
        assert row.covered == again[row.measure]["covered"]
        assert row.width == pytest.approx(again[row.measure]["width"], rel=1e-3)


@pytest.mark.parametrize(
    ("ends", "covered"), [((0, np.inf), True), ((0, 1e-9), False), ((9, np.inf), False)]
)
def test_an_interval_covers_by_both_ends(monkeypatch, ends, covered):
    found = SimpleNamespace(intervals=dict.fromkeys(MEASURES, ends))
    monkeypatch.setattr(coverage, "audited", lambda *_, **__: found)
    assert {row["covered"] for row in audited_table(("2x2", 300, 0))} == {covered}


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
        assert found.loc[name, "error"] == pytest.approx(
            np.std(part["nmi"], ddof=1) / np.sqrt(6)
        )
