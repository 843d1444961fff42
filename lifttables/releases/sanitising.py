"""Releases of data frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from liftlib.channel import Uniform
from liftlib.notions import RatioBased
from lifttables.designs.designing import DEFAULT_CONFIDENCE, Design
from lifttables.encoding.reading import Reading
from lifttables.files import fresh_files
from lifttables.releases.pipeline import (
    Applied,
    Draw,
    ForNew,
    Plan,
    Released,
    Sanitised,
    release,
    release_again,
)
from lifttables.releases.question import Question
from lifttables.sources.source import open_table
from mixproof.checks import checked


@checked
def sanitise(
    frame: Any,
    *,
    secret: str | Sequence[str],
    public: str | Sequence[str],
    notion: RatioBased | Question,
    confidence: float = DEFAULT_CONFIDENCE,
    counts: bool = False,
    merge: bool = False,
    noise: float | None = None,
    ledger: Path | None = None,
    rng: Uniform | int | None = None,
    **reading: Any,
) -> Sanitised:
    """Return a release of a frame's public columns that satisfies a notion for the
    population.

    Parameters
    ----------
    frame : frame
        A frame of pandas, Polars, PyArrow, DuckDB, Dask or others that narwhals
        supports.
    secret, public : str or sequence of str
        Column names. Several columns are protected, or released, together.
    notion : RatioBased or Question
        LIP, ALIP, LDP, or a belief, for which ALIP has the largest budgets that keep
        it.
    confidence : float
        Confidence in (0, 1), over the sampling of the rows, that the population
        satisfies the notion.
    counts : bool
        Whether to release noisy counts of the public columns, and no rows.
    merge : bool
        Whether to merge symbols into groups, without random draws, which retains less.
    noise : float, optional
        The level c of the two-sided geometric noise: P(Z = z) is proportional to exp(-c
        abs(z)).
    ledger : pathlib.Path, optional
        The file of earlier releases of these rows.
    rng : Uniform or int, optional
        A source of random numbers, for tests: it makes the draw predictable.
    **reading
        See :class:`lifttables.encoding.reading.Reading`.

    Returns
    -------
    Sanitised
        The frame to publish, its card, and the confidential design and audit.

    Raises
    ------
    DataError
        If the columns or their values are invalid.
    BrokenNotion
        If nothing but a constant satisfies the notion, or the ledger has another
        release of these rows.

    Examples
    --------
    >>> import polars as pl
    >>> from liftlib import LIP
    >>> ill = ["yes"] * 20 + ["no"] * 20 + ["yes"] * 40 + ["no"] * 120
    >>> table = pl.DataFrame({"ill": ill, "age": ["old"] * 40 + ["young"] * 160})
    >>> release = sanitise(table, secret="ill", public="age", notion=LIP(1.0), rng=1)
    >>> sorted(release.frame["age"].unique())
    ['old or young', 'young']
    """
    words = Reading.from_words({"secret": secret, "public": public, **reading})
    plan = Plan(words, notion, confidence, counts, merge, noise)
    table = open_table(frame, plan.reading.text_format)
    return release(table, plan, _drawn, ledger, rng)


@checked
def apply(
    frame: Any,
    design: Design,
    *,
    missing: ForNew = "refuse",
    ledger: Path | None = None,
    rng: Uniform | int | None = None,
) -> Applied:
    """Return a release of new rows, stated to be of the same population, drawn with an
    existing design.

    Parameters
    ----------
    frame : frame
        New rows with the columns of the design.
    design : Design
        The design of an earlier release.
    missing : {"refuse", "drop"}, keyword-only
        What happens to rows that miss a value.
    ledger, rng : keyword-only
        As in :func:`sanitise`.

    Raises
    ------
    DataError
        If a column or a value is not the design's.
    BrokenNotion
        If the ledger has another release of these rows, or the design was made from
        them.

    Examples
    --------
    >>> import polars as pl
    >>> from liftlib import LIP
    >>> ill = ["yes"] * 20 + ["no"] * 20 + ["yes"] * 40 + ["no"] * 120
    >>> table = pl.DataFrame({"ill": ill, "age": ["old"] * 40 + ["young"] * 160})
    >>> release = sanitise(table, secret="ill", public="age", notion=LIP(1.0), rng=1)
    >>> apply(table.head(50), release.design, rng=2).frame.height
    50
    """
    return release_again(
        open_table(frame), design, _drawn, missing=missing, ledger=ledger, rng=rng
    )


def _drawn(draw: Draw, result: Released) -> Released:
    """Return a result with its frame; a ledger gets an entry after the draw."""
    done = replace(result, frame=draw.frame())
    entered = draw.ledger("a frame")
    if entered is not None:
        with fresh_files([entered.path], force=True, private=[entered.path]) as (
            aside,
        ):
            entered.save(aside)
    return done
