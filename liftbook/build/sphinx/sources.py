"""The names of the reference, and those that a claim's function uses."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from types import CodeType
from typing import Any

from liftbook import figures
from liftbook.chapters import chapters_folder
from liftbook.claims import FUNCTIONS
from liftbook.claims.curves import CurveClaim, Figure

DIRECTIVE = re.compile(
    r"^\.\. auto(?:class|function|data|exception):: (\S+)$", re.MULTILINE
)
"""A line that documents a name."""


def documented_names() -> list[str]:
    """Return the qualified names that the reference documents.

    >>> "liftlib.Joint" in documented_names()
    True
    """
    pages = sorted(chapters_folder().glob("api-*.md"))
    return [
        name
        for page in pages
        for name in DIRECTIVE.findall(page.read_text(encoding="utf-8"))
    ]


def found_at(address: str) -> Any:
    """Return the object with a qualified name."""
    home, _, name = address.rpartition(".")
    return getattr(import_module(home), name)


@cache
def documented() -> dict[int, str]:
    """Return the qualified name of each object in the reference, by ``id()``."""
    return {id(found_at(address)): address for address in documented_names()}


def stands_on(names: Iterable[str]) -> list[str]:
    """Return the qualified names that claims' functions use, even through helpers.

    Examples
    --------
    >>> sorted(
    ...     address.rpartition(".")[2] for address in stands_on(["adult_relationships"])
    ... )
    ['Joint', 'adult']
    >>> stands_on(["watchdog_synthetic"])
    ['liftbook.figures.figure_e23_2']
    """
    uses = _Uses()
    for name in names:
        uses.follow(FUNCTIONS[name])
    return list(uses.addresses)


class _Uses:
    """The names of the reference that values lead to, in the order in which they are
    found.

    ``follow`` asks what a value is; a method each says where such a value leads.
    """

    def __init__(self) -> None:
        self.addresses: dict[str, None] = {}
        self._seen: set[int] = set()

    def follow(self, value: Any) -> None:
        """Add what a value stands on; a value that was followed before adds nothing."""
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        self._enclosed(value)
        if isinstance(value, Figure):
            self._figure(f"figure_{value.number}")
        elif id(value) in documented():
            self.addresses[documented()[id(value)]] = None
        elif isinstance(value, CurveClaim):
            self.follow(value.drawn)
        elif isinstance(value, dict):
            self._each(value.values())
        elif isinstance(value, tuple | list):
            self._each(value)
        else:
            self._helper(value)

    def _each(self, values: Iterable[Any]) -> None:
        for value in values:
            self.follow(value)

    def _enclosed(self, value: Any) -> None:
        """Follow what a function has from the function that made it."""
        for cell in getattr(value, "__closure__", None) or ():
            self.follow(cell.cell_contents)

    def _helper(self, value: Any) -> None:
        """Follow the names in the code of a function of the claims' modules."""
        function = inspect.unwrap(value)
        if not inspect.isfunction(function):
            return
        if function.__module__.startswith("liftbook.claims."):
            self._code(function.__code__, function.__globals__)

    def _code(self, code: CodeType, known: Mapping[str, Any]) -> None:
        """Follow the names that code uses, and the figures that it names as texts."""
        for name in code.co_names:
            if name in figures.__all__:
                self._figure(name)
            elif name in known:
                self.follow(known[name])
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._code(constant, known)
            elif f"figure_{constant}" in figures.__all__:
                self._figure(f"figure_{constant}")

    def _figure(self, name: str) -> None:
        self.addresses[f"liftbook.figures.{name}"] = None
