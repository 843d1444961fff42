"""Closed forms of S20 eqs. (29), (32) and (33), solved for the parameter.

The LIP level is the largest absolute log of ratios (1 + c u) / (1 + c v), c = e^eps -
1, which move away from 1 as c grows. With g = e^budget, a ratio reaches g at c = (g -
1) / (u - g v) and 1/g at c = (g - 1) / (v - g u), so the largest ``u - g v`` or ``v - g
u`` determines c. All terms are divided by g, because g can overflow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from liftlib.channel import Channel
from liftlib.family import MAX_PARAMETER, Level
from liftlib.joint import Joint
from liftlib.notions import LIP, LiftBounds, LiftNotion, Notion
from mixproof.numerics import Matrix, Vector


def largest_log(ratio: Matrix) -> float:
    """Return the largest absolute logarithm, infinite at 0."""
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(ratio)).max())


def lifts_at(decay: float, given: Matrix, whole: Matrix) -> Matrix:
    """Return the lifts (c + (1 - c) P(x|s)) / (c + (1 - c) P(x)), shape (S, Y).

    ``given`` and ``whole`` are P(x|s) and P(x), possibly scaled for each x; ``decay``
    is c = e^-eps.
    """
    lifts = given * (1 - decay)
    lifts += decay
    lifts /= decay + (1 - decay) * whole
    return lifts


def forms_of(chances: Callable[[Joint], tuple[Matrix, Vector]]) -> dict[str, Any]:
    """Return the closed forms of a family with the lifts of :func:`lifts_at`, as the
    keywords of :func:`~liftlib.family.family`.

    ``chances`` returns ``given`` and ``whole`` of a joint distribution.
    """

    def lifts(joint: Joint, eps: float) -> Matrix:
        return lifts_at(np.exp(-eps), *chances(joint))

    def lip(joint: Joint, eps: float) -> float:
        return largest_log(lifts(joint, eps))

    def at_lip(joint: Joint, eps: float) -> float:
        bounds = LIP(eps).lift_bounds(joint.p_s)
        return rounded_down(joint, eps, bought(bounds, *chances(joint)), lip)

    def near(joint: Joint, notion: Notion) -> float | None:
        if not isinstance(notion, LiftNotion):
            return None
        bounds = notion.lift_bounds(joint.p_s)
        return bought(bounds, *chances(joint)) if bounds.exact else None

    return {"lip": lip, "at_lip": at_lip, "near": near, "lifts": lifts}


def bought(bounds: LiftBounds, given: Matrix, whole: Matrix) -> float:
    """Return the largest eps at which the lifts of :func:`lifts_at` keep bounds.

    With c = e^eps - 1, a lift reaches e^u where c (e^-u given - whole) = 1 - e^-u, and
    e^-l likewise.

    Examples
    --------
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> bounds = LIP(0.356675).lift_bounds(joint.p_s)
    >>> round(bought(bounds, joint.x_given_s, joint.p_x), 4)  # log 3
    1.0986
    """
    above = np.exp(-bounds.upper)[:, None] * given - whole
    below = np.exp(-bounds.lower)[:, None] * whole - given
    most = np.inf
    for eps, violation in ((bounds.upper, above), (bounds.lower, below)):
        for end, worst in zip(eps, violation.max(axis=1), strict=True):
            most = min(most, largest_eps(end, worst))
    return most


def largest_eps(eps: float, worst: float) -> float:
    """Return the parameter at which the largest ``u - g v``, divided by g, is reached,
    for a budget eps = log g; infinite if it is not positive.
    """
    if not worst > 0:
        return np.inf
    with np.errstate(over="ignore"):
        return float(np.log1p(-np.expm1(-eps) / np.float64(worst)))


def rounded_down(joint: Joint, eps: float, parameter: float, level: Level) -> float:
    """Return the largest parameter with LIP level at most ``eps``, rounded down.

    Parameters
    ----------
    joint : Joint
        P_SX.
    eps : float
        LIP budget, nats, in [0, inf].
    parameter : float
        What it is up to rounding.
    level : callable
        ``level(joint, parameter)``, the smallest LIP budget that the mechanism
        satisfies.

    Returns
    -------
    float
        In [0, MAX_PARAMETER], or infinite if X itself satisfies the budget.
    """
    # at an infinite parameter all three leak what X itself leaks, and no excess is
    # positive
    if LIP(eps).violation(joint, Channel.identity(joint.n_public)) <= 0:
        return np.inf
    parameter = min(parameter, MAX_PARAMETER)
    step = np.spacing(max(parameter, 1e-12))
    while parameter > 0 and level(joint, parameter) > eps:
        parameter = max(0.0, parameter - step)
        step = 2 * step
    return parameter
