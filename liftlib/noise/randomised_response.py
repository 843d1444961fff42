"""Generalised randomised response (GRR, S20 eqs. (28) and (29))."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel, check_room
from liftlib.family import family
from liftlib.joint import Joint
from liftlib.noise.closed_forms import forms_of
from mixproof.numerics import Matrix, Vector


def _chances(joint: Joint) -> tuple[Matrix, Vector]:
    """Return P(x|s) and P(x): their lifts are S20 eq. (29), with numerator and
    denominator times e^-eps.
    """
    return joint.x_given_s, joint.p_x


@family(**forms_of(_chances))
def randomised_response(joint: Joint, eps: float) -> Channel:
    """Return the channel that reports X with odds e^eps against each other symbol.

    Parameters
    ----------
    joint : Joint
        P_SX; only its number of symbols and labels are used.
    eps : float
        LDP budget with respect to X, nats, in [0, inf]; at inf X is published
        unchanged.

    Returns
    -------
    Channel
        Outputs are the symbols.

    Raises
    ------
    InvalidParameter
        If eps is negative or not a number.

    Notes
    -----
    S20 eq. (28); :cite:`Warner1965` for two symbols. ``randomised_response.lip(joint,
    eps)`` returns the smallest LIP budget that the channel satisfies, S20 eq. (29).
    ``randomised_response.at_lip(joint, lip)`` solves this equation for eps: e^eps = 1 +
    (g - 1) / m with g = e^lip, where m is the largest P(x|s) - g P(x) or P(x) - g
    P(x|s) over s and x. The result is infinite if X itself satisfies the budget, and is
    rounded to the private side.

    Examples
    --------
    >>> randomised_response.at(Joint([[0.5, 0.5]]), np.log(3)).kernel.round(6).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> round(randomised_response.lip(joint, np.log(3)), 6)
    0.356675
    >>> round(randomised_response.at_lip(joint, 0.356675), 4)  # log 3
    1.0986
    """
    check_room("randomised response", joint.n_public, joint.n_public)
    decay = np.exp(-eps)  # because e^eps overflows
    n = joint.n_public
    kernel = np.full((n, n), decay)
    np.fill_diagonal(kernel, 1.0)
    return Channel(kernel / (1 + (n - 1) * decay), joint.public)
