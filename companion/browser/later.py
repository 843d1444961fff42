"""Packages that few pages need, and that come when they are first imported."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import invalidate_caches
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder


class Later(MetaPathFinder):
    """Finds packages that have not been unpacked, and unpacks them.

    Parameters
    ----------
    names : iterable of str
        The packages' names.
    bring : callable
        Puts a package of this name into a folder of ``sys.path``.
    """

    def __init__(self, names: Iterable[str], bring: Callable[[str], object]) -> None:
        self._names = set(names)
        self._bring = bring

    def find_spec(self, name: str, *_place: object) -> ModuleSpec | None:
        """Return where a package is, once it has been brought."""
        if name not in self._names:
            return None
        self._bring(name)
        self._names.discard(name)
        invalidate_caches()
        return PathFinder.find_spec(name)


def install(names: Iterable[str], bring: Callable[[str], object]) -> None:
    """Let packages come at their first import."""
    sys.meta_path.insert(0, Later(names, bring))
