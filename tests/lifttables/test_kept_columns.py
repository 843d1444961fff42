"""Kept columns next to a release through a design."""

import math
import re

import bounds_by_hand
import numpy as np
import pandas as pd
import polars as pl
import pytest
from table_of_people import AGE, ILL

import liftlib as ll
import lifttables as tables
from liftlib.errors import BrokenNotion
from lifttables.cli import main
from lifttables.designs.designing import load
from lifttables.population.noisy import NO_NOISE
from lifttables.releases.ledger import read_ledger

ROWS = {
    "ill": ILL * 20,
    "age": AGE * 20,
    "code": ["A" if ill == "flu" else "B" for ill in ILL] * 20,
    "coin": ["head"] * (10 * len(ILL)) + ["tail"] * (10 * len(ILL)),
    "hint": ["A" if ill == "flu" and row % 10 else "AB"[row // 6 % 2] for row, ill in enumerate(ILL * 20)],
}
"""`code` tells who has the flu, and `hint` most of them; `coin` is independent of everything."""

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


each_kind = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow if kind == "spark" else ()) for kind in FRAMES]
)


@pytest.fixture(scope="module")
def design():
    return tables.sanitise(pl.DataFrame(ROWS), **WORDS).design


@pytest.mark.filterwarnings("ignore")  # of the other libraries among themselves
@each_kind
def test_a_kept_column_that_reveals_the_secret_is_refused(kind, design):
    message = re.escape("LIP(eps=1.0) is BROKEN together with the kept columns code: code = ")
    with pytest.raises(BrokenNotion, match=message):
        tables.apply(FRAMES[kind](), design, keep=["code"])
    harmless = tables.apply(FRAMES[kind](), design, keep=["coin"])
    assert harmless.card.kept[-1].whom == "the population, together with the kept columns coin"
    together = "LIP(eps=1.0) holds together with the kept columns coin, for the population with confidence 0.95"
    assert harmless.notes == (together,)


@pytest.mark.filterwarnings("ignore")
@each_kind
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
    with pytest.raises(BrokenNotion, match="cannot be computed without the secret and the notion"):
        tables.apply(frame, design, keep=["coin"])
    assert tables.apply(frame, design).card.kept[0].whom == "the population"


def test_a_frame_is_refused_with_the_words_of_the_command(tmp_path, design, capsys):
    design.save(tmp_path / "design.json")
    pl.DataFrame(ROWS).write_csv(tmp_path / "new.csv")
    how = tables.Publishing(keep=("code",))
    files = tmp_path / "design.json", tmp_path / "new.csv", tmp_path / "out.csv"
    with pytest.raises(BrokenNotion) as of_file:
        tables.apply_file(*files, publishing=how)
    with pytest.raises(BrokenNotion) as of_frame:
        tables.apply(pl.DataFrame(ROWS), load(tmp_path / "design.json"), keep=["code"])
    assert str(of_frame.value) == str(of_file.value)
    words = ["release", str(files[1]), "--design", str(files[0]), "-o", str(files[2])]
    assert main([*words, "--keep", "code"]) == of_frame.value.exit_code == 3
    assert str(of_frame.value).partition(";")[0] in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()
    made = tables.apply_file(*files, publishing=tables.Publishing(keep=("coin",)))
    done = tables.apply(pl.DataFrame(ROWS), design, keep=["coin"])
    assert (made.card.kept, made.notes) == (done.card.kept, done.notes)
    assert main([*words, "--keep", "coin", "--force"]) == 0
    said = capsys.readouterr().out
    assert f"  {files[2]}" in said.splitlines()
    assert " ".join(f"note: {note}" for note in (made.drift, *made.notes)) in " ".join(said.split())


def test_what_was_published_before_breaks_the_promise_of_a_frame(tmp_path, design):
    """The ledger of the new rows knows that a column that tells much of the secret is out."""
    frame, ledger = pl.DataFrame(ROWS), tmp_path / "releases.json"
    assert tables.apply(frame, design).card.for_population
    tables.sanitise(frame, **WORDS | {"notion": ll.LIP(5.0)}, keep=["hint"], ledger=ledger)
    message = r"no further release of these rows can satisfy LIP\(eps=1.0\), because what was published of them before "
    with pytest.raises(BrokenNotion, match=message + r"exceeds it: hint = [AB]: eps needs .*, budget 1; give a not"):
        tables.apply(frame, design, ledger=ledger)
    assert len(read_ledger(ledger).entries) == 1


KEPT = [[600, 400], [400, 600]]
"""Rows by secret and kept value."""


def frame_of(kept):
    rows = [("ab"[s], "x", "pq"[z]) for s in range(2) for z in range(2) for _ in range(kept[s][z])]
    return pl.DataFrame(rows, schema=["s", "x", "z"], orient="row")


@pytest.mark.parametrize(("over", "proved"), [(1e-6, True), (-1e-6, False)])
def test_the_card_says_the_population_only_where_that_was_proved(over, proved, tmp_path, capsys):
    eps = bounds_by_hand.needed(KEPT, np.eye(2), 0.05) + over
    assert eps > 0.25 > -math.log(0.8)
    done = tables.sanitise(
        frame_of(KEPT),
        secret="s",
        public="x",
        keep=["z"],
        notion=ll.LIP(eps),
        resamples=0,
        confidence=0.95,
        noise=NO_NOISE,
    )
    text, kept = done.card.as_text(), [one.whom for one in done.card.kept]
    assert kept[0] == "this sample, together with the kept columns z"
    assert kept[1:] == ["the population, together with the kept columns z"] * proved
    assert (
        "Together with the kept columns z, the notion is proved for this sample only, not for the population." in text
    ) != (proved)
    assert ("For one person of this sample:" in text) != proved
    assert (done.audit.population == "kept") == proved
    again = tables.apply(frame_of(KEPT), done.design, keep=["z"])
    assert again.card.for_population == proved
    frame_of(KEPT).write_csv(tmp_path / "in.csv")
    words = ["release", str(tmp_path / "in.csv"), "--secret", "s", "--public", "x", "--keep", "z", "--notion", "lip"]
    assert main([*words, "--eps", repr(eps), "--noise", "40", "-o", str(tmp_path / "out.csv")]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert ("holds for the population, together with the kept columns z with confidence 0.95" in out) == proved
    assert "holds for the population with confidence 0.95: " not in out


def test_an_earlier_release_is_judged_for_the_sample_alone(tmp_path):
    words = {"secret": "s", "public": "z", "notion": ll.LIP(1.0), "resamples": 0, "ledger": tmp_path / "ledger.json"}
    first = tables.sanitise(frame_of(KEPT), **words)
    assert first.card.for_population
    second = tables.sanitise(frame_of(KEPT), **words)
    assert not second.card.for_population
    assert "ogether with 1 earlier release of these rows, the notion is proved for this sample" in second.card.as_text()


@pytest.mark.slow
def test_no_card_promises_the_population_what_is_false_there():
    rng, promised = np.random.default_rng(0), 0
    p = np.array([[0.30, 0.20], [0.20, 0.30]])
    eps = -math.log(0.8) - 0.01
    for _ in range(100):
        kept = rng.multinomial(3000, p.ravel()).reshape(2, 2).tolist()
        words = {"secret": "s", "public": "x", "keep": ["z"], "notion": ll.LIP(eps), "resamples": 0}
        try:
            promised += tables.sanitise(frame_of(kept), **words).card.for_population
        except BrokenNotion:
            continue
    assert promised == 0
