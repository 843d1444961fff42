"""Tables in databases and on clusters (Dask), counted in place.

A cluster returns only counts, and a release is again a lazy frame of the cluster. The
release's key and the partition's number determine the random numbers, so a partition
that is computed again draws the same outputs.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
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
    contents_of,
    digest_of,
    reading,
    sum_of_digests,
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

# from rows, counts in a column ``ROWS`` and the columns that identify them
Count = Callable[[pl.DataFrame], pl.DataFrame]


def elsewhere(frame: Any) -> Lazy:
    """Return the table of a lazy narwhals frame."""
    if frame.implementation.is_dask():
        return OnDask(frame)
    return Lazy(frame)


class Lazy(Table):
    """A frame in a database, which counts there; rows are fetched only for
    a release.
    """

    def __init__(self, frame: Any) -> None:
        self._frame, self.name = frame, "the frame"
        self.columns = tuple(frame.collect_schema().names())

    def read(self, names: Sequence[str]) -> Rows:  # noqa: D102
        return self._selected(self._frame, names)

    def _selected(self, frame: Rows, names: Sequence[str]) -> Rows:
        return frame.select(*names)

    def rows(self, names: Sequence[str]) -> Rows:  # noqa: D102
        missing = [nw.col(column.name).is_null() for column in self.needed]
        missing += [
            nw.col(column.name).cast(nw.String).is_in(column.na)
            for column in self.needed
            if column.na
        ]
        return self._selected(
            (
                self._frame.filter(*(~condition for condition in missing))
                if missing
                else self._frame
            ),
            names,
        )

    def collected(self, rows: Rows) -> Labels:  # noqa: D102
        return nw.from_native(polars_of(super().collected(rows)), eager_only=True)

    def _distinct(self, raw: Sequence[str]) -> Labels:
        return self.collected(
            self.rows(raw).group_by(*raw).agg(nw.len().alias(COUNT_COLUMN))
        )

    def _counted(self, raw: Sequence[str], named: Mapping[str, Column]) -> Labels:
        distinct = self._distinct(raw)
        labels = labelled(distinct, named).with_columns(distinct[COUNT_COLUMN])
        counted: Labels = labels.group_by(*named).agg(
            nw.col(COUNT_COLUMN).sum().alias(ROWS)
        )
        return counted

    def digest(self, columns: Sequence[Column]) -> bytes:
        """Return the digest of the contents, because a database has no order."""
        return self.contents(columns)

    def contents(self, columns: Sequence[Column]) -> bytes:  # noqa: D102
        counted = self.counts([Column(column.name) for column in columns])
        return sum_of_digests([contents_of(counted)])

    def release(self, design: Design, source: Uniform) -> Any:
        """Fetch the rows and return the released rows as an eager frame."""
        every = {*design.public.names}
        fetched = super().collected(
            self.rows([name for name in self.columns if name in every])
        )
        return PolarsTable(
            polars_of(fetched).lazy(), self.name, fetched.to_native()
        ).release(design, source)


class Parted(Lazy):
    """A partitioned frame on a cluster."""

    @abstractmethod
    def tally(self, names: Sequence[str], count: Count) -> pl.DataFrame:
        """Return the sum over partitions of the counts that a function returns."""

    @abstractmethod
    def drawn(self, design: Design, key: bytes) -> Any:
        """Return the released rows as a lazy frame, in random order by default.

        ``key`` is the key of ``randomness.Stream``.
        """

    def release(self, design: Design, source: Uniform) -> Any:
        """Return the released rows as a lazy frame of the cluster."""
        return self.drawn(design, key_of(source))

    def _counted(self, raw: Sequence[str], named: Mapping[str, Column]) -> Labels:
        counted = self.tally(
            raw, partial(count_labels, named=dict(named), where=self.name)
        )
        return nw.from_native(counted, eager_only=True)


def count_labels(
    rows: pl.DataFrame, named: Mapping[str, Column], where: str
) -> pl.DataFrame:
    """Return the number of rows by combination of labels; errors name ``where``."""
    with reading(where):
        counted: pl.DataFrame = tally(
            nw.from_native(rows, eager_only=True), named
        ).to_native()
    return counted.with_columns(pl.col(ROWS).cast(pl.Int64))


class OnDask(Parted):
    """A Dask data frame."""

    def tally(self, names: Sequence[str], count: Count) -> pl.DataFrame:  # noqa: D102
        import dask  # noqa: PLC0415 - installed wherever there are Dask frames

        count_part = dask.delayed(_counted_part)
        parts = [
            count_part(part, count)
            for part in self.rows(names).to_native().to_delayed()
        ]
        while len(parts) > 1:
            parts = [
                dask.delayed(_summed)(parts[at : at + FAN_IN])
                for at in range(0, len(parts), FAN_IN)
            ]
        counted: pl.DataFrame = parts[0].compute()
        return counted

    def digest(self, columns: Sequence[Column]) -> bytes:
        """Return the SHA-256 of the digests of all partitions, in order; no row is
        fetched.
        """
        import dask  # noqa: PLC0415

        frame = self.rows([column.name for column in columns]).to_native()
        digest_part = dask.delayed(_digest_of_part)
        parts = dask.compute(*map(digest_part, frame.to_delayed()))
        return hashlib.sha256(b"".join(parts)).digest()

    def contents(self, columns: Sequence[Column]) -> bytes:  # noqa: D102
        import dask  # noqa: PLC0415

        names = [column.name for column in columns]
        contents_part = dask.delayed(_contents_of_part)
        parts = map(contents_part, self.rows(names).to_native().to_delayed())
        return sum_of_digests(dask.compute(*parts))

    def drawn(self, design: Design, key: bytes) -> Any:  # noqa: D102
        import dask  # noqa: PLC0415
        import dask.dataframe as dd  # noqa: PLC0415
        import pandas as pd  # noqa: PLC0415

        columns = published(self, design)
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


def _counted_part(part: pd.DataFrame, count: Count) -> pl.DataFrame:
    return count(polars_of(nw.from_native(part, eager_only=True)))


def _digest_of_part(part: pd.DataFrame) -> bytes:
    return digest_of(
        [
            nw.from_native(
                polars_of(nw.from_native(part, eager_only=True)), eager_only=True
            )
        ]
    )


def _contents_of_part(part: pd.DataFrame) -> int:
    rows = nw.from_native(
        polars_of(nw.from_native(part, eager_only=True)), eager_only=True
    )
    return contents_of(tally(rows, {name: Column(name) for name in rows.columns}))


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

    rows = polars_of(nw.from_native(part[design.public.names], eager_only=True))
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
