"""The names of the reference, and those that a claim's function uses."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
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
    addresses, seen = dict[str, None](), set[int]()

    def follow(value: Any) -> None:
        if id(value) in seen:
            return
        seen.add(id(value))
        for cell in getattr(value, "__closure__", None) or ():
            follow(cell.cell_contents)
        if isinstance(value, Figure):
            addresses[f"liftbook.figures.figure_{value.number}"] = None
        elif id(value) in documented():
            addresses[documented()[id(value)]] = None
        elif isinstance(value, CurveClaim):
            follow(value.drawn)
        elif isinstance(value, dict | tuple | list):
            for part in value.values() if isinstance(value, dict) else value:
                follow(part)
        elif inspect.isfunction(
            function := inspect.unwrap(value)
        ) and function.__module__.startswith("liftbook.claims."):
            walk(function.__code__, function.__globals__)

    def walk(code: CodeType, known: dict[str, Any]) -> None:
        for name in code.co_names:
            if name in figures.__all__:
                addresses[f"liftbook.figures.{name}"] = None
            elif name in known:
                follow(known[name])
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                walk(constant, known)
            elif isinstance(constant, str) and f"figure_{constant}" in figures.__all__:
                addresses[f"liftbook.figures.figure_{constant}"] = None

    for name in names:
        follow(FUNCTIONS[name])
    return list(addresses)
