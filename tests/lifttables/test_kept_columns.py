"""Columns kept beside a release through a design: `apply` on every kind of frame refuses what `lift apply` refuses."""

import re

import pandas as pd
import polars as pl
import pytest
from table_of_people import AGE, ILL

import liftlib as ll
import lifttables as tables
from liftlib.errors import BrokenNotion
from lifttables.designs.designing import load

ROWS = {
    "ill": ILL * 20,
    "age": AGE * 20,
    "code": ["A" if ill == "flu" else "B" for ill in ILL] * 20,
    "coin": ["head"] * (10 * len(ILL)) + ["tail"] * (10 * len(ILL)),
}
"""`code` tells who has the flu; `coin` is independent of everything."""

WORDS = {"secret": "ill", "public": "age", "notion": ll.LIP(1.0), "resamples": 0}


def in_dask():
    return pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame(ROWS), npartitions=3)


def in_duckdb():
    rows = pl.DataFrame(ROWS).to_arrow()  # noqa: F841 - named in the query
    return pytest.importorskip("duckdb").sql("select * from rows")


def in_spark():
    """PySpark's interface over DuckDB, which needs no Java."""
    session = pytest.importorskip("sqlframe.duckdb").DuckDBSession
    return session.builder.getOrCreate().createDataFrame(pd.DataFrame(ROWS))


FRAMES = {
    "pandas": lambda: pd.DataFrame(ROWS),
    "polars": lambda: pl.DataFrame(ROWS),
    "polars lazy": lambda: pl.LazyFrame(ROWS),
    "pyarrow": lambda: pl.DataFrame(ROWS).to_arrow(),
    "duckdb": in_duckdb,
    "dask": in_dask,
    "spark": in_spark,
}


@pytest.fixture(scope="module")
def design():
    return tables.sanitise(pl.DataFrame(ROWS), **WORDS).design


@pytest.mark.filterwarnings("ignore")  # of the other libraries among themselves
@pytest.mark.parametrize("kind", FRAMES)
def test_a_kept_column_that_reveals_the_secret_is_refused(kind, design):
    message = re.escape("LIP(eps=1.0) is BROKEN together with the kept columns code: code = ")
    with pytest.raises(BrokenNotion, match=message):
        tables.apply(FRAMES[kind](), design, keep=["code"])
    done = tables.apply(FRAMES[kind](), design, keep=["code"], allow=True)
    assert done.drift.promise.startswith("nothing is promised")
    assert done.drift.harmful
    assert str(done.drift).startswith("BROKEN")
    assert done.notes[0].startswith("BROKEN")
    assert "kept for" not in " ".join([str(done.drift), done.drift.promise, *done.notes])
    harmless = tables.apply(FRAMES[kind](), design, keep=["coin"])
    assert "kept for the population" in harmless.drift.promise
    assert harmless.notes == ("LIP(eps=1.0) is kept together with the kept columns coin, for these rows",)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", FRAMES)
def test_what_cannot_be_checked_without_the_secret_is_refused(kind, design):
    frame = FRAMES[kind]()
    names = ["age", "coin"]
    frame = (
        frame[names]
        if kind in ("pandas", "dask")
        else frame.select(names)
        if kind == "pyarrow"
        else frame.select(*names)
    )
    with pytest.raises(BrokenNotion, match="is not known without the secret and the notion"):
        tables.apply(frame, design, keep=["coin"])
    done = tables.apply(frame, design, keep=["coin"], allow=True)
    assert done.drift.promise.startswith("nothing is promised")
    assert tables.apply(frame, design).drift.promise.startswith("the notion is kept for the population")


def test_a_frame_is_refused_with_the_words_of_the_command(tmp_path, design):
    design.save(tmp_path / "design.json")
    pl.DataFrame(ROWS).write_csv(tmp_path / "new.csv")
    how = tables.Publishing(keep=("code",))
    files = tmp_path / "design.json", tmp_path / "new.csv", tmp_path / "out.csv"
    with pytest.raises(BrokenNotion) as of_file:
        tables.apply_file(*files, publishing=how)
    with pytest.raises(BrokenNotion) as of_frame:
        tables.apply(pl.DataFrame(ROWS), load(tmp_path / "design.json"), keep=["code"])
    assert str(of_frame.value) == str(of_file.value)
    assert not (tmp_path / "out.csv").exists()
    _, drift, notes = tables.apply_file(*files, publishing=how, allow=True)
    done = tables.apply(pl.DataFrame(ROWS), design, keep=["code"], allow=True)
    assert (drift.promise, notes) == (done.drift.promise, done.notes)


def test_what_was_published_before_breaks_the_promise_of_a_frame(tmp_path, design):
    """The ledger of the new rows knows that the column that tells the secret is out."""
    frame, ledger = pl.DataFrame(ROWS), tmp_path / "releases.json"
    tables.apply(frame, design, keep=["code"], allow=True, ledger=ledger)
    with pytest.raises(BrokenNotion, match="together with the kept columns code and 1 earlier release of these rows"):
        tables.apply(frame, design, ledger=ledger)
    done = tables.apply(frame, design, ledger=ledger, allow=True)
    assert done.drift.promise.startswith("nothing is promised")


def test_rows_that_show_the_notion_broken_promise_nothing():
    """Where they are taken on all the same, though they do not contradict the design's rows."""
    words = {"rows": 9, "p_value": 0.5, "distance": 0.1, "of": "the joint distribution", "untold": ""}
    drift = tables.Drift(**words, violation=0.1, confidence=0.95, population="broken")
    assert drift.promise.startswith("nothing is promised")
