"""Where a table comes from: CSV and Parquet files, read as a stream, or frames of other libraries.

Files go through Polars, lazily: it streams both formats in order, keeps text as it stands (no 007 that becomes 7), and
tells a missing value from an empty text.
"""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl
from polars.exceptions import PolarsError

from liftlib.errors import DataError
from liftlib.tables.columns import Column

BATCH = 500_000
"""Rows of a file in memory at a time."""

SUFFIXES = {".csv": ",", ".tsv": "\t", ".parquet": "", ".pq": ""}


class Table(ABC):
    """Columns by name; counts of labels; rows in order, a batch at a time."""

    name: str
    schema: Mapping[str, pl.DataType]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(self.schema)

    @abstractmethod
    def counts(self, columns: Sequence[Column]) -> pl.DataFrame:
        """Return how often each combination of labels occurs, in the columns given and ``rows``."""

    @abstractmethod
    def batches(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Give the rows of some columns, in order."""

    @abstractmethod
    def quantiles(self, name: str, parts: int) -> tuple[float, ...]:
        """Return the inner edges that split a numeric column into parts with about as many rows each."""

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns that are not there.

        Raises
        ------
        DataError
            With the nearest name.
        """
        for name in names:
            if name not in self.columns:
                near = difflib.get_close_matches(name, self.columns, n=1)
                listed = ", ".join(map(repr, self.columns[:20])) + (", ..." if len(self.columns) > 20 else "")
                remedy = f"did you mean {near[0]!r}?" if near else f"there are {listed}"
                raise DataError(f"{self.name} has no column {name!r}: {remedy}")
        if len(set(names)) < len(names):
            twice = next(name for name in names if list(names).count(name) > 1)
            raise DataError(f"column {twice!r} is named twice: secret and public are different columns")


def open_table(source: Any) -> Table:
    """Return a table from the path of a file, or from a frame.

    Parameters
    ----------
    source : str, pathlib.Path or frame
        A path that ends in .csv, .tsv or .parquet; or what narwhals takes: a frame of pandas, Polars, PyArrow, Modin,
        DuckDB, PySpark, Dask and others.

    Raises
    ------
    DataError
        If it is none of these, or cannot be read.
    """
    if isinstance(source, str | Path):
        return _FileTable(Path(source))
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        return _PolarsTable(source.lazy(), "the frame")
    try:
        frame = nw.from_native(source)
    except TypeError as error:
        raise DataError(
            f"a {type(source).__name__} is no table: give a path, or a frame of pandas, Polars, DuckDB, PySpark or Dask"
        ) from error
    return _LazyTable(frame) if isinstance(frame, nw.LazyFrame) else _PolarsTable(_polars(frame).lazy(), "the frame")


class _PolarsTable(Table):
    def __init__(self, lazy: pl.LazyFrame, name: str) -> None:
        self._lazy, self.name = lazy, name
        try:
            self.schema = dict(lazy.collect_schema())
        except (PolarsError, OSError) as error:
            raise _unreadable(name, error) from error

    def counts(self, columns: Sequence[Column]) -> pl.DataFrame:
        names = [column.name for column in columns]
        self.check(names)
        try:
            labels = self._lazy.select(column.labels() for column in columns)
            found = labels.group_by(names).agg(pl.len().cast(pl.Int64).alias("rows")).collect(engine="streaming")
        except (PolarsError, OSError) as error:
            raise _unreadable(self.name, error) from error
        return _counted(found, names, self.name)

    def batches(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        try:
            yield from self._lazy.select(names).collect_batches(maintain_order=True, chunk_size=BATCH)
        except (PolarsError, OSError) as error:
            raise _unreadable(self.name, error) from error

    def quantiles(self, name: str, parts: int) -> tuple[float, ...]:
        self.check([name])
        value = Column(name).number()
        shares = [part / parts for part in range(1, parts)]
        try:
            found = self._lazy.select(value.quantile(q, "linear").alias(str(q)) for q in shares).collect(
                engine="streaming"
            )
        except (PolarsError, OSError) as error:
            raise _unreadable(self.name, error) from error
        return tuple(sorted({float(edge) for edge in found.row(0) if edge is not None}))


class _FileTable(_PolarsTable):
    def __init__(self, path: Path) -> None:
        if path.suffix not in SUFFIXES:
            raise DataError(f"{path} does not end in {', '.join(SUFFIXES)}: convert it, or pass a frame in Python")
        if not path.is_file():
            raise DataError(f"no file {path}: check the path")
        if separator := SUFFIXES[path.suffix]:
            with path.open("rb") as file:
                if not file.read(1):
                    raise DataError(f"{path} is empty: it needs a line with the columns' names")
            lazy = pl.scan_csv(
                path,
                separator=separator,
                infer_schema=False,
                glob=False,
                extra_columns="raise",
                missing_columns="raise",
            )
        else:
            lazy = pl.scan_parquet(path, glob=False)
        super().__init__(lazy, str(path))
        for name in self.columns:
            if "_duplicated_" in name and (first := name.rpartition("_duplicated_")[0]) in self.columns:
                raise DataError(f"{path} has more than one column {first!r}: rename them")


class _LazyTable(Table):
    """A frame that lives elsewhere: it counts there; its rows are fetched only to be released."""

    def __init__(self, frame: Any) -> None:
        self._frame, self.name = frame, "the frame"
        self.schema = dict.fromkeys(frame.collect_schema().names(), pl.Null())  # its types are its own

    def counts(self, columns: Sequence[Column]) -> pl.DataFrame:
        names = [column.name for column in columns]
        self.check(names)
        found = _polars(self._frame.select(names).group_by(names).agg(nw.len().alias("rows")).collect())
        labels = found.select(*(column.labels() for column in columns), pl.col("rows").cast(pl.Int64))
        return _counted(labels.group_by(names).agg(pl.col("rows").sum()), names, self.name)

    def batches(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        yield _polars(self._frame.select(names).collect())

    def quantiles(self, name: str, parts: int) -> tuple[float, ...]:
        self.check([name])
        return open_table(_polars(self._frame.select(name).collect())).quantiles(name, parts)


def _counted(found: pl.DataFrame, names: Sequence[str], where: str) -> pl.DataFrame:
    if found.is_empty():
        raise DataError(f"{where} has no rows: a distribution needs one observation or more")
    return found.sort(names)


def _polars(frame: Any) -> pl.DataFrame:
    """Return an eager narwhals frame as a Polars one, column by column, so that it does not take PyArrow."""
    native = frame.to_native()
    if isinstance(native, pl.DataFrame):
        return native
    found = {}
    for name in frame.columns:
        column = frame[name]
        missing = column.is_null().to_list()
        values = column.to_list()
        # pandas writes a missing number as NaN, which is_null sees as well
        found[name] = [None if gone or value != value else value for gone, value in zip(missing, values, strict=True)]
    return pl.DataFrame({name: _series(name, values) for name, values in found.items()})


def _series(name: str, values: list[Any]) -> pl.Series:
    try:
        return pl.Series(name, values)
    except (TypeError, PolarsError):  # labels of several types
        return pl.Series(name, [None if value is None else str(value) for value in values])


def _unreadable(name: str, error: Exception) -> DataError:
    text = str(error).splitlines()[0]
    remedies = {
        "invalid utf-8": "save it as UTF-8",
        "more fields": "a line has more values than the header has names; quote values that hold a comma",
        "conversion": "a binned column must hold numbers",
    }
    remedy = next((told for said, told in remedies.items() if said in str(error)), "check the file")
    return DataError(f"cannot read {name}: {text}; {remedy}")
