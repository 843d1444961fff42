"""Which functions of the reference page a claim's function stands on."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType

from liftbook.build.sphinx.reference import addresses, exported, found_at
from liftbook.claims import FUNCTIONS
from liftbook.claims.figures import Figure
from liftlib.registry import mechanisms

DOCUMENTED = (
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
    """Return the address that the reference page has for each object, by its identity."""
    return {id(found_at(address)): address for package in DOCUMENTED for address in addresses(package)}


@cache
def _tree(module: ModuleType) -> dict[str, ast.AST]:
    """Return what a module defines at its top, by name."""
    found: dict[str, ast.AST] = {}
    for node in ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
            found |= dict.fromkeys(names, node.value)
    return found


def stands_on(names: Iterable[str]) -> list[str]:
    """Return the addresses that functions of claims use, their modules' own helpers followed, in order of use.

    Examples
    --------
    >>> [address.rpartition(".")[2] for address in stands_on(["aorr_adult_eps_2"])]
    ['Joint', 'adult', 'evaluate', 'optimal_response', 'ALIP']
    >>> "liftbook.figures.e23.merging.figure_e23_2" in stands_on(["watchdog_synthetic"])
    True
    """
    figures, found, seen = exported("liftbook.figures"), dict[str, None](), set[tuple[str, str]]()

    def follow(module: ModuleType, name: str) -> None:
        if (module.__name__, name) in seen:
            return
        seen.add((module.__name__, name))
        value = vars(module).get(name)
        if isinstance(value, Figure):
            found[figures[f"figure_{value.number}"]] = None
            return
        if value is not None and id(value) in documented():
            found[documented()[id(value)]] = None
        elif name in _tree(module):
            walk(module, _tree(module)[name])
        else:
            home = inspect.getmodule(value)
            if home is not None and home.__name__.startswith("liftbook.claims."):
                follow(home, name)

    def walk(module: ModuleType, node: ast.AST) -> None:
        for one in ast.walk(node):
            if isinstance(one, ast.Name):
                follow(module, one.id)
            elif isinstance(one, ast.Attribute) and one.attr in figures:
                found[figures[one.attr]] = None
            elif isinstance(one, ast.Constant) and isinstance(one.value, str) and f"figure_{one.value}" in figures:
                found[figures[f"figure_{one.value}"]] = None

    for name in names:
        module = inspect.getmodule(inspect.unwrap(FUNCTIONS[name]))
        if module is not None:
            follow(module, name)
    return list(found)
