"""Where a table comes from: CSV and Parquet files, read as a stream, or frames of other libraries.

Files go through Polars, lazily: it streams both formats in order, keeps text as it stands (no 007 that becomes 7), and
tells a missing value from an empty text.
"""

from __future__ import annotations

import codecs
import copy
import gzip
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl
from polars.exceptions import PolarsError

from liftlib.errors import DataError
from lifttables.encoding.columns import ROWS, Column
from lifttables.encoding.table import Table, counted, named_columns, polars_of, quantiles_of, unreadable
from lifttables.encoding.text_format import TextFormat
from lifttables.sources.distributed import elsewhere
from lifttables.sources.labelled import LABELLED, is_labelled, read_labelled
from lifttables.sources.widths import BLOCK, check_widths

BATCH = 500_000
"""Rows of a file in memory at a time."""

SUFFIXES = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t", ".parquet": "", ".pq": ""}
"""Endings of files, in small or capital letters, and what stands between their values."""

STDIN = Path("-")
"""Names the standard input, which holds CSV."""


def open_table(source: Any, text_format: TextFormat | None = None) -> Table:
    """Return a table from the path of a file, or from a frame.

    Parameters
    ----------
    source : str, pathlib.Path or frame
        A path that ends in .csv, .tsv (either may end in .gz) or .parquet, or in .dta (Stata) or .sav (SPSS) with the
        extra ``labelled``; ``-`` for CSV on the standard input; or what narwhals takes: a frame of pandas, Polars,
        PyArrow, Modin, DuckDB, PySpark, Dask and others.
    text_format : TextFormat, optional
        How a text table is written; has no meaning for others.

    Raises
    ------
    DataError
        If it is none of these, or cannot be read.
    """
    if isinstance(source, str | Path):
        written = text_format or TextFormat()
        if Path(source) == STDIN:
            return _StdinTable(written)
        path = Path(source)
        if is_labelled(path) and path.is_file():
            return _PolarsTable(read_labelled(path).lazy(), str(path))
        return _FileTable(path, written)
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        return _PolarsTable(source.lazy(), "the frame")
    _check_names(source)
    try:
        frame = nw.from_native(source)
    except TypeError as error:
        raise DataError(
            f"a {type(source).__name__} is no table: give a path, or a frame of pandas, Polars, DuckDB, PySpark or Dask"
        ) from error
    if isinstance(frame, nw.LazyFrame):
        return elsewhere(frame)
    return _PolarsTable(polars_of(frame).lazy(), "the frame")


def _check_names(frame: Any) -> None:
    """Refuse a pandas or Dask frame whose columns have no names of their own, or none that are text."""
    names = list(frame.columns) if hasattr(frame, "columns") and hasattr(frame, "dtypes") else []
    odd = next((name for name in names if not isinstance(name, str)), None)
    if odd is not None:
        raise DataError(f"the frame has a column {odd!r}, whose name is no text: rename it")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"the frame has more than one column {twice!r}: rename them")


def complete(source: Any, table: Table, columns: Sequence[Column]) -> tuple[Any, Table]:
    """Return a source and its table without the rows in which one of some columns' values is missing.

    Parameters
    ----------
    source : str, pathlib.Path or frame
    table : Table
        What :func:`open_table` returns for it.
    columns : sequence of Column
    """
    if isinstance(source, str | Path):
        assert isinstance(table, _PolarsTable)
        return source, table.complete(columns)
    table.check([column.name for column in columns])
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        rows = source.filter(_present(columns))
        return rows, open_table(rows)
    frame = nw.from_native(source)
    if isinstance(frame, nw.LazyFrame):
        present = [~nw.col(column.name).is_null() for column in columns]
        present += [~nw.col(column.name).cast(nw.String).is_in(column.na) for column in columns if column.na]
        native = frame.filter(*present).to_native()
    else:
        needed = polars_of(frame.select([column.name for column in columns]))
        native = frame.filter(needed.select(_present(columns)).to_series().to_list()).to_native()
    return native, open_table(native)


def _present(columns: Sequence[Column]) -> pl.Expr:
    return pl.all_horizontal(column.labels().is_not_null() for column in columns)


class _PolarsTable(Table):
    _needed: tuple[Column, ...] | None = None
    """Rows without a value in one of these columns are left out."""

    def __init__(self, lazy: pl.LazyFrame, name: str) -> None:
        self._lazy, self.name = lazy, name
        try:
            self.schema = dict(lazy.collect_schema())
        except (PolarsError, OSError) as error:
            raise unreadable(name, error) from error

    def _rows(self) -> pl.LazyFrame:
        """Return the rows, all of which can be read."""
        return self._lazy if self._needed is None else self._lazy.filter(_present(self._needed))

    def complete(self, columns: Sequence[Column]) -> _PolarsTable:
        """Return the table without the rows in which one of some columns' values is missing."""
        found = copy.copy(self)
        found._needed = tuple(columns)
        return found

    def counts(self, columns: Sequence[Column] | Mapping[str, Column]) -> pl.DataFrame:
        named = named_columns(columns)
        self.check(list(dict.fromkeys(column.name for column in named.values())))
        names = list(named)
        try:
            labels = self._rows().select(column.labels().alias(name) for name, column in named.items())
            found = labels.group_by(names).agg(pl.len().cast(pl.Int64).alias(ROWS)).collect(engine="streaming")
        except (PolarsError, OSError) as error:
            raise unreadable(self.name, error) from error
        return counted(found, names, self.name)

    def batches(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        try:
            yield from self._rows().select(names).collect_batches(maintain_order=True, chunk_size=BATCH)
        except (PolarsError, OSError) as error:
            raise unreadable(self.name, error) from error

    def distinct(self, names: Sequence[str]) -> int:
        try:
            found = self._rows().select(names).unique().select(pl.len()).collect(engine="streaming")
        except (PolarsError, OSError) as error:
            raise unreadable(self.name, error) from error
        return int(found.item())

    def quantiles(self, column: Column, parts: int) -> tuple[float, ...]:
        self.check([column.name])
        try:
            values = self._rows().select(column.number()).collect(engine="streaming").to_series()
        except (PolarsError, OSError) as error:
            raise unreadable(self.name, error) from error
        return quantiles_of(values, column.name, parts)


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
    def __init__(self, path: Path, written: TextFormat, name: str | None = None) -> None:
        found = ending(path)
        if found is None and not is_labelled(path):
            raise DataError(
                f"{path} does not end in {', '.join((*SUFFIXES, *LABELLED))}: convert it, or pass a frame in Python"
            )
        if found is None or not path.is_file():
            raise DataError(f"no file {path}: check the path")
        name = name or str(path)
        self._separator, self._quote, self._checked = SUFFIXES[found], written.quote, False
        if self._separator:
            self._separator = written.separator or self._separator
            if not written.is_utf8:
                self._utf8 = _in_utf8(path, name, written.encoding, zipped=found.endswith(".gz"))
                path = Path(self._utf8.name)
            self._zipped = written.is_utf8 and found.endswith(".gz")
            try:
                with path.open("rb") as file:
                    first = file.read(2000)
            except OSError as error:
                raise DataError(f"cannot read {path}: {error.strerror}; check who may read it") from error
            _check_text(name, first, self._separator, zipped=self._zipped)
            lazy = pl.scan_csv(
                path,
                separator=self._separator,
                quote_char=self._quote,
                infer_schema=False,
                glob=False,
                extra_columns="raise",
                missing_columns="raise",
            )
        else:
            lazy = pl.scan_parquet(path, glob=False)
        self._path = path
        super().__init__(lazy, name)
        for column in self.columns:
            if "_duplicated_" in column and (twice := column.rpartition("_duplicated_")[0]) in self.columns:
                raise DataError(f"{name} has more than one column {twice!r}: rename them")

    def _rows(self) -> pl.LazyFrame:
        """Return the rows; the first call checks the width of every line, as Polars does only if all columns are read.

        Raises
        ------
        DataError
            If a line of text has more or fewer fields than the header.
        """
        if self._separator and not self._checked:
            try:
                with gzip.open(self._path) if self._zipped else self._path.open("rb") as file:
                    check_widths(file, self.name, self._separator, len(self.columns), self._quote)
            except (OSError, EOFError, zlib.error) as error:
                raise DataError(f"cannot read {self.name}: {error}; check the file") from error
            self._checked = True
        return super()._rows()


def _in_utf8(path: Path, name: str, encoding: str, *, zipped: bool) -> Any:
    """Return a file in UTF-8 of its reader's alone, which is removed with the last reference to it.

    Raises
    ------
    DataError
        If the text is not of this encoding, or cannot be read.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    target = tempfile.NamedTemporaryFile(prefix="lift-", suffix=".csv")  # noqa: SIM115
    try:
        with gzip.open(path) if zipped else path.open("rb") as file:
            while block := file.read(BLOCK):
                target.write(decoder.decode(block).encode())
            target.write(decoder.decode(b"", final=True).encode())
    except UnicodeError as error:
        raise DataError(f"cannot read {name}: it is not {encoding} ({error}); name another --encoding") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"cannot read {name}: {error}; check the file") from error
    target.flush()
    return target


TAB = "\t"

KINDS = {
    b"\xff\xfe": "UTF-16: name its encoding (--encoding utf-16)",
    b"\xfe\xff": "UTF-16: name its encoding (--encoding utf-16)",
    b"PK\x03\x04": "a spreadsheet or a zip archive: export the table as CSV",
    b"\x1f\x8b": "gzipped: let its name end in .gz",
    b"PAR1": "Parquet: let its name end in .parquet",
    b"SQLite format 3": "a database: export the table as CSV",
}
"""What files begin with that are not what their name says."""


def _check_text(name: str, first: bytes, separator: str, *, zipped: bool) -> None:
    """Refuse a file that is no table of text, by how it begins.

    Raises
    ------
    DataError
        With what it is, and what to do.
    """
    if not first:
        raise DataError(f"{name} is empty: it needs a line with the columns' names")
    if zipped:
        return
    for begins, what in KINDS.items():
        if first.startswith(begins):
            raise DataError(f"{name} is {what}")
    header, ended, _ = first.partition(b"\n")
    if b"\r" in header.removesuffix(b"\r"):
        raise DataError(f"{name} ends its lines with carriage returns alone: save it with line feeds")
    other = next((one for one in (";", "\t", "|", ",") if one != separator and header.count(one.encode()) > 0), None)
    if separator.encode() not in header and other is not None and ended:
        raise DataError(
            f"{name} has values with {other!r} between them, not {separator!r}: name the separator "
            f"(--separator {'tab' if other == TAB else repr(other)})"
        )


class _StdinTable(_FileTable):
    """The standard input, kept in a file of its reader's alone, for it is read more than once."""

    def __init__(self, written: TextFormat) -> None:
        # removed with the last reference to it
        self._file = tempfile.NamedTemporaryFile(prefix="lift-", suffix=".csv")  # noqa: SIM115
        shutil.copyfileobj(sys.stdin.buffer, self._file)
        self._file.flush()
        super().__init__(Path(self._file.name), written, "the standard input")
