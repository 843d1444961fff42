"""Frames that live elsewhere: databases, and the clusters of Dask and Spark, where rows are counted and released.

Nothing is fetched from a cluster but counts, and a release is a frame of the cluster again, computed when it is asked
for. A part's draws come from the release's key and the part's number: a part that is computed again, as a killed
worker's are, is drawn with the same numbers.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
import numpy as np
import polars as pl
from polars.exceptions import PolarsError

from liftlib.errors import DataError
from lifttables.designs.designing import Design, Unseen
from lifttables.encoding.columns import JOIN, ROWS, Column
from lifttables.encoding.table import Table, counted, named_columns, polars_of, quantiles_of, unreadable
from lifttables.sources.parts import ORDER, Count, count_digits, count_labels, draws_of, order_of, quantiles

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

TEXT: Final = "string[pyarrow]"
"""What Dask makes of texts."""

FAN = 16
"""Parts whose counts are summed at a time."""


def elsewhere(frame: Any) -> Lazy:
    """Return the table of a lazy narwhals frame."""
    if frame.implementation.is_dask():
        return OnDask(frame)
    if frame.implementation in (nw.Implementation.PYSPARK, nw.Implementation.PYSPARK_CONNECT):
        return OnSpark(frame)
    return Lazy(frame)


class Lazy(Table):
    """A frame of a database: it counts there; its rows are fetched only to be released."""

    def __init__(self, frame: Any) -> None:
        self._frame, self.name = frame, "the frame"
        self.schema = dict.fromkeys(frame.collect_schema().names(), pl.Null())  # its types are its own

    def counts(self, columns: Sequence[Column] | Mapping[str, Column]) -> pl.DataFrame:  # noqa: D102
        named = named_columns(columns)
        raw = list(dict.fromkeys(column.name for column in named.values()))
        self.check(raw)
        found = polars_of(self._frame.select(raw).group_by(raw).agg(nw.len().alias("__rows_of_it")).collect())
        try:
            labels = found.select(
                *(column.labels().alias(name) for name, column in named.items()),
                pl.col("__rows_of_it").cast(pl.Int64).alias(ROWS),
            )
        except PolarsError as error:
            raise unreadable(self.name, error) from error
        return counted(labels.group_by(list(named)).agg(pl.col(ROWS).sum()), list(named), self.name)

    def batches(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:  # noqa: D102
        yield polars_of(self._frame.select(names).collect())

    def distinct(self, names: Sequence[str]) -> int:  # noqa: D102
        return int(polars_of(self._frame.select(list(names)).unique().select(nw.len().alias("rows")).collect()).item())

    def quantiles(self, column: Column, parts: int) -> tuple[float, ...]:  # noqa: D102
        self.check([column.name])
        found = polars_of(self._frame.select(column.name).collect())
        try:
            values = found.select(column.number()).to_series()
        except PolarsError as error:
            raise unreadable(self.name, error) from error
        return quantiles_of(values, column.name, parts)


class Parted(Lazy):
    """A frame in parts on a cluster."""

    @abstractmethod
    def tally(self, names: Sequence[str], count: Count) -> pl.DataFrame:
        """Return the counts of a function of rows, summed over all partitions and grouped by its columns."""

    @abstractmethod
    def release(
        self, made: Design, key: bytes, keep: Sequence[str], columns: Sequence[str], unseen: Unseen, *, keep_order: bool
    ) -> Any:
        """Return the released rows as a lazy frame of the cluster.

        Parameters
        ----------
        made : Design
        key : bytes
            See :class:`lifttables.sources.randomness.Stream`.
        keep, columns : sequence of str
            What is published as it is; and all that is published, in order.
        unseen : {"error", "draw"}
        keep_order : bool
            Otherwise rows are sorted by random numbers.
        """

    def counts(self, columns: Sequence[Column] | Mapping[str, Column]) -> pl.DataFrame:  # noqa: D102
        named = named_columns(columns)
        raw = list(dict.fromkeys(column.name for column in named.values()))
        self.check(raw)
        found = self.tally(raw, partial(count_labels, named=dict(named), where=self.name))
        return counted(found, list(named), self.name)

    def quantiles(self, column: Column, parts: int) -> tuple[float, ...]:  # noqa: D102
        self.check([column.name])

        def count(found: Sequence[int], place: int) -> pl.DataFrame:
            digits = partial(count_digits, column=column, found=tuple(found), place=place, where=self.name)
            return self.tally([column.name], digits)

        return quantiles(count, parts, column.name)

    def refuse_unseen(self, made: Design) -> None:
        """Refuse symbols that a design has not seen.

        Raises
        ------
        DataError
            With one of them.
        """
        for role, symbols in (("public", made.public), ("secret", made.secret)):
            if role == "public" or made.channel.sees_secret:
                found = self.counts(symbols.columns)
                unseen = found.filter(pl.Series(symbols.index(found) < 0))
                if len(unseen):
                    value = JOIN.join(map(str, unseen.select(symbols.names).row(0)))
                    raise DataError(
                        f"{int(unseen[ROWS].sum()):,} rows have a {role} symbol that the channel was not made for, "
                        f"such as {value!r}: design the channel again, or draw for them what says nothing "
                        "(--unseen draw)"
                    )


class OnDask(Parted):
    """A frame of ``dask.dataframe``."""

    def tally(self, names: Sequence[str], count: Count) -> pl.DataFrame:  # noqa: D102
        import dask  # noqa: PLC0415 - it is there where its frames are

        one = dask.delayed(_counted_part)
        parts = [one(part, count) for part in self._frame.to_native()[list(names)].to_delayed()]
        while len(parts) > 1:
            parts = [dask.delayed(_summed)(parts[at : at + FAN]) for at in range(0, len(parts), FAN)]
        found: pl.DataFrame = parts[0].compute()
        return found

    def release(  # noqa: D102
        self, made: Design, key: bytes, keep: Sequence[str], columns: Sequence[str], unseen: Unseen, *, keep_order: bool
    ) -> Any:
        import dask  # noqa: PLC0415
        import dask.dataframe as dd  # noqa: PLC0415
        import pandas as pd  # noqa: PLC0415

        whole = self._frame.to_native()
        empty = whole._meta[list(keep)].reset_index(drop=True).head(0)
        empty.attrs = {}
        meta = empty.assign(**{name: pd.Series(dtype=TEXT) for name in made.public.names})[list(columns)]
        one = partial(_released_part, keep=tuple(keep), columns=tuple(columns), unseen=unseen, keep_order=keep_order)
        # a part carries its number: Dask's own count of parts begins anew where some are taken out of a frame
        parts = whole[list(dict.fromkeys([*made.columns_needed(), *keep]))].to_delayed()
        design = dask.delayed(made, traverse=False)
        drawn = dd.from_delayed(
            [dask.delayed(one)(part, number, design, key) for number, part in enumerate(parts)],
            meta=meta if keep_order else meta.assign(**{ORDER: pd.Series(dtype=np.int64)}),
            verify_meta=False,
        )
        if keep_order:
            return drawn
        return drawn.shuffle(on=ORDER).map_partitions(_in_order, meta=meta)


def _counted_part(part: pd.DataFrame, count: Count) -> pl.DataFrame:
    return count(polars_of(nw.from_native(part, eager_only=True)))


def _summed(counts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    whole = pl.concat(counts)
    return whole.group_by([name for name in whole.columns if name != ROWS]).agg(pl.col(ROWS).sum())


def _released_part(
    part: pd.DataFrame,
    number: int,
    made: Design,
    key: bytes,
    *,
    keep: tuple[str, ...],
    columns: tuple[str, ...],
    unseen: Unseen,
    keep_order: bool,
) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415

    rows = polars_of(nw.from_native(part[made.columns_needed()], eager_only=True))
    drawn = made.draw(rows, draws_of(key, number), unseen)
    # the source's index tells the source's order
    found = part[list(keep)].reset_index(drop=True)
    found.attrs = {}
    for at, name in enumerate(made.public.names):
        found[name] = pd.array([texts[at] for texts in made.texts], dtype=TEXT).take(drawn)
    found = found[list(columns)]
    if not keep_order:
        found[ORDER] = order_of(key, number).bits(len(found)).view(np.int64)
    return found


def _in_order(part: pd.DataFrame) -> pd.DataFrame:
    return part.sort_values(ORDER, kind="stable").drop(columns=ORDER).reset_index(drop=True)


class OnSpark(Parted):
    """A frame of PySpark, classic or by Spark Connect."""

    def tally(self, names: Sequence[str], count: Count) -> pl.DataFrame:  # noqa: D102
        from pyspark.sql import functions  # noqa: PLC0415

        rows = self._frame.to_native().select(*map(_quoted, names))
        empty = count(pl.DataFrame(schema=dict.fromkeys(names, pl.String)))
        keys = [name for name in empty.columns if name != ROWS]
        kinds = {pl.String: "string", pl.Int64: "long"}
        # names of our own, for Spark takes a.b for a part of a, and A for a
        short = {name: f"c{at}" for at, name in enumerate(keys)} | {ROWS: "n"}
        schema = ", ".join(f"{short[name]} {kinds[type(empty.schema[name])]}" for name in short)
        found = rows.mapInArrow(partial(_counted_batches, count=count, short=short), schema)
        summed = found.groupBy(*(short[name] for name in keys)).agg(functions.sum("n").alias("n"))
        back = {own: name for name, own in short.items()}
        gathered = _run(summed.toArrow)
        return pl.DataFrame({back[own]: pl.Series(gathered[own]) for own in gathered.column_names})

    def release(  # noqa: D102
        self, made: Design, key: bytes, keep: Sequence[str], columns: Sequence[str], unseen: Unseen, *, keep_order: bool
    ) -> Any:
        from pyspark.sql import types  # noqa: PLC0415

        whole = self._frame.to_native()
        kept = {  # without the fields' metadata
            field.name: types.StructField(field.name, field.dataType, field.nullable)
            for field in whole.schema.fields
            if field.name in keep
        }
        fields = [kept.get(name) or types.StructField(name, types.StringType()) for name in columns]
        if not keep_order:
            fields.append(types.StructField(ORDER, types.LongType()))
        rows = whole.select(*map(_quoted, dict.fromkeys([*made.columns_needed(), *keep])))
        draw = partial(
            _released_batches,
            made=made,
            key=key,
            keep=tuple(keep),
            columns=tuple(columns),
            unseen=unseen,
            keep_order=keep_order,
        )
        drawn = rows.mapInArrow(draw, types.StructType(fields))
        if keep_order:
            return drawn
        return drawn.repartition(_quoted(ORDER)).sortWithinPartitions(_quoted(ORDER)).drop(ORDER)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _run(ask: Any) -> Any:
    """Return what Spark finds; an error of ours comes back from its workers as the one it was."""
    try:
        return ask()
    except Exception as error:
        told = re.search(r"liftlib\.errors\.DataError: (.*)", str(error))
        if told is None:
            raise
        raise DataError(told[1]) from error


def _rows_of(batch: pa.RecordBatch) -> pl.DataFrame:
    import pyarrow as pa  # noqa: PLC0415

    return polars_of(nw.from_native(pa.Table.from_batches([batch]), eager_only=True))


def _counted_batches(
    batches: Iterator[pa.RecordBatch], count: Count, short: dict[str, str]
) -> Iterator[pa.RecordBatch]:
    found: list[pl.DataFrame] = []
    for batch in batches:
        found.append(count(_rows_of(batch)))
        if len(found) == FAN:
            found = [_summed(found)]
    if found:
        whole = _summed(found).select(pl.col(name).alias(own) for name, own in short.items())
        yield from _plain(whole.to_arrow()).to_batches()


def _released_batches(
    batches: Iterator[pa.RecordBatch],
    made: Design,
    key: bytes,
    keep: tuple[str, ...],
    columns: tuple[str, ...],
    unseen: Unseen,
    *,
    keep_order: bool,
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa  # noqa: PLC0415
    from pyspark import TaskContext  # noqa: PLC0415

    number = int(TaskContext.get().partitionId())
    draws, order = draws_of(key, number), order_of(key, number)
    for batch in batches:
        drawn = made.released(made.draw(_rows_of(batch), draws, unseen)).to_arrow()
        found = {name: batch.column(name) if name in keep else drawn.column(name) for name in columns}
        if not keep_order:
            found[ORDER] = pa.array(order.bits(batch.num_rows).view(np.int64))
        yield from _plain(pa.table(found)).to_batches()


def _plain(table: pa.Table) -> pa.Table:
    """Return a table whose texts are as Spark writes them."""
    import pyarrow as pa  # noqa: PLC0415

    large = (pa.large_string(), pa.string_view())
    return table.cast(
        pa.schema([field.with_type(pa.string()) if field.type in large else field for field in table.schema])
    )
