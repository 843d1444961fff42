"""The contingency table of labels; treatment of missing, rare and numeric values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Literal

import narwhals as nw
import numpy as np

from liftlib.errors import DataError
from lifttables.encoding.columns import (
    MISSING,
    RARE,
    ROWS,
    UNKNOWN_PREFIX,
    UNREADABLE,
    Column,
    Counts,
    Labels,
    Symbols,
)
from lifttables.files import many

MAX_SYMBOLS = 5000  # of the secret, or of the public columns together
# a column with more distinct numbers must be binned or declared as categorical
MAX_NUMERIC_SYMBOLS = 50
# 2020-01-31, 31.01.2020, 1/31/20, and perhaps a time
LIKE_A_DATE = r"^(?:\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2}(?:\d{2})?)(?:\D|$)"
NA_WORDS = (
    "unknown",
    "missing",
    "not available",
    "not known",
    "not stated",
    "no answer",
    "no data",
)
NA_TEXTS = (  # texts that may denote a missing value
    *(
        "NA",
        "*",
        "-",
        "?",
        *NA_WORDS,
        "NULL",
        "null",
        "NaN",
        "nan",
        "N/A",
        "n/a",
        "#N/A",
        "<NA>",
    ),
    *("k. A.", "k.A.", "keine Angabe"),
    *(".", "..", "...", ":", "\N{EN DASH}", "\N{EM DASH}", "\N{HORIZONTAL ELLIPSIS}"),
    *(word.capitalize() for word in NA_WORDS),
    *(word.upper() for word in NA_WORDS),
)
MAX_COLUMNS_NAMED = 6  # maximum number of columns named in a message

Missing = Literal["refuse", "symbol", "drop"]
Rare = Literal["pool", "keep"]


def count(
    counted: Any,
    secret: Sequence[Column],
    public: Sequence[Column],
    *,
    missing: Missing = "refuse",
    rare: Rare = "pool",
    min_count: int = 5,
    constant: bool = False,
) -> Counts:
    """Return the contingency table of counted labels.

    ``counted`` has a column for each secret and public column, and ``ROWS``. The
    options are those of ``Reading``. DataError is raised if the labels do not fit them,
    or if a secret has a single value, unless it may be ``constant``.
    """
    columns = [*secret, *public]
    names = [column.name for column in columns]
    frame = nw.from_native(counted, eager_only=True)
    dropped = 0
    if missing == "drop":
        frame, dropped = _complete(frame, names)
    _check_texts(frame, columns)
    for column in columns:
        _check_labels(frame, column, missing)
    filled = frame.with_columns(nw.col(*names).fill_null(MISSING))
    secrets = Symbols(tuple(secret), tuple(_secrets(filled, secret, constant)))
    symbols = _public_symbols(filled, public, rare, min_count)
    table = np.zeros((len(secrets.labels), len(symbols.labels)))
    cells = secrets.index(filled), symbols.index(filled)
    np.add.at(table, cells, filled[ROWS].to_numpy())
    # where the rows choose which symbols are pooled, a union bound covers all sets of
    # this size
    return Counts(table, secrets, symbols, symbols.chosen, dropped)


def _complete(frame: Labels, names: Sequence[str]) -> tuple[Labels, int]:
    """Return the labels without missing values, and the number of dropped rows."""
    complete = frame.drop_nulls(list(names))
    if complete.is_empty():
        raise DataError(
            f"every row has a missing value in {named(names)}: none is left"
        )
    return complete, int(frame[ROWS].sum()) - int(complete[ROWS].sum())


def _public_symbols(
    filled: Labels,
    columns: Sequence[Column],
    rare: Rare,
    min_count: int,
) -> Symbols:
    """Return the listed combinations of values, and a pool of all others; without
    lists, the combinations that occur, of which rare ones are pooled or kept.
    """
    names = [column.name for column in columns]
    totals = filled.group_by(names).agg(nw.col(ROWS).sum())
    _check_many(names, "symbols", len(totals))
    rows_of = {row[:-1]: row[-1] for row in totals.rows()}
    occurring = _sorted(list(rows_of), columns)
    # none, unless each column has a list
    listed = list(itertools.product(*(column.values for column in columns)))
    if listed:
        _check_many(names, "symbols", len(listed))
        unlisted = set(occurring) - set(listed)
        pooled = [label for label in occurring if label in unlisted]
        return Symbols(tuple(columns), (*listed, (RARE,)), tuple(pooled))
    few = [label for label in occurring if rows_of[label] < min_count]
    if not few or rare == "keep":
        return Symbols(tuple(columns), tuple(occurring))
    enough = [label for label in occurring if rows_of[label] >= min_count]
    return Symbols(tuple(columns), (*enough, (RARE,)), tuple(few))


def _secrets(
    filled: Labels, columns: Sequence[Column], constant: bool
) -> list[tuple[str, ...]]:
    """Return the secrets that occur or, with listed values, all combinations; refuse a
    column with a single value unless it may be constant.
    """
    occurring = filled.select([column.name for column in columns]).unique().rows()
    values = [
        tuple({*column.values, *(label[at] for label in occurring)})
        for at, column in enumerate(columns)
    ]
    listed = any(column.values for column in columns)
    n = math.prod(map(len, values)) if listed else len(occurring)
    _check_many([column.name for column in columns], "secrets", n)
    for column, alone in zip(columns, values, strict=True):
        if len(alone) < 2 and not constant:
            raise DataError(
                f"column {column.name!r} has the same value in every row, so that"
                " nothing can be said about others: list all of its values, or name"
                " another secret",
                arguments=("values",),
            )
    return _sorted(list(itertools.product(*values)) if listed else occurring, columns)


def _check_many(names: Sequence[str], what: str, n: int) -> None:
    if n > MAX_SYMBOLS:
        raise DataError(
            f"{named(names)} has {n:,} {what}, more than {MAX_SYMBOLS:,}: bin or"
            " coarsen it",
            arguments=("bins", "hierarchies"),
        )


def unknown_to_hierarchy(name: str, values: Sequence[str]) -> DataError:
    """Return the error for values that are missing from their column's hierarchy."""
    return DataError(
        f"column {name!r} has {many(len(values), 'value')} not in its hierarchy, such"
        f" as {values[0]!r}: add what is missing to the file, whose first line is a"
        " header"
    )


def _sorted(
    labels: Sequence[tuple[str, ...]], columns: Sequence[Column]
) -> list[tuple[str, ...]]:
    return sorted(
        labels,
        key=lambda label: [
            column.place(text) for column, text in zip(columns, label, strict=True)
        ],
    )


def _check_texts(counted: Labels, columns: Sequence[Column]) -> None:
    """Raise DataError, with all of them, for texts that may denote a missing value and
    that nobody has explained.

    A text that is among the listed values of a secret, or in a hierarchy, is a value.
    """
    found, n = [], 0
    for column in columns:
        prefix = UNKNOWN_PREFIX if column.parents else ""
        labels = counted[column.name].fill_null("")
        known = (
            set()
            if column.na is not None
            else set(labels.to_list()) - set(column.values)
        )
        often = {
            text: int(counted[ROWS].filter(labels == prefix + text).sum())
            for text in NA_TEXTS
            if prefix + text in known
        }
        if often:
            n += len(often)
            told = ", ".join(
                f"{text!r} in {many(rows, 'row')}" for text, rows in often.items()
            )
            found.append(f"column {column.name!r} contains the text {told}")
    if found:
        which = "whether it means missing or is an ordinary value"
        which = (
            which
            if n == 1
            else "which of them mean missing; the others are ordinary values"
        )
        raise DataError(f"{'; '.join(found)}: say {which}", arguments=("na",))


def _check_labels(counted: Labels, column: Column, missing: Missing) -> None:
    labels, rows = counted[column.name], counted[ROWS]
    gone = int(rows.filter(labels.is_null()).sum())
    alone = labels.drop_nulls().unique(maintain_order=True)
    if gone and missing == "refuse":
        raise DataError(
            f"column {column.name!r} has missing values in {gone:,} of"
            f" {many(rows.sum(), 'row')}: fill them in, drop those rows, or make them a"
            " symbol",
            arguments=("missing",),
        )
    if gone and MISSING in alone:
        raise DataError(
            f"column {column.name!r} contains the text {MISSING!r} as well as missing"
            " values: rename it, or declare it as missing",
            arguments=("na",),
        )
    if RARE in alone:
        raise DataError(
            f"column {column.name!r} contains {RARE!r}, which is reserved for pooled"
            " symbols: rename it"
        )
    unknown = (
        alone.filter(alone.str.starts_with(UNKNOWN_PREFIX))
        if column.parents
        else alone.head(0)
    )
    if len(unknown):
        raise unknown_to_hierarchy(column.name, unknown.str.slice(1).to_list())
    if not column.plain or column.categorical or len(alone) <= MAX_NUMERIC_SYMBOLS:
        return
    if alone.str.contains(LIKE_A_DATE).all():
        raise DataError(
            f"column {column.name!r} has {len(alone):,} distinct dates: bin them, by"
            " month or by edges, saying how they are written unless as in 2020-01-31;"
            " or declare them as codes",
            arguments=("bins", "dates", "categorical"),
        )
    try:
        alone.cast(nw.Float64)
    except UNREADABLE:
        return
    raise DataError(
        f"column {column.name!r} has {len(alone):,} distinct numbers: bin it by edges,"
        " or declare them as codes",
        arguments=("bins", "categorical"),
    )


def named(names: Sequence[str]) -> str:
    """Return column names for a message."""
    if len(names) == 1:
        return f"column {names[0]!r}"
    return (
        "columns "
        + ", ".join(map(repr, names[:MAX_COLUMNS_NAMED]))
        + (
            f" and {len(names) - MAX_COLUMNS_NAMED} more"
            * (len(names) > MAX_COLUMNS_NAMED)
        )
    )
