"""Tables in files.

Polars reads text lazily and without conversion (007 does not become 7), and
distinguishes missing values from empty texts.
"""

from __future__ import annotations

import codecs
import gzip
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from liftlib.errors import DataError
from lifttables.encoding.table import Rows, reading
from lifttables.encoding.text_format import TextFormat
from lifttables.files import check_name
from lifttables.sources.formats import FORMATS, STDIN, Text, ending, readable
from lifttables.sources.polars_rows import PolarsTable
from lifttables.sources.widths import BLOCK_BYTES, check_widths


def open_file(path: Path, written: TextFormat) -> PolarsTable:
    """Return the table in a file or on the standard input."""
    if path == STDIN:
        return _StdinTable(written)
    check_name(path)
    return _FileTable(path, written)


class _FileTable(PolarsTable):
    def __init__(
        self, path: Path, written: TextFormat, name: str | None = None
    ) -> None:
        suffix = ending(path)
        if suffix is None:
            raise DataError(
                f"{path} does not end in {readable()}: convert it, or pass a frame in"
                " Python"
            )
        if not path.is_file():
            raise DataError(f"no file {path}: check the path")
        name = name or str(path)
        kind, self._text, self._checked = FORMATS[suffix], None, False
        if isinstance(kind, Text):
            separator, zipped = written.separator or kind.separator, kind.zipped
            if not written.is_utf8:
                self._utf8 = _in_utf8(path, name, written.encoding, zipped=zipped)
                path, zipped = Path(self._utf8.name), False
            kind = self._text = Text(separator, zipped)
            try:
                with path.open("rb") as file:
                    first = file.read(2000)
            except OSError as error:
                raise DataError(
                    f"cannot read {path}: {error.strerror}; check who may read it"
                ) from error
            _check_text(name, first, separator, zipped=zipped)
        with reading(name):
            lazy = kind.scan(path)
        self._path = path
        super().__init__(lazy, name)
        for column in self.columns:
            if (
                "_duplicated_" in column
                and (twice := column.rpartition("_duplicated_")[0]) in self.columns
            ):
                raise DataError(
                    f"{name} has more than one column {twice!r}: rename them"
                )

    def read(self, names: Sequence[str]) -> Rows:
        """Return all rows; the first call checks the number of fields in every line."""
        if self._text is not None and not self._checked:
            with _opened(self._path, self.name, zipped=self._text.zipped) as file:
                check_widths(file, self.name, self._text.separator, len(self.columns))
            self._checked = True
        return super().read(names)


@contextmanager
def _opened(path: Path, name: str, *, zipped: bool) -> Iterator[Any]:
    """Yield an open binary file; a DataError is raised if it cannot be read."""
    try:
        with gzip.open(path) if zipped else path.open("rb") as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"cannot read {name}: {error}; check the file") from error


def _kept_while_used() -> Any:
    """Return a private temporary file, removed with the last reference to it."""
    return tempfile.NamedTemporaryFile(prefix="lift-", suffix=".csv")


def _in_utf8(path: Path, name: str, encoding: str, *, zipped: bool) -> Any:
    """Return a private temporary copy in UTF-8, deleted with the last
    reference to it.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    target = _kept_while_used()
    try:
        with _opened(path, name, zipped=zipped) as file:
            while block := file.read(BLOCK_BYTES):
                target.write(decoder.decode(block).encode())
            target.write(decoder.decode(b"", final=True).encode())
    except UnicodeError as error:
        raise DataError(
            f"cannot read {name}: it is not {encoding} ({error}); name another encoding"
        ) from error
    target.flush()
    return target


TAB = "\t"

# first bytes of files whose name is wrong
FILE_SIGNATURES = {
    b"\xff\xfe\0\0": "UTF-32: name its encoding, utf-32",
    b"\xff\xfe": "UTF-16: name its encoding, utf-16",
    b"\xfe\xff": "UTF-16: name its encoding, utf-16",
    b"PK\x03\x04": (
        "a spreadsheet or a zip archive: let an Excel file's name end in .xlsx, or"
        " export it as CSV"
    ),
    b"\x1f\x8b": "gzipped: let its name end in .gz",
    b"PAR1": "Parquet: let its name end in .parquet",
    b"SQLite format 3": "a database: export the table as CSV",
}


def _check_text(name: str, first: bytes, separator: str, *, zipped: bool) -> None:
    """Raise DataError if a file does not start like a text table."""
    if not first:
        raise DataError(f"{name} is empty: it needs a line with the columns' names")
    if zipped:
        return
    for begins, what in FILE_SIGNATURES.items():
        if first.startswith(begins):
            raise DataError(
                f"{name} is {what}", arguments=("encoding",) * ("encoding" in what)
            )
    header, ended, _ = first.partition(b"\n")
    if b"\r" in header.removesuffix(b"\r"):
        raise DataError(
            f"{name} ends its lines with carriage returns alone: save it with line"
            " feeds"
        )
    other = next(
        (
            mark
            for mark in (";", "\t", "|", ",")
            if mark != separator and header.count(mark.encode()) > 0
        ),
        None,
    )
    if separator.encode() not in header and other is not None and ended:
        raise DataError(
            f"{name} has values with {other!r} between them, not {separator!r}: name"
            f" the separator, {'tab' if other == TAB else repr(other)}",
            arguments=("separator",),
        )


class _StdinTable(_FileTable):
    """The standard input, kept in a private temporary file to be read repeatedly."""

    def __init__(self, written: TextFormat) -> None:
        self._file = _kept_while_used()
        shutil.copyfileobj(sys.stdin.buffer, self._file)
        self._file.flush()
        super().__init__(Path(self._file.name), written, "the standard input")
