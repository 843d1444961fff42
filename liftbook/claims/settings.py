"""Settings that a paper fixed and does not print: all their alternatives, and those
that other numbers leave.

``data/settings.csv`` has a row for each. ``alternatives`` is a list with bars between
its entries, or the name of a function here, so that nobody can leave one out. ``says``
is the quotation that bounds them; without one the list is not closed, as others are
possible. A published number of a claim in ``narrowed_by`` may rule alternatives out of
*other* claims, never of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product

from liftlib.datasets import adult
from liftlib.errors import DataError


@cache
def relationships() -> tuple[str, ...]:
    """Return the 21 ways from Adult's six relationships to five: leave one out, or
    merge two ("A+B").
    """
    names = adult("relationship", "occupation").secret
    merged = ["+".join(map(str, pair)) for pair in combinations(names, 2)]
    return (*map(str, names), *merged)


Panel = tuple[str, str]
"""The secret and the public column of a panel of S20 Fig. 5."""


def panel_orders() -> tuple[tuple[Panel, ...], ...]:
    """Return the 24 orders in which two nested loops draw the six panels of
    S20 Fig. 5.
    """
    orders: list[tuple[Panel, ...]] = []
    for publics in permutations(("education", "relationship", "sex")):
        for secrets in permutations(("marital-status", "occupation")):
            orders.append(tuple((s, x) for x in publics for s in secrets))
            orders.append(tuple((s, x) for s in secrets for x in publics))
    return tuple(orders)


def panels() -> tuple[str, ...]:
    """Return the numbers of the orders of :func:`panel_orders`, from 1."""
    return tuple(str(number) for number in range(1, len(panel_orders()) + 1))


BUDGET_RANGES = ("all budgets", "from 1", "from 2")
"""Ranges of our budgets of S20 Fig. 5; its own are not printed."""


def panels_and_budgets() -> tuple[str, ...]:
    """Return each order of the panels with each range of budgets."""
    return tuple(
        f"{order}, {budgets}" for order, budgets in product(panels(), BUDGET_RANGES)
    )


def shapes_and_budgets() -> tuple[str, ...]:
    """Return the shapes |S| x |X| and budgets that we tried for S20 Fig. 7."""
    shapes, budgets = ("20 x 5", "10 x 10", "5 x 20"), ("0.5", "1.0", "2.0")
    return tuple(f"{shape}, {budget}" for shape, budget in product(shapes, budgets))


GENERATORS: Mapping[str, Callable[[], tuple[str, ...]]] = {
    function.__name__: function
    for function in (relationships, panels, panels_and_budgets, shapes_and_budgets)
}


@dataclass(frozen=True)
class Setting:
    """A row of ``data/settings.csv``."""

    name: str
    what: str
    says: str
    where: str
    alternatives: tuple[str, ...]
    narrowed_by: tuple[str, ...] = ()

    @property
    def closed(self) -> bool:
        """Whether the paper's words bound the alternatives, so that these are all."""
        return bool(self.says)

    def filled(self, template: str, alternative: str) -> str:
        """Return the call of a reading for one alternative."""
        return template.replace(f"{{{self.name}}}", alternative)

    def left(self, claim: str, fits: Callable[[str, str], bool]) -> tuple[str, ...]:
        """Return the alternatives that all other claims' published numbers leave for a
        claim.

        Parameters
        ----------
        claim : str
            The claim's id.
        fits : callable
            Takes a claim of ``narrowed_by`` and an alternative, and returns whether its
            number agrees there.
        """
        others = [name for name in self.narrowed_by if name != claim]
        return tuple(
            one for one in self.alternatives if all(fits(name, one) for name in others)
        )


def read(rows: Sequence[Mapping[str, str]]) -> dict[str, Setting]:
    """Return the settings of the rows of ``data/settings.csv`` by name.

    Raises
    ------
    DataError
        If a setting has fewer than two alternatives.
    """
    settings: dict[str, Setting] = {}
    for row in rows:
        generator = GENERATORS.get(row["alternatives"])
        alternatives = (
            generator() if generator else tuple(row["alternatives"].split(" | "))
        )
        if len(alternatives) < 2:
            raise DataError(
                f"settings.csv, {row['name']}: {row['alternatives']!r} is one"
                " alternative: give all"
            )
        narrowed_by = tuple(row["narrowed_by"].split())
        settings[row["name"]] = Setting(
            row["name"],
            row["what"],
            row["says"],
            row["where"],
            alternatives,
            narrowed_by,
        )
    return settings
