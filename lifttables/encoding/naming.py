"""Texts of a channel's outputs, made of the labels of the symbols behind them."""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from lifttables.encoding.columns import JOIN, RARE, Symbols
from mixproof.numerics import Matrix, Vector, first_largest, ranked

# an output's text names each symbol with at least this posterior probability
MIN_POSTERIOR_SHOWN = 1e-6
# the labels of the first of these shares of an output's rows that are distinct name it
SHARES_NAMED = (0.5, 0.7, 0.9)
# maximum length of a text; longer ones name only the first symbols, and the card lists
# all
MAX_TEXT_LENGTH = 200
PERHAPS = "perhaps "  # before a label that not all rows of an output have
TO = " to "  # between the ends of a run of neighbours
MAX_LABELS_SHOWN = 3  # maximum number of similar labels shown in a note

Texts = tuple[tuple[str, ...], ...]


def behind(channel: Channel, joint: Joint) -> tuple[tuple[int, ...], ...]:
    """Return the symbols of each output, with posterior >= ``MIN_POSTERIOR_SHOWN``."""
    if channel.outputs == joint.public:
        return tuple((x,) for x in range(joint.n_public))
    p_xy = channel.joint_xy(joint)
    posterior = p_xy / np.maximum(p_xy.sum(axis=0), np.finfo(float).tiny)
    return tuple(
        tuple(int(x) for x in np.flatnonzero(column >= MIN_POSTERIOR_SHOWN))
        for column in posterior.T
    )


def texts_of_outputs(
    public: Symbols, sources: Sequence[Sequence[int]], p_xy: Matrix | None = None
) -> Texts:
    """Return the text of each output in each released column; outputs are distinct.

    A text lists the labels behind the output; three or more neighbours of an ordered
    column, and two bins, are named by their ends. If that does not identify the output
    (another has the same text, the text is shortened, or not all combinations of labels
    are meant), the outputs are named by the label that most of their rows have in each
    column according to ``p_xy``, P(x, y), shape (X, Y), or by the symbol that leads to
    them most often, or by several labels that most of their rows have. If nothing
    identifies them, ``#`` and the output's number on the card are appended in the first
    column.

    >>> from lifttables.encoding.columns import Column
    >>> ages = Symbols(
    ...     (Column("age"), Column("sex")), (("old", "f"), ("old", "m"), ("young", "f"))
    ... )
    >>> texts_of_outputs(ages, [(0, 1), (2,), (1, 2)])
    (('old', 'f or m'), ('young', 'f'), ('old or young #3', 'm or f'))
    >>> towns = Symbols((Column("town"),), (("Ely",), ("Rye",), ("Wye",)))
    >>> texts_of_outputs(
    ...     towns, [(0, 1, 2)] * 2, np.array([[0.7, 0.1], [0.2, 0.4], [0.1, 0.5]])
    ... )
    (('mostly Ely',), ('mostly Wye',))
    >>> texts_of_outputs(
    ...     towns, [(0, 1, 2)] * 2, np.array([[0.6, 0.3], [0.1, 0.2], [0.1, 0.1]])
    ... )
    (('perhaps Ely',), ('Ely or perhaps Rye',))
    >>> months = Symbols(
    ...     (Column("month"),), tuple((f"2026-0{month}",) for month in range(1, 7))
    ... )
    >>> texts_of_outputs(months, [(0, 1, 2, 5), (3, 4)])
    (('2026-01 to 2026-03 or 2026-06',), ('2026-04 or 2026-05',))
    >>> ages = Symbols(
    ...     (Column("age", (20.0, 40.0, 60.0)),),
    ...     (("< 20",), ("[20, 40)",), ("[40, 60)",), (">= 60",)),
    ... )
    >>> texts_of_outputs(ages, [(0, 3), (1, 2)])
    (('< 20 or >= 60',), ('[20, 60)',))
    """
    places = public.places
    short_texts: list[tuple[str, ...]] = []
    vague: list[bool] = []
    for source in sources:
        labels = [public.labels[x] for x in source]
        labels = [
            label if label != (RARE,) else (RARE,) * len(public.columns)
            for label in labels
        ]
        parts = [
            list(dict.fromkeys(label[at] for label in labels))
            for at in range(len(public.columns))
        ]
        pieces = [_runs(public, source)] if places is not None else parts
        full = [" or ".join(piece) for piece in pieces]
        short = [
            text if len(text) <= MAX_TEXT_LENGTH else _shortened(piece)
            for text, piece in zip(full, pieces, strict=True)
        ]
        short_texts.append(tuple(short))
        vague.append(
            short != full or len(set(labels)) < math.prod(len(part) for part in parts)
        )
    often = Counter(JOIN.join(texts) for texts in short_texts)
    unclear = [
        vague[y] or often[JOIN.join(texts)] > 1 for y, texts in enumerate(short_texts)
    ]
    if not any(unclear):
        return tuple(short_texts)
    base, in_doubt = short_texts, unclear
    for share in () if p_xy is None else SHARES_NAMED:
        assert p_xy is not None
        base = [
            _mostly(public, column, share) if vague_text else text
            for vague_text, text, column in zip(
                unclear, short_texts, p_xy.T, strict=True
            )
        ]
        repeated = Counter(map(JOIN.join, base))
        in_doubt = [repeated[JOIN.join(texts)] > 1 for texts in base]
        if share == SHARES_NAMED[0] and (
            any(in_doubt) or any(" or " in text for texts in base for text in texts)
        ):
            perhaps = [
                texts if not vague_text else _perhaps(public, column, x)
                for vague_text, texts, column, x in zip(
                    unclear, short_texts, p_xy.T, _leading(p_xy), strict=True
                )
            ]
            if len(set(map(JOIN.join, perhaps))) == len(perhaps):
                return tuple(perhaps)
        if not any(in_doubt):
            return tuple(base)
    unique_texts = tuple(
        (f"{texts[0]} #{y + 1}", *texts[1:]) if in_doubt[y] else texts
        for y, texts in enumerate(base)
    )
    if len(set(unique_texts)) == len(unique_texts):
        return unique_texts
    # a label itself ends in such a number
    return tuple((f"{texts[0]} #{y + 1}", *texts[1:]) for y, texts in enumerate(base))


def _runs(public: Symbols, source: Sequence[int]) -> list[str]:
    """Return the labels of symbols of an ordered column, with runs of neighbours named
    by their ends.
    """
    places, column = public.places, public.columns[0]
    assert places is not None
    known = sorted(
        (x for x in source if math.isfinite(places[x])), key=lambda x: float(places[x])
    )
    texts: list[str] = []
    for _, run in itertools.groupby(
        enumerate(known), key=lambda pair: float(places[pair[1]]) - pair[0]
    ):
        labels = [public.labels[x][0] for _, x in run]
        if column.edges and len(labels) > 1:
            texts.append(_one_bin(labels[0], labels[-1]))
        else:
            texts += [f"{labels[0]}{TO}{labels[-1]}"] if len(labels) > 2 else labels
    return texts + [public.labels[x][0] for x in source if not math.isfinite(places[x])]


def _one_bin(first: str, last: str) -> str:
    """Return the label of the bin from one bin to another.

    >>> (
    ...     _one_bin("< 20", "[20, 40)"),
    ...     _one_bin("[20, 40)", ">= 60"),
    ...     _one_bin("< 20", ">= 60"),
    ... )
    ('< 40', '>= 20', 'any value')
    """
    low, high = (
        first.strip("[<>=)").split(",")[0].strip(),
        last.strip("[<>=)").split(",")[-1].strip(),
    )
    if first.startswith("<"):
        return "any value" if last.startswith(">") else f"< {high}"
    return f">= {low}" if last.startswith(">") else f"[{low}, {high})"


def _leading(p_xy: Matrix) -> list[int]:
    """Return the symbol that leads most often to each output, in proportion to its own
    rows.
    """
    kernel = p_xy / np.maximum(p_xy.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    # symbols of one subset lead equally often, but for rounding: the first does
    return [first_largest(column) for column in kernel.T]


def _perhaps(public: Symbols, p_x: Vector, symbol: int) -> tuple[str, ...]:
    """Return the labels of the symbol by which an output differs from others; before
    them, in each column, the label that most of the output's rows have.
    """
    label = public.labels[symbol]
    if label == (RARE,):
        label = (RARE,) * len(public.columns)
    texts = []
    for at, text in enumerate(label):
        frequent = _behind(public, p_x, at)[0]
        doubt = PERHAPS if len(frequent) > 1 else ""
        first = "" if frequent[0] == text else f"{frequent[0]} or "
        texts.append(f"{first}{doubt}{text}")
    return tuple(texts)


def _behind(public: Symbols, p_x: Vector, at: int) -> tuple[list[str], Vector]:
    """Return the labels that an output's rows have in a column, the most frequent
    first, and their weights.
    """
    labels = public.of_column(at)
    known = list(dict.fromkeys(labels))
    rows = np.zeros(len(known))
    np.add.at(rows, [known.index(label) for label in labels], p_x)
    order = [i for i in ranked(rows) if rows[i] > MIN_POSTERIOR_SHOWN * rows.sum()]
    return [known[i] for i in order], rows[order]


def _mostly(public: Symbols, p_x: Vector, share: float) -> tuple[str, ...]:
    """Return the labels that a share of an output's rows has in each column, the most
    frequent first.
    """
    texts = []
    for at in range(len(public.columns)):
        known, rows = _behind(public, p_x, at)
        needed = (
            int(np.searchsorted(np.cumsum(rows), share * rows.sum() * (1 - 1e-9))) + 1
        )
        texts.append(
            f"{'' if len(known) == 1 else 'mostly '}{_shortened(known[:needed])}"
        )
    return tuple(texts)


def alike(labels: Iterable[str]) -> list[list[str]]:
    r"""Return groups of labels that a reader may confuse.

    They differ only in spaces, case, Unicode composition or zero-width characters.

    >>> alike(["tea", "Tea ", "coffee", "t\u200bea"])
    [['Tea ', 'tea', 't\u200bea']]
    """
    groups: dict[str, list[str]] = {}
    for label in sorted(set(labels)):
        seen = "".join(
            character
            for character in unicodedata.normalize("NFKC", label)
            if unicodedata.category(character) != "Cf"
        )
        groups.setdefault(" ".join(seen.casefold().split()), []).append(label)
    return [group for group in groups.values() if len(group) > 1]


def in_words(names: Iterable[str], join: str = JOIN) -> str:
    """Return names of columns in a sentence, without blanks around them."""
    return join.join(map(str.strip, names))


def for_which_values(secret: Symbols, rows: int, confidence: float) -> str:
    """Return for which values of a secret a statement about the population holds.

    If all values outside lists have more than the share 1 - (1 - confidence)^(1/n)
    together, n rows have none of them with a probability of at most 1 - confidence.
    Without rows (0), nothing is said of their share.
    """
    where = "these rows" if rows else "the design's rows"
    parts = [
        f"{column.name.strip()} among {', '.join(column.values)}"
        if column.values
        else f"{column.name.strip()} that occur in {where}"
        for column in secret.columns
    ]
    limit = f"Only values of {' and of '.join(parts)} are covered."
    if not secret.listed or not rows:
        return limit
    most = -math.expm1(math.log1p(-confidence) / rows)
    share = math.ceil(most * 1e5) / 1e3  # per cent, rounded up
    return (
        f"{limit} If the list was made before the rows were seen, the other values are"
        f" together at most {share:g} % of the population, with confidence"
        f" {confidence:g}."
    )


def of_unlisted_values(secret: Symbols) -> list[str]:
    """Return what a release tells of a value in a single row, unless all values of a
    secret are listed.
    """
    if secret.listed:
        return []
    what = "a combination of values" if len(secret.columns) > 1 else "a value"
    return [
        f"Somebody who knows all other rows may notice {what} that nobody else has."
    ]


def notes_on_labels(symbols: Symbols) -> list[str]:
    """Return a note for each column with labels that look alike."""
    notes = []
    for at, column in enumerate(symbols.columns):
        groups = alike(
            label[at]
            for label in (*symbols.labels, *symbols.pooled)
            if label != (RARE,)
        )
        if groups:
            more = (
                f", and {len(groups) - 1} more such groups" if len(groups) > 1 else ""
            )
            notes.append(
                f"labels of {column.name!r} look alike and count as different ones:"
                f" {' and '.join(map(ascii, groups[0][:MAX_LABELS_SHOWN]))}{more}; make"
                " them one in the table if they are"
            )
    return notes


def _shortened(labels: Sequence[str]) -> str:
    shown: list[str] = []
    for label in labels:
        if shown and sum(map(len, shown)) + len(label) > MAX_TEXT_LENGTH // 2:
            break
        shown.append(label[:MAX_TEXT_LENGTH])
    return " or ".join(shown) + (
        f" or {len(labels) - len(shown)} more" if len(shown) < len(labels) else ""
    )
