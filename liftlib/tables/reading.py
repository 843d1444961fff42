"""How a table is read: which columns are secret and public, and what becomes of what does not speak for itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from liftlib.checks import shown
from liftlib.errors import DataError, InvalidParameter
from liftlib.numerics import check_scalar
from liftlib.tables.columns import Column, Counts, Missing, Rare, column_from, count
from liftlib.tables.source import Table


@dataclass(frozen=True)
class Reading:
    """How to read a table: its columns, and the policies for what does not speak for itself.

    Attributes
    ----------
    secret : str
    public : tuple of str
        Several columns make one symbol of each combination.
    bins : tuple of str
        ``"age=20,40"`` or ``"age=quantiles:4"``; a column of many numbers is refused without.
    missing : {"error", "symbol"}
    rare : {"error", "pool", "keep"}
        What becomes of public symbols with fewer than ``min_count`` rows.
    min_count, max_symbols : int
    """

    secret: str
    public: tuple[str, ...]
    bins: tuple[str, ...] = ()
    missing: Missing = "error"
    rare: Rare = "error"
    min_count: int = 5
    max_symbols: int = 5000

    def __post_init__(self) -> None:
        for name, value, wanted in (
            ("missing", self.missing, get_args(Missing)),
            ("rare", self.rare, get_args(Rare)),
        ):
            if value not in wanted:
                raise InvalidParameter(f"{name} is {shown(value)}: give {' or '.join(map(repr, wanted))}")
        for name, number, least in (("min_count", self.min_count, 0), ("max_symbols", self.max_symbols, 1)):
            check_scalar(name, number, least)

    def counts(self, table: Table, *, product: bool = False) -> Counts:
        """Return the contingency table."""
        table.check([self.secret, *self.public])
        edges: dict[str, tuple[float, ...]] = {}
        for text in self.bins:
            name, found = column_from(text)
            table.check([name])
            if name not in (self.secret, *self.public):
                raise DataError(f"--bin names {name!r}, which is neither the secret nor public: leave it out")
            edges[name] = table.quantiles(name, found) if isinstance(found, int) else found
        columns = [Column(name, edges.get(name, ())) for name in (self.secret, *self.public)]
        return count(
            table.counts(columns),
            columns[0],
            columns[1:],
            missing=self.missing,
            rare=self.rare,
            min_count=self.min_count,
            max_symbols=self.max_symbols,
            product=product,
        )


def names_of(public: str | Sequence[str]) -> tuple[str, ...]:
    """Return columns' names from one or several."""
    return (public,) if isinstance(public, str) else tuple(public)
