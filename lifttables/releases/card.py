"""The card of a release: its public documentation."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftlib import __version__
from liftlib.channel import Channel
from liftlib.notions import Notion
from liftlib.notions.catalogue import content_of, from_content
from lifttables.designs.designing import COUNTS, POPULATION, Design, Kept, check_texts, kernel_from, statements_from
from lifttables.designs.statement import (
    INDEPENDENT,
    in_words,
    not_covered,
    statement,
)
from lifttables.encoding.columns import JOIN, MISSING, RARE, Column, Labels, Symbols, numbered
from lifttables.encoding.naming import Texts
from lifttables.encoding.table import Table
from lifttables.files import indices_from, printable, read_ours, texts_from
from mixproof.numerics import Matrix, check_count, check_scalar

FORMAT = "liftlib card 3"

DROPPED_ROWS_NOTE = (
    "The rows of people whose secret or released value is missing were dropped, which is visible if published "
    "values identify people, or to somebody who knows how many rows there were. What is said about the population is "
    "said of people without missing values."
)

NO_LEDGER_NOTE = (
    "No ledger was used, so this release was not checked together with earlier releases about the same people."
)

LEDGER_NOTE = (
    "The owner's ledger has no other release of these rows. Releases of copies, of parts of the rows or by others are "
    "not in it."
)

# reveals values only to somebody who knows all other rows; otherwise the notion holds even if the list is known
POOL_TELLS = f"Values that no row of the table had count as {RARE}, also in what is promised for the population."
TABLE_ALONE_TELLS = (
    f"{RARE} stands for values that this table had: the promise for the population is not for other values of the "
    "released columns."
)

RARE_COMBINATIONS_NOTE = (
    "This card lists every combination of values that occurs, even in a single row, which may reveal a person's values "
    "to somebody who knows all other rows."
)

GUARANTEES_EXPLAINED = (
    "A privacy notion limits how much the released values can reveal about a person's secret. The notion holds if this "
    "limit is not exceeded. What it means for one person is stated below."
)

NO_KERNEL = (
    "The probability that each symbol is released as each output is not published, because it was computed from exact "
    "counts or depends on the secret."
)

COUNTS_EXPLAINED = (
    "The noisy count of rows with each value, its share of the {:,} rows, and the half-width of the 95 % interval for "
    "the share of the population, which allows for the sampling and the noise. No row is published."
)

LABELS_MEAN = {
    RARE: f"“{RARE}” stands for all values that are not named.",
    MISSING: f"“{MISSING}” stands for rows without a value.",
}

MARK_UP = re.compile(r"([|`*\[\\])")  # characters with a meaning in Markdown


@dataclass(frozen=True, eq=False)
class Card:
    """The public documentation of a release.

    Attributes
    ----------
    secret, columns : tuple of str
        Names of the columns that were protected, and of those that were released.
    notion : str
    kept : tuple of Kept
        The guarantees.
    promise : dict
        The notion as JSON values, from which the words follow.
    words : tuple of str
        What the notion means for one person.
    not_covered : tuple of str
        Limits of the protection.
    symbols, texts : tuple of tuple of str
        The labels before the release, and the outputs, in each column.
    sources : tuple of tuple of int
        The symbols behind each output.
    kernel : numpy.ndarray or None
        P(y|x), shape (X, Y); None if the design was made from exact counts or sees the secret.
    noise : float or None
        The level c of the noise, proportional to exp(-c abs(z)), of the counts from which all was computed; None if it
        was computed from exact counts.
    mechanism : str
    release : int
        The number of this release of these rows, from 1.
    made, version : str
        The time (UTC), and the version of the library.
    rows : int
    options : dict
        The options of the run, by name.
    sha256 : str
        SHA-256 of the released file; empty for a frame.
    intact : bool
        Whether the content has the digest that the card states. Somebody who edits a card can compute a digest anew: it
        shows mistakes and swapped parts, not forgery.
    """

    secret: tuple[str, ...]
    columns: tuple[str, ...]
    notion: str
    kept: tuple[Kept, ...]
    promise: dict[str, Any]
    words: tuple[str, ...]
    not_covered: tuple[str, ...]
    symbols: Texts
    texts: Texts
    sources: tuple[tuple[int, ...], ...]
    kernel: Matrix | None
    noise: float | None
    mechanism: str
    release: int
    made: str
    version: str
    rows: int
    options: dict[str, Any]
    sha256: str = ""
    intact: bool = True

    @property
    def for_population(self) -> bool:
        """Whether the card states a guarantee for the population."""
        return any(guarantee.whom.startswith(POPULATION) for guarantee in self.kept)

    @property
    def of_counts(self) -> bool:
        """Whether the release is of noisy counts and no rows."""
        return self.mechanism == COUNTS

    @property
    def cite(self) -> str:
        """The recommended citation of the release."""
        return (
            f"{JOIN.join(self.columns)} released under {self.notion} with regard to {JOIN.join(self.secret)}, by "
            f"{self.mechanism}, liftlib {self.version}, {self.made[:10]}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the card as JSON values."""
        content = {name: value for name, value in vars(self).items() if name not in ("kernel", "intact")}
        kernel = None
        if self.kernel is not None:
            kernel = [[np.flatnonzero(row).tolist(), row[row > 0].tolist()] for row in self.kernel]
        guarantees = [
            {name: value for name, value in asdict(guarantee).items() if name != "numbers"} for guarantee in self.kept
        ]
        content = {
            "format": FORMAT,
            **content,
            "kept": guarantees,
            "kernel": kernel,
            "assumes": INDEPENDENT if self.for_population else None,
            "cite": self.cite,
        }
        return content | {"digest": digest_of(content)}

    def as_text(self) -> str:
        """Return the card in Markdown."""
        lines = [
            f"# {_cell(JOIN.join(self.columns))}, released",
            "",
            "## What is guaranteed",
            "",
            GUARANTEES_EXPLAINED,
            "",
            *(f"- {_cell(statement(guarantee))}" for guarantee in self.kept),
            "",
        ]
        whom = "For one person" if self.for_population else "For one person of this sample"
        lines += [INDEPENDENT, ""] if self.for_population else []
        lines += [f"{whom}:", "", *(f"- {_cell(sentence)}" for sentence in self.words), ""]
        lines += ["## Limits", ""]
        lines += [f"- {_cell(limit)}" for limit in self.not_covered]
        if self.of_counts:
            lines += ["", "## What the file has", "", COUNTS_EXPLAINED.format(self.rows)]
        else:
            lines += ["", "## What the values mean", "", "| released | may come from |", "|---|---|"]
            for text, source in zip(self.texts, self.sources, strict=True):
                symbols = "; ".join(JOIN.join(self.symbols[x]) for x in source)
                lines.append(f"| {_cell(JOIN.join(text))} | {_cell(symbols)} |")
            labels = {label for symbol in self.symbols for label in symbol}
            lines += ["", *(f"- {_cell(meaning)}" for label, meaning in LABELS_MEAN.items() if label in labels)]
            lines += ["", f"The rows are shuffled. Mechanism: {_cell(self.mechanism)}."]
        if self.of_counts:
            pass
        elif self.kernel is not None:
            lines.append(
                "The JSON card contains the probability that each symbol is released as each output, which `lift "
                "estimate` uses."
            )
        else:
            lines.append(NO_KERNEL)
        if self.release > 1:
            lines += ["", f"This is release {self.release} of these rows."]
        lines += ["", "## Which release this is", "", *(f"- {line}" for line in self._identity())]
        lines += ["", "## How to cite", "", f"As: {_cell(self.cite)}"]
        return "\n".join(lines) + "\n"

    def _identity(self) -> list[str]:
        file = (
            f"File: SHA-256 {self.sha256}. `lift verify RELEASE CARD` checks that a file is this release."
            if self.sha256
            else "File: none, because the release was a data frame."
        )
        options = "; ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in self.options.items())
        card = f"Card: digest {self.as_dict()['digest']}, of all that the JSON card says."
        lines = [f"Rows: {self.rows}.", file, card, f"Made {self.made} by liftlib {self.version}."]
        return [*lines, f"Options: {_cell(options)}."] if options else lines


def digest_of(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a card's JSON values, all but its own."""
    values = {name: value for name, value in content.items() if name != "digest"}
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def counted_outputs(table: Table, card: Card) -> tuple[Labels, NDArray[np.int64], list[str]]:
    """Return a release's counts, the output index of each, and unknown outputs.

    The index of an unknown output is -1.
    """
    columns = tuple(Column(name, na=()) for name in card.columns)
    labels = table.counts(columns)
    y = Symbols(columns, card.texts).index(labels)
    unknown = numbered(labels.filter((y < 0).tolist()), card.columns)[1]
    return labels, y, [JOIN.join(texts) for texts in unknown]


def _cell(text: str) -> str:
    """Return a text as one table cell in Markdown, without mark-up."""
    text = printable(text.replace("\r", " ").replace("\n", " "))
    return MARK_UP.sub(r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))


def card_of(
    design: Design,
    *,
    release: int | None = 1,
    new_rows: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Card:
    """Return the card of a design's release.

    It depends on the counts only through their sum, the noisy counts, and the set of
    symbols that occur. This set does not depend on the secret.

    Parameters
    ----------
    design : Design
    release : int or None, keyword-only
        The number of this release of these rows; None without a ledger.
    new_rows : int or None, keyword-only
        The number of rows, if they are not those of the design.
    options : mapping, optional, keyword-only
        The options of the run, JSON values by name.
    """
    bounded = new_rows is None and math.isfinite(design.noisy.insider)
    noise = design.noisy.c if bounded else None
    public = design.public
    symbols = tuple(label if label != (RARE,) else (RARE,) * len(public.columns) for label in public.labels)
    # not for the table's own shares, which could reveal a person's secret to somebody who knows all others
    secret = JOIN.join(design.secret.names)
    options = options or {}
    promise = content_of(design.promise)
    assert promise is not None  # the plan has checked it
    return Card(
        secret=tuple(design.secret.names),
        columns=tuple(public.names),
        notion=design.notion,
        kept=tuple(replace(guarantee, numbers="") for guarantee in design.kept),
        promise=promise,
        words=words_of(design.promise, secret, design.mechanism, noise),
        not_covered=(
            *not_covered(design, new_rows=new_rows is not None, bounded=bounded),
            NO_LEDGER_NOTE if release is None else LEDGER_NOTE,
            *([POOL_TELLS] * design.pools_new),
            *([TABLE_ALONE_TELLS] * any(RARE in text for one in public.columns for _, text in one.parents)),
            *([RARE_COMBINATIONS_NOTE] if options.get("rare") == "keep" else []),
            *([DROPPED_ROWS_NOTE] if options.get("missing") == "drop" else []),
        ),
        symbols=symbols,
        texts=design.texts,
        sources=design.sources,
        kernel=design.channel.kernel,
        noise=noise,
        mechanism=design.mechanism,
        release=release or 1,
        made=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        version=__version__,
        rows=design.rows if new_rows is None else new_rows,
        options=dict(options),
    )


def words_of(promise: Notion, secret: str, mechanism: str, c: float | None) -> tuple[str, ...]:
    """Return what a release's promise means for one person, from the notion and the noise alone."""
    insider = 0.0 if mechanism == COUNTS else math.inf if c is None else 2 * c
    return in_words(promise, secret, insider=insider)


def differences(card: Card, text: str | None = None) -> list[str]:
    """Return where a card's words are not those of its notion and noise, or its Markdown is not its own."""
    found = []
    if card.words != words_of(from_content(card.promise), JOIN.join(card.secret), card.mechanism, card.noise):
        found.append("the words of the promise are not those of its notion and noise")
    if str(from_content(card.promise)) != card.notion:
        found.append("the notion's name is not that of the promise")
    if text is not None and text != card.as_text():
        found.append("the card in Markdown is not that of the JSON card")
    return found


def read_card(path: str | Path) -> Card:
    """Return the card in a JSON file; raise DataError if there is none."""
    return read_ours(Path(path), "card", FORMAT, _card, "ask for a card of this version")


def _card(content: Any) -> Card:
    lists = {name: texts_from(content[name]) for name in ("secret", "columns", "words", "not_covered")}
    scalars = {name: content[name] for name in ("notion", "mechanism", "made", "version")}
    texts_from(list(scalars.values()))
    texts, symbols = (tuple(map(texts_from, content[name])) for name in ("texts", "symbols"))
    sources = tuple(indices_from(source, len(symbols)) for source in content["sources"])
    check_texts(texts, sources, len(lists["columns"]))
    if any(len(symbol) != len(lists["columns"]) for symbol in symbols):
        raise ValueError("its symbols do not fit its columns")
    kernel = None
    if content["kernel"] is not None:
        if len(content["kernel"]) != len(symbols):
            raise ValueError("its kernel does not fit its symbols")
        kernel = Channel(kernel_from(content["kernel"], len(texts))).kernel
    named: dict[str, Any] = {**lists, **scalars}
    return Card(
        **named,
        promise=dict(content["promise"]),
        kept=statements_from(content["kept"]),
        symbols=symbols,
        texts=texts,
        sources=sources,
        kernel=kernel,
        noise=None if content["noise"] is None else check_scalar("noise", content["noise"], finite=True, open_low=True),
        release=check_count("release", content["release"]),
        rows=check_count("rows", content["rows"], 0),
        options=dict(content["options"]),
        sha256=str(content["sha256"]),
        intact=digest_of(content) == content["digest"],
    )
