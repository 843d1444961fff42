"""Missing values are refused, one symbol more, or their rows are left out."""

import numpy as np
import polars as pl
import pytest
from messages import raised
from table_of_people import PEOPLE, counts_of
from typed_lift import lift

import liftlib as ll
import lifttables as tables
from liftlib.errors import DataError
from lifttables.bundle import Outputs, sanitise_file
from lifttables.encoding.reading import Reading
from lifttables.releases.card import Limit
from lifttables.releases.pipeline import Plan

GONE = PEOPLE.with_row_index("at").with_columns(
    ill=pl.when(pl.col("at") % 10 != 3).then("ill"),
    age=pl.when(pl.col("at") % 15 != 4).then("age"),
)
GONE = GONE.with_columns(
    half=pl.when(pl.col("at") % 7 < 3).then(pl.lit("u")).otherwise(pl.lit("v"))
)
WHOLE = GONE.drop_nulls(["ill", "age"])
OF = {"secret": "ill", "public": "age"}


def as_frames():
    import duckdb

    yield GONE
    yield GONE.lazy()
    yield GONE.to_pandas().set_index("name", drop=False)
    yield GONE.to_arrow()
    arrow = GONE.to_arrow()  # noqa: F841 - named in the query
    yield duckdb.sql("select * from arrow")


def same(one, other):
    np.testing.assert_array_equal(one.table, other.table)
    assert one.public == other.public
    assert one.secret == other.secret


@pytest.mark.parametrize("at", range(5))
def test_counts_without_the_rows_are_those_of_the_other_rows(at):
    frame = list(as_frames())[at]
    found = counts_of(frame, "ill", "age", missing="drop")
    same(found, counts_of(WHOLE, "ill", "age"))
    assert found.dropped == len(GONE) - len(WHOLE)


@pytest.mark.parametrize("at", range(5))
def test_a_release_has_the_other_rows(at):
    frame = list(as_frames())[at]
    how = {
        **OF,
        "notion": ll.LIP(3.0),
        "rng": 1,
    }
    done = tables.sanitise(frame, **how, missing="drop")
    expected = tables.sanitise(WHOLE, **how)
    assert done.card.rows == len(WHOLE)
    assert done.card.words == expected.card.words
    gone = f"{len(GONE) - len(WHOLE)} of 120"
    assert any(gone in note for note in done.audit.notes)
    assert gone not in done.card.as_text()  # how many are gone is the owner's alone


def test_a_file_is_released_without_these_rows(tmp_path):
    GONE.write_csv(tmp_path / "in.csv")
    outputs = Outputs.next_to(tmp_path / "out.csv")
    reading = Reading("ill", ("age", "at"), missing="drop", bins=("at=60",))
    done = sanitise_file(tmp_path / "in.csv", outputs, Plan(reading, ll.LIP(1.0)))
    assert pl.read_csv(outputs.table).height == len(WHOLE) == done.card.rows
    assert Limit.DROPPED in done.card.tells


def test_texts_that_stand_for_missing_values_count_too():
    frame = GONE.with_columns(pl.col("ill", "age").fill_null("NA"))
    found = counts_of(frame, "ill", "age", missing="drop", na=("NA",))
    same_table = counts_of(WHOLE, "ill", "age").table
    np.testing.assert_array_equal(found.table, same_table)
    done = tables.sanitise(
        frame.to_pandas(), **OF, notion=ll.LIP(1.0), missing="drop", na=["NA"]
    )
    assert len(done.frame) == len(WHOLE)


def test_a_first_audit_takes_one_command(tmp_path, capsys):
    path = tmp_path / "penguins.csv"
    GONE.with_columns(pl.col("age").fill_null("NA")).write_csv(path)
    assert lift(f"audit {path} --secret ill --public age") == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert f"{len(WHOLE)} rows" in said.out
    assert f"{len(GONE) - len(WHOLE)} of 120 rows" in said.out
    # what publishes still asks
    out = tmp_path / "out.csv"
    asked = f"release {path} --secret ill --public age --belief 10% 40% -o {out}"
    assert lift(f"{asked} --missing drop") == 2
    assert "(--na)" in capsys.readouterr().err
    assert lift(f"{asked} --na NA") == 2
    assert "(--missing)" in capsys.readouterr().err
    assert not out.exists()
    assert lift(f"{asked} --na NA --missing drop") == 0
    assert pl.read_csv(out).height == len(WHOLE)


def test_an_audit_counts_them_as_a_symbol_or_as_values_where_asked():
    frame = PEOPLE.with_columns(
        age=pl.when(pl.col("name") == "p1").then(pl.lit("NA")).otherwise("age")
    )
    assert tables.audit(frame, **OF, resamples=0).rows == 119
    assert tables.audit(frame, **OF, resamples=0, na=[]).rows == 120
    found = tables.audit(frame, **OF, resamples=0, missing="symbol")
    assert "(missing)" in {symbol.symbol for symbol in found.symbols}
    with raised(DataError):
        tables.audit(frame, **OF, resamples=0, missing="refuse")
