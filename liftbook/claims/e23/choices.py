"""Choices of Adult's relationships that reproduce numbers of E23."""

from __future__ import annotations

import math

from liftbook.claims.curves import curve_claims
from liftbook.claims.e23.response import aorr_adult_eps_2
from liftbook.claims.judging import Computed
from liftbook.claims.samples import occupations

CURVES = curve_claims()
PRINTED: dict[str, tuple[Computed, float]] = {
    "watchdog 1": (CURVES["watchdog_adult_eps_1"], 0.28),
    "watchdog 2": (CURVES["watchdog_adult_eps_2"], 0.73),
    "AORR 2": (aorr_adult_eps_2, 0.96),
    "merging 1": (CURVES["merging_adult_eps_1"], 0.73),
}
"""The claims whose published numbers depend on the choice, by mechanism and budget."""


def _choices() -> list[str]:
    """Return the relationships that may be left out, or "none"."""
    return ["none", *map(str, occupations("none").secret)]


def relationship_choices() -> float:
    return float(len(_choices()))


def _gives(what: str, without: str, how: str) -> bool:
    computed, printed = float(PRINTED[what][0](without)), PRINTED[what][1]  # type: ignore[arg-type]
    if how == "cut":
        return math.isclose(math.floor(100 * computed) / 100, printed)
    if how == "rounded":
        return math.isclose(round(computed, 2), printed)
    return abs(computed - printed) <= 0.01


def choices_that_give(which: str) -> float:
    """Return how many choices reproduce published numbers; "watchdog 2, rounded".

    Numbers are compared "cut", "rounded" or "within a unit". Several are joined by "and", as in "watchdog 2 and merging
    1, rounded".
    """
    names, how = which.split(", ")
    return float(sum(all(_gives(what, choice, how) for what in names.split(" and ")) for choice in _choices()))
