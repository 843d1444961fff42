"""One store of long runs: CSV files of computed values, which ``liftbook store``
completes.

A file has one line per key, with the run that computed it; ``data/ledger-runs.csv``
lists the versions of each run. A run can be interrupted at any time: each line is
written at once, and the next run continues.
"""

from __future__ import annotations

import csv
import io
import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from liftlib.errors import DataError
from liftlib.resources import resource
from mixproof.numerics import Mask, Vector

RELATIVE = 1e-6
"""Relative tolerance of recomputed numbers: a solver's last digits differ between
machines.
"""

Key = tuple[str, ...]
Wanted = Iterable[tuple[Key, Callable[[], Sequence[object]]]]


def near(new: ArrayLike, old: ArrayLike, relative: Vector | float = RELATIVE) -> Mask:
    """Return which recomputed numbers equal the stored ones, up to solver noise.

    Examples
    --------
    >>> near([1.0, 1.0, np.nan, np.inf], [1 + 1e-7, 1 + 1e-5, np.nan, np.inf]).tolist()
    [True, False, True, True]
    """
    first, second = np.asarray(new, dtype=np.float64), np.asarray(old, dtype=np.float64)
    size = np.maximum(1e-3, np.maximum(np.abs(first), np.abs(second)))
    with np.errstate(invalid="ignore"):  # where both are infinite
        close = np.abs(first - second) <= relative * size
    return np.asarray(close | (first == second) | (np.isnan(first) & np.isnan(second)))


class Store(NamedTuple):
    """A file of ``data``, with a line of text per key.

    Attributes
    ----------
    name : str
        The file's path in ``data``.
    keys : tuple of str
        The columns that identify a line.
    columns : tuple of str
        All columns in their order; one of them is ``run``.
    wanted : callable
        Returns the keys in the order of the file, each with a function that computes
        the line's other values.
    """

    name: str
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    wanted: Callable[[], Wanted]

    @property
    def path(self) -> Path:
        """The path of the file, whether or not it exists."""
        return resource("data/claims.csv").parent / self.name

    @property
    def values(self) -> tuple[str, ...]:
        """The computed columns."""
        return tuple(
            column for column in self.columns if column not in (*self.keys, "run")
        )

    def key(self, row: Mapping[str, str]) -> Key:
        """Return the key of a row."""
        return tuple(row[name] for name in self.keys)

    def rows(self) -> list[dict[str, str]]:
        """Return the file's rows, without a last line that was cut off.

        Raises
        ------
        DataError
            If the file has unexpected columns or keys, which a run would drop.
        """
        if not self.path.exists():
            return []
        text = self.path.read_text(encoding="utf-8")
        lines = csv.reader(io.StringIO(text[: text.rfind("\n") + 1]))
        header = tuple(next(lines, self.columns))
        if header != self.columns:
            odd = sorted(set(header) ^ set(self.columns)) or ["their order"]
            raise DataError(
                f"{self.path} has columns that are not computed ({', '.join(odd)}):"
                " rename them, or move the file away to compute all rows again"
            )
        wanted, rows = {key for key, _ in self.wanted()}, []
        for at, line in enumerate(lines, 2):
            row = dict(zip(self.columns, line, strict=False))
            if len(line) != len(header) or self.key(row) not in wanted:
                raise DataError(
                    f"{self.path}, line {at}: nothing uses {','.join(line)[:60]!r}:"
                    " delete the line, or name it where it is used"
                )
            rows.append(row)
        return rows

    def write(self, rows: Iterable[Mapping[str, str]]) -> None:
        """Rewrite the file in the order of ``wanted``."""
        order = {key: at for at, (key, _) in enumerate(self.wanted())}
        with self.path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, self.columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(sorted(rows, key=lambda row: order[self.key(row)]))

    def complete(self, ends: float, only: str = "") -> None:
        """Compute missing lines whose key contains ``only``, until ``time.monotonic()``
        is past ``ends``.

        Seeds are computed in ascending order, so that an interrupted run has the first
        ones of everything.
        """
        rows = self.rows()
        self.write(rows)
        there = {self.key(row) for row in rows}
        lacking = [
            one
            for one in self.wanted()
            if one[0] not in there and only in " ".join(one[0])
        ]
        if "seed" in self.keys:
            seed = self.keys.index("seed")
            lacking.sort(key=lambda one: int(one[0][seed]))
        for key, compute in lacking:
            if time.monotonic() > ends:
                break
            found = dict(
                zip((*self.keys, *self.values), (*key, *compute()), strict=True)
            )
            _append(
                self.path,
                [
                    this_run() if column == "run" else found[column]
                    for column in self.columns
                ],
            )
        self.write(self.rows())

    def forget(self, part: str) -> None:
        """Delete the lines whose key contains ``part``, so that they are computed
        again.
        """
        self.write(row for row in self.rows() if part not in " ".join(self.key(row)))


def _append(path: Path, row: Iterable[object]) -> None:
    with path.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(row)


def this_run() -> str:
    """Return the name of the current versions' row in the ledger, added if missing."""
    path = resource("data/ledger-runs.csv")
    versions = [version(name) for name in ("liftlib", "numpy", "scipy", "highspy")]
    row = [
        platform.python_version(),
        *versions,
        f"{platform.system()} {platform.machine()}",
    ]
    with path.open(encoding="utf-8", newline="") as file:
        runs = list(csv.reader(file))[1:]
    for known in runs:
        if known[1:] == row:
            return known[0]
    name = str(len(runs) + 1)
    _append(path, [name, *row])
    return name
