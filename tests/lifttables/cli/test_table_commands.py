"""release and audit as a user calls them."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest
from messages import as_stored, raised
from typed_lift import lift

import liftlib as ll
import lifttables as tables
from lifttables.cli import COMMANDS, main
from lifttables.designs.designing import Design
from lifttables.files import fresh_files

ALIP = "--belief 10% 15%"
COLUMNS = "--secret relationship --public race"


@pytest.fixture(scope="module")
def adult(tmp_path_factory):
    path = tmp_path_factory.mktemp("adult") / "adult.csv"
    ll.datasets.adult_frame().head(5000).to_csv(path, index=False)
    return path


@pytest.fixture
def people_file(tmp_path_factory):
    """A small table in a folder of its own, where its ledger goes."""
    rng, n = np.random.default_rng(0), 900
    husband = rng.random(n) < 0.5
    race = np.where(
        husband,
        rng.choice(list("ABC"), n, p=[0.5, 0.3, 0.2]),
        rng.choice(list("ABC"), n, p=[0.4, 0.3, 0.3]),
    )
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "race": (
                pl.Series(race).replace(["A", "B", "C"], ["White", "Black", "Asian"])
            ),
            "year": rng.choice([2019, 2020], n),
            "relationship": np.where(husband, "Husband", "Wife"),
            "sex": np.where(husband, "Male", "Female"),
        }
    )
    path = tmp_path_factory.mktemp("in") / "people.csv"
    frame.write_csv(path)
    return path


def run_lift(capsys, line):
    """Run a command."""
    code = lift(line)
    out, err = capsys.readouterr()
    return code, out, err


def plan(notion, *, secret="relationship", public="race"):
    reading = tables.Reading(secret, public, rare="keep", na=())
    return tables.Plan(reading, notion)


def test_audit_exit_codes(capsys, tmp_path, adult):
    audit = f"audit {adult} {COLUMNS}"
    assert run_lift(capsys, audit)[0] == 0
    assert run_lift(capsys, f"{audit} {ALIP} -o {tmp_path}/a.html")[0] == 3
    # the symbols that break it have too few rows to say so of all people
    code, out, _ = run_lift(capsys, f"{audit} {ALIP} --json")
    assert code == 3
    found = json.loads(out)
    assert (found["kept"], found["population"]) == (False, "undecided")
    assert any(symbol["broken"] for symbol in found["symbols"])
    code, out, _ = run_lift(capsys, f"{audit} --belief 1% 99% --json")
    assert code == 0
    found = json.loads(out)
    assert found["kept"] is True
    assert set(found["intervals"]) == set(found["overall"])
    assert found["rows"] == 5000


def test_an_audit_of_rows_that_are_no_sample(capsys, people_file):
    for answer, says in (("yes", True), ("no", False)):
        words = f"{COLUMNS} {ALIP} --population {answer} --json"
        found = json.loads(run_lift(capsys, f"audit {people_file} {words}")[1])
        assert bool(found["intervals"]) is says
        assert (found["population"] is not None) is says


def test_a_release_audited_with_its_secret_keeps_about_what_it_promised(
    capsys, tmp_path, in_order
):
    ll.datasets.adult_frame().to_csv(tmp_path / "adult.csv", index=False)
    done = tables.sanitise_file(
        tmp_path / "adult.csv",
        tables.Outputs.next_to(tmp_path / "out.csv"),
        plan(ll.LIP(0.2), secret="sex", public="occupation"),
    )
    assert done.audit.overall["max_lift_leakage"] <= 0.2 + 1e-9
    both = pl.read_csv(tmp_path / "out.csv").with_columns(
        pl.read_csv(tmp_path / "adult.csv")["sex"]
    )
    both.write_csv(tmp_path / "both.csv")
    leakage = {}
    for name in ("adult", "both"):
        words = "--secret sex --public occupation --na --json"
        code, out, _ = run_lift(capsys, f"audit {tmp_path}/{name}.csv {words}")
        assert code == 0
        leakage[name] = json.loads(out)["intervals"]["max_lift_leakage"]
    assert leakage["adult"][0] > 0.5
    assert leakage["both"][0] < 0.25


def test_files_are_not_overwritten_unless_asked(capsys, tmp_path, people_file):
    words = f"release {people_file} {COLUMNS} {ALIP} -o {tmp_path}/out.csv"
    for name in (
        "out.csv",
        "out.card.json",
        "out.card.md",
        "out.PRIVATE.design.json",
        "out.PRIVATE.audit.html",
    ):
        (tmp_path / name).write_text("mine")
        code, _, err = run_lift(capsys, words)
        assert code == 2
        as_stored(err, name)
        assert [p.read_text() for p in tmp_path.iterdir()] == ["mine"]
        (tmp_path / name).unlink()
    assert not list(people_file.parent.glob("*PRIVATE*"))
    (tmp_path / "out.csv").write_text("mine")
    assert run_lift(capsys, f"{words} --force")[0] == 0
    assert (tmp_path / "out.csv").read_text().startswith("race\n")


def test_a_failure_while_writing_leaves_nothing(
    capsys, tmp_path, people_file, monkeypatch
):
    def fail(*_):
        raise ll.errors.DataError("the disk is full: make room")

    monkeypatch.setattr(Design, "draw", fail)
    words = f"release {people_file} {COLUMNS} {ALIP} -o {tmp_path}/out.csv"
    code, _, err = run_lift(capsys, words)
    assert (code, err) == (2, "lift: the disk is full: make room\n")
    assert list(tmp_path.iterdir()) == []
    assert [p.name for p in people_file.parent.iterdir()] == ["people.csv"]


def test_ctrl_c_leaves_nothing(tmp_path):
    rng = np.random.default_rng(0)
    n = 3_000_000
    big = pl.DataFrame({"s": rng.integers(0, 3, n), "x": rng.integers(0, 5, n)})
    big.write_csv(tmp_path / "big.csv")
    folder = tmp_path / "out"
    folder.mkdir()
    asked = "--secret s --public x --belief 10% 40%"
    line = f"-m lifttables release {tmp_path}/big.csv {asked} -o {folder}/out.csv"
    process = subprocess.Popen(
        [sys.executable, *line.split()], stderr=subprocess.PIPE, text=True
    )
    for _ in range(2000):
        if any(
            p.name.startswith(".out.csv") and p.stat().st_size for p in folder.iterdir()
        ):
            break
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    as_stored(err)
    assert list(folder.iterdir()) == []
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["big.csv"]


@pytest.mark.parametrize(
    "label", ["=cmd|'/c calc'!A1", "@SUM(A1)", "+1+cmd", "-2+3", "\tx"]
)
def test_a_label_that_a_spreadsheet_would_run(capsys, tmp_path, label):
    table = pl.DataFrame(
        {"s": [*"aaaabbbb"] * 100, "x": [label, "v", "-5", "+3.5"] * 200}
    )
    table.write_csv(tmp_path / "in.csv", quote_style="always")
    asked = "--secret s --public x --belief 1% 90%"
    words = f"release {tmp_path}/in.csv {asked} -o {tmp_path}/out.csv"
    code, _, err = run_lift(capsys, words)
    assert code == 2
    as_stored(err, label)
    assert [p.name for p in tmp_path.iterdir()] == ["in.csv"]


def test_terminal_codes_in_labels_are_not_printed(capsys, tmp_path):
    pl.DataFrame({"s": ["a", "b"] * 20, "x": ["\x1b[31mred", "v"] * 20}).write_csv(
        tmp_path / "in.csv"
    )
    words = f"audit {tmp_path}/in.csv --secret s --public x"
    _, out, _ = run_lift(capsys, words)
    assert "\x1b" not in out
    assert "red" in out


def test_a_message_about_a_very_long_header_is_readable(capsys, tmp_path):
    (tmp_path / "in.csv").write_text(f"s,{'x' * 100_000}\na,b\n")
    words = f"audit {tmp_path}/in.csv --secret s --public y"
    code, _, err = run_lift(capsys, words)
    assert (code, len(err) < 3000) == (2, True)
    assert err.startswith("lift: ")


def test_every_command_has_examples(capsys):
    for name in COMMANDS:
        with pytest.raises(SystemExit) as stopped:
            main([name, "--help"])
        assert stopped.value.code == 0
        assert f"examples:\n  lift {name}" in capsys.readouterr().out


def test_a_file_is_whole_or_not_there(tmp_path):
    with pytest.raises(TypeError), fresh_files([tmp_path / "a"]) as (aside,):
        aside.write_text(b"half")
    assert list(tmp_path.iterdir()) == []
    with raised(ll.errors.DataError), fresh_files([tmp_path]):
        pass
    # what comes to be there meanwhile is not overwritten either
    with (
        raised(ll.errors.DataError),
        fresh_files([tmp_path / "b"]) as (aside,),
    ):
        (tmp_path / "b").write_text("another's")
    assert (tmp_path / "b").read_text() == "another's"
