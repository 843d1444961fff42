"""Conditional reporting (S20 Algorithm 1)."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel, check_room
from liftlib.family import family
from liftlib.joint import Joint
from liftlib.noise.closed_forms import forms_of
from mixproof.numerics import Matrix, Vector


def _chances(joint: Joint) -> tuple[Matrix, Vector]:
    """Return P(x|s) and P(x), each divided by sum_s P(x|s) (S20 eq. (33))."""
    everyone = joint.x_given_s.sum(axis=0)
    return joint.x_given_s / everyone, joint.p_x / everyone


@family(**forms_of(_chances))
def conditional_reporting(joint: Joint, eps: float) -> Channel:
    """Return the channel that reports X only if a randomised secret equals the secret.

    The secret is masked by randomised response (S20 Algorithm 1). If the mask equals
    the secret, X is reported; otherwise the output is drawn from P(x | mask).

    Parameters
    ----------
    joint : Joint
        P_SX.
    eps : float
        LDP budget of the randomised response on the secret, nats, in [0, inf].

    Returns
    -------
    Channel
        P(y|s,x), because the mechanism has access to the secret. The outputs are the
        symbols.

    Raises
    ------
    InvalidParameter
        If eps is negative or not a number.

    Notes
    -----
    S20 Algorithm 1 and eq. (46). It is eps-LDP with respect to S (S20 Proposition 2).
    ``conditional_reporting.lip(joint, eps)`` returns the smallest LIP budget that the
    channel satisfies (S20 Proposition 1, eq. (33)).
    ``conditional_reporting.at_lip(joint, lip)`` solves this equation for eps as in
    :func:`~liftlib.noise.randomised_response.randomised_response`, with each term
    divided by the sum of P(x|s) over s.

    Examples
    --------
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> conditional_reporting.at(joint, np.log(3)).kernel[0].round(6).tolist()
    [[0.8, 0.2], [0.05, 0.95]]
    >>> round(conditional_reporting.lip(joint, np.log(3)), 6)
    0.356675
    >>> round(conditional_reporting.at_lip(joint, 0.356675), 4)
    1.0986
    """
    check_room("conditional reporting", joint.n_secret, joint.n_public, joint.n_public)
    decay = np.exp(-eps)
    n_secret, n_public = joint.p.shape
    # P(mask | secret), with numerator and denominator divided by e^eps, which overflows
    mask = np.full((n_secret, n_secret), decay)
    np.fill_diagonal(mask, 1.0)
    mask /= 1 + (n_secret - 1) * decay
    truth = np.diag(mask)
    drawn = (mask - np.diag(truth)) @ joint.x_given_s
    return Channel(
        truth[:, None, None] * np.eye(n_public) + drawn[:, None, :], joint.public
    )
