"""What counts as one symbol: the labels of a column, in bins where asked for, and the symbols of several columns."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.exceptions import PolarsError

from liftlib.errors import DataError
from liftlib.numerics import Matrix

MISSING = "(missing)"
"""The label of a missing value, where it is a symbol."""

RARE = "(rare)"
"""The label of the rare symbols, where they are pooled."""

NUMERIC_SYMBOLS = 50
"""A column of numbers with more distinct ones than this is not taken for symbols without a word from its owner."""

Missing = Literal["error", "symbol"]
Rare = Literal["error", "pool", "keep"]

JOIN = " & "
"""Between the labels of a symbol of several columns."""


@dataclass(frozen=True)
class Column:
    """A column and, where it is binned, the inner edges of its bins: a value on an edge lies in the upper bin."""

    name: str
    edges: tuple[float, ...] = ()

    def number(self) -> pl.Expr:
        """Return the column's values as numbers; what is none is an error, NaN is missing."""
        return pl.col(self.name).cast(pl.Float64).fill_nan(None)

    def labels(self) -> pl.Expr:
        """Return the column's labels as text; missing values stay missing."""
        if not self.edges:
            return pl.col(self.name).cast(pl.String)
        value, (first, *others) = self.number(), self.bins()
        label = pl.when(value.is_null()).then(None).when(value < self.edges[0]).then(pl.lit(first))
        for upper, text in zip(self.edges[1:], others, strict=False):
            label = label.when(value < upper).then(pl.lit(text))
        return label.otherwise(pl.lit(others[-1])).alias(self.name)

    def bins(self) -> list[str]:
        """Return the labels of the bins.

        Examples
        --------
        >>> Column("age", (20.0, 40.0)).bins()
        ['< 20', '[20, 40)', '>= 40']
        """
        inner = [f"[{low:g}, {high:g})" for low, high in itertools.pairwise(self.edges)]
        return [f"< {self.edges[0]:g}", *inner, f">= {self.edges[-1]:g}"]


@dataclass(frozen=True)
class Symbols:
    """The symbols of one column or several, in order.

    Attributes
    ----------
    columns : tuple of Column
    labels : tuple of tuple of str
        A symbol's label in each column, or ``("(rare)",)`` for the pool.
    pooled : tuple of tuple of str
        What the pool holds, at last.
    """

    columns: tuple[Column, ...]
    labels: tuple[tuple[str, ...], ...]
    pooled: tuple[tuple[str, ...], ...] = ()

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [column.name for column in self.columns]

    @property
    def texts(self) -> tuple[str, ...]:
        """A text for each symbol."""
        return tuple(JOIN.join(label) for label in self.labels)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many labels each column has."""
        return tuple(len(values) for values in self._axes())

    def fills_its_product(self) -> bool:
        """Return whether the symbols are all combinations of the columns' labels, the last column fastest."""
        return self.labels == tuple(itertools.product(*self._axes()))

    def _axes(self) -> list[list[str]]:
        return [sorted({label[at] for label in self.labels}) for at in range(len(self.columns))]

    def codes(self, rows: pl.DataFrame) -> NDArray[np.int64]:
        """Return each row's symbol, -1 where it has none.

        Raises
        ------
        DataError
            If a value of a binned column is no number.
        """
        try:
            labels = rows.select(column.labels() for column in self.columns)
        except PolarsError as error:
            said = str(error).splitlines()[0]
            raise DataError(f"a binned column does not hold numbers: {said}; mend the values") from error
        return self.index(labels)

    def index(self, labels: pl.DataFrame) -> NDArray[np.int64]:
        """Return the symbol of each row of labels, -1 where it has none."""
        whole = [label for label in self.labels if label != (RARE,)] + list(self.pooled)
        index = [at for at, label in enumerate(self.labels) if label != (RARE,)]
        index += [len(self.labels) - 1] * len(self.pooled)
        table = {name: [label[at] for label in whole] for at, name in enumerate(self.names)}
        lookup = pl.DataFrame({**table, "\0code": index}, schema_overrides=dict.fromkeys(self.names, pl.String))
        filled = labels.select(pl.col(self.names).fill_null(MISSING))
        found = filled.join(lookup, on=self.names, how="left", maintain_order="left")
        return found["\0code"].fill_null(-1).to_numpy().astype(np.int64)


@dataclass(frozen=True)
class Counts:
    """A contingency table of a secret column and public columns.

    Attributes
    ----------
    table : numpy.ndarray, shape (S, X)
        Rows of the table by secret and public symbol.
    secret, public : Symbols
    """

    table: Matrix
    secret: Symbols
    public: Symbols


def count(
    counted: pl.DataFrame,
    secret: Column,
    public: Sequence[Column],
    *,
    missing: Missing = "error",
    rare: Rare = "error",
    min_count: int = 5,
    max_symbols: int = 5000,
    product: bool = False,
) -> Counts:
    """Return the contingency table of counted labels, with the policies for what does not speak for itself.

    Parameters
    ----------
    counted : polars.DataFrame
        A column for each of ``secret`` and ``public``, and ``rows``.
    missing : {"error", "symbol"}
        Whether missing values are refused or are one symbol more.
    rare : {"error", "pool", "keep"}
        What becomes of public symbols with fewer than ``min_count`` rows: refused, one symbol for all, or kept.
    min_count, max_symbols : int
        See ``rare``; more public symbols than ``max_symbols`` are refused.
    product : bool
        All combinations of the columns' labels are symbols, and each must occur, as side channels need it.

    Raises
    ------
    DataError
        With the column, the count, and the option that decides.
    """
    for column in (secret, *public):
        gone = int(counted.filter(pl.col(column.name).is_null())["rows"].sum())
        if gone and missing == "error":
            raise DataError(
                f"column {column.name!r} misses {gone:,} of {counted['rows'].sum():,} values: fill them, leave those "
                'rows out, or make them a symbol (--missing symbol, missing="symbol")'
            )
        _refuse_numbers(counted[column.name], column)
    names = [column.name for column in public]
    filled = counted.with_columns(pl.col([secret.name, *names]).fill_null(MISSING))
    secrets = [(label,) for label in filled[secret.name].unique().sort().to_list()]
    totals = filled.group_by(names).agg(pl.col("rows").sum()).sort(names)
    if len(totals) > max_symbols:
        raise DataError(
            f"{_named(names)} has {len(totals):,} symbols, more than {max_symbols:,}: bin or coarsen it, or raise "
            "--max-symbols"
        )
    labels = [row[:-1] for row in totals.rows()]
    few = [label for label, rows in zip(labels, totals["rows"], strict=True) if rows < min_count]
    if few and rare == "error":
        shown = ", ".join(repr(JOIN.join(label)) for label in few[:3]) + (", ..." if len(few) > 3 else "")
        raise DataError(
            f"{_named(names)} has {len(few)} symbol{'s' if len(few) > 1 else ''} with fewer than {min_count} rows "
            f"({shown}): pool them (--rare pool), keep them (--rare keep), or lower --min-count"
        )
    pooled = tuple(few) if rare == "pool" and len(few) > 0 else ()
    labels = [label for label in labels if label not in set(pooled)] + [(RARE,)] * bool(pooled)
    found = Symbols(tuple(public), tuple(labels), pooled)
    if product and not found.fills_its_product():
        raise DataError(
            f"side channels need every combination of {_named(names)} to occur; {len(found.labels)} of "
            f"{int(np.prod(found.shape))} do: coarsen or bin the columns"
        )
    secret_symbols = Symbols((secret,), tuple(secrets))
    table = np.zeros((len(secrets), len(labels)))
    np.add.at(table, (secret_symbols.index(filled), found.index(filled)), filled["rows"].to_numpy())
    return Counts(table, secret_symbols, found)


def _refuse_numbers(labels: pl.Series, column: Column) -> None:
    distinct = labels.drop_nulls().unique()
    if column.edges or len(distinct) <= NUMERIC_SYMBOLS:
        return
    if distinct.cast(pl.Float64, strict=False).null_count() == 0:
        raise DataError(
            f"column {column.name!r} holds {len(distinct):,} distinct numbers: bin it "
            f"(--bin {column.name}=EDGES or --bin {column.name}=quantiles:4)"
        )


def _named(names: Sequence[str]) -> str:
    return f"column {names[0]!r}" if len(names) == 1 else "columns " + ", ".join(map(repr, names))


def column_from(text: str) -> tuple[str, tuple[float, ...] | int]:
    """Return a column's name and its bins, edges or a number of quantiles, from ``name=20,40`` or ``name=quantiles:4``.

    Raises
    ------
    DataError
        If the text has another form, or the edges do not grow.

    Examples
    --------
    >>> column_from("age=20,40"), column_from("age=quantiles:4")
    (('age', (20.0, 40.0)), ('age', 4))
    """
    name, _, bins = text.rpartition("=")
    wanted = f"--bin is {text!r}: give NAME=EDGE,EDGE,... that grow, or NAME=quantiles:N with N of 2 or more"
    if bins.startswith("quantiles:"):
        parts = bins.removeprefix("quantiles:")
        if not name or not parts.isdecimal() or int(parts) < 2:
            raise DataError(wanted)
        return name, int(parts)
    try:
        edges = tuple(float(edge) for edge in bins.split(","))
    except ValueError as error:
        raise DataError(wanted) from error
    if not name or not all(low < high for low, high in itertools.pairwise(edges)) or not np.isfinite(edges).all():
        raise DataError(wanted)
    return name, edges


def as_dict(symbols: Symbols) -> dict[str, Any]:
    """Return symbols as JSON values."""
    return {
        "columns": [{"name": column.name, "edges": list(column.edges)} for column in symbols.columns],
        "labels": [list(label) for label in symbols.labels],
        "pooled": [list(label) for label in symbols.pooled],
    }


def from_dict(found: Any) -> Symbols:
    """Return symbols from what :func:`as_dict` gives."""
    return Symbols(
        tuple(Column(str(column["name"]), tuple(map(float, column["edges"]))) for column in found["columns"]),
        tuple(tuple(map(str, label)) for label in found["labels"]),
        tuple(tuple(map(str, label)) for label in found["pooled"]),
    )
