"""A promise in terms of beliefs, and the notions that keep it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from liftlib.errors import InvalidParameter
from liftlib.notions import ALIP, LIP, Notion
from mixproof.numerics import check_scalar

# the notions that are tried, by budget: ALIP splits twice the budget unevenly, as E23 does
NOTIONS_AT: tuple[Callable[[float], Notion], ...] = (LIP, lambda eps: ALIP.split(2 * eps, 0.65))

BELIEF_STEPS_PER_NAT = 10_000  # budgets that answer a question are multiples of 1 / BELIEF_STEPS_PER_NAT nats


@dataclass(frozen=True)
class Question:
    """A promise: no belief of ``belief`` becomes more than ``at_most``, for whoever knows only how common values are.

    Both are shares, with 0 < belief < at_most < 1; InvalidParameter is raised otherwise.

    Examples
    --------
    LIP lets a belief of 0.1 double at a budget of log 2:

    >>> [str(notion) for notion in Question(0.1, 0.2).notions()]
    ['LIP(eps=0.6931)', 'ALIP(eps_l=1.28726, eps_u=0.69314)']
    """

    belief: float
    at_most: float

    def __post_init__(self) -> None:
        check_scalar("belief", self.belief, 0, 1, open_low=True, open_high=True)
        check_scalar("at_most", self.at_most, 0, 1, open_low=True, open_high=True)
        if self.at_most <= self.belief:
            raise InvalidParameter(
                f"at_most is {percent(self.at_most)} and belief {percent(self.belief)}: a release that tells anything "
                f"raises some belief, so allow more than {percent(self.belief)}"
            )

    def __str__(self) -> str:
        return f"a belief of {percent(self.belief)} may become at most {percent(self.at_most)}"

    def notions(self) -> tuple[Notion, ...]:
        """Return LIP and ALIP (split 65 to 35), each with the largest budget that keeps the promise."""
        return tuple(notion_at(self._largest_budget(notion_at)) for notion_at in NOTIONS_AT)

    def _largest_budget(self, notion_at: Callable[[float], Notion]) -> float:
        def within(steps: int) -> bool:
            return notion_at(steps / BELIEF_STEPS_PER_NAT).belief(self.belief)[1] <= self.at_most

        low, high = 0, BELIEF_STEPS_PER_NAT
        while within(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if within(middle) else (low, middle)
        return low / BELIEF_STEPS_PER_NAT


def usual_mechanism(promise: Notion | Question) -> str:
    """Return the mechanism of a release that names none.

    Of a belief, subset responses retain most: .38 of H(X) for 300 rows of 4 secrets and 6
    symbols with moderate dependence, where merging retains .04.
    """
    return "subset-response" if isinstance(promise, Question) else "subset-merging"


def percent(share: float, *, up: bool = False) -> str:
    """Return a share in per cent, optionally rounded up to a tenth."""
    return f"{math.ceil(1000 * share - 1e-9) / 10:g} %" if up else f"{100 * share:.6g} %"
