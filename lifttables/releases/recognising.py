"""Recognition of the rows that a design was made from, regardless of file name and format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from liftlib.errors import DataError
from lifttables.designs.designing import Design
from lifttables.encoding.columns import RARE, ROWS, Column, Labels, Symbols, numbered
from lifttables.encoding.table import Table

Label = tuple[str, ...]


def recognised(table: Table, made: Design) -> Design | None:
    """Return a design if a table has exactly the counts that it was made from, otherwise None.

    Parameters
    ----------
    table : Table
    made : Design

    Returns
    -------
    Design or None
        The design, with the table's way of writing its labels, if each combination of labels of its secret and public
        columns occurs equally often in both; of the public columns alone, where the table lacks a secret one. The
        design's bins, hierarchies and pools apply. Numbers are compared by value, and texts without regard to capitals
        and to spaces around them, so that CSV and Parquet agree.

    Notes
    -----
    This does not depend on the file's name, place or format, on the order of the rows, or on other columns. It does
    not recognise rows after one is added, left out or changed, nor columns that were renamed. A table of other people
    with equal counts is taken for the same rows, which errs on the safe side.
    """
    columns = set(table.columns)
    if not set(made.public.names) <= columns:
        return None
    secret = made.secret.columns if set(made.secret.names) <= columns else ()
    try:
        found = table.counts(list(dict.fromkeys([*secret, *made.public.columns])))
    except DataError:  # values that cannot be labelled as the design's, such as texts in a column that it bins
        return None
    if int(found[ROWS].sum()) != made.rows:
        found = found.drop_nulls()  # the design may be of the rows that miss no value
    if int(found[ROWS].sum()) != made.rows:
        return None
    pooled = {_plain(label) for label in made.public.pooled}
    new = Counter[tuple[Label, Label]]()
    secrets, symbols = _labels(found, secret), _labels(found, made.public.columns)
    for s, x, rows in zip(secrets, symbols, found[ROWS].to_list(), strict=True):
        new[s, (RARE,) if x in pooled else x] += int(rows)
    old = Counter[tuple[Label, Label]]()
    for at_s, at_x in np.argwhere(made.table > 0):
        s = _plain(made.secret.labels[at_s]) if secret else ()
        old[s, _plain(made.public.labels[at_x])] += int(made.table[at_s, at_x])
    if new != old:
        return None
    return replace(
        made, secret=_written(made.secret, found) if secret else made.secret, public=_written(made.public, found)
    )


def _written(symbols: Symbols, found: Labels) -> Symbols:
    """Return symbols with the labels of a table, where it writes them otherwise."""
    rows = [(row, _plain(row)) for row in numbered(found, symbols.names)[1]]
    exact, alike = {row for row, _ in rows}, {plain: row for row, plain in rows}

    def written(labels: Sequence[Label]) -> tuple[Label, ...]:
        return tuple(label if label in exact else alike.get(_plain(label), label) for label in labels)

    return replace(symbols, labels=written(symbols.labels), pooled=written(symbols.pooled))


def _labels(found: Labels, columns: Sequence[Column]) -> list[Label]:
    codes, known = numbered(found, [column.name for column in columns])
    plain = [_plain(label) for label in known]
    return [plain[code] for code in codes]


def _plain(label: Label) -> Label:
    return tuple(map(_value, label))


def _value(text: str) -> str:
    """Return a text that is the same for all ways of writing a value that CSV and Parquet have."""
    text = text.strip().casefold()
    try:
        return repr(float(text))
    except ValueError:
        return text
