"""A cell that asserts a statement fails when the statement is changed."""

import tomllib
import warnings
from pathlib import Path

import pytest
from passing import of_chapter, passed

from liftlib.errors import LiftWarning

DEAR = {"population", "record-e23"}  # a change costs twenty seconds, and three

with Path(__file__).with_name("evidence.toml").open("rb") as file:
    CHANGES = [
        of_chapter(
            chapter,
            chapter,
            change["old"],
            change["new"],
            marks=[pytest.mark.slow] if chapter in DEAR else [],
        )
        for chapter, found in tomllib.load(file).items()
        for change in found.get("changes", [])
    ]


@pytest.mark.timeout(400)  # the first of a chapter runs it
@pytest.mark.parametrize(("chapter", "old", "new"), CHANGES)
def test_a_changed_statement_fails(chapter, old, new):
    ((source, names),) = [
        (source, before) for source, _, before, _ in passed(chapter) if old in source
    ]
    assert source.count(old) == 1
    exec(source, dict(names))  # noqa: S102
    warnings.simplefilter("error", LiftWarning)  # pytest restores the filters
    with pytest.raises((AssertionError, LiftWarning)):
        exec(source.replace(old, new), dict(names))  # noqa: S102
