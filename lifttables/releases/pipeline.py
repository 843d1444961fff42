"""The only way from a table to a release: read, add noise, try all families, check, draw, record.

Only :func:`release` and :func:`release_again` create a :class:`Draw`, from which frames and files are made, so no route
skips a step.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from liftlib.channel import Uniform
from liftlib.errors import BrokenNotion, DataError, InvalidParameter, UnsupportedNotion
from liftlib.notions import RatioBased
from liftlib.notions.catalogue import content_of
from lifttables.audits.auditing import Audit, audited
from lifttables.confident.families import obstacle
from lifttables.designs.designing import COUNTS, DEFAULT_CONFIDENCE, Design, best_design
from lifttables.designs.publishing import check_formulas
from lifttables.encoding.columns import JOIN, ROWS, Counts
from lifttables.encoding.counting import named
from lifttables.encoding.reading import Reading
from lifttables.encoding.table import Table
from lifttables.files import many
from lifttables.releases.card import Card, card_of
from lifttables.releases.counts import counts_design, counts_frame
from lifttables.releases.ledger import Ledger, opened, release_key
from lifttables.releases.noising import secret_key, with_noise
from lifttables.releases.question import Question
from lifttables.sources.randomness import Stream, note_on, uniform

ForNew = Literal["refuse", "drop"]

FRAME_NAME = "a frame"  # what a ledger calls a release that is not a file
MAX_SECRETS = 64  # of a promise for the population, whose bounds take half a second for each
MOST_BUDGET = 50.0  # nats; a factor of more than 10^21 between probabilities limits no belief


class OnlyConstant(BrokenNotion):
    """Nothing but a constant keeps the promise."""


@dataclass(frozen=True)
class Plan:
    """The specification of a release: what to publish of a table, and how.

    Attributes
    ----------
    reading : lifttables.encoding.reading.Reading
    promise : RatioBased or Question
        LIP, ALIP, LDP, or a belief.
    confidence : float
    counts : bool
        Whether to publish noisy counts of the public columns in place of rows.
    merge : bool
        Whether to merge symbols, without random draws, which retains less.
    noise : float or None
        The level c of the noise; by default from the numbers of rows and cells or, of counts, from the promise.
    """

    reading: Reading
    promise: RatioBased | Question
    confidence: float = DEFAULT_CONFIDENCE
    counts: bool = False
    merge: bool = False
    noise: float | None = None
    resamples: int = 200

    @property
    def notion(self) -> RatioBased:
        """The notion that keeps the promise."""
        return self.promise.notion if isinstance(self.promise, Question) else self.promise

    @property
    def level_of_counts(self) -> float:
        """The level 2c of the noise of counts that keeps the promise, whatever else is known."""
        if isinstance(self.promise, Question):
            return self.promise.odds_growth
        return float(self.promise.odds_growth)

    def as_text(self) -> str:
        """Return the plan as JSON, for the key of its release."""
        return json.dumps({**asdict(self.reading), "promise": str(self.promise), **_plain(self)}, default=str)


def _plain(plan: Plan) -> dict[str, Any]:
    return {"confidence": plan.confidence, "counts": plan.counts, "merge": plan.merge, "noise": plan.noise}


@dataclass(frozen=True, eq=False)
class Draw:
    """Rows that passed every check, to be drawn and published once."""

    table: Table
    design: Design
    past: Ledger | None
    source: Uniform
    key: str

    def frame(self) -> Any:
        """Return the released rows, or counts, in the table's library."""
        return (
            counts_frame(self.design)
            if self.design.mechanism == COUNTS
            else self.table.release(self.design, self.source)
        )

    def ledger(self, output: str) -> Ledger | None:
        """Return the ledger with this release."""
        if self.past is None:
            return None
        of_rows = self.design.mechanism != COUNTS
        what = f"{JOIN.join(self.design.public.names)}, {self.design.notion}"
        return self.past.with_entry(output, what, self.key, of_rows=of_rows, level=self.design.noisy.insider)


@dataclass(frozen=True, eq=False)
class Sanitised:
    """The result of a release: frame (None if the rows went to a file), card, design and audit."""

    frame: Any
    card: Card
    design: Design
    audit: Audit


@dataclass(frozen=True, eq=False)
class Applied:
    """The result of a release of new rows: frame (None if they went to a file) and card."""

    frame: Any
    card: Card


def release(
    table: Table,
    plan: Plan,
    sink: Callable[[Draw, Sanitised], Sanitised],
    ledger: Path | None = None,
    rng: Uniform | int | None = None,
) -> Sanitised:
    """Design, check and audit a release, and return the sink's result.

    Raises
    ------
    OnlyConstant
        If nothing but a constant keeps the promise; with the value that is responsible and the rows needed.
    BrokenNotion
        If the ledger has another release of these rows, or the noise of its counts leaves too little.
    """
    reading = plan.reading
    reading.check_population(plan.confidence)
    if plan.counts and reading.cut_by_rows:
        raise InvalidParameter("quantiles depend on every row: give edges as bins", arguments=("bins",))
    counts = reading.counts(table)
    rows = table.complete(counts.columns) if counts.dropped else table
    secret = secret_key() if rng is None else bytes(32)
    # the noise depends on the table alone, so that plans that are tried share it; the draws on the plan too
    key = release_key(secret, rows.digest(counts.columns), plan.as_text())
    design = _designed(counts, plan, secret)
    check_formulas(design)
    with opened(ledger) as past:
        if past is not None:
            level = design.noisy.insider
            past.check(
                key.hex(), of_rows=not plan.counts, level=level, most=plan.level_of_counts if plan.counts else np.inf
            )
        notes = [note_on(rng), *([f"the ledger of these rows is {past.path}"] if past else [])]
        audit = audited(
            counts, design.promise, design.named_channel, resamples=plan.resamples, notes=tuple(notes), sure=True,
            sampling=reading.sampling,
        )  # fmt: skip
        card = card_of(design, release=None if past is None else 1 + len(past.entries), options=_options(plan))
        source = Stream(key, 0) if rng is None else uniform(rng)
        return sink(Draw(rows, design, past, source, key.hex()), Sanitised(None, card, design, audit))


def _designed(counts: Counts, plan: Plan, secret: bytes) -> Design:
    """Return the design for a table."""
    if content_of(plan.notion) is None:
        raise UnsupportedNotion(
            f"{plan.notion} is not a notion that a card can name: release with LIP, ALIP, LDP or a belief"
        )
    if plan.counts:
        return counts_design(counts, plan.level_of_counts / 2 if plan.noise is None else plan.noise, secret)
    if len(counts.secret.labels) > MAX_SECRETS:
        raise DataError(
            f"{named(counts.secret.names)} has {len(counts.secret.labels):,} secrets, and a promise for the population "
            f"is computed for at most {MAX_SECRETS}: bin or coarsen it",
            arguments=("bins", "hierarchies"),
        )
    counts = with_noise(counts, plan.noise, secret)
    made = best_design(counts, plan.notion, plan.confidence, "merging" if plan.merge else "subset response")
    if made.design.constant:
        raise OnlyConstant(_why(counts, plan))
    return made.design


def _why(counts: Counts, plan: Plan) -> str:
    """Return which value of the secret stops a release, and what would help."""
    assert counts.noisy is not None
    found = obstacle(counts.noisy.sample(plan.confidence), plan.notion)
    value = JOIN.join(counts.secret.labels[found.secret])
    rows = int(counts.noisy.rows)
    more = (
        f"about {found.rows:,.0f} rows of these shares would do" if np.isfinite(found.rows) else "more rows do not help"
    )
    return (
        f"only a constant keeps the promise with {many(rows, 'row')}: too little is known of {value!r}; {more}. Merge "
        "rare values of the secret, allow a larger belief, or publish --counts"
    )


def release_again(
    table: Table,
    design: Design,
    sink: Callable[[Draw, Applied], Applied],
    *,
    missing: ForNew = "refuse",
    ledger: Path | None = None,
    rng: Uniform | int | None = None,
) -> Applied:
    """Release new rows, stated to be of the same population, with a design; return the sink's result."""
    if design.mechanism == COUNTS:
        raise DataError("this design is of the counts of its own rows: release the new rows as a first release")
    table.check(design.columns_needed())
    columns = design.columns_in(table.columns)
    rows = table.complete(columns) if missing == "drop" else table
    key = release_key(secret_key(), rows.digest(columns), json.dumps(design.content()))
    with opened(ledger) as past:
        if past is not None:
            past.check(key.hex(), of_rows=True, level=0.0, most=np.inf)
        n = int(rows.counts(columns)[ROWS].sum())
        card = card_of(
            design, release=None if past is None else 1 + len(past.entries), new_rows=n, options={"missing": missing}
        )
        source = Stream(key, 0) if rng is None else uniform(rng)
        return sink(Draw(rows, design, past, source, key.hex()), Applied(None, card))


def _options(plan: Plan) -> dict[str, Any]:
    """Return the options of a run for its card, without seeds and folders."""
    reading = plan.reading
    return {
        "confidence": plan.confidence,
        "bins": list(reading.bins),
        "hierarchies": [text.partition("=")[0] for text in reading.hierarchies],
        "categorical": list(reading.categorical),
        "values": list(reading.values),
        "missing": reading.missing,
        "na": None if reading.na is None else list(reading.na),
        "rare": reading.rare,
        "min_count": int(reading.min_count),
    }
