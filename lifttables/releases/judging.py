"""The checks of new rows before they are released through a design, the same for a frame and for a file."""

from __future__ import annotations

from dataclasses import replace

from liftlib.errors import Drifted
from lifttables.designs.designing import Design
from lifttables.encoding.table import Table
from lifttables.releases.composition import beside_others
from lifttables.releases.drift import Drift, drift_of
from lifttables.releases.ledger import Ledger, past_of
from lifttables.releases.releasing import Publishing, check_keep
from lifttables.sources.distributed import Parted
from lifttables.sources.randomness import generator


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
    table.check([*made.columns_needed(), *how.keep])
    check_keep(table, made, how.keep)
    if how.unseen == "error":
        refuse_unseen(table, made)
    drift = checked_drift(table, made, allow=allow)
    found = beside_others(table, made, *past_of(table, past, how.keep), allow=allow)
    return replace(drift, beside=found.broken), found.notes


def refuse_unseen(table: Table, made: Design) -> None:
    """Refuse symbols that the design has not seen before anything is said of drift."""
    if isinstance(table, Parted):
        table.refuse_unseen(made)
        return
    for rows in table.batches(made.columns_needed()):
        made.codes(rows)


def checked_drift(table: Table, made: Design, *, allow: bool) -> Drift:
    """Return how new rows compare with the design's, and refuse those for which the notion may be broken.

    Raises
    ------
    Drifted
        Unless ``allow`` is set.
    """
    drift = drift_of(table, made, generator(None))
    if drift.harmful and not allow:
        raise Drifted(f"{drift}; design the channel again, or take it on yourself (--allow)")
    return drift
