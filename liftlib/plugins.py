"""Packages that add mechanisms and notions, by entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

# the group of entry points; each names a module that registers mechanisms and notions when it is imported
GROUP = "liftlib.plugins"


@cache
def load_plugins() -> None:
    """Import the plug-ins of all installed packages, once."""
    for point in entry_points(group=GROUP):
        point.load()
