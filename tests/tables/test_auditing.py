"""An audit's numbers, by hand and against other routes."""

import itertools
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from table_of_people import PEOPLE

import liftlib as ll
from liftlib import tables
from liftlib.errors import DataError, InvalidParameter
from liftlib.tables.measuring import MEASURES


def test_by_hand():
    """P(flu) = 1/3, P(none) = 1/2, P(rare) = 1/6; P(old) = P(young) = 1/2."""
    found = tables.audit(PEOPLE, secret="ill", public="age", notion=ll.ALIP(1.0, 0.5), resamples=0)
    third, half, sixth = Fraction(1, 3), Fraction(1, 2), Fraction(1, 6)
    lifts = {
        "old": [sixth / (third * half), sixth / (half * half), sixth / (sixth * half)],
        "young": [sixth / (third * half), third / (half * half), 0 / (sixth * half)],
    }
    for symbol in found.symbols:
        assert symbol.rows == 60
        assert symbol.min_lift == pytest.approx(float(min(lifts[symbol.symbol])))
        assert symbol.max_lift == pytest.approx(float(max(lifts[symbol.symbol])))
    young, old = found.symbols  # the one with the zero cell is the riskier
    assert (young.symbol, young.zero_cells, young.kept) == ("young", ("rare",), False)
    assert tuple(map(str, young.broken)) == ("eps_l: needs inf, budget 1 (secret 'rare', lift 0)",)
    assert tuple(map(str, old.broken)) == ("eps_u: needs 0.6931, budget 0.5 (secret 'rare', lift 2)",)
    assert found.overall["min_lift_leakage"] == np.inf
    assert found.overall["max_lift_leakage"] == pytest.approx(np.log(2))
    assert found.kept is False
    assert any("1 of 6 cells are empty" in note for note in found.notes)


def test_overall_is_what_evaluate_says():
    joint = ll.datasets.adult()
    found = tables.audit(ll.datasets.adult_frame(), secret="relationship", public="occupation", resamples=0)
    result = ll.evaluate(joint, ll.Channel.identity(joint.n_public))
    for name in MEASURES[:-1]:
        assert found.overall[name] == pytest.approx(getattr(result, name), rel=1e-12)
    assert found.overall["maximal_leakage"] == pytest.approx(ll.sibson(joint, np.inf))


def test_bootstrap_intervals_cover_the_truth_about_as_often_as_they_say():
    """A coverage under 80 % of 95 in 60 tables has a probability of 1e-6."""
    joint, rng, covered = ll.Joint([[0.2, 0.3], [0.35, 0.15]]), np.random.default_rng(3), 0
    truth = ll.evaluate(joint, ll.Channel.identity(2)).max_lift_leakage
    for _ in range(60):
        drawn = rng.multinomial(2000, joint.p.ravel())
        cells = list(itertools.product("ab", "uv"))
        frame = pl.DataFrame({"s": [c[0] for c, k in zip(cells, drawn, strict=True) for _ in range(k)]}).with_columns(
            pl.Series("x", [c[1] for c, k in zip(cells, drawn, strict=True) for _ in range(k)])
        )
        found = tables.audit(frame, secret="s", public="x", resamples=100, rng=rng)
        low, high = found.intervals["max_lift_leakage"]
        covered += low <= truth <= high
    assert covered >= 48


@pytest.mark.parametrize(
    "notion",
    [
        ll.LIP(0.1),
        ll.LDP(0.1),
        ll.L1Lift(0.1, 0.1),
        ll.Chi2Lift(0.1, 0.1),
        ll.AlphaLift(2, 0.1, 0.1),
        ll.PerfectPrivacy(),
        ll.ALIP(np.inf, 0.1),
    ],
    ids=str,
)
def test_every_notion_says_what_it_needs(notion):
    found = tables.audit(PEOPLE, secret="ill", public="age", notion=notion, resamples=20, rng=0)
    joint = ll.Joint.from_table(PEOPLE.to_pandas(), secret="ill", public="age")
    assert found.kept is notion.is_kept(joint, ll.Channel.identity(2)) is False
    assert found.kept_share is not None
    for symbol in found.symbols:
        assert (symbol.kept is False) == bool(symbol.broken)
        assert all("needs" in str(one) and "budget" in str(one) for one in symbol.broken)


def test_side_channels():
    table = pl.DataFrame({"s": list("aabbabab") * 10, "x": list("uvuvuuvv") * 10, "z": list("jjkkjkjk") * 10})
    found = tables.audit(table, secret="s", public=["x", "z"], notion=ll.SRLIP(0.1, (2, 2)), resamples=5)
    assert found.kept is False
    with pytest.raises(DataError, match="need every combination of columns 'x', 'z' to occur; 3 of 4 do"):
        tables.audit(
            table.filter((pl.col("x") == "u") | (pl.col("z") == "j")),
            secret="s",
            public=["x", "z"],
            notion=ll.SRLIP(0.1, (2, 2)),
        )


def test_one_symbol_columns():
    table = pl.DataFrame({"s": ["a"] * 9, "x": ["u"] * 9, "z": list("uvw") * 3})
    found = tables.audit(table, secret="s", public="z", notion=ll.LIP(0.0), resamples=3, min_count=0)
    assert found.kept is True
    assert any("the secret has one symbol" in note for note in found.notes)
    found = tables.audit(table, secret="z", public="x", notion=ll.LIP(0.0), resamples=3)
    assert (found.kept, found.overall["ldp"]) == (True, 0)
    assert any("the public column has one symbol" in note for note in found.notes)


def test_wrong_bootstrap():
    with pytest.raises(InvalidParameter, match=r"resamples is -1 and level 0\.95"):
        tables.audit(PEOPLE, secret="ill", public="age", resamples=-1)
