"""The calls of a page's worker: runs, and a reader's own table.

The worker calls ``start`` first, which installs a stand-in for ``highspy``, SciPy's
copy of HiGHS, and then imports the library.
"""

from __future__ import annotations

import importlib
import json
import math
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from companion.browser import standins
from companion.browser.session import Page


def highs_of_scipy() -> ModuleType:
    """Return a module with those classes of ``highspy`` that SciPy bundles.

    Examples
    --------
    >>> highs_of_scipy().Highs().getNumCol()
    0
    """
    core = importlib.import_module("scipy.optimize._highspy._core")
    module = ModuleType("highspy", core.__doc__)
    for name in ("HighsLp", "HighsModelStatus", "MatrixFormat"):
        setattr(module, name, getattr(core, name))
    module.Highs = core._Highs  # type: ignore[attr-defined]
    return module


def fill_in() -> None:
    """Install the stand-in; call this before importing the library."""
    standins.fill_in({"highspy": highs_of_scipy})


IMPORTED = (
    "liftlib",
    "liftbook.relatives",
    "liftbook.figures",
    "liftbook.plots",
    "companion.outputs.stacking",
)


def start() -> None:
    """Import what chapters use, with stand-ins for what a browser lacks."""
    fill_in()
    for name in IMPORTED:
        import_module(name)


def page() -> Page:
    """Return the names that a page's cells will share."""
    return Page()


def yardstick() -> float:
    """Return the seconds that a fixed small task takes, to compare with the build."""
    figures, best = import_module("liftbook.figures"), math.inf
    for seed in range(3):
        started = time.perf_counter()
        figures.figure_e23_2(10, [1.0, 2.0], [0.5], 5, 17, rng=seed)
        best = min(best, time.perf_counter() - started)
    return best


@cache
def desk() -> Any:
    """Return the object that holds a reader's own table."""
    return import_module("liftbook.alive.table").Desk()


def open_table(asked: str, _tell: object, data: Any) -> str:
    """Read a table from bytes, which do not leave the page."""
    return str(desk().opened(data, json.loads(asked)["name"]))


def _of_desk(name: str) -> Callable[[str, object, object], str]:
    def call(asked: str, _tell: object, _data: object) -> str:
        return str(getattr(desk(), name)(asked))

    call.__doc__ = f"Call ``{name}`` of the table that was opened."
    return call


open_example, look, audit, release = map(
    _of_desk, ("example", "look", "audit", "release")
)
