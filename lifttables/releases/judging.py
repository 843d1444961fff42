"""The checks of new rows before they are released through a design, the same for a frame and for a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from liftlib.errors import BrokenNotion, DataError, Drifted
from lifttables.designs.designing import CONFIDENCE, Design
from lifttables.designs.publishing import Publishing
from lifttables.encoding.columns import JOIN, ROWS, numbered
from lifttables.encoding.table import Table
from lifttables.releases.composition import Beside, beside_others
from lifttables.releases.drift import Drift, drift_of
from lifttables.releases.kept_columns import proved_for_population
from lifttables.releases.ledger import Ledger, past_of
from lifttables.releases.recognising import recognised
from lifttables.sources.randomness import generator

FOR_SAMPLE = "for this sample only: it was not proved for the population"
"""Of what is published beside a release."""

OWN_ROWS = (
    "the table has exactly the counts that the design was made from, so its rows were released when the design was made"
)
"""What is said of a design's own rows."""


def judged(
    table: Table, made: Design, how: Publishing, past: Ledger | None, *, allow: bool
) -> tuple[Drift, tuple[str, ...]]:
    """Check new rows, of a frame or of a file, before they are released through a design.

    Parameters
    ----------
    table : Table
        The new rows.
    made : Design
    how : Publishing
        With the columns to keep.
    past : Ledger or None
        Earlier releases of the new rows.
    allow : bool
        Whether to go on where the notion is, or may be, broken.

    Returns
    -------
    (Drift, tuple of str)
        How the rows compare with the design's and what is promised of them, and notes for their owner.

    Raises
    ------
    DataError
        If a column or a symbol is not as the design expects.
    Drifted
        If the rows are from another distribution, unless ``allow`` is set.
    BrokenNotion
        If kept columns or earlier releases break the notion together with this release, or this cannot be computed,
        unless ``allow`` is set.
    """
    if how.unseen == "error":
        refuse_unseen(table, made)
    drift = checked_drift(table, made, allow=allow)
    found = beside_known(table, made, past, how.keep, applied=True, allow=allow)
    sample = "" if found.population else found.others
    return replace(drift, beside=found.broken, sample_only=sample), found.notes


def beside_known(
    table: Table,
    made: Design,
    past: Ledger | None,
    keep: Sequence[str],
    *,
    applied: bool,
    allow: bool,
    chosen: float = 0.0,
) -> Beside:
    """Return whether a release satisfies its notion together with all that is known to be published about its rows.

    Parameters
    ----------
    table : Table
    made : Design
    past : Ledger or None
    keep : sequence of str
        Columns to publish as they are.
    applied : bool, keyword-only
        Whether the design was made before, so that its own rows have been released already.
    allow : bool, keyword-only
    chosen : float, keyword-only
        See :attr:`lifttables.encoding.columns.Counts.chosen`.

    Raises
    ------
    BrokenNotion
        With how earlier releases of the rows were recognised, unless ``allow`` is set.
    """
    earlier, kept = past_of(table, past, keep)
    notes = () if past is None else past.notes
    # a design that merges symbols releases the same values again
    if applied and made.grid != 1 and not any(_same_design(one, made) for one in earlier):
        own = recognised(table, made)
    else:
        own = None
    if own is not None:
        earlier = [own, *earlier]
        notes = (OWN_ROWS, *notes)
    try:
        found = beside_others(table, made, earlier, kept, allow=allow)
    except BrokenNotion as error:
        if not notes:
            raise
        raise BrokenNotion(f"{error}. {'; '.join(notes)}") from error
    if not found.others:
        return replace(found, notes=(*found.notes, *notes))
    confidence = CONFIDENCE if applied and made.confidence is None else made.confidence
    proved = confidence is not None and not earlier and proved_for_population(table, made, kept, confidence, chosen)
    whom = f"for the population with confidence {confidence:g}" if proved else FOR_SAMPLE
    together = f"{made.notion} is kept together with {found.others}, {whom}"
    return replace(found, notes=(together, *notes), population=proved)


def _same_design(one: Design, other: Design) -> bool:
    columns = [[column.name for column in (*made.secret.columns, *made.public.columns)] for made in (one, other)]
    return columns[0] == columns[1] and all(
        np.array_equal(a, b) for a, b in ((one.table, other.table), (one.channel.kernel, other.channel.kernel))
    )


def refuse_unseen(table: Table, made: Design) -> None:
    """Refuse symbols that the design has not seen, before anything is said of drift.

    Raises
    ------
    DataError
        With one of them.
    """
    for role, symbols in (("public", made.public), *([("secret", made.secret)] * made.channel.sees_secret)):
        found = table.counts(symbols.columns)
        unseen = found.filter((symbols.index(found) < 0).tolist())
        if len(unseen):
            value = JOIN.join(numbered(unseen, symbols.names)[1][0])
            raise DataError(
                f"{int(unseen[ROWS].sum()):,} rows have a {role} symbol that the channel was not made for, such as "
                f"{value!r}: design the channel again, or draw for them what says nothing (--unseen draw)"
            )


def checked_drift(table: Table, made: Design, *, allow: bool) -> Drift:
    """Return the drift of new rows; raise if the notion may be violated for them.

    Raises
    ------
    Drifted
        Unless ``allow`` is set.
    """
    drift = drift_of(table, made, generator(None))
    if drift.harmful and not allow:
        raise Drifted(f"{drift}; design the channel again, or take it on yourself (--allow)")
    return drift
