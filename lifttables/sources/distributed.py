"""Tables in databases and on clusters (Dask, Spark), counted in place.

A cluster returns only counts, and a release is again a lazy frame of the cluster. The release's key and the partition's
number determine the random numbers, so a partition that is computed again draws the same outputs.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
import numpy as np
import polars as pl

from liftlib.channel import Uniform
from liftlib.errors import DataError
from lifttables.designs.designing import Design
from lifttables.designs.publishing import published
from lifttables.encoding.columns import ROWS, Column, Labels, check_numbers, labelled
from lifttables.encoding.table import NUMBER, Rows, Table, numbers, reading, tally
from lifttables.sources.polars_rows import PolarsTable, polars_of, texts_of
from lifttables.sources.randomness import Stream, key_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

TEXT_DTYPE: Final = "string[pyarrow]"  # Dask's type of texts
FAN_IN = 16  # number of partitions whose counts are summed at a time
MAX_QUANTILES = 10_000  # maximum number of distinct numbers that a partition reports for quantiles
COUNT_COLUMN = "__rows_of_it"  # column of counts in a database
ORDER_COLUMN = "\0order"  # column of random numbers by which released rows are sorted

# from rows, counts in a column ``ROWS`` and the columns that identify them
Count = Callable[[pl.DataFrame], pl.DataFrame]


def elsewhere(frame: Any) -> Lazy:
    """Return the table of a lazy narwhals frame."""
    if frame.implementation.is_dask():
        return OnDask(frame)
    if frame.implementation in (nw.Implementation.PYSPARK, nw.Implementation.PYSPARK_CONNECT):
        return OnSpark(frame)
    return Lazy(frame)


class Lazy(Table):
    """A frame in a database, which counts there; rows are fetched only for a release."""

    def __init__(self, frame: Any) -> None:
        self._frame, self.name = frame, "the frame"
        self.columns = tuple(frame.collect_schema().names())

    def read(self, names: Sequence[str]) -> Rows:  # noqa: D102
        return self._selected(self._frame, names)

    def _selected(self, frame: Rows, names: Sequence[str]) -> Rows:
        return frame.select(*names)

    def rows(self, names: Sequence[str]) -> Rows:  # noqa: D102
        missing = [nw.col(column.name).is_null() for column in self.needed]
        missing += [nw.col(column.name).cast(nw.String).is_in(column.na) for column in self.needed if column.na]
        return self._selected(
            self._frame.filter(*(~condition for condition in missing)) if missing else self._frame, names
        )

    def collected(self, rows: Rows) -> Labels:  # noqa: D102
        return nw.from_native(polars_of(super().collected(rows)), eager_only=True)

    def _distinct(self, raw: Sequence[str]) -> Labels:
        return self.collected(self.rows(raw).group_by(*raw).agg(nw.len().alias(COUNT_COLUMN)))

    def _counted(self, raw: Sequence[str], named: Mapping[str, Column]) -> Labels:
        distinct = self._distinct(raw)
        labels = labelled(distinct, named).with_columns(distinct[COUNT_COLUMN])
        counted: Labels = labels.group_by(*named).agg(nw.col(COUNT_COLUMN).sum().alias(ROWS))
        return counted

    def numbers(self, column: Column) -> Labels:  # noqa: D102
        every = self._distinct([column.name])
        check_numbers(every, [column])
        distinct = every.select(column.number().alias(NUMBER), nw.col(COUNT_COLUMN)).drop_nulls()
        counted: Labels = distinct.group_by(NUMBER).agg(nw.col(COUNT_COLUMN).sum().alias(ROWS))
        return counted

    def release(self, design: Design, source: Uniform) -> Any:
        """Fetch the rows and return the released rows as an eager frame."""
        every = {*design.columns_needed()}
        fetched = super().collected(self.rows([name for name in self.columns if name in every]))
        return PolarsTable(polars_of(fetched).lazy(), self.name, fetched.to_native()).release(design, source)


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
        counted = self.tally(raw, partial(count_labels, named=dict(named), where=self.name))
        return nw.from_native(counted, eager_only=True)

    def numbers(self, column: Column) -> Labels:  # noqa: D102
        counted = self.tally([column.name], partial(count_numbers, column=column, where=self.name))
        return nw.from_native(counted, eager_only=True)


def count_labels(rows: pl.DataFrame, named: Mapping[str, Column], where: str) -> pl.DataFrame:
    """Return the number of rows by combination of labels; errors name ``where``."""
    with reading(where):
        counted: pl.DataFrame = tally(nw.from_native(rows, eager_only=True), named).to_native()
    return counted.with_columns(pl.col(ROWS).cast(pl.Int64))


def count_numbers(rows: pl.DataFrame, column: Column, where: str) -> pl.DataFrame:
    """Return counts by number, thinned to about ``MAX_QUANTILES`` quantiles."""
    with reading(where):
        counted: pl.DataFrame = numbers(nw.from_native(rows, eager_only=True), column).to_native()
    counted = counted.with_columns(pl.col(ROWS).cast(pl.Int64))
    if len(counted) <= MAX_QUANTILES:
        return counted
    place = pl.col(ROWS).cum_sum() * MAX_QUANTILES // pl.col(ROWS).sum()
    thinned = counted.sort(NUMBER).group_by(place.alias("place")).agg(pl.col(NUMBER).max(), pl.col(ROWS).sum())
    return thinned.select(NUMBER, ROWS)


class OnDask(Parted):
    """A Dask data frame."""

    def tally(self, names: Sequence[str], count: Count) -> pl.DataFrame:  # noqa: D102
        import dask  # noqa: PLC0415 - installed wherever there are Dask frames

        count_part = dask.delayed(_counted_part)
        parts = [count_part(part, count) for part in self.rows(names).to_native().to_delayed()]
        while len(parts) > 1:
            parts = [dask.delayed(_summed)(parts[at : at + FAN_IN]) for at in range(0, len(parts), FAN_IN)]
        counted: pl.DataFrame = parts[0].compute()
        return counted

    def drawn(self, design: Design, key: bytes) -> Any:  # noqa: D102
        import dask  # noqa: PLC0415
        import dask.dataframe as dd  # noqa: PLC0415
        import pandas as pd  # noqa: PLC0415

        columns = published(self, design)
        frame = self.rows(design.columns_needed()).to_native()
        meta = pd.DataFrame({name: pd.Series(dtype=TEXT_DTYPE) for name in columns})
        release_part = partial(_released_part, columns=columns)
        # a part carries its number: Dask's own count of parts begins anew where some are taken out of a frame
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


def _summed(counts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    stacked = pl.concat(counts)
    return stacked.group_by([name for name in stacked.columns if name != ROWS]).agg(pl.col(ROWS).sum())


def _released_part(
    part: pd.DataFrame, number: int, design: Design, key: bytes, *, columns: Sequence[str]
) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415

    rows = polars_of(nw.from_native(part[design.columns_needed()], eager_only=True))
    drawn = design.draw(rows, Stream(key, number, 0))
    texts = design.released(drawn)
    released = pd.DataFrame({name: pd.array(texts[name], dtype=TEXT_DTYPE) for name in columns})
    released[ORDER_COLUMN] = Stream(key, number, 1).bits(len(released)).view(np.int64)
    return released


def _in_order(part: pd.DataFrame) -> pd.DataFrame:
    return part.sort_values(ORDER_COLUMN, kind="stable").drop(columns=ORDER_COLUMN).reset_index(drop=True)


class OnSpark(Parted):
    """A PySpark data frame, classic or Spark Connect."""

    def _selected(self, frame: Rows, names: Sequence[str]) -> Rows:
        rows: Rows = nw.from_native(frame.to_native().select(*map(_quoted, names)))
        return rows

    def tally(self, names: Sequence[str], count: Count) -> pl.DataFrame:  # noqa: D102
        from pyspark.sql import functions  # noqa: PLC0415

        rows = self.rows(names).to_native()
        empty = count(pl.DataFrame(schema=dict.fromkeys(names, pl.String)))
        keys = [name for name in empty.columns if name != ROWS]
        kinds = {pl.String: "string", pl.Float64: "double", pl.Int64: "long"}
        # short names, because Spark reads a.b as a field of a, and A as a
        short = {name: f"c{at}" for at, name in enumerate(keys)} | {ROWS: "n"}
        schema = ", ".join(f"{short[name]} {kinds[type(empty.schema[name])]}" for name in short)
        counted = rows.mapInArrow(partial(_counted_batches, count=count, short=short), schema)
        summed = counted.groupBy(*(short[name] for name in keys)).agg(functions.sum("n").alias("n"))
        back = {alias: name for name, alias in short.items()}
        gathered = _run(summed.toArrow)
        return pl.DataFrame({back[alias]: pl.Series(gathered[alias]) for alias in gathered.column_names})

    def drawn(self, design: Design, key: bytes) -> Any:  # noqa: D102
        from pyspark.sql import types  # noqa: PLC0415

        columns = published(self, design)
        frame = self.rows(design.columns_needed()).to_native()
        fields = [types.StructField(name, types.StringType()) for name in columns]
        fields.append(types.StructField(ORDER_COLUMN, types.LongType()))
        draw = partial(_released_batches, design=design, key=key, columns=columns)
        drawn = frame.mapInArrow(draw, types.StructType(fields))
        return drawn.repartition(_quoted(ORDER_COLUMN)).sortWithinPartitions(_quoted(ORDER_COLUMN)).drop(ORDER_COLUMN)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _run(ask: Any) -> Any:
    """Return the result of a Spark job; raise a worker's DataError here."""
    try:
        return ask()
    except Exception as error:
        match = re.search(r"liftlib\.errors\.DataError: (.*)", str(error))
        if match is None:
            raise
        raise DataError(match[1]) from error


def _rows_of(batch: pa.RecordBatch) -> pl.DataFrame:
    import pyarrow as pa  # noqa: PLC0415

    return polars_of(nw.from_native(pa.Table.from_batches([batch]), eager_only=True))


def _counted_batches(
    batches: Iterator[pa.RecordBatch], count: Count, short: dict[str, str]
) -> Iterator[pa.RecordBatch]:
    counts: list[pl.DataFrame] = []
    for batch in batches:
        counts.append(count(_rows_of(batch)))
        if len(counts) == FAN_IN:
            counts = [_summed(counts)]
    if counts:
        total = _summed(counts).select(pl.col(name).alias(alias) for name, alias in short.items())
        yield from _plain(total.to_arrow()).to_batches()


def _released_batches(
    batches: Iterator[pa.RecordBatch], design: Design, key: bytes, columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa  # noqa: PLC0415
    from pyspark import TaskContext  # noqa: PLC0415

    number = int(TaskContext.get().partitionId())
    draws, order = Stream(key, number, 0), Stream(key, number, 1)
    for batch in batches:
        drawn = pl.DataFrame(texts_of(design, design.draw(_rows_of(batch), draws))).to_arrow()
        released = {name: drawn.column(name) for name in columns}
        released[ORDER_COLUMN] = pa.array(order.bits(batch.num_rows).view(np.int64))
        yield from _plain(pa.table(released)).to_batches()


def _plain(table: pa.Table) -> pa.Table:
    """Return a table with the string type that Spark writes."""
    import pyarrow as pa  # noqa: PLC0415

    large = (pa.large_string(), pa.string_view())
    return table.cast(
        pa.schema([field.with_type(pa.string()) if field.type in large else field for field in table.schema])
    )
