"""The stored long runs of designs, audits and kernels.

Each line is one table. ``python -m liftbook.figures.population.stored`` computes missing lines and can be interrupted:
a line is written once its table is done. Runs are listed in ``data/ledger-runs.csv`` with their versions.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from liftbook.figures.population.coverage import AUDITED, audited_table
from liftbook.figures.population.designs import DESIGNS, LAWS, NOTIONS, WAYS, judged, judged_ways, told
from liftbook.figures.population.losses import SHAPES, VARIANTS, losses
from liftbook.figures.population.neighbours import KERNELS, neighbours_of
from liftbook.rows.stores import append_until, this_run, write_rows
from liftlib.errors import DataError
from liftlib.resources import resource
from lifttables.audits.measuring import MEASURES
from mixproof.numerics import KEEP_TOL

SIZES = (300, 1_000, 10_000, 100_000)
"""Rows of a table."""

N_SEEDS = 200
"""Tables of each law and size."""

SMALL_LAWS = tuple(law for law in LAWS if law != "Adult, 6x15")
"""Distributions whose designs are fast; Adult's take much longer."""

N_SEEDS_ADULT = 40
"""Tables of Adult per size for notions other than the first."""

MORE_ROWS = (300, 3_000, 30_000, 300_000)
"""Numbers of rows of the tables with neighbours."""

N_SEEDS_NEIGHBOURS = 2
"""Tables with neighbours per law and size."""

LOSSES_AT = 2_000
"""Rows of the tables on which bounds are compared."""

Key = tuple[str, ...]
Wanted = Iterator[tuple[Key, Callable[[], list[dict[str, Any]]]]]


class LongRun(NamedTuple):
    """A file of results: one line per table, two numbers per trial.

    ``keys`` identify a table; ``values`` name the two numbers of each trial in ``tried``; ``wanted`` yields each
    table's key and a function that computes its rows, in file order.
    """

    name: str
    keys: tuple[str, ...]
    tried: tuple[str, ...]
    values: tuple[str, str]
    wanted: Callable[[], Wanted]

    @property
    def path(self) -> Path:
        """The path of the file."""
        return resource("data/claims.csv").with_name(self.name)

    @property
    def header(self) -> list[str]:
        """The file's columns."""
        return ["run", *self.keys, *(f"{variant} {value}" for variant in self.tried for value in self.values)]

    def lines(self) -> list[list[str]]:
        """Return the file's lines, without the header and any incomplete last line.

        Raises
        ------
        DataError
            If the file has unexpected columns or tables, which a run would drop.
        """
        if not self.path.exists():
            return []
        with self.path.open(encoding="utf-8", newline="") as file:
            header, *lines = list(csv.reader(file)) or [self.header]
        if header != self.header:
            odd = sorted(set(header) ^ set(self.header)) or ["their order"]
            raise DataError(
                f"{self.path} has columns that its figure does not have ({', '.join(odd)}): rename "
                "them, or move the file away to compute all rows again"
            )
        if lines and len(lines[-1]) != len(header):
            lines.pop()
        wanted = {key for key, _ in self.wanted()}
        for at, line in enumerate(lines, 2):
            if len(line) != len(header) or self.key(line) not in wanted:
                raise DataError(
                    f"{self.path}, line {at}: {','.join(line)[:60]!r} is not a table that its figure uses: add it "
                    "to the figure, or delete the line"
                )
        return lines

    def write(self, lines: Sequence[Sequence[str]]) -> None:
        """Rewrite the file in the order of ``wanted``."""
        order = {key: at for at, (key, _) in enumerate(self.wanted())}
        ordered = sorted(lines, key=lambda line: order[self.key(line)])
        write_rows(self.path, self.header, ordered)

    def key(self, line: Sequence[str]) -> Key:
        """Return the key of a line's table."""
        return tuple(line[1 : 1 + len(self.keys)])

    def run(self, ends: float, only: str = "") -> None:
        """Compute missing tables whose key contains ``only``, until the time ``ends``."""
        lines = self.lines()
        stored = {self.key(line) for line in lines}
        self.write(lines)
        lacking = (
            partial(self._line, key, compute)
            for key, compute in self.wanted()
            if key not in stored and only in " ".join(key)
        )
        append_until(ends, self.path, lacking)
        self.write(self.lines())

    def _line(self, key: Key, compute: Callable[[], list[dict[str, Any]]]) -> list[str]:
        values = [f"{row[value]:.4g}" for row in compute() for value in self.values]
        return [this_run(), *key, *values]

    def read(self) -> pd.DataFrame:
        """Return the file as a data frame with one row per table and trial."""
        wide = pd.DataFrame(self.lines(), columns=self.header).astype({"rows": int, "seed": int})
        parts = []
        for place, variant in enumerate(self.tried):
            part = wide[["run", *self.keys]].assign(tried=variant)
            for value in self.values:
                part[value] = wide[f"{variant} {value}"].astype(float)
            parts.append(part.assign(place=place))
        table = pd.concat(parts, ignore_index=True).reset_index(names="line")
        table["line"] %= max(1, len(wide))
        return table.sort_values(["line", "place"], ignore_index=True).drop(columns=["line", "place"])


def _tables(compute: Callable[[Any], list[dict[str, Any]]], seeds: int, *parts: Iterable[Any]) -> Wanted:
    """Yield each table's key and computation, seed by seed."""
    for seed, *others in itertools.product(range(seeds), *parts):
        table = (*others, seed)
        yield tuple(one if isinstance(one, str) else repr(one) for one in table), partial(compute, table)


def _designs() -> Wanted:
    first, *others = NOTIONS
    yield from _tables(judged, N_SEEDS, [first], LAWS, SIZES)
    yield from _tables(judged, N_SEEDS, others, SMALL_LAWS, SIZES)
    yield from _tables(judged, N_SEEDS_ADULT, others, sorted(set(LAWS) - set(SMALL_LAWS)), SIZES)


def _kernel(release: tuple[str, str, int, int]) -> list[dict[str, Any]]:
    return [neighbours_of(release)]


TABLE = ("law", "rows", "seed")
OF_DESIGNS = LongRun("population.csv", ("notion", *TABLE), tuple(DESIGNS), ("over", "nmi"), _designs)
OF_WAYS = LongRun("ways.csv", TABLE, WAYS, ("over", "nmi"), partial(_tables, judged_ways, N_SEEDS, LAWS, SIZES))
OF_AUDITS = LongRun(
    "coverage.csv", TABLE, MEASURES, ("covered", "width"), partial(_tables, audited_table, N_SEEDS, AUDITED, SIZES)
)
OF_LOSSES = LongRun(
    "losses.csv", TABLE, tuple(VARIANTS), ("over", "retained"), partial(_tables, losses, N_SEEDS, SHAPES, [LOSSES_AT])
)
OF_KERNELS = LongRun(
    "kernels.csv",
    ("kind", *TABLE),
    ("neighbours",),
    ("same", "of"),
    partial(_tables, _kernel, N_SEEDS_NEIGHBOURS, KERNELS, SMALL_LAWS, MORE_ROWS),
)


def stored_designs() -> pd.DataFrame:
    """Return the long run of :func:`~.designs.population_designs`."""
    rows = OF_DESIGNS.read().rename(columns={"tried": "design"})
    return rows.assign(kept=rows["over"] <= KEEP_TOL)


def stored_ways() -> pd.DataFrame:
    """Return the long run of :func:`~.designs.population_ways`, at confidence 0.95."""
    return told(OF_WAYS.read().rename(columns={"tried": "design"}))


def stored_coverage() -> pd.DataFrame:
    """Return the long run of :func:`~.coverage.interval_coverage`, at level 0.95."""
    rows = OF_AUDITS.read().rename(columns={"tried": "measure"})
    return rows.assign(covered=rows["covered"] == 1)


def stored_losses() -> pd.DataFrame:
    """Return the long run of :func:`~.losses.population_losses`, at confidence 0.95."""
    rows = OF_LOSSES.read().rename(columns={"tried": "bounds"})
    return rows.assign(kept=rows["over"] <= KEEP_TOL)


def stored_kernels() -> pd.DataFrame:
    """Return the long run of :func:`~.neighbours.kernels_of_neighbours`."""
    return OF_KERNELS.read().drop(columns=["tried"]).astype({"same": int, "of": int})


def main() -> int:
    """Compute the tables that are not stored yet."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=float("inf"), help="stop after this long")
    options.add_argument("--only", default="", help="tables whose notion, law, rows and seed contain this word")
    given = options.parse_args()
    ends = time.monotonic() + 60 * given.minutes
    for long_run in (OF_AUDITS, OF_KERNELS, OF_LOSSES, OF_WAYS, OF_DESIGNS):
        long_run.run(ends, given.only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
