"""From a table to a released one: estimate the joint distribution, design a channel, audit it, draw.

Only the released columns are published, and those that their owner names; the secret never is.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
import numpy as np
import polars as pl

from liftlib import registry
from liftlib.channel import Uniform
from liftlib.errors import BrokenNotion, DataError, InvalidParameter, LiftWarning
from liftlib.notions import AttributeWise, Notion, PolyhedralLift, provides
from lifttables.audits.auditing import Audit, audited
from lifttables.confident.certification import route
from lifttables.confident.subset_lattice import DEAR
from lifttables.designs.designing import CONFIDENCE, ROWS_ALONE, Design, Unseen, design, joint_of
from lifttables.designs.keeping import design_next_to, proposed
from lifttables.encoding.columns import Counts
from lifttables.encoding.reading import Reading, texts_of
from lifttables.encoding.table import Table
from lifttables.releases.card import Card, card_of, shows_kernel
from lifttables.releases.drift import Drift
from lifttables.releases.judging import beside_known, judged
from lifttables.releases.ledger import Ledger, entered, opened
from lifttables.releases.releasing import Publishing, check_keep, permutation, published, released, without_metadata
from lifttables.sources.distributed import Parted
from lifttables.sources.randomness import key_of, told, uniform
from lifttables.sources.source import complete, open_table
from mixproof.checks import checked
from mixproof.numerics import KEEP_TOL

ForNew = Literal["refuse", "drop"]

A_FRAME = "a frame"
"""What a ledger calls a release that went to no file."""

NO_KERNEL = "the card has no kernel, which could reveal the counts; estimates need it (--kernel publishes it)"

ORDERED = "the rows are in the source's order, which may tell the secret: a table sorted by it tells nearly all"


@dataclass(frozen=True, eq=False)
class Sanitised:
    """The result of :func:`sanitise`: released frame, public card, confidential design and audit.

    Attributes
    ----------
    frame : frame or None
        The released rows, shuffled unless told otherwise; None where they went to a file. A lazy one holds what its
        draws come from: publish what it computes, not the frame itself.
    card : Card
        May be published with the rows.
    design : Design
        Holds the counts: confidential.
    audit : Audit
        What the release tells, in numbers that are functions of the counts: confidential.
    """

    frame: Any
    card: Card
    design: Design
    audit: Audit


@checked
def sanitise(
    frame: Any,
    *,
    secret: str | Sequence[str],
    public: str | Sequence[str],
    notion: Notion,
    mechanism: str = "subset-merging",
    confidence: float | None = CONFIDENCE,
    keep: Sequence[str] = (),
    coarsen: bool = False,
    keep_order: bool = False,
    allow: bool = False,
    ledger: Path | None = None,
    kernel: bool | None = None,
    resamples: int = 200,
    rng: Uniform | int | None = None,
    **reading: Any,
) -> Sanitised:
    """Return a release of a frame's public columns that satisfies a notion about its secret columns.

    Parameters
    ----------
    frame : frame
        Of pandas, Polars, PyArrow, Modin, DuckDB, PySpark, Dask and others. A database counts, and the columns to
        release are fetched; from Dask and PySpark only counts are, and the rows are released where they live.
    secret, public : str or sequence of str
        Columns. Several secret ones are protected together and each alone; several public ones are released together.
    notion : Notion
        The notion to satisfy, for the frame's rows and, with a confidence, for the population they come from.
    mechanism : str
        A key of ``liftlib.mechanisms``.
    confidence : float or None
        Confidence in (0, 1), over the sampling of the rows, that the population satisfies the notion. None designs for
        the empirical distribution only; the population then usually violates the notion.
    keep : sequence of str
        Columns to publish unchanged; together with the release they must satisfy the notion too.
    coarsen : bool
        Design the optimal release for each value of the kept columns. These are coarsened or dropped as far as it takes
        for them to satisfy the notion, and published as text. For these rows only: takes ``confidence=None``.
    keep_order : bool
        Whether to keep the order of rows. By default rows are shuffled, because their order may reveal the secret.
    allow : bool
        Whether to continue if kept columns violate the notion (which a note reports) or the mechanism may be very slow.
    ledger : pathlib.Path, optional
        The file of these rows' releases so far, with which this one is judged and to which it is added: the one that
        ``lift sanitise`` keeps beside a table, or one of your own. Releases in your other ledgers are found by the
        rows' counts, see :func:`~lifttables.releases.recognising.recognised`. Without a ledger, a second release is
        not noticed.
    kernel : bool or None
        Whether the card has the kernel, which estimates need and which can reveal the counts of the table. By default
        it is left out where card and release might leave fewer than 1,000 tables possible.
    resamples : int
        Bootstrap tables of the audit.
    rng : Uniform or int, optional
        The source of the draw, such as a numpy generator. By default it is the operating system's generator; a seed
        makes the draw repeatable, and so foreseeable.
    **reading
        See :class:`lifttables.encoding.reading.Reading`.

    Returns
    -------
    Sanitised
        The frame, of the same library where that is eager, has the kept and the released columns in the source's
        column order, and no index of its own. One of Dask or PySpark is computed when it is asked for, and as often as
        it is asked for with the same draws, as long as the source gives the same rows in the same parts.

    Raises
    ------
    DataError
        If the columns or their values are not as they should be; see :class:`lifttables.encoding.reading.Reading`.
    UnsupportedNotion
        If the mechanism does not serve the notion.
    BrokenNotion
        If kept columns, earlier releases in the ledger, or one of several secrets break the notion and ``allow`` is not
        set.
    """
    publishing = Publishing(tuple(keep), keep_order=keep_order, formulas="keep", kernel=kernel)
    how = reading_of(secret, public, reading)
    table = whole = open_table(frame, how.text_format)
    table.check(list(keep))
    how.check_population(confidence)
    notes: tuple[str, ...] = ()
    if coarsen:
        counts, made, notes = design_next_to(table, how, keep, notion, mechanism, confidence)
        publishing = replace(publishing, keep=(), coarsened=tuple(keep))
    else:
        counts = how.counts(table, product=isinstance(notion, AttributeWise))
        check_dear(mechanism, len(counts.public.labels), allow=allow, designed=routed(mechanism, notion, confidence))
        made = design(counts, notion, mechanism, confidence)
    if counts.dropped:
        frame, table = complete(frame, table, counts.columns)
    source = uniform(rng)
    warn_of_rows_alone(confidence)
    with opened(ledger, whole) as past:
        done = described(
            table, counts, made, how, publishing, past, allow=allow, resamples=resamples, rng=rng, notes=notes
        )
        with entered(past, A_FRAME, publishing.keep, made):
            return replace(done, frame=drawn_frame(frame, table, made, source, publishing))


def described(
    table: Table,
    counts: Counts,
    made: Design,
    reading: Reading,
    how: Publishing,
    past: Ledger | None,
    *,
    allow: bool,
    resamples: int,
    rng: object,
    notes: Sequence[str] = (),
) -> Sanitised:
    """Check a release before any row is drawn; return its card and its audit.

    ``notes`` are for the owner, in addition to those that this function makes.

    Raises
    ------
    DataError, BrokenNotion
        As in :func:`sanitise`.
    """
    check_keep(table, made, how.keep)
    check_each_secret(made)
    try:
        beside = beside_known(table, made, past, how.keep, applied=False, allow=allow, chosen=counts.chosen)
    except BrokenNotion as error:
        raise BrokenNotion(f"{error}{_remedy(table, made, reading, how.keep)}") from error
    notes = (*notes, *beside.notes, *notes_on(table, made, reading, how, rng, broken=bool(beside.broken)))
    found = audited(counts, made.promise, made, resamples=resamples, notes=notes, sampling=reading.sampling)
    if beside.broken:  # the channel alone keeps the notion, but it is not released alone
        kept = False if beside.checked else None
        found = replace(found, kept=kept, population="cannot be told from this table")
    elif beside.others and not beside.population:  # the audit is of the released columns alone
        found = replace(found, population="cannot be told from this table")
    release = 1 if past is None else 1 + len(past.earlier)
    card = card_of(
        made,
        keep=how.keep,
        keep_order=how.keep_order,
        release=release,
        broken=beside.broken,
        others=beside.others,
        population=beside.population,
        kernel=how.kernel,
        options=options_of(made, reading, how, allow=allow),
    )
    return Sanitised(None, card, made, found)


def options_of(made: Design, reading: Reading, how: Publishing, *, allow: bool) -> dict[str, Any]:
    """Return the options of a run for its card: nothing that would make the draws foreseeable, and no folders."""
    return {
        "confidence": made.confidence,
        "bins": list(reading.bins),
        "hierarchies": [text.partition("=")[0] for text in reading.hierarchies],
        "categorical": list(reading.categorical),
        "sampling": reading.sampling,
        "missing": reading.missing,
        "na": None if reading.na is None else list(reading.na),
        "rare": reading.rare,
        "min_count": int(reading.min_count),
        "formulas": how.formulas,
        "kernel": how.kernel,
        "allow": allow,
        "coarsen": list(how.coarsened),
    }


def _remedy(table: Table, made: Design, reading: Reading, keep: Sequence[str]) -> str:
    """Return what to do about kept columns that break a notion, where a release next to them can be designed."""
    if not keep or made.promise is None or not provides(made.promise, PolyhedralLift):
        return ""
    try:
        return f". {proposed(table, reading, keep, made.promise)}"
    except DataError as error:  # such as a kept column of many numbers
        return f". What to coarsen is not known: {error}"


def drawn_frame(frame: Any, table: Table, made: Design, source: Uniform, how: Publishing) -> Any:
    """Return the rows of a frame released through a design, as a frame of the same library."""
    columns = published(table, made, how.keep)
    if isinstance(table, Parted):
        return table.release(made, key_of(source), how.keep, columns, how.unseen, keep_order=how.keep_order)
    whole = nw.from_native(frame)
    if isinstance(whole, nw.LazyFrame):
        whole = whole.select(list(dict.fromkeys([*made.columns_needed(), *how.keep]))).collect()
    drawn = pl.concat(list(released(open_table(whole.to_native()), made, source, replace(how, keep=()))))
    order = np.arange(len(drawn)) if how.keep_order else permutation(len(drawn), source)
    texts = {name: drawn[name].gather(pl.Series(order)).to_list() for name in made.public.names}
    kept = nw.maybe_reset_index(whole.select(list(how.keep) or whole.columns[:1])[order.tolist()])
    kept = kept.with_columns(
        *(nw.new_series(name, texts[name], nw.String(), backend=whole.implementation) for name in texts)
    )
    return without_metadata(kept.select(columns).to_native())


@dataclass(frozen=True, eq=False)
class Applied:
    """The result of :func:`apply`: new rows released through a design, and their drift.

    Attributes
    ----------
    frame : frame
    drift : Drift
        ``drift.promise`` says what holds of the release.
    notes : tuple of str
        What its owner should know: confidential.
    """

    frame: Any
    drift: Drift
    notes: tuple[str, ...] = ()


@checked
def apply(
    frame: Any,
    made: Design,
    *,
    keep: Sequence[str] = (),
    keep_order: bool = False,
    unseen: Unseen = "error",
    missing: ForNew = "refuse",
    allow: bool = False,
    ledger: Path | None = None,
    rng: Uniform | int | None = None,
) -> Applied:
    """Return new rows released through an existing design.

    Parameters
    ----------
    frame : frame
        As :func:`sanitise` takes; with the design's public columns, and its secret ones where the mechanism sees them.
    made : Design
        Of :func:`sanitise`, or from :func:`~lifttables.designs.designing.load`.
    keep, keep_order, rng
        As in :func:`sanitise`: what kept columns tell together with the release must keep the notion, which only rows
        with the secret can show.
    unseen : {"error", "draw"}
        What becomes of a symbol that the design has not seen: refused, or a draw from P(y), which is private.
    missing : {"refuse", "drop"}
        Whether a missing value counts as any other that the design has or has not seen, or its row is left out.
    allow : bool
        Whether to continue if the rows have drifted, or if kept columns or earlier releases in the ledger violate the
        notion together with this one; ``drift.promise`` then states no guarantee.
    ledger : pathlib.Path, optional
        As in :func:`sanitise`: of the new rows.

    Raises
    ------
    DataError
        If a column or a symbol is not as the design expects.
    Drifted
        If the rows are from another distribution, for which the notion is broken or nobody can tell; see
        :func:`~lifttables.releases.drift.drift_of`.
    BrokenNotion
        If kept columns or earlier releases break the notion together with this one, or nobody can tell, and ``allow``
        is not set.
    """
    table, how = open_table(frame), Publishing(tuple(keep), unseen, keep_order, "keep")
    whole = table
    if missing == "drop":
        frame, table = complete(frame, table, made.columns_in(table.columns))
    with opened(ledger, whole) as past:
        drift, notes = judged(table, made, how, past, allow=allow)
        with entered(past, A_FRAME, keep, made):
            return Applied(drawn_frame(frame, table, made, uniform(rng), how), drift, notes)


def reading_of(secret: str | Sequence[str], public: str | Sequence[str], more: dict[str, Any]) -> Reading:
    """Return how to read a table from a function's keyword arguments.

    Raises
    ------
    InvalidParameter
        If one is not of :class:`lifttables.encoding.reading.Reading`.
    """
    return Reading.from_words({"secret": texts_of("secret", secret), "public": texts_of("public", public), **more})


def warn_of_rows_alone(confidence: float | None) -> None:
    """Say that a design without a confidence is for its rows alone."""
    if confidence is None:
        warnings.warn(f"no confidence, so {ROWS_ALONE}", LiftWarning, stacklevel=4)


def routed(mechanism: str, notion: Notion, confidence: float | None) -> bool:
    """Return whether a design for the population is made in place of the mechanism's own, in a time that is known."""
    return confidence is not None and route(registry.mechanisms[mechanism], notion) != mechanism


def check_dear(mechanism: str, n_public: int, *, allow: bool, designed: bool = False) -> None:
    """Refuse a mechanism, or the design for the population in its place, that would take longer than a person waits.

    Raises
    ------
    InvalidParameter
        With how many symbols it takes, unless ``allow`` is set.
    """
    most = DEAR if designed else registry.mechanisms[mechanism].most_symbols
    if most is not None and n_public > most and not allow:
        name, instead = mechanism, "use another mechanism (`lift choose` tries them)"
        if designed:
            name, instead = "a design for the population", "design for these rows alone (--confidence none)"
        raise InvalidParameter(
            f"{name} takes at most {most} public symbols in the time that a person waits, and there are {n_public}"
            f": coarsen the column, {instead}, or take it on yourself (--allow)"
        )


def check_each_secret(made: Design) -> None:
    """Raise if one of several secrets is not protected individually.

    The notions of this library protect parts of what they protect; one of your own may not.

    Raises
    ------
    BrokenNotion
        With the secret.
    """
    if len(made.secret.columns) == 1 or made.promise is None or made.channel.sees_secret:
        return
    for at, name in enumerate(made.secret.names):
        violation = made.promise.violation(joint_of(made.counts.alone(at)), made.channel)
        if not violation <= KEEP_TOL:
            raise BrokenNotion(
                f"{made.notion} is kept for all secrets together, but {name!r} alone exceeds it by {violation:.4g}"
            )


def notes_on(
    table: Table, made: Design, reading: Reading, how: Publishing, rng: object, *, broken: bool = False
) -> list[str]:
    """Return the notes on a release for its owner; no guarantee is stated if the notion is violated."""
    notes = [told(rng), *([] if made.confidence or broken else [ROWS_ALONE])]  # type: ignore[arg-type]
    if made.public.pooled:
        notes.append(
            f"{len(made.public.pooled)} public symbols with fewer than {reading.min_count} rows are one symbol, (rare)"
        )
    told_edges = reading.cut_by_rows
    if told_edges:
        notes.append(
            f"the bins of {', '.join(told_edges)} end at quantiles of these rows, and the labels publish them: near "
            "single rows' values"
        )
    left = [name for name in table.columns if name not in {*how.keep, *made.public.names, *made.secret.names}]
    if left:
        notes.append(f"not published: {len(left)} other columns, and the secret")
    if how.keep:
        notes.append(f"published as they are: {', '.join(how.keep)}")
    if not shows_kernel(made, how.kernel):
        notes.append(NO_KERNEL)
    if how.keep_order:
        notes.append(ORDERED)
    return notes
