"""From a table to a released one: estimate the joint distribution, design a channel, audit it, draw.

Only the released column is published, and the columns that its owner names; the secret never is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
import numpy as np
import polars as pl
from polars.exceptions import PolarsError
from polars.io.plugins import register_io_source

from liftlib.channel import Uniform
from liftlib.errors import DataError
from liftlib.files import check_free, fresh_file
from liftlib.notions import SRLIP, Notion
from liftlib.tables.auditing import Audit, audit_counts
from liftlib.tables.columns import Column, Counts, column_from, count
from liftlib.tables.designing import Design, Unseen, design, joint_of, load
from liftlib.tables.page import audit_page
from liftlib.tables.randomness import SystemRandom
from liftlib.tables.source import SUFFIXES, Table, open_table

Formulas = Literal["error", "quote", "keep"]


@dataclass(frozen=True)
class Reading:
    """How to read a table: its columns, and the policies for what does not speak for itself.

    Attributes
    ----------
    secret : str
    public : tuple of str
        Several columns make one symbol of each combination.
    bins : tuple of str
        ``"age=20,40"`` or ``"age=quantiles:4"``; a column of many numbers is refused without.
    missing : {"error", "symbol"}
    rare : {"error", "pool", "keep"}
        What becomes of public symbols with fewer than ``min_count`` rows.
    min_count, max_symbols : int
    """

    secret: str
    public: tuple[str, ...]
    bins: tuple[str, ...] = ()
    missing: Literal["error", "symbol"] = "error"
    rare: Literal["error", "pool", "keep"] = "error"
    min_count: int = 5
    max_symbols: int = 5000

    def counts(self, table: Table, *, product: bool = False) -> Counts:
        """Return the contingency table."""
        table.check([self.secret, *self.public])
        edges: dict[str, tuple[float, ...]] = {}
        for text in self.bins:
            name, found = column_from(text)
            table.check([name])
            if name not in (self.secret, *self.public):
                raise DataError(f"--bin names {name!r}, which is neither the secret nor public: leave it out")
            edges[name] = table.quantiles(name, found) if isinstance(found, int) else found
        columns = [Column(name, edges.get(name, ())) for name in (self.secret, *self.public)]
        return count(
            table.counts(columns),
            columns[0],
            columns[1:],
            missing=self.missing,
            rare=self.rare,
            min_count=self.min_count,
            max_symbols=self.max_symbols,
            product=product,
        )


@dataclass(frozen=True, eq=False)
class Sanitised:
    """A released frame, the channel's design, and the audit of what it tells."""

    frame: Any
    design: Design
    audit: Audit


def audit(
    source: Any,
    *,
    secret: str,
    public: str | Sequence[str],
    notion: Notion | None = None,
    resamples: int = 200,
    level: float = 0.95,
    seed: int | None = None,
    **reading: Any,
) -> Audit:
    """Return what a table's public columns tell about its secret one.

    Parameters
    ----------
    source : path or frame
        See :func:`liftlib.tables.source.open_table`.
    secret, public : str
        Columns; several public ones count as one symbol.
    notion : Notion, optional
        What to check.
    resamples, level, seed
        Of the bootstrap.
    **reading
        ``bins``, ``missing``, ``rare``, ``min_count`` and ``max_symbols`` of
        :class:`liftlib.tables.sanitising.Reading`; rare symbols are kept by default, for they are what an audit is
        after.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"ill": [1, 0, 0, 0] * 25, "age": ["old", "old", "young", "young"] * 25})
    >>> found = audit(table, secret="ill", public="age", resamples=0)
    >>> found.rows, round(found.overall["max_lift_leakage"], 4), found.symbols[0].zero_cells
    (100, 0.6931, ('1',))
    """
    how = Reading(secret, _names(public), **{"rare": "keep", **reading})
    return audited(how.counts(open_table(source), product=isinstance(notion, SRLIP)), notion, resamples, level, seed)


def sanitise(
    frame: Any,
    *,
    secret: str,
    public: str | Sequence[str],
    notion: Notion,
    mechanism: str = "subset-merging",
    keep: Sequence[str] = (),
    resamples: int = 200,
    seed: int | None = None,
    **reading: Any,
) -> Sanitised:
    """Release the public columns of a frame so that they keep a notion with regard to its secret column.

    Parameters
    ----------
    frame : frame
        Of pandas, Polars, PyArrow, Modin, DuckDB, PySpark, Dask and others. One that lives elsewhere counts there, and
        the columns to release are fetched.
    secret, public : str
        Columns; several public ones are released as one.
    notion : Notion
        What to keep, for the joint distribution that the frame's counts give.
    mechanism : str
        "subset-merging", "subset-response", "optimal" or another key of ``liftlib.tables.MECHANISMS``.
    keep : sequence of str
        Other columns to publish as they are, of which nothing is promised.
    resamples : int
        Of the audit's bootstrap.
    seed : int, optional
        Makes the draw repeatable, and so foreseeable. By default it comes from the operating system's generator.
    **reading
        See :class:`liftlib.tables.sanitising.Reading`.

    Returns
    -------
    Sanitised
        The frame, of the same library where that is eager, has the kept columns and, in the public column's place,
        the released one.
    """
    how, table = Reading(secret, _names(public), **reading), open_table(frame)
    table.check(list(keep))
    counts = how.counts(table, product=isinstance(notion, SRLIP))
    made = design(counts, notion, mechanism)
    _check_kept(table, made, keep)
    found = audited(counts, notion, resamples, 0.95, None, made)
    whole = nw.from_native(frame)
    if isinstance(whole, nw.LazyFrame):
        whole = whole.select(list(dict.fromkeys([*made.columns_needed(), *keep]))).collect()
    released = pl.concat(list(_released(open_table(whole.to_native()), made, _source(seed), (), "error")))
    texts = released[made.released_name].to_list()
    column = nw.new_series(made.released_name, texts, nw.String(), backend=whole.implementation)
    return Sanitised(whole.with_columns(column).select(_order(table, made, keep)).to_native(), made, found)


@dataclass(frozen=True)
class Outputs:
    """Files to write."""

    table: Path
    channel: Path
    page: Path

    @classmethod
    def beside(cls, table: Path, channel: Path | None, page: Path | None) -> Outputs:
        """Return the files, by default beside the table."""
        stem = table.name.removesuffix(table.suffix)
        return cls(
            table, channel or table.with_name(f"{stem}.channel.json"), page or table.with_name(f"{stem}.audit.html")
        )


def sanitise_file(
    source: Path,
    outputs: Outputs,
    reading: Reading,
    make_notion: Any,
    mechanism: str,
    *,
    keep: Sequence[str] = (),
    side_channels: bool = False,
    formulas: Formulas = "error",
    resamples: int = 200,
    seed: int | None = None,
    force: bool = False,
) -> Sanitised:
    """Release a file's public columns to another file, with the channel and the audit's page; all of them or none.

    Parameters
    ----------
    source : pathlib.Path
        CSV, TSV or Parquet, of any size.
    outputs : Outputs
    reading : Reading
    make_notion : callable
        Takes the public symbols and gives the notion, for SRLIP depends on how many labels each column has.
    mechanism, keep, resamples, seed
        As in :func:`sanitise`.
    side_channels : bool
        Whether all combinations of labels must be symbols.
    formulas : {"error", "quote", "keep"}
        What becomes of a released text that a spreadsheet would run as a formula.
    force : bool
        Replace files that are there.
    """
    for path in (outputs.table, outputs.channel, outputs.page):
        check_free(path, force=force)
    _check_suffix(outputs.table)
    table = open_table(source)
    counts = reading.counts(table, product=side_channels)
    notion = make_notion(counts.public)
    made = _safe(design(counts, notion, mechanism), formulas)
    _check_kept(table, made, keep)
    notes = _notes(table, made, reading, keep, seed)
    found = audited(counts, notion, resamples, 0.95, None, made, notes)
    with ExitStack() as stack:
        aside = [stack.enter_context(fresh_file(path, force=force)) for path in vars(outputs).values()]
        made.save(aside[1])
        aside[2].write_text(audit_page(found, made), encoding="utf-8")
        _write(table, made, aside[0], _source(seed), keep, "error")
    return Sanitised(None, made, found)


def apply_file(
    channel: Path,
    source: Path,
    out: Path,
    *,
    keep: Sequence[str] = (),
    unseen: Unseen = "error",
    seed: int | None = None,
    force: bool = False,
) -> Design:
    """Release new rows through a channel that :func:`sanitise_file` wrote."""
    check_free(out, force=force)
    _check_suffix(out)
    made, table = load(channel), open_table(source)
    table.check(made.columns_needed())
    _check_kept(table, made, keep)
    with fresh_file(out, force=force) as aside:
        _write(table, made, aside, _source(seed), keep, unseen)
    return made


def _names(public: str | Sequence[str]) -> tuple[str, ...]:
    return (public,) if isinstance(public, str) else tuple(public)


def _source(seed: int | None) -> Uniform:
    return SystemRandom() if seed is None else np.random.default_rng(seed)


def audited(
    counts: Counts,
    notion: Notion | None,
    resamples: int,
    level: float,
    seed: int | None,
    made: Design | None = None,
    notes: tuple[str, ...] = (),
) -> Audit:
    """Return the audit of counts, as they are or as a design releases them."""
    return audit_counts(
        counts.table,
        joint_of(counts),
        (" & ".join(counts.secret.names), " & ".join(counts.public.names)),
        notion,
        None if made is None else made.channel,
        () if made is None else made.outputs,
        resamples=resamples,
        level=level,
        rng=np.random.default_rng(seed),
        notes=notes,
    )


def _check_kept(table: Table, made: Design, keep: Sequence[str]) -> None:
    table.check(list(keep))
    for name in keep:
        if name in made.secret.names:
            raise DataError(f"--keep names the secret {name!r}: it is not published")
        if name in made.public.names or name == made.released_name:
            raise DataError(f"--keep names {name!r}, which is released through the channel: leave it out")


def _check_suffix(path: Path) -> None:
    if path.suffix not in SUFFIXES:
        raise DataError(f"{path} does not end in {', '.join(SUFFIXES)}: the ending says how to write it")


def _safe(made: Design, formulas: Formulas) -> Design:
    """Return the design with texts that no spreadsheet takes for a formula."""
    risky = [text for text in (made.released_name, *made.outputs) if _is_formula(text)]
    if not risky or formulas == "keep":
        return made
    if formulas == "error":
        raise DataError(
            f"{risky[0]!r} would be a formula in a spreadsheet: put an apostrophe before it (--formulas quote) or "
            "publish it as it is (--formulas keep)"
        )
    if _is_formula(made.released_name):
        raise DataError(f"the column's name {made.released_name!r} is a formula to a spreadsheet: rename it")
    return replace(made, outputs=tuple(f"'{text}" if _is_formula(text) else text for text in made.outputs))


def _is_formula(text: str) -> bool:
    if text[:1] in ("-", "+"):
        try:
            float(text)
        except ValueError:
            return True
        return False
    return text[:1] in ("=", "@", "\t", "\r")


def _notes(table: Table, made: Design, reading: Reading, keep: Sequence[str], seed: int | None) -> tuple[str, ...]:
    notes = [
        "drawn from the operating system's generator"
        if seed is None
        else f"drawn from the seed {seed}: whoever knows it and this program can repeat the draw"
    ]
    if made.public.pooled:
        notes.append(
            f"{len(made.public.pooled)} public symbols with fewer than {reading.min_count} rows are one symbol, (rare)"
        )
    left = [name for name in table.columns if name not in {*keep, *made.public.names, *made.secret.names}]
    if left:
        notes.append(f"not published: {len(left)} other columns, and the secret")
    if keep:
        notes.append(f"published as they are, with no promise of what they tell: {', '.join(keep)}")
    return tuple(notes)


def _released(table: Table, made: Design, rng: Uniform, keep: Sequence[str], unseen: Unseen) -> Iterator[pl.DataFrame]:
    names = list(dict.fromkeys([*made.columns_needed(), *keep]))
    for rows in table.batches(names):
        released = made.release(rows, rng, unseen).to_frame()
        yield pl.concat([rows.select(keep), released], how="horizontal").select(_order(table, made, keep))


def _order(table: Table, made: Design, keep: Sequence[str]) -> list[str]:
    """Return the published columns in the table's order, the released one where the first public column was."""
    places = {name: name for name in keep} | {made.public.names[0]: made.released_name}
    return [places[name] for name in table.columns if name in places]


def _write(table: Table, made: Design, path: Path, rng: Uniform, keep: Sequence[str], unseen: Unseen) -> None:
    """Stream the released rows to a file, in order."""
    failures: list[BaseException] = []
    schema = {name: table.schema.get(name, pl.String()) for name in _order(table, made, keep)}
    schema[made.released_name] = pl.String()

    def rows(with_columns: list[str] | None, *_: object) -> Iterator[pl.DataFrame]:
        try:
            for batch in _released(table, made, rng, keep, unseen):
                yield batch if with_columns is None else batch.select(with_columns)
        except BaseException as error:  # Polars would wrap it: kept, to be raised as it is
            failures.append(error)
            raise

    lazy = register_io_source(rows, schema=schema)
    try:
        if SUFFIXES[path.suffix]:
            lazy.sink_csv(path, separator=SUFFIXES[path.suffix])
        else:
            lazy.sink_parquet(path)
    except (PolarsError, OSError) as error:
        if failures:
            raise failures[0] from None
        raise DataError(f"cannot write {path}: {error}") from error
