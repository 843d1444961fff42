"""Conversions between notions with two budgets or an order."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from liftbook.figures.relatives.arrows import (
    answered,
    extremal_cases,
    random_cases,
    revealed,
)
from liftbook.figures.relatives.notions import RELATIVES, Case
from liftbook.relatives.sharp import LargestAverages, largest_averages
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.information import sibson
from liftlib.measures.lifts import alpha_lift

LOW, HIGH = 1.5, 4.0
"""Two orders on which the statements about the alpha family are tried."""

Measure = Callable[[Case], float]


@dataclass(frozen=True)
class Conversion:
    """The statement ``value(case) <= bound(case)``, with a case that attains it.

    ``assumed``, ``implied`` and ``source`` give the statement in words and where it is
    proved.
    """

    assumed: str
    implied: str
    source: str
    value: Measure
    bound: Measure
    tight: Case


def renyi(case: Case, order: float) -> float:
    """Return the largest Rényi divergence of a posterior from the prior, in nats."""
    return (
        order
        / (order - 1)
        * log(float(alpha_lift(case.channel.release(case.joint), order).max()))
    )


def _average(order: float) -> Measure:
    return lambda case: sibson(case.channel.release(case.joint), order)


def _largest(case: Case) -> LargestAverages:
    """Return the sharp bounds at a release's smallest ALIP budgets."""
    return largest_averages(
        RELATIVES["PMC"].measure(case), RELATIVES["PML"].measure(case), LOW
    )


def information_under_ldp(eps: float) -> float:
    """Return the largest I(S;Y) under LDP of S at ``eps``, in nats.

    The value is c - 1 - log c with c = eps / (1 - e^-eps): the largest, over u, of the
    sharp bound under ALIP with lifts in [u, u e^eps]; u = 1/c attains it.

    Examples
    --------
    >>> round(information_under_ldp(1.0), 4)
    0.1233
    """
    if eps in (0, np.inf):
        return eps
    above = eps / -np.expm1(-eps) - 1
    return float(above - np.log1p(above))


def _raised(low: float, high: float) -> Case:
    """Return a case with three secrets and three outputs, each raising one secret."""
    return Case(
        Joint(np.eye(3) / 3),
        Channel((np.full((3, 3), low) + (high - low) * np.eye(3)) / 3),
    )


def _raised_by_ldp() -> Case:
    """Return the case whose lower lift is 1/c, where 2 low + low e^eps = 3."""
    eps = brentq(lambda e: -np.expm1(-e) / e * (2 + np.exp(e)) - 3, 0.1, 10)
    low = -np.expm1(-eps) / eps
    return _raised(low, 3 - 2 * low)


def _up_an_order(value: float, case: Case) -> float:
    return (
        HIGH
        / (HIGH - 1)
        * ((LOW - 1) / LOW * value + (1 / LOW - 1 / HIGH) * log(1 / case.p_min))
    )


def _ldp(case: Case) -> float:
    return RELATIVES["LDP-S"].measure(case)


def _ends() -> Case:
    return answered(1.0, 0.5)


CONVERSIONS = (
    Conversion(
        "ALIP(ε_l, ε_u)",
        "LDP of S at ε_l + ε_u",
        "E23",
        _ldp,
        lambda case: RELATIVES["PMC"].measure(case) + RELATIVES["PML"].measure(case),
        _ends(),
    ),
    Conversion(
        "ALIP(ε_l, ε_u)",
        "I(S;Y) ≤ (1−u) v/(v−u) ε_u − (v−1) u/(v−u) ε_l, u = e^−ε_l, v = e^ε_u",
        "sharp bounds on averages",
        RELATIVES["I"].measure,
        lambda case: _largest(case).information,
        _ends(),
    ),
    Conversion(
        "LIP at ε",
        "I(S;Y) ≤ ε tanh(ε/2)",
        "the same, for equal budgets",
        RELATIVES["I"].measure,
        lambda case: (
            RELATIVES["LIP"].measure(case)
            * float(np.tanh(RELATIVES["LIP"].measure(case) / 2))
        ),
        _raised(0.5, 2.0),
    ),
    Conversion(
        "LDP of S at ε",
        "I(S;Y) ≤ c − 1 − log c, c = ε/(1 − e^−ε), for every prior of S",
        "the same, for the worst two budgets with the sum ε",
        RELATIVES["I"].measure,
        lambda case: information_under_ldp(_ldp(case)),
        _raised_by_ldp(),
    ),
    Conversion(
        "ALIP(ε_l, ε_u)",
        "I_α ≤ 1/(α−1) log E l^α, where l is u or v and has mean 1",
        "sharp bounds on averages",
        _average(LOW),
        lambda case: _largest(case).sibson,
        _ends(),
    ),
    Conversion(
        "D_β(y) ≤ ε for all y",
        "D_α(y) ≤ ε for all y and 1 < α < β",
        "moments of l are log-convex",
        lambda case: renyi(case, LOW),
        lambda case: renyi(case, HIGH),
        revealed(),
    ),
    Conversion(
        "D_α(y) ≤ ε for all y",
        "I_α ≤ ε",
        "a mean of what is bounded",
        _average(LOW),
        lambda case: renyi(case, LOW),
        revealed(),
    ),
    Conversion(
        "D_α(y) ≤ ε for all y",
        "D_β(y) ≤ β/(β−1) ((1−1/α) ε + (1/α − 1/β) log 1/p), β > α",
        "Σ P l^β ≤ Λ^(β−α) Σ P l^α",
        lambda case: renyi(case, HIGH),
        lambda case: _up_an_order(renyi(case, LOW), case),
        revealed(),
    ),
    Conversion(
        "I_α ≤ ε",
        "I_β ≤ the same expression, β > α",
        "the same, averaged over outputs",
        _average(HIGH),
        lambda case: _up_an_order(_average(LOW)(case), case),
        revealed(),
    ),
)
"""E23 and the consequences of the lemma on sharp bounds; p is the probability of the
rarest secret.
"""


def conversions_tried(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return the test of each conversion on random and extremal releases.

    The columns are ``assumed``, ``implied``, ``source``, ``tried`` (releases with a
    finite bound), ``excess`` (the largest difference of value and bound) and ``met``
    (their ratio at the conversion's own case).
    """
    cases = random_cases(n, rng) + extremal_cases()
    rows = []
    for conversion in CONVERSIONS:
        over = [
            conversion.value(case) - bound
            for case in cases
            if 0 < (bound := conversion.bound(case)) < np.inf
        ]
        rows.append(
            {
                "assumed": conversion.assumed,
                "implied": conversion.implied,
                "source": conversion.source,
                "tried": len(over),
                "excess": max(over),
                "met": (
                    conversion.value(conversion.tight)
                    / conversion.bound(conversion.tight)
                ),
            }
        )
    return pd.DataFrame(rows)
