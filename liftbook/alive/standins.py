"""Modules that a browser does not have: those of the notebook in little, HiGHS as SciPy carries it, the rest to name.

A chapter's cells import them as ever. What is not there is missed only where it is used, and says so by name.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from liftlib.errors import LiftError

ABSENT = {
    "polars": "Polars",
    "polars.exceptions": "Polars",
    "polars.io": "Polars",
    "polars.io.plugins": "Polars",
    "narwhals": "Narwhals",
}
"""Modules whose import must succeed, because much that does not need them stands below it; and their names."""

Show = Callable[..., None]


class NotHere(LiftError):
    """Something was used that a browser does not have."""


class Missing(type):
    """The type of names of a module that is not there: they can be named, and be bases, but not be used."""

    def __call__(cls, *_arguments: object, **_named: object) -> Any:
        """Say that it is not there."""
        raise NotHere(f"this needs {cls.__doc__}, which a browser does not have: run the chapter on your own machine")

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(name, (), {"__doc__": cls.__doc__})


def absent(name: str, called: str) -> ModuleType:
    """Return a module whose every name can be imported and none be used."""
    module = ModuleType(name, called)

    def missing(wanted: str) -> Any:
        if wanted.startswith("__"):
            raise AttributeError(wanted)
        bases = (Exception,) if wanted.endswith("Error") else ()
        # an exception must be catchable, so it is a class of its own kind
        return type(wanted, bases, {"__doc__": called}) if bases else Missing(wanted, (), {"__doc__": called})

    module.__getattr__ = missing  # type: ignore[method-assign]
    module.__path__ = []
    module.__spec__ = ModuleSpec(name, None, is_package=True)  # what looks for it finds it
    return module


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


def notebook_modules(show: Show, glue: Callable[..., None]) -> dict[str, ModuleType]:
    """Return in little what cells import of IPython and MyST-NB.

    Parameters
    ----------
    show : callable
        Called as ``display``.
    glue : callable
        Called as ``glue``.
    """

    class Rich:
        """A text of one kind."""

        mime = "text/plain"

        def __init__(self, data: str) -> None:
            self.data = data

        def _repr_mimebundle_(self, **_asked: object) -> dict[str, str]:
            return {self.mime: self.data}

    names: dict[str, Any] = {"display": show}
    for name, mime in (("HTML", "text/html"), ("Markdown", "text/markdown"), ("SVG", "image/svg+xml")):
        names[name] = type(name, (Rich,), {"mime": mime})
    top, display, myst = ModuleType("IPython"), ModuleType("IPython.display"), ModuleType("myst_nb")
    vars(display).update(names)
    top.display, top.get_ipython, top.version_info = display, lambda: None, (9, 0)  # type: ignore[attr-defined]
    myst.glue = glue  # type: ignore[attr-defined]
    return {"IPython": top, "IPython.display": display, "myst_nb": myst}


def fill_in() -> None:
    """Put stand-ins into ``sys.modules`` for what is not there; to be called before the library is imported."""
    if "highspy" not in sys.modules and find_spec("highspy") is None:
        sys.modules["highspy"] = highs_of_scipy()
    for name, called in ABSENT.items():
        top = name.partition(".")[0]
        if name not in sys.modules and (top in sys.modules or find_spec(top) is None):
            sys.modules[name] = absent(name, called)
