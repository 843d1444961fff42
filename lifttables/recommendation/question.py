"""Requirements on a release (beliefs or accuracy), and the command that makes it."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from liftlib.errors import InvalidParameter, shown
from liftlib.notions import LDP, Notion
from lifttables.designs.designing import DEFAULT_CONFIDENCE
from lifttables.encoding.reading import Reading
from mixproof.numerics import check_scalar

Adversary = Literal["shares", "any"]  # knows how common each value of the secret is, or has any prior knowledge

DEFAULT_BELIEF = 0.1  # the prior belief if no question names another

BELIEF_LIMITS = {"stricter": 0.15, "middle": 0.2, "looser": 0.3}  # the most that a belief of 10 % may become, by option

BELIEF_STEPS_PER_NAT = (
    10_000  # budgets that answer a question about beliefs are multiples of 1 / BELIEF_STEPS_PER_NAT nats
)


@dataclass(frozen=True)
class Question:
    """A requirement on a release; invalid numbers raise InvalidParameter."""

    belief: float = DEFAULT_BELIEF  # before the release, in (0, 1)
    at_most: float | None = None  # the largest belief allowed after the release, in (belief, 1)
    adversary: Adversary = "shares"
    accuracy: float | None = None  # the largest 95 % error of an estimated share; 0.02 is 2 percentage points

    def __post_init__(self) -> None:
        check_scalar("belief", self.belief, 0, 1, open_low=True, open_high=True)
        if self.adversary not in get_args(Adversary):
            raise InvalidParameter(f"adversary is {shown(self.adversary)}: give 'shares' or 'any'")
        if self.accuracy is not None:
            check_scalar("accuracy", self.accuracy, 0, 1, open_low=True, open_high=True)
        if self.at_most is not None:
            check_scalar("at_most", self.at_most, 0, 1, open_low=True, open_high=True)
            if self.at_most <= self.belief:
                raise InvalidParameter(
                    f"at_most is {percent(self.at_most)} and belief {percent(self.belief)}: a release that tells "
                    f"anything raises some belief, so allow more than {percent(self.belief)}"
                )

    @classmethod
    def asked(
        cls,
        belief: float | None,
        at_most: float | None,
        adversary: Adversary,
        accuracy: float | None,
        eps: float | None,
    ) -> Question:
        """Return the question in the arguments; refuse incomplete or several questions."""
        if eps is not None:
            check_scalar("eps", eps, finite=True)
        if (belief is None) != (at_most is None):
            raise InvalidParameter("belief and at_most belong together: give both, such as 10 % and 20 %")
        if sum(argument is not None for argument in (eps, belief, accuracy)) > 1:
            raise InvalidParameter("eps, belief with at_most, and accuracy exclude each other: ask for one of them")
        return cls(DEFAULT_BELIEF if belief is None else belief, at_most, adversary, accuracy)

    def bound(self, notion: Notion) -> float:
        """Return the largest belief that ``belief`` can become under a notion."""
        return (notion if self.adversary == "shares" else LDP(notion.odds_growth)).belief(self.belief)[1]

    def largest_budget(self, notion_at: Callable[[float], Notion], at_most: float) -> float:
        """Return the largest budget under which a belief becomes at most ``at_most``.

        It is a multiple of 1 / ``BELIEF_STEPS_PER_NAT`` nats. LIP lets a belief of 0.1 double at a budget of log 2:

        >>> from liftlib import LIP
        >>> Question(0.1, 0.2).largest_budget(LIP, 0.2)
        0.6931
        """
        low, high = 0, BELIEF_STEPS_PER_NAT
        while self.bound(notion_at(high / BELIEF_STEPS_PER_NAT)) <= at_most:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            within = self.bound(notion_at(middle / BELIEF_STEPS_PER_NAT)) <= at_most
            low, high = (middle, high) if within else (low, middle)
        return low / BELIEF_STEPS_PER_NAT

    def text(self, secret: str, at_most: float | None) -> str:
        """Return the requirement as a sentence; empty without a requirement."""
        if self.accuracy is not None:
            return f"Every estimated share must have a 95 % error of at most {points(self.accuracy)}."
        if at_most is None:
            return ""
        whom = {
            "shares": f"somebody who knows only how common each value of {secret} is",
            "any": f"anybody, whatever they know about {secret}",
        }[self.adversary]
        return f"For {whom}, a belief of {percent(self.belief)} may become at most {percent(at_most)}."


def percent(share: float, *, up: bool = False) -> str:
    """Return a share in per cent, optionally rounded up to a tenth."""
    return f"{math.ceil(1000 * share - 1e-9) / 10:g} %" if up else f"{100 * share:.6g} %"


def points(share: float) -> str:
    """Return a difference of shares in percentage points, rounded up to two decimals."""
    return f"{math.ceil(1e4 * share - 1e-9) / 100:g} percentage points"


def parameters_of(notion: Notion) -> list[str]:
    """Return the command-line options of a notion; budgets are never rounded up."""
    words = ["--notion", type(notion).__name__.lower()]
    for field in fields(notion):  # type: ignore[arg-type]  # each notion is a dataclass
        budget = float(getattr(notion, field.name))
        short = f"{budget:.12g}"  # without the rounding of a product, unless that would round up
        words += [f"--{field.name.replace('_', '-')}", short if float(short) <= budget else repr(budget)]
    return words


def sanitise_command(source: Any, how: Reading, confidence: float | None, notion: Notion, mechanism: str) -> str:
    """Return the ``lift sanitise`` command that releases a file; empty for a frame."""
    if not isinstance(source, str | Path):
        return ""
    path = Path(source)
    ending = path.suffix if path.suffix in (".csv", ".tsv", ".parquet") else ".csv"
    stem = "table" if str(source) == "-" else path.name.split(".")[0]
    words = ["lift", "sanitise", str(source), "--secret", *how.secrets, "--public", *how.publics]
    default = Reading("s", "x")
    for option, name in (("bin", "bins"), ("hierarchy", "hierarchies"), ("values", "values")):
        for text in getattr(how, name):
            words += [f"--{option}", text]
    for name in ("categorical", "na", "missing", "rare", "min_count", "max_symbols", "sampling"):
        value = getattr(how, name)
        if value != getattr(default, name):
            words += [f"--{name.replace('_', '-')}", *(map(str, value) if isinstance(value, tuple) else [str(value)])]
    for name in ("separator", "quote", "encoding"):
        value = getattr(how.text_format, name)
        if value != getattr(default.text_format, name):
            words += [f"--{name}", {"\t": "tab", " ": "space", None: "none"}.get(value, str(value))]
    words += [*parameters_of(notion), "--mechanism", mechanism]
    if confidence != DEFAULT_CONFIDENCE:
        words += ["--confidence", "none" if confidence is None else repr(confidence)]
    return shlex.join([*words, "-o", str(path.with_name(f"{stem}.released{ending}"))])
