"""Plug-ins: packages that register mechanisms and notions by entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

# entry points of modules that register mechanisms and notions when imported
ENTRY_POINT_GROUP = "liftlib.plugins"


@cache
def load_plugins() -> None:
    """Import the plug-ins of all installed packages, once."""
    for point in entry_points(group=ENTRY_POINT_GROUP):
        point.load()
