"""Bad input gives one line with a remedy, a listed exit code, and no output."""

import datetime as dt
import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from lifttables.cli import main

README = Path(__file__).parents[3] / "README.md"
OF = ["--secret", "ill", "--public", "age"]
LIP = ["--notion", "lip", "--eps", "1"]
OUT = ["--ledger", "none", "--resamples", "0", "--confidence", "none", "-o", "out.csv"]
LOST = "the notion holds for these rows only and is probably violated for the population they come from"
NO_CONFIDENCE = f"lift: no confidence, so {LOST}\n"
NO_LEDGER = "lift: no ledger, so a second release of these rows will not be noticed\n"


def sanitise(*more, table="in.csv", of=OF, notion=LIP, out=OUT):
    return ["sanitise", table, *of, *notion, *out, *more]


def audit(*more, table="in.csv", of=OF):
    return ["audit", table, *of, "--resamples", "0", *more]


def choose(*more, table="in.csv", of=OF):
    return ["choose", table, *of, "--quiet", *more]


def apply(*more, design="d.PRIVATE.design.json", table="in.csv", out="new.csv"):
    return ["apply", design, table, "-o", out, "--ledger", "none", *more]


def estimate(*more, table="d.csv", card="d.card.json"):
    return ["estimate", table, card, *more]


def public(*names):
    return ["--secret", "ill", "--public", *names]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables of all kinds, and a release of one."""
    path = tmp_path_factory.mktemp("bad")
    rng = np.random.default_rng(0)
    n = 400
    frame = pl.DataFrame({"ill": rng.choice(["yes", "no"], n), "age": rng.choice(["old", "mid", "new"], n)})
    frame = frame.with_columns(
        (pl.col("ill") + "!").alias("code"),
        pl.Series("zip", 10000 + np.arange(n)),
        pl.Series("seen", [f"2020-{1 + i % 12:02}-01" for i in range(n)]),
        pl.Series("gone", [None if i % 7 == 0 else "v" for i in range(n)]),
        pl.Series("r", ["NA" if i % 7 == 0 else "v" for i in range(n)]),
        pl.Series("rare", ["one" if i == 0 else "many" for i in range(n)]),
        pl.Series("sum", ["=1+1" if i == 0 else "v" for i in range(n)]),
        pl.Series("both", ["(missing)" if i == 0 else None if i == 1 else "v" for i in range(n)]),
        pl.Series("pool", ["(rare)" if i < 200 else "w" if i < 202 else "v" for i in range(n)]),
    )
    frame.write_csv(path / "in.csv")
    frame.rename({"age": "=age"}).write_csv(path / "named.csv")
    texts = {
        "empty.csv": b"",
        "head.csv": b"ill,age\n",
        "long.csv": b"ill,age\n1,2,3\n",
        "latin.csv": b"ill,age\ncaf\xe9,1\n",
        "twice.csv": b"ill,ill,age\n1,2,3\n",
        "quote.csv": b'ill,age\n"yes,old\n',
        "not.csv.gz": b"ill,age\n",
        "not.parquet": b"text",
        "cut.csv.gz": gzip.compress(b"ill,age\n" + b"yes,old\nno,new\n" * 5000)[:60],
        "tree.csv": b"age,group\nold,o\nmid,o\n",
        "twin.csv": b"age,group\nold,o\nold,p\n",
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
            "ill,"
            + ",".join(f"c{i}" for i in range(300))
            + "\n"
            + ("yes" + ",0" * 300 + "\nno" + ",1" * 300 + "\n") * 2
        ).encode(),
        "comma.csv": b"ill,age\n" + b'yes,"1,5"\nno,"2,5"\n' * 9,
        "apostrophe.csv": b"ill,age\n" + b"yes,=1\nno,'=1\nno,=1\nyes,'=1\n" * 99,
    }
    for name, content in texts.items():
        (path / name).write_bytes(content)
    odd = {"list": [[one] for one in frame["age"]], "span": [dt.timedelta(1)] * n}
    pl.DataFrame({"ill": frame["ill"], **odd}).write_parquet(path / "odd.parquet")
    drifted = pl.DataFrame({"ill": ["yes"] * 300 + ["no"] * 300, "age": ["old"] * 300 + ["new"] * 300})
    drifted.write_csv(path / "drifted.csv")
    drifted.select("age").filter(pl.col("age") == "old").write_csv(path / "public.csv")
    (path / "folder.csv").mkdir()
    (path / "loop.csv").symlink_to("loop.csv")
    (path / "locked").mkdir()
    words = sanitise("--mechanism", "randomised-response", out=OUT[:-4])
    before = Path.cwd()
    os.chdir(path)
    try:
        assert main([*words, "-o", "d.csv"]) == 0
    finally:
        os.chdir(before)
    return path


CASES = [
    # where the table comes from
    (audit(table="no.csv"), "no file no.csv: check the path", 2),
    (audit(table="in.xlsx"), "does not end in .csv, .tsv", 2),
    (audit(table="folder.csv"), "no file folder.csv", 2),
    (sanitise(table=".", out=["-o", "out.csv"]), ". is a folder: give a file's name", 2),
    (sanitise(out=[*OUT[:-1], "."]), ". is a folder: give a file's name", 2),
    (sanitise("--mechanism", "os:system"), "'os:system' cannot be called as (joint, notion), as a mechanism is: ", 2),
    (sanitise("--mechanism", "builtins:dict"), "'builtins:dict' cannot be called as (joint, notion)", 2),
    (audit(table="loop.csv"), "no file loop.csv", 2),
    (sanitise(table="loop.csv"), "no file loop.csv", 2),
    (audit("--hierarchy", f"age=tree.csv:{'9' * 5000}"), "File name too long: tree.csv:999", 2),
    (audit(table="empty.csv"), "is empty: it needs a line with the columns' names", 2),
    (audit(table="head.csv"), "has no rows", 2),
    (audit(table="long.csv"), "cannot read long.csv: line 2 has 3 fields, but the header has 2: put each value", 2),
    (audit(table="latin.csv"), "save it as UTF-8", 2),
    (audit(table="twice.csv"), "has more than one column 'ill'", 2),
    (audit(table="quote.csv"), "cannot read quote.csv", 2),
    (audit(table="not.csv.gz"), "not.csv.gz", 2),
    (audit(table="cut.csv.gz"), "cut.csv.gz", 2),
    (audit(table="not.parquet"), "cannot read not.parquet", 2),
    (audit(of=public("agee")), "has no column 'agee': did you mean 'age'?", 2),
    (audit(of=public("colour")), "has no column 'colour'", 2),
    (audit(of=["--secret", "sick", "--public", "age"]), "has no column 'sick'", 2),
    (audit(of=["--secret", "age", "--public", "age"]), "column 'age' is named twice", 2),
    (audit(of=public("age", "age")), "column 'age' is named twice", 2),
    (audit(of=["--secret", "ill", "ill", "--public", "age"]), "column 'ill' is named twice", 2),
    (audit(table="wide.csv"), "wide.csv is UTF-16: name its encoding (--encoding utf-16)", 2),
    (audit(table="sheet.csv"), "sheet.csv is a spreadsheet or a zip archive: export the table as CSV", 2),
    (audit(table="packed.csv"), "packed.csv is gzipped: let its name end in .gz", 2),
    (audit(table="columns-of.csv"), "columns-of.csv is Parquet: let its name end in .parquet", 2),
    (audit(table="lite.csv"), "lite.csv is a database: export the table as CSV", 2),
    (
        audit(table="semicolon.csv"),
        "has values with ';' between them, not ',': name the separator (--separator ';')",
        2,
    ),
    (audit(table="tab.csv"), "not ',': name the separator (--separator tab)", 2),
    (audit(table="comma.tsv"), "has values with ',' between them, not '\\t'", 2),
    (audit(table="mac.csv"), "ends its lines with carriage returns alone: save it with line feeds", 2),
    (audit(table="hollow.parquet"), "cannot read hollow.parquet", 2),
    (audit(table="odd.parquet", of=public("list")), "has no labels: convert it to text first", 2),
    (audit(table="odd.parquet", of=public("span")), "has no labels: convert it to text first", 2),
    (audit(table="pattern.csv", of=public("^ill$")), "has a column called '^ill$', which is not a valid name", 2),
    (audit(table="pattern.csv", of=public("*")), "has a column called '*', which is not a valid name", 2),
    (
        sanitise("--keep", "^ill$", table="pattern.csv"),
        "has a column called '^ill$', which is not a valid name",
        2,
    ),
    (audit(table="composed.csv", of=public("\u00e1ge")), "no column '\\xe1ge': did you mean 'a\\u0301ge'?", 2),
    (audit(table="comment.csv"), "has no column 'ill': there are '# of 2020'", 2),
    (
        sanitise(table="many.csv", of=public(*(f"c{i}" for i in range(300)))),
        "columns 'c0', 'c1', 'c2', 'c3', 'c4', 'c5' and 294 more has 2 symbols with fewer than 5 rows",
        2,
    ),
    (audit(table="blank.csv", of=public("")), "has a column called '', which is not a valid name", 2),
    (audit(table="gaps.csv"), "every row has a missing value in columns 'ill', 'age'", 2),
    # what its values mean
    (audit(table="rarely.csv"), "column 'age' contains '(rare)', which is reserved for pooled symbols", 2),
    (audit(table="rarely.csv", of=["--secret", "age", "--public", "ill"]), "contains '(rare)'", 2),
    (audit(of=public("zip")), "has 400 distinct numbers: bin it (--bin zip=EDGES", 2),
    (audit(of=public("zip")), "or declare them as codes (--categorical zip)", 2),
    (audit("--missing", "refuse", of=public("gone")), "column 'gone' has missing values in 58 of 400 rows", 2),
    (choose(of=public("r")), "contains the text 'NA' in 58 rows: say whether it means missing (--na NA", 2),
    (choose(table="nan.csv"), "contains the text 'nan' in 9 rows: say whether it means missing (--na nan", 2),
    (audit("--bin", "age=2", table="comma.csv"), "a binned column must contain numbers (1.5)", 2),
    (
        sanitise("--formulas", "quote", "--mechanism", "watchdog", table="apostrophe.csv"),
        "quoting formulas with an apostrophe would make two released values equal: rename those that begin with one",
        2,
    ),
    (choose("--na", "NA", of=public("r")), "column 'r' has missing values in 58 of 400 rows", 2),
    (audit("--missing", "symbol", of=public("both")), "contains the text '(missing)' as well as missing values", 2),
    (audit("--bin", "zip", of=public("zip")), "bins 'zip' (--bin): give NAME=EDGE", 2),
    (audit("--bin", "zip=", of=public("zip")), "give NAME=EDGE", 2),
    (audit("--bin", "zip=2,1", of=public("zip")), "in increasing order", 2),
    (audit("--bin", "zip=1,1", of=public("zip")), "in increasing order", 2),
    (audit("--bin", "zip=nan", of=public("zip")), "in increasing order", 2),
    (audit("--bin", "zip=1,inf", of=public("zip")), "in increasing order", 2),
    (audit("--bin", "zip=a,b", of=public("zip")), "give NAME=EDGE", 2),
    (audit("--bin", "zip=quantiles:1", of=public("zip")), "N of 2 or more", 2),
    (audit("--bin", "zip=quantiles:x", of=public("zip")), "N of 2 or more", 2),
    (audit("--bin", "zip=fortnight", of=public("zip")), "year|quarter|month|day", 2),
    (audit("--bin", "age=1,2"), "must contain numbers", 2),
    (audit("--bin", "age=month"), "dates (2020-01-31)", 2),
    (audit("--bin", "seen=2020-13-01", of=public("seen")), "give NAME=EDGE", 2),
    (audit("--bin", "seen=2020-05-01,7", of=public("seen")), "give NAME=EDGE", 2),
    (audit("--bin", "zip=10100"), "--bin names 'zip', which is neither the secret nor public", 2),
    (
        audit("--bin", "zip=10100", "--bin", "zip=10200", of=public("zip")),
        "already has bins or a hierarchy: give only one",
        2,
    ),
    (audit("--categorical", "zip"), "--categorical names 'zip', which is neither", 2),
    (audit("--hierarchy", "age"), "--hierarchy is 'age': give NAME=FILE.csv", 2),
    (audit("--hierarchy", "age=no.csv"), "no file no.csv, which --hierarchy names", 2),
    (audit("--hierarchy", "age=tree.csv"), "1 values that are not in its hierarchy, such as 'new'", 2),
    (audit("--hierarchy", "age=tree.csv:2"), "has 2 columns, so no level 2", 2),
    (audit("--hierarchy", "age=tree.csv:0"), "LEVEL, of 1 or more", 2),
    (audit("--hierarchy", "age=twin.csv"), "has the value 'old' twice: give it one parent", 2),
    (audit("--hierarchy", "age=hole.csv"), "lacks a value or a parent next to 'old'", 2),
    (audit("--hierarchy", "age=bare.csv"), "has 1 columns, so no level 1", 2),
    (audit("--hierarchy", "age=none.csv"), "has no values: give a line for each", 2),
    (audit("--hierarchy", "age=latin.csv"), "cannot read the hierarchy latin.csv", 2),
    (audit("--hierarchy", "zip=tree.csv"), "--hierarchy names 'zip', which is neither", 2),
    (audit("--min-count", "-1"), "--min-count and --resamples are 0 or more", 2),
    (audit("--max-symbols", "0"), "--max-symbols 1 or more", 2),
    (audit("--max-symbols", "2"), "'age' has 3 symbols, more than 2", 2),
    (audit("--resamples", "-1"), "--min-count and --resamples are 0 or more", 2),
    (audit("--resamples", "2", "--level", "1"), "level is 1, not in (0, 1): give a number in that range", 2),
    (audit("--level", "nan"), "level is nan", 2),
    # what private means
    (audit("--eps", "1"), "--eps needs a --notion", 2),
    (audit("--lam", "1"), "--lam needs a --notion", 2),
    (audit("--budget", "least=1"), "--least needs a --notion", 2),
    (sanitise("--bin", "age"), "bins 'age' (--bin): give NAME=EDGE", 2),
    (audit("--notion", "nothing"), "no notion 'nothing'", 2),
    (sanitise("--mechanism", "magic"), "no mechanism 'magic': there are", 2),
    (audit("--notion", "lip"), "notion lip takes --eps, in nats; given: none", 2),
    (audit("--notion", "lip", "--eps", "-1"), "eps is -1", 2),
    (audit("--notion", "lip", "--eps", "nan"), "eps is nan", 2),
    (audit("--notion", "lip", "--eps-l", "1"), "notion lip takes --eps", 2),
    (audit("--notion", "alip", "--eps", "1"), "notion alip takes --eps-l --eps-u", 2),
    (audit("--notion", "alip", "--eps", "1", "--lam", "2"), "lam is 2", 2),
    (audit("--notion", "alip", "--eps", "1", "--lam", ".5", "--eps-l", "1"), "--lam cannot be combined", 2),
    (audit("--notion", "lip", "--eps", "1", "--lam", "1"), "--lam goes with --notion alip and --eps", 2),
    (audit("--notion", "perfect", "--eps", "1"), "notion perfect takes no budget", 2),
    (audit("--notion", "no_such_module:A"), "is its module on PYTHONPATH?", 2),
    (audit("--notion", "math:pi"), "name a class of notions", 2),
    (audit("--notion", "math:floor"), "notion", 2),
    (audit("--notion", "lip", "--budget", "eps=1"), "eps is given twice, or has an option of its own", 2),
    (audit("--notion", "lip", "--budget", "x"), "give NAME=VALUE with a number", 2),
    (audit("--notion", "lip", "--budget", "x=y"), "give NAME=VALUE with a number", 2),
    (audit("--notion", "alpha", "--eps-l", "1", "--eps-u", "1", "--alpha", "0.5"), "alpha is 0.5", 2),
    (audit("--notion", "lip", "--eps", "0"), None, 3),
    # where the page goes
    (audit("--page", "folder.csv"), "is a folder: give a file's name", 2),
    (audit("--page", "taken.csv"), "taken.csv already exists: choose another name or use --force", 2),
    (audit("--page", "nowhere/a.html"), "cannot write nowhere/a.html", 2),
    (audit("--page", "/dev/null", "--force"), "is not a regular file", 2),
    # what is released, and where to
    (sanitise(notion=["--notion", "srlip", "--eps", "1"]), "give --side-channels as well", 2),
    (sanitise("--side-channels"), "give --notion srlip --eps", 2),
    (sanitise("--side-channels", of=public("age", "rare"), notion=["--notion", "srlip", "--eps", "1"]), "rare", 2),
    (sanitise(of=public("rare")), "has 1 symbol with fewer than 5 rows ('one'): pool them (--rare pool)", 2),
    (sanitise("--rare", "pool", of=public("pool")), "contains '(rare)', which is reserved for pooled symbols", 2),
    (sanitise("--mechanism", "optimal", notion=["--notion", "chi2", "--eps-l", "1", "--eps-u", "1"]), "use", 2),
    (
        sanitise("--categorical", "zip", "--mechanism", "best-partition", "--rare", "keep", of=public("zip")),
        "best-partition is practical for at most 13 public symbols, and there are 400",
        2,
    ),
    (sanitise("--keep", "ill"), "--keep names the secret 'ill'", 2),
    (sanitise("--keep", "age"), "--keep names 'age', which is released through the channel", 2),
    (sanitise("--keep", "agee"), "has no column 'agee'", 2),
    (sanitise("--keep", "rare", "rare"), "column 'rare' is named twice", 2),
    (sanitise("--keep", "code"), "is BROKEN together with the kept columns code", 3),
    (
        sanitise("--keep", "sum", notion=["--notion", "alip", "--eps-l", "inf", "--eps-u", "20"]),
        "kept column 'sum': '=1+1' would be a formula in a spreadsheet",
        2,
    ),
    (sanitise(of=public("sum"), notion=["--notion", "lip", "--eps", "9"]), "1 symbol with fewer than 5", 2),
    (
        sanitise("--min-count", "0", "--mechanism", "randomised-response", of=public("sum")),
        "'=1+1' would be a formula in a spreadsheet",
        2,
    ),
    (sanitise(table="named.csv", of=public("=age")), "the column's name '=age' is a formula to a spreadsheet", 2),
    (sanitise(out=["-o", "out.xlsx", "--ledger", "none"]), "does not end in .csv", 2),
    (sanitise(out=["-o", "nowhere/out.csv", "--ledger", "none"]), "cannot write nowhere/", 2),
    (sanitise(out=["-o", "in.csv", "--ledger", "none"]), "in.csv is an input, so it cannot be written", 2),
    (sanitise("--design", "out.csv"), "are one file: give each output its own name", 2),
    (sanitise("--page", "a", "--design", "a"), "are one file", 2),
    (sanitise("--page", "out.card.md"), "are one file", 2),
    (sanitise("--ledger", "in.csv", out=["-o", "out.csv"]), "in.csv is an input, so it cannot be written", 2),
    (sanitise("--ledger", "out.csv", out=["-o", "out.csv"]), "are one file", 2),
    (sanitise("--ledger", "brace.json", out=["-o", "out.csv"]), "brace.json is no ledger of releases", 2),
    (sanitise("--ledger", "object.json", out=["-o", "out.csv"]), "object.json is no ledger of releases", 2),
    (sanitise("--ledger", "bytes.json", out=["-o", "out.csv"]), "cannot read the ledger bytes.json", 2),
    (sanitise("--ledger", "old.json", out=["-o", "out.csv"]), "old.json has the format 'liftlib channel 1'", 2),
    (sanitise(out=["-o", "taken.csv", "--ledger", "none"]), "taken.csv already exists", 2),
    (sanitise(out=["-o", "folder.csv", "--ledger", "none", "--force"]), "folder.csv is a folder", 2),
    # new rows
    (apply(design="no.json"), "cannot read no.json: No such file", 2),
    (apply(design="bytes.json"), "is no design", 2),
    (apply(design="old.json"), "has the format 'liftlib channel 1'", 2),
    (apply(design="d.card.json"), "has the format 'liftlib card 2'", 2),
    (apply(table="columns.csv"), "has no column 'age'", 2),
    (apply(table="unseen.csv"), "the design has not seen the public symbol of 1 row, such as 'martian'", 2),
    (apply(table="drifted.csv"), "drift: the joint distribution of 600 new rows differs from the design's", 4),
    (apply(table="public.csv"), "whether the notion holds cannot be decided without the secret", 4),
    (apply(out="in.csv"), "in.csv is an input, so it cannot be written", 2),
    (apply(out="new.xlsx"), "does not end in .csv", 2),
    (apply(out="taken.csv"), "taken.csv already exists", 2),
    (apply("--keep", "code"), "is BROKEN together with the kept columns code", 3),
    (apply("--ledger", "in.csv"), "in.csv is an input, so it cannot be written", 2),
    (apply("--ledger", "brace.json"), "brace.json is no ledger of releases", 2),
    (apply("--keep", "ill"), "--keep names the secret 'ill'", 2),
    (
        sanitise(notion=["--notion", "lip", "--eps", "inf"]),
        "LIP(eps=inf) limits nothing in practice, so its release",
        2,
    ),
    (sanitise(notion=["--notion", "lip", "--eps", "1e9"]), "at most 50 nats", 2),
    (
        sanitise(notion=["--notion", "alip", "--eps-l", "inf", "--eps-u", "inf"]),
        "give eps_l or eps_u a value of at most 50 nats",
        2,
    ),
    (
        sanitise(notion=["--notion", "ldp", "--eps", "inf"], out=["--keep", "rare", "--coarsen", *OUT]),
        "LDP(eps=inf) limits nothing",
        2,
    ),
    # what comes of it
    (estimate(card="no.json"), "cannot read no.json", 2),
    (estimate(card="d.PRIVATE.design.json"), "has the format 'liftlib design 2'", 2),
    (estimate(table="odd.csv"), "the release has 1 row, and the card says 400; the card does not list 1 symbol", 5),
    (estimate(table="in.csv"), "in.csv is not the release of this card, so shares estimated from it would be", 5),
    (estimate(table="-"), "the standard input cannot be compared with a card: name the released file", 2),
    (estimate(), None, 0),
    (estimate("--by", "age"), "column 'age' is named twice", 2),
    (estimate("--by", "colour"), "has no column 'colour'", 2),
    (estimate("--level", "0"), "level is 0, not in (0, 1): give a number in that range", 2),
    (choose("--eps", "-1"), "eps is -1", 2),
    (choose("--belief", "0.1", "--at-most", "20%"), "--belief is '0.1': give a percentage between 0% and 100%", 2),
    (choose("--belief", "ten%", "--at-most", "20%"), "--belief is 'ten%': give a percentage", 2),
    (choose("--belief", "10%", "--at-most", "100%"), "--at-most is '100%': give a percentage", 2),
    (choose("--belief", "nan%", "--at-most", "20%"), "--belief is 'nan%': give a percentage", 2),
    (choose("--belief", "0%", "--at-most", "20%"), "--belief is '0%': give a percentage", 2),
    (choose("--belief", "20%", "--at-most", "20%"), "so allow more than 20 %", 2),
    (choose("--belief", "20%", "--at-most", "10%"), "at_most is 10 % and belief 20 %", 2),
    (choose("--belief", "10%"), "belief and at_most belong together", 2),
    (choose("--at-most", "10%"), "belief and at_most belong together", 2),
    (choose("--belief", "10%", "--at-most", "20%", "--eps", "1"), "exclude each other: ask for one", 2),
    (choose("--accuracy", "2", "--eps", "1"), "exclude each other: ask for one", 2),
    (choose("--accuracy", "2%"), "--accuracy is '2%': give percentage points, such as 2", 2),
    (choose("--accuracy", "0"), "--accuracy is '0': give percentage points", 2),
    (choose("--accuracy", "100"), "--accuracy is '100': give percentage points", 2),
    (choose("--budgets", "inf"), "epsilons[0] is inf", 2),
    (choose("--seconds", "0"), "seconds is 0", 2),
]

USAGE = [
    ([], "the following arguments are required: command"),
    (["nothing"], "invalid choice: 'nothing'"),
    (["audit"], "the following arguments are required"),
    (["audit", "in.csv", "--secret"], "expected at least one argument"),
    (audit("--missing", "sym"), "invalid choice: 'sym'"),
    (audit("--rare", "drop"), "invalid choice: 'drop'"),
    (audit("--seed", "-1"), "'-1' is not a seed: give a whole number of at least 0"),
    (audit("--seed=-1"), "'-1' is not a seed: give a whole number of at least 0"),
    (audit("--seed", "1.5"), "'1.5' is not a seed"),
    (audit("--min-count", "x"), "invalid int value: 'x'"),
    (sanitise("--formulas", "run"), "invalid choice: 'run'"),
    (apply("--unseen", "guess"), "invalid choice: 'guess'"),
    (choose("--adversary", "none"), "invalid choice: 'none'"),
    (choose("--notions", "chi2"), "invalid choice: 'chi2'"),
]


def listing(folder):
    return {p.relative_to(folder): p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    ("words", "message", "code"), CASES, ids=lambda one: " ".join(one) if isinstance(one, list) else None
)
def test_one_line_and_nothing_written(words, message, code, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    before = listing(folder)
    assert main(words) == code
    out, err = capsys.readouterr()
    err = err.replace(NO_LEDGER, "").replace(NO_CONFIDENCE, "")
    if message is not None:
        assert out == ""
        assert err.startswith("lift: ")
        assert err.count("\n") == 1
        assert message in err
    assert listing(folder) == before


@pytest.mark.parametrize(("words", "message"), USAGE, ids=lambda one: " ".join(one) if isinstance(one, list) else None)
def test_usage(words, message, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    err = capsys.readouterr().err
    assert message in err
    assert "Traceback" not in err


def test_readme_lists_the_exit_codes():
    text = README.read_text()
    for code in (0, 2, 3, 4, 5, 6, 130, 141):
        assert f"| {code} |" in text


def test_a_full_disk_is_one_line(folder, monkeypatch):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    words = [sys.executable, "-m", "lifttables", *audit()]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("lift: No space left on device")
    assert done.stderr.count("\n") == 1


def test_stdin_is_read_and_leaves_nothing(folder):
    before = listing(folder)
    words = [sys.executable, "-m", "lifttables", *audit(table="-")]
    text = (folder / "in.csv").read_text()
    done = subprocess.run(words, input=text, capture_output=True, text=True, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "age against ill: 400 rows" in done.stdout
    assert listing(folder) == before


STRANGE = {
    "bom": (b"\xef\xbb\xbfill,age\n" + b"yes,old\nno,new\n" * 20, "ill", "age", {"old", "new"}),
    "crlf": (b"ill,age\r\n" + b"yes,old\r\nno,new\r\n" * 20, "ill", "age", {"old", "new"}),
    "quotes": (b"ill,age\n" + b'yes,"o""l,d"\nno,"two\nlines"\n' * 20, "ill", "age", {'o"l,d', "two\nlines"}),
    "nul": (b"ill,age\n" + b"yes,a\0b\nno,c\n" * 20, "ill", "age", {"a\0b", "c"}),
    "huge": (b"ill,age\n" + b"yes,18446744073709551616\nno,007\n" * 20, "ill", "age", {"18446744073709551616", "007"}),
    "unicode": (
        "krank\u00e4,\u00e2ge \U0001f474\n".encode() + "j\u0301a,\u65e5\u672c\nno,\u05e2\n".encode() * 20,
        "krank\u00e4",
        "\u00e2ge \U0001f474",
        {"\u65e5\u672c", "\u05e2"},
    ),
    "rows": (b"rows,code\n" + b"yes,old\nno,new\n" * 20, "rows", "code", {"old", "new"}),
    "no last line feed": (b"ill,age" + b"\nyes,old\nno,new" * 20, "ill", "age", {"old", "new"}),
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
    words = ["--mechanism", "randomised-response", "--seed", "1"]
    assert main(sanitise(*words, of=["--secret", secret, "--public", column], notion=[*LIP[:3], "9"])) == 0
    out = pl.read_csv("out.csv", infer_schema=False)
    assert out.columns == [column]
    assert len(out) == 40
    assert set(out[column]) == labels
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["in.CSV", "in.csv.gz", "in.TSV"])
def test_real_endings(name, folder, tmp_path, monkeypatch, capsys):
    frame = pl.read_csv(folder / "in.csv", infer_schema=False)
    text = frame.write_csv(separator="\t" if "TSV" in name else ",").encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    monkeypatch.chdir(tmp_path)
    assert main(audit(table=name)) == 0
    assert "400 rows" in capsys.readouterr().out
    assert main(sanitise(table=name, out=[*OUT[:-1], "out.csv.gz"])) == 0
    assert len(pl.read_csv("out.csv.gz")) == 400
    assert Path("out.card.json").exists()
