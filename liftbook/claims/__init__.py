"""The ledger: every number and statement of the papers, computed and judged.

``data/claims.csv`` lists the claims: what each says, its form, and the published
number, or ``true`` for words; ``sentences`` names those that it tests.
``data/readings.csv`` says how each is read. A row ``reading`` has a quotation and its
place, and starts a reading; a row ``case`` is a further instance of the reading above
it; a row ``detail`` does not affect the verdict. A ``call`` names what computes the
value: a function in the paper's folder here, or a row of ``data/curves.toml``, which
compares curves of a figure; its argument follows a colon. A reading with a setting of
``data/settings.csv`` has a case for each alternative, whose name stands in braces in
its call. The verdict is computed by :mod:`liftbook.claims.rule`.

``data/sentences.csv`` lists every sentence of the papers, with the reason if no claim
tests it. A call in braces in a reason, such as ``{merging_broken_at_8}``, stands for
its stored value. ``data/ledger.csv``, which ``make ledger`` writes, stores the values
by seed.
"""

from __future__ import annotations

import csv
import inspect
import pkgutil
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from types import ModuleType

import pandas as pd

from liftbook.claims import rule, settings
from liftbook.claims.curves import CurveClaim, curve_claims
from liftbook.claims.judging import Claim, Computed, range_of, shown, stored_values
from liftbook.claims.rule import Case, Reading, Row, Value, Verdict
from liftbook.claims.settings import Setting
from liftlib.errors import DataError
from liftlib.resources import resource

__all__ = [
    "FUNCTIONS",
    "PAPERS",
    "Claim",
    "Entry",
    "Ledger",
    "Line",
    "Sentence",
    "calls_in",
    "compute",
    "drawn_at_random",
    "entries",
    "ledger",
    "read_claims",
    "read_lines",
    "read_sentences",
    "read_settings",
    "told",
    "totals",
]

Values = Mapping[str, Sequence[Value]]
"""The stored values of each call, by seed."""


def _table(name: str) -> list[dict[str, str]]:
    rows = []
    with resource(f"data/{name}").open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        columns = next(reader)
        for row in reader:
            if len(row) != len(columns):
                raise DataError(
                    f"data/{name}, line {reader.line_num}: {len(row)} fields, not"
                    f" {len(columns)}: count the commas, and quote texts that have some"
                )
            rows.append(dict(zip(columns, row, strict=True)))
    return rows


PAPERS = tuple(dict.fromkeys(row["paper"].lower() for row in _table("claims.csv")))
"""The papers in the order of ``data/claims.csv``, which is the book's; each has a
folder or a module here.
"""


def _own_functions(module: ModuleType) -> dict[str, Computed]:
    """Return the public functions that a module defines itself, without figures."""
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value)
        and name[0].islower()
        and getattr(value, "__module__", "") == module.__name__
        if not hasattr(value, "is_figure")
    }


def _modules() -> list[ModuleType]:
    """Return the papers' modules, and those in their folders."""
    papers = [import_module(f"liftbook.claims.{paper}") for paper in PAPERS]
    inside = [
        pkgutil.iter_modules(getattr(one, "__path__", ()), f"{one.__name__}.")
        for one in papers
    ]
    return [
        *papers,
        *(import_module(module.name) for modules in inside for module in modules),
    ]


FUNCTIONS: dict[str, Computed] = {
    **{
        name: function
        for module in _modules()
        for name, function in _own_functions(module).items()
    },
    **curve_claims(),
}
"""All functions that a claim may name."""


ROLES = ("reading", "case", "detail")
"""Roles of the rows of ``data/readings.csv``."""


@dataclass(frozen=True)
class Line:
    """A row of ``data/readings.csv``."""

    claim: str
    role: str
    quote: str
    where: str
    setting: str
    case: str
    call: str


def read_claims() -> list[Claim]:
    """Return the rows of ``data/claims.csv``.

    Raises
    ------
    DataError
        If a row has an invalid kind, form or published value, or an id occurs twice.
    """
    claims = [Claim(**row) for row in _table("claims.csv")]
    twice = {
        claim.id
        for claim in claims
        if sum(other.id == claim.id for other in claims) > 1
    }
    if twice:
        raise DataError(f"claims.csv has the id {min(twice)!r} twice: make ids unique")
    return claims


def read_settings() -> dict[str, Setting]:
    """Return the rows of ``data/settings.csv`` by name."""
    return settings.read(_table("settings.csv"))


def read_lines() -> dict[str, list[Line]]:
    """Return the rows of ``data/readings.csv`` by claim, in their order.

    Raises
    ------
    DataError
        If a row names an unknown claim, role or setting, if a claim has no reading, or
        if a case precedes it.
    """
    lines: dict[str, list[Line]] = {claim.id: [] for claim in read_claims()}
    known = read_settings()
    for line in (Line(**row) for row in _table("readings.csv")):
        if line.claim not in lines:
            raise DataError(
                f"readings.csv has the claim {line.claim!r}, not in claims.csv: correct"
                " either file"
            )
        if line.role not in ROLES:
            raise DataError(
                f"readings.csv has the role {line.role!r} for {line.claim}: give"
                f" {', '.join(ROLES)}"
            )
        if line.setting and f"{{{line.setting}}}" not in line.call:
            raise DataError(
                f"readings.csv, {line.claim}: the call {line.call!r} lacks"
                f" {{{line.setting}}}: add it"
            )
        if line.setting and line.setting not in known:
            raise DataError(
                f"readings.csv has the setting {line.setting!r} for {line.claim}: add"
                " it to settings.csv"
            )
        lines[line.claim].append(line)
    for name, mine in lines.items():
        if not mine or mine[0].role != "reading":
            raise DataError(
                f"readings.csv lacks a reading that starts {name}: quote the sentence"
            )
    return lines


@dataclass(frozen=True)
class Sentence:
    """A row of ``data/sentences.csv``: a sentence, why no claim tests it, and how two
    readers noted it.

    ``claims`` has the ids of the claims that name the sentence, with blanks between
    them.
    """

    paper: str
    place: str
    kind: str
    says: str
    left_out: str
    kind_1: str
    testable_1: str
    place_2: str
    kind_2: str
    testable_2: str
    claims: str = ""


def read_sentences() -> list[Sentence]:
    """Return the rows of ``data/sentences.csv``.

    Raises
    ------
    DataError
        If a claim names an unknown sentence, or a row has both claims and a reason for
        having none, or neither.
    """
    rows = _table("sentences.csv")
    claims: dict[str, list[str]] = {
        f"{row['paper']} {row['place']}": [] for row in rows
    }
    for claim in read_claims():
        for place in claim.sentences.split(" | "):
            if place not in claims:
                raise DataError(
                    f"claim {claim.id} names {place!r}, not in sentences.csv: correct"
                    " either file"
                )
            claims[place].append(claim.id)
    sentences = [
        Sentence(**row, claims=" ".join(claims[f"{row['paper']} {row['place']}"]))
        for row in rows
    ]
    for sentence in sentences:
        if bool(sentence.claims) == bool(sentence.left_out):
            raise DataError(
                f"sentences.csv, {sentence.paper}, {sentence.place}: give either claims"
                " or why it is left out"
            )
    return sentences


def _called(call: str) -> tuple[Computed, tuple[str, ...]]:
    name, _, argument = call.partition(":")
    if name not in FUNCTIONS:
        raise DataError(
            f"a claim names {name!r}, which liftbook.claims does not have: add the"
            " function, or correct it"
        )
    return FUNCTIONS[name], (argument,) if argument else ()


def drawn_at_random(call: str) -> bool:
    """Return whether the value of a call depends on a seed."""
    function, _ = _called(call)
    return (
        function.random
        if isinstance(function, CurveClaim)
        else "seed" in inspect.signature(function).parameters
    )


def compute(call: str, seed: int = 0) -> Value:
    """Return the value of a call such as ``name:argument``.

    Raises
    ------
    DataError
        If there is no such function.
    """
    function, arguments = _called(call)
    return (
        function(*arguments, seed=seed)
        if drawn_at_random(call)
        else function(*arguments)
    )


CALL = re.compile(r"\{([^{}]+)\}")


def calls_in(reason: str) -> list[str]:
    """Return the calls in braces in a reason, except those within formulas.

    Examples
    --------
    >>> calls_in(r"On {merging_broken_at_8} of them $2^{n}$ is exceeded.")
    ['merging_broken_at_8']
    """
    return [call for words in reason.split("$")[::2] for call in CALL.findall(words)]


def told(reason: str, values: Values) -> str:
    """Return a reason with its calls replaced by their stored values, rounded.

    Examples
    --------
    >>> told("On {merging_broken_at_8} of them.", {"merging_broken_at_8": [0.25, 0.75]})
    'On 0.5 (0.25 to 0.75) of them.'
    """
    pieces = reason.split("$")
    for at in range(0, len(pieces), 2):
        pieces[at] = CALL.sub(
            lambda call: shown(values[call[1]]) if values.get(call[1]) else "?",
            pieces[at],
        )
    return "$".join(pieces)


@dataclass(frozen=True)
class Entry:
    """A claim with its readings and their values over seeds.

    Attributes
    ----------
    reason : str
        The claim's reason with its calls replaced by their stored values.
    row : Row
        The form, the published number and the readings, as the rule judges them.
    details : tuple of Case
        What is shown without affecting the verdict.
    """

    claim: Claim
    reason: str
    row: Row
    details: tuple[Case, ...]

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict on the sentence."""
        return rule.verdict(self.row)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases of all readings."""
        return tuple(case for reading in self.row.readings for case in reading.cases)

    @property
    def share(self) -> str:
        """How many cases of the readings agree, in words; empty if each has one case
        and no setting.
        """
        shares = (rule.share(self.row, reading) for reading in self.row.readings)
        return "; ".join(dict.fromkeys(text for text in shares if text))

    @property
    def found(self) -> tuple[Value, ...]:
        """The values of the first reading, of all its cases."""
        return tuple(
            value for case in self.row.readings[0].cases for value in case.values
        )

    @property
    def numbers(self) -> list[float]:
        """The numbers among the values of the first reading."""
        return [float(value) for value in self.found if not isinstance(value, bool)]

    @property
    def calls(self) -> list[str]:
        """All calls computed for the claim, including those in its reason."""
        return [case.call for case in (*self.cases, *self.details)] + calls_in(
            self.claim.reason
        )


class Ledger:
    """The rows of the files and stored values, from which entries are made."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.claims = {claim.id: claim for claim in read_claims()}
        self.lines = read_lines()
        self.settings = read_settings()

    def case(self, label: str, call: str) -> Case:
        """Return a case with its stored values."""
        return Case(label, call, tuple(self.values.get(call, ())))

    def fits(self, claim: str, setting: Setting, alternative: str) -> bool:
        """Return whether a claim's published number agrees at an alternative, or is not
        computed yet.
        """
        line = next(line for line in self.lines[claim] if line.setting == setting.name)
        case = self.case("", setting.filled(line.call, alternative))
        if not case.values:
            return True
        one = self.claims[claim]
        reading = Reading(line.quote, line.where, (case,))
        row = Row(claim, "number", (reading,), one.number, one.tolerance)
        return rule.of_case(row, case) == "agrees"

    def alternatives(self, claim: str, setting: Setting) -> tuple[str, ...]:
        """Return the alternatives of a setting that the other claims' published numbers
        leave.
        """
        return setting.left(
            claim, lambda name, alternative: self.fits(name, setting, alternative)
        )

    def narrowing(self, claim: str) -> list[str]:
        """Return the calls of a claim at all alternatives, if its published number
        rules some out of other claims.
        """
        calls = []
        for setting in self.settings.values():
            if claim in setting.narrowed_by:
                line = next(
                    line for line in self.lines[claim] if line.setting == setting.name
                )
                calls += [
                    setting.filled(line.call, alternative)
                    for alternative in setting.alternatives
                ]
        return calls

    def readings(self, claim: str) -> tuple[Reading, ...]:
        """Return the readings of a claim."""
        readings: list[Reading] = []
        for line in self.lines[claim]:
            if line.role == "detail":
                continue
            if line.role == "case":
                cases = (*readings[-1].cases, self.case(line.case, line.call))
                readings[-1] = replace(readings[-1], cases=cases)
            elif line.setting:
                setting = self.settings[line.setting]
                left = self.alternatives(claim, setting)
                cases = tuple(
                    self.case(one, setting.filled(line.call, one)) for one in left
                )
                readings.append(
                    Reading(line.quote, line.where, cases, setting.what, setting.closed)
                )
            else:
                readings.append(
                    Reading(line.quote, line.where, (self.case(line.case, line.call),))
                )
        return tuple(readings)

    def entry(self, claim: Claim) -> Entry:
        """Return the entry of a claim."""
        row = Row(
            claim.id,
            claim.form,  # type: ignore[arg-type]
            self.readings(claim.id),
            claim.number,
            claim.tolerance,
        )
        details = tuple(
            self.case(line.case, line.call)
            for line in self.lines[claim.id]
            if line.role == "detail"
        )
        return Entry(claim, told(claim.reason, self.values), row, details)


def entries(values: Values) -> list[Entry]:
    """Return an entry for each claim, given the values of each call over seeds."""
    rows = Ledger(values)
    return [rows.entry(claim) for claim in rows.claims.values()]


NOT_SHOWN = ("digit", "reason", "sentences")
"""Columns of ``data/claims.csv`` that the ledger omits, or replaces."""


def ledger(values: Values | None = None) -> pd.DataFrame:
    """Return every claim with its results and verdict, by default from stored values.

    Returns
    -------
    pandas.DataFrame
        The columns of ``data/claims.csv`` without ``sentences`` and ``digit``, and
        ``computed`` (in words), ``low``, ``high`` and ``mean`` (None if not numbers),
        ``replications``, ``readings`` and ``cases`` (counts), ``share`` (how many cases
        agree, in words), and ``verdict``.
    """
    rows = []
    for entry in entries(stored_values() if values is None else values):
        claim, computed = entry.claim, entry.found
        low, high, mean = (
            range_of(entry.numbers) if entry.numbers else (None, None, None)
        )
        rows.append(
            {
                **{
                    name: value
                    for name, value in vars(claim).items()
                    if name not in NOT_SHOWN
                },
                "reason": entry.reason,
                "computed": shown(computed) if computed else "not run yet",
                "low": low,
                "high": high,
                "mean": mean,
                "replications": len(entry.cases[0].values),
                "readings": len(entry.row.readings),
                "cases": len(entry.cases),
                "share": entry.share,
                "verdict": entry.verdict,
            }
        )
    return pd.DataFrame(rows)


def totals(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how many claims of each paper and kind have each verdict."""
    return pd.crosstab(
        [rows["paper"], rows["kind"]], rows["verdict"], margins=True, margins_name="all"
    )
