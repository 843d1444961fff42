"""The parameter that a LIP budget buys: S20 eqs. (29), (32) and (33) solved for alpha, in closed form.

Each of the three levels is the largest absolute log of ratios (1 + c u) / (1 + c v) with c = e^alpha - 1, each moving
away from 1 as c grows. A ratio reaches g = e^eps where c = (g - 1) / (u - g v) and its inverse where
c = (g - 1) / (v - g u), so the largest ``u - g v`` or ``v - g u`` decides. Everything is divided by g, which overflows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.mechanisms.family import LAST
from liftlib.mechanisms.noise.ldp import randomised_response_lip, unary_encoding_lip
from liftlib.mechanisms.noise.reporting import conditional_reporting_lip
from liftlib.notions import LIP
from liftlib.numerics import Matrix, check_scalar


def randomised_response_alpha(joint: Joint, eps: float) -> float:
    """Return the largest alpha at which randomised response keeps LIP(eps), nats.

    Parameters
    ----------
    joint : Joint
        P_SX.
    eps : float
        LIP budget, nats, in [0, inf].

    Returns
    -------
    float
        In [0, inf]; infinite where X itself keeps the budget. Rounded to the private side.

    Raises
    ------
    InvalidParameter
        If eps is negative or not a number.

    Notes
    -----
    S20 eq. (29) solved: e^alpha = 1 + (e^eps - 1) / max over s and x of P(x|s) - e^eps P(x) and P(x) - e^eps P(x|s).

    Examples
    --------
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> round(randomised_response_alpha(joint, randomised_response_lip(joint, np.log(3))), 6)  # log 3
    1.098612
    """
    return _solved(joint, eps, lambda over, under: max(over.max(), under.max()), randomised_response_lip)


def unary_encoding_alpha(joint: Joint, eps: float) -> float:
    """Return the largest alpha at which optimised unary encoding keeps LIP(eps), nats; never above that of GRR.

    Notes
    -----
    S20 eq. (32) solved. The sets of symbols that decide are those where P(x|s) > e^eps P(x), and those where
    P(x) > e^eps P(x|s): what is summed over a set is largest over the set where it is positive. No ``2^|X|`` sets are
    tried. Parameters, result and errors are those of :func:`randomised_response_alpha`.

    Examples
    --------
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> round(unary_encoding_alpha(joint, unary_encoding_lip(joint, np.log(3))), 6)
    1.098612
    """

    def worst(over: Matrix, under: Matrix) -> float:
        return max(float(np.maximum(excess, 0).sum(axis=1).max()) for excess in (over, under))

    return _solved(joint, eps, worst, unary_encoding_lip)


def conditional_reporting_alpha(joint: Joint, eps: float) -> float:
    """Return the largest alpha at which conditional reporting keeps LIP(eps), nats.

    Notes
    -----
    S20 eq. (33) solved: as for randomised response, but each excess is divided by the sum over s of P(x|s).
    Parameters, result and errors are those of :func:`randomised_response_alpha`.

    Examples
    --------
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> round(conditional_reporting_alpha(joint, conditional_reporting_lip(joint, np.log(3))), 6)
    1.098612
    """
    everyone = joint.x_given_s.sum(axis=0)
    return _solved(
        joint, eps, lambda over, under: float((np.maximum(over, under) / everyone).max()), conditional_reporting_lip
    )


def _solved(
    joint: Joint,
    eps: float,
    worst: Callable[[Matrix, Matrix], float],
    level: Callable[[Joint, float], float],
) -> float:
    shrink = np.exp(-check_scalar("eps", eps))
    # at alpha = inf all three leak what X itself leaks, and no excess is positive
    if LIP(0.0).leakage(joint, Channel.identity(joint.n_public)) <= eps:
        return np.inf
    u, v = joint.x_given_s, joint.p_x
    excess = worst(shrink * u - v, shrink * v - u)
    with np.errstate(divide="ignore"):
        alpha = min(LAST, float(np.log1p(-np.expm1(-eps) / np.float64(excess)))) if excess > 0 else LAST
    step = np.spacing(max(alpha, 1e-12))
    while alpha > 0 and level(joint, alpha) > eps:
        alpha, step = max(0.0, alpha - step), 2 * step
    return alpha
