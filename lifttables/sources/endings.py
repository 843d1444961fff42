"""File formats by the extension of a file name."""

from __future__ import annotations

from pathlib import Path

# extensions and separators
SUFFIXES = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t", ".parquet": "", ".pq": ""}

STDIN = Path("-")  # CSV on the standard input


def ending(path: Path) -> str | None:
    """Return the element of ``SUFFIXES`` that a file name ends in, or None.

    >>> ending(Path("a.CSV.gz")), ending(Path("table.xlsx"))
    ('.csv.gz', None)
    """
    name = path.name.lower()
    return next((suffix for suffix in SUFFIXES if name.endswith(suffix)), None)
