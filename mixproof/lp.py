"""Linear programs, solved by HiGHS and certified.

Residuals and the duality gap are recomputed, and a failed check is an error. HiGHS is
called only here, through highspy rather than scipy, so that columns can be added and
costs changed with a warm start.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from mixproof.errors import Infeasible, SolverFailure
from mixproof.limits import Clock
from mixproof.numerics import (
    FEASIBILITY_TOL,
    GAP_TOL,
    MIXTURE_TOL,
    SOLVER_TOL,
    Matrix,
    Vector,
)

# initial columns per row: more make the first LP slower, fewer need more rounds
INITIAL_COLUMNS_PER_ROW = 4
PRICED_COLUMNS_PER_ROW = 4  # columns per row that a round of pricing may add
# rounds of pricing after which all remaining columns are added at once
MAX_PRICING_ROUNDS = 200


def _highspy() -> Any:
    """Return highspy, which only a linear program needs."""
    import highspy  # noqa: PLC0415 - in a browser, it brings all of SciPy

    return highspy


@dataclass(frozen=True, eq=False)
class Solution:
    """A certified solution of: minimise cost x subject to A x = b, x >= 0.

    Attributes
    ----------
    x, dual : numpy.ndarray
        Primal solution, shape (n,), and the multipliers of A x = b, shape (m,).
    objective : float
    primal_residual, dual_residual, gap : float
        Largest violation of A x = b; largest of y A - cost where positive; cost x - y
        b.
    """

    x: Vector = field(repr=False)
    dual: Vector = field(repr=False)
    objective: float
    primal_residual: float
    dual_residual: float
    gap: float


def solve(cost: Vector, a_eq: Any, b_eq: Vector, seconds: float = np.inf) -> Solution:
    """Return a certified solution of: minimise cost x subject to A x = b, x >= 0.

    Parameters
    ----------
    cost : numpy.ndarray, shape (n,)
    a_eq : numpy.ndarray or scipy sparse array, shape (m, n)
    b_eq : numpy.ndarray, shape (m,)
    seconds : float
        Time limit.

    Raises
    ------
    Infeasible
        If HiGHS proves that the constraints cannot be satisfied.
    SolverFailure
        If HiGHS fails in another way, or a residual or the gap exceeds its tolerance.
    TimeoutError
        If it takes longer than ``seconds``.

    Examples
    --------
    >>> solve(np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([1.0])).x.tolist()
    [1.0, 0.0]
    """
    clock = Clock(seconds)
    try:
        programme = LinearProgram(cost, a_eq, b_eq)
        return certify(cost, a_eq, b_eq, *programme.run(clock.left))
    except (Infeasible, SolverFailure):
        # rows of very different scale: presolve removes redundant ones, and its
        # infeasibility proofs are reliable
        programme = LinearProgram(cost, a_eq, b_eq, presolve="on")
        return certify(cost, a_eq, b_eq, *programme.run(clock.left))


def mix_columns(
    cost: Vector, columns: Matrix, target: Vector, seconds: float = np.inf
) -> Solution:
    """Return the minimum-cost mixture of given points with mean ``target``.

    Minimise cost b subject to V^T b = target, b >= 0.

    Parameters
    ----------
    cost : numpy.ndarray, shape (M,)
        Costs, at least 0.
    columns : numpy.ndarray, shape (M, X)
        V: points, one per row, with coordinates that sum to 1.
    target : numpy.ndarray, shape (X,)
        The mean, non-negative.
    seconds : float
        Time limit.

    Returns
    -------
    Solution
        Certified over all M columns, although the solver sees only some of them: each
        round solves the restricted problem, prices all other columns by its duals, and
        adds those with the most negative reduced costs.

    Raises
    ------
    Infeasible, SolverFailure, TimeoutError
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
    clock = Clock(seconds)
    if m <= n:
        only = _only_mixture(cost, columns, target)
        if only is not None:
            return only
    if m <= 4 * INITIAL_COLUMNS_PER_ROW * n:
        return solve(cost, columns.T, target, clock.left)
    # initial columns: the cheapest overall and, for each coordinate, those that cover
    # it at the lowest cost
    chosen = np.zeros(m, dtype=bool)
    chosen[_least(cost, INITIAL_COLUMNS_PER_ROW * n)] = True
    for x in range(n):
        chosen[_least(cost - columns[:, x], INITIAL_COLUMNS_PER_ROW)] = True
    # a coordinate's own unit vector at a price beyond any saving keeps each round
    # feasible
    dear = 1e3 * (1 + float(cost.max()))
    index = np.flatnonzero(chosen)
    programme = LinearProgram(np.full(n, dear), np.eye(n), target)
    programme.add(cost[index], columns[index].T)
    for _ in range(MAX_PRICING_ROUNDS):
        weights, dual = programme.run(clock.left)
        # already optimal over these
        reduced = np.where(chosen, 0.0, cost - columns @ dual)
        worst = np.flatnonzero(reduced < -GAP_TOL)
        if not worst.size:
            if weights[:n].max(initial=0.0) > FEASIBILITY_TOL:
                # not even all columns reach the target, or it takes them all to see
                # that they do
                break
            full = np.zeros(m)
            full[index] = weights[n:]
            try:
                return certify(cost, columns.T, target, full, dual)
            except SolverFailure:
                # columns that nearly coincide can make the basis ill-conditioned over
                # many rounds: restart
                break
        joining = worst[_least(reduced[worst], PRICED_COLUMNS_PER_ROW * n)]
        chosen[joining] = True
        programme.add(cost[joining], columns[joining].T)
        index = np.concatenate([index, joining])
    return solve(cost, columns.T, target, clock.left)


def _least(values: Vector, count: int) -> NDArray[np.intp]:
    """Return the indices of the ``count`` smallest values, unsorted."""
    return (
        np.argpartition(values, count - 1)[:count]
        if count < values.size
        else np.arange(values.size)
    )


def _only_mixture(cost: Vector, columns: Matrix, target: Vector) -> Solution | None:
    """Return the unique mixture of independent columns; None if nearly dependent."""
    m, n = columns.shape
    weights, _, rank, sizes = np.linalg.lstsq(columns.T, target, rcond=None)
    if m and (rank < m or not sizes[-1] > MIXTURE_TOL * sizes[0]):
        return None
    missed = np.abs(columns.T @ weights - target).max(initial=0.0)
    least = weights.min(initial=0.0)
    if not (missed <= FEASIBILITY_TOL and least >= -FEASIBILITY_TOL):
        raise Infeasible(f"no mixture of the {m} columns meets the {n} constraints")
    dual, *_ = np.linalg.lstsq(columns, cost, rcond=None)
    # numpy's types leave open which floats these are
    exactly = np.asarray(weights, np.float64), np.asarray(dual, np.float64)
    return certify(cost, columns.T, target, *exactly)


@functools.cache
def _silent(highs: Any) -> Any:
    """Return a HiGHS class without the banner that callbacks print in 1.16."""

    def enable(self: Any) -> None:
        self.setOptionValue("output_flag", False)
        highs.enableCallbacks(self)

    return type("Silent", (highs,), {"enableCallbacks": enable})


class LinearProgram:
    """Minimise cost x subject to low <= A x <= high, 0 <= x <= most.

    After a run, columns may be added and costs changed; the next run is warm-started.
    Results are not checked, unlike those of :func:`solve` and :func:`mix_columns`.

    Parameters
    ----------
    cost : numpy.ndarray, shape (n,)
    table : numpy.ndarray or scipy sparse array, shape (m, n)
        A.
    low, high : numpy.ndarray, shape (m,)
        Bounds on A x, infinite for none; ``high`` equals ``low`` by default.
    most : numpy.ndarray, shape (n,), keyword-only
        Upper bounds on x; none by default.
    presolve : {"off", "on"}, keyword-only
        Off by default, because presolve costs more than it saves on small problems.

    Examples
    --------
    >>> cost, table = np.array([1.0, 2.0]), np.array([[1.0, 1.0]])
    >>> programme = LinearProgram(cost, table, np.array([1.0]))
    >>> programme.run()[0].tolist()
    [1.0, 0.0]
    >>> programme.charge(np.array([3.0, 2.0]))
    >>> programme.run()[0].tolist()
    [0.0, 1.0]
    """

    def __init__(
        self,
        cost: Vector,
        table: Any,
        low: Vector,
        high: Vector | None = None,
        *,
        most: Vector | None = None,
        presolve: str = "off",
    ) -> None:
        self._highs = _silent(_highspy().Highs)()
        for option, value in (
            # for SciPy's HiGHS, which a browser has and which enables none
            ("output_flag", False),
            ("presolve", presolve),
            ("primal_feasibility_tolerance", SOLVER_TOL),
            ("dual_feasibility_tolerance", SOLVER_TOL),
        ):
            self._highs.setOptionValue(option, value)
        starts, index, values = _columnwise(table)
        highspy = _highspy()
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = table.shape
        model.col_cost_ = np.asarray(cost, dtype=np.float64)
        model.col_lower_ = np.zeros(model.num_col_)
        model.col_upper_ = np.full(model.num_col_, np.inf) if most is None else most
        model.row_lower_ = np.asarray(low, dtype=np.float64)
        model.row_upper_ = model.row_lower_ if high is None else high
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = starts
        model.a_matrix_.index_ = index
        model.a_matrix_.value_ = values
        self._highs.passModel(model)
        self._used = 0.0

    def add(self, cost: Vector, columns: Matrix) -> None:
        """Add columns, shape (m, k), with their costs, shape (k,)."""
        starts, index, values = _columnwise(columns)
        k = len(cost)
        least = np.zeros(k)
        most = np.full(k, np.inf)
        self._highs.addCols(
            k, cost, least, most, len(values), starts[:-1], index, values
        )

    def charge(self, cost: Vector) -> None:
        """Replace the cost vector."""
        columns = np.arange(len(cost), dtype=np.int32)
        self._highs.changeColsCost(
            len(cost), columns, np.asarray(cost, dtype=np.float64)
        )

    def run(self, seconds: float = np.inf) -> tuple[Vector, Vector]:
        """Solve; return the solution and the multipliers of the constraints.

        TimeoutError is raised if it takes longer than ``seconds``.
        """
        clock = Clock(seconds)
        # HiGHS adds up the time of all runs
        self._highs.setOptionValue("time_limit", self._used + seconds)
        self._highs.run()
        self._used += clock.seconds
        statuses = _highspy().HighsModelStatus
        status = self._highs.getModelStatus()
        if status == statuses.kTimeLimit:
            raise TimeoutError(f"the linear program took longer than {seconds:g} s")
        if status not in (statuses.kOptimal, statuses.kInfeasible):
            # the warm start failed numerically
            self._highs.clearSolver()
            self._highs.run()
        status = self._highs.getModelStatus()
        if status == statuses.kInfeasible:
            rows = self._highs.getNumRow()
            columns = self._highs.getNumCol()
            raise Infeasible(
                f"no mixture of the {columns} columns meets the {rows} constraints"
            )
        if status != statuses.kOptimal:
            raise SolverFailure(
                f"HiGHS stopped: {self._highs.modelStatusToString(status)}"
            )
        solution = self._highs.getSolution()
        return np.asarray(solution.col_value), np.asarray(solution.row_dual)


def _columnwise(table: Any) -> tuple[NDArray[np.int32], NDArray[np.int32], Vector]:
    """Return a matrix in compressed-column form: starts, row indices and values."""
    if not isinstance(table, np.ndarray):
        sparse = scipy.sparse.csc_array(table)
        return (
            sparse.indptr.astype(np.int32),
            sparse.indices.astype(np.int32),
            np.asarray(sparse.data, dtype=float),
        )
    # scipy's conversion of a dense table takes as long as solving a small LP
    columns = np.ascontiguousarray(table.T, dtype=np.float64)
    filled = columns != 0
    starts = np.zeros(len(columns) + 1, dtype=np.int32)
    np.cumsum(filled.sum(axis=1), out=starts[1:])
    _, rows = np.nonzero(filled)
    return starts, rows.astype(np.int32), columns[filled]


def certify(cost: Vector, a_eq: Any, b_eq: Vector, x: Vector, dual: Vector) -> Solution:
    """Return a primal-dual pair as a certified :class:`Solution`.

    The linear program is: minimise cost x subject to A x = b, x >= 0.

    Parameters
    ----------
    cost : numpy.ndarray, shape (n,)
    a_eq : numpy.ndarray or sparse array, shape (m, n)
        A.
    b_eq : numpy.ndarray, shape (m,)
        b.
    x : numpy.ndarray, shape (n,)
        The primal solution.
    dual : numpy.ndarray, shape (m,)
        The multipliers of the rows.

    Raises
    ------
    SolverFailure
        If a residual or the gap exceeds its tolerance.

    Examples
    --------
    >>> cost, a_eq, b_eq = np.array([1.0, 2.0]), np.ones((1, 2)), np.ones(1)
    >>> certify(cost, a_eq, b_eq, np.array([1.0, 0.0]), np.ones(1)).objective
    1.0
    """
    x = np.maximum(x, 0.0)
    primal = float(np.abs(a_eq @ x - b_eq).max(initial=0.0))
    dual_residual = float((a_eq.T @ dual - cost).max(initial=0.0))
    gap = abs(float(cost @ x) - float(dual @ b_eq))
    scale = 1 + abs(float(cost @ x))
    if not (
        primal <= FEASIBILITY_TOL
        and dual_residual <= 10 * GAP_TOL * scale
        and gap <= 10 * GAP_TOL * scale
    ):
        raise SolverFailure(
            "the linear program's solution fails its check: primal residual "
            f"{primal:.3g}, "
            f"dual residual {dual_residual:.3g}, gap {gap:.3g}"
        )
    return Solution(x, dual, float(cost @ x), primal, dual_residual, gap)
