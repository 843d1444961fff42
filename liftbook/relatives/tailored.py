"""Randomised response whose noise depends on the lifts."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import UnsupportedNotion
from liftlib.joint import Joint
from liftlib.notions import LiftBounds, LiftNotion
from mixproof.checks import checked
from mixproof.numerics import Vector


@checked
def tailored_response(joint: Joint, notion: LiftNotion) -> Channel:
    """Return randomised response with the least noise that the lifts allow.

    Parameters
    ----------
    notion : Notion
        Bounds on single lifts, with exact ``lift_bounds``, such as ALIP, LIP and
        PerfectPrivacy. Budgets may be infinite, and may differ between secrets.

    Returns
    -------
    Channel
        P(y|x) = w [x = y] + (1 - w) r(y); outputs are the symbols. It does not see the
        secret.

    Notes
    -----
    The method is this book's. With noise r, the lift at y is (w P(y|s) + (1-w) r(y)) /
    (w P(y) + (1-w) r(y)). Bounds e^-l(s) and e^u(s) therefore require (1-w) r(y) / w to
    be at least N(y), the largest over s of (P(y|s) - e^u(s) P(y)) / (e^u(s) - 1) and
    (e^-l(s) P(y) - P(y|s)) / (1 - e^-l(s)). Summed over y: w <= 1 / (1 + sum N), with
    equality for r proportional to N. Randomised response is the case of uniform r, and
    conditional reporting, given s, has r(y)
    = mean over s of P(y|s): neither has a larger w. With two symbols it is the optimal
    response, because both posteriors are ends of an interval.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> channel = tailored_response(joint, LIP(np.log(1.25)))
    >>> channel.kernel.round(6).tolist(), round(LIP(0).leakage(joint, channel), 6)
    ([[0.666667, 0.333333], [0.333333, 0.666667]], 0.223144)
    """
    bounds = notion.lift_bounds(joint.p_s)
    if not bounds.exact:
        raise UnsupportedNotion(
            f"{notion} does not bound single lifts, so tailored_response does not"
            " support it: use calibrate with randomised_response"
        )
    plain = Channel.identity(joint.n_public, joint.public)
    if notion.is_satisfied(joint, plain):
        return plain
    needed = _needed(joint, bounds)
    total = needed.sum()
    if np.isinf(total):  # a budget of 0 that some symbol breaks: nothing but noise
        return Channel(np.tile(joint.p_x, (joint.n_public, 1)), joint.public)
    noise = needed / (1 + total)
    return Channel(np.eye(joint.n_public) / (1 + total) + noise, joint.public)


def _needed(joint: Joint, bounds: LiftBounds) -> Vector:
    """Return N(y), the noise that symbol y requires per unit of truth, shape (X,)."""
    needed = np.zeros(joint.n_public)
    u, v = joint.x_given_s, joint.p_x
    lower, upper = bounds.lower[:, None], bounds.upper[:, None]
    # the upper condition is divided by e^upper, which may overflow
    for eps, violation in (
        (upper, np.exp(-upper) * u - v),
        (lower, np.exp(-lower) * v - u),
    ):
        most = np.maximum(violation, 0)
        with np.errstate(divide="ignore", over="ignore"):
            noise = np.divide(
                most, -np.expm1(-eps), out=np.zeros_like(most), where=most > 0
            )
        needed = np.maximum(needed, noise.max(axis=0))
    return needed
