"""Releases as public and confidential files; either all are written or none."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from liftlib.channel import Uniform
from liftlib.errors import DataError
from lifttables.designs.designing import load
from lifttables.encoding.text_format import TextFormat
from lifttables.files import (
    check_apart,
    check_free,
    fingerprint,
    fresh_files,
    linked,
)
from lifttables.page import card_documents, documents
from lifttables.releases.counts import counts_frame
from lifttables.releases.pipeline import (
    Applied,
    Draw,
    ForNew,
    Plan,
    Released,
    Sanitised,
    release,
    release_again,
)
from lifttables.releases.releasing import check_suffix, write
from lifttables.sources.formats import FORMATS, STDIN, ending
from lifttables.sources.polars_rows import PolarsTable
from lifttables.sources.source import open_table
from mixproof.checks import checked


@dataclass(frozen=True)
class Outputs:
    """The paths of a release: public table and card, confidential design and audit."""

    table: Path
    card: Path
    text: Path
    design: Path
    page: Path

    @classmethod
    def next_to(cls, table: Path) -> Outputs:
        """Return a release's paths next to the table."""
        if not table.name:
            raise DataError(f"{table} is a folder: give a file's name")
        stem = table.name[: len(table.name) - len(ending(table) or table.suffix)]
        return cls(
            table,
            table.with_name(f"{stem}.card.json"),
            table.with_name(f"{stem}.card.md"),
            table.with_name(f"{stem}.PRIVATE.design.json"),
            table.with_name(f"{stem}.PRIVATE.audit.html"),
        )

    @property
    def private(self) -> tuple[Path, Path]:
        """The confidential files."""
        return self.design, self.page

    @property
    def public(self) -> tuple[Path, Path, Path]:
        """The files that may be published."""
        return self.card, self.text, self.table


@checked
def sanitise_file(
    source: Path,
    outputs: Outputs,
    plan: Plan,
    *,
    ledger: Path | None = None,
    rng: Uniform | int | None = None,
    force: bool = False,
    rehearse: bool = False,
) -> Sanitised:
    """Release a file's public columns; write the table, card, design and audit page.

    Parameters
    ----------
    source : pathlib.Path
        CSV, TSV or Parquet, of any size; ``-`` for CSV on the standard input.
    outputs : Outputs
    plan : Plan
    ledger, rng : keyword-only
        As in :func:`sanitise`.
    force : bool, keyword-only
        Whether to overwrite existing files, except input files.
    rehearse : bool, keyword-only
        Whether to do everything but write: ``frame`` then has the first rows that would
        be released.

    Returns
    -------
    Sanitised
        What was written.

    Raises
    ------
    DataError, BrokenNotion
        As in :func:`sanitise`; also if a file exists or cannot be written. Nothing is
        written in these cases.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> from liftlib import LIP
    >>> ill = ["yes"] * 20 + ["no"] * 20 + ["yes"] * 40 + ["no"] * 120
    >>> table = pl.DataFrame({"ill": ill, "age": ["old"] * 40 + ["young"] * 160})
    >>> from lifttables import Outputs, Plan, Reading
    >>> folder = tempfile.TemporaryDirectory()
    >>> source, out = Path(folder.name, "people.csv"), Path(folder.name, "release.csv")
    >>> table.write_csv(source)
    >>> outputs = Outputs.next_to(out)
    >>> plan = Plan(Reading.from_words({"secret": "ill", "public": "age"}), LIP(1.0))
    >>> release = sanitise_file(source, outputs, plan, rng=1)
    >>> out.exists(), outputs.card.exists(), outputs.design.exists()
    (True, True, True)
    >>> folder.cleanup()
    """
    sink: Callable[[Draw, Sanitised], Sanitised] = _sink(
        [*outputs.private, *outputs.public],
        outputs.private,
        ledger,
        [*([] if source == STDIN else [source]), *plan.reading.files],
        lambda done: documents(done, plan),
        force=force,
        rehearse=rehearse,
    )
    table = open_table(source, plan.reading.text_format)
    return release(table, plan, sink, ledger, rng, rehearse=rehearse)


def _sink(
    files: Sequence[Path],
    private: Sequence[Path],
    ledger: Path | None,
    inputs: Sequence[Path],
    texts: Callable[[Released], Sequence[str]],
    *,
    force: bool,
    rehearse: bool,
) -> Callable[[Draw, Released], Released]:
    """Return what writes a release: ``texts`` to all files but the last, to which the
    rows go, and an entry to the ledger. In a rehearsal, it writes nothing.
    """
    if rehearse:
        return _tried_out
    ours: list[Path] = [] if ledger is None else [linked(ledger)]
    check_apart([*files, *ours], inputs)
    for path in files:
        check_free(path, force=force)
    out = files[-1]
    check_suffix(out)

    def written(draw: Draw, result: Released) -> Released:
        with fresh_files(
            [*ours, *files],  # an entry without a release is safe, not the reverse
            force=[*(files if force else []), *ours],
            private=[*private, *ours],
            inputs=inputs,
        ) as asides:
            to_texts: tuple[Path, ...] = asides[len(ours) : -1]
            to_table = asides[-1]
            entered = draw.ledger(out.name)
            if entered is not None:
                entered.save(asides[0])
            _write(draw, to_table, ending(out) or "")
            card = replace(result.card, sha256=fingerprint(to_table))
            result = replace(result, card=card)
            for path, text in zip(to_texts, texts(result), strict=True):
                path.write_text(text, encoding="utf-8")
        return result

    return written


def _tried_out(draw: Draw, result: Released) -> Released:
    """Return a result with the first rows that would be released, without a file or an
    entry in the ledger.
    """
    with tempfile.TemporaryDirectory(prefix="lift-rehearsal-") as folder:
        out = Path(folder) / "rows.csv"
        _write(draw, out, ".csv")
        return replace(result, frame=first_rows(out))


def first_rows(path: Path, n: int = 10) -> Any:
    """Return the first rows of a released file as a Polars frame of texts."""
    suffix = ending(path)
    assert suffix is not None  # it was checked before it was written
    return FORMATS[suffix].scan(path).head(n).collect()


def _write(draw: Draw, path: Path, suffix: str) -> None:
    """Write the released rows or counts."""
    if draw.design.of_counts:
        FORMATS[suffix].write(counts_frame(draw.design).lazy(), path)
        return
    assert isinstance(draw.table, PolarsTable)  # as all files are
    write(draw.table, draw.design, path, draw.source, suffix)


@checked
def apply_file(
    channel: Path,
    source: Path,
    out: Path,
    *,
    missing: ForNew = "refuse",
    text_format: TextFormat | None = None,
    ledger: Path | None = None,
    rng: Uniform | int | None = None,
    force: bool = False,
    rehearse: bool = False,
) -> Applied:
    """Release new rows with a stored design; write the table and its card.

    Parameters
    ----------
    channel, source, out : pathlib.Path
        The design, the table of new rows, and the table to write; its card is written
        next to it.
    missing, ledger, rng, force, rehearse
        As in :func:`lifttables.apply` and :func:`sanitise_file`.
    text_format : TextFormat, optional
        The dialect of a text table.

    Returns
    -------
    Applied
        What was written.

    Raises
    ------
    DataError
        If a file cannot be read or written, or exists already.
    BrokenNotion
        As in :func:`lifttables.apply`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> from liftlib import LIP
    >>> ill = ["yes"] * 20 + ["no"] * 20 + ["yes"] * 40 + ["no"] * 120
    >>> table = pl.DataFrame({"ill": ill, "age": ["old"] * 40 + ["young"] * 160})
    >>> from lifttables import Outputs, Plan, Reading
    >>> folder = tempfile.TemporaryDirectory()
    >>> source, out = Path(folder.name, "people.csv"), Path(folder.name, "release.csv")
    >>> table.write_csv(source)
    >>> outputs = Outputs.next_to(out)
    >>> plan = Plan(Reading.from_words({"secret": "ill", "public": "age"}), LIP(1.0))
    >>> release = sanitise_file(source, outputs, plan, rng=1)
    >>> apply_file(
    ...     outputs.design, source, Path(folder.name, "more.csv"), rng=2
    ... ).card.rows
    200
    >>> folder.cleanup()
    """
    sink: Callable[[Draw, Applied], Applied] = _sink(
        Outputs.next_to(out).public,
        (),
        ledger,
        [channel, *([] if source == STDIN else [source])],
        lambda done: card_documents(done.card),
        force=force,
        rehearse=rehearse,
    )
    design, table = load(channel), open_table(source, text_format)
    return release_again(
        table,
        design,
        sink,
        missing=missing,
        ledger=ledger,
        rng=rng,
        rehearse=rehearse,
    )
