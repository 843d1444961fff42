"""Columns with their bins or groups, labels of values, and symbols of labels."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import narwhals as nw
import numpy as np
from narwhals.exceptions import NarwhalsError
from numpy.typing import NDArray

from liftlib.errors import DataError
from liftlib.joint import Joint
from lifttables.population.noisy import NoisyCounts
from lifttables.population.sample import Sample
from mixproof.numerics import Matrix, Vector

try:
    from polars.exceptions import PolarsError
except ModuleNotFoundError:  # a browser does not have it
    PolarsError = NarwhalsError  # type: ignore[misc, assignment]

MISSING = "(missing)"  # label of a missing value, where it is a symbol
RARE = "(rare)"  # label of the pool of rare symbols
JOIN = " & "  # separator of labels in a symbol's text
# name of the column of counts; no column of a table may contain this character
ROWS = "\0rows"
# names of the columns of symbols and of row numbers
SYMBOL, ORDER = "\0symbol", "\0order"
EPOCH = dt.date(1970, 1, 1)  # dates count as days since this one
# label of an infinite number where numbers are binned, which is refused
INFINITE = "\0infinite"
UNKNOWN_PREFIX = "\0"  # prefix of a value that is missing from its column's hierarchy

# raised by data-frame libraries for invalid values and files
UNREADABLE = (NarwhalsError, PolarsError, ValueError, TypeError, OSError)

Labels = nw.DataFrame[Any]  # a frame of labels, in columns of text

Unit = Literal["", "date", "year", "quarter", "month", "day"]

BEGINS_WITH_NUMBER = re.compile(
    r"([<>=\u2264\u2265 ]*)([+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+\Z)?)"
)

# periods, and formats of their labels
DATE_UNITS = {"year": "%Y", "quarter": "%Y-Q%q", "month": "%Y-%m", "day": "%Y-%m-%d"}


@dataclass(frozen=True)
class Column:
    """A column, and how its values become labels."""

    name: str
    # inner bin edges; a value on an edge belongs to the upper bin
    edges: tuple[float, ...] = ()
    # "date" if values are dates and edges days, or the period by which dates are
    # grouped
    unit: Unit = ""
    parents: tuple[tuple[str, str], ...] = ()  # the group of each value in a hierarchy
    # texts that denote a missing value; None if the user gave none
    na: tuple[str, ...] | None = None
    categorical: bool = False  # whether numbers are codes, such as postcodes
    # all labels that a secret may have, if the user listed them
    values: tuple[str, ...] = ()
    decimal: str = "."  # the decimal mark of numbers in texts
    # the format of dates in texts, such as %d.%m.%Y; that of ISO 8601 by default
    dates: str = ""

    @property
    def plain(self) -> bool:
        """Whether a label is the value's own text."""
        return not (self.edges or self.unit or self.parents)

    def value(self) -> nw.Expr:
        """Return an expression for the column's values; missing ones are null."""
        value = nw.col(self.name)
        return (
            nw.when(~value.cast(nw.String).is_in(list(self.na))).then(value)
            if self.na
            else value
        )

    def number(self) -> nw.Expr:
        """Return an expression for the values as numbers (dates as days); NaN is
        missing.
        """
        if self.unit == "date":
            return self._date().dt.timestamp("ms") / 86_400_000
        value = self.value()
        if self.decimal != ".":
            value = value.cast(nw.String).str.replace_all(
                self.decimal, ".", literal=True
            )
        number = value.cast(nw.Float64)
        return nw.when(~number.is_nan()).then(number)

    def _date(self) -> nw.Expr:
        if self.dates:
            return self.value().cast(nw.String).str.to_datetime(format=self.dates)
        # the first ten characters of a timestamp are its date; 24-12-31 is no date of
        # the year 24
        text = (
            self.value()
            .cast(nw.String)
            .str.slice(0, 10)
            .str.replace_all("^[0-9]{1,3}-", "?-")
        )
        return text.str.to_datetime(format="%Y-%m-%d")

    def labels(self) -> nw.Expr:
        """Return an expression for the labels as text; missing values stay missing."""
        if self.unit == "quarter":
            date = self._date().dt
            quarter = ((date.month() + 2) // 3).cast(nw.String)
            return nw.concat_str([date.year().cast(nw.String), nw.lit("-Q"), quarter])
        if self.unit in DATE_UNITS:
            return self._date().dt.to_string(DATE_UNITS[self.unit])
        if self.parents:
            text = self.value().cast(nw.String)
            old, new = zip(*self.parents, strict=True)
            unknown = nw.concat_str([nw.lit(UNKNOWN_PREFIX), text])
            known = text.replace_strict(
                list(old), list(new), default=unknown, return_dtype=nw.String
            )
            return nw.when(~text.is_null()).then(known)
        if not self.edges:
            return self.value().cast(nw.String)
        number, bins = self.number(), self.bins()
        place = nw.sum_horizontal(
            *((number >= edge).cast(nw.Int64) for edge in self.edges)
        )
        known = place.replace_strict(
            list(range(len(bins))), bins, return_dtype=nw.String
        )
        finite = (
            nw.when(number.abs() < math.inf).then(known).otherwise(nw.lit(INFINITE))
        )
        return nw.when(~number.is_null()).then(finite)

    def missing(self) -> nw.Expr:
        """Return an expression for whether a value has no label."""
        return (
            self.number() if self.edges else self._date() if self.unit else self.value()
        ).is_null()

    def bins(self) -> list[str]:
        """Return the labels of the bins in order.

        >>> Column("age", (20.0, 40.5)).bins()
        ['< 20', '[20, 40.5)', '>= 40.5']
        """
        if self.unit == "date":
            edges = [
                (EPOCH + dt.timedelta(days=edge)).isoformat() for edge in self.edges
            ]
        else:
            # all digits, so that they are distinct
            edges = [repr(edge).removesuffix(".0") for edge in self.edges]
        return [
            f"< {edges[0]}",
            *(f"[{low}, {high})" for low, high in itertools.pairwise(edges)),
            f">= {edges[-1]}",
        ]

    def place(self, label: str) -> tuple[float, str]:
        """Return a sort key for labels: the position of a bin or the number that a
        label begins with, then the text.

        >>> sorted(["9", "unknown", "10", "< 9", "10-19"], key=Column("age").place)
        ['< 9', '9', '10', '10-19', 'unknown']
        """
        if self.edges:
            known = self.bins()
            return (float(known.index(label)) if label in known else math.inf, label)
        number = BEGINS_WITH_NUMBER.match(label)
        if number is None:
            return (math.inf, label)
        # just below a bound, for what is below it
        return (
            (
                np.nextafter(float(number[2]), -math.inf)
                if number[1].startswith("<")
                else float(number[2])
            ),
            label,
        )


@dataclass(frozen=True)
class Symbols:
    """The symbols of one or several columns, in order.

    A symbol is a tuple of labels, one for each column. The last symbol may be a pool,
    ``("(rare)",)``, of all other values, of which those in ``pooled`` occur.
    """

    columns: tuple[Column, ...]
    labels: tuple[tuple[str, ...], ...]
    pooled: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def numbered(cls, name: str, n: int) -> Symbols:
        """Return n symbols of one column, labelled by their numbers from 0."""
        return cls((Column(name),), tuple((str(at),) for at in range(n)))

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [column.name for column in self.columns]

    @property
    def has_pool(self) -> bool:
        """Whether the last symbol is a pool, of values that a table has and of all
        others.
        """
        of_table = any(
            label == RARE for column in self.columns for _, label in column.parents
        )
        return self.labels[-1:] == ((RARE,),) and not of_table

    @property
    def listed(self) -> bool:
        """Whether the values of all columns were given, so that the rows decide nothing
        about them.
        """
        return all(column.values for column in self.columns)

    @property
    def chosen(self) -> float:
        """The log of the number of pools among which the rows chose, of the same number
        of values.
        """
        if self.listed:
            return 0.0
        pooled, named = len(self.pooled), sum(label != (RARE,) for label in self.labels)
        return (
            math.lgamma(named + pooled + 1)
            - math.lgamma(pooled + 1)
            - math.lgamma(named + 1)
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """A unique text for each symbol; labels are quoted if they contain the
        separator.
        """
        texts = tuple(JOIN.join(label) for label in self.labels)
        return (
            texts
            if len(set(texts)) == len(texts)
            else tuple(JOIN.join(map(repr, label)) for label in self.labels)
        )

    def of_column(self, at: int) -> tuple[str, ...]:
        """Return each symbol's label in one column."""
        return tuple(RARE if label == (RARE,) else label[at] for label in self.labels)

    @property
    def places(self) -> Vector | None:
        """The places of symbols in the order of their only column, NaN for a pool and
        for missing values.

        None if the column has no order: it is ordered if it is binned, or if its labels
        begin with different numbers (as integers, dates and ranges do) that are not
        declared as codes.
        """
        if len(self.columns) != 1 or self.columns[0].categorical:
            return None
        known = sorted(
            {label for (label,) in self.labels if label not in (RARE, MISSING)},
            key=self.columns[0].place,
        )
        if len(known) < 2 or not all(
            math.isfinite(self.columns[0].place(label)[0]) for label in known
        ):
            return None
        order = {label: float(at) for at, label in enumerate(known)}
        return np.array([order.get(label, np.nan) for (label,) in self.labels])

    def codes(self, rows: Any) -> NDArray[np.int64]:
        """Return the index of each table row's symbol, or -1 if it has none."""
        try:
            labels = labelled(nw.from_native(rows, eager_only=True), self.columns)
        except UNREADABLE as error:
            said = str(error).splitlines()[0]
            raise DataError(
                f"a binned column has values that do not fit its bins: {said}; correct"
                " them"
            ) from error
        return self.index(labels)

    def index(self, labels: Labels) -> NDArray[np.int64]:
        """Return the index of the symbol of each row of labels, or -1."""
        names = self.names
        # a pool of combinations has one label for all columns
        places = {
            label: at
            for at, label in enumerate(self.labels)
            if len(label) == len(self.columns)
        }
        places |= dict.fromkeys(self.pooled, len(self.labels) - 1)
        if not places:
            return np.full(len(labels), -1)
        values = [*zip(*places, strict=True), places.values()]
        kinds = [*[nw.String()] * len(names), nw.Int64()]
        known = nw.from_dict(
            {
                name: nw.new_series(
                    name, list(entries), kind, backend=labels.implementation
                )
                for name, entries, kind in zip(
                    (*names, SYMBOL), values, kinds, strict=True
                )
            }
        )
        rows = labels.select(nw.col(*names).fill_null(MISSING)).with_row_index(ORDER)
        symbols = rows.join(known, on=names, how="left").sort(ORDER)[SYMBOL]
        return np.array(symbols.fill_null(-1).cast(nw.Int64()).to_numpy())


def check_numbers(rows: Any, columns: Iterable[Column]) -> None:
    """Raise DataError for a column of dates that is to be cut as numbers."""
    kinds = rows.collect_schema()
    for column in columns:
        if not column.unit and kinds[column.name].is_temporal():
            raise DataError(
                f"column {column.name!r} contains dates, which numbers do not cut: give"
                " dates as edges, such as 1950-01-01,1980-01-01, or"
                f" {', '.join(DATE_UNITS)}",
                arguments=("bins",),
            )


def labelled(rows: Any, columns: Sequence[Column]) -> Any:
    """Return the labels of some columns of a frame."""
    check_numbers(rows, (column for column in columns if column.edges))
    return rows.select(*(column.labels().alias(column.name) for column in columns))


def numbered(
    labels: Labels, names: Sequence[str]
) -> tuple[NDArray[np.int64], list[tuple[str, ...]]]:
    """Return the index of each row's combination of labels, and the combinations.

    >>> import pandas as pd
    >>> codes, known = numbered(
    ...     nw.from_native(pd.DataFrame({"a": ["u", None, "u"]})), ["a"]
    ... )
    >>> codes.tolist(), known
    ([0, 1, 0], [('u',), ('(missing)',)])
    """
    place: dict[tuple[str, ...], int] = {}
    rows = labels.select(nw.col(*names).fill_null(MISSING)).rows()
    return np.array(
        [place.setdefault(row, len(place)) for row in rows], dtype=np.int64
    ), list(place)


@dataclass(frozen=True)
class Counts:
    """A contingency table, shape (S, X), of secret and public symbols.

    ``chosen`` is the log of the number of ways in which the rows themselves could have
    chosen the symbols; ``dropped`` is the number of rows left out because a value is
    missing. With ``noisy`` counts, a design is made from these alone.
    """

    table: Matrix
    secret: Symbols
    public: Symbols
    chosen: float = 0.0
    dropped: int = 0
    noisy: NoisyCounts | None = None

    def sample(self, confidence: float) -> Sample:
        """Return the sample for statements about the population."""
        if self.noisy is not None:
            return self.noisy.sample(confidence, self.chosen)
        return Sample(self.table, confidence, self.chosen)

    @property
    def estimate(self) -> Matrix:
        """The table, or its estimate by the noisy counts."""
        return self.table if self.noisy is None else self.noisy.sample(0.5).estimate

    @property
    def columns(self) -> tuple[Column, ...]:
        """The secret and the public columns."""
        return (*self.secret.columns, *self.public.columns)

    @property
    def joint(self) -> Joint:
        """The empirical joint distribution of what occurs, or its estimate by noisy
        counts, with texts as labels.
        """
        return Joint.from_counts(
            self.estimate, self.secret.texts, self.public.texts, drop_empty=True
        )


def as_dict(symbols: Symbols) -> dict[str, Any]:
    """Return symbols as JSON values."""
    return {
        "columns": [asdict(column) for column in symbols.columns],
        "labels": [list(label) for label in symbols.labels],
        "pooled": [list(label) for label in symbols.pooled],
    }


def from_dict(content: Any) -> Symbols:
    """Return the symbols from the JSON values of ``as_dict``."""
    return Symbols(
        tuple(_column(column) for column in content["columns"]),
        tuple(tuple(map(str, label)) for label in content["labels"]),
        tuple(tuple(map(str, label)) for label in content["pooled"]),
    )


def _column(content: Any) -> Column:
    if content["unit"] not in ("", "date", *DATE_UNITS):
        raise ValueError(content["unit"])
    return Column(
        str(content["name"]),
        tuple(map(float, content["edges"])),
        content["unit"],
        tuple((str(value), str(parent)) for value, parent in content["parents"]),
        None if content["na"] is None else tuple(map(str, content["na"])),
        bool(content["categorical"]),
        tuple(map(str, content.get("values", ()))),
        str(content.get("decimal", ".")),
        str(content.get("dates", "")),
    )
