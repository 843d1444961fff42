"""A claim, what is computed in its place, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from liftlib.errors import DataError


@dataclass(frozen=True)
class Spread:
    """The least and the largest of a statistic over independent runs; a print within it agrees."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:.3g} to {self.high:.3g}"


Computed = float | bool | Spread
Verdict = Literal["agrees", "differs"]


@dataclass(frozen=True)
class Claim:
    """One row of ``data/claims.csv``."""

    id: str
    paper: str
    place: str
    quantity: str
    printed: str
    tolerance: float
    computed_by: str
    reason: str

    def compute(self, functions: Mapping[str, Callable[[], Computed]]) -> Computed:
        """Return what this book finds in the claim's place.

        Raises
        ------
        DataError
            If ``computed_by`` names none of the functions.
        """
        if self.computed_by not in functions:
            raise DataError(f"claim {self.id} names {self.computed_by!r}, which liftbook.claims does not have")
        return functions[self.computed_by]()

    def judge(self, computed: Computed) -> Verdict:
        """Return whether the computed value agrees with the print, to within the tolerance."""
        if isinstance(computed, bool):
            agrees = self.printed == str(computed).lower()
        elif isinstance(computed, Spread):
            agrees = computed.low - self.tolerance <= float(self.printed) <= computed.high + self.tolerance
        else:
            agrees = abs(computed - float(self.printed)) <= self.tolerance
        return "agrees" if agrees else "differs"
