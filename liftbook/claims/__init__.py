"""The ledger: each number and verbal claim that the papers print, computed and judged.

``data/claims.csv`` lists the claims. Its column ``computed_by`` names a function of this package's modules, a folder a
paper, that computes the claim anew at the papers' scale; ``printed`` is a number, or ``true`` for a claim in words,
which ``quantity`` states.
"""

from __future__ import annotations

import csv
import pkgutil
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

import pandas as pd

from liftbook.claims.judging import Claim, Computed, Spread
from liftlib.errors import DataError
from liftlib.resources import resource

PAPERS = ("e23", "c22", "i21", "s20")

__all__ = ["FUNCTIONS", "Claim", "Spread", "ledger", "read_claims"]


def _own_functions(module: ModuleType) -> dict[str, Callable[[], Computed]]:
    """Return the public functions that a module defines itself."""
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value) and name[0].islower() and getattr(value, "__module__", "") == module.__name__
    }


def _modules() -> list[ModuleType]:
    """Return the modules of the papers' folders."""
    folders = [import_module(f"liftbook.claims.{paper}") for paper in PAPERS]
    names = [one.name for folder in folders for one in pkgutil.iter_modules(folder.__path__, f"{folder.__name__}.")]
    return [import_module(name) for name in names]


FUNCTIONS: dict[str, Callable[[], Computed]] = {
    name: function for module in _modules() for name, function in _own_functions(module).items()
}
"""Every function that a claim may name."""


def read_claims() -> list[Claim]:
    """Return the rows of ``data/claims.csv``.

    Raises
    ------
    DataError
        If a row misses a field or names an id twice.
    """
    with resource("data/claims.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    claims = [Claim(tolerance=float(row.pop("tolerance")), **row) for row in rows]
    twice = {claim.id for claim in claims if sum(other.id == claim.id for other in claims) > 1}
    if twice:
        raise DataError(f"claims.csv has the id {min(twice)!r} twice: make ids unique")
    return claims


def ledger() -> pd.DataFrame:
    """Return every claim with what was computed and the verdict; a minute at the papers' scale."""
    rows = []
    for claim in read_claims():
        computed = claim.compute(FUNCTIONS)
        shown = f"{computed:.4g}" if isinstance(computed, float) else str(computed).lower()
        rows.append(
            {
                "id": claim.id,
                "paper": claim.paper,
                "place": claim.place,
                "quantity": claim.quantity,
                "printed": claim.printed,
                "computed": shown,
                "verdict": claim.judge(computed),
                "reason": claim.reason,
            }
        )
    return pd.DataFrame(rows)
