"""The only way from a table to a release: plan, checks, design, audit, card, draw.

Only :func:`release` and :func:`release_again` create a :class:`Draw`, from which frames and files are made, so no route
skips a step.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from liftlib import registry
from liftlib.channel import Uniform
from liftlib.errors import BrokenNotion, DataError, InvalidParameter, LiftWarning
from liftlib.notions import AttributeWise, Notion, PolyhedralLift, provides
from lifttables.audits.auditing import Audit, audited
from lifttables.confident.certification import route
from lifttables.designs.designing import COUNTS, DEFAULT_CONFIDENCE, SAMPLE_ONLY, Design
from lifttables.designs.keeping import NextTo, design_next_to, proposed
from lifttables.designs.publishing import Publishing, check_keep, without_formulas
from lifttables.encoding.counting import named
from lifttables.encoding.reading import Reading
from lifttables.encoding.table import Table
from lifttables.files import many
from lifttables.releases.card import Card, card_of
from lifttables.releases.counts import counts_design, counts_frame
from lifttables.releases.drift import Drift, guarantees
from lifttables.releases.judging import check_composition, judged
from lifttables.releases.ledger import Ledger, check_new, entered, opened, read_ledger
from lifttables.releases.noising import secret_key, with_noise
from lifttables.releases.question import Question
from lifttables.releases.trying import Tried, best_of, candidates, check_dear, without_blocks
from lifttables.sources.randomness import key_of, note_on, uniform
from mixproof.numerics import KEEP_TOL

ForNew = Literal["refuse", "drop"]

FRAME_NAME = "a frame"  # what a ledger calls a release that is not a file

ORIGINAL_ORDER_NOTE = (
    "the rows are in the original order, which may reveal the secret, for instance if the table is sorted by it"
)

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
    mechanism, confidence, coarsen, resamples
        As in :func:`~lifttables.releases.sanitising.sanitise`.
    publishing : Publishing
    noise : float or None
        The level of the noise of the counts, by default from the numbers of rows and cells.
    new_people : bool
        Whether the rows are stated to be of other people than those of earlier releases with nearly the same counts.
    """

    reading: Reading
    notion: Notion | Question
    mechanism: str = "subset-merging"
    confidence: float | None = DEFAULT_CONFIDENCE
    publishing: Publishing = field(default_factory=Publishing)
    coarsen: bool | float = False
    resamples: int = 200
    noise: float | None = None
    new_people: bool = False


@dataclass(frozen=True, eq=False)
class Draw:
    """Rows that passed every check, to be drawn and published once."""

    table: Table
    design: Design
    how: Publishing
    past: Ledger | None
    source: Uniform
    entry: Design  # the design with the counts of these rows

    def frame(self) -> Any:
        """Return the released rows in the table's library, and record the release."""
        with entered(self.past, FRAME_NAME, self.how.keep, self.entry):
            if self.design.mechanism == COUNTS:
                return counts_frame(self.design)
            return self.table.release(self.design, self.source, self.how)


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
    reading, asked = plan.reading, plan.publishing
    reading.check_population(plan.confidence)
    table.check(asked.keep)
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
            "the noise of counts does not protect whoever moves a quantile: give edges", arguments=("bins",)
        )
    key = secret_key() if rng is None and (of_counts or plan.confidence is not None) else key_of(source)
    (counts, design, notes), tried = _designed(table, plan, key)
    if (rng is not None or reading.cut_by_rows) and design.noisy is not None:  # the ledger tells later releases
        design = replace(design, noisy=replace(design.noisy, unbounded=True))
    how = replace(asked, keep=(), coarsened=asked.keep) if plan.coarsen is not False else asked
    rows = table.complete(counts.columns) if counts.dropped else table
    design = without_formulas(design, how.formulas, how.keep)
    warn_of_rows_alone(plan.confidence)
    with opened(ledger, table) as past:
        check(rows, design, how)
        try:
            others = None if of_counts else past  # no row is published next to theirs
            composition = check_composition(rows, design, others, how.keep, applied=False, chosen=counts.chosen)
        except BrokenNotion as error:
            remedy = _remedy(rows, design, reading, how.keep) if "keep" in error.arguments else ""
            raise BrokenNotion(f"{error}{remedy}", arguments=error.arguments) from error
        notes = (*notes, *composition.notes, *notes_on(rows, design, reading, how, rng))
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
        if composition.others and not composition.population:  # the audit is of the released columns alone
            audit = replace(audit, population=UNDECIDED)
        card = card_of(
            design,
            keep=how.keep,
            keep_order=how.keep_order,
            release=None if past is None else 1 + len(past.earlier),
            others=composition.others,
            population=composition.population,
            insider=_insider(design, past),
            seeded=rng is not None,
            cut_by_rows=bool(reading.cut_by_rows),
            options=_options(design, reading, how, new_people=plan.new_people),
        )
        return sink(Draw(rows, design, how, past, source, design), Sanitised(None, card, design, audit, tried))


def release_again(
    table: Table,
    design: Design,
    how: Publishing,
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
    table.check([*design.columns_needed(), *how.keep])
    rows = table.complete(design.columns_in(table.columns)) if missing == "drop" else table
    design = without_formulas(design, how.formulas, how.keep)
    if not new_people:
        check_new(table, ledger)
    with opened(ledger, table) as past:
        check(rows, design, how)
        drift, composition = judged(rows, design, how, past)
        card = card_of(
            replace(design, kept=guarantees(drift, design)),
            keep=how.keep,
            keep_order=how.keep_order,
            release=None if past is None else 1 + len(past.earlier),
            others=composition.others,
            population=composition.population,
            seeded=rng is not None,
            new_rows=drift.rows,
            options={"unseen": how.unseen, "missing": missing, "formulas": how.formulas, "new_people": new_people},
        )
        draw = Draw(rows, design, how, past, uniform(rng), design.of_rows(rows))
        return sink(draw, Applied(None, card, drift, composition.notes))


def check(table: Table, design: Design, how: Publishing) -> None:
    """Run all ``CHECKS`` before any row is drawn."""
    for run_check in CHECKS:
        run_check(table, design, how)


def _designed(table: Table, plan: Plan, key: bytes) -> tuple[NextTo, tuple[Tried, ...]]:
    """Return the counts of a table, the design for them and notes; and what each design that was tried achieves."""
    reading, how = plan.reading, plan.publishing
    if plan.mechanism == COUNTS:
        (counts,) = with_noise([reading.counts(table)], plan.noise, key, sys.maxsize)
        return NextTo(counts, counts_design(counts), ()), ()
    notions = plan.notion.notions() if isinstance(plan.notion, Question) else (limiting(plan.notion),)
    if plan.coarsen is not False:
        if len(notions) > 1:
            raise InvalidParameter("a question goes with unchanged kept columns: to coarsen them, give a notion")
        share = None if plan.coarsen is True else plan.coarsen
        return design_next_to(table, reading, how.keep, notions[0], plan.mechanism, plan.confidence, share), ()
    choices = reading.choices(table, plan.confidence, product=isinstance(notions[0], AttributeWise))
    n_public = len(choices[0].public.labels)
    tried = candidates(notions, plan.mechanism, n_public)
    for notion, mechanism in tried:
        replaced = plan.confidence is not None and route(registry.mechanisms[mechanism], notion) != mechanism
        check_dear(mechanism, n_public, designed=replaced)
    if plan.confidence is not None:
        secrets = choices[0].secret
        if len(secrets.labels) > MAX_SECRETS:
            raise DataError(
                f"{named(secrets.names)} has {len(secrets.labels):,} secrets, and a promise for the population is "
                f"computed for at most {MAX_SECRETS}: bin or coarsen it",
                arguments=("bins", "hierarchies"),
            )
        choices = with_noise(choices, plan.noise, key, without_blocks(tried))
    counts, design, results = best_of(choices, tried, plan.mechanism, plan.confidence)
    left_out = [name for name in reading.publics if name not in counts.public.names]
    note = f"left out, because the release retains more without: {', '.join(left_out)}"
    return NextTo(counts, design, (note,) if left_out else ()), results


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


def _options(design: Design, reading: Reading, how: Publishing, **decided: bool) -> dict[str, Any]:
    """Return the options of a run for its card, without seeds and folders."""
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
        "formulas": how.formulas,
        **decided,
        "coarsen": list(how.coarsened),
    }


def _insider(design: Design, past: Ledger | None) -> float:
    """Return by how much all noisy counts of these rows move log odds; inf if a design saw exact counts."""
    every = [design, *(entry.design for entry in (() if past is None else past.earlier))]
    if any(made.noisy is None for made in every):
        return math.inf
    return sum({made.noisy.table.tobytes(): made.noisy.insider for made in every if made.noisy is not None}.values())


def _remedy(table: Table, design: Design, reading: Reading, keep: Sequence[str]) -> str:
    """Return how to coarsen kept columns that violate a notion, if that is possible."""
    if not keep or design.promise is None or not provides(design.promise, PolyhedralLift):
        return ""
    try:
        return f". {proposed(table, reading, keep, design.promise)}"
    except DataError as error:  # such as a kept column of many numbers
        return f". What to coarsen is not known: {error}"


def warn_of_rows_alone(confidence: float | None) -> None:
    """Warn that a design without a confidence is for this sample only."""
    if confidence is None:
        warnings.warn(f"no confidence, so {SAMPLE_ONLY}", LiftWarning, stacklevel=4)


def check_each_secret(_table: Table, design: Design, _how: Publishing) -> None:
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


# run for every release: of a frame, a file or new rows
CHECKS: list[Callable[[Table, Design, Publishing], None]] = [check_keep, check_each_secret]


def notes_on(table: Table, design: Design, reading: Reading, how: Publishing, rng: object) -> list[str]:
    """Return the owner's notes on a release."""
    notes = [note_on(rng), *([] if design.confidence or design.mechanism == COUNTS else [SAMPLE_ONLY])]  # type: ignore[arg-type]
    notes += [f"{one.how}: {one.numbers}" for one in design.kept if one.numbers]
    if design.public.pooled:
        notes.append(
            f"pooled as (rare): {many(len(design.public.pooled), 'public symbol')} with fewer than {reading.min_count} "
            "rows"
        )
    if reading.cut_by_rows:
        notes.append(
            f"the bins of {', '.join(reading.cut_by_rows)} end at quantiles of these rows, and their labels publish "
            "these quantiles, which are close to values of single rows"
        )
    left = [name for name in table.columns if name not in {*how.keep, *design.public.names, *design.secret.names}]
    if left:
        notes.append(f"not published: the secret and {many(len(left), 'other column')}")
    if how.keep:
        notes.append(f"published unchanged: {', '.join(how.keep)}")
    if design.noisy is not None:
        notes.append(
            f"designed from counts with two-sided geometric noise of level {design.noisy.level:g}, the "
            "same again for this table"
        )
    if how.keep_order:
        notes.append(ORIGINAL_ORDER_NOTE)
    return notes
