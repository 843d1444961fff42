"""Labels of one or several columns, binned or grouped on request, and their encoding as symbols."""

from __future__ import annotations

import datetime as dt
import itertools
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.exceptions import PolarsError

from liftlib.errors import DataError
from mixproof.numerics import Matrix

MISSING = "(missing)"
"""The label of a missing value, where it is a symbol."""

RARE = "(rare)"
"""The label of the rare symbols, where they are pooled."""

JOIN = " & "
"""Between the labels of a symbol of several columns, where they are told in one text."""

ROWS = "\0rows"
"""The column of counts, beside labels of columns of any name but those that begin so."""

CHAINED = 64
"""Largest number of edges for which a label is a chain of conditions, whose memory grows with its square."""

UNKNOWN = "\0"
"""Before a value that its column's hierarchy does not hold."""

Unit = Literal["", "date", "year", "quarter", "month", "day"]

GROUPS = {"year": "%Y", "quarter": "%Y-Q%q", "month": "%Y-%m", "day": "%Y-%m-%d"}
"""Groups of dates, and how each is written."""


@dataclass(frozen=True)
class Column:
    """A column, and how its values become labels.

    Attributes
    ----------
    name : str
    edges : tuple of float
        The inner edges of its bins: a value on an edge lies in the upper bin.
    unit : str
        ``"date"`` where values are dates and edges days since 1970-01-01; or what to group dates by: ``"year"``,
        ``"quarter"``, ``"month"``, ``"day"``.
    parents : tuple of (str, str)
        What each value counts as, where a hierarchy says.
    na : tuple of str, optional
        Texts that stand for a missing value; None where nobody said.
    categorical : bool
        Many numbers are symbols all the same, as postcodes are.
    """

    name: str
    edges: tuple[float, ...] = ()
    unit: Unit = ""
    parents: tuple[tuple[str, str], ...] = ()
    na: tuple[str, ...] | None = None
    categorical: bool = False

    @property
    def plain(self) -> bool:
        """Whether a label is the value's own text."""
        return not (self.edges or self.unit or self.parents)

    def value(self) -> pl.Expr:
        """Return the column's values, None where they are missing."""
        value = pl.col(self.name)
        if not self.na:
            return value
        return pl.when(value.cast(pl.String).is_in(list(self.na))).then(None).otherwise(value).alias(self.name)

    def number(self) -> pl.Expr:
        """Return the column's values as numbers, dates as days; what is neither is an error, NaN is missing."""
        if self.unit == "date":
            return self._date().cast(pl.Int32).cast(pl.Float64)
        return self.value().cast(pl.Float64).fill_nan(None)

    def _date(self) -> pl.Expr:
        # a timestamp's first ten letters are its day
        return self.value().cast(pl.String).str.slice(0, 10).str.to_date("%Y-%m-%d")

    def labels(self) -> pl.Expr:
        """Return the column's labels as text; missing values stay missing."""
        if self.unit in GROUPS:
            date, form = self._date(), GROUPS[self.unit]
            if self.unit == "quarter":
                return pl.format("{}-Q{}", date.dt.year(), date.dt.quarter()).alias(self.name)
            return date.dt.strftime(form).alias(self.name)
        if self.parents:
            text = self.value().cast(pl.String)
            old, new = zip(*self.parents, strict=True)
            known = text.replace_strict(list(old), list(new), default=UNKNOWN + text, return_dtype=pl.String)
            return pl.when(text.is_null()).then(None).otherwise(known).alias(self.name)
        if not self.edges:
            return self.value().cast(pl.String)
        value, (first, *others) = self.number(), self.bins()
        if len(self.edges) > CHAINED:
            place = pl.lit(pl.Series(self.edges)).search_sorted(value, side="right")
            known = place.replace_strict(range(len(others) + 1), [first, *others], return_dtype=pl.String)
            return pl.when(value.is_null()).then(None).otherwise(known).alias(self.name)
        label = pl.when(value.is_null()).then(None).when(value < self.edges[0]).then(pl.lit(first))
        for upper, named in zip(self.edges[1:], others, strict=False):
            label = label.when(value < upper).then(pl.lit(named))
        return label.otherwise(pl.lit(others[-1])).alias(self.name)

    def bins(self) -> list[str]:
        """Return the labels of the bins, in their order.

        Examples
        --------
        >>> Column("age", (20.0, 40.5)).bins()
        ['< 20', '[20, 40.5)', '>= 40.5']
        """
        edges = [self._edge(edge) for edge in self.edges]
        return [f"< {edges[0]}", *(f"[{low}, {high})" for low, high in itertools.pairwise(edges)), f">= {edges[-1]}"]

    def _edge(self, edge: float) -> str:
        if self.unit == "date":
            return (dt.date(1970, 1, 1) + dt.timedelta(days=edge)).isoformat()
        return repr(edge).removesuffix(".0")  # all its digits, so that no two edges read alike

    def place(self, label: str) -> tuple[int, str]:
        """Return the sort key of labels: the position of a bin, otherwise the text."""
        known = self.bins() if self.edges else []
        return (known.index(label) if label in known else -1, label)


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
        """A text for each symbol, no two alike, in quotes where labels hold what stands between them."""
        texts = tuple(JOIN.join(label) for label in self.labels)
        return texts if len(set(texts)) == len(texts) else tuple(JOIN.join(map(repr, label)) for label in self.labels)

    def of_column(self, at: int) -> tuple[str, ...]:
        """Return each symbol's label in one column."""
        return tuple(RARE if label == (RARE,) else label[at] for label in self.labels)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many labels each column has."""
        return tuple(len(values) for values in self._axes())

    @property
    def attributes(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each column's name, with its labels in order."""
        return tuple((name, tuple(values)) for name, values in zip(self.names, self._axes(), strict=True))

    def fills_its_product(self) -> bool:
        """Return whether the symbols are all combinations of the columns' labels, the last column fastest."""
        return self.labels == tuple(itertools.product(*self._axes()))

    def _axes(self) -> list[list[str]]:
        whole = [label for label in self.labels if label != (RARE,)]
        return [sorted({label[at] for label in whole}, key=column.place) for at, column in enumerate(self.columns)]

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
            raise DataError(f"a binned column does not hold what its bins need: {said}; mend the values") from error
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

    def index_apart(self, labels: pl.DataFrame) -> NDArray[np.int64]:
        """Return the symbol of each row of labels; others than these symbols have numbers of their own, behind them."""
        codes = self.index(labels)
        others = labels.filter(pl.Series(codes < 0)).rows()
        number = {label: at for at, label in enumerate(dict.fromkeys(others), len(self.labels))}
        codes[codes < 0] = [number[label] for label in others]
        return codes


@dataclass(frozen=True)
class Counts:
    """A contingency table of secret columns and public columns.

    Attributes
    ----------
    table : numpy.ndarray, shape (S, X)
        Rows of the table by secret and public symbol.
    secret, public : Symbols
    chosen : float
        The logarithm of the number of ways in which these rows themselves could have chosen the symbols.
    dropped : int
        Rows that were left out because a value is missing.
    """

    table: Matrix
    secret: Symbols
    public: Symbols
    chosen: float = 0.0
    dropped: int = 0

    @property
    def columns(self) -> tuple[Column, ...]:
        """The secret columns and the public ones."""
        return (*self.secret.columns, *self.public.columns)

    def alone(self, at: int) -> Counts:
        """Return the counts of one of several secret columns."""
        labels = self.secret.of_column(at)
        column = self.secret.columns[at]
        found = sorted(set(labels), key=column.place)
        summed = np.zeros((len(found), self.table.shape[1]))
        np.add.at(summed, [found.index(label) for label in labels], self.table)
        return Counts(summed, Symbols((column,), tuple((label,) for label in found)), self.public, self.chosen)


def as_dict(symbols: Symbols) -> dict[str, Any]:
    """Return symbols as JSON values."""
    return {
        "columns": [asdict(column) for column in symbols.columns],
        "labels": [list(label) for label in symbols.labels],
        "pooled": [list(label) for label in symbols.pooled],
    }


def from_dict(found: Any) -> Symbols:
    """Return symbols from the result of :func:`as_dict`."""
    return Symbols(
        tuple(_column(column) for column in found["columns"]),
        tuple(tuple(map(str, label)) for label in found["labels"]),
        tuple(tuple(map(str, label)) for label in found["pooled"]),
    )


def _column(found: Any) -> Column:
    if found["unit"] not in ("", "date", *GROUPS):
        raise ValueError(found["unit"])
    return Column(
        str(found["name"]),
        tuple(map(float, found["edges"])),
        found["unit"],
        tuple((str(value), str(parent)) for value, parent in found["parents"]),
        None if found["na"] is None else tuple(map(str, found["na"])),
        bool(found["categorical"]),
    )
