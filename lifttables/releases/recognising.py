"""Recognition of the rows that a design was made from, whatever their file."""

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

SIMILARITY_LEVEL = 0.01  # share of independent samples of one population whose counts would count as similar


def recognised(table: Table, design: Design) -> Design | None:
    """Return a design, in the table's spelling, if the table has exactly its counts.

    Otherwise return None. The counts are those of the design's secret and public columns, or of the public columns if
    the table has no secret column, with the design's bins, hierarchies and pools. Numbers are compared by value, and
    texts without case and surrounding spaces, so that CSV and Parquet agree. Other columns and the order of rows do not
    matter. Rows are not recognised after one is added, removed or changed, or after columns or values are renamed. A
    table of other people with equal counts counts as the same rows, which errs on the safe side.
    """
    secret = _secret(table, design)
    labels = _same(_labels_like(table, design), secret, design)
    if labels is None:
        return None
    return replace(
        design,
        secret=_spelled(design.secret, labels) if secret else design.secret,
        public=_spelled(design.public, labels),
    )


def similar(table: Table, design: Design) -> bool:
    """Return whether a table's counts are suspiciously close to a design's, but not the same.

    They are if they are equal up to labels, or closer than independent samples would be, as after changes to a few
    rows: Pearson's statistic of homogeneity is in its lower ``SIMILARITY_LEVEL`` tail. Rows that miss a value are
    compared too and left out, because the design may have left them out. If a public column is missing, as after a
    change of its name, the secret's counts must be the same; so they are if values were merged or split, and the counts
    of the values that were not. A subset of the rows is not detected.
    """
    secret = _secret(table, design)
    if secret and not set(design.public.names) <= set(table.columns):
        return _same_secrets(table, secret, design)
    labels = _labels_like(table, design)
    if labels is None or _same(labels, secret, design) is not None:
        return False
    old = _counts(design, bool(secret))
    every = [_counts_of(rows, secret, design) for rows in (labels, labels.drop_nulls())]
    return any(_close(new, old) or (bool(secret) and _recoded(new, old)) for new in every)


def _same_secrets(table: Table, secret: Sequence[Column], design: Design) -> bool:
    try:
        labels = table.counts(list(secret))
    except DataError:
        return False
    old = Counter(
        {_plain(label): int(rows) for label, rows in zip(design.secret.labels, design.table.sum(axis=1), strict=True)}
    )
    return any(
        Counter(dict(zip(_labels(rows, secret), rows[ROWS].to_list(), strict=True))) == old
        for rows in (labels, labels.drop_nulls())
        if len(rows)
    )


def _close(new: Counter[tuple[Label, Label]], old: Counter[tuple[Label, Label]]) -> bool:
    if not new:
        return False
    if len(old) > 1 and sorted(new.values()) == sorted(old.values()):
        return True
    cells = list(new | old)
    a, b = (np.array([counts[cell] for cell in cells], dtype=float) for counts in (new, old))
    statistic = ((a * b.sum() - b * a.sum()) ** 2 / (a + b)).sum() / (a.sum() * b.sum())
    from scipy.special import chdtr  # noqa: PLC0415 - scipy is slow to import

    return len(cells) > 1 and bool(chdtr(len(cells) - 1, statistic) < SIMILARITY_LEVEL)


def _recoded(new: Counter[tuple[Label, Label]], old: Counter[tuple[Label, Label]]) -> bool:
    """Return whether counts would be the same if the symbols that only one of them has were one symbol."""
    kept = {x for _, x in new} & {x for _, x in old}
    if not kept < {x for _, x in new | old}:
        return False
    merged = (Counter[tuple[Label, Label | None]](), Counter[tuple[Label, Label | None]]())
    for counts, into in zip((new, old), merged, strict=True):
        for (s, x), rows in counts.items():
            into[s, x if x in kept else None] += rows
    return merged[0] == merged[1]


def _same(labels: Labels | None, secret: Sequence[Column], design: Design) -> Labels | None:
    """Return the labels, or those of the rows that miss no value, if they have a design's counts."""
    if labels is not None and int(labels[ROWS].sum()) != design.rows:
        labels = labels.drop_nulls()  # the design may be of the rows that miss no value
    if labels is None or int(labels[ROWS].sum()) != design.rows:
        return None
    return labels if _counts_of(labels, secret, design) == _counts(design, bool(secret)) else None


def _secret(table: Table, design: Design) -> Sequence[Column]:
    return design.secret.columns if set(design.secret.names) <= set(table.columns) else ()


def _labels_like(table: Table, design: Design) -> Labels | None:
    """Return the table's counts by the design's labels; None if they do not fit."""
    if not set(design.public.names) <= set(table.columns):
        return None
    try:
        return table.counts(list(dict.fromkeys([*_secret(table, design), *design.public.columns])))
    except DataError:  # such as texts in a column that the design bins
        return None


def _counts(design: Design, with_secret: bool) -> Counter[tuple[Label, Label]]:
    counts = Counter[tuple[Label, Label]]()
    for s, x in np.argwhere(design.table > 0):
        secret = _plain(design.secret.labels[s]) if with_secret else ()
        counts[secret, _plain(design.public.labels[x])] += int(design.table[s, x])
    return counts


def _counts_of(labels: Labels, secret: Sequence[Column], design: Design) -> Counter[tuple[Label, Label]]:
    pooled = set(map(_plain, design.public.pooled))
    counts = Counter[tuple[Label, Label]]()
    columns = (_labels(labels, secret), _labels(labels, design.public.columns), labels[ROWS].to_list())
    for s, x, rows in zip(*columns, strict=True):
        counts[s, (RARE,) if x in pooled else x] += int(rows)
    return counts


def _labels(labels: Labels, columns: Sequence[Column]) -> list[Label]:
    codes, known = numbered(labels, [column.name for column in columns])
    plain = list(map(_plain, known))
    return [plain[code] for code in codes]


def _spelled(symbols: Symbols, table_labels: Labels) -> Symbols:
    """Return the symbols with their labels in the table's spelling."""
    known = numbered(table_labels, symbols.names)[1]
    spelling = {_plain(row): row for row in known} | {row: row for row in known}

    def spelled(labels: Sequence[Label]) -> tuple[Label, ...]:
        return tuple(spelling.get(label) or spelling.get(_plain(label), label) for label in labels)

    return replace(symbols, labels=spelled(symbols.labels), pooled=spelled(symbols.pooled))


def _plain(label: Label) -> Label:
    return tuple(map(_value, label))


def _value(text: str) -> str:
    """Return a normal form of a value that is the same in CSV and Parquet."""
    text = text.strip().casefold()
    try:
        return repr(float(text))
    except ValueError:
        return text
