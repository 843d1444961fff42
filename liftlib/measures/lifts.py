"""Lift, the ratio of the posterior to the prior of a secret, and its measures.

Each public function takes a :class:`~liftlib.joint.Joint` of S and a released variable
(X itself, or Y through ``channel.release(joint)``). The ``*_of`` functions take lifts
of shape (..., S, X) and priors of S of shape (..., S).
"""

import numpy as np

from liftlib.joint import Joint
from mixproof.checks import checked
from mixproof.numerics import Matrix, Vector, check_scalar


def lift_of(p: Matrix, p_s: Vector | None = None) -> Matrix:
    """Return the lifts of joint probabilities ``p``, shape (..., S, X).

    Columns without mass have lift 1.

    Parameters
    ----------
    p : numpy.ndarray, shape (..., S, X)
        Joint probabilities.
    p_s : numpy.ndarray, shape (..., S), optional
        The prior of S, by default the marginal of ``p``.

    Examples
    --------
    >>> lift_of(np.array([[[0.25, 0.25], [0.0, 0.5]]])).round(4).tolist()
    [[[2.0, 0.6667], [0.0, 1.3333]]]
    """
    prior = (p.sum(axis=-1) if p_s is None else p_s)[..., None]
    mass = p.sum(axis=-2, keepdims=True)
    # two divisions, because the product P(s) P(x) of two small masses underflows to 0
    return np.divide(
        p / np.where(mass > 0, mass, 1),
        prior,
        out=np.ones_like(p),
        where=(prior > 0) & (mass > 0),
    )


def inverse_of(lift: Matrix) -> Matrix:
    """Return 1 / lift, with 1 / 0 = inf.

    Parameters
    ----------
    lift : numpy.ndarray, shape (..., S, X)
        Lifts, at least 0.

    Examples
    --------
    >>> inverse_of(np.array([[2.0, 0.5], [0.0, 1.5]])).round(4).tolist()
    [[0.5, 2.0], [inf, 0.6667]]
    """
    # 1 / 1e-309 is infinite to a float
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(1 / lift)


def power_mean(values: Matrix, weights: Matrix, order: float, axis: int) -> Matrix:
    """Return (sum_i w_i v_i^order)^(1/order) along an axis, without overflow.

    Parameters
    ----------
    values : numpy.ndarray
        Non-negative values; infinite entries are allowed and give an infinite mean.
    weights : numpy.ndarray
        Non-negative weights that broadcast against ``values``.
    order : float
        A positive order; infinity gives the largest value with positive weight.
    axis : int
        The axis to average over.

    Examples
    --------
    >>> power_mean(np.array([1.0, 3.0]), np.array([0.5, 0.5]), 1.0, axis=0).item()
    2.0
    >>> power_mean(np.array([1.0, 3.0]), np.array([0.5, 0.5]), np.inf, axis=0).item()
    3.0
    """
    counted = np.where(weights > 0, values, 0.0)
    peak = counted.max(axis=axis, keepdims=True)
    if np.isinf(order):
        return np.asarray(peak.squeeze(axis=axis))
    # values ** order overflows at order 100, so divide by the peak first; a peak of 0
    # or infinity is its own mean
    finite = np.isfinite(peak)
    divides = (peak > 0) & finite
    safe = np.where(divides, peak, 1.0)
    ratio = np.where(finite, counted / safe, 1.0)
    total = np.sum(weights * ratio**order, axis=axis, keepdims=True)
    mean = np.where(divides, total ** (1 / order) * safe, peak)
    return np.asarray(mean.squeeze(axis=axis))


def l1_of(lift: Matrix, p_s: Vector) -> Vector:
    r"""Return :math:`\sum_s P(s) |l(s, x) - 1|`, shape (..., X).

    Parameters
    ----------
    lift : numpy.ndarray, shape (..., S, X)
        Lifts, at least 0.
    p_s : numpy.ndarray, shape (..., S)
        The prior of S.

    Examples
    --------
    >>> l1_of(np.array([[2.0, 0.5], [0.0, 1.5]]), np.array([0.5, 0.5])).tolist()
    [1.0, 0.5]
    """
    return _mean(np.abs(lift - 1), p_s)


def chi2_of(lift: Matrix, p_s: Vector) -> Vector:
    r"""Return :math:`\sum_s P(s) (l(s, x) - 1)^2`, shape (..., X).

    Parameters
    ----------
    lift : numpy.ndarray, shape (..., S, X)
        Lifts, at least 0.
    p_s : numpy.ndarray, shape (..., S)
        The prior of S.

    Examples
    --------
    >>> chi2_of(np.array([[2.0, 0.5], [0.0, 1.5]]), np.array([0.5, 0.5])).tolist()
    [1.0, 0.25]
    """
    # a lift of 1e-200 has an inverse whose square is infinite to a float
    with np.errstate(over="ignore"):
        return _mean((lift - 1) ** 2, p_s)


def alpha_of(lift: Matrix, p_s: Vector, alpha: float) -> Vector:
    r"""Return :math:`(\sum_s P(s)\, l(s, x)^\alpha)^{1/\alpha}`, shape (..., X).

    Parameters
    ----------
    lift : numpy.ndarray, shape (..., S, X)
        Lifts, at least 0.
    p_s : numpy.ndarray, shape (..., S)
        The prior of S.
    alpha : float
        The order, in (1, inf].

    Examples
    --------
    >>> lifts, prior = np.array([[2.0, 0.5], [0.0, 1.5]]), np.array([0.5, 0.5])
    >>> alpha_of(lifts, prior, 2).round(4).tolist()
    [1.4142, 1.118]
    """
    return power_mean(lift, p_s[..., :, None], alpha, axis=-2)


def _mean(values: Matrix, p_s: Vector) -> Vector:
    return np.asarray((p_s[..., :, None] * values).sum(axis=-2))


@checked
def lift(joint: Joint) -> Matrix:
    r"""Return the lift :math:`l(s,x) = P(s|x) / P(s)`.

    Parameters
    ----------
    joint : Joint
        P_SX.

    Returns
    -------
    numpy.ndarray, shape (S, X)
        Non-negative; 0 exactly where P(s, x) = 0. In each column the mean over s,
        weighted by P(s), is 1, so all lifts are 1 exactly if S and X are independent.

    Notes
    -----
    E23 eq. (1), C22 eq. (1). ``joint.to_frame("lifts")`` has them with the labels of S
    and X.

    Examples
    --------
    >>> lift(Joint([[0.25, 0.25], [0.0, 0.5]])).round(4).tolist()
    [[2.0, 0.6667], [0.0, 1.3333]]
    """
    # P(s|x); a table of 10^6 symbols should not be copied twice
    lifts = joint.p / joint.p_x
    lifts /= joint.p_s[:, None]
    return lifts


@checked
def max_lift(joint: Joint) -> Vector:
    r"""Return :math:`\Lambda(x) = \max_s l(s,x)`, shape (X,), at least 1 (E23 eq. (2)).

    Parameters
    ----------
    joint : Joint
        P_SX.

    Examples
    --------
    >>> max_lift(Joint([[0.25, 0.25], [0.0, 0.5]])).round(4).tolist()
    [2.0, 1.3333]
    """
    return np.asarray(lift(joint).max(axis=0))


@checked
def min_lift(joint: Joint) -> Vector:
    r"""Return :math:`\Psi(x) = \min_s l(s,x)`, shape (X,), in [0, 1] (E23 eq. (2)).

    Parameters
    ----------
    joint : Joint
        P_SX.

    Examples
    --------
    >>> min_lift(Joint([[0.25, 0.25], [0.0, 0.5]])).round(4).tolist()
    [0.0, 0.6667]
    """
    return np.asarray(lift(joint).min(axis=0))


@checked
def lift_ratio(joint: Joint) -> Vector:
    r"""Return :math:`\Gamma(x) = \Lambda(x) / \Psi(x)`, shape (X,) (E23 eq. (4)).

    At least 1; infinite at a zero cell.

    Parameters
    ----------
    joint : Joint
        P_SX.

    Examples
    --------
    >>> lift_ratio(Joint([[0.25, 0.25], [0.0, 0.5]])).round(4).tolist()
    [inf, 2.0]
    """
    with np.errstate(divide="ignore"):
        return max_lift(joint) / min_lift(joint)


@checked
def l1_lift(joint: Joint) -> Vector:
    r"""Return the l1-lift :math:`\sum_s P(s) |l(s,x) - 1|`, in [0, 2) (E23 eq. (31)).

    Shape (X,). Half its mean over x is
    :func:`~liftlib.measures.total_variation`.

    Parameters
    ----------
    joint : Joint
        P_SX.

    Examples
    --------
    >>> l1_lift(Joint([[0.25, 0.25], [0.0, 0.5]])).round(4).tolist()
    [1.0, 0.3333]
    """
    return l1_of(lift(joint), joint.p_s)


@checked
def chi2_lift(joint: Joint) -> Vector:
    r"""Return the chi2-lift :math:`\sum_s P(s) (l(s,x) - 1)^2` (E23 eq. (32)).

    Shape (X,), at least 0. Its mean over x is
    :func:`~liftlib.measures.chi2_divergence`.

    Parameters
    ----------
    joint : Joint
        P_SX.

    Examples
    --------
    >>> chi2_lift(Joint([[0.25, 0.25], [0.0, 0.5]])).round(4).tolist()
    [1.0, 0.1111]
    """
    return chi2_of(lift(joint), joint.p_s)


@checked
def alpha_lift(joint: Joint, alpha: float) -> Vector:
    r"""Return the alpha-lift :math:`(\sum_s P(s)\, l(s,x)^\alpha)^{1/\alpha}`.

    Parameters
    ----------
    joint : Joint
        P_SX.
    alpha : float
        The order, in (1, inf].

    Returns
    -------
    numpy.ndarray, shape (X,)
        In [1, max-lift], increasing in alpha; the max-lift at inf (E23 eq. (33)).

    Raises
    ------
    InvalidParameter
        If alpha is not above 1.

    Examples
    --------
    >>> alpha_lift(Joint([[0.25, 0.25], [0.0, 0.5]]), 2).round(4).tolist()
    [1.4142, 1.0541]
    """
    return alpha_of(
        lift(joint), joint.p_s, check_scalar("alpha", alpha, 1, open_low=True)
    )


@checked
def l1_lift_inverse(joint: Joint) -> Vector:
    r"""Return the l1-lift-inverse :math:`\sum_s P(s) |1/l(s,x) - 1|` (E23 eq. (34)).

    Shape (X,); infinite at a zero cell.

    Parameters
    ----------
    joint : Joint
        P_SX.

    Examples
    --------
    >>> l1_lift_inverse(Joint([[0.25, 0.25], [0.0, 0.5]])).round(4).tolist()
    [inf, 0.375]
    """
    return l1_of(inverse_of(lift(joint)), joint.p_s)


@checked
def chi2_lift_inverse(joint: Joint) -> Vector:
    r"""Return the chi2-lift-inverse :math:`\sum_s P(s) (1/l(s,x) - 1)^2`.

    Shape (X,); infinite at a zero cell (E23 eq. (35)).

    Parameters
    ----------
    joint : Joint
        P_SX.

    Examples
    --------
    >>> chi2_lift_inverse(Joint([[0.25, 0.25], [0.0, 0.5]])).round(4).tolist()
    [inf, 0.1562]
    """
    return chi2_of(inverse_of(lift(joint)), joint.p_s)


@checked
def alpha_lift_inverse(joint: Joint, alpha: float) -> Vector:
    r"""Return the alpha-lift-inverse :math:`(\sum_s P(s) l(s,x)^{-\alpha})^{1/\alpha}`.

    Parameters
    ----------
    joint : Joint
        P_SX.
    alpha : float
        The order, in (1, inf].

    Returns
    -------
    numpy.ndarray, shape (X,)
        1 / min-lift at inf; infinite at a zero cell (E23 eq. (36)).

    Raises
    ------
    InvalidParameter
        If alpha is not above 1.

    Examples
    --------
    >>> alpha_lift_inverse(Joint([[0.25, 0.25], [0.0, 0.5]]), 2).round(4).tolist()
    [inf, 1.1859]
    """
    return alpha_of(
        inverse_of(lift(joint)),
        joint.p_s,
        check_scalar("alpha", alpha, 1, open_low=True),
    )
