"""A stand-in for ``highspy`` in the browser: SciPy's copy of HiGHS."""

from __future__ import annotations

import importlib
from types import ModuleType

from companion.browser import standins


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
    standins.fill_in({}, {"highspy": highs_of_scipy})
