"""Tables that Polars reads as a stream, and conversion of other frames to Polars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.exceptions import PolarsError

from liftlib.channel import Uniform
from liftlib.errors import DataError
from lifttables.designs.designing import Design
from lifttables.encoding.columns import Labels
from lifttables.encoding.table import Rows, reading
from lifttables.sources.frames import Frame

BATCH_ROWS = 500_000  # rows of a file in memory at a time


class PolarsTable(Frame):
    """A lazy Polars frame, and the user's frame that it came from, if any."""

    how: ClassVar = {"engine": "streaming"}

    def __init__(
        self, lazy: pl.LazyFrame, name: str = "the frame", native: Any = None
    ) -> None:
        self._lazy, self.name, self.native = lazy, name, native
        with reading(name):
            self.schema = dict(lazy.collect_schema())
        self.columns = tuple(self.schema)

    def read(self, names: Sequence[str]) -> Rows:  # noqa: D102
        return nw.from_native(self._lazy.select(names))

    def batches(self, names: Sequence[str]) -> Iterator[Labels]:  # noqa: D102
        with reading(self.name):
            for batch in (
                self.rows(names)
                .to_native()
                .collect_batches(maintain_order=True, chunk_size=BATCH_ROWS)
            ):
                yield nw.from_native(batch, eager_only=True)

    def release(self, design: Design, source: Uniform) -> Any:  # noqa: D102
        if not isinstance(self.native, pl.LazyFrame):
            return super().release(design, source)
        every = {*design.public.names, *(column.name for column in self.needed)}
        # once: a query may give its rows in another order each time
        rows = self.native.select(
            name for name in self.columns if name in every
        ).collect()
        table = PolarsTable(rows.lazy(), self.name, rows)
        table.needed = self.needed
        return table.release(design, source)


def texts_of(design: Design, outputs: NDArray[np.integer]) -> list[pl.Series]:
    """Return the released columns for output indices."""
    at = pl.Series(outputs)
    columns = zip(design.public.names, zip(*design.texts, strict=True), strict=True)
    return [
        pl.Series(name, texts, dtype=pl.String).gather(at) for name, texts in columns
    ]


def polars_of(frame: Any) -> pl.DataFrame:
    """Return an eager narwhals frame as a Polars frame; this does not need PyArrow."""
    native = frame.to_native()
    if isinstance(native, pl.DataFrame):
        return native
    return pl.DataFrame({name: _taken_over(frame[name]) for name in frame.columns})


def _taken_over(column: Any) -> pl.Series:
    """Return a column as a Polars series; pandas' NaN becomes missing."""
    native, kind = column.to_native(), column.dtype
    if isinstance(native, pl.Series):
        return native
    if column.implementation.is_pandas():
        if isinstance(native.dtype, np.dtype) and native.dtype.kind in "biuf":
            return pl.Series(native.to_numpy(), nan_to_null=True)
        if getattr(native.dtype, "storage", "") == "pyarrow":
            return pl.Series(native.array.__arrow_array__())
    elif column.implementation.is_pyarrow() and (
        kind in (nw.String, nw.Boolean) or kind.is_float() or kind.is_integer()
    ):
        series = pl.Series(native)
        return series.fill_nan(None) if kind.is_float() else series
    missing, values = column.is_null().to_list(), column.to_list()
    values = [
        None if gone or value != value else value
        for gone, value in zip(missing, values, strict=True)
    ]
    try:
        return pl.Series(values)
    except (TypeError, PolarsError):  # labels of several types
        return pl.Series([None if value is None else str(value) for value in values])
    except UnicodeEncodeError as error:
        raise DataError(
            f"column {column.name!r} contains text that is not Unicode: {error.reason};"
            " correct it"
        ) from error
