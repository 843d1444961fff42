"""From a table to a released one: estimate the joint distribution, design a channel, audit it, draw.

Only the released column is published, and the columns that its owner names; the secret never is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from liftlib.channel import Uniform
from liftlib.checks import checked
from liftlib.files import check_free, fresh_file
from liftlib.notions import Notion
from liftlib.tables.auditing import Audit, audited
from liftlib.tables.columns import Symbols
from liftlib.tables.designing import Design, Unseen, design, load
from liftlib.tables.page import audit_page
from liftlib.tables.randomness import told, uniform
from liftlib.tables.reading import Reading, names_of
from liftlib.tables.releasing import Formulas, check_keep, check_suffix, published, released, without_formulas, write
from liftlib.tables.source import Table, open_table


@dataclass(frozen=True, eq=False)
class Sanitised:
    """A released frame, the channel's design, and the audit of what it tells."""

    frame: Any
    design: Design
    audit: Audit


@checked
def sanitise(
    frame: Any,
    *,
    secret: str,
    public: str | Sequence[str],
    notion: Notion,
    mechanism: str = "subset-merging",
    keep: Sequence[str] = (),
    resamples: int = 200,
    rng: Uniform | int | None = None,
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
    rng : Uniform or int, optional
        The source of the draw, such as a numpy generator. By default it is the operating system's generator; a seed
        makes the draw repeatable, and so foreseeable.
    **reading
        See :class:`liftlib.tables.reading.Reading`.

    Returns
    -------
    Sanitised
        The frame, of the same library where that is eager, has the kept columns and, in the public column's place,
        the released one.

    Raises
    ------
    DataError
        If the columns or their values are not as they should be; see :class:`liftlib.tables.reading.Reading`.
    UnsupportedNotion
        If the mechanism does not serve the notion.
    """
    how, table = Reading(secret, names_of(public), **reading), open_table(frame)
    table.check(list(keep))
    counts = how.counts(table, product=notion.attributes is not None)
    made = design(counts, notion, mechanism)
    check_keep(table, made, keep)
    found = audited(counts, notion, made, resamples=resamples)
    whole = nw.from_native(frame)
    if isinstance(whole, nw.LazyFrame):
        whole = whole.select(list(dict.fromkeys([*made.columns_needed(), *keep]))).collect()
    drawn = pl.concat(list(released(open_table(whole.to_native()), made, uniform(rng), (), "error")))
    texts = drawn[made.released_name].to_list()
    column = nw.new_series(made.released_name, texts, nw.String(), backend=whole.implementation)
    return Sanitised(whole.with_columns(column).select(published(table, made, keep)).to_native(), made, found)


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


@checked
def sanitise_file(
    source: Path,
    outputs: Outputs,
    reading: Reading,
    make_notion: Callable[[Symbols], Notion],
    mechanism: str = "subset-merging",
    *,
    keep: Sequence[str] = (),
    side_channels: bool = False,
    formulas: Formulas = "error",
    resamples: int = 200,
    rng: Uniform | int | None = None,
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
    mechanism, keep, resamples, rng
        As in :func:`sanitise`.
    side_channels : bool
        Whether all combinations of labels must be symbols.
    formulas : {"error", "quote", "keep"}
        What becomes of a released text that a spreadsheet would run as a formula.
    force : bool
        Replace files that are there.

    Raises
    ------
    DataError
        As in :func:`sanitise`; and if a file cannot be written, or is there.
    """
    for path in (outputs.table, outputs.channel, outputs.page):
        check_free(path, force=force)
    check_suffix(outputs.table)
    table = open_table(source)
    counts = reading.counts(table, product=side_channels)
    notion = make_notion(counts.public)
    made = without_formulas(design(counts, notion, mechanism), formulas)
    check_keep(table, made, keep)
    notes = (told(rng), *_notes(table, made, reading, keep))
    found = audited(counts, notion, made, resamples=resamples, notes=notes)
    with ExitStack() as stack:
        aside = [stack.enter_context(fresh_file(path, force=force)) for path in vars(outputs).values()]
        made.save(aside[1])
        aside[2].write_text(audit_page(found, made), encoding="utf-8")
        write(table, made, aside[0], uniform(rng), keep, "error")
    return Sanitised(None, made, found)


@checked
def apply_file(
    channel: Path,
    source: Path,
    out: Path,
    *,
    keep: Sequence[str] = (),
    unseen: Unseen = "error",
    rng: Uniform | int | None = None,
    force: bool = False,
) -> Design:
    """Release new rows through a channel that :func:`sanitise_file` wrote."""
    check_free(out, force=force)
    check_suffix(out)
    made, table = load(channel), open_table(source)
    table.check(made.columns_needed())
    check_keep(table, made, keep)
    with fresh_file(out, force=force) as aside:
        write(table, made, aside, uniform(rng), keep, unseen)
    return made


def _notes(table: Table, made: Design, reading: Reading, keep: Sequence[str]) -> list[str]:
    notes = []
    if made.public.pooled:
        notes.append(
            f"{len(made.public.pooled)} public symbols with fewer than {reading.min_count} rows are one symbol, (rare)"
        )
    left = [name for name in table.columns if name not in {*keep, *made.public.names, *made.secret.names}]
    if left:
        notes.append(f"not published: {len(left)} other columns, and the secret")
    if keep:
        notes.append(f"published as they are, with no promise of what they tell: {', '.join(keep)}")
    return notes
