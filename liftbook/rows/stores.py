"""CSV files of long runs, written row by row, and the versions of the runs."""

from __future__ import annotations

import csv
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

from liftlib.resources import resource

RELATIVE = 1e-6
"""Relative tolerance of recomputed numbers: a solver's last digits differ between machines."""


def write_rows(path: Path, header: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a file with a header and rows."""
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


def this_run() -> str:
    """Return the name of the current versions' row in the ledger, added if missing."""
    path = resource("data/ledger-runs.csv")
    versions = [version(name) for name in ("liftlib", "numpy", "scipy", "highspy")]
    row = [platform.python_version(), *versions, f"{platform.system()} {platform.machine()}"]
    with path.open(encoding="utf-8", newline="") as file:
        runs = list(csv.reader(file))[1:]
    for known in runs:
        if known[1:] == row:
            return known[0]
    name = str(len(runs) + 1)
    append_row(path, [name, *row])
    return name
