"""The only way from a table to a release: plan, checks, design, audit, card, draw.

Only :func:`release` and :func:`release_again` create a :class:`Draw`, from which frames and files are made, so no route
skips a step.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from liftlib import registry
from liftlib.channel import Uniform
from liftlib.errors import BrokenNotion, DataError, InvalidParameter, LiftWarning
from liftlib.notions import AttributeWise, Notion
from lifttables.audits.auditing import Audit, audited
from lifttables.confident.certification import route
from lifttables.confident.subset_lattice import MAX_LATTICE_SYMBOLS
from lifttables.designs.designing import COUNTS, DEFAULT_CONFIDENCE, SAMPLE_ONLY, Design, Made, best_design
from lifttables.designs.keeping import MOST_NEXT_TO_ONE, design_next_to, linked_counts
from lifttables.designs.publishing import check_formulas
from lifttables.encoding.binning import values_from
from lifttables.encoding.counting import named
from lifttables.encoding.reading import Reading
from lifttables.encoding.table import Table
from lifttables.files import many
from lifttables.releases.card import Card, card_of
from lifttables.releases.counts import counts_design, counts_frame
from lifttables.releases.drift import Drift, guarantees
from lifttables.releases.judging import check_composition, check_secrets, judged
from lifttables.releases.ledger import Ledger, check_new, entered, opened, read_ledger
from lifttables.releases.noising import secret_key, with_noise
from lifttables.releases.question import Question
from lifttables.releases.trying import Tried, best_of, candidates, check_dear, without_blocks
from lifttables.sources.randomness import key_of, note_on, uniform
from mixproof.numerics import KEEP_TOL

ForNew = Literal["refuse", "drop"]

FRAME_NAME = "a frame"  # what a ledger calls a release that is not a file

UNDECIDED: Final = "undecided"

MAX_SECRETS = 64  # of a promise for the population, whose bounds take half a second for each
MOST_BUDGET = 50.0  # nats; a factor of more than 10^21 between probabilities limits no belief


@dataclass(frozen=True)
class Plan:
    """The specification of a release: what to publish of a table, and how.

    Attributes
    ----------
    reading : lifttables.encoding.reading.Reading
    notion : Notion or Question
    keep, mechanism, confidence, resamples
        As in :func:`~lifttables.releases.sanitising.sanitise`.
    noise : float or None
        The level of the noise of the counts, by default from the numbers of rows and cells.
    new_people : bool
        Whether the rows are stated to be of other people than those of earlier releases with nearly the same counts.
    """

    reading: Reading
    notion: Notion | Question
    mechanism: str = "subset-merging"
    confidence: float | None = DEFAULT_CONFIDENCE
    keep: tuple[str, ...] = ()
    resamples: int = 200
    noise: float | None = None
    new_people: bool = False


@dataclass(frozen=True, eq=False)
class Draw:
    """Rows that passed every check, to be drawn and published once."""

    table: Table
    design: Design
    past: Ledger | None
    source: Uniform
    entry: Design  # the design with the counts of these rows

    def frame(self) -> Any:
        """Return the released rows in the table's library, and record the release."""
        with entered(self.past, FRAME_NAME, self.entry):
            if self.design.mechanism == COUNTS:
                return counts_frame(self.design)
            return self.table.release(self.design, self.source)


@dataclass(frozen=True, eq=False)
class Sanitised:
    """The result of :func:`sanitise`: released frame, card, design and audit.

    Attributes
    ----------
    frame : frame or None
        None if the rows went to a file. Compute a lazy frame before publication: it holds the source of its draws.
    card : Card
        May be published with the rows.
    design : Design
        Holds the counts: confidential.
    audit : Audit
        The audit of the release; its numbers depend on the counts: confidential.
    tried : tuple of Tried
        What each design that was tried achieves; the design is one of them.
    """

    frame: Any
    card: Card
    design: Design
    audit: Audit
    tried: tuple[Tried, ...] = ()


@dataclass(frozen=True, eq=False)
class Applied:
    """The result of :func:`apply`: released new rows, their card, and their drift.

    Attributes
    ----------
    frame : frame or None
        None if the rows went to a file.
    card : Card
        May be published with the rows.
    drift : Drift
    notes : tuple of str
        Like the drift, for the owner: confidential.
    """

    frame: Any
    card: Card
    drift: Drift
    notes: tuple[str, ...] = ()


def release(
    table: Table,
    plan: Plan,
    sink: Callable[[Draw, Sanitised], Sanitised],
    ledger: Path | None = None,
    rng: Uniform | int | None = None,
) -> Sanitised:
    """Design, check and audit a release, and return the sink's result.

    It raises the same errors as :func:`~lifttables.releases.sanitising.sanitise`.
    """
    reading = plan.reading
    reading.check_population(plan.confidence)
    check_keep(table, plan)
    if ledger is not None:
        read_ledger(ledger)  # errors are raised before the design, which may take a long time
    if not plan.new_people:
        check_new(table, ledger)
    source = uniform(rng)
    of_counts = plan.mechanism == COUNTS
    if of_counts and rng is not None:
        raise InvalidParameter("the noise of counts protects nobody if a seed repeats it: leave out the seed")
    if of_counts and reading.cut_by_rows:
        raise InvalidParameter(
            "quantiles depend on every row, so the noise of counts cannot hide a single one: give edges as bins",
            arguments=("bins",),
        )
    key = secret_key() if rng is None and (of_counts or plan.confidence is not None) else key_of(source)
    (counts, design, notes, read), tried = _designed(table, plan, key)
    if (rng is not None or reading.cut_by_rows) and design.noisy is not None:  # the ledger tells later releases
        design = replace(design, noisy=replace(design.noisy, unbounded=True))
    rows = table.complete(read) if counts.dropped else table
    check_formulas(design)
    warn_of_rows_alone(plan.confidence)
    with opened(ledger, table) as past:
        check_each_secret(design)
        check_secrets(design, past)
        # of counts, no row is published next to theirs
        composition = check_composition(rows, design, None if of_counts else past, applied=False)
        notes = (*notes, *composition.notes, *notes_on(rows, design, reading, rng))
        notes = notes if past is None else (*notes, f"the ledger of these rows is {past.path}")
        audit = audited(
            counts,
            design.promise,
            design.named_channel,
            resamples=plan.resamples,
            notes=tuple(notes),
            sure=design.confidence is not None,
            sampling=reading.sampling,
        )
        if composition.others:  # the audit is of the released columns alone
            audit = replace(audit, population=UNDECIDED)
        card = card_of(
            design,
            release=None if past is None else 1 + len(past.earlier),
            others=composition.others,
            insider=_insider(design, past),
            seeded=rng is not None,
            cut_by_rows=bool(reading.cut_by_rows),
            after_rows=of_counts and past is not None and any(not entry.design.constant for entry in past.earlier),
            options=_options(design, plan),
        )
        return sink(Draw(rows, design, past, source, design), Sanitised(None, card, design, audit, tried))


def release_again(
    table: Table,
    design: Design,
    sink: Callable[[Draw, Applied], Applied],
    *,
    missing: ForNew = "refuse",
    new_people: bool = False,
    ledger: Path | None = None,
    rng: Uniform | int | None = None,
) -> Applied:
    """Check new rows against a design, and return the sink's result.

    It raises the same errors as :func:`~lifttables.releases.sanitising.apply`.
    """
    if design.mechanism == COUNTS:
        raise DataError(
            "this design is of noisy counts, which are those of its own rows: release the counts of the new rows as a "
            "first release"
        )
    table.check(design.columns_needed())
    rows = table.complete(design.columns_in(table.columns)) if missing == "drop" else table
    check_formulas(design)
    if not new_people:
        check_new(table, ledger)
    with opened(ledger, table) as past:
        check_each_secret(design)
        check_secrets(design, past)
        drift, composition = judged(rows, design, past)
        card = card_of(
            replace(design, kept=guarantees(drift, design)),
            release=None if past is None else 1 + len(past.earlier),
            others=composition.others,
            seeded=rng is not None,
            new_rows=drift.rows,
            options={"missing": missing, "new_people": new_people},
        )
        draw = Draw(rows, design, past, uniform(rng), design.of_rows(rows))
        return sink(draw, Applied(None, card, drift, composition.notes))


def _designed(table: Table, plan: Plan, key: bytes) -> tuple[Made, tuple[Tried, ...]]:
    """Return the design for a table, and what each design that was tried achieves."""
    reading, confidence = plan.reading, plan.confidence
    if plan.mechanism == COUNTS:
        (counts,) = with_noise([reading.counts(table)], plan.noise, key, sys.maxsize)
        return Made(counts, counts_design(counts), (), counts.columns), ()
    notions = plan.notion.notions() if isinstance(plan.notion, Question) else (limiting(plan.notion),)
    if plan.keep:
        linked = linked_counts(table, reading, plan.keep, confidence)
        choices, n_public, most = [linked.counts], linked.n_symbols, MOST_NEXT_TO_ONE
    else:
        choices = reading.choices(table, confidence, product=isinstance(notions[0], AttributeWise))
        n_public, most = len(choices[0].public.labels), MAX_LATTICE_SYMBOLS
    tried = candidates(notions, plan.mechanism, n_public, linked=bool(plan.keep))
    for notion, mechanism in tried:
        replaced = confidence is not None and route(registry.mechanisms[mechanism], notion) != mechanism
        check_dear(mechanism, n_public, designed=replaced)
    if confidence is not None:
        secrets = choices[0].secret
        if len(secrets.labels) > MAX_SECRETS:
            raise DataError(
                f"{named(secrets.names)} has {len(secrets.labels):,} secrets, and a promise for the population is "
                f"computed for at most {MAX_SECRETS}: bin or coarsen it",
                arguments=("bins", "hierarchies"),
            )
        # a part of the rows groups kept values
        choices = with_noise(choices, plan.noise, key, 0 if plan.keep else without_blocks(tried))

    def make(notion: Notion, mechanism: str, each: float | None) -> Made:
        if not plan.keep:
            return best_design(choices, notion, mechanism, each)
        return design_next_to(replace(linked, counts=choices[0]), notion, mechanism, each, ways=len(notions))

    return best_of(make, choices[0], tried, plan.mechanism, confidence, in_blocks=n_public > most)


def check_keep(table: Table, plan: Plan) -> None:
    """Raise DataError if a kept column is missing, secret or released anyway, or next to listed values."""
    table.check(plan.keep)
    for name in plan.keep:
        if name in plan.reading.secrets:
            raise DataError(f"a kept column is the secret {name!r}: it is not published")
        if name in plan.reading.publics:
            raise DataError(f"a kept column is {name!r}, which is public and released anyway: leave it out")
    for name, _ in map(values_from, plan.reading.values if plan.keep else ()):
        if name not in plan.reading.secrets:
            raise DataError(
                f"the values of {name!r} are listed, which only a release without kept columns can use: leave out the "
                "list, or the kept columns",
                arguments=("values", "keep"),
            )


def limiting(notion: Notion) -> Notion:
    """Return a notion; raise InvalidParameter if all of its budgets are above ``MOST_BUDGET``."""
    budgets = {name: value for name, value in vars(notion).items() if name.startswith("eps")}
    if budgets and all(value > MOST_BUDGET for value in budgets.values()):
        raise InvalidParameter(
            f"{notion} limits nothing in practice, so its release would be the public columns as they are: give "
            f"{' or '.join(budgets)} a value of at most {MOST_BUDGET:g} nats",
            arguments=tuple(budgets),
        )
    return notion


def _options(design: Design, plan: Plan) -> dict[str, Any]:
    """Return the options of a run for its card, without seeds and folders."""
    reading = plan.reading
    return {
        "confidence": design.confidence,
        "bins": list(reading.bins),
        "hierarchies": [text.partition("=")[0] for text in reading.hierarchies],
        "categorical": list(reading.categorical),
        "values": list(reading.values),
        "sampling": reading.sampling,
        "missing": reading.missing,
        "na": None if reading.na is None else list(reading.na),
        "rare": reading.rare,
        "min_count": int(reading.min_count),
        "new_people": plan.new_people,
        "keep": list(plan.keep),
    }


def _insider(design: Design, past: Ledger | None) -> float:
    """Return by how much all noisy counts of these rows move log odds; inf if a design saw exact counts."""
    every = [design, *(entry.design for entry in (() if past is None else past.earlier))]
    if any(made.noisy is None for made in every):
        return math.inf
    # noise that two releases share counts once, but not equal noise of other values
    known = {
        (made.secret.labels, made.public.labels, made.noisy.table.tobytes()): made.noisy.insider
        for made in every
        if made.noisy is not None
    }
    return sum(known.values())


def warn_of_rows_alone(confidence: float | None) -> None:
    """Warn that a design without a confidence is for this sample only."""
    if confidence is None:
        warnings.warn(f"no confidence, so {SAMPLE_ONLY}", LiftWarning, stacklevel=4)


def check_each_secret(design: Design) -> None:
    """Raise BrokenNotion if one of several secrets is not protected individually.

    This can happen with a user-defined notion.
    """
    if len(design.secret.columns) == 1 or design.promise is None or design.channel.sees_secret:
        return
    for at, name in enumerate(design.secret.names):
        violation = design.promise.violation(design.counts.alone(at).joint, design.channel)
        if not violation <= KEEP_TOL:
            raise BrokenNotion(
                f"{design.notion} holds for all secrets together, but {name!r} alone exceeds it by {violation:.4g}"
            )


def notes_on(table: Table, design: Design, reading: Reading, rng: object) -> list[str]:
    """Return the owner's notes on a release."""
    notes = [note_on(rng), *([] if design.confidence or design.mechanism == COUNTS else [SAMPLE_ONLY])]  # type: ignore[arg-type]
    notes += [f"{one.how}: {one.numbers}" for one in design.kept if one.numbers]
    if design.public.pooled:
        notes.append(
            f"pooled as (rare): {many(len(design.public.pooled), 'public symbol')} "
            + ("not listed" if design.public.listed else f"with fewer than {reading.min_count} rows")
        )
    if reading.cut_by_rows:
        notes.append(
            f"the bins of {', '.join(reading.cut_by_rows)} end at quantiles of these rows, and their labels publish "
            "these quantiles, which are close to values of single rows"
        )
    left = [name for name in table.columns if name not in {*design.public.names, *design.secret.names}]
    if left:
        notes.append(f"not published: the secret and {many(len(left), 'other column')}")
    if design.noisy is not None:
        notes.append(
            f"designed from counts with two-sided geometric noise of level {design.noisy.level:g}, the "
            "same again for this table"
        )
    return notes
