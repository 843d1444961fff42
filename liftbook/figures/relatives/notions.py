"""The notions of the map: measure, adversary, and behaviour when composed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import sibson
from liftlib.measures.lifts import alpha_lift, chi2_lift, l1_lift
from liftlib.notions import LDP
from mixproof.numerics import Matrix

ALPHA = 2.0
"""The order of the alpha-lift and of Sibson's information on the map."""


@dataclass(frozen=True)
class Case:
    """A release to measure: P_SX, the channel, and the alphabet sizes of
    X's records.
    """

    joint: Joint
    channel: Channel
    records: tuple[int, ...] = ()

    @property
    def p_min(self) -> float:
        """The probability of the rarest secret."""
        return float(self.joint.p_s.min())


def of_x(case: Case) -> Joint:
    """Return the joint distribution whose secret is X itself.

    Examples
    --------
    >>> of_x(Case(Joint([[0.2, 0.8]]), Channel.identity(2))).p.tolist()
    [[0.2, 0.0], [0.0, 0.8]]
    """
    return Joint(np.diag(case.joint.p_x))


def _ldp_x(case: Case) -> float:
    return float(LDP(0.0).leakage(of_x(case), case.channel))


def _dp(case: Case) -> float:
    """Return the largest log ratio of P(y|x) over neighbouring data sets."""
    kernel, worst = case.channel.kernel, 0.0
    sets = np.array(
        np.unravel_index(np.arange(len(kernel)), case.records or (len(kernel),))
    ).T
    with np.errstate(divide="ignore", invalid="ignore"):
        for a, b in combinations(range(len(kernel)), 2):
            if (sets[a] != sets[b]).sum() == 1:
                apart = np.abs(np.log(kernel[a]) - np.log(kernel[b]))
                # 0 against 0 differs by nothing
                worst = max(worst, float(np.nanmax(apart, initial=0.0)))
    return worst


def _most(measure: Callable[[Joint], Matrix]) -> Callable[[Case], float]:
    return lambda case: float(measure(case.channel.release(case.joint)).max())


@dataclass(frozen=True)
class Relative:
    """A notion of the map.

    Attributes
    ----------
    name : str
        Name shown in the picture.
    says : str
        What is bounded, as a formula in plain text.
    stops : str
        The adversary that it protects against.
    source : str
        Key of the bibliography.
    place : tuple
        Column and row of its box in the picture.
    measure : callable
        Returns the smallest bound that a release satisfies, in ``unit``.
    """

    name: str
    says: str
    stops: str
    source: str
    place: tuple[float, float]
    measure: Callable[[Case], float]
    unit: str = "nats"


RELATIVES: Mapping[str, Relative] = {
    "DP": Relative(
        "DP",
        "P(y|x) ≤ e^ε P(y|x′) for data sets x, x′ that differ in one record",
        "who knows all records but one",
        "Dwork2006",
        (1, 0),
        _dp,
    ),
    "LDP-X": Relative(
        "LDP of X",
        "P(y|x) ≤ e^ε P(y|x′) for all x, x′",
        "anyone, whatever the secret is and whatever they know",
        "Kasiviswanathan2011",
        (0, 0),
        _ldp_x,
    ),
    "LDP-S": Relative(
        "LDP of S",
        "P(y|s) ≤ e^ε P(y|s′) for all s, s′",
        "who compares two secrets, with any prior on S",
        "E23",
        (0, 1),
        lambda case: evaluate(case.joint, case.channel).ldp,
    ),
    "LIP": Relative(
        "LIP",
        "e^−ε ≤ l(s,y) ≤ e^ε",
        "who bets on S, and who bets against it",
        "Calmon2012",
        (1, 1),
        lambda case: evaluate(case.joint, case.channel).lip,
    ),
    "PMC": Relative(
        "PMC: min-lift",
        "l(s,y) ≥ e^−ε",
        "who pays for being wrong: no expected cost falls by more than the factor",
        "Saeidian2024",
        (0, 2),
        lambda case: evaluate(case.joint, case.channel).min_lift_leakage,
    ),
    "PML": Relative(
        "PML: max-lift",
        "l(s,y) ≤ e^ε",
        "who gains by being right: no expected gain rises by more than the factor",
        "Saeidian2023",
        (1, 2),
        lambda case: evaluate(case.joint, case.channel).max_lift_leakage,
    ),
    "alpha": Relative(
        "α-lift",
        "(Σ_s P(s) l(s,y)^α)^(1/α) ≤ e^ε, here α = 2",
        "as PML, with rare secrets counting for less",
        "E23",
        (0, 3),
        lambda case: float(np.log(_most(lambda r: alpha_lift(r, ALPHA))(case))),
    ),
    "MaxL": Relative(
        "maximal leakage",
        "Σ_y P(y) Λ(y) ≤ e^ε",
        "who guesses any function of S, on average over outputs",
        "Issa2020",
        (1, 3),
        lambda case: sibson(case.channel.release(case.joint), np.inf),
    ),
    "chi2": Relative(
        "χ²-lift",
        "Σ_s P(s) (l(s,y) − 1)² ≤ δ",
        "who estimates a function of S, in mean square",
        "Zamani2021",
        (0, 4),
        _most(chi2_lift),
        "a number",
    ),
    "Sibson": Relative(
        "Sibson, α = 2",
        "α/(α−1) log Σ_y P(y) Λ_α(y) ≤ ε, Λ_α the α-lift",
        "between the next one and maximal leakage",
        "Sibson1969",
        (1, 4),
        lambda case: sibson(case.channel.release(case.joint), ALPHA),
    ),
    "l1": Relative(
        "ℓ1-lift",
        "Σ_s P(s) |l(s,y) − 1| ≤ δ",
        "who tests one set of secrets against the rest",
        "Zamani2022",
        (0, 5),
        _most(l1_lift),
        "a number",
    ),
    "I": Relative(
        "I(S;Y)",
        "I(S;Y) ≤ ε",
        "who is paid by log-loss, on average over outputs and secrets",
        "Makhdoumi2014",
        (1, 5),
        lambda case: evaluate(case.joint, case.channel).secret_information,
    ),
}
"""The notions by the short names that arrows use."""
