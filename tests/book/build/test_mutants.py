"""What counts as a mutant, and that tests/mutants.toml speaks of what there is."""

import subprocess
import sys
import tomllib
from collections import Counter

import pytest
from each import each

from liftbook.build import mutants as command
from liftbook.build.mutants import ROOT, SPEC, drawn, interval, listed_of, modules, mutants_of, unlisted
from liftbook.build.mutations import Mutant, mutants

TOML = tomllib.loads(SPEC.read_text(encoding="utf-8"))
SOURCE = '''"""A module."""
from functools import cache
NEAR = 1e-6
@cache
@staticmethod
def least(a: int | None, *, b: float = 1.5) -> "int | None":
    """Return the least."""
    return a if a < b else b
'''


def test_by_hand():
    found = {mutant.change: mutant.at for mutant in mutants(SOURCE, TOML["operators"])}
    signature = 'def least(a: int | None, *, b: float = {}) -> "int | None":'
    assert found == {
        "NEAR = 1e-6 => NEAR = 0.01": 3,
        "NEAR = 1e-6 => NEAR = 1.000001": 3,
        "NEAR = 1e-6 => NEAR = -0.999999": 3,
        f"{signature.format(1.5)} => {signature.format(2.5)}": 6,
        f"{signature.format(1.5)} => {signature.format(0.5)}": 6,
        "return a if a < b else b => return a if a <= b else b": 8,
        "return a if a < b else b => return a if a > b else b": 8,
        "return a if a < b else b => return a if not a < b else b": 8,
        f"@staticmethod {signature.format(1.5)} => {signature.format(1.5)}": 5,
    }


def test_a_sample_is_of_all_modules_and_the_same_for_a_seed(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "ROOT", tmp_path)
    names, every = ["a.py", "b.py"], {}
    for name, text in zip(names, (SOURCE, "A = 1\nB = 2\n"), strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
        every[name] = [one.change for one in mutants(text, TOML["operators"])]
    assert [len(every[name]) for name in names] == [9, 4]
    samples = [drawn(names, TOML, 6, seed) for seed in (0, 0, 1, 2, 3)]
    for sample in samples:
        changes = {name: [one.change for one in sample[name]] for name in names}
        assert sum(map(len, changes.values())) == 6
        assert all(set(changes[name]) <= set(every[name]) for name in names)
        assert all(len(set(some)) == len(some) for some in changes.values())
    assert samples[0] == samples[1]
    assert not all(sample == samples[0] for sample in samples[2:])
    whole = drawn(names, TOML, 100, 0)
    assert {name: [one.change for one in whole[name]] for name in names} == every


def test_a_function_that_is_passed_over_has_no_mutants(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "b.py").write_text(SOURCE, encoding="utf-8")
    spec = {**TOML, "passed_over": [{"module": "a.py", "function": "least", "why": "of this test"}]}
    assert {one.at for one in mutants_of("a.py", spec)} == {3, 5}
    assert {one.at for one in mutants_of("b.py", spec)} == {3, 5, 6, 8}


@each(TOML["passed_over"], lambda one: one["function"])
def test_what_is_passed_over_is_there(one):
    assert one["why"]
    assert f"def {one['function']}(" in (ROOT / one["module"]).read_text(encoding="utf-8")


def test_the_interval_of_a_sample():
    """All of n noticed: the share whose n-th power is 2.5 %; none of n: that share's complement."""
    low = 0.025 ** (1 / 40)
    assert f"{low:.1%} to 100.0%" in interval(40, 40)
    assert f"0.0% to {1 - low:.1%}" in interval(0, 40)
    assert "0.0% to 100.0%" in interval(0, 0)


def test_each_part_has_modules_and_tests():
    for name, part in TOML["parts"].items():
        for pattern in [*part["modules"], *part["tests"]]:
            assert list(ROOT.glob(pattern)), f"{name}: {pattern} is not there"
    paths = [path for path, _, _ in modules(TOML)]
    assert len(paths) == len(set(paths))


@each(TOML["equivalent"], lambda one: one["mutants"][0])
def test_equivalents_are_of_lines_that_there_are(one):
    assert one["why"]
    text = "".join((ROOT / one["module"]).read_text(encoding="utf-8").split())
    for change in one["mutants"]:
        line, _, becomes = change.partition(" => ")
        assert "".join(line.split()) in text
        assert becomes not in ("", line)


@pytest.mark.slow
@each({one["module"]: one for one in TOML["equivalent"]}, str)
def test_equivalents_are_mutants_that_there_are(module):
    """Each as often as its line stands there, at the most."""
    there = Counter(one.change for one in mutants_of(module, TOML))
    assert sorted((listed_of(module, TOML) - there).elements()) == []


CACHED = """from functools import cache

FIRST = 1

@cache
def first():
    return FIRST + 1

def second():
    return first() + 1
"""
TESTS_OF_CACHED = """import mod
import pytest

def test_first():
    assert mod.first() > 0

@pytest.mark.parametrize("name", [f"of {mod.FIRST}"])
def test_second(name):
    assert mod.second() == 3
"""
TRY = """import json, sys
from pathlib import Path
from liftbook.build.mutants import followed, passes
from liftbook.build.reach import Reach

source = Path("mod.py").read_text()
notes = followed("mod.py", ["test_mod.py"])
reach = Reach.read(notes, source)
changed = [("first() + 1", "first() - 1"), ("FIRST + 1", "FIRST + 2"), ("FIRST = 1", "FIRST = 3"), ("1", "1 ")]
for before, after in changed:
    at = source[: source.index(before)].count(chr(10)) + 1
    print(*(passes("mod.py", source.replace(before, after), at, reach, sure=sure) for sure in (False, True)))
assert Path("mod.py").read_text() == source
"""


@pytest.mark.slow
def test_who_is_to_be_sure_asks_all_tests(tmp_path):
    """What is cached is run by the first test alone, and a test's name may come of what is changed."""
    for name, text in (("mod.py", CACHED), ("test_mod.py", TESTS_OF_CACHED), ("try.py", TRY), ("pytest.ini", "")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    made = subprocess.run([sys.executable, "try.py"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert made.stdout.split("\n")[:4] == ["False False", "True False", "False False", "True True"]


def test_what_is_listed_wherever_it_stands_can_be_left_out():
    """A line that stands twice and is listed once is tried at both places: which is meant is not said."""
    some = [Mutant(at, change, "") for at, change in ((1, "a"), (2, "b"), (3, "b"), (4, "c"), (5, "c"), (6, "d"))]
    listed = Counter({"a": 1, "b": 1, "c": 2})
    assert [one.at for one in unlisted(iter(some), some, listed)] == [2, 3, 6]
    assert [one.at for one in unlisted(some[:3:2], some, listed)] == [3]  # of a sample too


def test_a_change_is_listed_as_often_as_it_lives():
    spec = {"equivalent": [{"module": "a", "mutants": ["b", "c"]}, {"module": "a", "mutants": ["b"]}]}
    assert listed_of("a", spec) == {"b": 2, "c": 1}
    assert listed_of("b", spec) == {}
