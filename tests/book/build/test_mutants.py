"""What counts as a mutant, and that tests/mutants.toml speaks of what there is."""

import tomllib

import pytest

from liftbook.build.mutants import ROOT, SPEC, modules
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


def test_each_part_has_modules_and_tests():
    for name, part in TOML["parts"].items():
        for pattern in [*part["modules"], *part["tests"]]:
            assert list(ROOT.glob(pattern)), f"{name}: {pattern} is not there"
    paths = [path for path, _, _ in modules(TOML)]
    assert len(paths) == len(set(paths))


@pytest.mark.parametrize("one", TOML["equivalent"], ids=lambda one: one["mutants"][0])
def test_equivalents_are_of_lines_that_there_are(one):
    assert one["why"]
    text = "".join((ROOT / one["module"]).read_text(encoding="utf-8").split())
    for change in one["mutants"]:
        line, _, becomes = change.partition(" => ")
        assert "".join(line.split()) in text
        assert becomes not in ("", line)
