"""Release of rows to a file: drawn, shuffled and written as a stream."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from polars.exceptions import PolarsError
from polars.io.plugins import register_io_source

from liftlib.channel import Uniform
from liftlib.errors import DataError
from lifttables.designs.designing import Design
from lifttables.designs.publishing import published
from lifttables.sources.formats import FORMATS, ending, writable
from lifttables.sources.polars_rows import BATCH_ROWS, PolarsTable, texts_of
from lifttables.sources.randomness import permutation

# number of files to which rows are distributed for shuffling, if there is more than one
# batch
SHUFFLE_FILES = 64
MAX_BYTES_HELD = 64_000_000  # bytes of rows in memory before they go to these files
OUTPUT_COLUMN = "\0output"  # column of output indices, which become texts at the end


def check_suffix(path: Path) -> None:
    """Raise DataError if a file name's ending is not a supported format."""
    suffix = ending(path)
    if suffix is None:
        raise DataError(
            f"{path} does not end in {writable()}: the ending says how to write it"
        )
    if not FORMATS[suffix].writable:
        raise DataError(
            f"{suffix} files are only read: write {path.stem}.csv, which spreadsheets"
            f" open, or {path.stem}.parquet"
        )


def _drawn(table: PolarsTable, design: Design, rng: Uniform) -> Iterator[pl.DataFrame]:
    """Yield batches of output indices, in the source's order."""
    small = next(
        kind
        for kind in (np.uint8, np.uint16, np.int64)
        if design.channel.n_outputs <= np.iinfo(kind).max
    )
    for rows in table.batches(design.public.names):
        yield pl.DataFrame({OUTPUT_COLUMN: design.draw(rows, rng).astype(small)})


def shuffled(
    batches: Iterator[pl.DataFrame], rng: Uniform, folder: Path
) -> Iterator[pl.DataFrame]:
    """Yield the rows of batches in uniformly random order, in bounded memory.

    Rows are distributed to ``SHUFFLE_FILES`` files at random, and each file is
    shuffled.
    """
    first = next(batches, None)
    if first is None:
        return
    second = next(batches, None)
    if second is None:
        yield first[permutation(len(first), rng)]
        return
    with tempfile.TemporaryDirectory(prefix=".shuffling.", dir=folder) as aside:
        held: list[list[pl.DataFrame]] = [[] for _ in range(SHUFFLE_FILES)]
        size = 0.0
        for number, batch in enumerate(itertools.chain([first, second], batches)):
            parts = np.minimum(
                rng.random(len(batch)) * SHUFFLE_FILES, SHUFFLE_FILES - 1
            ).astype(np.uint8)
            order = np.argsort(parts, kind="stable")  # fast for small whole numbers
            ends = np.searchsorted(parts[order], np.arange(SHUFFLE_FILES + 1))
            for rows, (low, high) in zip(held, itertools.pairwise(ends), strict=True):
                rows.append(batch[order[low:high]])
            size += batch.estimated_size()
            if size > MAX_BYTES_HELD:
                for part, rows in enumerate(held):
                    pl.concat(rows).write_ipc(Path(aside) / f"{part}-{number}")
                    rows.clear()
                size = 0.0
        for part, rows in enumerate(held):
            files = sorted(Path(aside).glob(f"{part}-*"))
            part_frame = pl.concat([*map(pl.read_ipc, files), *rows])
            yield part_frame[permutation(len(part_frame), rng)]


def write(
    table: PolarsTable, design: Design, path: Path, rng: Uniform, suffix: str
) -> None:
    """Stream the released rows, shuffled, to a file; may raise DataError."""
    failures: list[BaseException] = []
    schema = dict.fromkeys(published(table, design), pl.String())

    def rows(with_columns: list[str] | None, *_: object) -> Iterator[pl.DataFrame]:
        try:
            for batch in shuffled(_drawn(table, design, rng), rng, path.parent):
                for part in batch.iter_slices(BATCH_ROWS):
                    released = pl.DataFrame(
                        texts_of(design, part[OUTPUT_COLUMN].to_numpy())
                    )
                    yield released.select(
                        list(schema) if with_columns is None else with_columns
                    )
        except (
            BaseException
        ) as error:  # Polars would wrap it: kept, to be raised as it is
            failures.append(error)
            raise

    lazy = register_io_source(rows, schema=schema)
    try:
        FORMATS[suffix].write(lazy, path)
    except (PolarsError, OSError) as error:
        if failures:
            raise failures[0] from None
        raise DataError(f"cannot write {path}: {error}") from error
