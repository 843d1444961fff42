"""The only way from a table to a release: read, add noise, design, check, draw, record.

Only :func:`release` and :func:`release_again` create a :class:`Draw`, from which frames
and files are made, so no route skips a step.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from liftlib.channel import Uniform
from liftlib.errors import BrokenNotion, DataError, UnsupportedNotion
from liftlib.notions import RatioBased
from liftlib.notions.catalogue import content_of
from lifttables.audits.auditing import Audit, audited
from lifttables.confident.families import obstacle
from lifttables.confident.subset_lattice import (
    MAX_LATTICE_SYMBOLS,
    MAX_RESPONSE_SYMBOLS,
)
from lifttables.designs.designing import (
    BELIEF,
    DEFAULT_CONFIDENCE,
    Design,
    Kind,
    Made,
    best_design,
)
from lifttables.designs.publishing import check_formulas
from lifttables.encoding.columns import JOIN, RARE, ROWS, Counts, Labels
from lifttables.encoding.counting import named
from lifttables.encoding.reading import Reading
from lifttables.encoding.table import Table, contents_of
from lifttables.files import many, percent, points
from lifttables.population.noisy import NoisyCounts
from lifttables.releases.card import Card, card_of
from lifttables.releases.counts import counts_design, counts_frame, errors_of
from lifttables.releases.ledger import Entry, Ledger, opened, release_key
from lifttables.releases.noising import (
    LEAST_NOISE,
    mark_of,
    secret_key,
    secret_key_of,
    with_noise,
)
from lifttables.releases.question import Question
from lifttables.sources.randomness import Stream, note_on, uniform
from mixproof.numerics import check_scalar

ForNew = Literal["refuse", "drop"]

# decimal places of probabilities by which a ledger knows a release; machines round
PLACES = 6
# of a promise for the population, whose bounds take half a second for each
MAX_SECRETS = 64
# share of H(X), by the noisy counts; a release that retains less says nothing
LEAST_RETAINED = 0.02
# groups are published if they retain this share of what a subset response does
READABLE_SHARE = 0.8
# symbols of which groups are tried too; 2^15 subsets take many seconds
MOST_TO_GROUP = 12


class NothingToRelease(BrokenNotion):
    """Next to nothing can be published under the promise.

    Attributes
    ----------
    secret : str
        The value of the secret that stops it.
    rows : float
        About how many rows of these shares would allow more; infinite if none would.
    retained : float
        The share of H(X) that would be published.
    error : float
        The half-width of the 95 % intervals of the shares in a release of counts under
        the same promise.
    """

    def __init__(
        self, secret: str, rows: float, retained: float, error: float, now: int
    ) -> None:
        self.secret, self.rows, self.retained, self.error = (
            secret,
            rows,
            retained,
            error,
        )
        more = "no number of rows of these shares would do"
        if math.isfinite(rows):
            more = f"about {rows:,.0f} rows of these shares would do"
        self.lines = (
            (
                f"nothing was written: {percent(retained, up=True)} can be published;"
                f" too little is known of {secret!r}"
            ),
            (
                f"{many(now, 'row')} are too few: {more}; or coarsen a column, or allow"
                " a larger belief"
            ),
            (
                "noisy counts would publish the shares now, each to within"
                f" {points(error)} percentage points (95 %)"
            ),
        )
        super().__init__("; ".join(self.lines), arguments=("counts",))


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
        The level c of the noise; by default from the numbers of rows and cells or, of
        counts, from the promise.
    """

    reading: Reading
    promise: RatioBased | Question
    confidence: float = DEFAULT_CONFIDENCE
    counts: bool = False
    merge: bool = False
    noise: float | None = None

    @property
    def notion(self) -> RatioBased:
        """The notion that keeps the promise."""
        return (
            self.promise.notion if isinstance(self.promise, Question) else self.promise
        )

    @property
    def belief(self) -> float:
        """The belief about which the card speaks."""
        return self.promise.belief if isinstance(self.promise, Question) else BELIEF

    @property
    def most_of_counts(self) -> float:
        """The sum of the levels 2c of all counts of the rows, up to which the promise
        holds for each row.
        """
        return float(self.promise.odds_growth)

    @property
    def c_of_counts(self) -> float:
        """The level c of the noise of a release of counts."""
        return self.most_of_counts / 2 if self.noise is None else self.noise

    def error_of_counts(self, noisy: NoisyCounts) -> float:
        """Return the half-width of the widest 95 % interval of a share that counts
        under this promise have.
        """
        totals = noisy.table.sum(axis=0)
        return float(errors_of(totals, int(noisy.rows), self.c_of_counts).max())

    def as_text(self) -> str:
        """Return the plan as JSON, for the key of its release."""
        options = {
            "promise": str(self.promise),
            "confidence": self.confidence,
            "counts": self.counts,
            "merge": self.merge,
            "noise": self.noise,
        }
        return json.dumps({**asdict(self.reading), **options}, default=str)


@dataclass(frozen=True, eq=False)
class Draw:
    """Rows that passed every check, to be drawn and published once."""

    table: Table
    design: Design
    past: Ledger | None
    source: Uniform
    key: str
    made: str
    most: float = math.inf  # by how much all counts may move the log odds

    def frame(self) -> Any:
        """Return the released rows, or counts, in the table's library."""
        if self.design.of_counts:
            return counts_frame(self.design)
        return self.table.release(self.design, self.source)

    def ledger(self, output: str) -> Ledger | None:
        """Return the ledger with this release."""
        if self.past is None:
            return None
        what = f"{JOIN.join(self.design.public.names)}, {self.design.promise}"
        of_rows = not self.design.of_counts
        level = 0.0 if of_rows else self.design.noisy.insider
        entry = Entry(self.made, output, what, self.key, of_rows, level, self.most)
        return self.past.with_entry(entry)


@dataclass(frozen=True, eq=False)
class Sanitised:
    """The result of a release: frame (None if the rows went to a file), card, design
    and audit.
    """

    frame: Any
    card: Card
    design: Design
    audit: Audit


@dataclass(frozen=True, eq=False)
class Applied:
    """The result of a release of new rows: frame (None if they went to a file) and
    card.
    """

    frame: Any
    card: Card


Released = TypeVar("Released", Sanitised, Applied)


def release(
    table: Table,
    plan: Plan,
    sink: Callable[[Draw, Sanitised], Sanitised],
    ledger: Path | None = None,
    rng: Uniform | int | None = None,
    *,
    rehearse: bool = False,
) -> Sanitised:
    """Design, check and audit a release, and return the sink's result; in a rehearsal,
    the sink writes no entry to the ledger.

    Raises
    ------
    NothingToRelease
        If next to nothing can be published; with the value that is responsible and the
        rows needed.
    BrokenNotion
        If the ledger has another release of these rows, or the noise of its counts
        leaves too little.
    """
    reading = plan.reading
    _check(table, plan)
    # that counts are released must not tell whether all rows have one secret
    counts = reading.counts(table, constant=plan.counts)
    rows = table.complete(counts.columns) if counts.dropped else table
    secret = secret_key() if rng is None else bytes(32)
    # the noise depends on the table alone, so that plans that are tried share it; the
    # draws on the plan too what a hierarchy file says is no part of the plan, which
    # names the file
    meaning = json.dumps(
        [plan.as_text(), *(asdict(column) for column in counts.columns)]
    )
    key = release_key(secret, rows.digest(counts.columns), meaning)
    with opened(ledger, only_read=rehearse) as past:
        design = replace(_designed(counts, plan, secret), belief=plan.belief)
        name = _name_of(key, design)
        # counts keep what was promised without a ledger, too
        (past or Ledger(Path())).check(
            name,
            of_rows=not plan.counts,
            level=2 * plan.c_of_counts,
            most=plan.most_of_counts,
        )
        if rng is None:
            made_from = _made_from(secret, table, rows, counts)
            design = replace(design, made_from=made_from, key=mark_of(secret))
        check_formulas(design)
        notes = [
            note_on(rng),
            *([f"the ledger of these rows is {past.path}"] if past else []),
        ]
        audit = audited(
            counts, design.promise, design.named_channel, notes=tuple(notes)
        )
        number, made, earlier = (None, None, 0.0) if past is None else past.place(name)
        card = card_of(
            design,
            release=number,
            made=made,
            earlier=earlier,
            options=_options(plan),
        )
        source = Stream(key, 0) if rng is None else uniform(rng)
        most = plan.most_of_counts if plan.counts else math.inf
        draw = Draw(rows, design, past, source, name, card.made, most)
        return sink(draw, Sanitised(None, card, design, audit))


def _name_of(key: bytes, design: Design) -> str:
    """Return the name of a release in ledgers.

    Another version of this library, or of its solver, may make another design by the
    same command: that is another release, whose draws tell more.
    """
    kernel = np.round(design.channel.kernel, PLACES).tolist()
    made = json.dumps([kernel, design.texts, design.noisy.table.tolist()])
    return release_key(key, b"", made).hex()


def _made_from(
    secret: bytes, table: Table, rows: Table, counts: Counts
) -> tuple[str, ...]:
    """Return the digests by which a design knows its rows, see ``Design.made_from``."""
    public, used = counts.public.names, rows.counts(counts.columns)
    known = [_known_by(secret, used, names) for names in (_names(counts), public)]
    if rows is not table:  # without the secret, rows that miss one are no less complete
        every = table.counts(counts.public.columns)
        known += _known_by_all(secret, every, public)
    return tuple(dict.fromkeys(known))


def _names(counts: Counts | Design) -> list[str]:
    return [*counts.secret.names, *counts.public.names]


def _known_by_all(secret: bytes, counted: Labels, names: Sequence[str]) -> list[str]:
    """Return the digests of all rows, and of those that miss none of these values."""
    return [
        _known_by(secret, rows, names)
        for rows in (counted, counted.drop_nulls(list(names)))
    ]


def _known_by(secret: bytes, counted: Labels, names: Sequence[str]) -> str:
    contents = contents_of(counted, names)
    return release_key(secret, contents, "the rows of a design").hex()


def _check(table: Table, plan: Plan) -> None:
    """Raise an error if the plan does not fit the table or its sampling."""
    plan.reading.check_confidence(plan.confidence)
    if plan.noise is not None:
        check_scalar("noise", plan.noise, LEAST_NOISE, finite=True)
    if not plan.counts:
        plan.reading.check_population(table.columns)
    if content_of(plan.notion) is None:
        raise UnsupportedNotion(
            f"{plan.notion} is not a notion that a card can name: release with LIP,"
            " ALIP, LDP or a belief"
        )


def _designed(counts: Counts, plan: Plan, secret: bytes) -> Design:
    """Return the design for a table."""
    names = named(counts.public.names)
    if counts.public.labels == ((RARE,),):
        raise DataError(
            f"no value of {names} has {plan.reading.min_count} rows, so that a release"
            " says nothing: bin or coarsen it, or name another column",
            arguments=("bins", "hierarchies"),
        )
    if len(counts.public.labels) == 1:
        raise DataError(
            f"{names} has the same value in every row, so that a release says nothing:"
            " name another column, or finer bins"
        )
    if plan.counts:
        return counts_design(counts, plan.c_of_counts, secret)
    if len(counts.secret.labels) > MAX_SECRETS:
        raise DataError(
            f"{named(counts.secret.names)} has {len(counts.secret.labels):,} secrets,"
            f" and a promise for the population is computed for at most {MAX_SECRETS}:"
            " bin or coarsen it",
            arguments=("bins", "hierarchies"),
        )
    most = MAX_LATTICE_SYMBOLS if plan.merge else MAX_RESPONSE_SYMBOLS
    counts = with_noise(counts, plan.noise, secret, most)
    made = _readable(counts, plan)
    if made.design.constant or made.nmi < LEAST_RETAINED:
        raise _nothing(counts, plan, made.nmi)
    return made.design


def _readable(counts: Counts, plan: Plan) -> Made:
    """Return groups of values if these retain nearly as much as a subset response,
    which is drawn at random.
    """
    if plan.merge:
        return best_design(counts, plan.notion, plan.confidence, Kind.MERGING)
    response = best_design(counts, plan.notion, plan.confidence, Kind.RESPONSE)
    if len(counts.public.labels) > MOST_TO_GROUP:
        return response
    # both are certified by bounds that hold at once for all subsets of these symbols
    groups = best_design(counts, plan.notion, plan.confidence, Kind.MERGING)
    return groups if groups.nmi >= READABLE_SHARE * response.nmi else response


def _nothing(counts: Counts, plan: Plan, retained: float) -> NothingToRelease:
    """Return which value of the secret stops a release, and what would help, by the
    noisy counts alone.
    """
    assert counts.noisy is not None
    found = obstacle(counts.sample(plan.confidence), plan.notion)
    value = JOIN.join(counts.secret.labels[found.secret])
    now = int(counts.noisy.rows)
    error = plan.error_of_counts(counts.noisy)
    return NothingToRelease(value, found.rows, retained, error, now)


def release_again(
    table: Table,
    design: Design,
    sink: Callable[[Draw, Applied], Applied],
    *,
    missing: ForNew = "refuse",
    ledger: Path | None = None,
    rng: Uniform | int | None = None,
    rehearse: bool = False,
) -> Applied:
    """Release new rows, stated to be of the same population, with a design; return the
    sink's result.

    BrokenNotion is raised for the rows that the design was made from, in any order,
    with or without incomplete ones: a second draw for them tells more. Of a table
    without the secret's columns, or with one of a single value, the numbers of rows
    with each public value decide. A copy with other rows or values is not known.
    DataError is raised under another key than the design's, which would not know them.
    """
    if design.of_counts:
        raise DataError(
            "this design is of the counts of its own rows: release the new rows as a"
            " first release"
        )
    table.check(design.public.names)
    columns = design.columns_in(table.columns)
    rows = table.complete(columns) if missing == "drop" else table
    secret = secret_key_of(design.key) if design.key else secret_key()
    key = release_key(secret, rows.digest(columns), json.dumps(design.content()))
    check_formulas(design)
    every = table.counts(columns)
    _check_new(table, every, design, secret)
    with opened(ledger, only_read=rehearse) as past:
        if past is not None:
            past.check(key.hex(), of_rows=True, level=0.0, most=np.inf)
        number, made, earlier = (
            (None, None, 0.0) if past is None else past.place(key.hex())
        )
        counted = every if rows is table else rows.counts(columns)
        design.check_symbols(counted)  # a cluster draws later
        n = int(counted[ROWS].sum())
        card = card_of(
            design,
            release=number,
            made=made,
            earlier=earlier,
            new_rows=n,
            options={"missing": missing},
        )
        source = Stream(key, 0) if rng is None else uniform(rng)
        return sink(
            Draw(rows, design, past, source, key.hex(), card.made), Applied(None, card)
        )


def _check_new(table: Table, counted: Labels, design: Design, secret: bytes) -> None:
    """Raise BrokenNotion for the rows that the design was made from."""
    # a secret that is blank or of one value tells no rows apart
    with_secret = {*design.secret.names} <= {*table.columns} and all(
        counted[name].drop_nulls().n_unique() > 1 for name in design.secret.names
    )
    names = _names(design) if with_secret else design.public.names
    if {*design.made_from}.isdisjoint(_known_by_all(secret, counted, names)):
        return
    remedy = "give rows of other people"
    if not with_secret:
        remedy += f", with {named(design.secret.names)} if these are"
    raise BrokenNotion(
        f"{table.name} has the rows that the design was made from, and a second"
        f" draw for them may tell the secret: {remedy}"
    )


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
        "population": reading.population,
        "decimal": reading.decimal,
        "dates": reading.dates,
    }
