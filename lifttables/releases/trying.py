"""The designs that a release tries, and the one that it takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from liftlib import registry
from liftlib.errors import InvalidParameter
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import entropy
from liftlib.notions import LDP, Notion
from lifttables.confident.certification import route, symbols_without_blocks
from lifttables.confident.subset_lattice import SLOW_SYMBOLS
from lifttables.designs.designing import POPULATION, Made
from lifttables.encoding.columns import Counts
from lifttables.releases.estimating import expected_error
from mixproof.numerics import SAME_TOL

ESTIMATES = "estimates"  # as a mechanism: the one of these whose release gives the most accurate estimates
FOR_ESTIMATES = ("subset-merging", "randomised-response", "optimal")
FOR_LINKS = FOR_ESTIMATES[:2]  # next to kept columns, where an optimal response has too many outputs to be read
MOST_ERROR = 0.1  # of a share; with a larger one, estimates are worth less than what a release retains

Candidate = tuple[Notion, str]  # a notion and the name of a mechanism


@dataclass(frozen=True)
class Tried:
    """What a design that was tried achieves.

    ``nmi`` is the share of H(X) that it retains, and ``error`` the expected half-width of the widest 95 % interval of
    an estimated share, infinite if not all shares can be estimated. Both are computed from the counts that designs see.
    """

    notion: str
    mechanism: str
    nmi: float
    error: float


def candidates(notions: Sequence[Notion], mechanism: str, n_public: int, *, linked: bool = False) -> list[Candidate]:
    """Return the notions and mechanisms to try, without mechanisms that would take very long.

    ``linked`` is whether columns are kept next to the released ones.
    """
    if mechanism != ESTIMATES:
        return [(notion, mechanism) for notion in notions]
    several = FOR_LINKS if linked else FOR_ESTIMATES
    fast = [name for name in several if n_public <= (registry.mechanisms[name].most_symbols or n_public)]
    return [
        (notion, name)
        for notion in notions
        for name in (fast if n_public <= SLOW_SYMBOLS else FOR_ESTIMATES[1:2])
        if registry.mechanisms[name].serves(notion)
    ]


def without_blocks(tried: Sequence[Candidate]) -> int:
    """Return the largest number of symbols for which no design merges them into blocks."""
    return min(symbols_without_blocks(registry.mechanisms[name], notion) for notion, name in tried)


def best_of(
    make: Callable[[Notion, str, float | None], Made],
    every: Counts,
    tried: Sequence[Candidate],
    mechanism: str,
    confidence: float | None,
    *,
    in_blocks: bool,
) -> tuple[Made, tuple[Tried, ...]]:
    """Return the design that is best among the candidates, and what each achieves of what ``every`` symbol tells.

    The best retains most or, where ``mechanism`` is ``ESTIMATES``, lets the shares be estimated most accurately, if any
    does with an error of at most ``MOST_ERROR``. ``in_blocks`` is whether some designs merge symbols into blocks. The
    promise of the best one holds with ``confidence``, because each design's bounds hold with a larger one (see
    :func:`confidence_of_each`).
    """
    each = confidence_of_each(tried, confidence, in_blocks=in_blocks)
    made = [make(notion, name, each) for notion, name in tried]
    results = tuple(_result(every, one) for one in made)

    def rank(at: int) -> tuple[float, float]:
        error = results[at].error if mechanism == ESTIMATES else 0.0
        return (error if error <= MOST_ERROR else math.inf, -results[at].nmi)

    best = made[min(range(len(made)), key=rank)]
    design = best.design
    if each != confidence:
        more = f"the best of {len(made)} designs, whose bounds hold together"
        kept = tuple(
            replace(one, confidence=confidence, how=f"{one.how}; {more}") if one.whom == POPULATION else one
            for one in design.kept
        )
        design = replace(design, kept=kept)
    return best._replace(design=design), results


def _result(every: Counts, made: Made) -> Tried:
    counts, design, *_ = made
    joint = counts.joint
    whole = counts.public.names == every.public.names and not design.channel.sees_secret
    return Tried(
        notion=design.notion,
        mechanism=design.mechanism,
        nmi=float(evaluate(joint, design.channel).mutual_information / max(entropy(every.joint.p_x), SAME_TOL)),
        error=expected_error(design.channel.kernel, joint.p_x, design.rows) if whole else math.inf,
    )


def confidence_of_each(tried: Sequence[Candidate], confidence: float | None, *, in_blocks: bool) -> float | None:
    """Return the confidence of each design with which the selected design has ``confidence``.

    Bounds hold jointly for one kind of ratio and one set of rows. LDP bounds other ratios than LIP and ALIP. If some
    designs merge symbols into blocks (``in_blocks``), each mechanism has other symbols, so their bounds do not hold
    jointly.
    """
    if confidence is None:
        return None
    kinds = {
        (isinstance(notion, LDP), route(registry.mechanisms[name], notion) if in_blocks else "")
        for notion, name in tried
    }
    return confidence if len(kinds) < 2 else float(np.ceil(1e6 * (1 - (1 - confidence) / len(kinds))) / 1e6)


def check_dear(mechanism: str, n_public: int, *, designed: bool) -> None:
    """Raise InvalidParameter if a design would be very slow."""
    most = SLOW_SYMBOLS if designed else registry.mechanisms[mechanism].most_symbols
    if most is not None and n_public > most:
        what = "a design for the population" if designed else mechanism
        raise InvalidParameter(
            f"{what} is practical for at most {most} public symbols, and there are {n_public}: bin or coarsen the "
            "column"
        )
