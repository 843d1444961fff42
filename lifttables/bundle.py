"""A release as files, public (table, card) and confidential (design, audit, ledger), written all or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from liftlib.channel import Uniform
from liftlib.notions import Notion
from lifttables.designs.designing import CONFIDENCE, Design, design, load
from lifttables.designs.keeping import design_next_to
from lifttables.encoding.columns import Symbols
from lifttables.encoding.reading import Reading
from lifttables.encoding.text_format import TextFormat
from lifttables.files import check_apart, check_free, fingerprint, fresh_files, json_text
from lifttables.page import audit_page
from lifttables.releases.drift import Drift
from lifttables.releases.judging import judged
from lifttables.releases.ledger import opened, read_ledger
from lifttables.releases.releasing import Publishing, check_suffix, without_formulas, write
from lifttables.releases.sanitising import (
    ForNew,
    Sanitised,
    check_dear,
    described,
    routed,
    warn_of_rows_alone,
)
from lifttables.sources.randomness import uniform
from lifttables.sources.source import STDIN, complete, ending, open_table
from mixproof.checks import checked


@dataclass(frozen=True)
class Outputs:
    """Paths of a release: table and card for the public, design and audit page for the owner only."""

    table: Path
    card: Path
    text: Path
    design: Path
    page: Path

    @classmethod
    def beside(cls, table: Path, design: Path | None = None, page: Path | None = None) -> Outputs:
        """Return the paths of a release, by default next to the table."""
        stem = table.name[: len(table.name) - len(ending(table) or table.suffix)]
        return cls(
            table,
            table.with_name(f"{stem}.card.json"),
            table.with_name(f"{stem}.card.md"),
            design or table.with_name(f"{stem}.PRIVATE.design.json"),
            page or table.with_name(f"{stem}.PRIVATE.audit.html"),
        )

    @property
    def private(self) -> tuple[Path, Path]:
        """The confidential files, for the owner only."""
        return self.design, self.page

    @property
    def public(self) -> tuple[Path, Path, Path]:
        """The files that may be published."""
        return self.card, self.text, self.table


@checked
def sanitise_file(
    source: Path,
    outputs: Outputs,
    reading: Reading,
    make_notion: Callable[[Symbols], Notion],
    mechanism: str = "subset-merging",
    *,
    confidence: float | None = CONFIDENCE,
    publishing: Publishing | None = None,
    side_channels: bool = False,
    coarsen: bool = False,
    allow: bool = False,
    seconds: float | None = None,
    report: Callable[[float, float, float], None] | None = None,
    ledger: Path | None = None,
    resamples: int = 200,
    rng: Uniform | int | None = None,
    force: bool = False,
) -> Sanitised:
    """Release a file's public columns; write the table, its card, the design and the audit page.

    Parameters
    ----------
    source : pathlib.Path
        CSV, TSV or Parquet, of any size; ``-`` for CSV on the standard input.
    outputs : Outputs
    reading : lifttables.encoding.reading.Reading
    make_notion : callable
        Returns the notion for the public symbols, because SRLIP depends on the number of labels in each column.
    mechanism, confidence, allow, resamples, rng
        As in :func:`sanitise`.
    publishing : Publishing, optional
        Columns to keep, order of rows, and treatment of spreadsheet formulas.
    side_channels : bool
        Whether all combinations of labels must be symbols.
    coarsen : bool
        As in :func:`sanitise`.
    seconds : float, optional
        Time limit of mechanisms that search; with a limit, more symbols are accepted.
    report : callable, optional
        Progress callback, see :func:`liftlib.response.optimal.optimal_response`.
    ledger : pathlib.Path, optional
        Ledger of earlier releases of these rows; this release is checked together with them and then added.
    force : bool
        Whether to overwrite existing files, except input files.

    Raises
    ------
    DataError, BrokenNotion
        As in :func:`sanitise`; also if a file exists or cannot be written. Nothing is written in these cases.
    """
    reading.check_population(confidence)
    how = publishing or Publishing()
    files = [*outputs.private, *outputs.public]
    inputs = [*([] if source == STDIN else [source]), *reading.files]
    _check_files(files, [*files, *([ledger] if ledger else [])], inputs, force=force)
    check_suffix(outputs.table)
    table = whole = open_table(source, reading.text_format)
    table.check(list(how.keep))
    if ledger is not None:
        read_ledger(ledger)  # errors are raised before the design, which may take a long time
    notes: tuple[str, ...] = ()
    if coarsen:
        notion = make_notion(Symbols((), ()))
        counts, made, notes = design_next_to(table, reading, how.keep, notion, mechanism, confidence)
        how = replace(how, keep=(), coarsened=how.keep)
    else:
        counts = reading.counts(table, product=side_channels)
        notion = make_notion(counts.public)
        designed = seconds is not None or routed(mechanism, notion, confidence)
        check_dear(mechanism, len(counts.public.labels), allow=allow, designed=designed)
        made = design(counts, notion, mechanism, confidence, seconds, report)
    if counts.dropped:
        _, table = complete(source, table, counts.columns)
    made = without_formulas(made, how.formulas, how.keep)
    warn_of_rows_alone(confidence)
    ours = [] if ledger is None else [ledger]
    with opened(ledger, whole) as past:
        done = described(
            table, counts, made, reading, how, past, allow=allow, resamples=resamples, rng=rng, notes=notes
        )
        replaced, private = [*(files if force else []), *ours], [*outputs.private, *ours]
        with fresh_files([*ours, *files], force=replaced, private=private, inputs=inputs) as every:
            *of_ledger, to_design, to_page, to_card, to_text, to_table = every
            if past is not None:
                past.with_entry(outputs.table.name, how.keep, made).save(of_ledger[0])
            made.save(to_design)
            to_page.write_text(audit_page(done.audit, made), encoding="utf-8")
            write(table, made, to_table, uniform(rng), how, ending(outputs.table) or "")
            done = replace(done, card=replace(done.card, sha256=fingerprint(to_table)))
            to_card.write_text(json_text(done.card.as_dict(), 1) + "\n", encoding="utf-8")
            to_text.write_text(done.card.as_text(), encoding="utf-8")
    return done


def _check_files(files: Sequence[Path], written: Sequence[Path], inputs: Sequence[Path], *, force: bool) -> None:
    """Refuse to write over what is read, and without ``force`` over files that are there."""
    check_apart(written, inputs)
    for path in files:
        check_free(path, force=force)


@checked
def apply_file(
    channel: Path,
    source: Path,
    out: Path,
    *,
    publishing: Publishing | None = None,
    missing: ForNew = "refuse",
    text_format: TextFormat | None = None,
    allow: bool = False,
    ledger: Path | None = None,
    rng: Uniform | int | None = None,
    force: bool = False,
) -> tuple[Design, Drift, tuple[str, ...]]:
    """Release new rows by a stored design; return the design, the drift and notes.

    Parameters
    ----------
    channel, source, out : pathlib.Path
        The design, the table of new rows, and the table to write.
    publishing, missing, allow, ledger, rng, force
        As in :func:`lifttables.apply` and :func:`sanitise_file`.
    text_format : TextFormat, optional
        The dialect of a text table.

    Returns
    -------
    (Design, Drift, tuple of str)
        The design, the comparison of the new rows with the design's, and notes.

    Raises
    ------
    DataError
        If a file cannot be read or written, or exists already.
    Drifted
        If the rows come from a different distribution under which the notion is violated or cannot be verified, unless
        ``allow`` is set.
    BrokenNotion
        If this release, together with kept columns or earlier releases in the ledger, violates the notion or cannot be
        verified, unless ``allow`` is set.
    """
    how = publishing or Publishing()
    inputs = [channel, *([] if source == STDIN else [source])]
    files = [*([ledger] if ledger else []), out]
    check_apart(files, inputs)
    check_free(out, force=force)
    check_suffix(out)
    made, table = load(channel), open_table(source, text_format)
    whole = table
    table.check(made.columns_needed())
    if missing == "drop":
        _, table = complete(source, table, made.columns_in(table.columns))
    made = without_formulas(made, how.formulas, how.keep)
    with opened(ledger, whole) as past:
        drift, notes = judged(table, made, how, past, allow=allow)
        replaced = files if force else files[:-1]
        with fresh_files(files, force=replaced, private=files[:-1], inputs=inputs) as every:
            if past is not None:
                past.with_entry(out.name, how.keep, made).save(every[0])
            write(table, made, every[-1], uniform(rng), how, ending(out) or "")
    return made, drift, notes


def page_file(path: Path, text: str, inputs: Sequence[Path], *, force: bool) -> None:
    """Write a page that only its owner can read; input files are never overwritten."""
    with fresh_files([path], force=force, private=[path], inputs=inputs) as (aside,):
        aside.write_text(text, encoding="utf-8")
