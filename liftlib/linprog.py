"""Linear programmes, solved by HiGHS and then certified: residuals and gap are recomputed, a failure is an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog

from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.numerics import FEASIBILITY_TOL, GAP_TOL, Matrix, Vector

START = 4
"""Columns a row to start the pricing with: more make the first programme slower, fewer make more rounds."""

BATCH = 4
"""Columns a row that a round of pricing may add."""

ROUNDS = 200
"""Rounds of pricing after which the columns not yet priced in are handed over all at once."""


@dataclass(frozen=True, eq=False)
class Solution:
    """A certified solution of: minimise cost x subject to A x = b, x >= 0.

    Attributes
    ----------
    x, dual : numpy.ndarray
        Primal solution, shape (n,), and the multipliers of A x = b, shape (m,).
    objective : float
    primal_residual, dual_residual, gap : float
        Largest violation of A x = b; largest of y A - cost where positive; cost x - y b.
    """

    x: Vector
    dual: Vector
    objective: float
    primal_residual: float
    dual_residual: float
    gap: float


def solve(cost: Vector, a_eq: Any, b_eq: Vector) -> Solution:
    """Return a certified solution of: minimise cost x subject to A x = b, x >= 0.

    Parameters
    ----------
    cost : numpy.ndarray, shape (n,)
    a_eq : numpy.ndarray or scipy sparse array, shape (m, n)
    b_eq : numpy.ndarray, shape (m,)

    Raises
    ------
    InfeasiblePrivacy
        If HiGHS proves that nothing meets the constraints.
    SolverFailure
        If it fails in another way, or a residual or the gap is beyond tolerance.

    Examples
    --------
    >>> solve(np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([1.0])).x.tolist()
    [1.0, 0.0]
    """
    return _certified(cost, a_eq, b_eq, *_highs(cost, a_eq, b_eq))


def mix_columns(cost: Vector, columns: Matrix, target: Vector) -> Solution:
    """Return the cheapest mixture of columns that averages to ``target``: min cost b, V^T b = target, b >= 0.

    Parameters
    ----------
    cost : numpy.ndarray, shape (M,)
        At least 0.
    columns : numpy.ndarray, shape (M, X)
        Points with coordinates that sum to 1.
    target : numpy.ndarray, shape (X,)
        Not negative.

    Returns
    -------
    Solution
        Certified over all M columns, although most were never given to the solver: a round solves the programme over
        some columns and prices all others by its duals, and the cheapest of those that would improve it join.

    Raises
    ------
    InfeasiblePrivacy, SolverFailure
        As :func:`solve`.

    Notes
    -----
    E23 eq. (26), S20 eq. (17).

    Examples
    --------
    >>> columns = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    >>> mix_columns(np.array([0.0, 0.0, 1.0]), columns, np.array([0.3, 0.7])).x.tolist()
    [0.3, 0.7, 0.0]
    """
    m, n = columns.shape
    if m <= 4 * START * n:
        return solve(cost, columns.T, target)
    # to start with: the cheapest columns overall, and for each coordinate those that cover it at the least cost
    chosen = np.zeros(m, dtype=bool)
    chosen[np.argsort(cost, kind="stable")[: START * n]] = True
    for x in range(n):
        chosen[np.argsort(cost - columns[:, x], kind="stable")[:START]] = True
    # a coordinate's own unit vector at a price beyond any saving keeps each round feasible
    dear = 1e3 * (1 + float(cost.max()))
    for _ in range(ROUNDS):
        index = np.flatnonzero(chosen)
        some_cost = np.concatenate([cost[index], np.full(n, dear)])
        some = np.concatenate([columns[index], np.eye(n)])
        weights, dual = _highs(some_cost, some.T, target)
        reduced = cost - columns @ dual
        worst = np.flatnonzero(reduced < -GAP_TOL)
        if not worst.size:
            if weights[index.size :].max(initial=0.0) > FEASIBILITY_TOL:
                break  # not even all columns reach the target, or it takes them all to see that they do
            full = np.zeros(m)
            full[index] = weights[: index.size]
            return _certified(cost, columns.T, target, full, dual)
        chosen[worst[np.argsort(reduced[worst], kind="stable")[: BATCH * n]]] = True
    return solve(cost, columns.T, target)


def _highs(cost: Vector, a_eq: Any, b_eq: Vector) -> tuple[Vector, Vector]:
    result = linprog(
        cost,
        A_eq=a_eq,
        b_eq=b_eq,
        bounds=(0, None),
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if result.status == 2:
        raise InfeasiblePrivacy(f"no mixture of the {len(cost)} columns meets the {len(b_eq)} constraints")
    if result.status != 0:
        raise SolverFailure(f"HiGHS stopped with status {result.status}: {result.message}")
    return np.asarray(result.x), np.asarray(result.eqlin.marginals)


def _certified(cost: Vector, a_eq: Any, b_eq: Vector, x: Vector, dual: Vector) -> Solution:
    x = np.maximum(x, 0.0)
    primal = float(np.abs(a_eq @ x - b_eq).max(initial=0.0))
    dual_residual = float((a_eq.T @ dual - cost).max(initial=0.0))
    gap = abs(float(cost @ x) - float(dual @ b_eq))
    scale = 1 + abs(float(cost @ x))
    if not (primal <= FEASIBILITY_TOL and dual_residual <= 10 * GAP_TOL * scale and gap <= 10 * GAP_TOL * scale):
        raise SolverFailure(
            f"the linear programme's answer fails its check: primal residual {primal:.3g}, "
            f"dual residual {dual_residual:.3g}, gap {gap:.3g}"
        )
    return Solution(x, dual, float(cost @ x), primal, dual_residual, gap)
