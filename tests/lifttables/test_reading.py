"""Tables are counted and coded as they say, from files and from frames."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from messages import raised
from table_of_people import PEOPLE, counts_of, people_written

import lifttables as tables
from liftlib.errors import DataError


@pytest.mark.parametrize("name", ["people.csv", "people.tsv", "people.parquet"])
def test_files_of_each_kind_count_alike(tmp_path, name):
    counts = counts_of(people_written(tmp_path, name), "ill", ("age",))
    assert counts.secret.texts == ("flu", "none", "rare")
    assert counts.public.texts == ("old", "young")
    assert counts.table.tolist() == [[20, 20], [20, 40], [20, 0]]


def test_text_stays_as_it_is(tmp_path):
    path = tmp_path / "zip.csv"
    path.write_text(
        "ill,zip\n" + 'yes,007\nno,7\n"no",7.0\nno,"a, ""b"""\nno," 7"\n' * 5
    )
    counts = counts_of(path, "ill", ("zip",))
    assert set(counts.public.texts) == {"007", "7", "7.0", 'a, "b"', " 7"}


def test_several_columns_are_one_symbol():
    counts = counts_of(PEOPLE, "ill", ("age", "name"), rare="keep")
    assert counts.public.texts[0] == "old & p0"
    assert len(counts.public.texts) == 120


def test_bins():
    table = pl.DataFrame({"s": ["a", "b"] * 50, "age": range(100)})
    counts = counts_of(table, "s", ("age",), bins=("age=20,60",))
    assert counts.public.texts == ("< 20", "[20, 60)", ">= 60")
    assert counts.table.sum(axis=0).tolist() == [20, 40, 40]
    edges = ",".join(map(str, range(1, 66)))
    with pytest.raises(DataError):
        counts_of(table, "s", ("age",), bins=(f"age={edges}",))
    assert (
        len(
            counts_of(
                table, "s", "age", bins=(f"age={edges[:-3]}",), rare="keep"
            ).table.T
        )
        == 65
    )


def test_bins_from_a_database_and_of_text(tmp_path):
    table = pl.DataFrame({"s": ["a", "b"] * 50, "age": [str(i) for i in range(100)]})
    path = people_written(tmp_path, "t.csv", table)
    counts = counts_of(path, "s", ("age",), bins=("age=20,60",))
    assert counts.table.sum(axis=0).tolist() == [20, 40, 40]


def test_missing_values_are_refused_unless_they_are_a_symbol(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("ill,age\n" + "yes,old\nno,\n,young\n" * 5)
    with raised(DataError):
        counts_of(path, "ill", ("age",))
    counts = counts_of(path, "ill", ("age",), missing="symbol")
    assert counts.public.texts == ("(missing)", "old", "young")
    assert counts.secret.texts == ("(missing)", "no", "yes")


def test_pandas_and_numbers_that_are_missing():
    table = pd.DataFrame({"s": ["a", "b", None] * 6, "x": [1.0, np.nan, 2.0] * 6})
    with raised(DataError):
        tables.audit(table, secret="s", public="x", resamples=0, missing="refuse")
    found = tables.audit(table, secret="s", public="x", resamples=0, missing="symbol")
    assert {symbol.symbol for symbol in found.symbols} == {"1.0", "2.0", "(missing)"}


def test_rare_symbols():
    table = pl.DataFrame(
        {"s": ["a", "b"] * 10, "x": ["u"] * 10 + ["v"] * 7 + ["w"] * 2 + ["z"]}
    )
    pooled = counts_of(table, "s", ("x",))
    assert pooled.public.texts == ("u", "v", "(rare)")
    assert pooled.table.sum(axis=0).tolist() == [10, 7, 3]
    assert pooled.public.pooled == (("w",), ("z",))
    kept = counts_of(table, "s", ("x",), rare="keep")
    assert kept.table.sum(axis=0).tolist() == [10, 7, 2, 1]


def test_too_many_symbols():
    table = pl.DataFrame(
        {"s": ["a", "b"] * 50_000, "x": [f"u{i}" for i in range(100_000)]}
    )
    with raised(DataError):
        counts_of(table, "s", ("x",))


def test_huge_fields_are_read(tmp_path):
    path = tmp_path / "huge.csv"
    path.write_text("ill,age\n" + f"{'x' * 5_000_000},old\nno,old\n" * 3)
    counts = counts_of(path, "ill", ("age",))
    assert counts.table.tolist() == [[3], [3]]


DAYS = [f"{month:02d}.{day:02d}" for month in range(1, 13) for day in range(1, 7)]


@pytest.mark.parametrize(
    ("written", "dates"),
    [
        ([f"2020-{day.replace('.', '-')}" for day in DAYS], None),
        ([f"{day[3:]}.{day[:2]}.2020" for day in DAYS], "%d.%m.%Y"),
    ],
)
def test_a_column_of_many_dates_asks_for_bins(written, dates):
    table = pl.DataFrame({"s": ["a", "b"] * 36, "day": written})
    with pytest.raises(DataError) as refused:
        tables.audit(table, secret="s", public="day", resamples=0)
    assert {"bins", "dates"} <= {*refused.value.arguments}
    months = {"bins": ["day=month"], "dates": dates}
    done = tables.audit(table, secret="s", public="day", resamples=0, **months)
    assert len(done.symbols) == 12
    codes = {"categorical": ["day"]}
    done = tables.audit(table, secret="s", public="day", resamples=0, **codes)
    assert len(done.symbols) == len(DAYS)
