"""Texts that a spreadsheet would evaluate are refused."""

import polars as pl
import pytest
from messages import as_stored, raised
from typed_lift import lift

from liftlib import LIP
from liftlib.errors import DataError
from lifttables.designs.publishing import is_formula
from lifttables.releases.sanitising import sanitise

RUN = [
    "=1+1", "=cmd|'/c calc'!A1", '=HYPERLINK("http://x")', "@SUM(A1)", "@x",
    "+cmd|'/c calc'!A1", "-cmd|'/c calc'!A1", "+1+cmd", "-2+3", "-2+3+cmd|'/c calc'!A1",
    "-1 or cmd|'/c calc'!A1", "- or =1",
    "-1-SUM(A1)", "-A1", "-x", "+x or y", "-SUM(1)", "-1 or SUM(1)", "--1", "-+1",
    "-1/0", "-A1 #2", "-1 #2+3", "-1&A1", "-1;A1", "-1 or -2+3", "-1\t=1",
    "-1 or -2\n=1", "\t=1", "\tx", "\r=1", "\rx", "\n=1", "＝1+1", "＠x",
    "＋1|x", "－A1", "-1 & north", "-1 or (rare)+1", "-1 or OR (x)", "a;=1+1",
    'a;"=1+1', "a;;-A1;b", "-1;@x", "a\n=1", "a\t＝1",
]  # fmt: skip
HARMLESS = [
    "", "x", "a=b", "-5", "+3.5", "-1e-3", "-", "+", "-99 or 30s", "-1 or -2",
    "- or 30s", "-1 or -2 or 0 or x",
    "-1 or (rare)", "-1 or -2 or (rare) #6", "-1 #2", "-1 or (missing) or x y", "-inf",
    "1-2", " x", "10-19 or 20-29", "-1 or 10-19", "a; b", "a;-5;b=c", "a;-1 or -2",
]  # fmt: skip
"""What releases hold: codes for missing values, and their unions with other labels."""


@pytest.mark.parametrize("text", RUN)
def test_what_a_spreadsheet_would_run(text):
    assert is_formula(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_it_would_not(text):
    assert not is_formula(text)


KINDS = {
    "string": pl.String,
    "categorical": pl.Categorical,
    "enum": pl.Enum([*RUN, "plain", "-1 or -2"]),
}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("kind", ["categorical", "enum"])
def test_a_parquet_file_with_categories(tmp_path, monkeypatch, capsys, kind, suffix):
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame(
        {"s": ["a", "b"] * 40, "k": ["=1+1", "=1+1", "plain", "plain"] * 20}
    )
    frame.cast({"k": KINDS[kind]}).write_parquet("in.parquet")
    words = "--secret s --public k --belief 10% 90%"
    assert lift(f"release in.parquet {words} -o out.{suffix}") == 2
    as_stored(capsys.readouterr().err)
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]
    with raised(DataError):
        sanitise(frame, secret="s", public="k", notion=LIP(3.0))
