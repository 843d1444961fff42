"""The interface of a table: columns by name, counts of labels, and rows; with shared functions."""

from __future__ import annotations

import difflib
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from polars.exceptions import PolarsError

from liftlib.errors import DataError
from lifttables.encoding.columns import Column


class Table(ABC):
    """Columns by name; counts of labels; rows in order, a batch at a time."""

    name: str
    schema: Mapping[str, pl.DataType]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(self.schema)

    @abstractmethod
    def counts(self, columns: Sequence[Column] | Mapping[str, Column]) -> pl.DataFrame:
        """Return how often each combination of labels occurs, in the columns given and ``ROWS``.

        A mapping gives names to the labels, so that one column may be labelled in several ways.
        """

    @abstractmethod
    def batches(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Give the rows of some columns, in order."""

    @abstractmethod
    def quantiles(self, column: Column, parts: int) -> tuple[float, ...]:
        """Return the inner edges that split a numeric column into parts with about as many rows each."""

    @abstractmethod
    def distinct(self, names: Sequence[str]) -> int:
        """Return how many combinations of some columns' values there are."""

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns that are not there.

        Raises
        ------
        DataError
            With the nearest name.
        """
        for name in names:
            if name not in self.columns:
                same = [one for one in self.columns if _composed(one) == _composed(name)]
                near = same or difflib.get_close_matches(name, self.columns, n=1)
                listed = ", ".join(map(repr, self.columns[:20])) + (", ..." if len(self.columns) > 20 else "")
                written = ascii if same else repr  # what looks the same is told apart by its letters' numbers
                remedy = f"did you mean {written(near[0])}?" if near else f"there are {listed}"
                raise DataError(f"{self.name} has no column {written(name)}: {remedy}")
            # Polars reads such a name as all columns that it fits, the secret's among them
            if not name or name == "*" or (name.startswith("^") and name.endswith("$")) or "\0" in name:
                raise DataError(f"{self.name} calls a column {name!r}, which is no name for one: rename it")
        if len(set(names)) < len(names):
            twice = next(name for name in names if list(names).count(name) > 1)
            raise DataError(f"column {twice!r} is named twice: secret and public are different columns")


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def named_columns(columns: Sequence[Column] | Mapping[str, Column]) -> Mapping[str, Column]:
    """Return columns with their labels renamed, by default unchanged."""
    return columns if isinstance(columns, Mapping) else {column.name: column for column in columns}


def counted(found: pl.DataFrame, names: Sequence[str], where: str) -> pl.DataFrame:
    """Return counts in order.

    Raises
    ------
    DataError
        If there are none.
    """
    if found.is_empty():
        raise DataError(f"{where} has no rows: a distribution needs one observation or more")
    return found.sort(names)


def quantiles_of(values: pl.Series, name: str, parts: int) -> tuple[float, ...]:
    """Return the inner edges that split a column's numbers into parts with about as many rows each.

    Raises
    ------
    DataError
        If there are fewer numbers than parts.
    """
    values = values.drop_nulls().sort()
    check_parts(name, parts, len(values))
    shares = [part / parts for part in range(1, parts)] if len(values) else []
    return inner_edges(*([values.quantile(share, way) for share in shares] for way in ("linear", "higher")))


def check_parts(name: str, parts: int, n: int) -> None:
    """Refuse more quantiles than a column has values.

    Raises
    ------
    DataError
        With the largest number of quantiles; not for a column without values.
    """
    if 0 < n < parts:
        shown = str(parts) if len(str(parts)) <= 20 else f"{str(parts)[:20]}..."
        raise DataError(
            f"--bin {name}=quantiles:{shown} asks for more bins than column {name!r} has values ({n:,}): give at most "
            f"{n}, or edges"
        )


def inner_edges(between: Iterable[float | None], above: Iterable[float | None]) -> tuple[float, ...]:
    """Return quantiles as edges: by interpolation, or the value above where one beside it is infinite.

    Examples
    --------
    >>> inner_edges([float("nan"), 1.5, None], [-2.0, 5.0, None])
    (-2.0, 1.5)
    """
    found = {
        edge if np.isfinite(edge) else upper for edge, upper in zip(between, above, strict=True) if edge is not None
    }
    return tuple(sorted(float(edge) for edge in found if edge is not None))


def polars_of(frame: Any) -> pl.DataFrame:
    """Return an eager narwhals frame as a Polars one, column by column, so that it does not take PyArrow."""
    native = frame.to_native()
    if isinstance(native, pl.DataFrame):
        return native
    return pl.DataFrame({name: _taken_over(frame[name]) for name in frame.columns})


def _taken_over(column: Any) -> pl.Series:
    """Return a column's values; a missing number, which pandas writes as NaN, is missing."""
    native, kind = column.to_native(), column.dtype
    if isinstance(native, pl.Series):
        return native
    if column.implementation.is_pandas():
        if isinstance(native.dtype, np.dtype) and native.dtype.kind in "biuf":
            return pl.Series(native.to_numpy(), nan_to_null=True)
        if getattr(native.dtype, "storage", "") == "pyarrow":
            return pl.Series(native.array.__arrow_array__())
    elif column.implementation.is_pyarrow() and (
        kind in (nw.String, nw.Boolean) or kind.is_float() or kind.is_integer()
    ):
        found = pl.Series(native)
        return found.fill_nan(None) if kind.is_float() else found
    missing, values = column.is_null().to_list(), column.to_list()
    values = [None if gone or value != value else value for gone, value in zip(missing, values, strict=True)]
    try:
        return pl.Series(values)
    except (TypeError, PolarsError):  # labels of several types
        return pl.Series([None if value is None else str(value) for value in values])
    except UnicodeEncodeError as error:
        raise DataError(f"column {column.name!r} holds text that is no Unicode: {error.reason}; mend it") from error


def unreadable(name: str, error: Exception) -> DataError:
    """Return an error with Polars' message in one line, and a remedy."""
    text = str(error).splitlines()[0]
    remedies = {
        "invalid utf-8": "name its encoding (--encoding latin-1, cp1252, ...), or save it as UTF-8",
        "more fields": "a line has more values than the header has names; quote values that hold a comma",
        "conversion": "a binned column must hold numbers (1.5), or dates such as 2020-01-31; --na names missing texts",
        "compress": "it is not what gzip writes",
        "cast": "a column of lists, intervals or other objects has no labels: make text of it first",
    }
    remedy = next((told for said, told in remedies.items() if said in str(error)), "check the file")
    return DataError(f"cannot read {name}: {text}; {remedy}")
