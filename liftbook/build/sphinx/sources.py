"""The objects of the reference page that a claim's function uses."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import cache
from types import CodeType
from typing import Any

from liftbook.build.sphinx.reference import addresses, exported, found_at
from liftbook.claims import FUNCTIONS
from liftbook.claims.curves import CurveClaim, Figure
from liftlib.registry import mechanisms

DOCUMENTED_PACKAGES = (
    "liftlib",
    "liftbook.figures",
    "liftlib.response.aorr",
    "liftlib.response.posteriors",
    "liftbook.relatives.product_polytope",
    "liftbook.relatives.srlip_bounds",
    "mixproof.polytope",
    *sorted({mechanism.where.partition(":")[0] for mechanism in mechanisms.values()}),
)
"""Packages and modules of the reference page that claims use."""


@cache
def documented() -> dict[int, str]:
    """Return the qualified name of each object on the reference page, by ``id()``."""
    return {id(found_at(address)): address for package in DOCUMENTED_PACKAGES for address in addresses(package)}


def stands_on(names: Iterable[str]) -> list[str]:
    """Return the qualified names that claims' functions use, even through helpers.

    Examples
    --------
    >>> sorted(address.rpartition(".")[2] for address in stands_on(["adult_relationships"]))
    ['Joint', 'adult']
    >>> stands_on(["watchdog_synthetic"])
    ['liftbook.figures.tradeoffs.figure_e23_2']
    """
    figures, addresses, seen = exported("liftbook.figures"), dict[str, None](), set[int]()

    def follow(value: Any) -> None:
        if id(value) in seen:
            return
        seen.add(id(value))
        for cell in getattr(value, "__closure__", None) or ():
            follow(cell.cell_contents)
        if isinstance(value, Figure):
            addresses[figures[f"figure_{value.number}"]] = None
        elif id(value) in documented():
            addresses[documented()[id(value)]] = None
        elif isinstance(value, CurveClaim):
            follow(value.drawn)
        elif isinstance(value, dict | tuple | list):
            for part in value.values() if isinstance(value, dict) else value:
                follow(part)
        elif inspect.isfunction(function := inspect.unwrap(value)) and function.__module__.startswith(
            "liftbook.claims."
        ):
            walk(function.__code__, function.__globals__)

    def walk(code: CodeType, known: dict[str, Any]) -> None:
        for name in code.co_names:
            if name in figures:
                addresses[figures[name]] = None
            elif name in known:
                follow(known[name])
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                walk(constant, known)
            elif isinstance(constant, str) and f"figure_{constant}" in figures:
                addresses[figures[f"figure_{constant}"]] = None

    for name in names:
        follow(FUNCTIONS[name])
    return list(addresses)
