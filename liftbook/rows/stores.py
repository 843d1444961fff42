"""CSV files that long runs write row by row and can continue."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

RELATIVE = 1e-6
"""Relative tolerance of recomputed numbers: a solver's last digits differ between machines."""


def write_rows(path: Path, header: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a whole file anew."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def append_row(path: Path, row: Iterable[object]) -> None:
    """Add one row to a file."""
    with path.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(row)


def append_until(ends: float, path: Path, computations: Iterable[Callable[[], Iterable[object]]]) -> None:
    """Compute and append rows until ``time.monotonic()`` is past ``ends``."""
    for compute in computations:
        if time.monotonic() > ends:
            return
        append_row(path, compute())
