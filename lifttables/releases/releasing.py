"""Release of rows through a design: published columns, random row order, streaming to a file."""

from __future__ import annotations

import itertools
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from polars.exceptions import PolarsError
from polars.io.plugins import register_io_source

from liftlib.channel import Uniform
from liftlib.errors import DataError
from lifttables.designs.designing import Design, Unseen
from lifttables.encoding.columns import MISSING, RARE
from lifttables.encoding.table import Table
from lifttables.sources.source import BATCH, SUFFIXES, ending

Formulas = Literal["error", "quote", "keep"]

PARTS = 64
"""Files into which rows are dealt at random to be shuffled, where they are more than one batch."""

TEXTS = (pl.String, pl.Categorical, pl.Enum)
"""Types of columns whose values are texts."""

NUMBERED = re.compile(r" #[0-9]+\Z")
"""The number at the end of an output whose text would otherwise not be unique."""

WORD = re.compile(r"[^\W_][\w .%-]*")
"""A label that means nothing to a spreadsheet after a sign or a number and ``or``."""


@dataclass(frozen=True)
class Publishing:
    """How rows are published.

    Attributes
    ----------
    keep : tuple of str
        Columns published as they are.
    unseen : {"error", "draw"}
        What becomes of a symbol that the design has not seen.
    keep_order : bool
        Whether rows keep the source's order, which may tell the secret; by default they are shuffled.
    formulas : {"error", "quote", "keep"}
        What becomes of a text that a spreadsheet would run.
    kernel : bool or None
        Whether the card has the kernel, where that may be published at all. None leaves it out where card and release
        might leave fewer than ``POSSIBLE`` tables possible.
    coarsened : tuple of str
        Columns that were to be kept, and that the design releases instead, coarsened where needed.
    """

    keep: tuple[str, ...] = ()
    unseen: Unseen = "error"
    keep_order: bool = False
    formulas: Formulas = "error"
    kernel: bool | None = None
    coarsened: tuple[str, ...] = ()


def check_keep(table: Table, made: Design, keep: Sequence[str]) -> None:
    """Raise if a column to keep does not exist, is secret, or is released through the channel.

    Raises
    ------
    DataError
        With the column.
    """
    table.check(list(keep))
    for name in keep:
        if name in made.secret.names:
            raise DataError(f"--keep names the secret {name!r}: it is not published")
        if name in made.public.names:
            raise DataError(f"--keep names {name!r}, which is released through the channel: leave it out")


def check_suffix(path: Path) -> None:
    """Refuse a file whose ending does not say how to write it."""
    if ending(path) is None:
        raise DataError(f"{path} does not end in {', '.join(SUFFIXES)}: the ending says how to write it")


def without_formulas(made: Design, formulas: Formulas, keep: Sequence[str] = ()) -> Design:
    """Return the design with texts that no spreadsheet takes for a formula.

    Raises
    ------
    DataError
        If there are some and ``formulas`` is ``"error"``, or a column's name is one.
    """
    if formulas == "keep":
        return made
    for name in (*made.public.names, *keep):
        if is_formula(name):
            raise DataError(f"the column's name {name!r} is a formula to a spreadsheet: rename it")
    risky = [text for texts in made.texts for text in texts if is_formula(text)]
    if not risky:
        return made
    if formulas == "error":
        raise DataError(_formula(risky[0]))
    texts = tuple(tuple(f"'{t}" if is_formula(t) else t for t in texts) for texts in made.texts)
    if len(set(texts)) < len(texts):
        raise DataError("with apostrophes two released values would read alike: rename those that begin with one")
    return replace(made, texts=texts)


def _formula(text: str) -> str:
    return (
        f"{text[:60]!r} would be a formula in a spreadsheet: put an apostrophe before it (--formulas quote) or "
        "publish it as it is (--formulas keep)"
    )


def is_formula(text: str) -> bool:
    r"""Return whether a spreadsheet might evaluate a text as a formula.

    A text that begins with ``=``, ``@``, a tab or a carriage return counts as a formula. So does one that begins with
    ``+`` or ``-``, with these exceptions: a number, a sign alone, and a number or a sign followed by "or" and other
    labels. Each of the other labels must be a number, a sign, ``(rare)``, ``(missing)``, or a word: a letter or a digit
    followed by letters, digits, spaces and ``. _ % -``. The last one may be followed by an output's number, as in
    ``-1 or -2 #3``.

    Such a text calls no function, starts no program and refers to no other file, which would take other parentheses,
    quotation marks or one of ``= @ + * / & | ! : ; ,``. At worst a spreadsheet shows an error in place of it.

    Examples
    --------
    >>> [is_formula(text) for text in ("=1+1", "@x", "-cmd|'/c calc'!A1", "-2+3")]
    [True, True, True, True]
    >>> [is_formula(text) for text in ("-5", "-1 or -2", "-99 or 30s", "- or (rare)")]
    [False, False, False, False]
    """
    if text[:1] in ("-", "+"):
        first, *others = NUMBERED.sub("", text).split(" or ")
        return not (
            _signed(first) and all(one in (RARE, MISSING) or WORD.fullmatch(one) or _signed(one) for one in others)
        )
    return text[:1] in ("=", "@", "\t", "\r")


def _signed(text: str) -> bool:
    """Return whether a text is a sign or a number."""
    try:
        return text in ("-", "+") or float(text) is not None
    except ValueError:
        return False


def harmless(rows: pl.DataFrame, keep: Sequence[str], formulas: Formulas) -> pl.DataFrame:
    """Return rows whose kept texts no spreadsheet evaluates; with ``"quote"``, categories become text.

    Raises
    ------
    DataError
        If one would be evaluated and ``formulas`` is ``"error"``.
    """
    for name in keep if formulas != "keep" else ():
        if not isinstance(rows.schema[name], TEXTS):
            continue
        texts = rows[name].cast(pl.String)
        begins = texts.str.contains(r"^[=@\t\r+-]").fill_null(value=False)
        risky = [text for text in texts.filter(begins).unique().to_list() if is_formula(text)]
        if risky and formulas == "error":
            raise DataError(f"kept column {name!r}: {_formula(risky[0])}")
        if formulas == "quote":
            rows = rows.with_columns(texts.replace(risky, [f"'{text}" for text in risky]))
    return rows


def _written(kind: pl.DataType, formulas: Formulas) -> pl.DataType:
    """Return the type that a kept column is written as, see :func:`harmless`."""
    return pl.String() if formulas == "quote" and isinstance(kind, TEXTS) else kind


def published(table: Table, made: Design, keep: Sequence[str]) -> list[str]:
    """Return the published columns in the table's order."""
    return [name for name in table.columns if name in {*keep, *made.public.names}]


def without_metadata(frame: Any) -> Any:
    """Return a released frame without the metadata of its library.

    The schema of a PyArrow table holds the names of all columns of a pandas frame that it was made from, that frame's
    attributes, and whatever its owner has written there or at a field.
    """
    schema: Any = getattr(frame, "schema", None)
    if not hasattr(schema, "remove_metadata"):  # not PyArrow's
        return frame
    for at, field in enumerate(schema):
        schema = schema.set(at, field.remove_metadata())
    return type(frame).from_arrays(frame.columns, schema=schema.remove_metadata())


def released(table: Table, made: Design, rng: Uniform, how: Publishing) -> Iterator[pl.DataFrame]:
    """Give the published rows in the source's order, a batch at a time."""
    names, columns = list(dict.fromkeys([*made.columns_needed(), *how.keep])), published(table, made, how.keep)
    for rows in table.batches(names):
        drawn = made.released(made.draw(rows, rng, how.unseen))
        kept = harmless(rows.select(how.keep), how.keep, how.formulas)
        yield pl.concat([kept, drawn], how="horizontal").select(columns)


def shuffled(batches: Iterator[pl.DataFrame], rng: Uniform, folder: Path) -> Iterator[pl.DataFrame]:
    """Yield the rows of batches in uniformly random order, with one part in memory at a time.

    Rows are distributed to ``PARTS`` files at random, and each file is shuffled: every order is equally likely.
    """
    first = next(batches, None)
    if first is None:
        return
    second = next(batches, None)
    if second is None:
        yield first[permutation(len(first), rng)]
        return
    with tempfile.TemporaryDirectory(prefix=".shuffling.", dir=folder) as aside:
        for number, batch in enumerate(itertools.chain([first, second], batches)):
            parts = np.minimum((rng.random(len(batch)) * PARTS).astype(np.int64), PARTS - 1)
            order = np.argsort(parts, kind="stable")
            ends = np.searchsorted(parts[order], np.arange(PARTS + 1))
            for part, (low, high) in enumerate(itertools.pairwise(ends)):
                if high > low:
                    batch[order[low:high]].write_ipc(Path(aside) / f"{part}-{number}")
        for part in range(PARTS):
            files = sorted(Path(aside).glob(f"{part}-*"))
            if files:
                rows = pl.concat([pl.read_ipc(file) for file in files])
                yield rows[permutation(len(rows), rng)]


def permutation(n: int, rng: Uniform) -> np.ndarray:
    """Return a random permutation of n items: the order of n random numbers, with ties about n^2 in 2^53."""
    return np.argsort(rng.random(n), kind="stable")


def write(table: Table, made: Design, path: Path, rng: Uniform, how: Publishing, suffix: str) -> None:
    """Stream the released rows to a file, shuffled unless told otherwise.

    Raises
    ------
    DataError
        If the file cannot be written.
    """
    failures: list[BaseException] = []
    schema = {name: _written(table.schema[name], how.formulas) for name in published(table, made, how.keep)}
    schema |= {name: pl.String() for name in made.public.names}

    def rows(with_columns: list[str] | None, *_: object) -> Iterator[pl.DataFrame]:
        try:
            batches = released(table, made, rng, how)
            for batch in batches if how.keep_order else shuffled(batches, rng, path.parent):
                for part in batch.iter_slices(BATCH):
                    yield part if with_columns is None else part.select(with_columns)
        except BaseException as error:  # Polars would wrap it: kept, to be raised as it is
            failures.append(error)
            raise

    lazy = register_io_source(rows, schema=schema)
    try:
        if SUFFIXES[suffix]:
            zipped: Literal["gzip", "uncompressed"] = "gzip" if suffix.endswith(".gz") else "uncompressed"
            lazy.sink_csv(path, separator=SUFFIXES[suffix], compression=zipped, check_extension=False)
        else:
            lazy.sink_parquet(path)
    except (PolarsError, OSError) as error:
        if failures:
            raise failures[0] from None
        raise DataError(f"cannot write {path}: {error}") from error
