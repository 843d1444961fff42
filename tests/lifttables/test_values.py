"""What owners say of values."""

import datetime as dt
import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from liftlib.errors import DataError, Drifted
from lifttables.encoding.columns import Column, as_dict, from_dict
from lifttables.encoding.reading import Reading
from lifttables.releases.drift import drift_of

ROWS = pl.DataFrame(
    {
        "s": ["a", "b"] * 60,
        "zip": [10000 + i % 60 for i in range(120)],
        "seen": [dt.date(2020, 1, 1) + dt.timedelta(days=10 * (i % 40)) for i in range(120)],
        "age": [float(i % 90) for i in range(120)],
        "town": ["Ulm", "Bonn", "Rome", "Pisa"] * 30,
        "r": ["NA", "x", "y", "x"] * 30,
    }
)


def counts(public, **more):
    return Reading("s", public, **{"rare": "keep", **more}).counts(tables.open_table(ROWS))


def test_codes_are_symbols_when_said_so():
    assert len(counts("zip", categorical=("zip",)).public.labels) == 60


def test_dates_in_bins_and_groups(tmp_path):
    found = counts("seen", bins=("seen=2020-03-01,2020-12-01",))
    assert found.public.texts == ("< 2020-03-01", "[2020-03-01, 2020-12-01)", ">= 2020-12-01")
    seen = ROWS["seen"]
    assert found.table.sum(axis=0).tolist() == [
        (seen < dt.date(2020, 3, 1)).sum(),
        ((seen >= dt.date(2020, 3, 1)) & (seen < dt.date(2020, 12, 1))).sum(),
        (seen >= dt.date(2020, 12, 1)).sum(),
    ]
    assert counts("seen", bins=("seen=year",)).public.texts == ("2020", "2021")
    assert counts("seen", bins=("seen=quarter",)).public.texts[:2] == ("2020-Q1", "2020-Q2")
    assert counts("seen", bins=("seen=month",)).public.texts[0] == "2020-01"
    # the same from a file, where dates are texts, and from timestamps
    ROWS.write_csv(tmp_path / "t.csv")
    again = Reading("s", "seen", bins=("seen=month",), rare="keep").counts(tables.open_table(tmp_path / "t.csv"))
    stamps = ROWS.with_columns(pl.col("seen").cast(pl.Datetime))
    third = Reading("s", "seen", bins=("seen=month",), rare="keep").counts(tables.open_table(stamps))
    assert again.table.tolist() == third.table.tolist() == counts("seen", bins=("seen=month",)).table.tolist()


@pytest.mark.parametrize("bins", ["quarter", "2024-07-01,2025-03-01"])
def test_a_year_of_two_digits_is_not_taken_for_one_of_the_first_century(bins):
    rows = pl.DataFrame({"s": ["a", "b"] * 20, "seen": ["24-12-01", "25-03-31"] * 20})
    with pytest.raises(DataError, match=r"must contain numbers .* or dates"):
        Reading("s", "seen", bins=(f"seen={bins}",)).counts(tables.open_table(rows))


def test_bins_keep_all_their_digits_and_their_order():
    assert Column("x", (20000001.0, 20000002.0)).bins() == ["< 20000001", "[20000001, 20000002)", ">= 20000002"]
    assert counts("age", bins=("age=5,10,60",)).public.texts == ("< 5", "[5, 10)", "[10, 60)", ">= 60")


def test_a_hierarchy_says_what_values_count_as(tmp_path):
    path = tmp_path / "towns.csv"
    path.write_text("town,country,continent\nUlm,D,Europe\nBonn,D,Europe\nRome,I,Europe\nPisa,I,Europe\n")
    found = counts("town", hierarchies=(f"town={path}",))
    assert found.public.texts == ("D", "I")
    assert found.table.sum(axis=0).tolist() == [60, 60]
    assert counts("town", hierarchies=(f"town={path}:2",)).public.texts == ("Europe",)
    assert from_dict(as_dict(found.public)) == found.public


def test_texts_for_missing_values():
    with pytest.raises(DataError, match="contains the text 'NA' in 30 rows"):
        counts("r")
    assert counts("r", na=()).public.texts == ("NA", "x", "y")
    assert counts("r", na=("NA",), missing="symbol").public.texts == ("(missing)", "x", "y")


SIGNS = pl.DataFrame({"s": ["a", "a", "b", "b"] * 30, "grade": ["A", "-", "B", "unknown"] * 30})


def read_signs(**more):
    return Reading("s", "grade", rare="keep", **more).counts(tables.open_table(SIGNS))


def test_signs_and_words_for_missing_values_are_asked_about(tmp_path):
    with pytest.raises(DataError, match=r"'-' in 30 rows, 'unknown' in 30 rows: say which .* are ordinary values"):
        read_signs()
    assert read_signs(na=()).public.texts == ("-", "A", "B", "unknown")
    assert read_signs(na=("unknown",), missing="drop").public.texts == ("-", "A", "B")
    assert read_signs(na=("unknown",), missing="symbol").public.texts == ("(missing)", "-", "A", "B")
    # a hierarchy says what they are
    (tmp_path / "g.csv").write_text("grade,group\nA,good\nB,good\n-,bad\n")
    with pytest.raises(DataError, match="'grade' contains the text 'unknown' in 30 rows"):
        read_signs(hierarchies=(f"grade={tmp_path / 'g.csv'}",))
    (tmp_path / "g.csv").write_text("grade,group\nA,good\nB,good\n-,bad\nunknown,bad\n")
    of = {"secret": "s", "public": "grade", "resamples": 0}
    assert read_signs(hierarchies=(f"grade={tmp_path / 'g.csv'}",)).public.texts == ("bad", "good")
    assert tables.audit(SIGNS, **of, hierarchies=[f"grade={tmp_path / 'g.csv'}"]).rows == 120
    # and so does the list of a secret's values
    listed = {"secret": "grade", "public": "s", "values": "grade=A,B,-,unknown"}
    assert Reading(**listed).counts(tables.open_table(SIGNS)).secret.texts == ("-", "A", "B", "unknown")
    assert tables.audit(SIGNS, **listed, resamples=0).rows == 120
    # an audit leaves out the others, and counts them
    found = tables.audit(SIGNS, **of)
    assert found.rows == 60
    assert any("60 of 120 rows were dropped" in note and "(empty, or NA, *, -" in note for note in found.notes)


EDGES = "2020-03-01,2020-12-01"


@pytest.mark.parametrize("to", [pl.DataFrame.lazy, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_numbers_do_not_cut_dates(to):
    frame = to(ROWS.with_columns(stamp=pl.col("seen").cast(pl.Datetime)))
    for name, bins in itertools.product(("seen", "stamp"), ("5,10", "quantiles:3")):
        with pytest.raises(DataError, match=f"column '{name}' contains dates, which numbers do not cut: give dates"):
            Reading("s", name, bins=(f"{name}={bins}",)).counts(tables.open_table(frame))
    cut = [
        Reading("s", name, bins=(f"{name}={EDGES}",), rare="keep").counts(tables.open_table(frame))
        for name in ("seen", "stamp")
    ]
    assert cut[0].table.tolist() == cut[1].table.tolist() == counts("seen", bins=(f"seen={EDGES}",)).table.tolist()


def test_a_group_may_have_the_name_of_its_only_value(tmp_path):
    path = tmp_path / "towns.csv"
    path.write_text("town,country\nUlm,Ulm\nBonn,Ulm\nRome,Rome\nPisa,Rome\n")
    assert counts("town", hierarchies=(f"town={path}",)).public.texts == ("Rome", "Ulm")


def design_of(frame, mechanism="randomised-response", eps=0.3):
    return tables.sanitise(
        frame, secret="s", public="x", notion=ll.LIP(eps), mechanism=mechanism, resamples=0, confidence=None
    ).design


def people(n, p, seed):
    rng = np.random.default_rng(seed)
    cells = rng.choice(4, n, p=np.ravel(p))
    return pl.DataFrame({"s": ["ab"[c // 2] for c in cells], "x": ["uv"[c % 2] for c in cells]})


P, Q = [[0.3, 0.2], [0.2, 0.3]], [[0.48, 0.02], [0.02, 0.48]]
OLD = {("a", "u"): 1200, ("a", "v"): 300, ("b", "u"): 300, ("b", "v"): 1200}


def counted(counts):
    rows = [cell for cell, n in counts.items() for _ in range(n)]
    return pl.DataFrame(rows, schema=["s", "x"], orient="row")


def test_drift_is_told_where_it_is_and_seldom_where_it_is_not():
    """40 tables from the same distribution: none called at p <= 0.001; from another."""
    made = design_of(people(3000, P, 0))
    rng = np.random.default_rng(1)
    same = [drift_of(tables.open_table(people(500, P, seed)), made, rng) for seed in range(1, 41)]
    assert sum(one.differs for one in same) <= 1
    assert 0.2 < np.mean([one.p_value for one in same]) < 0.8
    for seed in range(5):
        other = drift_of(tables.open_table(people(500, Q, seed)), made, rng)
        assert other.harmful
        assert other.violation > 0.1
        truth = ll.Joint.from_table(people(500, Q, seed).to_dict(as_series=False), secret="s", public="x")
        assert other.violation == pytest.approx(ll.LIP(0.3).violation(truth, made.channel))


def test_drift_that_does_no_harm_is_told_and_no_more():
    made = design_of(people(3000, P, 0))
    mild = people(20000, [[0.2, 0.3], [0.2, 0.3]], 3)
    done = tables.apply(mild, made)
    assert done.drift.differs
    assert not done.drift.harmful
    assert "the new rows satisfy the notion" in str(done.drift)
    assert sorted(done.frame.columns) == ["x"]
    assert len(done.frame) == 20000


@pytest.mark.parametrize(
    ("promise", "why"),
    [
        (None, "because the design's file does not contain a user-defined notion"),
        (ll.SRLIP(0.3, (2,)), "for a notion of attributes, because the new rows may lack some combinations"),
    ],
    ids=["a notion of one's own, from a file", "attributes"],
)
def test_why_it_cannot_be_told_whether_the_notion_is_kept(promise, why):
    """The secret is there, so that it is not what lacks."""
    made = replace(design_of(people(3000, P, 0)), promise=promise)
    found = drift_of(tables.open_table(people(2000, Q, 0)), made, np.random.default_rng(0))
    assert found.violation is None
    assert str(found).endswith(f"; whether the notion holds cannot be decided {why}")


NEW = {
    "another secret": {**OLD, ("c", "u"): 300},
    "two others, which together are like the rest": {**OLD, ("c", "u"): 300, ("d", "v"): 300},
    "another symbol": {**OLD, ("a", "w"): 900},
    "both": {**OLD, ("a", "w"): 600, ("c", "w"): 300, ("c", "u"): 300},
    "a secret less": {cell: n for cell, n in OLD.items() if cell[0] == "a"},
    "other secrets alone": {("cd"["ab".index(s)], x): n for (s, x), n in OLD.items()},
}


@pytest.mark.parametrize("new", NEW.values(), ids=NEW)
@pytest.mark.parametrize("mechanism", ["randomised-response", "secret-aware"])
def test_drift_counts_secrets_and_symbols_that_the_design_has_not_seen(mechanism, new):
    made = design_of(counted(OLD), mechanism)
    secrets, symbols, y_of = (["a", "b"], ["u", "v"], range(made.channel.n_outputs))
    p_y = [Fraction(p) for p in made.p_y]
    p_sy = dict.fromkeys(itertools.product({s for s, _ in new}, y_of), Fraction(0))
    for (s, x), n in new.items():
        row = p_y
        if x in symbols and not made.channel.sees_secret:
            row = made.channel.kernel[symbols.index(x)]
        elif x in symbols and s in secrets:
            row = made.channel.kernel[secrets.index(s), symbols.index(x)]
        for y in y_of:
            p_sy[s, y] += n * Fraction(row[y])
    total = sum(p_sy.values())
    p_s = {s: sum(p_sy[s, y] for y in y_of) / total for s, _ in p_sy}
    lifts = [p / sum(p_sy[t, y] for t in p_s) / p_s[s] for (s, y), p in p_sy.items()]
    found = drift_of(tables.open_table(counted(new)), made, np.random.default_rng(0))
    worst = max(abs(math.log(lift)) for lift in lifts)
    assert found.violation == pytest.approx(worst - 0.3, abs=1e-9)
    assert found.population in {"broken" if worst > 0.4 else "kept", "undecided"}


def test_a_promise_is_about_secrets_that_the_design_has_not_seen_too():
    """The rows that the design knows keep the notion by themselves."""
    made = tables.sanitise(
        counted(OLD), secret="s", public="x", notion=ll.LIP(0.3), mechanism="randomised-response", resamples=0
    ).design
    assert drift_of(tables.open_table(counted(OLD)), made, np.random.default_rng(0)).population == "kept"
    with pytest.raises(Drifted, match="BROKEN for their population"):
        tables.apply(counted(NEW["another secret"]), made)


def test_apply_refuses_drifted_frames_and_unseen_symbols():
    made = design_of(people(3000, P, 0))
    with pytest.raises(Drifted, match="the notion is exceeded by"):
        tables.apply(people(2000, Q, 0), made)
    with pytest.raises(Drifted, match="cannot be decided without the secret"):
        tables.apply(people(2000, [[0.8, 0.02], [0.1, 0.08]], 0).select("x"), made)
    with pytest.raises(DataError, match="such as 'w'"):
        tables.apply(pl.DataFrame({"x": ["u", "w"]}), made)


def test_apply_draws_as_the_channel_says(in_order):
    from scipy import stats

    made = replace(design_of(people(3000, P, 0), eps=0.05), promise=ll.LIP(0.1))
    new = people(20000, P, 7)
    out = tables.apply(new, made, rng=0).frame
    for x, row in zip("uv", made.channel.kernel, strict=True):
        drawn = out["x"].filter(new["x"] == x)
        seen = [(drawn == text).sum() for text in made.outputs]
        assert stats.chisquare(seen, row * len(drawn)).pvalue > 1e-6


def test_a_pandas_index_is_not_released():
    import pandas as pd

    frame = pd.DataFrame(people(200, P, 0).to_dict(as_series=False), index=[f"name {i}" for i in range(200)])
    done = tables.sanitise(frame, secret="s", public="x", notion=ll.LIP(1.0), resamples=0, confidence=None)
    assert list(done.frame.index) == list(range(200))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame([["a", "b", "c"]] * 9, columns=["s", "x", "x"]), "has more than one column 'x': rename them"),
        (pd.DataFrame({0: ["a", "b"], 1: ["c", "d"]}), "has a column 0, whose name is not text"),
        (pd.DataFrame({("s", 1): ["a"], ("x", 2): ["b"]}), r"has a column \('s', 1\), whose name is not text"),
        (
            pd.DataFrame({"s": ["a", "b"], "x": pd.Series(["a\ud800", "b"], dtype=object)}),
            "contains text that is not Unicode",
        ),
        (pd.DataFrame({"s": ["a", "b"], "x": pd.Series([[1], [2]])}), "has no labels: convert it to text first"),
        (pd.DataFrame({"s": ["a", "b"], "x": pd.to_timedelta([1, 2], "D")}), "has no labels: convert it to text first"),
        (pd.DataFrame({"s": ["a", "b"], "x": pd.period_range("2020", periods=2)}), "has no labels"),
        (pd.DataFrame({"s": ["(rare)", "b"], "x": ["u", "v"]}), "column 's' contains '.rare.'"),
        (pd.DataFrame(), "has no column 's'"),
        (pl.DataFrame({"s": ["a", "b"], "": ["u", "v"]}), "has no column 'x'"),
        ({"s": ["a"], "x": ["b"]}, "dict is not a table"),
        (None, "NoneType is not a table"),
    ],
    ids=range(12),
)
def test_frames_that_are_no_table(frame, message):
    with pytest.raises(DataError, match=message) as told:
        tables.audit(frame, secret="s", public="x", resamples=0)
    assert "\n" not in str(told.value)


def test_a_name_that_polars_takes_for_a_pattern_publishes_no_other_column():
    """A column called ^s$ is, to a Polars expression, the column s: the secret."""
    frame = pl.DataFrame({"s": ["a", "b"] * 9, "x": ["u", "v"] * 9, "^s$": ["p", "q"] * 9})
    words = {"secret": "s", "public": "x", "notion": ll.LIP(9), "resamples": 0, "confidence": None}
    with pytest.raises(DataError, match=r"has a column called '\^s\$', which is not a valid name: rename it"):
        tables.sanitise(frame, **words, keep=["^s$"])
    assert tables.sanitise(frame, **words).frame.columns == ["x"]


def test_any_other_name_will_do():
    for name in ("rows", "code", "^x", "x$", "**", "a b", "\u00e2", "#", "'", '"', "`", "{}", "begin"):
        frame = pl.DataFrame({"s": ["a", "b"] * 9, name: ["u", "v"] * 9})
        done = tables.sanitise(frame, secret="s", public=name, notion=ll.LIP(9), resamples=0, confidence=None)
        assert done.frame.columns == [name]
        done = tables.sanitise(frame, secret=name, public="s", notion=ll.LIP(9), resamples=0, confidence=None)
        assert done.frame.columns == ["s"]


def test_bins_that_end_at_quantiles_are_told_to_the_owner():
    words = {"secret": "s", "public": "age", "notion": ll.LIP(1.0), "resamples": 0}
    notes = tables.sanitise(ROWS, bins=["age=quantiles:2"], **words).audit.notes
    assert any("the bins of age end at quantiles of these rows, and their labels publish" in one for one in notes)
    assert not any("quantiles" in one for one in tables.sanitise(ROWS, bins=["age=40"], **words).audit.notes)
