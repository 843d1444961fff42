"""Tables with another separator, quotation mark or encoding, on every route that reads one."""

import csv
import gzip
import io
import json
import sys

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_of_people import PEOPLE

import liftlib as ll
import lifttables as tables
from liftlib.errors import DataError, InvalidParameter
from lifttables.bundle import Outputs, apply_file, sanitise_file
from lifttables.cli import main
from lifttables.encoding.reading import Reading
from lifttables.encoding.text_format import TextFormat
from lifttables.releases.pipeline import Plan
from lifttables.sources import text as files
from lifttables.sources import widths
from lifttables.sources.source import open_table

HEADER = ["hospital", "ill", "age", "visits"]
GOOD = [["Nörd", "flu", "20s", "5"], ["St Mary; South", "none", "30s", "7"], ["the 'Old' one", "flu", "30s", "1"]] * 20
FORMS = {
    "semicolon": TextFormat(";"),
    "tab and apostrophe": TextFormat("\t", "'"),
    "pipe, no quotes": TextFormat("|", None),
    "latin-1": TextFormat(";", encoding="latin-1"),
    "utf-16": TextFormat(encoding="utf-16"),
}


def text_of(rows, form, end="\n"):
    made = io.StringIO(newline="")
    quoting = {"quotechar": form.quote} if form.quote else {"quoting": csv.QUOTE_NONE, "quotechar": None}
    csv.writer(made, delimiter=form.separator or ",", lineterminator=end, **quoting).writerows(rows)
    return made.getvalue()


def written(folder, text, form, name="in.csv"):
    data = text.encode(form.encoding)
    path = folder / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def options(form):
    return [
        *([] if form.separator is None else ["--separator", form.separator]),
        *([] if form.quote == '"' else ["--quote", form.quote or "none"]),
        *([] if form.encoding == "utf-8" else ["--encoding", form.encoding]),
    ]


@pytest.mark.parametrize("name", ["in.csv", "in.tsv.gz"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_values_are_those_that_the_csv_module_wrote(tmp_path, form, name):
    if name == "in.tsv.gz" and form.separator is None:
        form = TextFormat("\t", form.quote, form.encoding)
    path = written(tmp_path, text_of([HEADER, *GOOD], form), form, name)
    table = open_table(path, form)
    assert [list(row) for row in [row for rows in table.batches(table.columns) for row in rows.rows()]] == GOOD


def uses(folder, path, form):
    """All that reads a table from a file, with the secret and public columns alone."""
    good = folder / "good.csv"
    good.write_text(text_of([HEADER, *GOOD], TextFormat()))
    how = {"separator": form.separator, "quote": form.quote, "encoding": form.encoding}
    reading, of = Reading(("ill",), ("age",), **how), {"secret": "ill", "public": "age", **how}
    outputs, bad = Outputs.beside(folder / "out.csv"), Outputs.beside(folder / "bad.csv")
    promise = ll.LIP(1.0)
    sanitise_file(good, outputs, Plan(Reading("ill", "age"), lambda _: promise, "watchdog", None, resamples=0))
    card = tables.read_card(outputs.card)
    return {
        "audit": lambda: tables.audit(path, **of, resamples=0),
        "choose": lambda: tables.choose(path, **of, mechanisms=["watchdog"]),
        "sanitise": lambda: tables.sanitise(path, **of, notion=promise, resamples=0),
        "sanitise_file": lambda: sanitise_file(path, bad, Plan(reading, lambda _: promise, resamples=0)),
        "apply_file": lambda: apply_file(outputs.design, path, folder / "new.csv", text_format=form),
        "estimate": lambda: tables.estimate(path, card, text_format=form),
        "distinct": lambda: open_table(path, form).distinct(["age"]),
    }


@pytest.mark.filterwarnings("ignore::liftlib.errors.LiftWarning")
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_line_with_a_field_too_many_is_refused_by_all_that_reads(tmp_path, form):
    lines = text_of([HEADER, *GOOD], form).splitlines()
    lines[31] = (form.separator or ",").join(["St Mary", " South", "none", "30s", "7"])
    path = written(tmp_path, "\n".join(lines) + "\n", form)
    for use, read in uses(tmp_path, path, form).items():
        with pytest.raises(DataError, match="line 32 has 5 fields, but the header has 4"):
            print(use, read())
    assert not (tmp_path / "bad.csv").exists()
    assert not (tmp_path / "new.csv").exists()


COMMANDS = [
    ["audit", "IN", "--secret", "ill", "--public", "age"],
    ["choose", "IN", "--secret", "ill", "--public", "age", "--quiet"],
    ["sanitise", "IN", "--secret", "ill", "--public", "age", "--notion", "lip", "--eps", "1", "-o", "bad.csv"],
    ["apply", "out.PRIVATE.design.json", "IN", "-o", "bad.csv"],
    ["estimate", "IN", "out.card.json"],
]


@pytest.mark.filterwarnings("ignore::liftlib.errors.LiftWarning")
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("where", ["in.csv", "-"])
def test_every_command_checks_each_line(tmp_path, monkeypatch, capsys, words, where):
    form = TextFormat("|", "'", "utf-16")
    monkeypatch.chdir(tmp_path)
    text = text_of([HEADER, *GOOD, ["x|y", "flu", "30s", "1"]], form).replace("'x|y'", "x|y")
    path = written(tmp_path, text, form)
    uses(tmp_path, path, form)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert main([where if word == "IN" else word for word in words] + options(form)) == 2
    assert "line 62 has 5 fields, but the header has 4: put" in capsys.readouterr().err
    assert not (tmp_path / "bad.csv").exists()


def test_one_command_releases_a_table_with_semicolons(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    form = TextFormat(";", "'", "cp1252")
    written(tmp_path, text_of([PEOPLE.columns, *PEOPLE.rows()], form), form)
    words = [
        "sanitise",
        "in.csv",
        "--secret",
        "ill",
        "--public",
        "age",
        "--notion",
        "lip",
        "--eps",
        "1",
        "-o",
        "out.csv",
    ]
    assert main([*words, *options(form), "--resamples", "0"]) == 0
    assert pl.read_csv("out.csv").height == 120  # written with commas, whatever was read
    assert main(["verify", "out.csv", "out.card.json"]) == 0
    assert main(["apply", "out.PRIVATE.design.json", "in.csv", "-o", "n.csv", "--ledger", "none", *options(form)]) == 0


@pytest.mark.parametrize(
    ("how", "text", "message"),
    [
        ({"separator": ";"}, "a;b\n1;2\n1\n", "line 3 has 1 field, but the header has 2: fill in"),
        ({"separator": ";"}, "a;b\n1;2\n\n1;2\n", "line 3 is empty: delete it"),
        ({"quote": "'"}, "a,b\n1,2\n'1,2\n", "line 3 has a quotation mark that opens a value and none that closes it"),
        ({"quote": "'"}, "a,b,c\n1,2,3\n o'x,y',2\n", "line 3 has a quotation mark inside a value"),
        ({"quote": None}, 'a,b\n"1,2",3\n', "line 2 has 3 fields"),
        ({"quote": "'"}, 'a,b\n"1,2",3\n', "line 2 has 3 fields.*in quotes"),
        ({}, "a;b\n1;2\n", r"values with ';' between them, not ',': name the separator \(--separator ';'\)"),
        ({}, "a\tb\n1\t2\n", r"name the separator \(--separator tab\)"),
        ({"encoding": "ascii"}, "a,b\né,2\n", "it is not ascii"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, monkeypatch, how, text, message):
    path = tmp_path / "in.csv"
    path.write_text(text, encoding="utf-8")
    for block in (1, 1000):
        monkeypatch.setattr(widths, "BLOCK", block)
        monkeypatch.setattr(files, "BLOCK", block)
        with pytest.raises(DataError, match=message):
            open_table(path, TextFormat(**how)).distinct(["b"])


def test_text_that_is_not_utf8_names_the_option(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a,b\né,2\n", encoding="latin-1")
    with pytest.raises(DataError, match=r"--encoding latin-1"):
        open_table(path).distinct(["a"])
    path.write_text("a,b\né,2\n", encoding="utf-16")
    with pytest.raises(DataError, match=r"--encoding utf-16"):
        open_table(path).distinct(["a"])


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"separator": ";;"}, "separator is ';;': give one ASCII character"),
        ({"separator": ""}, "separator is ''"),
        ({"separator": "\n"}, "separator is"),
        ({"separator": "é"}, "separator is 'é'"),
        ({"quote": "''"}, "quote is"),
        ({"separator": "'", "quote": "'"}, "are both"),
        ({"encoding": "klingon"}, "encoding is 'klingon', which is not known"),
        ({"encoding": "base64"}, "encoding is 'base64'"),
        ({"encoding": "a\0b"}, "encoding is"),
    ],
)
def test_a_form_that_no_table_has(how, message):
    with pytest.raises(InvalidParameter, match=message):
        TextFormat(**how)
    with pytest.raises(InvalidParameter, match=message):
        Reading("s", "x", **how)


def test_a_command_refuses_one_in_a_line(tmp_path, capsys):
    path = written(tmp_path, "a,b\n1,2\n", TextFormat())
    assert main(["audit", str(path), "--secret", "a", "--public", "b", "--encoding", "klingon"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


VALUES = st.text(st.sampled_from("ab ;|'\"\n\té"), max_size=5)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(2, 3).flatmap(
        lambda width: st.lists(st.lists(VALUES, min_size=width, max_size=width), min_size=1, max_size=8)
    ),
    st.sampled_from([";", "|", "\t", ":"]),
    st.sampled_from(["'", '"', "~"]),
    st.sampled_from(["utf-8", "latin-1", "utf-16"]),
    st.booleans(),
)
def test_any_table_reads_as_written_or_is_refused_for_its_width(tmp_path_factory, rows, separator, quote, code, wrong):
    form = TextFormat(separator, quote, code)
    names = [f"c{at}" for at in range(len(rows[0]))]
    made = io.StringIO(newline="")
    writer = csv.writer(made, delimiter=separator, quotechar=quote, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([names, *rows, *([[*rows[0], "z"]] if wrong else [])])
    path = written(tmp_path_factory.mktemp("form"), made.getvalue(), form)
    if wrong:
        with pytest.raises(DataError, match=f"has {len(names) + 1} fields"):
            open_table(path, form).distinct(names[:1])
        return
    table = open_table(path, form)
    assert [list(row) for row in [row for part in table.batches(names) for row in part.rows()]] == rows


def test_the_copy_in_utf8_is_the_owners_alone_and_goes_away(tmp_path):
    path = written(tmp_path, "a,b\né,2\n", TextFormat(encoding="latin-1"))
    table = open_table(path, TextFormat(encoding="latin-1"))
    copy = table._path
    assert copy.stat().st_mode & 0o077 == 0
    assert table.distinct(["a"]) == 1
    del table
    assert not copy.exists()


def test_the_card_of_a_release_says_how_missing_values_were_treated(tmp_path):
    path = tmp_path / "in.csv"
    PEOPLE.with_columns(ill=pl.when(pl.col("name") != "p3").then("ill")).write_csv(path)
    outputs = Outputs.beside(tmp_path / "out.csv")
    sanitise_file(path, outputs, Plan(Reading("ill", "age", missing="drop"), lambda _: ll.LIP(1.0), resamples=0))
    card = json.loads(outputs.card.read_text())
    assert card["options"]["missing"] == "drop"
    assert card["rows"] == pl.read_csv(outputs.table).height == 119
    assert any("left out" in one for one in card["not_covered"])
