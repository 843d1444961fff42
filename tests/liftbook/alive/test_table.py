"""A table counted without Polars gives what ``lift audit`` gives."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from asked import ROOT
from messages import as_stored, raised

import lifttables as tables
from liftbook.alive.table import Desk, OwnTable, reading_of
from liftlib.datasets import hundred_people
from liftlib.errors import DataError
from lifttables.audits.auditing import as_dict
from lifttables.encoding.reading import Reading


def plain_bytes(text):
    return text.encode()


FILES = {
    "plain": plain_bytes("ill,age\nyes,old\nno,young\nno,old\nno,old\n"),
    "quotes": plain_bytes('ill,age\n"yes","a, b"\nno,"say ""x"""\nno,"a, b"\n'),
    "several lines": plain_bytes('ill,age\nyes,"a\nb"\nno,c\nno,c\n'),
    "no newline at the end": plain_bytes("ill,age\nyes,old\nno,young"),
    "windows": plain_bytes("ill,age\r\nyes,old\r\nno,young\r\n"),
    "mark of UTF-8": b"\xef\xbb\xbf" + plain_bytes("ill,age\nyes,old\nno,young\n"),
    "other letters": plain_bytes("ill,age\nyes,çok yaşlı\nno,若い\n"),
    "leading zeros": plain_bytes("ill,age\nyes,007\nno,7\nno,7\n"),
    "spaces": plain_bytes("ill,age\nyes, old\nno,old\n"),
    "other columns": plain_bytes("name,ill,age\nA,yes,old\nB,no,young\n"),
}


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_audits_as_the_command(tmp_path, data):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    lip = tables.Question(0.1, 0.2).notion
    expected = as_dict(
        tables.audit(path, secret="ill", public="age", notion=lip, resamples=20, rng=3)
    )
    desk = Desk()
    assert json.loads(desk.opened(data, "t.csv"))["columns"][-2:] == ["ill", "age"]
    mine = ask_audit(desk, resamples=20, seed=3)["audit"]
    assert mine == finite(expected)


QUESTION = {"belief": 0.1, "at_most": 0.2}


def ask_audit(desk, **words):
    asked = {
        "secret": [{"name": "ill"}],
        "public": [{"name": "age"}],
        **QUESTION,
        **words,
    }
    return json.loads(desk.audit(json.dumps(asked)))


def finite(value):
    text = (
        json.dumps(value)
        .replace("-Infinity", '"-infinity"')
        .replace("Infinity", '"infinity"')
    )
    return json.loads(text.replace("NaN", '"nan"'))


@pytest.fixture
def example(tmp_path):
    """The book's hundred people."""
    joint = hundred_people()
    rows = [
        f"{ill},{age}\n"
        for s, ill in enumerate(joint.secret)
        for x, age in enumerate(joint.public)
        for _ in range(round(100 * joint.p[s, x]))
    ]
    path = tmp_path / "example.csv"
    path.write_text("ill,age\n" + "".join(rows))
    return path


def test_the_example_by_the_command_itself(example):
    words = f"audit {example} --secret ill --public age --belief 10% 20% --json"
    lift = Path(sys.executable).with_name("lift")
    done = subprocess.run(
        [lift, *words.split()], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 3, done.stderr
    desk = Desk()
    desk.opened(example.read_bytes(), "example.csv")
    mine, expected = (
        ask_audit(desk, seed=7, resamples=200),
        finite(json.loads(done.stdout)),
    )
    drawn = {"intervals"}  # of tables that are drawn anew each time
    assert {
        name: value for name, value in mine["audit"].items() if name not in drawn
    } == {name: expected[name] for name in mine["audit"] if name not in drawn}
    assert "data:image/svg+xml" in mine["page"]


@pytest.mark.parametrize("edges", [(20.0, 40.0), (0.5,)])
def test_bins_as_the_command(tmp_path, edges):
    rng = np.random.default_rng(2)
    lines = [
        f"{'yes' if rng.random() < 0.3 else 'no'},{value}"
        for value in [*rng.integers(0, 80, 300), 20, 40, 0.5]
    ]
    data = ("ill,age\n" + "\n".join(lines) + "\n").encode()
    (tmp_path / "t.csv").write_bytes(data)
    spec = "age=" + ",".join(map(repr, edges))
    expected = tables.audit(
        tmp_path / "t.csv", secret="ill", public="age", bins=[spec], resamples=0
    )
    asked = {"secret": [{"name": "ill"}], "public": [{"name": "age", "edges": edges}]}
    mine = reading_of(asked, rare="keep").counts(OwnTable(data, "t.csv"))
    assert mine.public.texts == tuple(map(str, expected.release.public))
    np.testing.assert_allclose(mine.table / mine.table.sum(), expected.release.p)


def test_gzip_and_tabs():
    data = gzip.compress(b"ill\tage\nyes\told, very\nno\tyoung\n")
    counts = Reading("ill", "age", rare="keep").counts(OwnTable(data, "T.TSV.GZ"))
    assert counts.public.texts == ("old, very", "young")


NUMBERS = "ill,age\n" + "".join(f"{'yes' if i % 3 else 'no'},{i}\n" for i in range(60))
REFUSED = {
    "no bytes": (
        b"",
        "t.csv",
        "t.csv is empty: it needs a line with the columns' names",
    ),
    "no rows": (b"ill,age\n", "t.csv", "t.csv has no rows"),
    "another ending": (b"ill,age\n", "t.xlsx", "t.xlsx is no CSV file by its name"),
    "not UTF-8": (
        "ill,age\nyes,\xe9\n".encode("latin-1"),
        "t.csv",
        "t.csv is not UTF-8 at byte 12: save it as UTF-8",
    ),
    "no gzip": (b"ill,age\n", "t.csv.gz", "t.csv.gz is not a gzip file"),
    "a name twice": (
        b"ill,ill\na,b\n",
        "t.csv",
        "t.csv has more than one column 'ill'",
    ),
    "a long line": (
        b"ill,age\na,b,c\n",
        "t.csv",
        "cannot read t.csv: line 2 has 3 fields, but the header has 2",
    ),
    "no such column": (
        b"ill,years\na,b\n",
        "t.csv",
        "t.csv has no column 'age': there are 'ill', 'years'",
    ),
    "missing": (
        b"ill,age\na,\nb,c\n",
        "t.csv",
        "column 'age' has missing values in 1 of 2 rows",
    ),
    "NA": (
        b"ill,age\na,NA\nb,c\n",
        "t.csv",
        "column 'age' contains the text 'NA' in 1 row",
    ),
    "many numbers": (
        NUMBERS.encode(),
        "t.csv",
        "column 'age' has 60 distinct numbers: bin it",
    ),
}


@pytest.mark.parametrize(("data", "name", "says"), REFUSED.values(), ids=REFUSED)
def test_refused(data, name, says):
    desk = Desk()
    refused = (
        json.loads(desk.opened(data, name)).get("refused") or ask_audit(desk)["refused"]
    )
    assert refused.startswith(says)


def test_what_was_refused_can_be_said():
    desk = Desk()
    desk.opened(NUMBERS.encode(), "t.csv")
    assert (
        len(
            ask_audit(desk, public=[{"name": "age", "categorical": True}], resamples=0)[
                "audit"
            ]["symbols"]
        )
        == 60
    )
    desk.opened(b"ill,age\na,NA\nb,c\nb,c\n", "t.csv")
    as_stored(ask_audit(desk, public=[{"name": "age", "na": ["NA"]}])["refused"])
    found = ask_audit(
        desk, public=[{"name": "age", "na": ["NA"]}], missing="symbol", resamples=0
    )["audit"]
    assert {one["symbol"] for one in found["symbols"]} == {"(missing)", "c"}
    as_stored(
        ask_audit(desk, public=[{"name": "age", "edges": [1]}])["refused"], "edges"
    )
    with raised(DataError):
        Reading("ill", "ill").counts(desk.table)


def test_the_example_is_drawn():
    desk = Desk()
    assert json.loads(desk.example(""))["columns"] == [
        "age_band",
        "sex",
        "region",
        "visits",
        "diagnosis",
    ]
    asked = {
        "secret": [{"name": "diagnosis"}],
        "public": [{"name": "age_band"}],
        **QUESTION,
    }
    found = json.loads(desk.look(json.dumps(asked)))
    counts = Reading("diagnosis", "age_band").counts(desk.table)
    lifts = (
        counts.table
        / counts.table.sum(axis=1, keepdims=True)
        / counts.table.sum(axis=0)
        * counts.table.sum()
    )
    assert (found["rows"], found["high"]) == (1000, pytest.approx(lifts.max()))
    assert "heart" in found["map"]
    assert all(name in found["plane"] for name in ("75+", "10 % to 20 %"))
    refused = json.loads(desk.look(json.dumps({**asked, "belief": 0.3})))
    as_stored(refused["refused"])
