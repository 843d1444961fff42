"""Every line of a text table has as many fields as its header, whichever columns are read."""

import csv
import gzip
import io
import json
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liftlib as ll
import lifttables as tables
from liftlib.errors import DataError
from lifttables.bundle import Outputs, apply_file, sanitise_file
from lifttables.cli import main
from lifttables.encoding.reading import Reading
from lifttables.releases.pipeline import Plan
from lifttables.sources import widths
from lifttables.sources.source import open_table

HEADER = ["hospital", "ill", "age", "visits"]
GOOD = [["North", "flu", "20s", "5"], ["St Mary, South", "none", "30s", "7"], ['the "Old" one', "flu", "30s", "1"]] * 20


def text_of(rows, separator=",", end="\n"):
    made = io.StringIO(newline="")
    csv.writer(made, delimiter=separator, lineterminator=end).writerows(rows)
    return made.getvalue()


def shifted(separator=","):
    """One line in the middle whose first value holds a separator and is not in quotes."""
    lines = text_of([HEADER, *GOOD], separator).splitlines()
    lines[31] = separator.join(["St Mary", " South", "none", "30s", "7"])
    return "\n".join(lines) + "\n"


def written(folder, text, name="in.csv"):
    path = folder / name
    data = text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def uses(folder, path):
    """All that reads a table from a file, with the secret and public columns alone."""
    good = written(folder, text_of([HEADER, *GOOD]), "good.csv")
    reading = Reading(("ill",), ("age",))
    of = {"secret": "ill", "public": "age"}
    outputs = Outputs.beside(folder / "out.csv")
    sanitise_file(good, outputs, Plan(reading, lambda _: ll.LIP(1.0), "watchdog", None, resamples=0))
    card = tables.read_card(outputs.card)
    bad = Outputs.beside(folder / "bad.csv")
    return {
        "audit": lambda: tables.audit(path, **of, resamples=0),
        "choose": lambda: tables.choose(path, **of, mechanisms=["watchdog"]),
        "sanitise": lambda: tables.sanitise(path, **of, notion=ll.LIP(1.0), resamples=0),
        "sanitise_file": lambda: sanitise_file(path, bad, Plan(reading, lambda _: ll.LIP(1.0), resamples=0)),
        "apply_file": lambda: apply_file(outputs.design, path, folder / "new.csv"),
        "estimate": lambda: tables.estimate(path, card),
        "batches": lambda: list(open_table(path).batches(["age"])),
        "distinct": lambda: open_table(path).distinct(["age"]),
        "quantiles": lambda: Reading("ill", ("visits",), bins=("visits=quantiles:2",)).counts(open_table(path)),
    }


@pytest.mark.filterwarnings("ignore::liftlib.errors.LiftWarning")
@pytest.mark.parametrize("name", ["in.csv", "in.tsv", "in.csv.gz", "in.tsv.gz"])
def test_a_value_with_an_unquoted_separator_is_refused_by_all_that_reads(tmp_path, name):
    separator = "\t" if "tsv" in name else ","
    path = written(tmp_path, shifted(separator), name)
    message = rf"line 32 has 5 fields, but the header has 4: put each value that holds {separator!r} in quotes"
    message = message.replace("\\", "\\\\")
    for use, read in uses(tmp_path, path).items():
        with pytest.raises(DataError, match=message):
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
@pytest.mark.parametrize("source", ["in.csv", "-"])
def test_a_command_says_which_line_is_wrong(tmp_path, monkeypatch, capsys, words, source):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, shifted())
    uses(tmp_path, tmp_path / "in.csv")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((tmp_path / "in.csv").read_bytes())))
    assert main([source if word == "IN" else word for word in words]) == 2
    name = "the standard input" if source == "-" else "in.csv"
    assert f"lift: cannot read {name}: line 32 has 5 fields, but the header has 4: put" in capsys.readouterr().err
    assert not (tmp_path / "bad.csv").exists()


def test_the_secret_is_not_published_in_place_of_the_public_column(tmp_path):
    """With two columns of four read, the values of `ill` were taken for those of `age`."""
    lines = [",".join(HEADER), *(["North,flu,20s,5"] * 50), *(["St Mary, North,hiv,40s,5"] * 45)]
    path = written(tmp_path, "\n".join(lines) + "\n")
    with pytest.raises(DataError, match="line 52 has 5 fields"):
        tables.sanitise(path, secret="ill", public="age", notion=ll.LIP(1.0), resamples=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,c\n1,2,3\n1,2\n", "line 3 has 2 fields, but the header has 3: fill in the missing fields"),
        ("a,b,c\n1,2,3\n1,2", "line 3 has 2 fields, but the header has 3"),
        ("a,b,c\r\n1,2,3\r\n1,2\r\n", "line 3 has 2 fields, but the header has 3"),
        ("a,b,c\n1,2,3\n\n1,2,3\n", "line 3 is empty: delete it"),
        ("a,b,c\r\n1,2,3\r\n\r\n", "line 3 is empty: delete it"),
        ("a,b,c\n1,2,3\n1,2,3,\n", "line 3 has 4 fields"),
        ("a,b\nx,1,2\n", "line 2 has 3 fields"),
        ('a,b\n"x\ny",1\n"\n\n",2\nz,1,2\n', "line 7 has 3 fields"),
        ('a,b\n1,2\n"x\ny",1,2\n', "line 3 has 3 fields"),
        ('\n\na,b\n"1\n",2\n1\n', "line 6 has 1 field, but the header has 2"),
        ('\ufeff"a,b",b\n1,2\n1,2,3\n', "line 3 has 3 fields"),
        # a quotation mark inside a value: where the value ends depends on who reads it
        ('a,b,c\n1,2,3\n "x,y",1,2\n', "line 3 has a quotation mark inside a value: put the value in quotes and"),
        ('a,b,c\n5" pipe,1,2\n6" pipe,2,3\n', "line 2 has a quotation mark inside a value"),
        ('a,b,c\n1,2,3\n1,2,7" pipe\n', "line 3 has a quotation mark inside a value"),
        ('a,b,c\n1,2,3\n1,2,7" pipe', "line 3 has a quotation mark inside a value"),
        ('a,b,c\n"x,2,3\n"y",2,3\n', "line 2 has a quotation mark inside a value"),
        ('a,b,c\n1,2,3\n1,"2,3\n1,2,3\n', "line 3 has a quotation mark that opens a value and none that closes it"),
        ('a,b,c\n1,2,3\n1,2,3\n1,2,"', "line 4 has a quotation mark that opens a value"),
    ],
)
@pytest.mark.parametrize("block", [1, 3, 1000])
def test_what_is_wrong_with_which_line(tmp_path, monkeypatch, text, message, block):
    monkeypatch.setattr(widths, "BLOCK", block)
    path = written(tmp_path, text)
    with pytest.raises(DataError, match=message):
        open_table(path).distinct(["b"])


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n1,2", [("1", "2")]),
        ("a,b\r\n1,2\r\n", [("1", "2")]),
        ("\n\r\na,b\n1,2\n", [("1", "2")]),
        ('\ufeff"a",b\n1,2\n', [("1", "2")]),
        ('a,b\n"1,\n""2""",3\n"",4\n"""",5\n', [('1,\n"2"', "3"), ("", "4"), ('"', "5")]),
        ('a,b\r\n1,"2"\r\n3,"4"', [("1", "2"), ("3", "4")]),
        ('a,b\nsay "hi",1\n5""6,2\n', [('say "hi"', "1"), ('5""6', "2")]),
        ("a,b\n,\n1,\n", [(None, None), ("1", None)]),
        ("a\n1\n\n2\n", [("1",), (None,), ("2",)]),
    ],
)
@pytest.mark.parametrize("block", [1, 3, 1000])
def test_what_is_read_as_before(tmp_path, monkeypatch, text, rows, block):
    monkeypatch.setattr(widths, "BLOCK", block)
    table = open_table(written(tmp_path, text))
    assert [row for rows in table.batches(table.columns) for row in rows.rows()] == rows


def test_a_header_with_a_line_break_in_quotes(tmp_path):
    path = written(tmp_path, '"a\nb",c\n1,2\n1,2,3\n')
    with pytest.raises(DataError, match="line 4 has 3 fields"):
        open_table(path).distinct(["c"])


VALUES = st.text(st.sampled_from('ab ,\t"\n\r;é'), max_size=6)
TABLES = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(VALUES, min_size=width, max_size=width), min_size=1, max_size=12)
)


@settings(max_examples=300, deadline=None)
@given(
    TABLES,
    st.sampled_from([",", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    st.integers(1, 40),
    st.data(),
)
def test_lines_of_right_and_wrong_widths_as_the_csv_module_writes_them(rows, separator, end, quoting, block, data):
    """The csv module says where a row begins; one row has too many or too few fields, or none has."""
    names = [f"c{at}" for at in range(len(rows[0]))]
    wrong = data.draw(st.none() | st.integers(0, len(rows) - 1))
    more = data.draw(st.booleans())
    made, line = io.StringIO(newline=""), None
    writer = csv.writer(made, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerow(names)
    for at, row in enumerate(rows):
        if at == wrong:
            line = 1 + made.getvalue().count("\n")
        writer.writerow(row if at != wrong else [*row, "z"] if more else [*row[:-2], "z"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(widths, "BLOCK", block)
        file = io.BytesIO(made.getvalue().encode())
        if line is None:
            widths.check_widths(file, "t", separator, len(names))
        else:
            fields = len(names) + 1 if more else len(names) - 1
            with pytest.raises(DataError, match=rf"t: line {line} has {fields} field"):
                widths.check_widths(file, "t", separator, len(names))


def test_a_released_table_is_read_again(tmp_path):
    """What is written with line breaks, quotation marks and separators in its values passes its own check."""
    rng = np.random.default_rng(1)
    odd = ['a,"b"', "c\nd", "e\tf", "g"]
    pl.DataFrame({"s": rng.choice(["u", "v"], 400), "x": rng.choice(odd, 400), "k": ["k"] * 400}).write_csv(
        tmp_path / "in.csv"
    )
    words = ["sanitise", str(tmp_path / "in.csv"), "--secret", "s", "--public", "x", "--notion", "lip", "--eps", "3"]
    words += ["--mechanism", "randomised-response", "--kernel", "--ledger", "none", "--resamples", "0", "-o"]
    assert main([*words, str(tmp_path / "out.tsv"), "--keep", "k"]) == 0
    assert json.loads((tmp_path / "out.card.json").read_text())
    assert main(["estimate", str(tmp_path / "out.tsv"), str(tmp_path / "out.card.json")]) == 0
