"""The stored long runs of designs and audits: each line is one table."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import pandas as pd

from liftbook.figures.population.coverage import AUDITED, audited_table
from liftbook.figures.population.designs import DESIGNS, LAWS, NOTIONS, judged
from liftbook.rows.stores import Key, Store, Wanted
from lifttables.audits.measuring import MEASURES
from mixproof.numerics import KEEP_TOL

Compute = Callable[[Any], list[dict[str, Any]]]
Tables = Iterator[tuple[Compute, tuple[Any, ...]]]

SIZES = (300, 1_000, 10_000, 100_000)
"""Rows of a table."""

N_SEEDS = 200
"""Tables of each law and size."""

SMALL_LAWS = tuple(law for law in LAWS if law != "Adult, 6x15")
"""Distributions whose designs are fast; Adult's take much longer."""

N_SEEDS_ADULT = 40
"""Tables of Adult per size for notions other than the first."""

TABLE = ("law", "rows", "seed")


def _run(
    name: str,
    keys: Key,
    tried: Iterable[str],
    values: Sequence[str],
    tables: Callable[[], Tables],
) -> Store:
    """Return the store of a long run, whose lines have the named values of each trial
    of a table.
    """
    columns = ["run", *keys]
    for trial in tried:
        columns += [f"{trial} {value}" for value in values]

    def line(compute: Compute, table: tuple[Any, ...]) -> list[str]:
        written = []
        for row in compute(table):
            written += [f"{row[value]:.4g}" for value in values]
        return written

    def wanted() -> Wanted:
        for compute, table in tables():
            key = tuple(one if isinstance(one, str) else repr(one) for one in table)
            yield key, partial(line, compute, table)

    return Store(name, keys, tuple(columns), wanted)


def _read(store: Store) -> pd.DataFrame:
    """Return a long run with one row per table and trial."""
    lines = pd.DataFrame(store.rows(), columns=store.columns).astype(
        {"rows": int, "seed": int}
    )
    wide = lines.set_index(["run", *store.keys]).astype(float)
    wide.columns = pd.MultiIndex.from_tuples(
        [tuple(name.rsplit(" ", 1)) for name in store.values], names=["tried", None]
    )
    # two values at once, in their order
    return wide.stack("tried", future_stack=True).reset_index()  # noqa: PD013


def _tables(compute: Compute, seeds: int, *parts: Iterable[Any]) -> Tables:
    """Yield each table and its computation, seed by seed."""
    for seed, *others in itertools.product(range(seeds), *parts):
        yield compute, (*others, seed)


def _designs() -> Tables:
    first, *others = NOTIONS
    yield from _tables(judged, N_SEEDS, [first], LAWS, SIZES)
    yield from _tables(judged, N_SEEDS, others, SMALL_LAWS, SIZES)
    yield from _tables(
        judged, N_SEEDS_ADULT, others, sorted(set(LAWS) - set(SMALL_LAWS)), SIZES
    )


OF_DESIGNS = _run(
    "population.csv", ("notion", *TABLE), DESIGNS, ("over", "nmi"), _designs
)
OF_AUDITS = _run(
    "coverage.csv",
    TABLE,
    MEASURES,
    ("covered", "width"),
    partial(_tables, audited_table, N_SEEDS, AUDITED, SIZES),
)


def stored_designs() -> pd.DataFrame:
    """Return the long run of :func:`~.designs.population_designs`."""
    rows = _read(OF_DESIGNS).rename(columns={"tried": "design"})
    return rows.assign(kept=rows["over"] <= KEEP_TOL)


def stored_coverage() -> pd.DataFrame:
    """Return the long run of :func:`~.coverage.interval_coverage`, at level 0.95."""
    rows = _read(OF_AUDITS).rename(columns={"tried": "measure"})
    return rows.assign(covered=rows["covered"] == 1)
