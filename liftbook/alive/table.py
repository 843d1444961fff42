"""A reader's own table in the browser: counted here, audited and tried by the library, as ``lift audit`` does it.

Polars, which reads tables elsewhere, is not in a browser; the standard library's CSV reader takes its place, by the
same rules: values stay texts, and what nobody spoke of is refused, not guessed.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from liftbook.alive.releasing import release
from liftlib.errors import DataError, LiftError
from liftlib.notions.catalogue import notion_from
from liftlib.registry import mechanisms
from lifttables.audits.auditing import as_dict, audited
from lifttables.designs.designing import CONFIDENCE
from lifttables.encoding.columns import JOIN, MISSING, RARE, Column, Counts, Symbols
from lifttables.encoding.counting import NA_TEXTS, NUMERIC_SYMBOLS, log_choose
from lifttables.page import audit_page
from lifttables.recommendation.choosing import attempt, fitting
from lifttables.sources.source import SUFFIXES, ending

MOST = 200_000_000
"""Bytes of a table that is taken: its text and its counts must lie in the browser's memory."""

Row = tuple[str | None, ...]


class OwnTable:
    r"""A CSV file that never leaves the machine.

    Parameters
    ----------
    data : bytes
    name : str
        The file's, whose ending says how it is written.

    Examples
    --------
    >>> table = OwnTable(b"ill,age\nyes,old\nno,young\nno,old\n", "a.csv")
    >>> table.columns, counts_of(table, [Column("ill")], [Column("age")]).table.tolist()
    (['ill', 'age'], [[1.0, 1.0], [1.0, 0.0]])
    """

    def __init__(self, data: bytes, name: str) -> None:
        found = ending(Path(name))
        if found is None or not SUFFIXES[found]:
            raise DataError(f"{name} is no CSV file by its name: it ends in .csv or .tsv, or in either and .gz")
        if len(data) > MOST:
            raise DataError(
                f"{name} has {len(data) / 1e6:,.0f} MB, more than {MOST / 1e6:,.0f}: audit it with `lift audit`"
            )
        self.name, self.separator = name, SUFFIXES[found]
        try:
            self._text = (gzip.decompress(data) if found.endswith(".gz") else data).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise DataError(f"{name} is not UTF-8 at byte {error.start:,}: save it as UTF-8") from error
        except (OSError, EOFError) as error:
            raise DataError(f"{name} is not what gzip writes: {error}") from error
        self.columns = [column or "" for column in next(self._rows(), [])]
        if not self.columns:
            raise DataError(f"{name} is empty: it needs a line with the columns' names")
        if twice := [column for column, times in Counter(self.columns).items() if times > 1]:
            raise DataError(f"{name} has more than one column {twice[0]!r}: rename them")

    def _rows(self) -> Iterator[list[str | None]]:
        # from 3.12 on the reader tells a missing value from an empty text in quotes
        how: dict[str, Any] = {"quoting": vars(csv)["QUOTE_NOTNULL"]} if sys.version_info >= (3, 12) else {}
        try:
            for row in csv.reader(io.StringIO(self._text, newline=""), delimiter=self.separator, **how):
                yield [value if value is not None and (how or value) else None for value in row]
        except csv.Error as error:
            raise DataError(f"cannot read {self.name}: {error}; check the file") from error

    def values(self, names: Sequence[str]) -> Iterator[Row]:
        """Give some columns' values, row by row.

        Raises
        ------
        DataError
            If a column is not there, or a line has more or fewer values than the header.
        """
        for name in names:
            if name not in self.columns:
                raise DataError(
                    f"{self.name} has no column {name!r}: there are {', '.join(map(repr, self.columns[:20]))}"
                )
        if len(set(names)) < len(names):
            raise DataError("a column is named twice: secret and public are different columns")
        at, wide = [self.columns.index(name) for name in names], len(self.columns)
        rows = 0
        for number, row in enumerate(itertools.islice(self._rows(), 1, None), 2):
            if len(row) != wide:
                if not row and wide > 1:  # an empty line
                    continue
                if row:
                    raise DataError(
                        f"record {number} of {self.name} has {len(row)} values, the header {wide} names: "
                        "quote values that hold a comma"
                    )
            rows += 1
            yield tuple(row[place] if row else None for place in at)
        if not rows:
            raise DataError(f"{self.name} has no rows: a distribution needs one observation or more")


def label_of(column: Column, value: str | None) -> str | None:
    """Return the label of a column's value, None where it is missing."""
    if value is None or (column.na and value in column.na):
        return None
    if not column.edges:
        return value
    try:
        number = float(value)
    except ValueError as error:
        raise DataError(f"column {column.name!r} is to be binned and holds {value!r}, which is no number") from error
    if np.isnan(number):
        return None
    return column.bins()[int(np.searchsorted(column.edges, number, side="right"))]


def counts_of(
    table: OwnTable,
    secret: Sequence[Column],
    public: Sequence[Column],
    missing: str = "refuse",
    rare: str = "keep",
    min_count: int = 5,
) -> Counts:
    """Return the contingency table of secret and public columns.

    Parameters
    ----------
    table : OwnTable
    secret, public : sequence of Column
    missing : {"refuse", "symbol"}
    rare : {"error", "pool", "keep"}
        What becomes of public symbols with fewer than ``min_count`` rows; an audit keeps them, a release refuses them
        unless it is told.
    min_count : int

    Raises
    ------
    DataError
        As :func:`lifttables.encoding.counting.count` does, for what does not speak for itself.
    """
    columns = [*secret, *public]
    labelled: Counter[Row] = Counter()
    for values, rows in Counter(table.values([column.name for column in columns])).items():
        labelled[tuple(map(label_of, columns, values))] += rows
    for at, column in enumerate(columns):
        alone: Counter[str | None] = Counter()
        for labels, rows in labelled.items():
            alone[labels[at]] += rows
        _check(column, alone, missing)
    filled = {tuple(MISSING if one is None else one for one in labels): rows for labels, rows in labelled.items()}
    split = len(secret)
    secrets = _symbols(secret, {labels[:split] for labels in filled})
    many: Counter[tuple[str, ...]] = Counter()
    for labels, rows in filled.items():
        many[labels[split:]] += rows
    publics = _pooled(_symbols(public, set(many)), many, rare, min_count)
    s_at = {label: at for at, label in enumerate(secrets.labels)}
    x_at = {label: at for at, label in enumerate(publics.labels)}
    x_at |= dict.fromkeys(publics.pooled, len(publics.labels) - 1)
    found = np.zeros((len(secrets.labels), len(publics.labels)))
    for labels, rows in filled.items():
        found[s_at[labels[:split]], x_at[labels[split:]]] += rows
    # which symbols are few is the rows' choice: any so many of them could have been
    return Counts(found, secrets, publics, log_choose(len(many), len(publics.pooled)))


def _pooled(symbols: Symbols, many: Counter[tuple[str, ...]], rare: str, min_count: int) -> Symbols:
    """Return the public symbols with what becomes of the rare ones.

    Raises
    ------
    DataError
        If there are some and ``rare`` is "error".
    """
    few = tuple(label for label in symbols.labels if many[label] < min_count)
    if not few or rare == "keep":
        return symbols
    if rare == "error":
        shown = ", ".join(repr(JOIN.join(label)) for label in few[:3]) + (", ..." if len(few) > 3 else "")
        raise DataError(
            f"{JOIN.join(symbols.names)!r} has {len(few)} symbol{'s' if len(few) > 1 else ''} with fewer than "
            f"{min_count} rows ({shown}): make them one symbol, or keep them"
        )
    if any(RARE in label for label in symbols.labels):
        raise DataError(f"{JOIN.join(symbols.names)!r} holds the label {RARE!r}, which is the pool's: rename it")
    whole = tuple(label for label in symbols.labels if label not in set(few))
    return Symbols(symbols.columns, (*whole, (RARE,)), few)


def labels_of(
    table: OwnTable, secret: Sequence[Column], public: Sequence[Column]
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return each row's secret and public labels; what is missing has its own, which counting has allowed."""
    columns, split = [*secret, *public], len(secret)
    known: dict[Row, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    found = []
    for values in table.values([column.name for column in columns]):
        if values not in known:
            labels = tuple(MISSING if one is None else one for one in map(label_of, columns, values))
            known[values] = (labels[:split], labels[split:])
        found.append(known[values])
    return found


def _symbols(columns: Sequence[Column], labels: set[tuple[str, ...]]) -> Symbols:
    placed = sorted(labels, key=lambda label: [column.place(one) for column, one in zip(columns, label, strict=True)])
    return Symbols(tuple(columns), tuple(placed))


def _check(column: Column, rows: Counter[str | None], missing: str) -> None:
    name, gone = column.name, rows.get(None, 0)
    if gone and missing == "refuse":
        raise DataError(
            f"column {name!r} misses {gone:,} of {rows.total():,} values: fill them, leave those rows out, or make "
            "them a symbol"
        )
    if gone and MISSING in rows:
        raise DataError(f"column {name!r} holds the text {MISSING!r} and misses values too: rename the one")
    if column.na is None:
        for text in NA_TEXTS:
            if text in rows:
                raise DataError(
                    f"column {name!r} holds the text {text!r} in {rows[text]:,} rows: say whether it is missing "
                    "or a value like others"
                )
    labels = [label for label in rows if label is not None]
    if column.plain and not column.categorical and len(labels) > NUMERIC_SYMBOLS and all(map(_is_number, labels)):
        raise DataError(
            f"column {name!r} holds {len(labels):,} distinct numbers: give it edges of bins, or say that they are codes"
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def column_from(asked: dict[str, Any]) -> Column:
    """Return a column from what the page's form says of it."""
    edges = tuple(sorted(float(edge) for edge in asked.get("edges", [])))
    na = asked.get("na")
    return Column(
        asked["name"], edges, na=None if na is None else tuple(na), categorical=bool(asked.get("categorical"))
    )


class Desk:
    """What the page asks about a reader's table; answers are JSON, a table that is refused says why."""

    def __init__(self) -> None:
        self.table: OwnTable | None = None

    def opened(self, data: Any, name: str) -> str:
        """Take a table's bytes, or what a browser gives for them, and return its columns."""
        try:
            self.table = OwnTable(bytes(data), name)
        except LiftError as error:
            return json.dumps({"refused": str(error)})
        return json.dumps({"columns": self.table.columns, "mechanisms": list(mechanisms)})

    def audit(self, asked: str) -> str:
        """Return the audit as the command's JSON and as its page.

        Parameters
        ----------
        asked : str
            JSON: ``secret`` and ``public``, lists of columns (``name``, ``edges``, ``na``, ``categorical``);
            ``missing``; ``notion`` with its ``budgets``, or none; ``resamples``, ``seed``.
        """
        wanted = json.loads(asked)
        try:
            counts = self._counts(wanted)
            notion = notion_from(wanted["notion"], wanted["budgets"]) if wanted.get("notion") else None
            found = audited(counts, notion, resamples=wanted.get("resamples", 200), rng=wanted.get("seed", 0))
            return json.dumps({"audit": _finite(as_dict(found)), "page": audit_page(found)})
        except LiftError as error:
            return json.dumps({"refused": str(error)})

    def attempt(self, asked: str) -> str:
        """Return what one mechanism keeps of the column: ``asked`` has ``kind`` of notion, ``eps``, ``mechanism``."""
        wanted = json.loads(asked)
        try:
            found = attempt(self._counts(wanted), wanted["kind"], wanted["mechanism"], wanted["eps"], CONFIDENCE)
        except LiftError as error:
            return json.dumps({"mechanism": wanted["mechanism"], "problem": str(error)})
        told = {"mechanism": found.mechanism, "notion": found.notion, "nmi": found.nmi, "outputs": found.outputs}
        return json.dumps(told | {"seconds": found.seconds, "kept": list(found.kept), "confidence": CONFIDENCE})

    def release(self, asked: str) -> str:
        """Return what ``lift sanitise`` writes: the released column, its card, and for the owner audit and design.

        Parameters
        ----------
        asked : str
            JSON as for :meth:`audit`, and ``mechanism``; ``confidence``, null for these rows alone; ``rare``, what
            becomes of rare symbols; ``kernel``, whether the card has it, null for the default; ``seed``, null for a
            draw that nobody can foresee.
        """
        wanted = json.loads(asked)
        try:
            table, (secret, public) = self._chosen(wanted)
            done = release(
                table,
                counts_of(table, secret, public, wanted.get("missing", "refuse"), wanted.get("rare", "error")),
                labels_of(table, secret, public),
                notion_from(wanted["notion"], wanted["budgets"]),
                wanted["mechanism"],
                wanted["confidence"],
                resamples=wanted.get("resamples", 200),
                seed=wanted.get("seed"),
                kernel=wanted.get("kernel"),
                missing=wanted.get("missing", "refuse"),
                rare=wanted.get("rare", "error"),
            )
        except LiftError as error:
            return json.dumps({"refused": str(error)})
        stem = table.name.removesuffix(".gz").rpartition(".")[0]
        told = {"nmi": done.audit.overall["nmi"], "notes": list(done.audit.notes), "promises": done.promises()}
        return json.dumps(_finite(told | {"files": done.files(stem, table.separator), "audit": as_dict(done.audit)}))

    def _chosen(self, wanted: dict[str, Any]) -> tuple[OwnTable, tuple[list[Column], list[Column]]]:
        if self.table is None:
            raise DataError("there is no table yet: choose a file")
        secret, public = ([column_from(one) for one in wanted[role]] for role in ("secret", "public"))
        return self.table, (secret, public)

    def _counts(self, wanted: dict[str, Any]) -> Counts:
        table, (secret, public) = self._chosen(wanted)
        return counts_of(table, secret, public, wanted.get("missing", "refuse"))

    def serving(self, asked: str) -> str:
        """Return the mechanisms that ``lift choose`` would try under a ``kind`` of notion."""
        wanted = json.loads(asked)
        try:
            names = fitting(wanted["kind"], None, self._counts(wanted), CONFIDENCE)
        except LiftError as error:
            return json.dumps({"refused": str(error)})
        return json.dumps({"mechanisms": names})


def _finite(value: Any) -> Any:
    """Return values as JSON holds them everywhere: infinity as a text."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if isinstance(value, float) and not np.isfinite(value):
        return "infinity" if value > 0 else "-infinity" if value < 0 else "nan"
    return value
