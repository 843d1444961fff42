"""Bad input gives one line with a remedy, a listed exit code, and no output."""

import datetime as dt
import gzip
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from messages import as_stored

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
    words_of_audit(table="no.csv"),
    words_of_audit(table="in.ods"),
    words_of_audit(table="folder.csv"),
    words_of_release(table=".", out=["-o", "out.csv"]),
    words_of_release(out=["-o", "."]),
    words_of_audit(table="loop.csv"),
    words_of_release(table="loop.csv"),
    words_of_audit("--hierarchy", f"age=tree.csv:{'9' * 5000}"),
    words_of_audit(table="empty.csv"),
    words_of_audit(table="head.csv"),
    words_of_audit(table="long.csv"),
    words_of_audit(table="latin.csv"),
    words_of_audit(table="twice.csv"),
    words_of_audit(table="quote.csv"),
    words_of_audit(table="not.csv.gz"),
    words_of_audit(table="cut.csv.gz"),
    words_of_audit(table="not.parquet"),
    words_of_audit(of=public("agee")),
    words_of_audit(of=public(" AGE")),
    words_of_audit(of=public("colour")),
    words_of_audit(of=["--secret", "sick", "--public", "age"]),
    words_of_audit(of=["--secret", "age", "--public", "age"]),
    words_of_audit(of=public("age", "age")),
    words_of_audit(of=["--secret", "ill", "ill", "--public", "age"]),
    words_of_audit(table="wide.csv"),
    words_of_audit(table="wider.csv"),
    words_of_audit(table=LATIN),
    words_of_release(table=LATIN),
    words_of_release(out=["-o", f"new-{LATIN}"]),
    words_of_release("--ledger", f"new-{LATIN}"),
    estimate(table=LATIN),
    words_of_release(table="in\0.csv"),
    words_of_audit(table="sheet.csv"),
    words_of_audit(table="packed.csv"),
    words_of_audit(table="columns-of.csv"),
    words_of_audit(table="lite.csv"),
    words_of_audit(table="semicolon.csv"),
    words_of_audit(table="tab.csv"),
    words_of_audit(table="comma.tsv"),
    words_of_audit(table="mac.csv"),
    words_of_audit(table="hollow.parquet"),
    words_of_audit(table="odd.parquet", of=public("list")),
    words_of_audit(table="odd.parquet", of=public("span")),
    words_of_audit(table="pattern.csv", of=public("^ill$")),
    words_of_audit(table="pattern.csv", of=public("*")),
    words_of_audit(table="composed.csv", of=public("\u00e1ge")),
    words_of_audit(table="comment.csv"),
    words_of_audit(table="blank.csv", of=public("")),
    words_of_audit(table="gaps.csv"),
    # what its values mean
    words_of_audit(table="rarely.csv"),
    words_of_audit(table="rarely.csv", of=["--secret", "age", "--public", "ill"]),
    words_of_audit(of=public("zip")),
    words_of_audit("--missing", "refuse", of=public("gone")),
    words_of_release(of=public("r")),
    words_of_release(table="nan.csv"),
    words_of_audit("--bin", "age=2", table="comma.csv"),
    words_of_release("--na", "NA", of=public("r")),
    words_of_audit("--missing", "symbol", of=public("both")),
    words_of_audit("--bin", "zip", of=public("zip")),
    words_of_audit("--bin", "zip=", of=public("zip")),
    words_of_audit("--bin", "zip=2,1", of=public("zip")),
    words_of_audit("--bin", "zip=1,1", of=public("zip")),
    words_of_audit("--bin", "zip=nan", of=public("zip")),
    words_of_audit("--bin", "zip=1,inf", of=public("zip")),
    words_of_audit("--bin", "zip=a,b", of=public("zip")),
    words_of_audit("--bin", "zip=quantiles:4", of=public("zip")),
    words_of_audit("--bin", "zip=fortnight", of=public("zip")),
    words_of_audit("--bin", "age=1,2"),
    words_of_audit("--bin", "age=month"),
    words_of_audit("--bin", "seen=2020-13-01", of=public("seen")),
    words_of_audit("--bin", "seen=2020-05-01,7", of=public("seen")),
    words_of_audit("--bin", "zip=10100"),
    words_of_audit("--bin", "zip=10100", "--bin", "zip=10200", of=public("zip")),
    words_of_audit("--hierarchy", "age"),
    words_of_audit("--hierarchy", "age=no.csv"),
    words_of_audit("--hierarchy", "age=tree.csv"),
    words_of_audit("--hierarchy", "age=tree.csv:2"),
    words_of_audit("--hierarchy", "age=tree.csv:0"),
    words_of_audit("--hierarchy", "age=twin.csv"),
    words_of_audit("--hierarchy", "age=apart.csv"),
    words_of_audit("--hierarchy", "age=circle.csv"),
    words_of_audit("--bin", "born=1,2", table="born.parquet", of=public("born")),
    words_of_audit("--bin", "born=5,10", table="born.parquet", of=public("born")),
    words_of_release(table="signs.csv", of=public("age", "grade")),
    words_of_audit("--hierarchy", "age=hole.csv"),
    words_of_audit("--hierarchy", "age=bare.csv"),
    words_of_audit("--hierarchy", "age=none.csv"),
    words_of_audit("--hierarchy", "age=latin.csv"),
    words_of_audit("--hierarchy", "zip=tree.csv"),
    # what private means
    words_of_release("--bin", "age"),
    words_of_release(notion=[]),
    asked("ten%", "20%"),
    asked("10%", "100%"),
    asked("nan%", "20%"),
    asked("0%", "20%"),
    asked("20%", "20%"),
    asked("20%", "10%"),
    words_of_release("--noise", "0"),
    words_of_release("--noise", "nan"),
    words_of_release(of=[]),
    words_of_release(of=OF[:2]),
    words_of_release(out=[]),
    words_of_release(table="-"),
    # where the page goes
    words_of_audit("-o", "folder.csv"),
    words_of_audit("-o", "taken.csv"),
    words_of_audit("-o", "nowhere/a.html"),
    words_of_audit("-o", "/dev/null", "--force"),
    # where the page goes
    # what is released, and where to
    words_of_release(of=public("pool")),
    words_of_release(table="named.csv", of=public("=age")),
    words_of_release(out=["-o", "out.xlsx"]),
    words_of_release(out=["-o", "nowhere/out.csv", "--ledger", "l.json"]),
    words_of_release(out=["-o", "in.csv", "--ledger", "l.json"]),
    words_of_release("--ledger", "in.csv", out=["-o", "out.csv"]),
    words_of_release("--ledger", "out.csv", out=["-o", "out.csv"]),
    words_of_release("--ledger", "brace.json", out=["-o", "out.csv"]),
    words_of_release("--ledger", "object.json", out=["-o", "out.csv"]),
    words_of_release("--ledger", "bytes.json", out=["-o", "out.csv"]),
    words_of_release("--ledger", "old.json", out=["-o", "out.csv"]),
    words_of_release(out=["-o", "taken.csv", "--ledger", "l.json"]),
    words_of_release(out=["-o", "folder.csv", "--ledger", "none", "--force"]),
    # new rows
    words_of_new_rows(design="no.json"),
    words_of_new_rows(design="bytes.json"),
    words_of_new_rows(design="old.json"),
    words_of_new_rows(design="d.card.json"),
    words_of_new_rows("--secret", "ill"),
    words_of_new_rows("--bin", "age=1", "--belief", "10%", "20%"),
    words_of_new_rows("--missing", "symbol"),
    words_of_new_rows(table="columns.csv"),
    words_of_new_rows(out="in.csv"),
    words_of_new_rows(out="new.xlsx"),
    words_of_new_rows(out="taken.csv"),
    words_of_new_rows("--ledger", "in.csv"),
    words_of_new_rows("--ledger", "brace.json", table="bare.csv"),
    # what comes of it
    estimate(card="no.json"),
    estimate(card="d.PRIVATE.design.json"),
    estimate(table="-"),
]
OF_ANOTHER_CARD = [estimate(table="odd.csv"), estimate(table="in.csv")]
OF_OTHERS = {"cut.csv.gz", "hollow.parquet", "not.csv.gz", "not.parquet", "quote.csv"}
"""Tables of which another library says what is wrong."""

USAGE = [
    [],
    ["nothing"],
    ["audit"],
    ["audit", "in.csv", "--secret"],
    words_of_audit("--missing", "sym"),
    asked("10%"),
]


def listing(bad_folder):
    return {
        p.relative_to(bad_folder): p.stat().st_mtime_ns
        for p in bad_folder.rglob("*")
        if p.is_file()
    }


def test_an_estimate_writes_nothing(bad_folder, monkeypatch):
    monkeypatch.chdir(bad_folder)
    before = listing(bad_folder)
    assert main(estimate()) == 0
    assert listing(bad_folder) == before


@pytest.mark.parametrize("words", [*CASES, *OF_ANOTHER_CARD], ids=" ".join)
def test_one_line_and_nothing_written(words, bad_folder, monkeypatch, capsys):
    monkeypatch.chdir(bad_folder)
    before = listing(bad_folder)
    assert main(words) == (5 if words in OF_ANOTHER_CARD else 2)
    assert listing(bad_folder) == before
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("lift: ")
    assert err.count("\n") == 1
    if words[1] in OF_OTHERS:
        assert words[1] in err
    else:  # without what another library says
        as_stored(re.sub("(cannot read [^:]*: ).*; ", r"\1~; ", err), *words)


@pytest.mark.parametrize("words", USAGE, ids=" ".join)
def test_usage(words, bad_folder, monkeypatch, capsys):
    monkeypatch.chdir(bad_folder)
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


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
    assert done.stderr.startswith("lift: ")
    assert done.stderr.count("\n") == 1


def test_closed_streams_and_a_terminal_without_the_characters(
    bad_folder, monkeypatch, capsys
):
    monkeypatch.chdir(bad_folder)
    monkeypatch.setattr(sys, "stdout", None)
    assert main(words_of_audit()) == 0
    monkeypatch.setattr(sys, "stdin", None)
    assert main(words_of_audit(table="-")) == 2
    as_stored(capsys.readouterr().err)
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
    assert "400 rows" in done.stdout
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
