"""Claims as published, their computed values, how these are stored, and the verdict."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar, get_args

from companion.claims import last_digit, verdict
from liftlib.errors import DataError
from liftlib.resources import resource


class Interval(NamedTuple):
    """A confidence interval for an effect that the paper reports as zero.

    It is compared with a margin, not with a published number.
    """

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low!r} to {self.high!r}"


Value = float | bool | Interval
Computed = Callable[..., Value]
Outcome = Literal["agrees", "differs", "divided", "undecided"]
Verdict = Literal["agrees", "differs", "depends on the reading", "cannot be told from the text"]
Kind = Literal["result", "input", "proposition", "verbal", "time"]
Scale = Literal["paper", "smaller", "ours", "unprinted"]

KINDS: tuple[Kind, ...] = get_args(Kind)
SCALES: tuple[Scale, ...] = get_args(Scale)
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
REPLICATIONS = 20
"""Number of replications, with the seeds 0, 1, ..., of random claims."""

F = TypeVar("F", bound=Computed)


def long(function: F) -> F:
    """Mark a function that takes more than a few seconds; the build does not run it."""
    function.long = True  # type: ignore[attr-defined]
    return function


def parse(text: str) -> Value:
    """Return a value from its stored form.

    Examples
    --------
    >>> parse("true"), parse("0.25"), parse("-0.1 to 0.2")
    (True, 0.25, Interval(low=-0.1, high=0.2))
    """
    if text in ("true", "false"):
        return text == "true"
    if " to " in text:
        low, _, high = text.partition(" to ")
        return Interval(float(low), float(high))
    return float(text)


def store(value: Value) -> str:
    """Return a value's stored form, which preserves every bit."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, Interval) else repr(float(value))


def shown(values: Sequence[Value]) -> str:
    """Return replications as text: the mean and range, or how often the claim holds.

    Examples
    --------
    >>> shown([True, True]), shown([True, False]), shown([0.5]), shown([0.5, 0.75])
    ('holds in 2 of 2', 'holds in 1 of 2', '0.5', '0.625 (0.5 to 0.75)')
    """
    if all(isinstance(value, bool) for value in values):
        return str(values[0]).lower() if len(values) == 1 else f"holds in {sum(map(bool, values))} of {len(values)}"
    if isinstance(values[0], Interval):
        low, high = (sum(v[at] for v in values if isinstance(v, Interval)) / len(values) for at in (0, 1))
        return f"{low:.3f} to {high:.3f}"
    low, high, mean = range_of(values)
    return f"{mean:.4g}" if len(values) == 1 or low == high else f"{mean:.4g} ({low:.4g} to {high:.4g})"


def range_of(values: Sequence[Value]) -> tuple[float, float, float]:
    """Return the minimum, maximum and mean of the values that are not intervals."""
    numbers = [float(value) for value in values if not isinstance(value, Interval)]
    return min(numbers), max(numbers), math.fsum(numbers) / len(numbers)


@dataclass(frozen=True)
class Claim:
    """One sentence of a paper: a row of ``data/claims.csv``."""

    id: str
    paper: str
    place: str
    kind: str
    says: str
    sentences: str
    reading: str
    setting: str
    scale: str
    trials: str
    printed: str
    digit: str
    computed_by: str
    see: str
    reason: str

    def __post_init__(self) -> None:
        for name, known in (("kind", KINDS), ("scale", SCALES)):
            if getattr(self, name) not in known:
                raise DataError(f"claim {self.id} has the {name} {getattr(self, name)!r}: give {', '.join(known)}")
        if self.says.lower().startswith("whether") or self.says.endswith("?"):
            raise DataError(f"claim {self.id} says {self.says!r}, which claims nothing: leave it out in sentences.csv")
        if self.printed != "true":
            try:
                float(self.printed)
            except ValueError:
                raise DataError(f"claim {self.id} is printed as {self.printed!r}: give a number, or true") from None

    @property
    def tolerance(self) -> float:
        """One unit of the published number's last digit, which may be rounded or cut."""
        return float(self.digit) if self.digit else last_digit(self.printed)

    @property
    def chapter(self) -> str:
        """The chapter that shows the result."""
        return self.see.partition("#")[0]

    def outcome(self, values: Sequence[Value]) -> Outcome:
        """Return the outcome of one reading's replications, see :meth:`judged`.

        Two kinds of values cannot contradict the paper, so a difference counts as undecided: values in a setting of our
        own because the text specifies none, and times, which depend on the authors' machine and program.
        """
        outcome = self.judged(values)
        beyond_us = self.scale == "unprinted" or self.kind == "time"
        return outcome if outcome == "agrees" or not beyond_us else "undecided"

    def judged(self, values: Sequence[Value]) -> Outcome:
        """Return whether replications of one reading agree with the paper.

        A published number agrees if it lies in the range of the replications, widened by one unit of its last digit. A
        statement agrees if it fails in at most one of 20, and differs if it holds in at most one; a proposition must
        hold in all. Intervals for an effect published as zero agree if all lie within the margin, and differ if all lie
        outside it. Replications that do neither are divided: the draw decides.
        """
        if not values:
            return "undecided"
        if all(isinstance(value, bool) for value in values):
            return self._stated([bool(value) for value in values])
        if isinstance(values[0], Interval):
            return self._null([value for value in values if isinstance(value, Interval)])
        return verdict(self.printed, *range_of(values), digit=self.tolerance)

    def _stated(self, held: list[bool]) -> Outcome:
        if self.kind == "proposition":
            return "agrees" if all(held) else "differs"
        few = len(held) // 20
        if sum(held) >= len(held) - few:
            return "agrees"
        return "differs" if sum(held) <= few else "divided"

    def _null(self, intervals: list[Interval]) -> Outcome:
        inside = [
            abs(interval.low) <= self.tolerance and abs(interval.high) <= self.tolerance for interval in intervals
        ]
        outside = [interval.low > self.tolerance or interval.high < -self.tolerance for interval in intervals]
        if all(inside):
            return "agrees"
        return "differs" if all(outside) else "divided"


def verdict_of(outcomes: Sequence[Outcome]) -> Verdict:
    """Return the verdict on a sentence from the outcomes of its readings.

    Readings are those that the paper's words support and, if the paper states the same elsewhere, what it states there.
    So a slip that the paper contradicts itself depends on the reading, and one that it repeats differs. Readings with
    different outcomes depend on the reading, except that where one is undecided an agreement alone tells nothing.

    Examples
    --------
    >>> verdict_of(["agrees"]), verdict_of(["agrees", "differs"]), verdict_of(["divided"])
    ('agrees', 'depends on the reading', 'cannot be told from the text')
    >>> verdict_of(["agrees", "divided"]), verdict_of(["agrees", "undecided"])
    ('depends on the reading', 'cannot be told from the text')
    """
    if {"agrees", "differs"} <= set(outcomes):
        return "depends on the reading"
    if "undecided" in outcomes or set(outcomes) == {"divided"}:
        return "cannot be told from the text"
    if "divided" in outcomes:
        return "depends on the reading"
    return "agrees" if "agrees" in outcomes else "differs"


def ledger_file() -> Path:
    """Return the path of ``data/ledger.csv``."""
    return resource("data/claims.csv").with_name("ledger.csv")


def stored_rows() -> list[dict[str, str]]:
    """Return the rows of ``data/ledger.csv``."""
    with ledger_file().open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def stored_by_seed() -> dict[str, dict[int, Value]]:
    """Return the values of each call by seed, with seeds in ascending order."""
    values: dict[str, dict[int, Value]] = defaultdict(dict)
    for row in sorted(stored_rows(), key=lambda row: int(row["seed"])):
        values[row["call"]][int(row["seed"])] = parse(row["value"])
    return dict(values)


def stored_values() -> dict[str, list[Value]]:
    """Return the values of each call, in ascending order of the seed."""
    return {call: list(values.values()) for call, values in stored_by_seed().items()}
