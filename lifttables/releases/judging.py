"""Checks of a release against other publications of its rows, and for drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from liftlib.errors import BrokenNotion, Drifted
from lifttables.designs.designing import Design, unseen_symbols
from lifttables.encoding.columns import JOIN, ROWS, numbered
from lifttables.encoding.table import Table
from lifttables.files import many
from lifttables.releases.composition import worst_of_parts
from lifttables.releases.drift import Drift, drift_of
from lifttables.releases.ledger import Ledger, past_of
from lifttables.releases.recognising import recognised
from lifttables.sources.randomness import generator

FOR_SAMPLE = "for this sample only: it is not proved for the population"

SAME_ROWS_NOTE = (
    "the table has exactly the counts of the design, so its rows were already released when the design was made"
)


@dataclass(frozen=True)
class Composition:
    """The verdict on a release with ``others``, the other publications of its rows.

    ``notes`` are for the owner and depend on the counts.
    """

    notes: tuple[str, ...] = ()
    others: str = ""


def judged(table: Table, design: Design, past: Ledger | None) -> tuple[Drift, Composition]:
    """Return the drift of new rows from a design, and the verdict on their release with others of these rows.

    Drifted is raised if the drift is harmful, and BrokenNotion if the release violates the notion jointly with
    ``past``, the earlier releases of the new rows, or if this cannot be computed.
    """
    _refuse_unseen(table, design)
    drift = drift_of(table, design, generator(None))
    if drift.harmful:
        raise Drifted(f"{drift}; design a release from the new rows instead")
    return drift, check_composition(table, design, past, applied=True)


def check_composition(table: Table, design: Design, past: Ledger | None, *, applied: bool) -> Composition:
    """Return the verdict on a release jointly with known publications of its rows.

    ``applied`` means that the design existed before, so its own rows were already released. BrokenNotion is raised if
    the notion is violated or this cannot be computed.
    """
    earlier, notes = past_of(table, past), () if past is None else past.notes
    # a design that merges symbols releases the same values again
    if applied and design.grid != 1 and not any(_same_design(earlier_design, design) for earlier_design in earlier):
        recognised_design = recognised(table, design)
        if recognised_design is not None:
            earlier, notes = [recognised_design, *earlier], (SAME_ROWS_NOTE, *notes)
    if not earlier:
        return Composition(notes=notes)
    others = f"{many(len(earlier), 'earlier release')} of these rows"
    try:
        _check_together(table, design, earlier, others)
    except BrokenNotion as error:
        said = ". ".join([str(error), *["; ".join(notes)] * bool(notes)])
        raise BrokenNotion(said, arguments=error.arguments) from error
    return Composition((f"{design.notion} holds together with {others}, {FOR_SAMPLE}", *notes), others=others)


def check_secrets(design: Design, past: Ledger | None) -> None:
    """Raise BrokenNotion if a release would publish the secret of an earlier one of these rows."""
    for entry in () if past is None else past.earlier:
        for name in entry.design.secret.names:
            if name in design.public.names:
                raise BrokenNotion(
                    f"the column {name!r} is the secret that an earlier release of these rows protects ({entry}): "
                    "leave it out, or release other rows"
                )


def _check_together(table: Table, design: Design, earlier: Sequence[Design], others: str) -> None:
    """Raise BrokenNotion if the notion is violated jointly with earlier releases, or if this cannot be computed."""
    if design.promise is None or not set(design.secret.names) <= set(table.columns):
        raise BrokenNotion(
            f"what the release reveals together with {others} cannot be computed without the secret and the notion: "
            "give rows with the secret"
        )
    together = worst_of_parts(table, design.secret, [*earlier, design], design.promise)
    if not together.broken:
        return
    alone = worst_of_parts(table, design.secret, earlier, design.promise)
    if alone.broken:
        raise BrokenNotion(
            f"no further release of these rows can satisfy {design.notion}, because what was published of them "
            f"before exceeds it: {alone.worst}; give a notion that allows this much, or release other rows"
        )
    raise BrokenNotion(
        f"{design.notion} is BROKEN together with {others}: {together.worst}; drop or coarsen a "
        "column, or release other rows"
    )


def _same_design(first: Design, second: Design) -> bool:
    columns = [
        [column.name for column in (*design.secret.columns, *design.public.columns)] for design in (first, second)
    ]
    return columns[0] == columns[1] and all(
        np.array_equal(a, b) for a, b in ((first.table, second.table), (first.channel.kernel, second.channel.kernel))
    )


def _refuse_unseen(table: Table, design: Design) -> None:
    """Raise DataError for symbols that the design has not seen, before the drift test."""
    public = [] if design.pools_new else [("public", design.public)]
    for role, symbols in (*public, *([("secret", design.secret)] * design.channel.sees_secret)):
        labels = table.counts(symbols.columns)
        unseen = labels.filter((symbols.index(labels) < 0).tolist())
        if len(unseen):
            example = JOIN.join(numbered(unseen, symbols.names)[1][0])
            raise unseen_symbols(int(unseen[ROWS].sum()), role, example)
