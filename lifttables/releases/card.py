"""The card of a release: its public documentation, whose words are rendered from its
fields.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftlib import __version__
from liftlib.channel import Channel
from liftlib.notions import RatioBased
from liftlib.notions.catalogue import content_of
from lifttables.designs.designing import (
    Design,
    Kind,
    belief_from,
    check_texts,
    confidence_from,
    kernel_from,
    promise_from,
)
from lifttables.designs.statement import promised
from lifttables.encoding.columns import (
    JOIN,
    RARE,
    Column,
    Labels,
    Symbols,
    numbered,
)
from lifttables.encoding.naming import (
    Texts,
    for_which_values,
    in_words,
    of_unlisted_values,
)
from lifttables.encoding.table import Table
from lifttables.files import indices_from, read_ours, texts_from
from lifttables.rendering import render
from mixproof.numerics import Matrix, check_count, check_scalar

FORMAT = "liftlib card 4"


UNSEEN = (
    "copies, other tables of the same people, and releases by others are not in it and"
    " may reveal more."
)


class Limit(Enum):
    """A limit of a release that not every release has, in words."""

    NEW_ROWS = (
        "The promise assumes that these rows and the design's are independent draws, of"
        " different people, from one population. Nothing checks it."
    )
    LEDGER = f"The owner's ledger has no other release of these rows; {UNSEEN}"
    EARLIER = (
        f"The owner's ledger has earlier releases of these rows; {UNSEEN} The second"
        " sentence includes earlier counts, not beliefs raised by earlier rows."
    )
    NO_LEDGER = (
        "No ledger was used: an earlier release of the same people may reveal more"
        " together with this one."
    )
    TRIED = (
        "The confidence assumes that bins, options and the number of rare values were"
        " fixed beforehand."
    )
    INSIDER = "Whoever knows more about the person may learn more."
    NAMES = (
        "Which values are named, and how many are not, is exact: somebody who knows all"
        " other rows may learn more."
    )
    POOL = f"{RARE} stands for all values that are not named."
    OF_TABLE = (
        f"{RARE} stands for values that this table had; other values are not covered."
    )
    RARE_KEPT = "Values that occur in a single row are named, too."
    DROPPED = "Rows with a missing value were dropped and are not covered."


@dataclass(frozen=True, eq=False)
class Card:
    """The public documentation of a release.

    Attributes
    ----------
    kind : Kind
    secret, columns : tuple of str
        Names of the columns that were protected, and of those that were released.
    promise : RatioBased
        The notion that holds for the population or, of counts, for each row.
    belief : float
        The belief about which the words speak.
    confidence : float or None
        The confidence of the promise for the population; None for counts.
    noise : float or None
        The level c of the noise, proportional to exp(-c abs(z)), of the counts from
        which all was computed; None if it can be repeated.
    insider : float
        By how much all that was computed from these rows with noise moves the log odds
        of somebody who knows all other rows, in nats: 0 for new rows, infinite if
        nothing bounds it.
    values : tuple of str
        For which values of the secret the promise is, in words.
    tells : tuple of Limit
        The limits that not every release has.
    symbols, texts : tuple of tuple of str
        The labels before the release, and the outputs, in each column.
    sources : tuple of tuple of int
        The symbols behind each output.
    kernel : numpy.ndarray, shape (X, Y)
        P(y|x).
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
        Whether the content has the digest that the card states. Somebody who edits a
        card can compute a digest anew: it shows mistakes and swapped parts, not
        forgery.
    """

    kind: Kind
    secret: tuple[str, ...]
    columns: tuple[str, ...]
    promise: RatioBased
    belief: float
    confidence: float | None
    noise: float | None
    insider: float
    values: tuple[str, ...]
    tells: tuple[Limit, ...]
    symbols: Texts
    texts: Texts
    sources: tuple[tuple[int, ...], ...]
    kernel: Matrix
    release: int
    made: str
    version: str
    rows: int
    options: dict[str, Any]
    sha256: str = ""
    intact: bool = True

    @property
    def of_counts(self) -> bool:
        """Whether the release is of noisy counts and no rows."""
        return self.kind is Kind.COUNTS

    @property
    def words(self) -> tuple[str, str]:
        """What is promised, for somebody who knows only shares, and for somebody who
        knows all other rows.
        """
        return promised(
            self.kind,
            self.promise,
            in_words(self.secret),
            belief=self.belief,
            confidence=self.confidence,
            insider=self.insider,
        )

    @property
    def not_covered(self) -> tuple[str, ...]:
        """The limits of the protection, in sentences."""
        first = [limit.value for limit in self.tells if limit is Limit.NEW_ROWS]
        others = [limit.value for limit in self.tells if limit is not Limit.NEW_ROWS]
        secrets = in_words(self.secret, ", ")
        never = (
            f"Not protected: secrets other than {secrets}, who is in the table, and how"
            " common each released value is."
        )
        return (*first, *self.values, *others, never)

    @property
    def cite(self) -> str:
        """The recommended citation of the release."""
        return (
            f"{in_words(self.columns)} released under {self.promise} with regard to"
            f" {in_words(self.secret)}, by {self.kind.value}, liftlib {self.version},"
            f" {self.made[:10]}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the card as JSON values."""
        kernel = [
            [np.flatnonzero(row).tolist(), row[row > 0].tolist()] for row in self.kernel
        ]
        content = {
            "format": FORMAT,
            "kind": self.kind.value,
            "secret": self.secret,
            "columns": self.columns,
            "promise": content_of(self.promise),
            "belief": self.belief,
            "confidence": self.confidence,
            "noise": self.noise,
            "insider": self.insider if math.isfinite(self.insider) else None,
            "values": self.values,
            "tells": [limit.name for limit in self.tells],
            "symbols": self.symbols,
            "texts": self.texts,
            "sources": self.sources,
            "kernel": kernel,
            "release": self.release,
            "made": self.made,
            "version": self.version,
            "rows": self.rows,
            "options": self.options,
            "sha256": self.sha256,
        }
        return content | {"digest": digest_of(content)}

    def as_text(self) -> str:
        """Return the card in Markdown, rendered from its fields."""
        return render(
            "card.md.j2", card=self, digest=self.as_dict()["digest"], join=in_words
        )


def digest_of(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a card's JSON values, all but its own."""
    values = {name: value for name, value in content.items() if name != "digest"}
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def counted_outputs(
    table: Table, card: Card
) -> tuple[Labels, NDArray[np.int64], list[str]]:
    """Return a release's counts, the output index of each, and unknown outputs.

    The index of an unknown output is -1.
    """
    columns = tuple(Column(name, na=()) for name in card.columns)
    labels = table.counts(columns)
    y = Symbols(columns, card.texts).index(labels)
    unknown = numbered(labels.filter((y < 0).tolist()), card.columns)[1]
    return labels, y, [JOIN.join(texts) for texts in unknown]


def card_of(
    design: Design,
    *,
    release: int | None = 1,
    made: str | None = None,
    earlier: float = 0.0,
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
    made : str or None, keyword-only
        The time of the first of several identical releases; now by default.
    earlier : float, keyword-only
        The noise of all counts of these rows that were released before, in nats.
    new_rows : int or None, keyword-only
        The number of rows, if they are not those of the design.
    options : mapping, optional, keyword-only
        The options of the run, JSON values by name.

    Returns
    -------
    Card
        What may be published about the release.

    Examples
    --------
    >>> import polars as pl
    >>> from liftlib import LIP
    >>> ill = ["yes"] * 20 + ["no"] * 20 + ["yes"] * 40 + ["no"] * 120
    >>> table = pl.DataFrame({"ill": ill, "age": ["old"] * 40 + ["young"] * 160})
    >>> from lifttables import sanitise
    >>> release = sanitise(table, secret="ill", public="age", notion=LIP(1.0), rng=1)
    >>> card_of(release.design).promise
    LIP(eps=1.0)
    """
    public, options = design.public, dict(options or {})
    # a design from a seed has no key, and its noise can be predicted
    bounded = bool(design.key)
    own = 0.0 if design.of_counts else design.noisy.insider
    insider = earlier + own if bounded else math.inf
    tells = {
        Limit.NEW_ROWS: new_rows is not None,
        Limit.NO_LEDGER: release is None,
        Limit.LEDGER: release == 1,
        Limit.EARLIER: release is not None and release > 1,
        Limit.TRIED: not design.of_counts,
        Limit.INSIDER: not design.of_counts,
        Limit.NAMES: new_rows is None and not public.listed,
        Limit.POOL: design.pools_new,
        Limit.OF_TABLE: any(
            RARE in text for one in public.columns for _, text in one.parents
        ),
        Limit.RARE_KEPT: options.get("rare") == "keep",
        Limit.DROPPED: options.get("missing") == "drop",
    }
    # neither counts nor a design that was made before depend on who has which secret
    first_rows = new_rows is None and not design.of_counts
    values = of_unlisted_values(design.secret) if first_rows else []
    if design.confidence is not None:
        # nobody looked which values new rows have
        rows = 0 if new_rows is not None else design.rows
        values.insert(0, for_which_values(design.secret, rows, design.confidence))
    return Card(
        kind=design.kind,
        secret=tuple(design.secret.names),
        columns=tuple(public.names),
        promise=design.promise,
        belief=design.belief,
        confidence=design.confidence,
        noise=design.noisy.c if bounded else None,
        insider=float(earlier) if new_rows is not None else insider,
        values=tuple(values),
        tells=tuple(limit for limit, holds in tells.items() if holds),
        symbols=tuple(
            label if label != (RARE,) else (RARE,) * len(public.columns)
            for label in public.labels
        ),
        texts=design.texts,
        sources=design.sources,
        kernel=design.channel.kernel,
        release=release or 1,
        made=made or dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        version=__version__,
        rows=design.rows if new_rows is None else new_rows,
        options=options,
    )


def read_card(path: str | Path) -> Card:
    """Return the card in a JSON file.

    Parameters
    ----------
    path : str or pathlib.Path
        A file ``card.json``.

    Raises
    ------
    DataError
        If it is no card, or a card of a later version.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> from liftlib import LIP
    >>> ill = ["yes"] * 20 + ["no"] * 20 + ["yes"] * 40 + ["no"] * 120
    >>> table = pl.DataFrame({"ill": ill, "age": ["old"] * 40 + ["young"] * 160})
    >>> from lifttables import Outputs, Plan, Reading, sanitise_file
    >>> folder = tempfile.TemporaryDirectory()
    >>> source, out = Path(folder.name, "people.csv"), Path(folder.name, "release.csv")
    >>> table.write_csv(source)
    >>> outputs = Outputs.next_to(out)
    >>> plan = Plan(Reading.from_words({"secret": "ill", "public": "age"}), LIP(1.0))
    >>> release = sanitise_file(source, outputs, plan, rng=1)
    >>> read_card(outputs.card).rows
    200
    >>> folder.cleanup()
    """
    return read_ours(
        Path(path), "card", FORMAT, _card, "give a .card.json that this version wrote"
    )


def _card(content: Any) -> Card:
    lists = {
        name: texts_from(content[name]) for name in ("secret", "columns", "values")
    }
    made, version = texts_from([content["made"], content["version"]])
    texts, symbols = (
        tuple(map(texts_from, content[name])) for name in ("texts", "symbols")
    )
    sources = tuple(indices_from(source, len(symbols)) for source in content["sources"])
    check_texts(texts, sources, len(lists["columns"]))
    if any(len(symbol) != len(lists["columns"]) for symbol in symbols):
        raise ValueError("its symbols do not fit its columns")
    if len(content["kernel"]) != len(symbols):
        raise ValueError("its kernel does not fit its symbols")
    noise, insider = content["noise"], content["insider"]
    card = Card(
        kind=Kind(content["kind"]),
        **lists,
        promise=promise_from(content["promise"]),
        belief=belief_from(content["belief"]),
        confidence=confidence_from(content["confidence"]),
        noise=(
            None
            if noise is None
            else check_scalar("noise", noise, finite=True, open_low=True)
        ),
        insider=(
            math.inf
            if insider is None
            else check_scalar("insider", insider, 0, finite=True)
        ),
        tells=tuple(Limit[name] for name in content["tells"]),
        symbols=symbols,
        texts=texts,
        sources=sources,
        kernel=Channel(kernel_from(content["kernel"], len(texts))).kernel,
        release=check_count("release", content["release"]),
        made=made,
        version=version,
        rows=check_count("rows", content["rows"], 0),
        options=dict(content["options"]),
        sha256=content["sha256"],
        intact=digest_of(content) == content["digest"],
    )
    texts_from([card.sha256])
    # such as a text for a number, or a part that no card has
    if digest_of(content) != card.as_dict()["digest"]:
        raise ValueError("its values are not written as a card's are")
    return card
