"""Stand-ins for what the library imports and a browser does not have: HiGHS as SciPy carries it, Polars to name."""

from __future__ import annotations

import importlib
from types import ModuleType

from companion.browser import standins
from liftlib.errors import LiftError

ABSENT = {
    "polars": "Polars",
    "polars.exceptions": "Polars",
    "polars.io": "Polars",
    "polars.io.plugins": "Polars",
    "narwhals": "Narwhals",
}
"""Modules whose import must succeed, because much that does not need them stands below it; and their names."""


class NotHere(standins.NotHere, LiftError):
    """Something was used that a browser does not have."""


def highs_of_scipy() -> ModuleType:
    """Return a module that is to the library what ``highspy`` is: SciPy carries the same classes.

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
    """Put the stand-ins in place; to be called before the library is imported."""
    standins.fill_in(ABSENT, {"highspy": highs_of_scipy}, NotHere)
