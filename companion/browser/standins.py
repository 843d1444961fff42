"""Stand-ins for modules that are unavailable in a browser.

Chapters import them as usual. Only the use of a missing module raises an error, which
names the module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from companion.errors import CompanionError

Show = Callable[..., None]


class NotHere(CompanionError):
    """Raised when a page uses something that a browser does not have."""


class Missing(type):
    """The metaclass of a missing module's names, which can be imported but not used."""

    _error: type[NotHere]

    def __call__(cls, *_arguments: object, **_named: object) -> Any:
        """Raise the error that names the missing module."""
        raise cls._error(
            f"this needs {cls.__doc__}, which a browser does not have: run the chapter"
            " on your own machine"
        )

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(name, (), {"__doc__": cls.__doc__, "_error": cls._error})


def absent(name: str, called: str, error: type[NotHere] = NotHere) -> ModuleType:
    """Return a module whose names can be imported but not used."""
    module = ModuleType(name, called)

    def missing(wanted: str) -> Any:
        if wanted.startswith("__"):
            raise AttributeError(wanted)
        if wanted.endswith("Error"):  # a cell may catch it
            return type(wanted, (Exception,), {"__doc__": called})
        return Missing(wanted, (), {"__doc__": called, "_error": error})

    module.__getattr__ = missing  # type: ignore[method-assign]
    module.__path__ = []
    # what looks for it finds it
    module.__spec__ = ModuleSpec(name, None, is_package=True)
    return module


def notebook_modules(show: Show, glue: Callable[..., None]) -> dict[str, ModuleType]:
    """Return minimal versions of IPython and MyST-NB, by module name.

    ``show`` becomes ``IPython.display.display``, and ``glue`` becomes ``myst_nb.glue``.
    """

    class Rich:
        """Text of a single MIME type, displayed as rich output."""

        mime = "text/plain"

        def __init__(self, data: str) -> None:
            self.data = data

        def _repr_mimebundle_(self, **_asked: object) -> dict[str, str]:
            return {self.mime: self.data}

    names: dict[str, Any] = {"display": show}
    for name, mime in (
        ("HTML", "text/html"),
        ("Markdown", "text/markdown"),
        ("SVG", "image/svg+xml"),
    ):
        names[name] = type(name, (Rich,), {"mime": mime})
    top, display, myst = (
        ModuleType("IPython"),
        ModuleType("IPython.display"),
        ModuleType("myst_nb"),
    )
    vars(display).update(names)
    top.display, top.get_ipython, top.version_info = display, lambda: None, (9, 0)  # type: ignore[attr-defined]
    myst.glue = glue  # type: ignore[attr-defined]
    return {"IPython": top, "IPython.display": display, "myst_nb": myst}


def fill_in(
    missing: Mapping[str, str],
    made: Mapping[str, Callable[[], ModuleType]],
    error: type[NotHere] = NotHere,
) -> None:
    """Put stand-ins into ``sys.modules``, before the library is imported.

    Parameters
    ----------
    missing : mapping of str to str
        Display names of modules whose import must succeed although they are rarely
        used, by module.
    made : mapping of str to callable
        Functions that return replacements of modules, by module.
    error : type
        The exception raised when a name of a missing module is used.
    """
    for name, make in made.items():
        if name not in sys.modules and find_spec(name) is None:
            sys.modules[name] = make()
    for name, called in missing.items():
        top = name.partition(".")[0]
        if name not in sys.modules and (top in sys.modules or find_spec(top) is None):
            sys.modules[name] = absent(name, called, error)
