"""Optimised unary encoding (OUE, S20 eqs. (30)-(32))."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter
from liftlib.family import family
from liftlib.joint import Joint
from liftlib.noise.closed_forms import (
    largest_eps,
    largest_log,
    lifts_at,
    rounded_down,
)

# largest number of symbols for which the kernel is written out: 2^20 x 20 floats are
# 160 MB
MAX_UNARY_SYMBOLS = 20


def _lip(joint: Joint, eps: float) -> float:
    """Return S20 eq. (32), maximised over the ``|X|`` threshold sets."""
    decay = np.exp(-eps)
    order = np.argsort(joint.x_given_s / joint.p_x, axis=1)
    largest = 0.0
    for direction in (order, order[:, ::-1]):
        in_order = np.take_along_axis(joint.x_given_s, direction, axis=1)
        given = np.cumsum(in_order, axis=1)
        marginal = np.cumsum(joint.p_x[direction], axis=1)
        largest = max(largest, largest_log(lifts_at(decay, given, marginal)))
    return largest


def _at_lip(joint: Joint, eps: float) -> float:
    shrink = np.exp(-eps)
    above = shrink * joint.x_given_s - joint.p_x
    below = shrink * joint.p_x - joint.x_given_s
    # a sum over a set is largest for the set of its positive terms
    sums = np.maximum([above, below], 0).sum(axis=-1)
    parameter = largest_eps(eps, float(sums.max()))
    return rounded_down(joint, eps, parameter, _lip)


@family(lip=_lip, at_lip=_at_lip)
def unary_encoding(joint: Joint, eps: float) -> Channel:
    """Return optimised unary encoding: the output is a random set of symbols.

    The set contains the true symbol with probability 1/2 and each other symbol with
    probability 1/(e^eps + 1).

    Parameters
    ----------
    joint : Joint
        P_SX, with at most ``MAX_UNARY_SYMBOLS`` symbols; only their number is used.
    eps : float
        LDP budget with respect to X, nats, in [0, inf].

    Returns
    -------
    Channel
        ``2^|X|`` outputs. Each is labelled by the bit mask of its set: bit x is set if
        symbol x is in the set.

    Raises
    ------
    InvalidParameter
        If eps is negative or not a number, or there are too many symbols.

    Notes
    -----
    Optimised unary encoding, S20 eqs. (30) and (31).

    ``unary_encoding.lip(joint, eps)`` returns the smallest LIP budget that the channel
    satisfies, S20 eq. (32). A set's lift is (1 + c a_s) / (1 + c a), where c = e^eps -
    1, and a_s and a are the probabilities, given s and overall, that the true symbol is
    in the set. If r is the largest lift, no set has c a_s - r c a above r - 1, so the
    maximiser contains exactly the symbols with P(x|s) / P(x) above r. It therefore
    suffices to try the ``|X|`` sets given by thresholds on P(x|s) / P(x).
    ``unary_encoding.at_lip(joint, lip)`` solves the equation for eps.

    Examples
    --------
    >>> unary_encoding.at(Joint([[0.5, 0.5]]), np.log(3)).kernel.tolist()
    [[0.375, 0.375, 0.125, 0.125], [0.375, 0.125, 0.375, 0.125]]
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> parameter = unary_encoding.at_lip(joint, 0.356675)
    >>> round(unary_encoding.lip(joint, np.log(3)), 6), round(parameter, 4)
    (0.356675, 1.0986)
    """
    decay = np.exp(-eps)
    n = joint.n_public
    if n > MAX_UNARY_SYMBOLS:
        raise InvalidParameter(
            f"unary encoding of {n} symbols has 2^{n} outputs: use at most "
            f"{MAX_UNARY_SYMBOLS} symbols"
        )
    inside = decay / (1 + decay)  # 1 / (e^eps + 1)
    bits = ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(np.float64)
    # each member of a set other than x is in it with probability `inside`; each
    # non-member is not
    others = bits.sum(axis=1)[:, None] - bits
    # integer powers: inside is 0 at eps = inf, where 0^0 = 1 is meant
    kernel = 0.5 * inside**others * (1 - inside) ** (n - 1 - others)
    return Channel(kernel.T, range(2**n))
