"""The interface of a table, whatever library holds its rows."""

from __future__ import annotations

import copy
import difflib
import hashlib
import json
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import narwhals as nw

from liftlib.channel import Uniform
from liftlib.errors import DataError, LiftError
from lifttables.encoding.columns import ROWS, UNREADABLE, Column, Labels, labelled

# by parts of the messages of data-frame libraries; these arguments are the remedies of
# some
ARGUMENTS = {
    "invalid utf-8": ("encoding",),
    "conversion": ("decimal", "dates", "na"),
    "convert string": ("decimal",),
}
REMEDIES = {
    "invalid utf-8": (
        "name its encoding, such as latin-1 or cp1252, or save it as UTF-8"
    ),
    "more fields": (
        "a line has more values than the header has names; quote values that contain a"
        " comma"
    ),
    "conversion": (
        "a binned column must contain numbers (1.5) or dates (2020-01-31); say what is"
        " written otherwise, decimal commas or dates such as 31.01.2020, and declare"
        " missing texts"
    ),
    "convert string": (
        "a binned column must contain numbers; say if they have decimal commas"
    ),
    "compress": "it is not a valid gzip file",
    "cast": (
        "a column of lists, intervals or other objects has no labels: convert it to"
        " text first"
    ),
}

Rows = nw.LazyFrame[Any]  # rows that are read when requested


class Table(ABC):
    """A table: named columns, counts of labels, and rows in order."""

    name: str
    columns: tuple[str, ...]
    # rows without a value in one of these columns are left out
    needed: tuple[Column, ...] = ()

    @abstractmethod
    def read(self, names: Sequence[str]) -> Rows:
        """Return all rows of some columns, including those without a needed value."""

    @abstractmethod
    def release(self, design: Any, source: Uniform) -> Any:
        """Return the rows released through a design, as a frame of the same library."""

    def rows(self, names: Sequence[str]) -> Rows:
        """Return some columns of the rows in which no needed value is missing."""
        if not self.needed:
            return self.read(names)
        every = self.read(
            list(dict.fromkeys([*names, *(column.name for column in self.needed)]))
        )
        return every.filter(present(self.needed)).select(*names)

    def complete(self, columns: Sequence[Column]) -> Table:
        """Return the table without the rows in which a value of some columns is
        missing.
        """
        self.check([column.name for column in columns])
        table = copy.copy(self)
        table.needed = tuple(columns)
        return table

    def collected(self, rows: Rows) -> Labels:
        """Return rows in memory."""
        with reading(self.name):
            return rows.collect(**self.how)

    how: ClassVar[Mapping[str, Any]] = {}  # options for collecting rows

    def counts(self, columns: Sequence[Column]) -> Labels:
        """Return the number of rows (``ROWS``) with each combination of labels."""
        names = [column.name for column in columns]
        self.check(names)
        with reading(self.name):
            labels = self._counted(columns)
        if labels.is_empty() and self.needed:
            columns_needed = ", ".join(repr(column.name) for column in self.needed)
            raise DataError(
                f"every row of {self.name} has a missing value in {columns_needed}:"
                " none is left"
            )
        if labels.is_empty():
            raise DataError(
                f"{self.name} has no rows: a distribution needs at least one"
                " observation"
            )
        return labels.with_columns(nw.col(ROWS).cast(nw.Int64)).sort(*names)

    def _counted(self, columns: Sequence[Column]) -> Labels:
        rows = self.rows([column.name for column in columns])
        return self.collected(tally(rows, columns))

    def batches(self, names: Sequence[str]) -> Iterator[Labels]:
        """Yield the rows of some columns, in order."""
        yield self.collected(self.rows(names))

    def digest(self, columns: Sequence[Column]) -> bytes:
        """Return the SHA-256 of some columns of the rows, in order."""
        return digest_of(self.batches([column.name for column in columns]))

    def check(self, names: Sequence[str]) -> None:
        """Raise DataError if a column is missing (naming the nearest) or is named
        twice.
        """
        for name in names:
            if name not in self.columns:
                same = [
                    column
                    for column in self.columns
                    if _composed(column) == _composed(name)
                ]
                folded = {_folded(column): column for column in self.columns}
                close = difflib.get_close_matches(_folded(name), folded, n=1)
                near = same or [folded[one] for one in close]
                listed = ", ".join(map(repr, self.columns[:20])) + (
                    ", ..." if len(self.columns) > 20 else ""
                )
                # escapes distinguish names that look the same
                written = ascii if same else repr
                remedy = (
                    f"did you mean {written(near[0])}?"
                    if near
                    else f"there are {listed}"
                )
                raise DataError(f"{self.name} has no column {written(name)}: {remedy}")
            # Polars reads such a name as a pattern, which may match the secret's column
            if (
                not name
                or name == "*"
                or (name.startswith("^") and name.endswith("$"))
                or "\0" in name
            ):
                raise DataError(
                    f"{self.name} has a column called {name!r}, which is not a valid"
                    " name: rename it"
                )
        if len(set(names)) < len(names):
            twice = next(name for name in names if list(names).count(name) > 1)
            raise DataError(f"column {twice!r} is named twice: name each column once")


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _folded(name: str) -> str:
    """Return a name without what people write differently: case and blanks."""
    return " ".join(_composed(name).casefold().split())


def tally(rows: Any, columns: Sequence[Column]) -> Any:
    """Return the number of rows with each combination of labels; rows may be lazy."""
    names = [column.name for column in columns]
    return labelled(rows, columns).group_by(*names).agg(nw.len().alias(ROWS))


def digest_of(batches: Iterable[Labels]) -> bytes:
    """Return the SHA-256 of rows, however they are divided into batches.

    A missing value is no text, and a text ends where it ends.
    """
    columns: dict[str, Any] = {}
    for rows in batches:
        for name in rows.columns:
            column = rows[name]
            missing = column.is_null().to_list()  # pandas has a value for it
            texts = [
                "-" if gone else f"{len(text := str(value))}:{text}"
                for gone, value in zip(missing, column.to_list(), strict=True)
            ]
            of_column = columns.setdefault(name, hashlib.sha256())
            of_column.update("".join(texts).encode())
    found = hashlib.sha256()
    for name, of_column in columns.items():
        found.update(hashlib.sha256(name.encode()).digest() + of_column.digest())
    return found.digest()


def contents_of(counted: Labels, names: Sequence[str]) -> bytes:
    """Return the SHA-256 of the number of rows with each combination of some labels.

    It is the same in whatever order rows are, and whatever library counted them.
    """
    totals = counted.group_by(*names).agg(nw.col(ROWS).sum())
    filled = totals.select(nw.col(*names).fill_null("\0"), nw.col(ROWS))
    texts = sorted(json.dumps([*labels, int(n)]) for *labels, n in filled.rows())
    return hashlib.sha256("\n".join(texts).encode()).digest()


def present(columns: Sequence[Column]) -> nw.Expr:
    """Return an expression for the rows in which no value of some columns
    is missing.
    """
    return nw.all_horizontal(
        *(~column.missing() for column in columns), ignore_nulls=False
    )


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Convert errors of data-frame libraries about values or files into a DataError."""
    try:
        yield
    except LiftError:
        raise
    except UNREADABLE as error:
        part = next((part for part in REMEDIES if part in str(error)), None)
        remedy = "check the file" if part is None else REMEDIES[part]
        raise DataError(
            f"cannot read {name}: {str(error).splitlines()[0]}; {remedy}",
            arguments=() if part is None else ARGUMENTS.get(part, ()),
        ) from error
