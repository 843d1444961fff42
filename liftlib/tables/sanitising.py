"""From a table to a released one: estimate the joint distribution, design a channel, audit it, draw.

Only the released columns are published, and those that their owner names; the secret never is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from liftlib.channel import Uniform
from liftlib.checks import checked
from liftlib.errors import BrokenNotion
from liftlib.notions import Notion
from liftlib.numerics import KEEP_TOL
from liftlib.tables.auditing import Audit, audited
from liftlib.tables.card import Card, card_of
from liftlib.tables.designing import Design, design, joint_of
from liftlib.tables.randomness import told, uniform
from liftlib.tables.reading import Reading, texts_of
from liftlib.tables.releasing import Publishing, check_keep, permutation, published, released
from liftlib.tables.source import Table, open_table
from liftlib.tables.together import worst_of_parts


@dataclass(frozen=True, eq=False)
class Sanitised:
    """A released frame, its card for the public, and what its owner keeps: the channel's design and the audit.

    Attributes
    ----------
    frame : frame or None
        The released rows, shuffled unless told otherwise; None where they went to a file.
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
    confidence: float | None = 0.95,
    keep: Sequence[str] = (),
    keep_order: bool = False,
    allow: bool = False,
    resamples: int = 200,
    rng: Uniform | int | None = None,
    **reading: Any,
) -> Sanitised:
    """Release the public columns of a frame so that they keep a notion with regard to its secret columns.

    Parameters
    ----------
    frame : frame
        Of pandas, Polars, PyArrow, Modin, DuckDB, PySpark, Dask and others. One that lives elsewhere counts there, and
        the columns to release are fetched.
    secret, public : str or sequence of str
        Columns. Several secret ones are protected together and each alone; several public ones are released together.
    notion : Notion
        What to keep, for the frame's own rows and, with a confidence, for the population that they are from.
    mechanism : str
        A key of ``liftlib.tables.MECHANISMS``.
    confidence : float or None
        In (0, 1): how sure, over the sampling of the rows, that the notion is kept for the distribution that they were
        drawn from. None designs for the frame's own shares, under which it is mostly broken for the population.
    keep : sequence of str
        Columns to publish as they are; what they tell together with the release must keep the notion too.
    keep_order : bool
        Leave rows in the frame's order. By default they are shuffled, for an order may tell the secret.
    allow : bool
        Go on where the kept columns break the notion; a note says so.
    resamples : int
        Bootstrap tables of the audit.
    rng : Uniform or int, optional
        The source of the draw, such as a numpy generator. By default it is the operating system's generator; a seed
        makes the draw repeatable, and so foreseeable.
    **reading
        See :class:`liftlib.tables.reading.Reading`.

    Returns
    -------
    Sanitised
        The frame, of the same library where that is eager, has the kept and the released columns in the source's
        column order, and no index of its own.

    Raises
    ------
    DataError
        If the columns or their values are not as they should be; see :class:`liftlib.tables.reading.Reading`.
    UnsupportedNotion
        If the mechanism does not serve the notion.
    BrokenNotion
        If kept columns, or one of several secrets, break the notion and ``allow`` is not set.
    """
    how, table = reading_of(secret, public, reading), open_table(frame)
    table.check(list(keep))
    counts = how.counts(table, product=notion.attributes is not None)
    made, source = design(counts, notion, mechanism, confidence), uniform(rng)
    check_keep(table, made, keep)
    check_each_secret(made)
    notes, together = beside_others(table, made, [], keep, allow=allow)
    found = audited(counts, notion, made, resamples=resamples, notes=notes)
    whole = nw.from_native(frame)
    if isinstance(whole, nw.LazyFrame):
        whole = whole.select(list(dict.fromkeys([*made.columns_needed(), *keep]))).collect()
    plan = Publishing(keep_order=keep_order, formulas="keep")
    drawn = pl.concat(list(released(open_table(whole.to_native()), made, source, plan)))
    order = np.arange(len(drawn)) if keep_order else permutation(len(drawn), source)
    columns = {name: drawn[name].gather(pl.Series(order)).to_list() for name in made.public.names}
    kept = nw.maybe_reset_index(whole.select(list(keep) or whole.columns[:1])[order.tolist()])
    kept = kept.with_columns(
        *(nw.new_series(name, texts, nw.String(), backend=whole.implementation) for name, texts in columns.items())
    )
    native = kept.select(published(table, made, keep)).to_native()
    return Sanitised(native, card_of(made, keep=keep, keep_order=keep_order, alone=not together), made, found)


def reading_of(secret: str | Sequence[str], public: str | Sequence[str], more: dict[str, Any]) -> Reading:
    """Return how to read a table from a function's keyword arguments.

    Raises
    ------
    InvalidParameter
        If one is not of :class:`liftlib.tables.reading.Reading`.
    """
    return Reading.from_words({"secret": texts_of("secret", secret), "public": texts_of("public", public), **more})


def check_each_secret(made: Design) -> None:
    """Refuse a release under which one of several secrets is not protected by itself, as it is with the others.

    The notions of this library protect parts of what they protect; one of your own may not.

    Raises
    ------
    BrokenNotion
        With the secret.
    """
    if len(made.secret.columns) == 1 or made.promise is None or made.channel.sees_secret:
        return
    for at, name in enumerate(made.secret.names):
        excess = made.promise.excess(joint_of(made.counts.alone(at)), made.channel)
        if not excess <= KEEP_TOL:
            raise BrokenNotion(
                f"{made.notion} is kept for all secrets together, but {name!r} alone exceeds it by {excess:.4g}"
            )


def beside_others(
    table: Table, made: Design, earlier: Sequence[Design], keep: Sequence[str], *, allow: bool
) -> tuple[tuple[str, ...], bool]:
    """Refuse a release that breaks the notion together with kept columns or with earlier releases.

    Returns
    -------
    (tuple of str, bool)
        Notes, and whether the notion is kept together with them.

    Raises
    ------
    BrokenNotion
        With what breaks it, unless ``allow`` is set.
    """
    if not (keep or earlier) or made.promise is None:
        return (), not (keep or earlier)
    beside = " and ".join(
        [f"the kept columns {', '.join(keep)}"] * bool(keep)
        + [f"{len(earlier)} earlier release{'s' * (len(earlier) > 1)} of these rows"] * bool(earlier)
    )
    try:
        found = worst_of_parts(table, made.secret, [*earlier, made], keep, made.promise)
    except BrokenNotion as error:
        if not allow:
            raise
        return (str(error),), False
    if not found.broken:
        return (f"{made.notion} is kept together with {beside}, for these rows",), True
    broken = f"{made.notion} is BROKEN together with {beside}: {found.worst}"
    if not allow:
        raise BrokenNotion(f"{broken}; leave out or coarsen, choose a smaller budget, or take it on yourself (--allow)")
    return (broken,), False


def notes_on(table: Table, made: Design, reading: Reading, keep: Sequence[str], rng: object) -> list[str]:
    """Return what a release's owner should know of it."""
    notes = [told(rng)]  # type: ignore[arg-type]
    if made.public.pooled:
        notes.append(
            f"{len(made.public.pooled)} public symbols with fewer than {reading.min_count} rows are one symbol, (rare)"
        )
    left = [name for name in table.columns if name not in {*keep, *made.public.names, *made.secret.names}]
    if left:
        notes.append(f"not published: {len(left)} other columns, and the secret")
    if keep:
        notes.append(f"published as they are: {', '.join(keep)}")
    if made.grid is None:
        notes.append("the card has no kernel: it would tell the counts")
    return notes
