"""Rows released through a design: which columns are published, in which order, and streamed to a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import polars as pl
from polars.exceptions import PolarsError
from polars.io.plugins import register_io_source

from liftlib.channel import Uniform
from liftlib.errors import DataError
from liftlib.tables.designing import Design, Unseen
from liftlib.tables.source import SUFFIXES, Table

Formulas = Literal["error", "quote", "keep"]


def check_keep(table: Table, made: Design, keep: Sequence[str]) -> None:
    """Refuse to publish as they are: columns that are not there, the secret, and what is released.

    Raises
    ------
    DataError
        With the column.
    """
    table.check(list(keep))
    for name in keep:
        if name in made.secret.names:
            raise DataError(f"--keep names the secret {name!r}: it is not published")
        if name in made.public.names or name == made.released_name:
            raise DataError(f"--keep names {name!r}, which is released through the channel: leave it out")


def check_suffix(path: Path) -> None:
    """Refuse a file whose ending does not say how to write it."""
    if path.suffix not in SUFFIXES:
        raise DataError(f"{path} does not end in {', '.join(SUFFIXES)}: the ending says how to write it")


def without_formulas(made: Design, formulas: Formulas) -> Design:
    """Return the design with texts that no spreadsheet takes for a formula.

    Raises
    ------
    DataError
        If there are some and ``formulas`` is ``"error"``, or the column's name is one.
    """
    risky = [text for text in (made.released_name, *made.outputs) if _is_formula(text)]
    if not risky or formulas == "keep":
        return made
    if formulas == "error":
        raise DataError(
            f"{risky[0]!r} would be a formula in a spreadsheet: put an apostrophe before it (--formulas quote) or "
            "publish it as it is (--formulas keep)"
        )
    if _is_formula(made.released_name):
        raise DataError(f"the column's name {made.released_name!r} is a formula to a spreadsheet: rename it")
    return replace(made, outputs=tuple(f"'{text}" if _is_formula(text) else text for text in made.outputs))


def _is_formula(text: str) -> bool:
    if text[:1] in ("-", "+"):
        try:
            float(text)
        except ValueError:
            return True
        return False
    return text[:1] in ("=", "@", "\t", "\r")


def released(table: Table, made: Design, rng: Uniform, keep: Sequence[str], unseen: Unseen) -> Iterator[pl.DataFrame]:
    """Give the published rows, in order, a batch at a time."""
    names = list(dict.fromkeys([*made.columns_needed(), *keep]))
    for rows in table.batches(names):
        column = made.release(rows, rng, unseen).to_frame()
        yield pl.concat([rows.select(keep), column], how="horizontal").select(published(table, made, keep))


def published(table: Table, made: Design, keep: Sequence[str]) -> list[str]:
    """Return the published columns in the table's order, the released one where the first public column was."""
    places = {name: name for name in keep} | {made.public.names[0]: made.released_name}
    return [places[name] for name in table.columns if name in places]


def write(table: Table, made: Design, path: Path, rng: Uniform, keep: Sequence[str], unseen: Unseen) -> None:
    """Stream the released rows to a file, in order.

    Raises
    ------
    DataError
        If the file cannot be written.
    """
    failures: list[BaseException] = []
    schema = {name: table.schema.get(name, pl.String()) for name in published(table, made, keep)}
    schema[made.released_name] = pl.String()

    def rows(with_columns: list[str] | None, *_: object) -> Iterator[pl.DataFrame]:
        try:
            for batch in released(table, made, rng, keep, unseen):
                yield batch if with_columns is None else batch.select(with_columns)
        except BaseException as error:  # Polars would wrap it: kept, to be raised as it is
            failures.append(error)
            raise

    lazy = register_io_source(rows, schema=schema)
    try:
        if SUFFIXES[path.suffix]:
            lazy.sink_csv(path, separator=SUFFIXES[path.suffix])
        else:
            lazy.sink_parquet(path)
    except (PolarsError, OSError) as error:
        if failures:
            raise failures[0] from None
        raise DataError(f"cannot write {path}: {error}") from error
