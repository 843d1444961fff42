"""File formats by the ending of a file's name: each says how it is scanned and how it
is written.

Polars is imported when a file is read or written, because a browser has none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lifttables.extras import extra

STDIN = Path("-")  # CSV on the standard input


class Format(ABC):
    """A type of file that holds a table."""

    writable = True

    @abstractmethod
    def scan(self, path: Path) -> Any:
        """Return a file's rows as a lazy frame of Polars, with an error of Polars if it
        is invalid.
        """

    def write(self, rows: Any, path: Path) -> None:
        """Write a lazy frame of Polars to a file, with an error of Polars or OSError if
        this fails.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Text(Format):
    """A text table; all its values are texts, so that 007 does not become 7."""

    separator: str
    zipped: bool = False

    def scan(self, path: Path) -> Any:  # noqa: D102
        import polars as pl  # noqa: PLC0415

        return pl.scan_csv(
            path,
            separator=self.separator,
            infer_schema=False,
            glob=False,
            extra_columns="raise",
            missing_columns="raise",
        )

    def write(self, rows: Any, path: Path) -> None:  # noqa: D102
        compression: Literal["gzip", "uncompressed"] = (
            "gzip" if self.zipped else "uncompressed"
        )
        rows.sink_csv(
            path,
            separator=self.separator,
            compression=compression,
            check_extension=False,
        )


class Parquet(Format):
    """A Parquet file."""

    def scan(self, path: Path) -> Any:  # noqa: D102
        import polars as pl  # noqa: PLC0415

        return pl.scan_parquet(path, glob=False)

    def write(self, rows: Any, path: Path) -> None:  # noqa: D102
        rows.sink_parquet(path)


class Excel(Format):
    """The first sheet of an Excel file, whose first row has the names; read only, and
    its values are texts.
    """

    writable = False

    def scan(self, path: Path) -> Any:  # noqa: D102
        with extra("tables"):
            import fastexcel  # noqa: PLC0415

        try:
            sheet = fastexcel.read_excel(path).load_sheet(0, dtypes="string")
        except fastexcel.FastExcelError as error:
            raise ValueError(str(error).splitlines()[0]) from error
        return sheet.to_polars().lazy()


FORMATS: dict[str, Format] = {
    ".csv": Text(","),
    ".tsv": Text("\t"),
    ".csv.gz": Text(",", zipped=True),
    ".tsv.gz": Text("\t", zipped=True),
    ".parquet": Parquet(),
    ".pq": Parquet(),
    ".xlsx": Excel(),
}


def ending(path: Path) -> str | None:
    """Return the element of ``FORMATS`` that a file name ends in, or None.

    >>> ending(Path("a.CSV.gz")), ending(Path("table.ods"))
    ('.csv.gz', None)
    """
    name = path.name.lower()
    return next((suffix for suffix in FORMATS if name.endswith(suffix)), None)


def readable() -> str:
    """Return the endings of the files that can be read, in words."""
    return ", ".join(FORMATS)


def writable() -> str:
    """Return the endings of the files that can be written, in words."""
    return ", ".join(suffix for suffix, kind in FORMATS.items() if kind.writable)
