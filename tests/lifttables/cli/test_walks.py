"""What a steward does one step beyond the road."""

import errno
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from messages import as_stored, raised
from typed_lift import lift

from lifttables.cli.shared import LINE_WIDTH
from lifttables.files import fresh_files

OF, BELIEF = "--secret ill --public age", "--belief 10% 30%"
ASKED = f"{OF} {BELIEF}"


@pytest.fixture
def odd_folder(tmp_path, monkeypatch):
    """A folder with a table of a secret, a public column with texts that look like
    options, and another.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    rng = np.random.default_rng(0)
    ill = rng.choice(["no", "yes"], 600)
    age = rng.choice(["a", "b", "c"], 600)
    frame = pl.DataFrame(
        {"ill": ill, "age": age, "year": rng.choice(["2019", "2020"], 600)}
    )
    frame.write_csv("in.csv")
    odd = pl.when(pl.int_range(pl.len()) % 9 == 0).then(pl.lit("--")).otherwise("age")
    frame.with_columns(age=odd).write_csv("odd.csv")
    return tmp_path


@pytest.mark.parametrize("texts", ["--", "NA --", "-- NA", "-x --", "-- -9"])
def test_a_text_that_looks_like_an_option_may_mean_missing(odd_folder, capsys, texts):
    assert lift(f"audit odd.csv {OF} --na {texts} --json") == 0
    whole = pl.read_csv("odd.csv").filter(pl.col("age") != "--")
    assert json.loads(capsys.readouterr().out)["rows"] == whole.height
    words = f"--na {texts} --missing drop --dry-run"
    assert lift(f"release odd.csv {ASKED} {words}") == 0
    assert "--" not in capsys.readouterr().out.partition("What is promised")[0]


def test_lines_have_at_most_80_characters_and_files_stay_whole(odd_folder, capsys):
    out = Path("a long folder " * 6) / "out.csv"
    out.parent.mkdir()
    assert lift(f"release in.csv {ASKED} -o '{out}'") == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"  {out}," in lines
    assert all(len(line) <= LINE_WIDTH for line in lines if str(out.parent) not in line)
    assert lift(f"estimate '{out}' '{out.with_suffix('.card.json')}'") == 0
    assert all(len(line) <= LINE_WIDTH for line in capsys.readouterr().out.splitlines())


def test_next_months_rows_name_their_own_ledger(odd_folder, capsys):
    assert lift(f"release in.csv {ASKED} -o out.csv") == 0
    pl.read_csv("in.csv").sample(500, seed=3, with_replacement=True).write_csv(
        "next.csv"
    )
    assert lift("release next.csv --design out.PRIVATE.design.json -o n.csv") == 0
    assert (
        "next.csv.PRIVATE.releases.json"
        in capsys.readouterr().out.rpartition("confidential")[2].split()
    )


@pytest.mark.parametrize("damaged", ["{", '{"format": "liftlib design 0"}', "[]"])
def test_a_damaged_design_names_what_to_do(odd_folder, capsys, damaged):
    Path("design.json").write_text(damaged)
    assert lift("release in.csv --design design.json -o out.csv") == 2
    as_stored(capsys.readouterr().err, damaged)


def test_a_secret_with_a_single_value_is_refused_without_showing_it(odd_folder, capsys):
    pl.DataFrame({"ill": ["hush"] * 60, "age": ["a", "b"] * 30}).write_csv("one.csv")
    assert lift(f"release one.csv {ASKED} -o out.csv") == 2
    message = capsys.readouterr().err
    as_stored(message)
    assert "hush" not in message


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EFBIG])
def test_a_full_disk_is_named(tmp_path, number):
    from liftlib.errors import DataError

    with (
        raised(DataError) as told,
        fresh_files([tmp_path / "a", tmp_path / "b"]),
    ):
        raise OSError(number, "No space left on device")
    assert str(tmp_path) in str(told.value)
    assert list(tmp_path.iterdir()) == []


def test_a_full_output_is_named(odd_folder):
    import subprocess
    import sys

    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    words = [sys.executable, "-m", "lifttables", "audit", "in.csv", *OF.split()]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            words, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    as_stored(done.stderr)


@pytest.mark.parametrize("more", ["", "--counts"])
@pytest.mark.parametrize("column", ["id", "place"])
def test_a_column_that_says_nothing_is_refused(odd_folder, column, more):
    frame = pl.read_csv("in.csv").with_columns(
        id=pl.format("P{}", pl.int_range(pl.len())), place=pl.lit("St. Anna")
    )
    frame.write_csv("in.csv")
    words = f"{OF.replace('age', column)} {BELIEF} {more}"
    assert lift(f"release in.csv {words} -o out.csv") == 2
    assert not list(Path().glob("out*"))


def test_marks_of_unknown_labels_are_not_shown(odd_folder, capsys):
    pl.DataFrame({"age": ["a", "b", "c"], "group": ["u", "v", "v"]}).write_csv("t.csv")
    assert lift(f"release in.csv {ASKED} --hierarchy age=t.csv -o out.csv") == 0
    frame = pl.read_csv("in.csv").head(500)
    pl.concat([frame, frame.head(1).with_columns(age=pl.lit("d"))]).write_csv("n.csv")
    capsys.readouterr()
    assert lift("release n.csv --design out.PRIVATE.design.json -o new.csv") == 2
    message = capsys.readouterr().err
    assert "'d'" in message
    assert "x00" not in message


@pytest.mark.parametrize("more", ["", BELIEF, f"{BELIEF} -o audit.html"])
@pytest.mark.parametrize("column", ["age", "id", "town"])
def test_an_audit_fits_a_terminal(odd_folder, capsys, column, more):
    n = pl.int_range(pl.len())
    said = pl.when(n % 9 == 0).then(pl.lit("refused")).otherwise("ill")
    pl.read_csv("in.csv").with_columns(
        id=pl.format("P{}", n),
        town=pl.format("a town with a long name and the number {}", n % 40),
        ill=pl.when(n % 7 > 0).then(said),
        household=n,
        weight=n,
    ).write_csv("in.csv")
    assert lift(f"audit in.csv {OF.replace('age', column)} {more}") in (0, 3)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= LINE_WIDTH
    # a steward sees the values of the secret, also one that means missing
    assert all(value in lines[1] for value in ("no", "yes", "refused"))
