"""When a search ends, and what it may use."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

# how much longer than its limit a search may take to mix what it found
LAST_SECONDS, LAST_SHARE = 0.2, 0.2

# progress callback, called with (cost, lower bound, seconds)
Report = Callable[[float, float, float], None]


class Reached(NamedTuple):
    """What ended a search before its gap, and what to do, for "``reason`` after 3 s;
    ``remedy`` than 1e-06": a remedy ends with a wider gap.
    """

    reason: str
    remedy: str


TIME_OVER = Reached("the time limit was reached", "give more seconds, or a wider gap")
WORK_OVER = Reached(
    "the limit in work was reached",
    "give more work (work=None: no limit), or a wider gap",
)
MEMORY_OVER = Reached("the tree was as large as memory lets it be", "give a wider gap")


@dataclass(frozen=True)
class Limits:
    """When a search ends, and what it may use.

    Attributes
    ----------
    gap : float
        The search ends once cost and bound differ by at most this fraction of H(P) -
        cost, where P is the target.
    work : int, optional
        Maximum number of linear programs in branch and bound, a limit that does not
        depend on the machine's speed. Four times as many descents from other starts
        are allowed. Searches of polytopes that become tighter share one limit. It is
        checked before each batch of descents, and the first batch and the first program
        always run, so that there is a mixture and a bound.
    seconds : float, optional
        Time limit, by the clock: on a shared machine the result depends on the load.
    report : callable, optional
        Progress callback, called with (cost, bound, seconds).

    Examples
    --------
    >>> Limits(work=1000).less(400)
    Limits(gap=1e-06, work=600, seconds=None, report=None)
    """

    gap: float = 1e-6
    work: int | None = None
    seconds: float | None = None
    report: Report | None = None

    def less(
        self, work: int, seconds: float = 0.0, *, gap: float | None = None
    ) -> Limits:
        """Return what is left after some work and seconds, for another search with its
        own gap.

        Its reports count these seconds too.
        """
        report = self.report
        return replace(
            self,
            report=None
            if report is None
            else lambda cost, bound, later: report(cost, bound, seconds + later),
            gap=self.gap if gap is None else gap,
            work=None if self.work is None else max(0, self.work - work),
            seconds=None if self.seconds is None else max(0.0, self.seconds - seconds),
        )


class Clock:
    """The time since a search began, and what a time limit leaves.

    Examples
    --------
    >>> Clock(None).left, Clock(0.0).left
    (inf, 0.0)
    """

    def __init__(self, seconds: float | None) -> None:
        self.began = time.perf_counter()
        self.limit = float("inf") if seconds is None else seconds

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.began

    @property
    def left(self) -> float:
        """Seconds left, at least 0."""
        return max(0.0, self.limit - self.seconds)

    @property
    def last(self) -> float:
        """Seconds left to mix what was found, also if the limit is reached."""
        return max(0.0, (1 + LAST_SHARE) * self.limit + LAST_SECONDS - self.seconds)


UNLIMITED = Clock(None)
"""A clock without a time limit."""
