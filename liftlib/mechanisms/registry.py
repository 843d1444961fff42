"""Every mechanism, once: what makes it, what it serves, what it costs, where it comes from.

The contract test, the command line, the comparison and the reference page read this list; a mechanism that is not in
it is not public. A mechanism's module is imported when it is first used.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

import numpy as np

from liftlib.channel import Channel
from liftlib.checks import checked
from liftlib.errors import InvalidParameter, UnsupportedNotion
from liftlib.joint import Joint
from liftlib.mechanisms.family import Family
from liftlib.notions import Notion


@dataclass(frozen=True)
class Serves:
    """A kind of notions: which they are in words, and the test."""

    words: str
    test: Callable[[Notion], bool]

    def __call__(self, notion: Notion) -> bool:
        """Return whether a notion is of the kind."""
        return self.test(notion)


ANY = Serves("any notion", lambda _: True)
COLUMNWISE = Serves("notions that lift columns decide", lambda notion: notion.columnwise)
POLYHEDRAL = Serves("notions with halfspaces", lambda notion: notion.polyhedral)
BOTH = Serves("notions that lift columns decide and that have halfspaces", lambda n: n.columnwise and n.polyhedral)
CONVEX = Serves("notions that allow a convex set of rows", lambda n: n.polyhedral or (n.convex and n.columnwise))
PLAIN = Serves("notions with halfspaces, not about attributes", lambda n: n.polyhedral and n.attributes is None)
ATTRIBUTES = Serves("notions about X's attributes", lambda notion: notion.attributes is not None)
# whether bounds are exact is the notion's, whatever the prior
BOUNDS = Serves("notions that are bounds on single lifts", lambda n: n.lift_bounds(np.full(2, 0.5)).exact)

# a budget's infinite side is no bound, whatever the prior
CEILING = Serves(
    "bounds on the largest lift alone",
    lambda n: n.lift_bounds(np.full(2, 0.5)).exact and bool(np.isinf(n.lift_bounds(np.full(2, 0.5)).lower).all()),
)
AVERAGE = Serves("bounds on I(S; Y)", lambda notion: notion.average is not None)
MAXIMAL = Serves("bounds on maximal leakage", lambda notion: notion.maximal is not None)


def _of_ratios(notion: Notion) -> bool:
    try:
        notion.ratios(2)
    except UnsupportedNotion:
        return False
    return True


RATIOS = Serves("bounds on ratios of P(y|s) and P(y)", _of_ratios)


@dataclass(frozen=True)
class ForPopulation:
    """What is run where a mechanism is asked for with a confidence, for the population that a table is a sample of.

    Attributes
    ----------
    route : {"merging", "response", "watchdog"}
        A design of ``liftlib.mechanisms.confident``; mechanisms of one route give one design.
    name : str
        What a card calls it.
    """

    route: str
    name: str


def _merging_for(name: str) -> ForPopulation:
    return ForPopulation("merging", f"confident-merging (in place of {name})")


def _response_for(name: str) -> ForPopulation:
    return ForPopulation("response", f"confident-response (in place of {name})")


@dataclass(frozen=True)
class Mechanism:
    """One mechanism; called with a joint distribution and a notion, it returns a channel that keeps the notion.

    Attributes
    ----------
    name : str
        What the command line calls it.
    where : str
        Its module in ``liftlib.mechanisms`` and its name there, as ``module:name``: a function of a joint distribution
        and a notion, or a :class:`~liftlib.mechanisms.family.Family`, whose member is calibrated.
    serves : Serves
        Whether it serves a notion; ``serves.words`` says which those are.
    cost : str
        How its time grows, in a few words.
    source : str
        Paper key and place.
    sees_secret : bool
        Whether its channel is P(y|s,x).
    most_symbols : int or None
        Symbols beyond which it refuses, or takes longer than a person waits.
    population : ForPopulation or None
        What is run with a confidence. None for the mechanism itself, with as much of a constant release mixed in as
        the confidence takes.
    """

    name: str
    where: str
    serves: Serves
    cost: str
    source: str
    sees_secret: bool = False
    most_symbols: int | None = None
    population: ForPopulation | None = None

    @property
    def function(self) -> Callable[..., Channel]:
        """The function or the family, as a library's user has it."""
        module, _, attribute = self.where.partition(":")
        return cast("Callable[..., Channel]", getattr(import_module(f"liftlib.mechanisms.{module}"), attribute))

    @property
    def family(self) -> Family | None:
        """The family whose member is calibrated, for the mechanisms that are one."""
        found = self.function
        return found if isinstance(found, Family) else None

    @property
    def takes_seconds(self) -> bool:
        """Whether it searches, and ends after ``seconds`` with what it has."""
        return not isinstance(self.function, Family) and "seconds" in inspect.signature(self.function).parameters

    @checked
    def __call__(
        self,
        joint: Joint,
        notion: Notion,
        *,
        seconds: float | None = None,
        report: Callable[[float, float, float], None] | None = None,
    ) -> Channel:
        """Return a channel that keeps the notion.

        Parameters
        ----------
        joint : Joint
            P_SX.
        notion : Notion
            What to keep.
        seconds : float, optional, keyword-only
            Where it searches, after how many it ends with what it has and its bound.
        report : callable, optional, keyword-only
            Told how far it is where its search tells, see ``optimal_response``; else never called.

        Raises
        ------
        UnsupportedNotion
            If the mechanism does not serve the notion; the message names those that do.
        InvalidParameter
            If seconds are given to a mechanism that does not search.
        """
        if not self.serves(notion):
            others = ", ".join(one.name for one in MECHANISMS.values() if one.serves(notion))
            raise UnsupportedNotion(f"{self.name} serves {self.serves.words}, which {notion} is not: use {others}")
        if seconds is not None and not self.takes_seconds:
            others = ", ".join(one.name for one in MECHANISMS.values() if one.takes_seconds)
            raise InvalidParameter(
                f"{self.name} does not search, so it takes no seconds: leave them out, or use {others}"
            )
        family = self.family
        if family is not None:
            return family.calibrated(joint, notion)
        how: dict[str, Any] = {} if seconds is None else {"seconds": seconds}
        if report is not None and "report" in inspect.signature(self.function).parameters:
            how["report"] = report
        return self.function(joint, notion, **how)


_ALL = (
    Mechanism(
        "watchdog",
        "merging.watchdog:watchdog",
        COLUMNWISE,
        "|S| |X|",
        "E23 section 3.1, eqs. (6)-(11)",
        population=ForPopulation("watchdog", "watchdog by confidence bounds"),
    ),
    Mechanism(
        "subset-merging",
        "merging.subset:subset_merging",
        COLUMNWISE,
        "|S| |X|²",
        "E23 Algorithm 1; C22 Algorithm 1",
        population=_merging_for("subset-merging"),
    ),
    Mechanism(
        "best-partition",
        "merging.partition:best_partition",
        COLUMNWISE,
        "3^|X|",
        "this book",
        most_symbols=13,
        population=ForPopulation("merging", "best-partition by confidence bounds"),
    ),
    Mechanism(
        "optimal",
        "response.optimal:optimal_response",
        CONVEX,
        "a tree of bounds: seconds at 15 secrets and 200 symbols",
        "E23 section 3.1.2, eqs. (15)-(30); S20 Theorems 2 and 3",
        most_symbols=50,
        population=_response_for("optimal"),
    ),
    Mechanism(
        "subset-response",
        "response.subset:subset_response",
        BOTH,
        "vertices of each subset",
        "E23 Algorithm 2",
        population=_response_for("subset-response"),
    ),
    Mechanism(
        "robust",
        "response.robust:robust_response",
        POLYHEDRAL,
        "vertices, of all distributions together",
        "this book; S20 Remark 1",
        most_symbols=17,
        population=_response_for("robust"),
    ),
    Mechanism(
        "secret-aware",
        "response.secret_aware:secret_aware_response",
        PLAIN,
        "programmes of |S| |X| rows; 3^|S| steps for each posterior",
        "this book",
        sees_secret=True,
        most_symbols=17,
    ),
    Mechanism(
        "product",
        "response.product:product_response",
        ATTRIBUTES,
        "vertices of each attribute",
        "S20 Theorem 4, repaired",
    ),
    Mechanism("extremal", "noise.extremal:extremal_response", CEILING, "|X|²", "Grosse2023, for S = X"),
    Mechanism("hamming", "noise.hamming:hamming_response", MAXIMAL, "|X|²", "Saeidian2021, for S = X"),
    Mechanism(
        "staircase",
        "noise.staircase:staircase_response",
        RATIOS,
        "a linear programme of 2^|X| columns",
        "Kairouz2016, for S = X",
        most_symbols=12,
    ),
    Mechanism(
        "funnel-merging", "response.funnel:funnel_merging", ANY, "|X|³ releases", "Makhdoumi2014", most_symbols=30
    ),
    Mechanism(
        "funnel-subsets",
        "response.submodular:funnel_subsets",
        AVERAGE,
        "2^|X| subsets a step",
        "Ding2019",
        most_symbols=15,
    ),
    Mechanism(
        "funnel-descent",
        "response.descent:funnel_descent",
        AVERAGE,
        "72 descents of |S| |X|² a step",
        "Huang2024",
        most_symbols=40,
    ),
    Mechanism(
        "funnel",
        "response.funnel:funnel_response",
        AVERAGE,
        "a linear programme of 2^|X| columns, and seven optima",
        "this book; Makhdoumi2014",
        most_symbols=12,
    ),
    Mechanism("tailored", "noise.tailored:tailored_response", BOUNDS, "|S| |X|", "this book"),
    Mechanism(
        "randomised-response", "noise.randomised:randomised_response", ANY, "a root of |S| |X|²", "S20 eqs. (28), (29)"
    ),
    Mechanism(
        "unary-encoding",
        "noise.unary:unary_encoding",
        ANY,
        "a root of |S| 2^|X|",
        "S20 eqs. (30)-(32)",
        most_symbols=12,
    ),
    Mechanism(
        "conditional-reporting",
        "noise.reporting:conditional_reporting",
        COLUMNWISE,
        "a root of |S| |X|²",
        "S20 Algorithm 1, Propositions 1 and 2",
        sees_secret=True,
    ),
    Mechanism(
        "linear-reduction",
        "reduction.linear:linear_reduction",
        ANY,
        "a root of |S| |X|²",
        "I21 eq. (3), Lemma 1",
    ),
    Mechanism(
        "markov-reduction",
        "reduction.transport:markov_reduction",
        COLUMNWISE,
        "a root of linear programmes of |X|² unknowns",
        "I21 problem (10)",
        most_symbols=20,
    ),
    Mechanism(
        "secret-aware-reduction",
        "reduction.transport:secret_aware_reduction",
        COLUMNWISE,
        "a root of |S| |X|²",
        "I21 Propositions 1 and 2",
        sees_secret=True,
    ),
    Mechanism(
        "extreme-reduction",
        "reduction.bounded:extreme_reduction",
        COLUMNWISE,
        "a root of linear programmes of |S| |X| unknowns",
        "this book; I21 section IV leaves it open",
        sees_secret=True,
    ),
)

MECHANISMS: Mapping[str, Mechanism] = {one.name: one for one in _ALL}
"""By the name that the command line gives."""


def mechanism(name: str) -> Mechanism:
    """Return a mechanism by its name.

    Raises
    ------
    InvalidParameter
        If there is none of that name.

    Examples
    --------
    >>> mechanism("watchdog").serves.words
    'notions that lift columns decide'
    """
    if name not in MECHANISMS:
        raise InvalidParameter(f"no mechanism {name!r}: there are {', '.join(MECHANISMS)}")
    return MECHANISMS[name]


def rows() -> list[dict[str, str]]:
    """Return the registry as a table for people: the columns name, function, serves, cost and source.

    Examples
    --------
    >>> rows()[0]["name"], rows()[0]["function"]
    ('watchdog', 'watchdog')
    """
    return [
        {
            "name": one.name,
            "function": one.where.partition(":")[2],
            "serves": one.serves.words,
            "cost": one.cost,
            "source": one.source,
        }
        for one in MECHANISMS.values()
    ]
