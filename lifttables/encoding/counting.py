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
    JOIN,
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

# a column with more distinct numbers must be binned or declared as categorical
MAX_NUMERIC_SYMBOLS = 50
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
    *(".", "..", "...", ":", "\N{EN DASH}", "\N{EM DASH}", "\N{HORIZONTAL ELLIPSIS}"),
    *(word.capitalize() for word in NA_WORDS),
    *(word.upper() for word in NA_WORDS),
)
MAX_COLUMNS_NAMED = 6  # maximum number of columns named in a message

Missing = Literal["refuse", "symbol", "drop"]
Rare = Literal["error", "pool", "keep"]


def count(
    counted: Any,
    secret: Sequence[Column],
    public: Sequence[Column],
    *,
    missing: Missing = "refuse",
    rare: Rare = "error",
    min_count: int = 5,
    max_symbols: int = 5000,
) -> Counts:
    """Return the contingency table of counted labels.

    ``counted`` has a column for each secret and public column, and ``ROWS``. The
    options are those of ``Reading``; ``product`` requires every combination of labels
    to occur, which side channels need. DataError is raised if the labels do not fit the
    options.
    """
    every, dropped, frame = (
        [*secret, *public],
        0,
        nw.from_native(counted, eager_only=True),
    )
    if missing == "drop":
        complete = frame.drop_nulls([column.name for column in every])
        dropped = int(frame[ROWS].sum()) - int(complete[ROWS].sum())
        if complete.is_empty():
            raise DataError(
                "every row has a missing value in"
                f" {named([column.name for column in every])}: none is left"
            )
        frame = complete
    _check_texts(frame, every)
    for column in every:
        _check_labels(frame, column, missing)
    names, of_secret = (
        [column.name for column in public],
        [column.name for column in secret],
    )
    filled = frame.with_columns(nw.col(*of_secret, *names).fill_null(MISSING))
    totals = filled.group_by(names).agg(nw.col(ROWS).sum())
    _check_many(named(names), "symbols", len(totals), max_symbols)
    secrets = _secrets(filled.select(of_secret).unique().rows(), secret, max_symbols)
    many = {row[:-1]: row[-1] for row in totals.rows()}
    labels = _sorted(list(many), public)
    # none, unless each column has a list
    listed = list(itertools.product(*(column.values for column in public)))
    to_name = (
        set(listed)
        if listed
        else {label for label in labels if many[label] >= min_count}
    )
    few = [label for label in labels if label not in to_name]
    if few and rare == "error" and not listed:
        shown = ", ".join(repr(JOIN.join(label)) for label in few[:3]) + (
            ", ..." if len(few) > 3 else ""
        )
        raise DataError(
            f"{named(names)} has {len(few)} symbol{'s' if len(few) > 1 else ''} with"
            f" fewer than {min_count} rows ({shown}): pool them, keep them, or lower"
            " the limit",
            arguments=("rare", "min_count"),
        )
    pooled = tuple(few) if rare == "pool" or listed else ()
    labels = listed or (
        [label for label in labels if label in to_name] if pooled else labels
    )
    _check_many(named(names), "symbols", len(labels), max_symbols)
    labels = labels + [(RARE,)] * bool(pooled or listed)
    symbols = Symbols(tuple(public), tuple(labels), pooled)
    secret_symbols = Symbols(tuple(secret), tuple(secrets))
    table = np.zeros((len(secrets), len(labels)))
    np.add.at(
        table,
        (secret_symbols.index(filled), symbols.index(filled)),
        filled[ROWS].to_numpy(),
    )
    # where the rows choose which symbols are pooled, a union bound covers all sets of
    # this size
    return Counts(table, secret_symbols, symbols, symbols.chosen, dropped)


def _secrets(
    occurring: Sequence[tuple[str, ...]], columns: Sequence[Column], max_symbols: int
) -> list[tuple[str, ...]]:
    """Return the secrets that occur or, with listed values, all combinations; refuse a
    column with a single value.
    """
    values = [
        tuple({*column.values, *(label[at] for label in occurring)})
        for at, column in enumerate(columns)
    ]
    listed = any(column.values for column in columns)
    n = math.prod(map(len, values)) if listed else len(occurring)
    _check_many(named([column.name for column in columns]), "secrets", n, max_symbols)
    for column, alone in zip(columns, values, strict=True):
        if len(alone) < 2:
            raise DataError(
                f"column {column.name!r} has the same value in every row, so that"
                " nothing can be said about others: list all of its values, or name"
                " another secret",
                arguments=("values",),
            )
    return _sorted(list(itertools.product(*values)) if listed else occurring, columns)


def _check_many(columns: str, what: str, n: int, most: int) -> None:
    if n > most:
        raise DataError(
            f"{columns} has {n:,} {what}, more than {most:,}: bin or coarsen it, or"
            " raise the limit",
            arguments=("bins", "hierarchies", "max_symbols"),
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
