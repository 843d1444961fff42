"""Stand-ins for modules that are unavailable in a browser; chapters import them as
usual.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from types import ModuleType
from typing import Any

Show = Callable[..., None]


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
    top = ModuleType("IPython")
    display = ModuleType("IPython.display")
    myst = ModuleType("myst_nb")
    vars(display).update(names)
    vars(top).update(display=display, get_ipython=lambda: None, version_info=(9, 0))
    vars(myst).update(glue=glue)
    return {"IPython": top, "IPython.display": display, "myst_nb": myst}


def fill_in(made: Mapping[str, Callable[[], ModuleType]]) -> None:
    """Put stand-ins into ``sys.modules``, before the library is imported.

    ``made`` has functions that return replacements of modules, by module.
    """
    for name, make in made.items():
        if name not in sys.modules and find_spec(name) is None:
            sys.modules[name] = make()
