"""The scripts of *Use it for your own work*: each runs alone and prints what the page
shows.

``REWRITE_GALLERY=1 pytest tests/liftbook/chapters/test_gallery.py`` writes the outputs
again; read the diff.
"""

import ast
import os
import re
from pathlib import Path

import pytest
from typed import typed

from liftbook.build.book import copy_sources
from liftbook.chapters import chapters_folder

FOLDER = chapters_folder() / "gallery"
SCRIPTS = sorted(FOLDER.glob("*.py"))
PAGE = (chapters_folder() / "your-own-work.md").read_text(encoding="utf-8")
MOST_LINES = 20
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def lines_with_words(path):
    """Return the lines that say something."""
    return [
        line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_it_prints_what_the_page_shows(script, tmp_path):
    ran = typed(f"-W error {script}", tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    stored = script.with_suffix(".txt")
    if os.environ.get("REWRITE_GALLERY"):
        stored.write_text(ran.stdout, encoding="utf-8")
    shown = stored.read_text(encoding="utf-8")
    # words exactly; numbers within one of their last digit, which another BLAS may
    # round otherwise
    assert NUMBER.sub("0", ran.stdout).split() == NUMBER.sub("0", shown).split()
    for one, other in zip(
        NUMBER.findall(ran.stdout), NUMBER.findall(shown), strict=True
    ):
        places = len(other.partition(".")[2])
        assert abs(float(one) - float(other)) < 1.5 * 10**-places * (places > 0) + 1e-9
    assert len(shown.splitlines()) < 25
    assert max(map(len, shown.splitlines())) < 80


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_it_is_short_and_says_what_it_is(script):
    assert len(lines_with_words(script)) <= MOST_LINES
    assert ast.get_docstring(ast.parse(script.read_text(encoding="utf-8")))


def test_the_page_shows_each_script_with_its_output_and_a_link():
    included = re.findall(r"^```\{literalinclude\} gallery/(\S+)$", PAGE, re.MULTILINE)
    linked = re.findall(r"\{download\}`(\w+\.py) <gallery/(\w+\.py)>`", PAGE)
    names = [name for name in included if name.endswith(".py")]
    assert included == [
        name
        for script in names
        for name in (script, Path(script).with_suffix(".txt").name)
    ]
    assert [(name, name) for name in names] == linked
    assert sorted(names) == [script.name for script in SCRIPTS]
    assert sorted(FOLDER.glob("*.txt")) == [
        script.with_suffix(".txt") for script in SCRIPTS
    ]


def test_a_build_of_one_page_has_the_scripts(tmp_path):
    copy_sources(tmp_path)
    assert {path.name for path in (tmp_path / "chapters" / "gallery").iterdir()} >= {
        one.name for one in SCRIPTS
    }
