"""Packages that add mechanisms and notions: entry points of the group ``liftlib.plugins``, each naming a module."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

GROUP = "liftlib.plugins"
"""A module of this group registers its mechanisms and notions when it is imported."""


@cache
def load_plugins() -> None:
    """Import the plug-ins of all installed packages, once."""
    for point in entry_points(group=GROUP):
        point.load()
