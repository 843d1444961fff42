"""Claims as published, their computed values, and how these are stored."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar, get_args

from companion.claims import last_digit
from liftbook.claims.rule import FORMS, Value
from liftlib.errors import DataError
from liftlib.resources import resource

Computed = Callable[..., Value]
Kind = Literal["result", "input", "proposition", "verbal", "time"]

KINDS: tuple[Kind, ...] = get_args(Kind)
PROOFS = {
    "reason": "in the row's reason",
    "computed": "what ran is all that the statement speaks of",
    "none": "none that we know, so the verdict rests on what ran",
}
"""What a row says if its proof is not a place."""
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
    >>> parse("true"), parse("0.25")
    (True, 0.25)
    """
    return text == "true" if text in ("true", "false") else float(text)


def store(value: Value) -> str:
    """Return a value's stored form, which preserves every bit."""
    return str(value).lower() if isinstance(value, bool) else repr(float(value))


def shown(values: Sequence[Value]) -> str:
    """Return replications as text: the mean and range, or how often the claim holds.

    Examples
    --------
    >>> shown([True, True]), shown([True, False]), shown([0.5]), shown([0.5, 0.75])
    ('holds in 2 of 2', 'holds in 1 of 2', '0.5', '0.625 (0.5 to 0.75)')
    """
    if all(isinstance(value, bool) for value in values):
        return (
            str(values[0]).lower()
            if len(values) == 1
            else f"holds in {sum(map(bool, values))} of {len(values)}"
        )
    low, high, mean = range_of(values)
    return (
        f"{mean:.4g}"
        if len(values) == 1 or low == high
        else f"{mean:.4g} ({low:.4g} to {high:.4g})"
    )


def range_of(values: Sequence[Value]) -> tuple[float, float, float]:
    """Return the minimum, maximum and mean of values."""
    numbers = [float(value) for value in values]
    return min(numbers), max(numbers), math.fsum(numbers) / len(numbers)


@dataclass(frozen=True)
class Claim:
    """One sentence of a paper: a row of ``data/claims.csv``.

    ``proof`` names where a universal statement is proven, with bars between places: in
    the paper, as "Appendix C", or here, as "watchdog#thm-invariant". It may also be a
    word of ``PROOFS``.
    """

    id: str
    paper: str
    place: str
    kind: str
    form: str
    says: str
    sentences: str
    setting: str
    printed: str
    digit: str
    see: str
    proof: str
    reason: str

    def __post_init__(self) -> None:
        for name, known in (("kind", KINDS), ("form", FORMS)):
            if getattr(self, name) not in known:
                raise DataError(
                    f"claim {self.id} has the {name} {getattr(self, name)!r}: give"
                    f" {', '.join(known)}"
                )
        if self.says.lower().startswith("whether") or self.says.endswith("?"):
            raise DataError(
                f"claim {self.id} says {self.says!r}, which claims nothing: leave it"
                " out in sentences.csv"
            )
        if self.printed != "true":
            try:
                float(self.printed)
            except ValueError:
                raise DataError(
                    f"claim {self.id} is printed as {self.printed!r}: give a number, or"
                    " true"
                ) from None

    @property
    def tolerance(self) -> float:
        """One unit of the published number's last digit, which may be
        rounded or cut.
        """
        return float(self.digit) if self.digit else last_digit(self.printed)

    @property
    def number(self) -> float | None:
        """The published number, or None for a claim in words."""
        return None if self.printed == "true" else float(self.printed)

    @property
    def proofs(self) -> tuple[str, ...]:
        """The places of the proof, or the word that stands for them."""
        return tuple(self.proof.split(" | ")) if self.proof else ()

    @property
    def chapter(self) -> str:
        """The chapter that shows the result."""
        return self.see.partition("#")[0]


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
