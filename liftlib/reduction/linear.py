"""Linear reduction (I21): every P(y|s) moves towards P(x) by the same share."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel, check_room
from liftlib.errors import UnsupportedNotion
from liftlib.family import calibrate, family
from liftlib.joint import Joint
from liftlib.notions import Notion, Polyhedral, require
from mixproof.checks import checked


@family(high=1.0, private_end="high")
def linear_reduction(joint: Joint, share: float) -> Channel:
    """Return the channel that redraws X from P_X with probability ``share``.

    Parameters
    ----------
    joint : Joint
        P_SX.
    share : float
        Share of the reduction, in [0, 1]: 0 publishes X unchanged; at 1, Y is
        independent of S.

    Returns
    -------
    Channel
        P(y|x), with P_Y = P_X and P(y|s) = (1 - share) P(x|s) + share P(x). Every lift
        moves towards 1 by this share of its distance from 1.

    Raises
    ------
    InvalidParameter
        If the share is outside [0, 1].

    Notes
    -----
    I21 eq. (3) and Lemma 1, eq. (7), where the share is called alpha.

    Examples
    --------
    >>> linear_reduction.at(Joint([[0.25, 0.25], [0.0, 0.5]]), 0.5).kernel.tolist()
    [[0.625, 0.375], [0.125, 0.875]]
    """
    check_room("linear reduction", joint.n_public, joint.n_public)
    return Channel(
        (1 - share) * np.eye(joint.n_public) + share * joint.p_x, joint.public
    )


@checked
def reduction_share(joint: Joint, notion: Notion) -> float:
    """Return the smallest share for which linear reduction satisfies a notion.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        Any notion. The share has a closed form if the notion has halfspaces; otherwise
        it is found by
        :func:`~liftlib.calibrate`.

    Returns
    -------
    float
        In [0, 1], exact up to rounding. If the notion is a condition on lift columns,
        every channel with the same P(y|s) satisfies it too.

    Notes
    -----
    With share a, the posterior P(X=.|Y=x) is (1 - a) e_x + a P_X (I21 eq. (3)), so a
    halfspace g with g_x < 0 requires a >= -g_x / (g P_X - g_x). The result is the
    largest of these bounds. For ALIP, whose halfspaces bound the lifts, it is the share
    that moves the extreme lifts to their bounds.

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> joint = Joint([[0.3, 0.2], [0.1, 0.4]])  # lifts from 0.5 to 1.5
    >>> round(reduction_share(joint, ALIP(eps_l=50.0, eps_u=0.22314355)), 6)  # log 1.25
    0.5
    """
    try:
        halfspaces = require(notion, Polyhedral, "the closed form").halfspaces(joint)
    except UnsupportedNotion:  # also if there are too many halfspaces
        return calibrate(linear_reduction, joint, notion)
    # a constant release satisfies every notion, so a value below 0 is rounding
    short = np.maximum(-halfspaces, 0)
    room = np.maximum(halfspaces @ joint.p_x, 0)[:, None]
    share = float(
        np.divide(short, room + short, out=np.zeros_like(short), where=short > 0).max(
            initial=0.0
        )
    )
    # a bound such as e^-800 is 0 in floating point, and would leave a zero cell
    # unchanged
    return (
        share
        if notion.is_satisfied(joint, linear_reduction.at(joint, share))
        else calibrate(linear_reduction, joint, notion)
    )
