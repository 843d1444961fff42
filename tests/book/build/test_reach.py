"""That a change of a line is tried by the tests which reach it, and by no others."""

import subprocess
import sys

import pytest

from liftbook.build.reach import LONGEST, Reach, statements

pytestmark = pytest.mark.slow  # as is what it is for, `make mutants`

MODULE = """import functools

LIMIT = 3

@functools.cache
def twice(x):
    return 2 * x

def least(a, b):
    if (
        a is None
    ):
        return b
    return min(
        a,
        b,
    )

def thrice(x):
    return 3 * x
"""
TESTS = """import pathlib, subprocess, sys, time
import mod
import pytest

@pytest.fixture(scope="module")
def thrice():
    time.sleep(0.2)
    return mod.thrice(1)

def test_less():
    assert mod.least(1, 2) == 1

def test_none():
    assert mod.least(None, 2) == 2

def test_once(thrice):
    assert thrice == 3

def test_once_more(thrice):
    assert thrice == 3

def test_by_a_relative_path():
    assert "LIMIT" in open("mod.py").read()

def test_by_the_shell():
    import os
    assert os.system(sys.executable + " -c 'import mod'") == 0

def test_elsewhere():
    assert subprocess.run([sys.executable, "-c", "import mod; mod.twice(1)"]).returncode == 0

def test_written():
    assert "LIMIT" in pathlib.Path(mod.__file__).read_text()

def test_of_something_else():
    assert True
"""


@pytest.fixture(scope="module")
def reach(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reach")
    (folder / "mod.py").write_text(MODULE, encoding="utf-8")
    (folder / "test_mod.py").write_text(TESTS, encoding="utf-8")
    follow = "import pathlib, pytest, sys; from liftbook.build.reach import Follower;"
    follow += "sys.exit(pytest.main(sys.argv[1:], plugins=[Follower('mod.py', pathlib.Path('notes.json'))]))"
    options = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider", "--rootdir=.", "test_mod.py")
    subprocess.run([sys.executable, "-c", follow, *options], cwd=folder, check=True)
    return Reach.read(folder / "notes.json", MODULE)


def names(reach, word):
    """Which tests reach the line with a word."""
    at = next(at for at, line in enumerate(MODULE.splitlines(), 1) if word in line)
    return {test.partition("::test_")[2] for test in reach.of(at)}


ALWAYS = {"elsewhere", "written", "by_a_relative_path", "by_the_shell"}
"""What starts a process cannot be followed, and what reads the file sees each change."""


def test_by_hand(reach):
    assert names(reach, "min(") == {"less"} | ALWAYS
    assert names(reach, "return b") == {"none"} | ALWAYS
    assert names(reach, "a is None") == {"less", "none"} | ALWAYS
    assert names(reach, "        b,") == {"less"} | ALWAYS  # a line of a statement is the statement
    assert names(reach, "2 * x") == ALWAYS


@pytest.mark.parametrize("word", ["LIMIT", "functools.cache", "def least", "3 * x"])
def test_what_runs_at_the_import_or_is_set_up_once_is_of_all(reach, word):
    assert names(reach, word) == {"less", "none", "of_something_else", "once", "once_more"} | ALWAYS


def test_a_line_between_statements_is_of_the_next(reach):
    lines = MODULE.splitlines()
    assert lines[3] == lines[7] == ""
    assert reach.of(4) == reach.of(5)
    assert reach.of(8) == reach.of(9) == reach.seconds


def test_statements_by_hand():
    found = {(one.start, one.stop) for one in statements(MODULE)}
    assert found == {(1, 2), (3, 4), (5, 7), (7, 8), (9, 10), (10, 13), (13, 14), (14, 18), (19, 20), (20, 21)}


def test_how_long_a_test_may_take(reach):
    assert set(reach.seconds) > reach.of(7).keys()
    one = Reach({"a": 2.0, "b": 0.0}, 0.5, frozenset(), {}, {})
    assert [one.allowed(name) for name in "abc"] == [5 + 5 * (0.5 + took) for took in (2.0, 0.0, LONGEST)]
    assert reach.shared >= 0.2
