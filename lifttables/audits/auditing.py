"""The audit of a table or a release: lifts by symbol, violations, and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import LiftNotion, Notion
from lifttables.audits.measuring import Verdict, intervals_of, overall, verdict_of
from lifttables.audits.symbols import AuditedSymbol, audited_symbols
from lifttables.encoding.columns import Counts
from lifttables.encoding.counting import NA_TEXTS, named
from lifttables.encoding.naming import for_which_values, notes_on_labels
from lifttables.encoding.reading import Reading
from lifttables.files import many
from lifttables.population.sample import Sample
from lifttables.sources.randomness import generator
from lifttables.sources.source import open_table
from mixproof.checks import checked
from mixproof.numerics import KEEP_TOL, Matrix, check_count, check_scalar

MAX_TEXTS_SHOWN = 5  # maximum number of texts for missing values in a note
# the expected count below which a cell's lift is dominated by chance
MIN_EXPECTED_COUNT = 5.0


@dataclass(frozen=True, eq=False)
class Audit:
    """The result of an audit: what a table or a release reveals about the secret.

    Attributes
    ----------
    secret, public : str
        Names of the audited columns.
    rows : int
    unique : int or None
        Number of rows whose combination of public values no other row has; None for a
        channel.
    release : Joint
        The joint distribution of the secret and what is published.
    notion : str or None
    kept : bool or None
        Whether the empirical joint distribution satisfies the notion.
    overall : dict of str to float
        The values of ``MEASURES`` and, for a channel, ``nmi``; leakages in nats.
    intervals : dict of str to (float, float)
        Confidence intervals of ``overall`` for the population, each at ``level``.
    population : str or None
        Whether the population satisfies the notion, with confidence ``level``:
        ``"kept"``, ``"broken"`` or ``"undecided"``; None without a notion, or if it has
        no such bounds.
    symbols : tuple of AuditedSymbol
        In order of decreasing risk.
    notes : tuple of str
    resamples : int
    level : float
    """

    secret: str
    public: str
    rows: int
    unique: int | None
    release: Joint
    notion: str | None
    kept: bool | None
    overall: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    population: Verdict | None
    symbols: tuple[AuditedSymbol, ...]
    notes: tuple[str, ...]
    resamples: int
    level: float


# an audit publishes nothing, so a note about rare and missing values is enough
AUDIT_DEFAULTS: dict[str, Any] = {"rare": "keep", "missing": "drop", "na": NA_TEXTS}


@checked
def audit(
    source: Any,
    *,
    secret: str | Sequence[str],
    public: str | Sequence[str],
    notion: Notion | None = None,
    resamples: int = 200,
    level: float = 0.95,
    rng: np.random.Generator | int | None = 0,
    **reading: Any,
) -> Audit:
    """Return an audit of what public columns reveal about secret columns.

    Parameters
    ----------
    source : path or frame
        See :func:`lifttables.open_table`.
    secret, public : str or sequence of str
        Columns; each combination of several columns is one symbol.
    notion : Notion, optional
        The notion to check.
    resamples : int
        Number of bootstrap tables drawn from the empirical distribution.
    level : float
        Confidence level of the intervals and of the verdict on the population, in (0,
        1).
    rng : int or numpy.random.Generator, optional
        The generator of the bootstrap. A seed, which is 0 by default, gives the same
        intervals for the same counts with the same version of NumPy; None is a new one.
    **reading
        The arguments of :class:`~lifttables.encoding.reading.Reading`, with other
        defaults: rare symbols are kept, rows with a missing value are left out, and
        texts such as ``NA`` count as missing.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame(
    ...     {"ill": [1, 0, 0, 0] * 25, "age": ["old", "old", "young", "young"] * 25}
    ... )
    >>> found = audit(table, secret="ill", public="age", resamples=0)
    >>> (
    ...     found.rows,
    ...     round(found.overall["max_lift_leakage"], 4),
    ...     found.symbols[0].zero_cells,
    ... )
    (100, 0.6931, ('1',))
    """
    how = Reading.from_words(
        {"secret": secret, "public": public, **AUDIT_DEFAULTS, **reading}
    )
    table = open_table(source, how.text_format)
    return audited(
        how.counts(table),
        notion,
        resamples=resamples,
        level=level,
        rng=rng,
        population=how.population is not False,
        notes=how.sampling_notes(table.columns),
    )


@checked
def audited(
    counts: Counts,
    notion: Notion | None = None,
    channel: Channel | None = None,
    *,
    resamples: int = 200,
    level: float = 0.95,
    rng: np.random.Generator | int | None = 0,
    notes: tuple[str, ...] = (),
    population: bool = True,
) -> Audit:
    """Return the audit of counts, unchanged or released by a channel.

    Other parameters are as for :func:`audit`. ``notes`` are further notes. Rows that
    are no draws from a ``population`` are audited for this sample only, and so is a
    release, whose design proves what holds for the population.
    """
    resamples = check_count("resamples", resamples, 0)
    level = check_scalar("level", level, 0, 1, open_low=True, open_high=True)
    table, joint = counts.table, counts.joint
    there = table.any(axis=0)
    # such as a pool of rare values that no row has
    if channel is not None and not there.all():
        table, channel = (
            table[:, there],
            Channel(channel.kernel[..., there, :], channel.outputs),
        )
    release = joint if channel is None else channel.release(joint)
    measures = overall(release)
    if channel is not None:
        measures["nmi"] = evaluate(joint, channel).nmi
    rows = int(table.sum())
    applied = (
        Channel.identity(joint.n_public, joint.public) if channel is None else channel
    )
    symbols = audited_symbols(release, rows, notion)
    satisfied, all_notes = _verdict(notion, joint, applied, symbols)
    unique = int((table.sum(axis=0) == 1).sum()) if channel is None else None
    all_notes += (
        *_on_unique(unique, rows, counts.public.names),
        *notes,
        *_on_dropped(counts),
        *notes_on_labels(counts.secret),
        *notes_on_labels(counts.public),
    )
    all_notes += _notes(
        table, joint, before="" if channel is None else "before the release, "
    )
    intervals, verdict = {}, None
    if channel is None and population:
        all_notes = (for_which_values(counts.secret, rows, level), *all_notes)
        sample = Sample(table, level, counts.chosen)
        intervals = intervals_of(sample, measures, resamples, generator(rng))
        verdict = None if notion is None else verdict_of(sample, notion)
    elif channel is None:
        all_notes += (
            (
                "nothing is said about the population, because the rows are no"
                " independent draws from it"
            ),
        )
    return Audit(
        secret=" & ".join(counts.secret.names),
        public=" & ".join(counts.public.names),
        rows=rows,
        unique=unique,
        release=release,
        notion=None if notion is None else str(notion),
        kept=satisfied,
        overall=measures,
        intervals=intervals,
        population=verdict,
        symbols=symbols,
        notes=all_notes,
        resamples=resamples,
        level=level,
    )


def _on_unique(unique: int | None, rows: int, names: Sequence[str]) -> list[str]:
    if not unique:
        return []
    note = (
        f"{unique:,} of {many(rows, 'row')} {'is' if unique == 1 else 'are'} unique in"
        f" {named(names)}: somebody who knows these values of a person can single the"
        " row out, which lift does not measure"
    )
    return [note]


def _on_dropped(counts: Counts) -> list[str]:
    if not counts.dropped:
        return []
    columns = counts.columns
    texts = next((column.na for column in columns if column.na), ())
    shown = ", ".join(texts[:MAX_TEXTS_SHOWN])
    more = " and the like" if len(texts) > MAX_TEXTS_SHOWN else ""
    counted = f" (empty, or {shown}{more})" if texts else ""
    verb = "was" if counts.dropped == 1 else "were"
    note = (
        f"{counts.dropped:,} of {many(counts.dropped + counts.table.sum(), 'row')}"
        f" {verb} dropped because a value is missing in"
        f" {named([column.name for column in columns])}{counted}"
    )
    return [note]


def _verdict(
    notion: Notion | None,
    joint: Joint,
    channel: Channel,
    symbols: tuple[AuditedSymbol, ...],
) -> tuple[bool | None, tuple[str, ...]]:
    """Return whether the notion is satisfied, and a note if no single
    symbol decides.
    """
    if notion is None:
        return None, ()
    if isinstance(notion, LiftNotion):
        return all(symbol.kept for symbol in symbols), ()
    violation = notion.violation(joint, channel)
    if violation <= KEEP_TOL:
        return True, ()
    which = "all symbols together: single ones do not decide it"
    return False, (f"{notion} is exceeded by {violation:.4g} nats, by {which}",)


def _notes(table: Matrix, joint: Joint, before: str) -> tuple[str, ...]:
    notes = []
    zeros = int((table == 0).sum())
    if zeros:
        notes.append(
            f"{before}{zeros} of {table.size} cells are empty: their lift is 0 as far"
            " as these rows can tell"
        )
    expected = table.sum() * joint.p_s[:, None] * joint.p_x
    thin = int((expected < MIN_EXPECTED_COUNT).sum())
    if thin:
        notes.append(
            f"{before}{thin} of {table.size} cells have an expected count under"
            f" {MIN_EXPECTED_COUNT:g}: their lifts are mostly chance; coarsen a column,"
            " or gather more rows"
        )
    if joint.n_public == 1:
        notes.append("the public column has one symbol, so it says nothing")
    return tuple(notes)


def as_dict(audit: Audit) -> dict[str, Any]:
    """Return an audit as JSON values, except that numbers may be infinite."""
    fields = {name: value for name, value in vars(audit).items() if name != "release"}
    return fields | {
        "intervals": {name: list(ends) for name, ends in audit.intervals.items()},
        "symbols": [asdict(symbol) for symbol in audit.symbols],
        "notes": list(audit.notes),
    }
