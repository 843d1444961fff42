"""Opening a file or a frame as a table.

Modules that need Polars are imported when a table is opened, because a browser has no
Polars.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import narwhals as nw

from liftlib.errors import DataError
from lifttables.encoding.table import Table
from lifttables.encoding.text_format import TextFormat
from lifttables.extras import extra


def open_table(source: Any, text_format: TextFormat | None = None) -> Any:
    """Return a table from the path of a file, or from a frame.

    Parameters
    ----------
    source : str, pathlib.Path or frame
        A path that ends in one of ``lifttables.sources.formats.FORMATS``; ``-`` for CSV
        on the standard input; or a frame of a library that narwhals supports:
        pandas, Polars, PyArrow, Modin, DuckDB, PySpark, Dask and others.
    text_format : TextFormat, optional
        The dialect of a text table.

    Raises
    ------
    DataError
        If the source is none of these, or cannot be read.

    Examples
    --------
    >>> import polars as pl
    >>> open_table(pl.DataFrame({"age": ["old", "young"]})).columns
    ('age',)
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | Path):
        with extra("tables"):
            from lifttables.sources.text import (  # noqa: PLC0415
                open_file,
            )
        return open_file(Path(source), text_format or TextFormat())
    _check_names(source)
    try:
        frame = nw.from_native(source)
    except TypeError as error:
        raise DataError(
            f"{type(source).__name__} is not a table: give a path or a frame (pandas,"
            " Polars, DuckDB, PySpark, Dask)"
        ) from error
    with extra("tables"):
        from lifttables.sources.distributed import (  # noqa: PLC0415
            elsewhere,
        )
        from lifttables.sources.polars_rows import (  # noqa: PLC0415
            PolarsTable,
            polars_of,
        )
    native = frame.to_native()
    if frame.implementation.is_polars():
        return PolarsTable(native.lazy(), native=native)
    return (
        elsewhere(frame)
        if isinstance(frame, nw.LazyFrame)
        else PolarsTable(polars_of(frame).lazy(), native=native)
    )


def _check_names(frame: Any) -> None:
    """Raise DataError if a pandas or Dask frame's column names are not unique texts."""
    of_polars = hasattr(frame, "collect_schema")
    names = list(frame.columns) if not of_polars and hasattr(frame, "dtypes") else []
    odd = next((name for name in names if not isinstance(name, str)), None)
    if odd is not None:
        raise DataError(
            f"the frame has a column {odd!r}, whose name is not text: rename it"
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"the frame has more than one column {twice!r}: rename them")
