"""Composition of releases that are conditionally independent given the secret.

A pair of outputs has the lift l1(s) l2(s) / E[l1 l2], with the mean under P_S. Each lift is a random variable in [a_i,
b_i] with mean 1. The smallest and largest mean of the product are attained by variables on {a_i, b_i}, so both are
problems of coupling Bernoulli variables.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog

from liftlib.errors import InvalidParameter, UnsupportedNotion
from liftlib.notions import ALIP, LDP, LIP, Notion
from mixproof.checks import checked
from mixproof.numerics import Vector

MAX_LP_VARIABLES = 4096  # maximum number of variables of the linear program; larger problems are composed in halves
MAX_LOG_RATIO = 700.0  # nats between the extreme products of lifts, beyond which a float overflows


@checked
def composed(notions: Sequence[Notion]) -> Notion:
    r"""Return the notion jointly satisfied by releases that are independent given S.

    The condition matters: two releases of X = (S xor R, R), each independent of S, may determine S together. Releases
    drawn independently given X are independent given S only if S determines X.

    Parameters
    ----------
    notions : sequence of Notion
        The notion that each release satisfies: all LDP, or any combination of LIP and ALIP.

    Returns
    -------
    Notion
        LDP with the sum of the budgets, LIP if all are LIP, and ALIP otherwise. The budgets are the smallest for all
        joint distributions, except eps_u of three or more releases with different budgets, which is exact up to the
        tolerance of a linear program, and only an upper bound for more than about ten different budgets.

    Raises
    ------
    InvalidParameter
        If ``notions`` is empty.
    UnsupportedNotion
        If a notion is not LDP, LIP or ALIP, or LDP is combined with LIP or ALIP.

    Notes
    -----
    With a = e^-eps_l and b = e^eps_u, two releases have

    .. math::

        \varepsilon_l &= \varepsilon_{l,1} + \varepsilon_{l,2} + \log(1 + \min\{(1-a_1)(b_2-1), (1-a_2)(b_1-1)\}), \\
        \varepsilon_u &= \varepsilon_{u,1} + \varepsilon_{u,2} - \log(1 - \min\{(1-a_1)(1-a_2), (b_1-1)(b_2-1)\}).

    Examples
    --------
    >>> composed([LDP(0.5), LDP(1.0)])
    LDP(eps=1.5)
    >>> round(composed([LIP(1.0), LIP(1.0)]).eps, 4)  # 1 + log(e^2 - e + 1)
    2.7353
    """
    if not notions:
        raise InvalidParameter("notions is empty: give the notion of each release")
    ldp = [notion.eps for notion in notions if isinstance(notion, LDP)]
    if len(ldp) == len(notions):
        return LDP(float(sum(ldp)))
    ranges = [
        (n.eps, n.eps) if isinstance(n, LIP) else (n.eps_l, n.eps_u) for n in notions if isinstance(n, LIP | ALIP)
    ]
    if len(ranges) < len(notions):
        raise UnsupportedNotion(
            f"how {', '.join(map(str, notions))} compose is not known here: give LDP alone, or LIP and ALIP"
        )
    budgets = np.array(sorted(pair for pair in ranges if min(pair) > 0))  # a budget of 0 leaves no lift but 1
    lower, upper = (_lower(budgets), _upper(budgets)) if len(budgets) else (0.0, 0.0)
    if all(isinstance(notion, LIP) for notion in notions):
        return LIP(max(lower, upper))
    return ALIP(lower, upper)


def _log_share_high(eps_l: Vector, eps_u: Vector) -> Vector:
    """Return log of (1-a)/(b-a), the probability of b if {a, b} has mean 1."""
    return np.asarray(np.log(-np.expm1(-eps_l)) - eps_u - np.log(-np.expm1(-eps_l - eps_u)))


def _lower(budgets: Vector) -> float:
    """Return the smallest eps_l, attained by the comonotone coupling of the lifts."""
    eps_l, eps_u = budgets.T
    unbounded = np.isinf(eps_u)
    if np.isinf(eps_l).any() or unbounded.sum() > 1:
        return np.inf
    # of one unbounded release only P(b) b = 1 - a counts, which is exact to e^-50
    eps_u = np.where(unbounded, eps_u[~unbounded].max(initial=0.0) + 50, eps_u)
    share = _log_share_high(eps_l, eps_u)
    order = np.argsort(-share)
    share, eps_l, eps_u = share[order], eps_l[order], eps_u[order]
    upto = np.concatenate([[0.0], share])  # log P(the first j at their largest), decreasing
    ratio = np.exp(np.concatenate([share - upto[:-1], [-np.inf]]))
    product = np.concatenate([[0.0], np.cumsum(eps_u + eps_l)])
    with np.errstate(divide="ignore"):
        # the sum of eps_l cancels with the product of the a's
        return float(np.logaddexp.reduce(upto + np.log(-np.expm1(np.log(ratio))) + product))


def _upper(budgets: Vector) -> float:
    """Return the smallest eps_u, or an upper bound on it for large problems."""
    eps_l, eps_u = budgets.T
    if len(budgets) == 1 or np.isinf(eps_u).any():
        return float(eps_u.sum())
    kinds, counts = np.unique(budgets, axis=0, return_counts=True)
    if len(budgets) == 2:
        return float(eps_u.sum()) - _log_least_of_two(eps_l, eps_u)
    if np.isinf(eps_l).any():
        return _in_halves(budgets)
    if len(kinds) == 1:  # the mean of a convex function of how many are at b: two neighbouring numbers
        (k,), ((low, high),) = counts, kinds
        log_mean = float(np.log(k) + _log_share_high(low, high))
        mean = float(np.exp(log_mean))
        number = min(int(mean), k - 1)
        with np.errstate(divide="ignore"):
            more = np.log(mean - number) if number else log_mean  # the mean may be below the smallest float
            fewer = np.log(number + 1 - mean) - low - high
        return float(k * high - np.logaddexp(fewer, more) - (number + 1) * high + (k - number - 1) * low)
    return min(_in_halves(budgets), float(eps_u.sum()) - _log_least_of_several(kinds, counts.astype(np.float64)))


def _log_least_of_two(eps_l: Vector, eps_u: Vector) -> float:
    """Return the log of the smallest mean of the product of two lifts.

    This is the larger of a1 + a2 - a1 a2 and b1 + b2 - b1 b2.
    """
    low = np.logaddexp(-eps_l[0], np.log(-np.expm1(-eps_l[0])) - eps_l[1])
    with np.errstate(over="ignore"):
        product = float(np.prod(np.expm1(eps_u)))
    return float(max(low, np.log1p(-product))) if product < 1 else float(low)


def _in_halves(budgets: Vector) -> float:
    """Return an upper bound on eps_u by composing each half, then the two halves."""
    middle = len(budgets) // 2
    halves = np.array([[_lower(half), _upper(half)] for half in (budgets[:middle], budgets[middle:])])
    return _upper(halves)


def _log_least_of_several(kinds: Vector, counts: Vector) -> float:
    """Return the log of a lower bound on the mean of a product, by a linear program.

    The variables are the numbers of releases of each kind that are at b. Any dual solution bounds the mean, whatever
    the solver returns; the fallback for very large problems is Jensen's bound.
    """
    slope = kinds.sum(axis=1)
    mean = counts * np.exp(_log_share_high(*kinds.T))
    jensen = float(slope @ mean - counts @ kinds[:, 0])
    if np.prod(counts + 1.0) > MAX_LP_VARIABLES or slope @ counts > MAX_LOG_RATIO:
        return jensen
    number = np.stack(np.meshgrid(*(np.arange(k + 1.0) for k in counts), indexing="ij"), axis=-1).reshape(
        -1, len(kinds)
    )
    product = np.exp((number - mean) @ slope)
    solution = linprog(product, A_eq=np.vstack([np.ones(len(number)), number.T]), b_eq=[1, *mean], method="highs")
    if solution.status != 0:
        return jensen
    slopes = solution.eqlin.marginals[1:]
    least = float(slopes @ mean + (product - number @ slopes).min())
    return jensen + max(0.0, float(np.log(least))) if least > 0 else jensen
