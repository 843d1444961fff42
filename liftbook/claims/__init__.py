"""The ledger: every number and statement of the papers, computed and judged.

``data/claims.csv`` lists the claims. Its column ``computed_by`` names what computes the value: a function in the
paper's folder here, or a row of ``data/curves.toml``, which compares curves of a figure; its argument, such as a
reading, follows a colon. ``printed`` is a number, or ``true`` for a claim in words, and ``sentences`` names those that
the claim tests. ``data/sentences.csv`` lists every sentence of the papers, with the reason if no claim tests it.
``data/readings.csv`` has other fair readings of a sentence, and details for its reason. A call in braces in a reason,
such as ``{merging_broken_at_8}``, stands for its stored value. ``data/ledger.csv``, which ``make ledger`` writes,
stores the values by seed.
"""

from __future__ import annotations

import csv
import inspect
import pkgutil
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

import pandas as pd

from liftbook.claims.curves import CurveClaim, curve_claims
from liftbook.claims.judging import (
    Claim,
    Computed,
    Interval,
    Value,
    Verdict,
    range_of,
    shown,
    stored_values,
    verdict_of,
)
from liftlib.errors import DataError
from liftlib.resources import resource

__all__ = [
    "FUNCTIONS",
    "PAPERS",
    "Claim",
    "Entry",
    "Interval",
    "OtherReading",
    "Sentence",
    "calls_in",
    "compute",
    "drawn_at_random",
    "entries",
    "ledger",
    "read_claims",
    "read_readings",
    "read_sentences",
    "told",
    "totals",
]


def _table(name: str) -> list[dict[str, str]]:
    with resource(f"data/{name}").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


PAPERS = tuple(dict.fromkeys(row["paper"].lower() for row in _table("claims.csv")))
"""The papers in the order of ``data/claims.csv``, which is the book's; each has a folder or a module here."""


def _own_functions(module: ModuleType) -> dict[str, Computed]:
    """Return the public functions that a module defines itself, without figures."""
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value) and name[0].islower() and getattr(value, "__module__", "") == module.__name__
        if not hasattr(value, "is_figure")
    }


def _modules() -> list[ModuleType]:
    """Return the papers' modules, and those in their folders."""
    papers = [import_module(f"liftbook.claims.{paper}") for paper in PAPERS]
    inside = [pkgutil.iter_modules(getattr(one, "__path__", ()), f"{one.__name__}.") for one in papers]
    return [*papers, *(import_module(module.name) for modules in inside for module in modules)]


FUNCTIONS: dict[str, Computed] = {
    **{name: function for module in _modules() for name, function in _own_functions(module).items()},
    **curve_claims(),
}
"""All functions that a claim may name."""


ROLES = ("reading", "elsewhere", "detail")
"""Roles of the rows of ``data/readings.csv``."""


@dataclass(frozen=True)
class OtherReading:
    """A row of ``data/readings.csv``: another reading of a sentence, or a detail.

    The role ``elsewhere`` is a reading too: what the paper itself states of the same, in the place that the text names.
    A detail does not affect the verdict.
    """

    claim: str
    role: str
    reading: str
    computed_by: str


def read_claims() -> list[Claim]:
    """Return the rows of ``data/claims.csv``.

    Raises
    ------
    DataError
        If a row has an invalid kind, scale or published value, or an id occurs twice.
    """
    claims = [Claim(**row) for row in _table("claims.csv")]
    twice = {claim.id for claim in claims if sum(other.id == claim.id for other in claims) > 1}
    if twice:
        raise DataError(f"claims.csv has the id {min(twice)!r} twice: make ids unique")
    return claims


def read_readings() -> list[OtherReading]:
    """Return the rows of ``data/readings.csv``.

    Raises
    ------
    DataError
        If a row names an unknown claim or role.
    """
    readings, known = [OtherReading(**row) for row in _table("readings.csv")], {claim.id for claim in read_claims()}
    for reading in readings:
        if reading.claim not in known:
            raise DataError(f"readings.csv has the claim {reading.claim!r}, not in claims.csv: correct either file")
        if reading.role not in ROLES:
            raise DataError(f"readings.csv has the role {reading.role!r} for {reading.claim}: give {', '.join(ROLES)}")
    return readings


@dataclass(frozen=True)
class Sentence:
    """A row of ``data/sentences.csv``: a sentence, why no claim tests it, and how two readers noted it.

    ``claims`` has the ids of the claims that name the sentence, with blanks between them.
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
        If a claim names an unknown sentence, or a row has both claims and a reason for having none, or neither.
    """
    rows = _table("sentences.csv")
    claims: dict[str, list[str]] = {f"{row['paper']} {row['place']}": [] for row in rows}
    for claim in read_claims():
        for place in claim.sentences.split(" | "):
            if place not in claims:
                raise DataError(f"claim {claim.id} names {place!r}, not in sentences.csv: correct either file")
            claims[place].append(claim.id)
    sentences = [Sentence(**row, claims=" ".join(claims[f"{row['paper']} {row['place']}"])) for row in rows]
    for sentence in sentences:
        if bool(sentence.claims) == bool(sentence.left_out):
            raise DataError(
                f"sentences.csv, {sentence.paper}, {sentence.place}: give either claims or why it is left out"
            )
    return sentences


def _called(call: str) -> tuple[Computed, tuple[str, ...]]:
    name, _, argument = call.partition(":")
    if name not in FUNCTIONS:
        raise DataError(f"a claim names {name!r}, which liftbook.claims does not have: add the function, or correct it")
    return FUNCTIONS[name], (argument,) if argument else ()


def drawn_at_random(call: str) -> bool:
    """Return whether the value of a call depends on a seed."""
    function, _ = _called(call)
    return function.random if isinstance(function, CurveClaim) else "seed" in inspect.signature(function).parameters


def compute(call: str, seed: int = 0) -> Value:
    """Return the value of a call such as ``name:argument``.

    Raises
    ------
    DataError
        If there is no such function.
    """
    function, arguments = _called(call)
    return function(*arguments, seed=seed) if drawn_at_random(call) else function(*arguments)


CALL = re.compile(r"\{([^{}]+)\}")


def calls_in(reason: str) -> list[str]:
    """Return the calls in braces in a reason, except those within formulas.

    Examples
    --------
    >>> calls_in(r"On {merging_broken_at_8} of them $2^{n}$ is exceeded.")
    ['merging_broken_at_8']
    """
    return [call for words in reason.split("$")[::2] for call in CALL.findall(words)]


def told(reason: str, values: Mapping[str, Sequence[Value]]) -> str:
    """Return a reason with its calls replaced by their stored values, rounded.

    Examples
    --------
    >>> told("On {merging_broken_at_8} of them.", {"merging_broken_at_8": [0.25, 0.75]})
    'On 0.5 (0.25 to 0.75) of them.'
    """
    pieces = reason.split("$")
    for at in range(0, len(pieces), 2):
        pieces[at] = CALL.sub(lambda call: shown(values[call[1]]) if values.get(call[1]) else "?", pieces[at])
    return "$".join(pieces)


@dataclass(frozen=True)
class Entry:
    """A claim with the values of each reading over seeds, the tested one first.

    ``reason`` is the claim's reason with its calls replaced by their stored values.
    """

    claim: Claim
    reason: str
    readings: tuple[tuple[str, str, tuple[Value, ...]], ...]
    details: tuple[tuple[str, str, tuple[Value, ...]], ...]

    @property
    def outcomes(self) -> list[str]:
        """The outcome of each reading."""
        return [self.claim.outcome(values) for _, _, values in self.readings]

    @property
    def verdict(self) -> Verdict:
        """The verdict on the sentence."""
        return verdict_of([self.claim.outcome(values) for _, _, values in self.readings])

    @property
    def found(self) -> tuple[Value, ...]:
        """The values of the tested reading."""
        return self.readings[0][2]

    @property
    def numbers(self) -> list[float]:
        """The numbers among the values of the tested reading."""
        return [float(value) for value in self.found if not isinstance(value, bool | Interval)]

    @property
    def calls(self) -> list[str]:
        """All calls computed for the claim, including those in its reason."""
        return [call for _, call, _ in (*self.readings, *self.details)] + calls_in(self.claim.reason)


def entries(values: Mapping[str, Sequence[Value]]) -> list[Entry]:
    """Return an entry for each claim, given the values of each call over seeds."""
    others = read_readings()

    def with_values(rows: list[tuple[str, str]]) -> tuple[tuple[str, str, tuple[Value, ...]], ...]:
        return tuple((text, call, tuple(values.get(call, ()))) for text, call in rows)

    all_entries = []
    for claim in read_claims():
        claim_readings = [reading for reading in others if reading.claim == claim.id]
        fair = [(reading.reading, reading.computed_by) for reading in claim_readings if reading.role != "detail"]
        details = [(reading.reading, reading.computed_by) for reading in claim_readings if reading.role == "detail"]
        readings = with_values([(claim.reading, claim.computed_by), *fair])
        all_entries.append(Entry(claim, told(claim.reason, values), readings, with_values(details)))
    return all_entries


NOT_SHOWN = ("computed_by", "digit", "reason", "sentences")
"""Columns of ``data/claims.csv`` that the ledger omits, or replaces."""


def ledger(values: Mapping[str, Sequence[Value]] | None = None) -> pd.DataFrame:
    """Return every claim with its results and verdict, by default from stored values.

    Returns
    -------
    pandas.DataFrame
        The columns of ``data/claims.csv`` without ``sentences``, ``computed_by`` and ``digit``, and ``computed`` (in
        words), ``low``, ``high`` and ``mean`` (None if not numbers), ``replications`` and ``readings`` (both counts),
        and ``verdict``.
    """
    if values is None:
        values = stored_values()
    rows = []
    for entry in entries(values):
        claim, computed = entry.claim, entry.found
        low, high, mean = range_of(entry.numbers) if entry.numbers else (None, None, None)
        rows.append(
            {
                **{name: value for name, value in vars(claim).items() if name not in NOT_SHOWN},
                "reason": entry.reason,
                "computed": shown(computed) if computed else "not run yet",
                "low": low,
                "high": high,
                "mean": mean,
                "replications": len(computed),
                "readings": len(entry.readings),
                "verdict": entry.verdict,
            }
        )
    return pd.DataFrame(rows)


def totals(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how many claims of each paper and kind have each verdict."""
    return pd.crosstab([rows["paper"], rows["kind"]], rows["verdict"], margins=True, margins_name="all")
