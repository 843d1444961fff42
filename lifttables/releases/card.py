"""The card of a release: its public documentation."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftlib import __version__
from liftlib.channel import Channel
from lifttables.designs.designing import POPULATION, Design, Kept, check_texts, kernel_from, statements_from
from lifttables.designs.rounding import POSSIBLE, bits, bits_left
from lifttables.designs.statement import INDEPENDENT, in_words, not_covered, statement
from lifttables.encoding.columns import JOIN, RARE, Column, Labels, Symbols, numbered
from lifttables.encoding.naming import Texts
from lifttables.encoding.table import Table
from lifttables.files import indices_from, printable, read_ours, texts_from
from mixproof.numerics import Matrix, check_count, check_scalar

FORMAT = "liftlib card 2"

LEFT_OUT = (
    "The rows of people whose secret or released value is missing were dropped, which is visible if kept columns "
    "identify people."
)

UNRECORDED = "No ledger was used, so this release was not checked together with earlier releases about the same people."

RECORDED = (
    "Earlier releases that are missing from the owner's ledger were not checked. The ledger recognises a table with "
    "exactly the same counts, released by the same user or in the same folder. It does not recognise a selection of "
    "the rows, changed rows, renamed values or columns, or releases by somebody else."
)

# reveals values only to somebody who knows all other rows; otherwise the notion holds even if the list is known
LISTED = (
    "This card lists every combination of values that occurs, even in a single row, which may reveal a person's values "
    "to somebody who knows all other rows."
)

HOLDS = (
    "A privacy notion limits how much the released values can reveal about a person's secret. The notion holds if this "
    "limit is not exceeded. What it means for one person is stated below."
)

BROKEN_MEANS = (
    "This is the card of {}. It guarantees nothing: what was published together may reveal more about a person's "
    "secret than the notion allows. Do not rely on this release for privacy."
)

MARK_UP = re.compile(r"([|`*\[\\])")  # characters with a meaning in Markdown


@dataclass(frozen=True, eq=False)
class Card:
    """The public documentation of a release.

    Attributes
    ----------
    secret, columns, keep : tuple of str
        Names of the columns that were protected, released through the channel, and published unchanged.
    notion : str
    kept : tuple of Kept
        The guarantees.
    words : tuple of str
        What the notion means for one person.
    not_covered : tuple of str
        Limits of the protection.
    symbols, texts : tuple of tuple of str
        The labels before the release, and the outputs, in each column.
    sources : tuple of tuple of int
        The symbols behind each output.
    kernel : numpy.ndarray or None
        P(y|x), shape (X, Y); None if it is not published.
    grid : int or None
        The kernel's probabilities are multiples of 1 / grid.
    told_bits : float or None
        An upper bound on what the kernel reveals of the table, in bits.
    mechanism, order : str
    release : int
        The number of this release of these rows.
    made, version : str
        The time (UTC), and the version of the library.
    rows : int
    options : dict
        The options of the run, by name.
    sha256 : str
        Of the released file; empty for a frame.
    broken : str
        What is violated, if anything; ``kept`` and ``words`` are then empty.
    """

    secret: tuple[str, ...]
    columns: tuple[str, ...]
    keep: tuple[str, ...]
    notion: str
    kept: tuple[Kept, ...]
    words: tuple[str, ...]
    not_covered: tuple[str, ...]
    symbols: Texts
    texts: Texts
    sources: tuple[tuple[int, ...], ...]
    kernel: Matrix | None
    grid: int | None
    told_bits: float | None
    mechanism: str
    order: str
    release: int
    made: str
    version: str
    rows: int
    options: dict[str, Any]
    sha256: str = ""
    broken: str = ""

    @property
    def for_population(self) -> bool:
        """Whether the card states a guarantee for the population."""
        return any(one.whom.startswith(POPULATION) for one in self.kept)

    @property
    def cite(self) -> str:
        """The recommended citation of the release."""
        under = f"with {self.notion} BROKEN" if self.broken else f"under {self.notion}"
        return (
            f"{JOIN.join(self.columns)} released {under} with regard to {JOIN.join(self.secret)}, by "
            f"{self.mechanism}, liftlib {self.version}, {self.made[:10]}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the card as JSON values."""
        found = {name: value for name, value in vars(self).items() if name not in ("kernel", "broken")}
        kernel = None
        if self.kernel is not None:
            kernel = [[np.flatnonzero(row).tolist(), row[row > 0].tolist()] for row in self.kernel]
        kept = [{name: value for name, value in asdict(one).items() if name != "numbers"} for one in self.kept]
        return {
            "broken": self.broken or None,
            "format": FORMAT,
            **found,
            "kept": kept,
            "kernel": kernel,
            "why_no_kernel": self.why(),
            "assumes": INDEPENDENT if self.for_population else None,
            "cite": self.cite,
        }

    def why(self) -> str | None:
        """Return the reason why the kernel is not published; None if it is."""
        if self.kernel is not None:
            return None
        return (
            "it could reveal the table's counts (either the card and the release together would leave fewer than "
            f"{POSSIBLE:,} possible tables, or the owner withheld it, the mechanism uses the secret, the notion bounds "
            "no single output, or no rounded version satisfies the notion)"
        )

    def as_text(self) -> str:
        """Return the card in Markdown."""
        title = f"{_cell(JOIN.join(self.columns))}, released"
        if self.broken:
            lines = [f"# {_cell(self.broken)}", "", BROKEN_MEANS.format(title), ""]
        else:
            lines = [
                f"# {title}",
                "",
                "## What is guaranteed",
                "",
                HOLDS,
                "",
                *(f"- {_cell(statement(one))}" for one in self.kept),
                "",
            ]
            whom = "For one person" if self.for_population else "For one person of this sample"
            lines += [INDEPENDENT, ""] if self.for_population else []
            lines += [f"{whom}:", "", *(f"- {_cell(one)}" for one in self.words), ""]
        lines += ["## Limits", ""]
        lines += [f"- {_cell(one)}" for one in self.not_covered]
        lines += ["", "## What the values mean", "", "| released | may come from |", "|---|---|"]
        for text, source in zip(self.texts, self.sources, strict=True):
            symbols = "; ".join(JOIN.join(self.symbols[x]) for x in source)
            lines.append(f"| {_cell(JOIN.join(text))} | {_cell(symbols)} |")
        lines += ["", f"The rows are {self.order}. Mechanism: {_cell(self.mechanism)}."]
        if self.told_bits is not None:
            lines.append(
                "The JSON card contains the probability that each symbol is released as each output, which `lift "
                "estimate` uses."
            )
        else:
            lines += [f"The probability that each symbol is released as each output is not published: {self.why()}."]
        if self.release > 1:
            lines += ["", f"This is release {self.release} of these rows."]
        lines += ["", "## Which release this is", "", *(f"- {one}" for one in self._identity())]
        lines += ["", "## How to cite", "", f"As: {_cell(self.cite)}"]
        return "\n".join(lines) + "\n"

    def _identity(self) -> list[str]:
        file = (
            f"File: SHA-256 {self.sha256}. `lift verify RELEASE CARD` checks that a file is this release."
            if self.sha256
            else "File: none, because the release was a data frame."
        )
        options = "; ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in self.options.items())
        found = [f"Rows: {self.rows}.", file, f"Made {self.made} by liftlib {self.version}."]
        return [*found, f"Options: {_cell(options)}."] if options else found


def counted_outputs(table: Table, card: Card, by: Sequence[str] = ()) -> tuple[Labels, NDArray[np.int64], list[str]]:
    """Return a release's counts of outputs, their indices, and unknown texts.

    The index of an unknown output is -1.
    """
    columns = [Column(name, na=()) for name in (*card.columns, *by)]
    found = table.counts(columns)
    y = Symbols(tuple(columns[: len(card.columns)]), card.texts).index(found)
    unknown = numbered(found.filter((y < 0).tolist()), card.columns)[1]
    return found, y, [JOIN.join(one) for one in unknown]


def _cell(text: str) -> str:
    """Return a text as one table cell in Markdown, without mark-up."""
    text = printable(text.replace("\r", " ").replace("\n", " "))
    return MARK_UP.sub(r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))


def card_of(
    made: Design,
    *,
    keep: Sequence[str] = (),
    keep_order: bool = False,
    release: int | None = 1,
    broken: str = "",
    others: str = "",
    population: bool = False,
    kernel: bool | None = None,
    options: Mapping[str, Any] | None = None,
) -> Card:
    """Return the card of a design's release.

    It depends on the counts only through their sum, the rounded kernel, and which symbols occur; with ``--coarsen``,
    which pairs of a symbol and a coarsened kept value. Which occur does not depend on the secret.

    Parameters
    ----------
    made : Design
    keep, keep_order : keyword-only
        Columns published unchanged, and whether rows keep the source's order.
    release : int or None, keyword-only
        The number of this release of these rows; None without a ledger.
    broken, others : str, keyword-only
        What kept columns or earlier releases violate, so that the card guarantees nothing; or what else is published
        about the rows, together with which the notion is satisfied.
    population : bool, keyword-only
        Whether the latter was proved for the population, not only for this sample.
    kernel : bool or None, keyword-only
        Whether the card has the kernel; by default, if it leaves enough tables possible.
    options : mapping, optional, keyword-only
        The options of the run, JSON values by name.
    """
    shown = shows_kernel(made, kernel)
    grid = made.grid if shown else None
    sample_only = bool(others and not (population or broken) and made.confidence)
    public = made.public
    symbols = tuple(label if label != (RARE,) else (RARE,) * len(public.columns) for label in public.labels)
    # not for the table's own shares, which could reveal a person's secret to somebody who knows all others
    words = () if made.promise is None or broken else in_words(made.promise, JOIN.join(made.secret.names))
    return Card(
        secret=tuple(made.secret.names),
        columns=tuple(public.names),
        keep=tuple(keep),
        notion=made.notion,
        kept=() if broken else _statements(made, others, population=population),
        words=words,
        not_covered=(
            *(
                [f"Together with {others}, the notion is proved for this sample only, not for the population."]
                * sample_only
            ),
            *not_covered(made, keep, keep_order=keep_order, broken=bool(broken), kernel=shown),
            UNRECORDED if release is None else RECORDED,
            *([LISTED] if (options or {}).get("coarsen") or (options or {}).get("rare") == "keep" else []),
            *([LEFT_OUT] if (options or {}).get("missing") == "drop" else []),
        ),
        symbols=symbols,
        texts=made.texts,
        sources=made.sources,
        kernel=None if grid is None else made.channel.kernel,
        grid=grid,
        told_bits=None if grid is None else bits(len(symbols), len(made.texts), grid),
        mechanism=made.mechanism,
        order="in the original table's order" if keep_order else "shuffled",
        release=release or 1,
        made=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        version=__version__,
        rows=made.rows,
        options=dict(options or {}),
        broken=broken,
    )


def shows_kernel(made: Design, kernel: bool | None = None) -> bool:
    """Return whether a card has its kernel: as requested, or by default if safe.

    A kernel is safe if it leaves ``POSSIBLE`` tables possible, or only merges symbols, which the release shows anyway.
    """
    if made.grid is None or kernel is False:
        return False
    if kernel or made.grid == 1:
        return True
    return bits_left(made.table, made.channel.n_outputs, made.grid) >= math.log2(POSSIBLE)


def _statements(made: Design, others: str, *, population: bool) -> tuple[Kept, ...]:
    """Return the guarantees together with what else is published, as far as proved."""
    kept = tuple(replace(one, numbers="") for one in made.kept)
    if not others:
        return kept
    how = "checked together, against the table's own shares", "by bounds on all released and kept values together"
    return tuple(
        replace(one, whom=f"{whom}, together with {others}", how=how[at])
        for one in kept
        for at, whom in enumerate(("this sample", POPULATION))
        if (one.whom == POPULATION) == bool(at) and (not at or population)
    )


def read_card(path: Path) -> Card:
    """Return the card in a JSON file; raise DataError if there is none."""
    return read_ours(path, "card", FORMAT, _card, "ask for a card of this version")


def _card(found: Any) -> Card:
    several = {name: texts_from(found[name]) for name in ("secret", "columns", "keep", "words", "not_covered")}
    one = {name: found[name] for name in ("notion", "mechanism", "order", "made", "version")}
    texts_from(list(one.values()))
    texts, symbols = (tuple(map(texts_from, found[name])) for name in ("texts", "symbols"))
    sources = tuple(indices_from(source, len(symbols)) for source in found["sources"])
    check_texts(texts, sources, len(several["columns"]))
    if any(len(symbol) != len(several["columns"]) for symbol in symbols):
        raise ValueError("its symbols do not fit its columns")
    kernel = None
    if found["kernel"] is not None:
        if len(found["kernel"]) != len(symbols):
            raise ValueError("its kernel does not fit its symbols")
        kernel = Channel(kernel_from(found["kernel"], len(texts))).kernel
    named: dict[str, Any] = {**several, **one}
    return Card(
        **named,
        kept=statements_from(found["kept"]),
        symbols=symbols,
        texts=texts,
        sources=sources,
        kernel=kernel,
        grid=None if found["grid"] is None else check_count("grid", found["grid"]),
        told_bits=None if found["told_bits"] is None else check_scalar("told_bits", found["told_bits"], finite=True),
        release=check_count("release", found["release"]),
        rows=check_count("rows", found["rows"], 0),
        options=dict(found["options"]),
        sha256=str(found["sha256"]),
        broken=str(found["broken"] or ""),
    )
