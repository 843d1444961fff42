"""The figures run liftlib's merging: a change there changes them."""

import inspect
import types

import numpy as np
import pytest

from liftbook import figures
from liftlib.merging import stack, subset_merging, watchdog

FIGURES = {
    "e23_2": lambda: figures.figure_e23_2(20, (0.5, 2.0), (0.5,)),
    "e23_3": lambda: figures.figure_e23_3((0.5, 2.0), (0.5,)),
    "e23_6": lambda: figures.figure_e23_6(20, (0.5, 2.0), (0.5,)),
    "e23_7": lambda: figures.figure_e23_7((0.5, 2.0), (0.5,)),
    "e23_11": lambda: figures.figure_e23_11(20, (0.5, 2.0), (0.5,)),
    "e23_12": lambda: figures.figure_e23_12((0.5, 2.0), (0.5,)),
    "e23_13": lambda: figures.figure_e23_13(20, (0.5, 2.0), (2,)),
    "c22_1": lambda: figures.figure_c22_1(20, (0.25, 1.0)),
    "c22_2": lambda: figures.figure_c22_2(20, (0.25, 1.0)),
    "c22_3": lambda: figures.figure_c22_3(20, (0.25, 1.0)),
}
OF_MERGING = {"e23_6", "e23_7", "e23_11", "e23_12", "e23_13", "c22_1", "c22_2", "c22_3"}
OF_BOTH = {"c22_1", "c22_2", "c22_3"}  # with the watchdog as complete merging


def replaced(function, line, other):
    """Return the code of a function with a line, or part of it, replaced."""
    module = inspect.getmodule(function)
    source = inspect.getsource(module)
    assert source.count(line) == 1, f"{line!r} stands {source.count(line)} times"
    names = {"__name__": module.__name__}
    code = compile(source.replace(line, other), module.__file__, "exec")
    exec(code, names)  # noqa: S102
    changed = names
    for name in function.__qualname__.split("."):
        changed = changed[name] if isinstance(changed, dict) else getattr(changed, name)
    return inspect.unwrap(changed).__code__


@pytest.fixture(scope="module")
def before():
    return {name: draw() for name, draw in FIGURES.items()}


@pytest.mark.parametrize(
    ("function", "line", "other", "changed"),
    [
        (
            subset_merging._subsets,
            "private[old] = growing.satisfied(old)",
            "private[old] = True",
            OF_MERGING,
        ),
        (
            subset_merging._subsets,
            "last[new] += 1",
            "last[new] += 1 - (last[new] >= 0)",
            OF_MERGING,
        ),
        (
            stack.Growing.add_nearest,
            "best = risk.argmin(axis=1)",
            "best = risk.argmax(axis=1)",
            OF_MERGING,
        ),
        (
            stack.Growing.start,
            "of_column.argmax(axis=1)",
            "self.waiting[at].argmax(axis=1)",
            OF_MERGING,
        ),
        (
            watchdog.watchdog_subsets,
            "return np.where(merged, 0, -1)",
            "return np.where(merged | True, 0, -1)",
            (set(FIGURES) - OF_MERGING) | OF_BOTH,
        ),
    ],
    ids=["line 6", "line 10", "line 7", "line 5", "watchdog"],
)
def test_replacing_a_line_changes_the_figures(
    monkeypatch, before, function, line, other, changed
):
    plain = inspect.unwrap(function)
    assert isinstance(plain, types.FunctionType)
    monkeypatch.setattr(plain, "__code__", replaced(function, line, other))
    for name, draw in FIGURES.items():
        rows, expected = draw()["mean"].to_numpy(), before[name]["mean"].to_numpy()
        same = rows.shape == expected.shape and np.allclose(
            rows, expected, rtol=0, atol=1e-9
        )
        assert same == (name not in changed), name
