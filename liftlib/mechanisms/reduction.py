"""Linear reduction: P(y|s) is moved towards P(x) by the same share for every secret and symbol."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.linprog import solve
from liftlib.numerics import Matrix, Vector, as_matrix, check_scalar


def linear_reduction(joint: Joint, alpha: float) -> Channel:
    """Replace X, with chance alpha, by a fresh draw from P_X.

    Parameters
    ----------
    joint : Joint
        P_SX.
    alpha : float
        Share of the reduction, in [0, 1]: 0 passes X as it is, 1 releases a Y that is independent of S.

    Returns
    -------
    Channel
        P(y|x), with P_Y = P_X and P(y|s) = (1 - alpha) P(x|s) + alpha P(x): every lift moves the share alpha of its
        way to 1.

    Raises
    ------
    InvalidParameter
        If alpha is outside [0, 1].

    Notes
    -----
    I21 eq. (3) and Lemma 1, eq. (7).

    Examples
    --------
    >>> linear_reduction(Joint([[0.25, 0.25], [0.0, 0.5]]), 0.5).kernel.tolist()
    [[0.625, 0.375], [0.125, 0.875]]
    """
    alpha = check_scalar("alpha", alpha, 0, 1)
    return Channel((1 - alpha) * np.eye(joint.n_public) + alpha * joint.p_x, joint.public)


def secret_aware_reduction(joint: Joint, alpha: float, distortion: ArrayLike | None = None) -> Channel:
    """Reach the same P(y|s) as linear reduction by moving as little of X as possible, with sight of the secret.

    Parameters
    ----------
    joint : Joint
        P_SX.
    alpha : float
        Share of the reduction, in [0, 1].
    distortion : array_like, shape (X, X), optional
        ``distortion[x, y]``, at least 0, is what it costs to release y for x. By default 1 for every change, so that
        P(Y != X), I21's total variation distance D_TV(X, Y), is least.

    Returns
    -------
    Channel
        P(y|s,x).

    Raises
    ------
    InvalidParameter
        If alpha is outside [0, 1] or the distortion has another shape.
    InvalidDistribution
        If the distortion has an entry that is negative or not finite.
    SolverFailure
        If a linear programme's answer fails its check.

    Notes
    -----
    I21 Propositions 1 and 2, eqs. (11) and (12). For each secret this is a transport of P(x|s) to P(y|s). Proposition
    2 leaves what the two have in common where it is, which is optimal if the distortion meets the triangle
    inequality. Where it does not, as for squared distances, a chain of short moves can be cheaper; then the whole
    transport problem is solved. Without a distortion every transport is as good, and mass is taken in proportion.

    Examples
    --------
    >>> joint = Joint([[0.25, 0.25], [0.0, 0.5]])
    >>> secret_aware_reduction(joint, 0.5).kernel[0].tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    alpha = check_scalar("alpha", alpha, 0, 1)
    n = joint.n_public
    cost = None if distortion is None else _distortion(distortion, n)
    whole = cost is not None and bool((cost[:, None, :] > cost[:, :, None] + cost[None, :, :] + 1e-12).any())
    kernel = np.empty((joint.n_secret, n, n))
    for s in range(joint.n_secret):
        source = joint.x_given_s[s]
        target = (1 - alpha) * source + alpha * joint.p_x
        if whole and cost is not None:
            flow = _transport(source, target, cost)
        else:
            kept = np.minimum(source, target)
            flow = np.diag(kept) + _moves(source - kept, target - kept, cost)
        possible = source > 0
        rows = np.eye(n)  # what to release for an x that this secret never has does not matter
        rows[possible] = flow[possible] / flow[possible].sum(axis=1, keepdims=True)
        kernel[s] = rows
    return Channel(kernel, joint.public)


def _distortion(distortion: ArrayLike, n: int) -> Matrix:
    cost = as_matrix("distortion", distortion)
    if cost.shape != (n, n):
        raise InvalidParameter(f"distortion has shape {cost.shape}: give ({n}, {n}), a row for each x and a column a y")
    if not (cost >= 0).all():
        x, y = np.argwhere(~(cost >= 0))[0]
        raise InvalidParameter(f"distortion[{x}, {y}] is {cost[x, y]:g}, below 0: a cost is not negative")
    return cost


def _moves(surplus: Vector, deficit: Vector, cost: Matrix | None) -> Matrix:
    """Return how much goes from each symbol with a surplus to each with a deficit (I21 eqs. (11d), (11e), (12))."""
    flow = np.zeros((surplus.size, surplus.size))
    if surplus.sum() <= 0 or deficit.sum() <= 0:
        return flow
    deficit = deficit * (surplus.sum() / deficit.sum())  # equal but for rounding
    if cost is None:
        return np.asarray(np.outer(surplus, deficit) / deficit.sum())
    out, into = np.flatnonzero(surplus > 0), np.flatnonzero(deficit > 0)
    flow[np.ix_(out, into)] = _transport(surplus[out], deficit[into], cost[np.ix_(out, into)])
    return flow


def _transport(source: Vector, target: Vector, cost: Matrix) -> Matrix:
    """Return the cheapest transport of ``source`` to ``target``, shape (m, n)."""
    m, n = cost.shape
    pair = np.arange(m * n)
    rows = np.concatenate([pair // n, m + pair % n])
    matrix = coo_array((np.ones(2 * m * n), (rows, np.concatenate([pair, pair])))).tocsr()
    target = target * (source.sum() / target.sum())
    scale = source.sum()  # small masses would vanish in the solver's tolerance
    # the last row follows from the others
    solution = solve(cost.ravel(), matrix[:-1], np.concatenate([source, target])[:-1] / scale)
    return np.asarray(solution.x.reshape(m, n) * scale)
