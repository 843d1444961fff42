"""Releases of data frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from liftlib.channel import Uniform
from liftlib.notions import Notion
from lifttables.designs.designing import DEFAULT_CONFIDENCE, Design
from lifttables.encoding.reading import Reading
from lifttables.releases.ledger import warn_of_known
from lifttables.releases.pipeline import Applied, Draw, ForNew, Plan, Sanitised, release, release_again
from lifttables.releases.question import Question, usual_mechanism
from lifttables.sources.source import open_table
from mixproof.checks import checked


@checked
def sanitise(
    frame: Any,
    *,
    secret: str | Sequence[str],
    public: str | Sequence[str],
    notion: Notion | Question,
    mechanism: str | None = None,
    confidence: float | None = DEFAULT_CONFIDENCE,
    keep: Sequence[str] = (),
    new_people: bool = False,
    ledger: Path | None = None,
    noise: float | None = None,
    resamples: int = 200,
    rng: Uniform | int | None = None,
    **reading: Any,
) -> Sanitised:
    """Return a release of a frame's public columns that satisfies a notion.

    Parameters
    ----------
    frame : frame
        A frame of pandas, Polars, PyArrow, Modin, DuckDB, PySpark, Dask or others. Databases count rows, and the
        columns to release are fetched; Dask and PySpark count and release rows without moving them.
    secret, public : str or sequence of str
        Column names. Several secret columns are protected jointly and individually. Several public columns are released
        jointly; a column is left out if the release retains more without it.
    notion : Notion or Question
        The promise. For a question, LIP and ALIP are tried with the largest budgets that answer it.
    mechanism : str, optional
        A key of ``liftlib.mechanisms``, by default subset response for a question and subset merging for a notion; or
        "estimates", the one of several that lets the shares of the public symbols be estimated most accurately.
    confidence : float or None
        Confidence in (0, 1), over the sampling of the rows, that the population satisfies the notion. None designs for
        the empirical distribution only; the population then usually violates the notion.
    keep : sequence of str
        Columns to publish in the same rows, as text. The release has a design for each of their values; values that
        reveal too much on their own are grouped (by the hierarchy of their column, or with neighbours if they are
        ordered), and a column that still does is left out.
    new_people : bool
        Whether to continue although the rows' counts are nearly those of a release in another of your ledgers, because
        these are other people; the card says so.
    ledger : pathlib.Path, optional
        The file of earlier releases of these rows: this release is checked jointly with them and then added. Releases
        in your other ledgers are recognised by the rows' counts. Without a ledger, the card says that earlier releases
        were not checked, and a warning names a known ledger of these rows.
    noise : float, optional
        With a confidence, the design is made from counts with two-sided geometric noise Z, with P(Z = z) proportional
        to exp(-noise abs(z)). Smaller is more private. By default it depends on the numbers of rows and cells, see
        :func:`~lifttables.releases.noising.level_for`.
    resamples : int
        Number of bootstrap tables of the audit.
    rng : Uniform or int, optional
        The source of the draw, by default the operating system's generator. A seed makes the draw predictable.
    **reading
        See :class:`lifttables.encoding.reading.Reading`.

    Returns
    -------
    Sanitised
        An eager frame is of the same library, with the kept and released columns in the source's order, shuffled rows
        (their order may reveal the secret) and a new index.
        A lazy frame of Dask or PySpark has the same draws each time it is computed, if its partitions are the same.

    Raises
    ------
    DataError
        If the columns or their values are invalid; see :class:`lifttables.encoding.reading.Reading`.
    UnsupportedNotion
        If the mechanism does not serve the notion.
    BrokenNotion
        If earlier releases in the ledger or one of several secrets violate the notion, or no rows show that a release
        next to kept columns satisfies it; with a ledger, also if the counts are nearly those of a release in another
        one, unless ``new_people``.
    """
    plan = Plan(
        Reading.from_words({"secret": secret, "public": public, **reading}),
        notion,
        usual_mechanism(notion) if mechanism is None else mechanism,
        confidence,
        tuple(keep),
        resamples=resamples,
        noise=noise,
        new_people=new_people,
    )
    table = open_table(frame, plan.reading.text_format)
    if ledger is None:
        warn_of_known(table, new_people=new_people)
    return release(table, plan, lambda draw, sanitised: replace(sanitised, frame=draw.frame()), ledger, rng)


@checked
def apply(
    frame: Any,
    design: Design,
    *,
    missing: ForNew = "refuse",
    new_people: bool = False,
    ledger: Path | None = None,
    rng: Uniform | int | None = None,
) -> Applied:
    """Return a release of new rows, drawn with an existing design.

    Parameters
    ----------
    frame : frame
        Any frame that :func:`sanitise` accepts, with the design's public columns, and with its secret columns if the
        mechanism sees the secret.
    design : Design
        From :func:`sanitise` or :func:`~lifttables.designs.designing.load`.
    new_people, ledger, rng
        As in :func:`sanitise`.
    missing : {"refuse", "drop"}
        Treatment of missing values: handle them like any other value, which is an error if the design has no symbol for
        them, or drop their rows.

    Returns
    -------
    Applied
        The card states what is guaranteed for the new rows.

    Raises
    ------
    DataError
        If a column or a symbol does not match the design.
    Drifted
        If the new rows have drifted and may violate the notion, or show that their population violates it, or if it
        cannot be shown that they satisfy the notion and the design has no confidence; see
        :func:`~lifttables.releases.drift.drift_of`.
    BrokenNotion
        If earlier releases violate the notion together with this one, or if this cannot be computed.
    """
    table = open_table(frame)
    if ledger is None:
        warn_of_known(table, new_people=new_people)

    def drawn(draw: Draw, applied: Applied) -> Applied:
        return replace(applied, frame=draw.frame())

    return release_again(table, design, drawn, missing=missing, new_people=new_people, ledger=ledger, rng=rng)
