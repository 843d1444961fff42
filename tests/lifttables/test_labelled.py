"""Tables of Stata and SPSS."""

import builtins
import sys

import pandas as pd
import polars as pl
import pytest

import lifttables as tables
from liftlib.errors import DataError, MissingExtra
from lifttables.cli import main
from lifttables.encoding.reading import Reading
from lifttables.sources.labelled import read_labelled

CODES = pd.DataFrame(
    {
        "ill": [1.0, 2.0, 2.0, 2.0, 1.0, 9.0] * 20,
        "age": [1.0, 2.0, 3.0, 2.0, None, 1.0] * 20,
        "town": ["Ulm", "Bonn", "Ulm", "Bonn", "Ulm", ""] * 20,
        "visits": [0.0, 1.0, 2.5, 3.0, 4.0, 5.0] * 20,
    }
)
ILL = {1: "yes", 2: "no", 9: "refused"}
AGE = {1: "young", 2: "old"}


@pytest.fixture
def files(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    labels = {"ill": ILL, "age": AGE}
    pyreadstat.write_dta(CODES, str(tmp_path / "t.dta"), variable_value_labels=labels)
    pyreadstat.write_sav(CODES, str(tmp_path / "t.sav"), variable_value_labels=labels, missing_ranges={"ill": [9]})
    pyreadstat.write_sav(CODES, str(tmp_path / "t.zsav"), variable_value_labels=labels, compress=True)
    return tmp_path


def test_the_text_is_the_label(files):
    stata = read_labelled(files / "t.dta")
    assert stata["ill"].to_list()[:6] == ["yes", "no", "no", "no", "yes", "refused"]
    assert stata["age"].to_list()[:6] == ["young", "old", "3", "old", None, "young"]  # 3 has no label
    assert stata["town"].to_list()[:6] == ["Ulm", "Bonn", "Ulm", "Bonn", "Ulm", None]
    assert stata["visits"].dtype == pl.Float64
    spss = read_labelled(files / "t.sav")
    assert spss["ill"].to_list()[:6] == ["yes", "no", "no", "no", "yes", None]  # its owner says that 9 is missing
    assert spss["age"].to_list() == stata["age"].to_list()
    assert read_labelled(files / "t.zsav")["ill"].to_list() == stata["ill"].to_list()


@pytest.mark.parametrize("name", ["t.dta", "t.sav"])
def test_counts_are_those_of_the_table_with_labels(files, name):
    labelled = pl.DataFrame(CODES).with_columns(
        ill=pl.col("ill").cast(pl.Int64).replace_strict(ILL), age=pl.col("age").cast(pl.Int64)
    )
    labelled = labelled.with_columns(age=pl.col("age").replace_strict({1: "young", 2: "old", 3: "3"}))
    if name == "t.sav":
        labelled = labelled.filter(pl.col("ill") != "refused")
    reading = Reading("ill", "age", missing="drop")
    found = reading.counts(tables.open_table(files / name))
    expected = reading.counts(tables.open_table(labelled))
    assert found.secret == expected.secret
    assert found.public == expected.public
    assert (found.table == expected.table).all()


def test_the_commands_take_them(files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    assert main(["audit", "t.sav", "--secret", "ill", "--public", "age"]) == 0
    assert "rows were dropped" in " ".join(capsys.readouterr().out.split())
    words = ["--secret", "ill", "--public", "age", "--missing", "drop", "--notion", "lip", "--eps", "1"]
    assert main(["release", "t.dta", *words, "-o", "out.csv"]) == 0
    assert pl.read_csv("out.csv").height == 100
    assert main(["release", "t.dta", *words, "-o", "out.dta"]) == 2  # written are text and Parquet
    again = ["release", "t.dta", "--design", "out.PRIVATE.design.json", "-o", "n.csv", "--missing", "drop"]
    assert main(again) in (0, 3)


def test_a_broken_file(tmp_path):
    pytest.importorskip("pyreadstat")
    for name in ("t.dta", "t.sav"):
        (tmp_path / name).write_bytes(b"no such file" * 100)
        with pytest.raises(DataError, match=f"cannot read .*{name}"):
            tables.open_table(tmp_path / name)
    with pytest.raises(DataError, match=r"no file .*none\.sav"):
        tables.open_table(tmp_path / "none.sav")


def test_without_the_extra_its_name_is_said(tmp_path, monkeypatch, capsys):
    (tmp_path / "t.sav").write_bytes(b"$FL2")
    real = builtins.__import__

    def without(name, *more):
        if name == "pyreadstat":
            raise ModuleNotFoundError("No module named 'pyreadstat'", name=name)
        return real(name, *more)

    monkeypatch.delitem(sys.modules, "pyreadstat", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"pyreadstat is not installed: .*labelled"):
        tables.open_table(tmp_path / "t.sav")
    assert main(["audit", str(tmp_path / "t.sav"), "--secret", "a", "--public", "b"]) == 2
    assert "labelled" in capsys.readouterr().err
