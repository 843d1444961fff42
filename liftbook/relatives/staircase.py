"""Staircase mechanisms: the best response under LDP of X itself."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.notions import LDP, RatioBased
from liftlib.response.aorr import certified, cheapest, proven
from liftlib.response.posteriors import repaired, without_negligible
from mixproof.checks import checked

MAX_SYMBOLS = 12
"""Maximum number of symbols: there are 2^|X| staircases."""


@checked
def staircase_response(joint: Joint, notion: RatioBased) -> Channel:
    """Return the best response under LDP of X at the notion's smallest budget.

    Parameters
    ----------
    joint : Joint
        P_SX, with at most 12 symbols; only P_X is used, so the release satisfies the notion for every secret.
    notion : Notion
        Bounds on ratios of P(y|s) and P(y): ALIP, LIP, LDP, or a custom notion with ``ratios``.

    Returns
    -------
    Channel
        With a :class:`~liftlib.response.posteriors.ResponseCertificate`. Its ``upper`` is proven if the secret
        determines X and the notion is LDP, a bound on ratios between secrets; for other notions, LDP of X is stricter
        than necessary.

    Notes
    -----
    Kairouz2016: an optimum has columns P(y|x) with two values in the ratio e^eps. There are 2^|X| such staircases, and
    a linear program finds the best mixture of them that is a channel. P(y|s) and P(y) are means of P(y|x), so their
    ratios are at most the largest ratio P(y|x) / P(y|x').

    Examples
    --------
    >>> channel = staircase_response(Joint([[0.25, 0, 0], [0, 0.25, 0.5]]), LDP(1.0))
    >>> bool((channel.kernel.max(axis=0) <= 1.0000001 * np.e * channel.kernel.min(axis=0)).all())
    True
    """
    ratios = notion.ratios(joint.n_secret)
    n = joint.n_public
    if n > MAX_SYMBOLS:
        raise InvalidParameter(
            f"joint has {n} symbols, more than {MAX_SYMBOLS}: use optimal_response or randomised_response"
        )
    eps = float(ratios.budget.min(initial=np.inf))
    if np.isinf(eps):
        return Channel.identity(n, joint.public)
    support = without_negligible(joint, notion)
    p_x = support.joint.p_x
    high = (np.arange(1, 2 ** len(p_x))[:, None] >> np.arange(len(p_x))) & 1
    rows = np.where(high, 1.0, np.exp(-eps)) * p_x
    if eps == 0:  # all staircases are then the same
        rows = rows[-1:]
    mixture = cheapest(rows / rows.sum(axis=1, keepdims=True), p_x)
    diagonal, limit = Joint(np.diag(joint.p_x)), LDP(eps)
    channel, mixed = repaired(
        support.extended(mixture.kernel),
        joint.p_x,
        lambda made: notion.is_satisfied(joint, made) and limit.is_satisfied(diagonal, made),
        name=notion,
    )
    between_secrets = bool((np.maximum(ratios.top, ratios.bottom) < joint.n_secret).all())
    determined = bool(((joint.p > 0).sum(axis=1) == 1).all())
    upper = proven(joint, support, mixture) if between_secrets and determined and len(ratios.budget) else np.inf
    return certified(joint, channel, "all staircases", mixture, mixed, upper)
