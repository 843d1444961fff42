"""Where a table comes from: CSV and Parquet files, read as a stream, or frames of other libraries.

Files go through Polars, lazily: it streams both formats in order, keeps text as it stands (no 007 that becomes 7), and
tells a missing value from an empty text.
"""

from __future__ import annotations

import difflib
import shutil
import sys
import tempfile
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

SUFFIXES = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t", ".parquet": "", ".pq": ""}
"""Endings of files, in small or capital letters, and what stands between their values."""

STDIN = Path("-")
"""Names the standard input, which holds CSV."""


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
        """Return how often each combination of labels occurs, in the columns given and ``rows``.

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
        A path that ends in .csv, .tsv (either may end in .gz) or .parquet; ``-`` for CSV on the standard input; or
        what narwhals takes: a frame of pandas, Polars, PyArrow, Modin, DuckDB, PySpark, Dask and others.

    Raises
    ------
    DataError
        If it is none of these, or cannot be read.
    """
    if isinstance(source, str | Path):
        return _StdinTable() if Path(source) == STDIN else _FileTable(Path(source))
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

    def counts(self, columns: Sequence[Column] | Mapping[str, Column]) -> pl.DataFrame:
        named = _named(columns)
        self.check(list(dict.fromkeys(column.name for column in named.values())))
        names = list(named)
        try:
            labels = self._lazy.select(column.labels().alias(name) for name, column in named.items())
            found = labels.group_by(names).agg(pl.len().cast(pl.Int64).alias("rows")).collect(engine="streaming")
        except (PolarsError, OSError) as error:
            raise _unreadable(self.name, error) from error
        return _counted(found, names, self.name)

    def batches(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        try:
            yield from self._lazy.select(names).collect_batches(maintain_order=True, chunk_size=BATCH)
        except (PolarsError, OSError) as error:
            raise _unreadable(self.name, error) from error

    def distinct(self, names: Sequence[str]) -> int:
        try:
            found = self._lazy.select(names).unique().select(pl.len()).collect(engine="streaming")
        except (PolarsError, OSError) as error:
            raise _unreadable(self.name, error) from error
        return int(found.item())

    def quantiles(self, column: Column, parts: int) -> tuple[float, ...]:
        self.check([column.name])
        value = column.number()
        shares = [part / parts for part in range(1, parts)]
        try:
            found = self._lazy.select(value.quantile(q, "linear").alias(str(q)) for q in shares).collect(
                engine="streaming"
            )
        except (PolarsError, OSError) as error:
            raise _unreadable(self.name, error) from error
        return tuple(sorted({float(edge) for edge in found.row(0) if edge is not None}))


def ending(path: Path) -> str | None:
    """Return which of ``SUFFIXES`` a file's name ends in, None if in none.

    Examples
    --------
    >>> ending(Path("a.CSV.gz")), ending(Path("table.xlsx"))
    ('.csv.gz', None)
    """
    name = path.name.lower()
    return next((suffix for suffix in SUFFIXES if name.endswith(suffix)), None)


class _FileTable(_PolarsTable):
    def __init__(self, path: Path, name: str | None = None) -> None:
        found = ending(path)
        if found is None:
            raise DataError(f"{path} does not end in {', '.join(SUFFIXES)}: convert it, or pass a frame in Python")
        if not path.is_file():
            raise DataError(f"no file {path}: check the path")
        name = name or str(path)
        if separator := SUFFIXES[found]:
            try:
                with path.open("rb") as file:
                    first = file.read(1)
            except OSError as error:
                raise DataError(f"cannot read {path}: {error.strerror}; check who may read it") from error
            if not first:
                raise DataError(f"{name} is empty: it needs a line with the columns' names")
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
        super().__init__(lazy, name)
        for column in self.columns:
            if "_duplicated_" in column and (twice := column.rpartition("_duplicated_")[0]) in self.columns:
                raise DataError(f"{name} has more than one column {twice!r}: rename them")


class _StdinTable(_FileTable):
    """The standard input, kept in a file of its reader's alone, for it is read more than once."""

    def __init__(self) -> None:
        # removed with the last reference to it
        self._file = tempfile.NamedTemporaryFile(prefix="lift-", suffix=".csv")  # noqa: SIM115
        shutil.copyfileobj(sys.stdin.buffer, self._file)
        self._file.flush()
        super().__init__(Path(self._file.name), "the standard input")


class _LazyTable(Table):
    """A frame that lives elsewhere: it counts there; its rows are fetched only to be released."""

    def __init__(self, frame: Any) -> None:
        self._frame, self.name = frame, "the frame"
        self.schema = dict.fromkeys(frame.collect_schema().names(), pl.Null())  # its types are its own

    def counts(self, columns: Sequence[Column] | Mapping[str, Column]) -> pl.DataFrame:
        named = _named(columns)
        raw = list(dict.fromkeys(column.name for column in named.values()))
        self.check(raw)
        found = _polars(self._frame.select(raw).group_by(raw).agg(nw.len().alias("__rows_of_it")).collect())
        try:
            labels = found.select(
                *(column.labels().alias(name) for name, column in named.items()),
                pl.col("__rows_of_it").cast(pl.Int64).alias("rows"),
            )
        except PolarsError as error:
            raise _unreadable(self.name, error) from error
        return _counted(labels.group_by(list(named)).agg(pl.col("rows").sum()), list(named), self.name)

    def batches(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        yield _polars(self._frame.select(names).collect())

    def distinct(self, names: Sequence[str]) -> int:
        return len(_polars(self._frame.select(list(names)).unique().collect()))

    def quantiles(self, column: Column, parts: int) -> tuple[float, ...]:
        self.check([column.name])
        return open_table(_polars(self._frame.select(column.name).collect())).quantiles(column, parts)


def _named(columns: Sequence[Column] | Mapping[str, Column]) -> Mapping[str, Column]:
    return columns if isinstance(columns, Mapping) else {column.name: column for column in columns}


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
        "conversion": "a binned column must hold numbers, or dates such as 2020-01-31; --na names missing texts",
        "compress": "it is not what gzip writes",
    }
    remedy = next((told for said, told in remedies.items() if said in str(error)), "check the file")
    return DataError(f"cannot read {name}: {text}; {remedy}")
