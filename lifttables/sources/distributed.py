"""Tables in databases and on clusters (Dask), counted in place.

A cluster returns only counts, and a release is again a lazy frame of the cluster. The
release's key and the partition's number determine the random numbers, so a partition
that is computed again draws the same outputs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
import numpy as np
import polars as pl

from liftlib.channel import Uniform
from lifttables.designs.designing import Design
from lifttables.designs.publishing import published
from lifttables.encoding.columns import ROWS, Column, Labels, labelled
from lifttables.encoding.table import (
    Rows,
    Table,
    digest_of,
    reading,
    tally,
)
from lifttables.sources.polars_rows import PolarsTable, polars_of
from lifttables.sources.randomness import Stream, key_of

if TYPE_CHECKING:
    import pandas as pd

TEXT_DTYPE: Final = "string[pyarrow]"  # Dask's type of texts
FAN_IN = 16  # number of partitions whose counts are summed at a time
COUNT_COLUMN = "__rows_of_it"  # column of counts in a database
ORDER_COLUMN = "\0order"  # column of random numbers by which released rows are sorted


def elsewhere(frame: Any) -> Lazy:
    """Return the table of a lazy narwhals frame."""
    return OnDask(frame) if frame.implementation.is_dask() else Lazy(frame)


class Lazy(Table):
    """A frame in a database, which counts there; rows are fetched only for
    a release.
    """

    def __init__(self, frame: Any) -> None:
        self._frame, self.name = frame, "the frame"
        self.columns = tuple(frame.collect_schema().names())

    def read(self, names: Sequence[str]) -> Rows:  # noqa: D102
        rows: Rows = self._frame.select(*names)
        return rows

    def rows(self, names: Sequence[str]) -> Rows:  # noqa: D102
        frame = self._frame
        for column in self.needed:
            value = nw.col(column.name)
            frame = frame.filter(~value.is_null())
            if column.na:
                frame = frame.filter(~value.cast(nw.String).is_in(column.na))
        rows: Rows = frame.select(*names)
        return rows

    def collected(self, rows: Rows) -> Labels:  # noqa: D102
        return nw.from_native(polars_of(super().collected(rows)), eager_only=True)

    def _counted(self, columns: Sequence[Column]) -> Labels:
        names = [column.name for column in columns]
        distinct = self.collected(
            self.rows(names).group_by(*names).agg(nw.len().alias(COUNT_COLUMN))
        )
        labels = labelled(distinct, columns).with_columns(distinct[COUNT_COLUMN])
        counted: Labels = labels.group_by(*names).agg(
            nw.col(COUNT_COLUMN).sum().alias(ROWS)
        )
        return counted

    def digest(self, columns: Sequence[Column]) -> bytes:
        """Return the SHA-256 of the numbers of rows with each combination of values; a
        database has no order.
        """
        return digest_of([self.counts([Column(column.name) for column in columns])])

    def release(self, design: Design, source: Uniform) -> Any:
        """Fetch the rows and return the released rows as an eager frame."""
        names = [name for name in self.columns if name in design.public.names]
        fetched = super().collected(self.rows(names))
        return PolarsTable(
            polars_of(fetched).lazy(), self.name, fetched.to_native()
        ).release(design, source)


class OnDask(Lazy):
    """A Dask data frame: its workers count partitions, and no row is fetched."""

    def _delayed(
        self, columns: Sequence[Column], of_part: Callable[[pd.DataFrame], Any]
    ) -> list[Any]:
        """Return what a function returns for each partition, delayed."""
        import dask  # noqa: PLC0415 - installed wherever there are Dask frames

        rows = self.rows([column.name for column in columns])
        return list(map(dask.delayed(of_part), rows.to_native().to_delayed()))

    def _counted(self, columns: Sequence[Column]) -> Labels:
        import dask  # noqa: PLC0415

        count_part = partial(_counted_part, columns=columns, where=self.name)
        parts = self._delayed(columns, count_part)
        while len(parts) > 1:
            parts = [
                dask.delayed(_summed)(parts[at : at + FAN_IN])
                for at in range(0, len(parts), FAN_IN)
            ]
        counted: pl.DataFrame = parts[0].compute()
        return nw.from_native(counted, eager_only=True)

    def digest(self, columns: Sequence[Column]) -> bytes:
        """Return the SHA-256 of the digests of all partitions, in order."""
        import dask  # noqa: PLC0415

        parts = self._delayed(columns, _digest_of_part)
        return hashlib.sha256(b"".join(dask.compute(*parts))).digest()

    def release(self, design: Design, source: Uniform) -> Any:
        """Return the released rows as a lazy frame of the cluster, in random order."""
        import dask  # noqa: PLC0415
        import dask.dataframe as dd  # noqa: PLC0415
        import pandas as pd  # noqa: PLC0415

        columns, key = published(self, design), key_of(source)
        frame = self.rows(design.public.names).to_native()
        meta = pd.DataFrame({name: pd.Series(dtype=TEXT_DTYPE) for name in columns})
        release_part = partial(_released_part, columns=columns)
        # a part carries its number: Dask's own count of parts begins anew where some
        # are taken out of a frame
        delayed_design = dask.delayed(design, traverse=False)
        parts = [
            dask.delayed(release_part)(part, number, delayed_design, key)
            for number, part in enumerate(frame.to_delayed())
        ]
        ordered = meta.assign(**{ORDER_COLUMN: pd.Series(dtype=np.int64)})
        drawn = dd.from_delayed(parts, meta=ordered, verify_meta=False)
        return drawn.shuffle(on=ORDER_COLUMN).map_partitions(_in_order, meta=meta)


def _polars(part: pd.DataFrame) -> Labels:
    return nw.from_native(
        polars_of(nw.from_native(part, eager_only=True)), eager_only=True
    )


def _counted_part(
    part: pd.DataFrame, columns: Sequence[Column], where: str
) -> pl.DataFrame:
    with reading(where):
        counted: pl.DataFrame = tally(_polars(part), columns).to_native()
    return counted.with_columns(pl.col(ROWS).cast(pl.Int64))


def _digest_of_part(part: pd.DataFrame) -> bytes:
    return digest_of([_polars(part)])


def _summed(counts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    stacked = pl.concat(counts)
    return stacked.group_by([name for name in stacked.columns if name != ROWS]).agg(
        pl.col(ROWS).sum()
    )


def _released_part(
    part: pd.DataFrame,
    number: int,
    design: Design,
    key: bytes,
    *,
    columns: Sequence[str],
) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415

    rows = _polars(part[design.public.names]).to_native()
    drawn = design.draw(rows, Stream(key, number, 0))
    texts = design.released(drawn)
    released = pd.DataFrame(
        {name: pd.array(texts[name], dtype=TEXT_DTYPE) for name in columns}
    )
    released[ORDER_COLUMN] = Stream(key, number, 1).bits(len(released)).view(np.int64)
    return released


def _in_order(part: pd.DataFrame) -> pd.DataFrame:
    return (
        part.sort_values(ORDER_COLUMN, kind="stable")
        .drop(columns=ORDER_COLUMN)
        .reset_index(drop=True)
    )
