"""What counts as a mutant, and that tests/mutants.toml speaks of what there is."""

import tomllib

import pytest
from each import each

from liftbook.build import mutants as command
from liftbook.build.mutants import ROOT, SPEC, drawn, interval, modules, mutants_of
from liftbook.build.mutations import mutants

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
    listed = {change for one in TOML["equivalent"] if one["module"] == module for change in one["mutants"]}
    assert sorted(listed - {one.change for one in mutants_of(module, TOML)}) == []
