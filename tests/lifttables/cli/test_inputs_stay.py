"""No command overwrites a file that it reads, even with --force."""

import os
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from liftlib import LIP
from liftlib.errors import DataError
from lifttables.bundle import Outputs, sanitise_file
from lifttables.cli import main
from lifttables.encoding.reading import Reading
from lifttables.files import page_file
from lifttables.releases.pipeline import Plan

OF = ["--secret", "ill", "--public", "age", "zip"]
TREES = ["--hierarchy", "age=ages.csv", "--hierarchy", "zip=zips.csv:2"]
LIP_1 = ["--notion", "lip", "--eps", "1"]
FAST = ["--resamples", "0"]
OWN = """
from liftlib import LIP


class Mine(LIP):
    pass
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A table, its hierarchies, a design and a card of it, and a notion of one's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "notion_of_mine", raising=False)
    rng = np.random.default_rng(0)
    table = {"ill": ["yes", "no"], "age": ["21", "34", "39"], "zip": ["100", "107"]}
    pl.DataFrame({name: rng.choice(values, 300) for name, values in table.items()}).write_csv("in.csv")
    Path("ages.csv").write_text("age,tens\n21,20s\n34,30s\n39,30s\n")
    Path("zips.csv").write_text("zip,tens,hundreds\n100,10,1\n107,10,1\n")
    Path("notion_of_mine.py").write_text(OWN)
    words = ["sanitise", "in.csv", *OF, *TREES, *LIP_1, *FAST, "--ledger", "none"]
    words += ["--mechanism", "randomised-response"]
    assert main([*words, "-o", "done.csv"]) == 0
    return tmp_path


SANITISE = ["sanitise", "in.csv", *OF, *TREES, *LIP_1, *FAST, "--force", "--ledger", "none"]
AUDIT = ["audit", "in.csv", *OF, *TREES, *LIP_1, *FAST, "--force"]
CHOOSE = ["choose", "in.csv", *OF, *TREES, "--mechanisms", "watchdog", "--quiet", "--resamples", "0", "--force"]
APPLY = ["apply", "done.PRIVATE.design.json", "in.csv", "--force", "--ledger", "none"]
MINE = ["--notion", "notion_of_mine:Mine", "--eps", "1"]

COMMANDS = {
    "sanitise -o": ([*SANITISE, "-o"], "ages.csv"),
    "sanitise -o, a level": ([*SANITISE, "-o"], "zips.csv"),
    "sanitise -o, the table": ([*SANITISE, "-o"], "in.csv"),
    "sanitise --design": ([*SANITISE, "-o", "out.csv", "--design"], "ages.csv"),
    "sanitise --page": ([*SANITISE, "-o", "out.csv", "--page"], "zips.csv"),
    "sanitise --ledger": ([*SANITISE[:-2], "-o", "out.csv", "--ledger"], "ages.csv"),
    "sanitise --page, the notion": ([*SANITISE, *MINE, "-o", "out.csv", "--page"], "notion_of_mine.py"),
    "audit --page": ([*AUDIT, "--page"], "ages.csv"),
    "audit --page, a level": ([*AUDIT, "--page"], "zips.csv"),
    "audit --page, the table": ([*AUDIT, "--page"], "in.csv"),
    "audit --page, the notion": ([*AUDIT, *MINE, "--page"], "notion_of_mine.py"),
    "choose --page": ([*CHOOSE, "--page"], "ages.csv"),
    "choose --page, the table": ([*CHOOSE, "--page"], "in.csv"),
    "apply -o": ([*APPLY, "-o"], "in.csv"),
    "apply -o, the design": ([*APPLY, "-o"], "done.PRIVATE.design.json"),
}


def spelled(name, how):
    """Another name for a file, with the ending that outputs take."""
    other = f"other{Path(name).suffix}"
    if how == "as it is":
        return name
    if how == "relative":
        Path("below").mkdir()
        return f"below/../{name}"
    if how == "absolute":
        return str(Path(name).absolute())
    (os.symlink if how == "symlink" else os.link)(name, other)
    return other


@pytest.mark.parametrize("how", ["as it is", "relative", "absolute", "symlink", "hardlink"])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_input_is_overwritten(folder, capsys, command, how):
    words, name = COMMANDS[command]
    target = spelled(name, how)
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert main([*words, target]) == 2
    assert f"lift: {target} is an input, so it cannot be written to: choose another name" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_a_card_beside_the_output_is_no_way_round(folder, capsys):
    Path("ages.csv").rename("out.card.md")
    words = ["sanitise", "in.csv", "--secret", "ill", "--public", "age", "--hierarchy", "age=out.card.md", *LIP_1]
    assert main([*words, *FAST, "--force", "--ledger", "none", "-o", "out.csv"]) == 2
    assert "out.card.md is an input, so it cannot be written to" in capsys.readouterr().err
    assert Path("out.card.md").read_text().startswith("age,tens")


def test_estimate_writes_nothing(folder):
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert main(["estimate", "done.csv", "done.card.json"]) == 0
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_from_python(folder):
    reading = Reading(("ill",), ("age",), hierarchies=("age=ages.csv",))
    before = Path("ages.csv").read_bytes()
    with pytest.raises(DataError, match=r"ages\.csv is an input"):
        sanitise_file(
            Path("in.csv"),
            Outputs.next_to(Path("ages.csv")),
            Plan(reading, lambda _: LIP(1.0), resamples=0),
            force=True,
        )
    with pytest.raises(DataError, match=r"ages\.csv is an input"):
        page_file(Path("ages.csv"), "page", [Path("in.csv"), *reading.files], force=True)
    assert Path("ages.csv").read_bytes() == before
