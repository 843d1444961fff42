"""Mechanisms from local differential privacy with respect to X, and how much they leak of S."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.numerics import Matrix, check_scalar

LARGEST_UNARY = 20
"""Symbols beyond which unary encoding's 2^X outputs are not written out: 2^20 x 20 floats are 160 MB."""


def randomised_response(joint: Joint, alpha: float) -> Channel:
    """Report the true symbol with the odds e^alpha against each other one: generalised randomised response.

    Parameters
    ----------
    joint : Joint
        P_SX; only its number of symbols and labels are used.
    alpha : float
        LDP budget with respect to X, nats, in [0, inf]; at inf X passes as it is.

    Returns
    -------
    Channel
        Outputs are the symbols.

    Raises
    ------
    InvalidParameter
        If alpha is negative or not a number.

    Notes
    -----
    S20 eq. (28); :cite:`Warner1965` for two symbols.

    Examples
    --------
    >>> randomised_response(Joint([[0.5, 0.5]]), np.log(3)).kernel.round(6).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    decay = np.exp(-check_scalar("alpha", alpha))  # e^-alpha, because e^alpha overflows
    n = joint.n_public
    kernel = np.full((n, n), decay)
    np.fill_diagonal(kernel, 1.0)
    return Channel(kernel / (1 + (n - 1) * decay), joint.public)


def randomised_response_lip(joint: Joint, alpha: float) -> float:
    """Return the smallest LIP budget that randomised response keeps, nats (S20 eq. (29)).

    Examples
    --------
    >>> round(randomised_response_lip(Joint([[0.4, 0.1], [0.1, 0.4]]), np.log(3)), 6)
    0.356675
    """
    decay = np.exp(-check_scalar("alpha", alpha))
    # e^-alpha times the numerator and denominator of S20 eq. (29)
    ratio = (decay + (1 - decay) * joint.x_given_s) / (decay + (1 - decay) * joint.p_x)
    return _largest_log(ratio)


def unary_encoding(joint: Joint, alpha: float) -> Channel:
    """Report a random set of symbols: the true one is in it with chance 1/2, each other one with 1/(e^alpha + 1).

    Parameters
    ----------
    joint : Joint
        P_SX, with at most ``LARGEST_UNARY`` symbols; only their number is used.
    alpha : float
        LDP budget with respect to X, nats, in [0, inf].

    Returns
    -------
    Channel
        ``2^|X|`` outputs, labelled by the bit mask of their set: bit x is set if symbol x is in it.

    Raises
    ------
    InvalidParameter
        If alpha is negative or not a number, or there are too many symbols.

    Notes
    -----
    Optimised unary encoding, S20 eqs. (30) and (31). Half of the time the true symbol is not in the set, so the
    mutual information is about H(X)/2 at large alpha.

    Examples
    --------
    >>> unary_encoding(Joint([[0.5, 0.5]]), np.log(3)).kernel.tolist()
    [[0.375, 0.375, 0.125, 0.125], [0.375, 0.125, 0.375, 0.125]]
    """
    decay = np.exp(-check_scalar("alpha", alpha))
    n = joint.n_public
    if n > LARGEST_UNARY:
        raise InvalidParameter(f"unary encoding of {n} symbols has 2^{n} outputs: use at most {LARGEST_UNARY} symbols")
    inside = decay / (1 + decay)  # 1 / (e^alpha + 1)
    bits = _subsets(n)
    size = bits.sum(axis=1)
    # of a set's members other than x, each is there with chance `inside`; of its non-members, each is not
    others = size[:, None] - bits
    # integer powers: inside is 0 at alpha = inf, where 0^0 = 1 is meant
    kernel = 0.5 * inside**others * (1 - inside) ** (n - 1 - others)
    return Channel(kernel.T, range(2**n))


def unary_encoding_lip(joint: Joint, alpha: float) -> float:
    """Return the smallest LIP budget that optimised unary encoding keeps, nats (S20 eq. (32)).

    Parameters
    ----------
    joint : Joint
        P_SX.
    alpha : float
        LDP budget with respect to X, nats, in [0, inf].

    Notes
    -----
    A set's lift is (1 + c a_s) / (1 + c a), with c = e^alpha - 1 and a_s, a the chances, given s and in all, that the
    true symbol is in the set. Its largest value r is where no set has c a_s - r c a above r - 1, so that the best set
    has the symbols with P(x|s) / P(x) above r; the least likewise. So it is enough to try the ``|X|`` sets that
    thresholds on P(x|s) / P(x) make, not ``2^|X|``.

    Examples
    --------
    >>> round(unary_encoding_lip(Joint([[0.4, 0.1], [0.1, 0.4]]), np.log(3)), 6)
    0.356675
    """
    decay = np.exp(-check_scalar("alpha", alpha))
    order = np.argsort(joint.x_given_s / joint.p_x, axis=1)
    ratios = []
    for direction in (order, order[:, ::-1]):
        given = np.cumsum(np.take_along_axis(joint.x_given_s, direction, axis=1), axis=1)
        whole = np.cumsum(joint.p_x[direction], axis=1)
        # S20 eq. (32) times e^-alpha
        ratios.append((decay + (1 - decay) * given) / (decay + (1 - decay) * whole))
    return _largest_log(np.concatenate(ratios))


def _subsets(n: int) -> Matrix:
    return ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(np.float64)


def _largest_log(ratio: Matrix) -> float:
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(ratio)).max())
