"""Conditional reporting: randomised response on the secret decides whether X is told or drawn anew."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.numerics import check_scalar


def conditional_reporting(joint: Joint, alpha: float) -> Channel:
    """Mask the secret by randomised response; report X if the mask is the secret, else a draw given the mask.

    Parameters
    ----------
    joint : Joint
        P_SX.
    alpha : float
        Budget of the randomised response, nats, in [0, inf].

    Returns
    -------
    Channel
        P(y|s,x), for the mechanism sees the secret; outputs are the symbols.

    Raises
    ------
    InvalidParameter
        If alpha is negative or not a number.

    Notes
    -----
    S20 Algorithm 1 and eq. (46). It is alpha-LDP with respect to S (S20 Proposition 2).

    Examples
    --------
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> conditional_reporting(joint, np.log(3)).kernel[0].round(6).tolist()
    [[0.8, 0.2], [0.05, 0.95]]
    """
    decay = np.exp(-check_scalar("alpha", alpha))
    n_secret, n_public = joint.p.shape
    # P(mask | secret), divided by e^alpha above and below
    mask = np.full((n_secret, n_secret), decay)
    np.fill_diagonal(mask, 1.0)
    mask /= 1 + (n_secret - 1) * decay
    truth = np.diag(mask)
    drawn = (mask - np.diag(truth)) @ joint.x_given_s
    return Channel(truth[:, None, None] * np.eye(n_public) + drawn[:, None, :], joint.public)


def conditional_reporting_lip(joint: Joint, alpha: float) -> float:
    """Return the smallest LIP budget that conditional reporting keeps, nats (S20 Proposition 1, eq. (33)).

    Examples
    --------
    >>> round(conditional_reporting_lip(Joint([[0.4, 0.1], [0.1, 0.4]]), np.log(3)), 6)
    0.356675
    """
    decay = np.exp(-check_scalar("alpha", alpha))
    everyone = decay * joint.x_given_s.sum(axis=0)
    with np.errstate(divide="ignore"):
        ratio = ((1 - decay) * joint.x_given_s + everyone) / ((1 - decay) * joint.p_x + everyone)
        return float(np.abs(np.log(ratio)).max())
