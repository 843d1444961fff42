"""Tables of text, with any separator or encoding."""

import csv
import gzip
import io
import sys

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import as_stored, raised
from table_of_people import PEOPLE

import liftlib as ll
import lifttables as tables
from liftlib.errors import DataError, InvalidParameter
from lifttables.bundle import Outputs, apply_file, sanitise_file
from lifttables.cli import main
from lifttables.encoding.reading import Reading
from lifttables.encoding.text_format import TextFormat
from lifttables.releases.card import Limit
from lifttables.releases.pipeline import Plan
from lifttables.sources import text as files
from lifttables.sources import widths
from lifttables.sources.source import open_table

HEADER = ["hospital", "ill", "age", "visits"]
GOOD = [
    ["Nörd", "flu", "20s", "5"],
    ["St Mary; South", "none", "30s", "7"],
    ["the 'Old' one", "flu", "30s", "1"],
] * 20
PLAIN = TextFormat()
FORMS = {
    "semicolon": TextFormat(";"),
    "tab": TextFormat("\t"),
    "pipe": TextFormat("|"),
    "latin-1": TextFormat(";", encoding="latin-1"),
    "utf-16": TextFormat(encoding="utf-16"),
}


def distinct(table, names):
    """Return the number of values of a column, for which all rows are read."""
    (name,) = names
    return len(
        {value for rows in table.batches(names) for value in rows[name].to_list()}
    )


def csv_text(rows, form=PLAIN, end="\n", separator=","):
    made = io.StringIO(newline="")
    csv.writer(
        made, delimiter=form.separator or separator, lineterminator=end
    ).writerows(rows)
    return made.getvalue()


def written(folder, text, form=PLAIN, name="in.csv"):
    data = text.encode(form.encoding)
    path = folder / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def options(form):
    return [
        *([] if form.separator is None else ["--separator", form.separator]),
        *([] if form.encoding == "utf-8" else ["--encoding", form.encoding]),
    ]


@pytest.mark.parametrize("name", ["in.csv", "in.tsv.gz"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_values_are_those_that_the_csv_module_wrote(tmp_path, form, name):
    if name == "in.tsv.gz" and form.separator is None:
        form = TextFormat("\t", form.encoding)
    path = written(tmp_path, csv_text([HEADER, *GOOD], form), form, name)
    table = open_table(path, form)
    assert [
        list(row)
        for row in [row for rows in table.batches(table.columns) for row in rows.rows()]
    ] == GOOD


def uses(folder, path, form):
    """All that reads a table from a file, with the secret and public columns alone."""
    good = folder / "good.csv"
    good.write_text(csv_text([HEADER, *GOOD], TextFormat()))
    how = {"separator": form.separator, "encoding": form.encoding}
    reading, of = (
        Reading(("ill",), ("age",), **how),
        {"secret": "ill", "public": "age", **how},
    )
    outputs, bad = (
        Outputs.next_to(folder / "out.csv"),
        Outputs.next_to(folder / "bad.csv"),
    )
    promise = ll.LIP(5.0)
    sanitise_file(good, outputs, Plan(Reading("ill", "age"), promise))
    card = tables.read_card(outputs.card)
    return {
        "audit": lambda: tables.audit(path, **of, resamples=0),
        "sanitise": lambda: tables.sanitise(path, **of, notion=promise),
        "a question": lambda: tables.sanitise(
            path, **of, notion=tables.Question(0.1, 0.2)
        ),
        "sanitise_file": lambda: sanitise_file(path, bad, Plan(reading, promise)),
        "apply_file": lambda: apply_file(
            outputs.design, path, folder / "new.csv", text_format=form
        ),
        "estimate": lambda: tables.estimate(path, card, text_format=form),
        "batches": lambda: list(open_table(path, form).batches(["age"])),
        "bins": (
            lambda: Reading("ill", ("visits",), bins=("visits=1",), **how).counts(
                open_table(path, form)
            )
        ),
    }


WAYS = [
    (PLAIN, "in.csv"),
    (PLAIN, "in.tsv"),
    (PLAIN, "in.csv.gz"),
    (PLAIN, "in.tsv.gz"),
]
WAYS += [(form, "in.csv") for form in FORMS.values()]


@pytest.mark.filterwarnings("ignore::liftlib.errors.LiftWarning")
@pytest.mark.parametrize(("form", "name"), WAYS)
def test_a_value_with_an_unquoted_separator_is_refused_by_all_that_reads(
    tmp_path, form, name
):
    separator = form.separator or ("\t" if "tsv" in name else ",")
    lines = csv_text([HEADER, *GOOD], form, separator=separator).splitlines()
    lines[31] = separator.join(["St Mary", " South", "none", "30s", "7"])
    path = written(tmp_path, "\n".join(lines) + "\n", form, name)
    for use, read in uses(tmp_path, path, form).items():
        with raised(DataError):
            print(use, read())
    assert not (tmp_path / "bad.csv").exists()
    assert not (tmp_path / "new.csv").exists()


COMMANDS = [
    ["audit", "IN", "--secret", "ill", "--public", "age"],
    [
        "release",
        "IN",
        "--secret",
        "ill",
        "--public",
        "age",
        "--belief",
        "10%",
        "40%",
        "-o",
        "bad.csv",
    ],
    [
        "release",
        "IN",
        "--secret",
        "ill",
        "--public",
        "age",
        "--belief",
        "10%",
        "20%",
        "--dry-run",
    ],
    ["release", "IN", "--design", "out.PRIVATE.design.json", "-o", "bad.csv"],
    ["estimate", "IN", "out.card.json"],
]


@pytest.mark.filterwarnings("ignore::liftlib.errors.LiftWarning")
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:3:2]))
@pytest.mark.parametrize(
    ("source", "form"),
    [("in.csv", PLAIN), ("-", PLAIN), ("-", TextFormat("|", encoding="utf-16"))],
)
def test_a_command_says_which_line_is_wrong(
    tmp_path, monkeypatch, capsys, words, source, form
):
    monkeypatch.chdir(tmp_path)
    separator = form.separator or ","
    text = csv_text([HEADER, *GOOD, [f"x{separator}y", "flu", "30s", "1"]], form)
    path = written(tmp_path, text.replace(f'"x{separator}y"', f"x{separator}y"), form)
    uses(tmp_path, path, form)
    # it reads no standard input
    source = "in.csv" if words[0] == "estimate" else source
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    words = [source if word == "IN" else word for word in words] + options(form)
    assert (
        main(
            [
                *words,
                *(["--ledger", "ledger.json"] if words[:2] == ["release", "-"] else []),
            ]
        )
        == 2
    )
    as_stored(capsys.readouterr().err, source)
    assert not (tmp_path / "bad.csv").exists()
    assert not (tmp_path / "ledger.json").exists()


def test_the_secret_is_not_published_in_place_of_the_public_column(tmp_path):
    lines = [
        ",".join(HEADER),
        *(["North,flu,20s,5"] * 50),
        *(["St Mary, North,hiv,40s,5"] * 45),
    ]
    path = written(tmp_path, "\n".join(lines) + "\n")
    with raised(DataError):
        tables.sanitise(path, secret="ill", public="age", notion=ll.LIP(1.0))


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n1,2,3\n1,2\n",
        "a,b,c\n1,2,3\n1,2",
        "a,b,c\r\n1,2,3\r\n1,2\r\n",
        "a,b,c\n1,2,3\n\n1,2,3\n",
        "a,b,c\r\n1,2,3\r\n\r\n",
        "a,b,c\n1,2,3\n1,2,3,\n",
        "a,b\nx,1,2\n",
        'a,b\n"x\ny",1\n"\n\n",2\nz,1,2\n',
        'a,b\n1,2\n"x\ny",1,2\n',
        '\n\na,b\n"1\n",2\n1\n',
        '\ufeff"a,b",b\n1,2\n1,2,3\n',
        # a quotation mark inside a value: where the value ends depends on who reads it
        'a,b,c\n1,2,3\n "x,y",1,2\n',
        'a,b,c\n5" pipe,1,2\n6" pipe,2,3\n',
        'a,b,c\n1,2,3\n1,2,7" pipe\n',
        'a,b,c\n1,2,3\n1,2,7" pipe',
        'a,b,c\n"x,2,3\n"y",2,3\n',
        'a,b,c\n1,2,3\n1,"2,3\n1,2,3\n',
        'a,b,c\n1,2,3\n1,2,3\n1,2,"',
    ],
)
@pytest.mark.parametrize("block", [1, 3, 1000])
def test_what_is_wrong_with_which_line(tmp_path, monkeypatch, text, block):
    monkeypatch.setattr(widths, "BLOCK_BYTES", block)
    path = written(tmp_path, text)
    with raised(DataError, of=text):
        distinct(open_table(path), ["b"])


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n1,2", [("1", "2")]),
        ("a,b\r\n1,2\r\n", [("1", "2")]),
        ("\n\r\na,b\n1,2\n", [("1", "2")]),
        ('\ufeff"a",b\n1,2\n', [("1", "2")]),
        (
            'a,b\n"1,\n""2""",3\n"",4\n"""",5\n',
            [('1,\n"2"', "3"), ("", "4"), ('"', "5")],
        ),
        ('a,b\r\n1,"2"\r\n3,"4"', [("1", "2"), ("3", "4")]),
        ('a,b\nsay "hi",1\n5""6,2\n', [('say "hi"', "1"), ('5""6', "2")]),
        ("a,b\n,\n1,\n", [(None, None), ("1", None)]),
        ("a\n1\n\n2\n", [("1",), (None,), ("2",)]),
    ],
)
@pytest.mark.parametrize("block", [1, 3, 1000])
def test_what_is_read_as_before(tmp_path, monkeypatch, text, rows, block):
    monkeypatch.setattr(widths, "BLOCK_BYTES", block)
    table = open_table(written(tmp_path, text))
    assert [row for rows in table.batches(table.columns) for row in rows.rows()] == rows


def test_a_header_with_a_line_break_in_quotes(tmp_path):
    path = written(tmp_path, '"a\nb",c\n1,2\n1,2,3\n')
    with raised(DataError):
        distinct(open_table(path), ["c"])


VALUES = st.text(st.sampled_from('ab ,\t"\n\r;é'), max_size=6)
TABLES = st.integers(2, 4).flatmap(
    lambda width: st.lists(
        st.lists(VALUES, min_size=width, max_size=width), min_size=1, max_size=12
    )
)


@settings(max_examples=300, deadline=None)
@given(
    TABLES, st.sampled_from([",", "\t"]), st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]), st.integers(1, 40), st.data(),
)  # fmt: skip
def test_lines_of_right_and_wrong_widths_as_the_csv_module_writes_them(
    rows, separator, end, quoting, block, data
):
    names = [f"c{at}" for at in range(len(rows[0]))]
    wrong = data.draw(st.none() | st.integers(0, len(rows) - 1))
    more = data.draw(st.booleans())
    made, line = io.StringIO(newline=""), None
    writer = csv.writer(made, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerow(names)
    for at, row in enumerate(rows):
        if at == wrong:
            line = 1 + made.getvalue().count("\n")
        writer.writerow(
            row if at != wrong else [*row, "z"] if more else [*row[:-2], "z"]
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(widths, "BLOCK_BYTES", block)
        file = io.BytesIO(made.getvalue().encode())
        if line is None:
            widths.check_widths(file, "t", separator, len(names))
        else:
            fields = len(names) + 1 if more else len(names) - 1
            with pytest.raises(DataError, match=rf"{line} has {fields} field"):
                widths.check_widths(file, "t", separator, len(names))


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({"separator": ";"}, "a;b\n1;2\n1\n"),
        ({"separator": ";"}, "a;b\n1;2\n\n1;2\n"),
        ({}, 'a,b\n1,2\n"1,2\n'),
        ({}, 'a,b,c\n1,2,3\n o"x,y",2\n'),
        ({}, "a,b\n'1,2',3\n"),
        ({}, "a;b\n1;2\n"),
        ({}, "a\tb\n1\t2\n"),
        ({"encoding": "ascii"}, "a,b\né,2\n"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, monkeypatch, how, text):
    path = tmp_path / "in.csv"
    path.write_text(text, encoding="utf-8")
    for block in (1, 1000):
        monkeypatch.setattr(widths, "BLOCK_BYTES", block)
        monkeypatch.setattr(files, "BLOCK_BYTES", block)
        with raised(DataError, of=text):
            distinct(open_table(path, TextFormat(**how)), ["b"])


def test_text_that_is_not_utf8_asks_for_its_encoding(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a,b\né,2\n", encoding="latin-1")
    with raised(DataError):
        distinct(open_table(path), ["a"])
    path.write_text("a,b\né,2\n", encoding="utf-16")
    with raised(DataError):
        distinct(open_table(path), ["a"])


@pytest.mark.parametrize(
    "how",
    [
        *[{"separator": text} for text in (";;", "", "\n", "é", '"')],
        *[{"encoding": text} for text in ("klingon", "base64", "a\0b")],
    ],
)
def test_a_form_that_no_table_has(how):
    with raised(InvalidParameter):
        TextFormat(**how)
    with raised(InvalidParameter):
        Reading("s", "x", **how)


def test_a_command_refuses_one_in_a_line(tmp_path, capsys):
    path = written(tmp_path, "a,b\n1,2\n", TextFormat())
    assert (
        main(
            [
                "audit",
                str(path),
                "--secret",
                "a",
                "--public",
                "b",
                "--encoding",
                "klingon",
            ]
        )
        == 2
    )
    assert capsys.readouterr().err.count("\n") == 1
    path.write_text("a;b\n1;2\n")
    assert main(["audit", str(path), "--secret", "a", "--public", "b"]) == 2
    err = capsys.readouterr().err
    assert "';' (--separator)" in err
    assert err.count("\n") == 1


OTHER_VALUES = st.text(st.sampled_from("ab ;|'\"\n\té"), max_size=5)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(2, 3).flatmap(
        lambda width: st.lists(
            st.lists(OTHER_VALUES, min_size=width, max_size=width),
            min_size=1,
            max_size=8,
        )
    ),
    st.sampled_from([";", "|", "\t", ":"]),
    st.sampled_from(["utf-8", "latin-1", "utf-16"]),
    st.booleans(),
)
def test_any_table_reads_as_written_or_is_refused_for_its_width(
    tmp_path_factory, rows, separator, code, wrong
):
    form = TextFormat(separator, code)
    names = [f"c{at}" for at in range(len(rows[0]))]
    made = io.StringIO(newline="")
    writer = csv.writer(
        made,
        delimiter=separator,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL,
    )
    writer.writerows([names, *rows, *([[*rows[0], "z"]] if wrong else [])])
    path = written(tmp_path_factory.mktemp("form"), made.getvalue(), form)
    if wrong:
        with pytest.raises(DataError, match=f"has {len(names) + 1} fields"):
            distinct(open_table(path, form), names[:1])
        return
    table = open_table(path, form)
    assert [
        list(row)
        for row in [row for part in table.batches(names) for row in part.rows()]
    ] == rows


def test_the_copy_in_utf8_is_the_owners_alone_and_goes_away(tmp_path):
    path = written(tmp_path, "a,b\né,2\n", TextFormat(encoding="latin-1"))
    table = open_table(path, TextFormat(encoding="latin-1"))
    copy = table._path
    assert copy.stat().st_mode & 0o077 == 0
    assert distinct(table, ["a"]) == 1
    del table
    assert not copy.exists()


def test_the_card_of_a_release_says_how_missing_values_were_treated(tmp_path):
    path = tmp_path / "in.csv"
    PEOPLE.with_columns(ill=pl.when(pl.col("name") != "p3").then("ill")).write_csv(path)
    outputs = Outputs.next_to(tmp_path / "out.csv")
    sanitise_file(
        path, outputs, Plan(Reading("ill", "age", missing="drop"), ll.LIP(5.0))
    )
    card = tables.read_card(outputs.card)
    assert card.options["missing"] == "drop"
    assert card.rows == pl.read_csv(outputs.table).height == 119
    assert Limit.DROPPED in card.tells
