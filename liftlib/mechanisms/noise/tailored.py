"""Randomised response whose noise falls where the lifts need it."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import UnsupportedNotion
from liftlib.joint import Joint
from liftlib.notions import ALIP, LIP, Notion
from liftlib.numerics import Matrix


def tailored_response(joint: Joint, notion: Notion) -> Channel:
    """Report the true symbol with the largest constant chance w that the notion allows, else draw from the best noise.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : ALIP or LIP
        Budgets in nats; one may be infinite.

    Returns
    -------
    Channel
        P(y|x) = w [x = y] + (1 - w) r(y); outputs are the symbols. It does not see the secret.

    Raises
    ------
    UnsupportedNotion
        If the notion is of another kind.

    Notes
    -----
    This book's, not the papers'. With noise r the lift at y is (w P(y|s) + (1-w) r(y)) / (w P(y) + (1-w) r(y)), so that
    ALIP asks (1-w) r(y) / w to be at least N(y), the largest over s of (P(y|s) - e^eps_u P(y)) / (e^eps_u - 1) and
    (e^-eps_l P(y) - P(y|s)) / (1 - e^-eps_l). Summed over y: w <= 1 / (1 + sum N), with equality for r in proportion to
    N. Randomised response is the case of uniform r, and what conditional reporting publishes given s has
    r(y) = mean over s of P(y|s): neither tells the truth more often. For two symbols it is the
    optimal response: the polytope of rows is an interval, and both outputs stand at its ends.

    Examples
    --------
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> channel = tailored_response(joint, LIP(np.log(1.25)))
    >>> channel.kernel.round(6).tolist(), round(LIP(0).leakage(joint, channel), 6)
    ([[0.666667, 0.333333], [0.333333, 0.666667]], 0.223144)
    """
    if not isinstance(notion, ALIP | LIP):
        raise UnsupportedNotion(f"{notion} does not bound single lifts: give ALIP or LIP, or use calibrate")
    eps_l, eps_u = (notion.eps_l, notion.eps_u) if isinstance(notion, ALIP) else (notion.eps, notion.eps)
    plain = Channel.identity(joint.n_public, joint.public)
    if notion.is_kept(joint, plain):
        return plain
    needed = _needed(joint, eps_l, eps_u)
    total = needed.sum()
    if np.isinf(total):  # a budget of 0 that some symbol breaks: nothing but noise
        return Channel(np.tile(joint.p_x, (joint.n_public, 1)), joint.public)
    noise = needed / (1 + total)
    return Channel(np.eye(joint.n_public) / (1 + total) + noise, joint.public)


def _needed(joint: Joint, eps_l: float, eps_u: float) -> Matrix:
    """Return N(y), the noise that symbol y needs for each unit of truth, shape (X,)."""
    found = np.zeros(joint.n_public)
    u, v = joint.x_given_s, joint.p_x
    # the upper condition is divided by e^eps_u, which may overflow
    for eps, excess in ((eps_u, np.exp(-eps_u) * u - v), (eps_l, np.exp(-eps_l) * v - u)):
        most = np.maximum(excess.max(axis=0), 0)
        with np.errstate(divide="ignore"):
            found = np.maximum(found, np.divide(most, -np.expm1(-eps), out=np.zeros_like(most), where=most > 0))
    return found
