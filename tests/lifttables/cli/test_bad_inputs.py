"""Bad input gives one line with a remedy, a listed exit code, and no output."""

import datetime as dt
import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from lifttables.cli import main

README = Path(__file__).parents[3] / "lifttables" / "README.md"
OF = ["--secret", "ill", "--public", "age"]
LIP = ["--belief", "10%", "40%"]
OUT = ["-o", "out.csv"]
LATIN = os.fsdecode(b"\xe9t\xe9.csv")  # the name of a file in Latin-1


def words_of_release(*more, table="in.csv", of=OF, notion=LIP, out=OUT):
    return ["release", table, *of, *notion, *out, *more]


def asked(*beliefs, table="in.csv", of=OF):
    return ["release", table, *of, "--belief", *beliefs, *OUT]


def words_of_audit(*more, table="in.csv", of=OF):
    return ["audit", table, *of, *more]


def words_of_new_rows(
    *more, design="d.PRIVATE.design.json", table="in.csv", out="new.csv"
):
    return ["release", table, "--design", design, "-o", out, *more]


def estimate(*more, table="d.csv", card="d.card.json"):
    return ["estimate", table, card, *more]


def public(*names):
    return ["--secret", "ill", "--public", *names]


@pytest.fixture(scope="module")
def bad_folder(tmp_path_factory):
    """Tables of all kinds, and a release of one."""
    path = tmp_path_factory.mktemp("bad")
    rng = np.random.default_rng(0)
    n = 400
    frame = pl.DataFrame(
        {
            "ill": rng.choice(["yes", "no"], n),
            "age": rng.choice(["old", "mid", "new"], n),
        }
    )
    frame = frame.with_columns(
        (pl.col("ill") + "!").alias("code"),
        pl.Series("zip", 10000 + np.arange(n)),
        pl.Series("seen", [f"2020-{1 + i % 12:02}-01" for i in range(n)]),
        pl.Series("gone", [None if i % 7 == 0 else "v" for i in range(n)]),
        pl.Series("r", ["NA" if i % 7 == 0 else "v" for i in range(n)]),
        pl.Series("rare", ["one" if i == 0 else "many" for i in range(n)]),
        pl.Series("sum", ["=1+1" if i == 0 else "v" for i in range(n)]),
        pl.Series(
            "both",
            ["(missing)" if i == 0 else None if i == 1 else "v" for i in range(n)],
        ),
        pl.Series(
            "pool", ["(rare)" if i < 200 else "w" if i < 202 else "v" for i in range(n)]
        ),
    )
    frame.write_csv(path / "in.csv")
    frame.rename({"age": "=age"}).write_csv(path / "named.csv")
    texts = {
        "empty.csv": b"",
        "head.csv": b"ill,age\n",
        "long.csv": b"ill,age\n1,2,3\n",
        "latin.csv": b"ill,age\n\xe9t\xe9,1\n",
        "twice.csv": b"ill,ill,age\n1,2,3\n",
        "quote.csv": b'ill,age\n"yes,old\n',
        "not.csv.gz": b"ill,age\n",
        "not.parquet": b"text",
        "cut.csv.gz": gzip.compress(b"ill,age\n" + b"yes,old\nno,new\n" * 5000)[:60],
        "tree.csv": b"age,group\nold,o\nmid,o\n",
        "twin.csv": b"age,group\nold,o\nold,p\n",
        "apart.csv": b"age,group,top\nold,o,all\nmid,m,all\nnew,o,some\n",
        "circle.csv": b"age,group\nmid,mid\no,old\nold,o\nnew,o\n",
        "signs.csv": b"ill,age,grade\n" + b"yes,?,A\nno,Unknown,B\nyes,old,-\n" * 9,
        "hole.csv": b"age,group\nold,\n",
        "bare.csv": b"age\nold\n",
        "none.csv": b"age,group\n",
        "brace.json": b"{",
        "object.json": b"{}",
        "old.json": b'{"format": "liftlib channel 1"}',
        "bytes.json": b"\xff\xfe",
        "unseen.csv": b"ill,age\nyes,old\nno,martian\n",
        "columns.csv": b"ill,colour\nyes,red\n",
        "odd.csv": b"age\nmartian\n",
        "taken.csv": b"mine",
        "wide.csv": "ill,age\nyes,old\n".encode("utf-16"),
        "sheet.csv": b"PK\x03\x04" + bytes(100),
        "packed.csv": gzip.compress(b"ill,age\nyes,old\n"),
        "columns-of.csv": b"PAR1" + bytes(20),
        "lite.csv": b"SQLite format 3\0" + bytes(20),
        "semicolon.csv": b"ill;age\nyes;old\n",
        "tab.csv": b"ill\tage\nyes\told\n",
        "accents.csv": b"ill,age\n" + "yes,\u00e9t\u00e9\nno,bar\n".encode() * 20,
        "wider.csv": "ill,age\nyes,old\n".encode("utf-32"),
        "comma.tsv": b"ill,age\nyes,old\n",
        "mac.csv": b"ill,age\ryes,old\rno,new\r",
        "rarely.csv": b"ill,age\n" + b"yes,(rare)\nno,old\n" * 9,
        "pattern.csv": b"ill,age,^ill$,*\n" + b"yes,old,a,b\nno,new,c,d\n" * 9,
        "blank.csv": b"ill,,age\n" + b"yes,a,old\n" * 9,
        "gaps.csv": b"ill,age\n" + b",\n" * 9,
        "hollow.parquet": b"",
        "composed.csv": "ill,a\u0301ge\n".encode() + b"yes,old\nno,new\n" * 9,
        "nan.csv": b"ill,age\n" + b"yes,nan\nno,old\n" * 9,
        "comment.csv": b"# of 2020\nill,age\n" + b"yes,old\nno,new\n" * 9,
        "many.csv": (
            (
                "ill,"
                + ",".join(f"c{i}" for i in range(300))
                + "\n"
                + ("yes" + ",0" * 300 + "\nno" + ",1" * 300 + "\n") * 2
            ).encode()
        ),
        "comma.csv": b"ill,age\n" + b'yes,"1,5"\nno,"2,5"\n' * 9,
        "apostrophe.csv": b"ill,age\n" + b"yes,=1\nno,'=1\nno,=1\nyes,'=1\n" * 99,
    }
    for name, content in (texts | {LATIN: texts["signs.csv"]}).items():
        (path / name).write_bytes(content)
    odd = {"list": [[one] for one in frame["age"]], "span": [dt.timedelta(1)] * n}
    pl.DataFrame({"ill": frame["ill"], **odd}).write_parquet(path / "odd.parquet")
    born = pl.Series(
        "born", [dt.date(1950, 1, 1) + dt.timedelta(100 * i) for i in range(n)]
    )
    pl.DataFrame({"ill": frame["ill"], "born": born}).write_parquet(
        path / "born.parquet"
    )
    other = pl.DataFrame(
        {"ill": ["yes"] * 300 + ["no"] * 300, "age": ["old"] * 300 + ["new"] * 300}
    )
    other.write_csv(path / "other.csv")
    other.select("age").filter(pl.col("age") == "old").write_csv(path / "public.csv")
    (path / "folder.csv").mkdir()
    (path / "loop.csv").symlink_to("loop.csv")
    (path / "locked").mkdir()
    words = words_of_release(out=[])
    before = Path.cwd()
    os.chdir(path)
    try:
        assert main([*words, "-o", "d.csv"]) == 0
    finally:
        os.chdir(before)
    return path


# words, what is said, and the exit code unless it is 2
CASES = [
    # where the table comes from
    (words_of_audit(table="no.csv"), "no file no.csv: check the path"),
    (words_of_audit(table="in.ods"), "does not end in .csv, .tsv"),
    (words_of_audit(table="folder.csv"), "no file folder.csv"),
    (
        words_of_release(table=".", out=["-o", "out.csv"]),
        ". is a folder: give a file's name",
    ),
    (words_of_release(out=["-o", "."]), ". is a folder: give a file's name"),
    (words_of_audit(table="loop.csv"), "no file loop.csv"),
    (words_of_release(table="loop.csv"), "no file loop.csv"),
    (
        words_of_audit("--hierarchy", f"age=tree.csv:{'9' * 5000}"),
        "File name too long: tree.csv:999",
    ),
    (
        words_of_audit(table="empty.csv"),
        "is empty: it needs a line with the columns' names",
    ),
    (words_of_audit(table="head.csv"), "has no rows"),
    (
        words_of_audit(table="long.csv"),
        (
            "cannot read long.csv: line 2 has 3 fields, but the header has 2: put each"
            " value"
        ),
    ),
    (words_of_audit(table="latin.csv"), "save it as UTF-8"),
    (words_of_audit(table="twice.csv"), "has more than one column 'ill'"),
    (words_of_audit(table="quote.csv"), "cannot read quote.csv"),
    (words_of_audit(table="not.csv.gz"), "not.csv.gz"),
    (words_of_audit(table="cut.csv.gz"), "cut.csv.gz"),
    (words_of_audit(table="not.parquet"), "cannot read not.parquet"),
    (words_of_audit(of=public("agee")), "has no column 'agee': did you mean 'age'?"),
    (words_of_audit(of=public(" AGE")), "did you mean 'age'?"),
    (words_of_audit(of=public("colour")), "has no column 'colour'"),
    (
        words_of_audit(of=["--secret", "sick", "--public", "age"]),
        "has no column 'sick'",
    ),
    (
        words_of_audit(of=["--secret", "age", "--public", "age"]),
        "column 'age' is named twice",
    ),
    (words_of_audit(of=public("age", "age")), "column 'age' is named twice"),
    (
        words_of_audit(of=["--secret", "ill", "ill", "--public", "age"]),
        "column 'ill' is named twice",
    ),
    (
        words_of_audit(table="wide.csv"),
        "wide.csv is UTF-16: name its encoding, utf-16 (--encoding)",
    ),
    (
        words_of_audit(table="wider.csv"),
        "wider.csv is UTF-32: name its encoding, utf-32 (--encoding)",
    ),
    (
        words_of_audit(table=LATIN),
        "is not text in UTF-8: rename the file or its folder",
    ),
    (
        words_of_release(table=LATIN),
        "is not text in UTF-8: rename the file or its folder",
    ),
    (
        words_of_release(out=["-o", f"new-{LATIN}"]),
        "is not text in UTF-8: rename the file or its folder",
    ),
    (
        words_of_release("--ledger", f"new-{LATIN}"),
        "is not text in UTF-8: rename the file or its folder",
    ),
    (estimate(table=LATIN), "is not text in UTF-8: rename the file or its folder"),
    (
        words_of_release(table="in\0.csv"),
        "is not text in UTF-8: rename the file or its folder",
    ),
    (words_of_audit(table="sheet.csv"), "sheet.csv is a spreadsheet or a zip archive"),
    (
        words_of_audit(table="packed.csv"),
        "packed.csv is gzipped: let its name end in .gz",
    ),
    (
        words_of_audit(table="columns-of.csv"),
        "columns-of.csv is Parquet: let its name end in .parquet",
    ),
    (
        words_of_audit(table="lite.csv"),
        "lite.csv is a database: export the table as CSV",
    ),
    (
        words_of_audit(table="semicolon.csv"),
        (
            "has values with ';' between them, not ',': name the separator, ';'"
            " (--separator)"
        ),
    ),
    (words_of_audit(table="tab.csv"), "not ',': name the separator, tab (--separator)"),
    (words_of_audit(table="comma.tsv"), "has values with ',' between them, not '\\t'"),
    (
        words_of_audit(table="mac.csv"),
        "ends its lines with carriage returns alone: save it with line feeds",
    ),
    (words_of_audit(table="hollow.parquet"), "cannot read hollow.parquet"),
    (
        words_of_audit(table="odd.parquet", of=public("list")),
        "has no labels: convert it to text first",
    ),
    (
        words_of_audit(table="odd.parquet", of=public("span")),
        "has no labels: convert it to text first",
    ),
    (
        words_of_audit(table="pattern.csv", of=public("^ill$")),
        "has a column called '^ill$', which is not a valid name",
    ),
    (
        words_of_audit(table="pattern.csv", of=public("*")),
        "has a column called '*', which is not a valid name",
    ),
    (
        words_of_audit(table="composed.csv", of=public("\u00e1ge")),
        "no column '\\xe1ge': did you mean 'a\\u0301ge'?",
    ),
    (words_of_audit(table="comment.csv"), "has no column 'ill': there are '# of 2020'"),
    (
        words_of_audit(table="blank.csv", of=public("")),
        "has a column called '', which is not a valid name",
    ),
    (
        words_of_audit(table="gaps.csv"),
        "every row has a missing value in columns 'ill', 'age'",
    ),
    # what its values mean
    (
        words_of_audit(table="rarely.csv"),
        "column 'age' contains '(rare)', which is reserved for pooled symbols",
    ),
    (
        words_of_audit(table="rarely.csv", of=["--secret", "age", "--public", "ill"]),
        "contains '(rare)'",
    ),
    (
        words_of_audit(of=public("zip")),
        "has 400 distinct numbers: bin it by edges, or declare them as codes",
    ),
    (words_of_audit(of=public("zip")), "(--bin, --bin COLUMN=codes)"),
    (
        words_of_audit("--missing", "refuse", of=public("gone")),
        "column 'gone' has missing values in 58 of 400 rows",
    ),
    (
        words_of_release(of=public("r")),
        (
            "contains the text 'NA' in 58 rows: say whether it means missing or is an"
            " ordinary value (--na)"
        ),
    ),
    (
        words_of_release(table="nan.csv"),
        (
            "contains the text 'nan' in 9 rows: say whether it means missing or is an"
            " ordinary value (--na)"
        ),
    ),
    (
        words_of_audit("--bin", "age=2", table="comma.csv"),
        "a binned column must contain numbers (1.5)",
    ),
    (
        words_of_release("--na", "NA", of=public("r")),
        "column 'r' has missing values in 58 of 400 rows",
    ),
    (
        words_of_audit("--missing", "symbol", of=public("both")),
        "contains the text '(missing)' as well as missing values",
    ),
    (
        words_of_audit("--bin", "zip", of=public("zip")),
        "bins are 'zip': give NAME=EDGE",
    ),
    (words_of_audit("--bin", "zip=", of=public("zip")), "give NAME=EDGE"),
    (words_of_audit("--bin", "zip=2,1", of=public("zip")), "in increasing order"),
    (words_of_audit("--bin", "zip=1,1", of=public("zip")), "in increasing order"),
    (words_of_audit("--bin", "zip=nan", of=public("zip")), "in increasing order"),
    (words_of_audit("--bin", "zip=1,inf", of=public("zip")), "in increasing order"),
    (words_of_audit("--bin", "zip=a,b", of=public("zip")), "give NAME=EDGE"),
    (
        words_of_audit("--bin", "zip=quantiles:4", of=public("zip")),
        "in increasing order",
    ),
    (
        words_of_audit("--bin", "zip=fortnight", of=public("zip")),
        "year|quarter|month|day",
    ),
    (words_of_audit("--bin", "age=1,2"), "must contain numbers"),
    (words_of_audit("--bin", "age=month"), "dates (2020-01-31)"),
    (words_of_audit("--bin", "seen=2020-13-01", of=public("seen")), "give NAME=EDGE"),
    (words_of_audit("--bin", "seen=2020-05-01,7", of=public("seen")), "give NAME=EDGE"),
    (
        words_of_audit("--bin", "zip=10100"),
        "a bin names 'zip', which is neither the secret nor published",
    ),
    (
        words_of_audit("--bin", "zip=10100", "--bin", "zip=10200", of=public("zip")),
        "already has bins, a hierarchy or a list: give only one",
    ),
    (
        words_of_audit("--hierarchy", "age"),
        "the hierarchy is 'age': give NAME=FILE.csv",
    ),
    (
        words_of_audit("--hierarchy", "age=no.csv"),
        "no file no.csv, which a hierarchy names",
    ),
    (
        words_of_audit("--hierarchy", "age=tree.csv"),
        "has 1 value not in its hierarchy, such as 'new'",
    ),
    (words_of_audit("--hierarchy", "age=tree.csv:2"), "has 2 columns, so no level 2"),
    (words_of_audit("--hierarchy", "age=tree.csv:0"), "LEVEL, of 1 or more"),
    (
        words_of_audit("--hierarchy", "age=twin.csv"),
        "twin.csv has the value 'old' twice, in lines 2 and 3: give it one parent",
    ),
    (
        words_of_audit("--hierarchy", "age=apart.csv"),
        (
            "apart.csv gives 'o' two parents, 'all' in line 2 and 'some' in line 4:"
            " give it one"
        ),
    ),
    (
        words_of_audit("--hierarchy", "age=circle.csv"),
        "circle.csv puts 'old' into 'o' in line 4, but 'o' lies within 'old'",
    ),
    (
        words_of_audit("--bin", "born=1,2", table="born.parquet", of=public("born")),
        (
            "column 'born' contains dates, which numbers do not cut: give dates as"
            " edges, such as 1950-01-01,1980-01-01"
        ),
    ),
    (
        words_of_audit("--bin", "born=5,10", table="born.parquet", of=public("born")),
        "give dates as edges",
    ),
    (
        words_of_release(table="signs.csv", of=public("age", "grade")),
        (
            "'?' in 9 rows, 'Unknown' in 9 rows; column 'grade' contains the text '-'"
            " in 9 rows: say which of them mean"
        ),
    ),
    (
        words_of_audit("--hierarchy", "age=hole.csv"),
        "lacks a value or a parent next to 'old'",
    ),
    (words_of_audit("--hierarchy", "age=bare.csv"), "has 1 columns, so no level 1"),
    (
        words_of_audit("--hierarchy", "age=none.csv"),
        "has no values: give a line for each",
    ),
    (
        words_of_audit("--hierarchy", "age=latin.csv"),
        "cannot read the hierarchy latin.csv",
    ),
    (
        words_of_audit("--hierarchy", "zip=tree.csv"),
        "a hierarchy names 'zip', which is neither",
    ),
    # what private means
    (words_of_release("--bin", "age"), "bins are 'age': give NAME=EDGE"),
    (words_of_release(notion=[]), "say what the release promises: --belief 10% 20%"),
    (asked("ten%", "20%"), "--belief has 'ten%': give two shares"),
    (asked("10%", "100%"), "--belief has '100%': give two shares"),
    (asked("nan%", "20%"), "--belief has 'nan%': give two shares"),
    (asked("0%", "20%"), "--belief has '0%': give two shares"),
    (asked("20%", "20%"), "so allow more than 20 %"),
    (asked("20%", "10%"), "at_most is 10 % and belief 20 %"),
    (words_of_release("--noise", "0"), "noise is 0"),
    (words_of_release("--noise", "nan"), "noise is nan"),
    (
        words_of_release(of=[]),
        (
            "name the columns (--secret COLUMN --public COLUMN), or an earlier design"
            " (--design FILE)"
        ),
    ),
    (words_of_release(of=OF[:2]), "name the columns (--secret COLUMN --public COLUMN)"),
    (
        words_of_release(out=[]),
        "name the table to write (-o out.csv), or look first (--dry-run)",
    ),
    (
        words_of_release(table="-"),
        "the standard input has no ledger, so a second release",
    ),
    # where the page goes
    (words_of_audit("-o", "folder.csv"), "is a folder: give a file's name"),
    (
        words_of_audit("-o", "taken.csv"),
        "taken.csv already exists: choose another name or overwrite it (--force)",
    ),
    (words_of_audit("-o", "nowhere/a.html"), "cannot write nowhere/a.html"),
    (words_of_audit("-o", "/dev/null", "--force"), "is not a regular file"),
    # where the page goes
    # what is released, and where to
    (
        words_of_release(of=public("pool")),
        "contains '(rare)', which is reserved for pooled symbols",
    ),
    (
        words_of_release(table="named.csv", of=public("=age")),
        "the column's name '=age' is a formula to a spreadsheet",
    ),
    (words_of_release(out=["-o", "out.xlsx"]), ".csv"),
    (
        words_of_release(out=["-o", "nowhere/out.csv", "--ledger", "l.json"]),
        "cannot write nowhere/",
    ),
    (
        words_of_release(out=["-o", "in.csv", "--ledger", "l.json"]),
        "in.csv is an input, so it cannot be written",
    ),
    (
        words_of_release("--ledger", "in.csv", out=["-o", "out.csv"]),
        "in.csv is an input, so it cannot be written",
    ),
    (words_of_release("--ledger", "out.csv", out=["-o", "out.csv"]), "are one file"),
    (
        words_of_release("--ledger", "brace.json", out=["-o", "out.csv"]),
        "brace.json is no ledger of releases",
    ),
    (
        words_of_release("--ledger", "object.json", out=["-o", "out.csv"]),
        "object.json is no ledger of releases",
    ),
    (
        words_of_release("--ledger", "bytes.json", out=["-o", "out.csv"]),
        "cannot read the ledger bytes.json",
    ),
    (
        words_of_release("--ledger", "old.json", out=["-o", "out.csv"]),
        "old.json has the format 'liftlib channel 1'",
    ),
    (
        words_of_release(out=["-o", "taken.csv", "--ledger", "l.json"]),
        "taken.csv already exists",
    ),
    (
        words_of_release(out=["-o", "folder.csv", "--ledger", "none", "--force"]),
        "folder.csv is a folder",
    ),
    # new rows
    (words_of_new_rows(design="no.json"), "cannot read no.json: No such file"),
    (words_of_new_rows(design="bytes.json"), "is no design"),
    (words_of_new_rows(design="old.json"), "has the format 'liftlib channel 1'"),
    (words_of_new_rows(design="d.card.json"), "has the format 'liftlib card 4'"),
    (
        words_of_new_rows("--secret", "ill"),
        (
            "the design says how new rows are read and what is promised: leave out"
            " --secret"
        ),
    ),
    (
        words_of_new_rows("--bin", "age=1", "--belief", "10%", "20%"),
        "leave out --bin, --belief",
    ),
    (words_of_new_rows("--missing", "symbol"), "give --missing refuse or drop"),
    (words_of_new_rows(table="columns.csv"), "has no column 'age'"),
    (words_of_new_rows(out="in.csv"), "in.csv is an input, so it cannot be written"),
    (words_of_new_rows(out="new.xlsx"), ".csv"),
    (words_of_new_rows(out="taken.csv"), "taken.csv already exists"),
    (
        words_of_new_rows("--ledger", "in.csv"),
        "in.csv is an input, so it cannot be written",
    ),
    (
        words_of_new_rows("--ledger", "brace.json", table="bare.csv"),
        "brace.json is no ledger of releases",
    ),
    # what comes of it
    (estimate(card="no.json"), "cannot read no.json"),
    (estimate(card="d.PRIVATE.design.json"), "has the format 'liftlib design 6'"),
    (
        estimate(table="odd.csv"),
        "the card does not list 1 symbol of the release, such as 'martian'",
        5,
    ),
    (
        estimate(table="in.csv"),
        "in.csv is not the release of this card, so shares estimated from it would be",
        5,
    ),
    (
        estimate(table="-"),
        "the standard input cannot be compared with a card: name the released file",
    ),
    (estimate(), None, 0),
]

USAGE = [
    ([], "the following arguments are required: command"),
    (["nothing"], "invalid choice: 'nothing'"),
    (["audit"], "the following arguments are required"),
    (["audit", "in.csv", "--secret"], "expected at least one argument"),
    (words_of_audit("--missing", "sym"), "invalid choice: 'sym'"),
    (asked("10%"), "expected 2 arguments"),
]


def listing(bad_folder):
    return {
        p.relative_to(bad_folder): p.stat().st_mtime_ns
        for p in bad_folder.rglob("*")
        if p.is_file()
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case[0]))
def test_one_line_and_nothing_written(case, bad_folder, monkeypatch, capsys):
    words, message, code = (*case, 2)[:3]
    monkeypatch.chdir(bad_folder)
    before = listing(bad_folder)
    assert main(words) == code
    out, err = capsys.readouterr()
    if message is not None:
        assert out == ""
        assert err.startswith("lift: ")
        assert err.count("\n") == 1
        assert message in err
    assert listing(bad_folder) == before


@pytest.mark.parametrize(
    ("words", "message"),
    USAGE,
    ids=lambda one: " ".join(one) if isinstance(one, list) else None,
)
def test_usage(words, message, bad_folder, monkeypatch, capsys):
    monkeypatch.chdir(bad_folder)
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    err = capsys.readouterr().err
    assert message in err
    assert "Traceback" not in err


def test_readme_lists_the_exit_codes():
    text = README.read_text()
    for code in (0, 2, 3, 5, 130, 141):
        assert f"| {code} |" in text


def test_a_full_disk_is_one_line(bad_folder, monkeypatch):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    words = [sys.executable, "-m", "lifttables", *words_of_audit()]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            words, stdout=full, stderr=subprocess.PIPE, text=True, cwd=bad_folder
        )
    assert done.returncode == 2
    assert done.stderr.startswith("lift: No space left on device")
    assert done.stderr.count("\n") == 1


def test_closed_streams_and_a_terminal_without_the_characters(
    bad_folder, monkeypatch, capsys
):
    monkeypatch.chdir(bad_folder)
    monkeypatch.setattr(sys, "stdout", None)
    assert main(words_of_audit()) == 0
    monkeypatch.setattr(sys, "stdin", None)
    assert main(words_of_audit(table="-")) == 2
    assert "the standard input is empty" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert main(words_of_audit(table="accents.csv")) == 0
    assert b"t\\xe9" in sys.stdout.buffer.getvalue()


def test_stdin_is_read_and_leaves_nothing(bad_folder):
    before = listing(bad_folder)
    words = [sys.executable, "-m", "lifttables", *words_of_audit(table="-")]
    text = (bad_folder / "in.csv").read_text()
    done = subprocess.run(
        words, input=text, capture_output=True, text=True, cwd=bad_folder
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "age against ill: 400 rows" in done.stdout
    assert listing(bad_folder) == before


STRANGE = {
    "bom": (
        b"\xef\xbb\xbfill,age\n" + b"yes,old\nno,new\n" * 20,
        "ill",
        "age",
        {"old", "new"},
    ),
    "crlf": (
        b"ill,age\r\n" + b"yes,old\r\nno,new\r\n" * 20,
        "ill",
        "age",
        {"old", "new"},
    ),
    "quotes": (
        b"ill,age\n" + b'yes,"o""l,d"\nno,"two\nlines"\n' * 20,
        "ill",
        "age",
        {'o"l,d', "two\nlines"},
    ),
    "nul": (b"ill,age\n" + b"yes,a\0b\nno,c\n" * 20, "ill", "age", {"a\0b", "c"}),
    "huge": (
        b"ill,age\n" + b"yes,18446744073709551616\nno,007\n" * 20,
        "ill",
        "age",
        {"18446744073709551616", "007"},
    ),
    "unicode": (
        "krank\u00e4,\u00e2ge \U0001f474\n".encode()
        + "j\u0301a,\u65e5\u672c\nno,\u05e2\n".encode() * 20,
        "krank\u00e4",
        "\u00e2ge \U0001f474",
        {"\u65e5\u672c", "\u05e2"},
    ),
    "rows": (
        b"rows,code\n" + b"yes,old\nno,new\n" * 20,
        "rows",
        "code",
        {"old", "new"},
    ),
    "no last line feed": (
        b"ill,age" + b"\nyes,old\nno,new" * 20,
        "ill",
        "age",
        {"old", "new"},
    ),
    "wide": (
        b",".join(b"c%d" % i for i in range(300))
        + b"\n"
        + (b",".join([b"a"] * 300) + b"\n" + b",".join([b"b"] * 300) + b"\n") * 20,
        "c0",
        "c299",
        {"a", "b"},
    ),
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_tables_are_released_as_they_are(name, tmp_path, monkeypatch, capsys):
    content, secret, column, labels = STRANGE[name]
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_bytes(content)
    # so many rows that two groups satisfy a large budget
    table = pl.read_csv("in.csv", infer_schema=False)
    assert (
        main(
            words_of_release(
                of=["--secret", secret, "--public", column],
                notion=["--belief", "1%", "90%"],
            )
        )
        == 0
    )
    out = pl.read_csv("out.csv", infer_schema=False)
    assert out.columns == [column]
    assert len(out) == len(table)
    assert all(any(label in text for label in labels) for text in out[column].unique())
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["in.CSV", "in.csv.gz", "in.TSV"])
def test_real_endings(name, bad_folder, tmp_path, monkeypatch, capsys):
    frame = pl.read_csv(bad_folder / "in.csv", infer_schema=False)
    text = frame.write_csv(separator="\t" if "TSV" in name else ",").encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    monkeypatch.chdir(tmp_path)
    assert main(words_of_audit(table=name)) == 0
    assert "400 rows" in capsys.readouterr().out
    assert main(words_of_release(table=name, out=["-o", "out.csv.gz"])) == 0
    assert len(pl.read_csv("out.csv.gz")) == 400
    assert Path("out.card.json").exists()
