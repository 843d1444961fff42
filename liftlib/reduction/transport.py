"""The minimum-distortion mechanisms with the P(y|s) of linear reduction (I21)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from liftlib.channel import Channel, check_room
from liftlib.errors import InvalidParameter, SolverFailure
from liftlib.family import LP_PARAMETER_TOL, family
from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from liftlib.reduction.linear import linear_reduction, reduction_share
from mixproof.lp import solve
from mixproof.numerics import Matrix, Vector, as_matrix

# symbols with less mass, which a solver cannot resolve, keep the kernel of I21 eq. (7)
MIN_RESOLVED_MASS = 1e-6
# rounding of a sum of two distances, in the test of the triangle inequality
TRIANGLE_TOL = 1e-12
# largest error of a lift that the linear program reaches, against I21 eq. (3)
LIFT_TOL = 1e-6


@family(high=1.0, private_end="high", near=reduction_share, resolution=LP_PARAMETER_TOL)
def markov_reduction(
    joint: Joint, share: float, *, distortion: ArrayLike | None = None
) -> Channel:
    """Return the minimum-distortion P(y|x) with the P(y|s) of linear reduction.

    Parameters
    ----------
    joint : Joint
        P_SX.
    share : float
        Share of the reduction, in [0, 1].
    distortion : array_like, shape (X, X), optional, keyword-only
        As for :func:`secret_aware_reduction`.

    Returns
    -------
    Channel
        P(y|x). If P(x|s) has rank ``|X|``, I21 eq. (3) determines it uniquely, as in
        :func:`linear_reduction`.

    Raises
    ------
    InvalidParameter
        If the share is outside [0, 1] or the distortion does not fit.
    SolverFailure
        If the linear program's solution fails its check.

    Notes
    -----
    I21 problem (10) over Markov kernels.

    Examples
    --------
    >>> joint = Joint([[0.2, 0.1, 0.2], [0.2, 0.1, 0.2]])  # independent: nothing moves
    >>> markov_reduction.at(joint, 0.5).kernel.round(9).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    n = joint.n_public
    cost = 1 - np.eye(n) if distortion is None else _distortion(distortion, n)
    resolved = joint.p_x >= MIN_RESOLVED_MASS
    block = np.ix_(resolved, resolved)
    p_x = joint.p_x[resolved]
    held = joint.p_x[~resolved]
    lifts = lift(joint)
    free_lifts = lifts[:, resolved]
    # unknowns P(X=x|Y=y), y fastest, so that the first constraints are on lifts,
    # whatever the mass of y; the others are on P(x)
    every = scipy.sparse.eye_array(p_x.size)
    on_lifts = scipy.sparse.kron(free_lifts, every)
    on_mass = scipy.sparse.kron(every, p_x[None])
    reduced = 1 + (1 - share) * (free_lifts - 1)
    of_held = share * (lifts[:, ~resolved] @ held)
    mass = p_x * (1 - share * held.sum())
    solution = solve(
        (cost[block] * p_x).ravel(),
        scipy.sparse.vstack([on_lifts, on_mass]),
        np.concatenate([(reduced - of_held[:, None]).ravel(), mass]),
    )
    flow = solution.x.reshape(p_x.size, p_x.size) * p_x
    rows = flow / flow.sum(axis=1, keepdims=True)
    kernel = linear_reduction.at(joint, share).kernel.copy()
    kernel[block] = rows * (mass / p_x)[:, None]
    made = (joint.p @ kernel)[:, resolved] / np.outer(joint.p_s, p_x)
    off = float(np.abs(made - reduced).max())
    if not off <= LIFT_TOL:
        raise SolverFailure(
            "the linear program's solution violates I21 eq. (3): a lift is off by "
            f"{off:.3g}"
        )
    return Channel(kernel, joint.public)


@family(high=1.0, private_end="high", near=reduction_share)
def secret_aware_reduction(
    joint: Joint, share: float, *, distortion: ArrayLike | None = None
) -> Channel:
    """Return the minimum-distortion P(y|s,x) with the P(y|s) of linear reduction.

    Parameters
    ----------
    joint : Joint
        P_SX.
    share : float
        Share of the reduction, in [0, 1].
    distortion : array_like, shape (X, X), optional, keyword-only
        The cost of releasing y for x, at least 0. By default 1 for every change, which
        minimises P(Y != X), I21's D_TV(X, Y).

    Returns
    -------
    Channel
        P(y|s,x).

    Raises
    ------
    InvalidParameter
        If the share is outside [0, 1], or the distortion has another shape or a
        negative entry.
    InvalidDistribution
        If the distortion is not a matrix of finite numbers.
    SolverFailure
        If a linear program's solution fails its check.

    Notes
    -----
    I21 Propositions 1 and 2, eqs. (11) and (12). For each secret, this is a transport
    of P(x|s) to P(y|s). Proposition 2 leaves their common mass in place, which is
    optimal if the distortion satisfies the triangle inequality; otherwise the whole
    transport problem is solved.

    Examples
    --------
    >>> joint = Joint([[0.25, 0.25], [0.0, 0.5]])
    >>> secret_aware_reduction.at(joint, 0.5).kernel[0].tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    n = joint.n_public
    check_room("secret-aware reduction", joint.n_secret, n, n)
    cost = None if distortion is None else _distortion(distortion, n)
    carried: Callable[[Vector, Vector, Any], Matrix] = _in_place
    if cost is not None:
        by_way_of = cost[:, :, None] + cost[None, :, :]
        if (cost[:, None, :] > by_way_of + TRIANGLE_TOL).any():
            carried = _transport
    kernel = np.empty((joint.n_secret, n, n))
    for s, source in enumerate(joint.x_given_s):
        target = (1 - share) * source + share * joint.p_x
        kernel[s] = _rows(source, carried(source, target, cost))
    return Channel(kernel, joint.public)


def carry(joint: Joint, target: Matrix) -> Channel:
    """Return the P(y|s,x) with P(y|s) = ``target`` that minimises P(Y != X)."""
    kernel = [
        _rows(source, _in_place(source, reached, None))
        for source, reached in zip(joint.x_given_s, target, strict=True)
    ]
    return Channel(kernel, joint.public)


def _in_place(source: Vector, target: Vector, cost: Matrix | None) -> Matrix:
    """Return a transport that leaves the common mass of source and target in place."""
    overlap = np.minimum(source, target)
    moves = _moves(source - overlap, target - overlap, cost)
    return np.asarray(np.diag(overlap) + moves)


def _rows(source: Vector, flow: Matrix) -> Matrix:
    """Return a flow as a kernel whose rows sum to 1."""
    possible = source > 0
    # what to release for an x that this secret never has does not matter
    rows = np.eye(source.size)
    rows[possible] = flow[possible] / flow[possible].sum(axis=1, keepdims=True)
    return rows


def _distortion(distortion: ArrayLike, n: int) -> Matrix:
    cost = as_matrix("distortion", distortion)
    if cost.shape != (n, n):
        raise InvalidParameter(
            f"distortion has shape {cost.shape}: give ({n}, {n}), with a row for each "
            "x and a column for each y"
        )
    if not (cost >= 0).all():
        x, y = np.argwhere(~(cost >= 0))[0]
        raise InvalidParameter(
            f"distortion[{x}, {y}] is {cost[x, y]:g}, below 0: a cost is not negative"
        )
    return cost


def _moves(surplus: Vector, deficit: Vector, cost: Matrix | None) -> Matrix:
    """Return the flow between symbols (I21 eqs. (11d), (11e), (12))."""
    flow = np.zeros((surplus.size, surplus.size))
    if surplus.sum() <= 0 or deficit.sum() <= 0:
        return flow
    deficit = deficit * (surplus.sum() / deficit.sum())  # equal but for rounding
    if cost is None:
        return np.asarray(np.outer(surplus, deficit) / deficit.sum())
    out = surplus > 0
    into = deficit > 0
    block = np.ix_(out, into)
    flow[block] = _transport(surplus[out], deficit[into], cost[block])
    return flow


def _transport(source: Vector, target: Vector, cost: Matrix) -> Matrix:
    """Return the minimum-cost transport of ``source`` to ``target``, shape (m, n)."""
    m, n = cost.shape
    from_source = scipy.sparse.kron(scipy.sparse.eye_array(m), np.ones((1, n)))
    into_target = scipy.sparse.kron(np.ones((1, m)), scipy.sparse.eye_array(n))
    table = scipy.sparse.vstack([from_source, into_target], format="csr")
    scale = source.sum()  # small masses would vanish in the solver's tolerance
    masses = np.concatenate([source / scale, target / target.sum()])
    # the last row follows from the others
    solution = solve(cost.ravel(), table[:-1], masses[:-1])
    return np.asarray(solution.x.reshape(m, n) * scale)
