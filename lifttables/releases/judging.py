"""Checks of a release against other publications of its rows, and for drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import BrokenNotion, Drifted
from liftlib.notions import LiftNotion
from lifttables.audits.measuring import verdict_of
from lifttables.designs.designing import DEFAULT_CONFIDENCE, Design, unseen_symbols
from lifttables.designs.publishing import Publishing
from lifttables.encoding.columns import JOIN, ROWS, numbered
from lifttables.encoding.table import Table
from lifttables.files import many
from lifttables.population.sample import Sample
from lifttables.releases.composition import joint_counts, worst_of_parts
from lifttables.releases.drift import Drift, drift_of
from lifttables.releases.ledger import Ledger, past_of
from lifttables.releases.recognising import recognised
from lifttables.sources.randomness import generator

MAX_BOUNDS_SIZE = 20_000_000  # maximum number of bounds for a proof for the population
FOR_SAMPLE = "for this sample only: it is not proved for the population"

SAME_ROWS_NOTE = (
    "the table has exactly the counts of the design, so its rows were already released when the design was made"
)


@dataclass(frozen=True)
class Composition:
    """The verdict on a release with ``others``, the other publications of its rows.

    ``notes`` are for the owner and depend on the counts; ``population`` is whether the notion was proved for the
    population.
    """

    notes: tuple[str, ...] = ()
    others: str = ""
    population: bool = False


def judged(table: Table, design: Design, how: Publishing, past: Ledger | None) -> tuple[Drift, Composition]:
    """Return the drift of new rows from a design, and the verdict on their release with others of these rows.

    Drifted is raised if the drift is harmful, and BrokenNotion if the release violates the notion jointly with kept
    columns or ``past``, the earlier releases of the new rows, or if this cannot be computed.
    """
    if how.unseen == "error":
        _refuse_unseen(table, design)
    drift = drift_of(table, design, generator(None))
    if drift.harmful:
        raise Drifted(f"{drift}; design a release from the new rows instead")
    return drift, check_composition(table, design, past, how.keep, applied=True)


def check_composition(
    table: Table,
    design: Design,
    past: Ledger | None,
    keep: Sequence[str],
    *,
    applied: bool,
    chosen: float = 0.0,
) -> Composition:
    """Return the verdict on a release jointly with known publications of its rows.

    ``applied`` means that the design existed before, so its own rows were already released; ``chosen`` is that of
    ``Counts``. BrokenNotion is raised if the notion is violated or this cannot be computed.
    """
    earlier, kept_before = past_of(table, past)
    kept_columns = list(dict.fromkeys([*keep, *kept_before]))
    notes = () if past is None else past.notes
    # a design that merges symbols releases the same values again
    if applied and design.grid != 1 and not any(_same_design(earlier_design, design) for earlier_design in earlier):
        recognised_design = recognised(table, design)
        if recognised_design is not None:
            earlier, notes = [recognised_design, *earlier], (SAME_ROWS_NOTE, *notes)
    if not (kept_columns or earlier):
        return Composition(notes=notes)
    others = " and ".join(
        [f"the kept columns {', '.join(kept_columns)}"] * bool(kept_columns)
        + [f"{many(len(earlier), 'earlier release')} of these rows"] * bool(earlier)
    )
    try:
        _check_together(table, design, earlier, kept_before, kept_columns, others)
    except BrokenNotion as error:
        said = ". ".join([str(error), *["; ".join(notes)] * bool(notes)])
        raise BrokenNotion(said, arguments=error.arguments) from error
    confidence = DEFAULT_CONFIDENCE if applied and design.confidence is None else design.confidence
    proved = (
        confidence is not None
        and not earlier
        and proved_for_population(table, design, kept_columns, confidence, chosen)
    )
    whom = f"for the population with confidence {confidence:g}" if proved else FOR_SAMPLE
    return Composition(
        (f"{design.notion} holds together with {others}, {whom}", *notes), others=others, population=proved
    )


def _check_together(
    table: Table, design: Design, earlier: Sequence[Design], before: Sequence[str], keep: Sequence[str], others: str
) -> None:
    """Raise BrokenNotion if the notion is violated jointly with other publications, or if this cannot be computed.

    ``before`` are the columns that the earlier releases published unchanged.
    """
    if design.promise is None or not set(design.secret.names) <= set(table.columns):
        raise BrokenNotion(
            f"what the release reveals together with {others} cannot be computed without the secret and the notion: "
            "give rows with the secret"
        )
    together = worst_of_parts(table, design.secret, [*earlier, design], keep, design.promise)
    if not together.broken:
        return
    if earlier or before:
        alone = worst_of_parts(table, design.secret, earlier, before, design.promise)
        if alone.broken:
            raise BrokenNotion(
                f"no further release of these rows can satisfy {design.notion}, because what was published of them "
                f"before exceeds it: {alone.worst}; give a notion that allows this much, or release other rows"
            )
    raise BrokenNotion(
        f"{design.notion} is BROKEN together with {others}: {together.worst}; drop or coarsen a "
        "column, or release other rows",
        arguments=("keep",),
    )


def _same_design(first: Design, second: Design) -> bool:
    columns = [
        [column.name for column in (*design.secret.columns, *design.public.columns)] for design in (first, second)
    ]
    return columns[0] == columns[1] and all(
        np.array_equal(a, b) for a, b in ((first.table, second.table), (first.channel.kernel, second.channel.kernel))
    )


def proved_for_population(
    table: Table, design: Design, keep: Sequence[str], confidence: float, chosen: float = 0.0
) -> bool:
    """Return whether the notion is certified for the population of (S, Y, Z).

    Z are the kept columns. The sample counts the secret and the pairs (x, z), including pairs without a row; the
    channel from (x, z) to (y, z) is P(y|x) and leaves z unchanged. The result is also False if the mechanism sees the
    secret, the design has not seen all symbols, the notion is not a condition on each output, or there are more than
    ``MAX_BOUNDS_SIZE`` bounds.
    """
    n_x, n_y = len(design.public.labels), design.channel.n_outputs
    if design.promise is None or design.channel.sees_secret or not isinstance(design.promise, LiftNotion):
        return False
    n_z = table.distinct(keep)
    if n_x * n_z * n_y * n_z * n_x > MAX_BOUNDS_SIZE:
        return False
    counted = joint_counts(table, design.secret, [design], keep)
    (x,) = counted.codes
    if (x == n_x).any():
        return False
    counts = np.zeros((max(len(design.secret.labels), int(counted.s.max()) + 1), len(counted.kept) * n_x))
    np.add.at(counts, (counted.s, counted.z * n_x + x), counted.rows)
    channel = Channel(np.kron(np.eye(len(counted.kept)), design.channel.kernel))
    return verdict_of(Sample(counts, confidence, chosen), design.promise, channel) == "kept"


def _refuse_unseen(table: Table, design: Design) -> None:
    """Raise DataError for symbols that the design has not seen, before the drift test."""
    for role, symbols in (("public", design.public), *([("secret", design.secret)] * design.channel.sees_secret)):
        labels = table.counts(symbols.columns)
        unseen = labels.filter((symbols.index(labels) < 0).tolist())
        if len(unseen):
            example = JOIN.join(numbered(unseen, symbols.names)[1][0])
            raise unseen_symbols(int(unseen[ROWS].sum()), role, example)
