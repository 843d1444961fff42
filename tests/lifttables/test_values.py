"""What owners say of values."""

import datetime as dt
import itertools

import pandas as pd
import polars as pl
import pytest
from messages import raised
from table_of_people import counts_of

import lifttables as tables
from liftlib.errors import DataError
from lifttables.encoding.columns import Column, as_dict, from_dict

ROWS = pl.DataFrame(
    {
        "s": ["a", "b"] * 60,
        "zip": [10000 + i % 60 for i in range(120)],
        "seen": [
            dt.date(2020, 1, 1) + dt.timedelta(days=10 * (i % 40)) for i in range(120)
        ],
        "age": [float(i % 90) for i in range(120)],
        "town": ["Ulm", "Bonn", "Rome", "Pisa"] * 30,
        "r": ["NA", "x", "y", "x"] * 30,
    }
)


def counts(public, **more):
    return counts_of(ROWS, "s", public, **{"rare": "keep", **more})


def test_codes_are_symbols_when_said_so():
    assert len(counts("zip", categorical=("zip",)).public.labels) == 60


def test_dates_in_bins_and_groups(tmp_path):
    found = counts("seen", bins=("seen=2020-03-01,2020-12-01",))
    assert found.public.texts == (
        "< 2020-03-01",
        "[2020-03-01, 2020-12-01)",
        ">= 2020-12-01",
    )
    seen = ROWS["seen"]
    assert found.table.sum(axis=0).tolist() == [
        (seen < dt.date(2020, 3, 1)).sum(),
        ((seen >= dt.date(2020, 3, 1)) & (seen < dt.date(2020, 12, 1))).sum(),
        (seen >= dt.date(2020, 12, 1)).sum(),
    ]
    assert counts("seen", bins=("seen=year",)).public.texts == ("2020", "2021")
    assert counts("seen", bins=("seen=quarter",)).public.texts[:2] == (
        "2020-Q1",
        "2020-Q2",
    )
    assert counts("seen", bins=("seen=month",)).public.texts[0] == "2020-01"
    # the same from a file, where dates are texts, and from timestamps
    ROWS.write_csv(tmp_path / "t.csv")
    again = counts_of(
        tmp_path / "t.csv", "s", "seen", bins=("seen=month",), rare="keep"
    )
    stamps = ROWS.with_columns(pl.col("seen").cast(pl.Datetime))
    third = counts_of(stamps, "s", "seen", bins=("seen=month",), rare="keep")
    assert (
        again.table.tolist()
        == third.table.tolist()
        == counts("seen", bins=("seen=month",)).table.tolist()
    )


@pytest.mark.parametrize("bins", ["quarter", "2024-07-01,2025-03-01"])
def test_a_year_of_two_digits_is_not_taken_for_one_of_the_first_century(bins):
    rows = pl.DataFrame({"s": ["a", "b"] * 20, "seen": ["24-12-01", "25-03-31"] * 20})
    with raised(DataError):
        counts_of(rows, "s", "seen", bins=(f"seen={bins}",))


def test_bins_keep_all_their_digits_and_their_order():
    assert Column("x", (20000001.0, 20000002.0)).bins() == [
        "< 20000001",
        "[20000001, 20000002)",
        ">= 20000002",
    ]
    assert counts("age", bins=("age=5,10,60",)).public.texts == (
        "< 5",
        "[5, 10)",
        "[10, 60)",
        ">= 60",
    )


def test_a_hierarchy_says_what_values_count_as(tmp_path):
    path = tmp_path / "towns.csv"
    towns = ["Ulm,D", "Bonn,D", "Rome,I", "Pisa,I"]
    lines = ["town,country,continent", *(f"{town},Europe" for town in towns)]
    path.write_text("\n".join(lines))
    found = counts("town", hierarchies=(f"town={path}",))
    assert found.public.texts == ("D", "I")
    assert found.table.sum(axis=0).tolist() == [60, 60]
    assert counts("town", hierarchies=(f"town={path}:2",)).public.texts == ("Europe",)
    assert from_dict(as_dict(found.public)) == found.public


def test_texts_for_missing_values():
    with raised(DataError):
        counts("r")
    assert counts("r", na=()).public.texts == ("NA", "x", "y")
    assert counts("r", na=("NA",), missing="symbol").public.texts == (
        "(missing)",
        "x",
        "y",
    )


SIGNS = pl.DataFrame(
    {"s": ["a", "a", "b", "b"] * 30, "grade": ["A", "-", "B", "unknown"] * 30}
)


def read_signs(**more):
    return counts_of(SIGNS, "s", "grade", rare="keep", **more)


def test_signs_and_words_for_missing_values_are_asked_about(tmp_path):
    with raised(DataError):
        read_signs()
    assert read_signs(na=()).public.texts == ("-", "A", "B", "unknown")
    assert read_signs(na=("unknown",), missing="drop").public.texts == ("-", "A", "B")
    assert read_signs(na=("unknown",), missing="symbol").public.texts == (
        "(missing)",
        "-",
        "A",
        "B",
    )
    # a hierarchy says what they are
    (tmp_path / "g.csv").write_text("grade,group\nA,good\nB,good\n-,bad\n")
    with raised(DataError):
        read_signs(hierarchies=(f"grade={tmp_path / 'g.csv'}",))
    (tmp_path / "g.csv").write_text("grade,group\nA,good\nB,good\n-,bad\nunknown,bad\n")
    of = {"secret": "s", "public": "grade", "resamples": 0}
    assert read_signs(hierarchies=(f"grade={tmp_path / 'g.csv'}",)).public.texts == (
        "bad",
        "good",
    )
    assert (
        tables.audit(SIGNS, **of, hierarchies=[f"grade={tmp_path / 'g.csv'}"]).rows
        == 120
    )
    # and so does the list of a secret's values
    listed = {"secret": "grade", "public": "s", "values": "grade=A,B,-,unknown"}
    assert counts_of(SIGNS, **listed).secret.texts == (
        "-",
        "A",
        "B",
        "unknown",
    )
    assert tables.audit(SIGNS, **listed, resamples=0).rows == 120
    # an audit leaves out the others, and counts them
    found = tables.audit(SIGNS, **of)
    assert found.rows == 60
    assert any(note.startswith("60 of 120 ") for note in found.notes)


EDGES = "2020-03-01,2020-12-01"


@pytest.mark.parametrize(
    "to", [pl.DataFrame.lazy, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow]
)
def test_numbers_do_not_cut_dates(to):
    frame = to(ROWS.with_columns(stamp=pl.col("seen").cast(pl.Datetime)))
    for name, bins in itertools.product(("seen", "stamp"), ("5,10", "3")):
        with raised(DataError):
            counts_of(frame, "s", name, bins=(f"{name}={bins}",))
    cut = [
        counts_of(frame, "s", name, bins=(f"{name}={EDGES}",), rare="keep")
        for name in ("seen", "stamp")
    ]
    assert (
        cut[0].table.tolist()
        == cut[1].table.tolist()
        == counts("seen", bins=(f"seen={EDGES}",)).table.tolist()
    )


def test_a_group_may_have_the_name_of_its_only_value(tmp_path):
    path = tmp_path / "towns.csv"
    path.write_text("town,country\nUlm,Ulm\nBonn,Ulm\nRome,Rome\nPisa,Rome\n")
    assert counts("town", hierarchies=(f"town={path}",)).public.texts == ("Rome", "Ulm")


def of_s_and_x(x):
    return pd.DataFrame({"s": ["a", "b"], "x": x})


@pytest.mark.parametrize(
    ("number", "frame"),
    [
        *enumerate(
            [
                pd.DataFrame([["a", "b", "c"]] * 9, columns=["s", "x", "x"]),
                pd.DataFrame({0: ["a", "b"], 1: ["c", "d"]}),
                pd.DataFrame({("s", 1): ["a"], ("x", 2): ["b"]}),
                of_s_and_x(pd.Series(["a\ud800", "b"], dtype=object)),
                of_s_and_x(pd.Series([[1], [2]])),
                of_s_and_x(pd.to_timedelta([1, 2], "D")),
                of_s_and_x(pd.period_range("2020", periods=2)),
                pd.DataFrame({"s": ["(rare)", "b"], "x": ["u", "v"]}),
                pd.DataFrame(),
                pl.DataFrame({"s": ["a", "b"], "": ["u", "v"]}),
                {"s": ["a"], "x": ["b"]},
                None,
            ]
        )
    ],
    ids=lambda value: value if isinstance(value, int) else "",
)
def test_frames_that_are_no_table(number, frame):
    with raised(DataError, of=number) as told:
        tables.audit(frame, secret="s", public="x", resamples=0)
    assert "\n" not in str(told.value)
