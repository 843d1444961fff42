"""Average measures of information and leakage, in nats where they are logarithms."""

import numpy as np
from numpy.typing import ArrayLike

from liftlib.errors import InvalidDistribution
from liftlib.joint import Joint
from liftlib.measures.lifts import alpha_of, chi2_lift, l1_lift, lift, power_mean
from mixproof.checks import checked
from mixproof.numerics import (
    SUM_TOL,
    Matrix,
    Vector,
    as_matrix,
    check_nonnegative,
    check_scalar,
    xlogx,
)

# the square of a larger number is above 0 to a float
MIN_FACTOR = 1e-150


def entropy(p: ArrayLike) -> float:
    """Return the Shannon entropy -sum p log p of a distribution, in nats.

    Parameters
    ----------
    p : array_like
        Probabilities that sum to 1, with one to three axes; 0 log 0 = 0.

    Returns
    -------
    float
        In [0, log n]: 0 for a constant, log n for n equally likely symbols.

    Raises
    ------
    InvalidDistribution
        If ``p`` is not a distribution.

    Examples
    --------
    >>> round(entropy([0.5, 0.5]), 6)
    0.693147
    """
    return max(0.0, -float(xlogx(_distribution("p", p, ndim=(1, 2, 3))).sum()))


def mutual_information(p_xy: ArrayLike) -> float:
    """Return I(X; Y) of a joint distribution, in nats.

    Parameters
    ----------
    p_xy : array_like, shape (X, Y)
        Probabilities that sum to 1; empty rows and columns are allowed.

    Returns
    -------
    float
        In [0, min(H(X), H(Y))]; 0 exactly if X and Y are independent.

    Raises
    ------
    InvalidDistribution
        If ``p_xy`` is not a distribution.

    Examples
    --------
    >>> round(mutual_information([[0.5, 0.0], [0.0, 0.5]]), 6)
    0.693147
    """
    return max(
        0.0, float(mutual_information_of(_distribution("p_xy", p_xy, ndim=(2,))))
    )


def mutual_information_of(p_xy: Matrix) -> Matrix:
    """Return I(X; Y), in nats, for unchecked arrays of shape (..., X, Y)."""
    # sum p log(p / (p_x p_y)) and not H(X) + H(Y) - H(X, Y), which cancels near
    # independence.
    product = p_xy.sum(axis=-1, keepdims=True) * p_xy.sum(axis=-2, keepdims=True)
    if p_xy.min() > MIN_FACTOR:
        terms = p_xy / product
    else:  # 0 log 0 = 0
        counts = (p_xy > 0) & (product > 0)
        terms = np.divide(p_xy, product, out=np.ones_like(p_xy), where=counts)
    # in place: large arrays take longer to allocate than to compute
    np.log(terms, out=terms)
    terms *= p_xy
    return np.asarray(terms.sum(axis=(-2, -1)))


@checked
def total_variation(joint: Joint) -> float:
    """Return T(S; X), the total variation distance of P_SX from P_S P_X, in [0, 1).

    E23, below eq. (31).

    Parameters
    ----------
    joint : Joint
        P_SX.

    Examples
    --------
    >>> total_variation(Joint([[0.5, 0.0], [0.0, 0.5]]))
    0.5
    """
    return float(joint.p_x @ l1_lift(joint)) / 2


@checked
def chi2_divergence(joint: Joint) -> float:
    """Return chi2(S; X), the chi-square divergence of P_SX from P_S P_X.

    At least 0 (E23, below eq. (32)).

    Parameters
    ----------
    joint : Joint
        P_SX.

    Examples
    --------
    >>> chi2_divergence(Joint([[0.5, 0.0], [0.0, 0.5]]))
    1.0
    """
    return float(joint.p_x @ chi2_lift(joint))


@checked
def sibson(joint: Joint, alpha: float) -> float:
    r"""Return Sibson's mutual information of order alpha, in nats.

    Parameters
    ----------
    joint : Joint
        P_SX.
    alpha : float
        The order, in [1, inf]: 1 gives I(S; X), inf gives maximal leakage, the log of
        the mean max-lift.

    Returns
    -------
    float
        :math:`\frac{\alpha}{\alpha-1} \log E_X[\Lambda^S_\alpha(X)]`, at least
        0 and increasing in alpha.

    Raises
    ------
    InvalidParameter
        If alpha is below 1.

    Notes
    -----
    E23 eq. after (33).

    Examples
    --------
    >>> round(sibson(Joint([[0.5, 0.0], [0.0, 0.5]]), float("inf")), 6)
    0.693147
    """
    alpha = check_scalar("alpha", alpha, 1)
    return _order(joint, alpha, alpha_of(lift(joint), joint.p_s, alpha))


@checked
def arimoto(joint: Joint, alpha: float) -> float:
    r"""Return Arimoto's mutual information of order alpha, in nats.

    It is Sibson's measure with the tilted prior :math:`P_{S_\alpha}(s) \propto
    P(s)^\alpha` in the mean over s (E23 Appendix B). At alpha = inf it is the log ratio
    of the probabilities of guessing S with and without X.

    Parameters
    ----------
    joint : Joint
        P_SX.
    alpha : float
        The order, in [1, inf]: 1 gives I(S; X).

    Returns
    -------
    float
        At least 0.

    Raises
    ------
    InvalidParameter
        If alpha is below 1.

    Examples
    --------
    >>> round(arimoto(Joint([[0.5, 0.0], [0.0, 0.5]]), 2), 6)
    0.693147
    """
    # The tilted prior's mean of lifts is the ratio of the alpha-norms of P(.|x) and of
    # P_S, which cannot underflow.
    alpha = check_scalar("alpha", alpha, 1)
    posterior = power_mean(joint.s_given_x, np.ones((joint.n_secret, 1)), alpha, axis=0)
    prior = power_mean(joint.p_s, np.ones(joint.n_secret), alpha, axis=0)
    return _order(joint, alpha, posterior / prior)


def _order(joint: Joint, alpha: float, mean: Vector) -> float:
    """Return alpha / (alpha - 1) log E_X[mean], or I(S; X) at alpha = 1."""
    if alpha == 1:
        return mutual_information(joint.p)
    factor = 1.0 if np.isinf(alpha) else alpha / (alpha - 1)
    return max(0.0, factor * float(np.log(joint.p_x @ mean)))


def _distribution(name: str, p: ArrayLike, ndim: tuple[int, ...]) -> Matrix:
    array = as_matrix(name, p, ndim)
    check_nonnegative(name, array)
    if not abs(array.sum() - 1) <= SUM_TOL:
        raise InvalidDistribution(
            f"{name} sums to {array.sum():.12g}, not 1: divide it by its sum"
        )
    return array
