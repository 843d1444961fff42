"""The book that `make book` built."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from companion.parameters import read_parameters

ROOT = Path(__file__).resolve().parents[1]
HTML = ROOT / "_build" / "html"


def text_of(path):
    return re.sub(r"<[^>]+>", "", path.read_text(encoding="utf-8"))


def test_the_claim_agrees():
    assert "after 20 tosses, agrees" in " ".join(
        text_of(HTML / "chapters" / "coins.html").split()
    )


def test_parameters_have_types_and_ranges():
    tosses, _ = read_parameters(ROOT / "chapters" / "coins.md")
    assert (tosses.annotation, tosses.low, tosses.high) == ("int", 1, 10_000)
    with pytest.raises(ValueError, match="tosses is 0, not in"):
        tosses.check(0)


def test_there_are_slides_and_homework():
    names = {path.name for path in (HTML / "course").iterdir()}
    assert {"1-coins.html", "meeting-1-student.ipynb", "assignments.zip"} <= names


def test_a_rerun_judges_the_claim_again(tmp_path):
    command = [
        sys.executable,
        "-m",
        "companion",
        "rerun",
        "coins",
        "-p",
        "tosses",
        "50",
        "-o",
        str(tmp_path / "run"),
    ]
    process = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    words = " ".join(text_of(tmp_path / "run" / "coins.html").split())
    assert "A rerun with your parameters" in words
    assert "after 50 tosses, differs" in words
    rows = (tmp_path / "run" / "heads.csv").read_text(encoding="utf-8")
    assert len(rows.splitlines()) == 51  # with the names of the columns
