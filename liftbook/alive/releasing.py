"""A reader's own column released in the browser, by the library's own steps and in the order of ``lift sanitise``."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Channel
from liftlib.notions import Notion
from lifttables.audits.auditing import Audit, audited
from lifttables.designs.designing import Design, design
from lifttables.designs.statement import statement
from lifttables.encoding.columns import RARE, Counts
from lifttables.encoding.counting import Missing, Rare
from lifttables.encoding.reading import Reading
from lifttables.page import audit_page
from lifttables.releases.card import Card, card_of
from lifttables.releases.releasing import Publishing, permutation, without_formulas
from lifttables.releases.sanitising import check_dear, check_each_secret, notes_on, options_of, routed
from lifttables.sources.randomness import uniform

Label = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Release:
    """What a design gives for a table: for the public ``rows`` and ``card``, for the owner ``made`` and ``audit``."""

    rows: list[Label]
    card: Card
    made: Design
    audit: Audit

    def files(self, name: str, separator: str = ",") -> list[dict[str, Any]]:
        """Return the files that the command writes: ``name``, ``text``, and whether they are for the owner alone."""
        table = io.StringIO()
        writer = csv.writer(table, delimiter=separator, lineterminator="\n")
        writer.writerow(self.made.public.names)
        writer.writerows(self.rows)
        made = replace(self.card, sha256=hashlib.sha256(table.getvalue().encode()).hexdigest())
        card = json.dumps(made.as_dict(), ensure_ascii=False, indent=1) + "\n"
        ending = ".csv" if separator == "," else ".tsv"
        return [
            {"name": f"{name}-released{ending}", "text": table.getvalue(), "private": False},
            {"name": f"{name}-released.card.json", "text": card, "private": False},
            {"name": f"{name}-released.card.md", "text": made.as_text(), "private": False},
            {
                "name": f"{name}-released.PRIVATE.audit.html",
                "text": audit_page(self.audit, self.made),
                "private": True,
            },
            {
                "name": f"{name}-released.PRIVATE.design.json",
                "text": json.dumps(self.made.content(), ensure_ascii=False) + "\n",
                "private": True,
            },
        ]

    def promises(self) -> list[str]:
        """Return what is kept and for whom, and what it means for one person."""
        return [*map(statement, self.made.kept), *self.card.words]


def release(
    table: Any,
    counts: Counts,
    labels: Sequence[tuple[Label, Label]],
    notion: Notion,
    mechanism: str,
    confidence: float | None,
    *,
    resamples: int = 200,
    seed: int | None = None,
    kernel: bool | None = None,
    missing: Missing = "refuse",
    rare: Rare = "error",
) -> Release:
    """Design a channel for a table's counts, audit it, and draw a value for each row.

    Parameters
    ----------
    table : OwnTable
        For its ``columns``.
    counts : Counts
    labels : sequence of (tuple of str, tuple of str)
        Each row's secret and public labels, in the table's order.
    notion, mechanism, confidence, resamples
        As in :func:`lifttables.sanitise`.
    seed : int, optional, keyword-only
        With it the draw can be repeated, and foreseen; by default it is the browser's own generator's.
    kernel : bool or None, keyword-only
        As in :func:`lifttables.sanitise`.
    missing, rare : str, keyword-only
        How the counts were made, for the card.

    Returns
    -------
    Release
        Rows shuffled, as the command shuffles those of one batch.

    Raises
    ------
    LiftError
        As :func:`lifttables.sanitise` does.
    """
    check_dear(mechanism, len(counts.public.labels), allow=False, designed=routed(mechanism, notion, confidence))
    made = without_formulas(design(counts, notion, mechanism, confidence), "error")
    check_each_secret(made)
    source = uniform(seed)
    reading = Reading(tuple(counts.secret.names), tuple(counts.public.names), missing=missing, rare=rare)
    how = Publishing(kernel=kernel)
    notes = notes_on(table, made, reading, how, seed)
    found = audited(counts, notion, made, resamples=resamples, notes=tuple(notes))
    drawn = Channel(made.kernel()).sample(codes(made, labels), rng=source)
    order = permutation(len(drawn), source)
    rows = [made.texts[at] for at in drawn[order].tolist()]
    return Release(rows, card_of(made, kernel=kernel, options=options_of(made, reading, how, allow=False)), made, found)


def codes(made: Design, labels: Sequence[tuple[Label, Label]]) -> NDArray[np.int64]:
    """Return the row of the design's kernel that each row of a table is released by."""
    secret = {label: at for at, label in enumerate(made.secret.labels)}
    public = {label: at for at, label in enumerate(made.public.labels)}
    public |= dict.fromkeys(made.public.pooled, public.get((RARE,), -1))
    wide = len(made.public.labels)
    found = (secret[s] * wide + public[x] if made.channel.sees_secret else public[x] for s, x in labels)
    return np.fromiter(found, dtype=np.int64, count=len(labels))
