"""A response for alphabets whose vertices cannot be enumerated: rows are searched for, and no optimum is promised."""

from __future__ import annotations

import highspy
import numpy as np
from scipy.sparse import csc_array

from liftlib.channel import Channel
from liftlib.errors import SolverFailure
from liftlib.joint import Joint
from liftlib.mechanisms.response.optimal import Response, kernel_of, repaired, with_dust, without_dust
from liftlib.notions import Notion
from liftlib.numerics import Matrix, Vector, check_scalar, xlogx
from liftlib.solvers.programmes import Solution, mix_columns

ROUNDS = 100
"""Rounds after which a search that still improves is ended."""

PATIENCE = 3
"""Rounds in a row with next to no gain after which the search ends."""

STEEP = -np.log(1e-12)
"""Entropy's slope where a coordinate is 0 is infinite; for a step's linear programme this is steep enough."""


def searched_response(
    joint: Joint, notion: Notion, *, tolerance: float = 1e-4, rng: int | np.random.Generator = 0
) -> Channel:
    """Return a mechanism P(y|x) of large I(X; Y) that keeps the notion, found without enumerating vertices.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        One with halfspaces.
    tolerance : float, keyword-only
        Gains below this, nats, do not count; above 0.
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of the starting points.

    Returns
    -------
    Channel
        At most ``|X|`` outputs. Its I(X; Y) is a lower bound on that of
        :func:`~liftlib.mechanisms.response.optimal.optimal_response`, often equal to it at sizes where both can be had.

    Raises
    ------
    UnsupportedNotion
        If the notion has no halfspaces.
    SolverFailure
        If a solver's answer fails its check.

    Notes
    -----
    The linear programme of S20 eq. (17) over the rows found so far has duals that price a row v by H(v) - dual v. A
    row of negative price would improve the mixture, and to find the best is to minimise a concave function over the
    polytope. The search goes downhill instead: entropy is replaced by its tangent, a linear programme gives the next
    row, a vertex, and so on until nothing changes; it starts from the rows in use, shaken, and from
    random ones.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> LIP(0.2).is_kept(joint, searched_response(joint, LIP(0.2)))
    True
    """
    return searched_response_report(joint, notion, tolerance=tolerance, rng=rng).channel


def searched_response_report(
    joint: Joint, notion: Notion, *, tolerance: float = 1e-4, rng: int | np.random.Generator = 0
) -> Response:
    """Return the searched response; ``n_vertices`` counts the rows found, ``solution`` is optimal among them."""
    least_gain = check_scalar("tolerance", tolerance, open_low=True)
    random = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
    solid, core = without_dust(joint, notion)
    allowed = _Rows(notion.halfspaces(core))
    n = core.n_public
    # to start with: a constant release, which every notion keeps, and the row that favours each symbol most
    rows = np.array([core.p_x, *(_downhill(allowed, core.p_x, STEEP * unit)[0] for unit in np.eye(n))])
    rows = _distinct(rows)
    solution = _mixed(rows, core.p_x)
    idle = 0
    for _ in range(ROUNDS):
        used = rows[solution.x > 0]
        shaken = 0.7 * used + 0.3 * random.dirichlet(np.ones(n), size=len(used))
        anywhere = random.dirichlet(np.ones(n), size=1 + n // 3)
        found: list[Vector] = []
        for starts in (shaken, anywhere):
            priced = (_downhill(allowed, start, solution.dual) for start in starts)
            found += [row for row, price in priced if price < -least_gain / n]
            if found:
                break
        if not found:
            break
        before = solution.objective
        rows = _distinct(np.array([*rows, *found]))
        solution = _mixed(rows, core.p_x)
        # a row that cannot enter yet still moves the duals, so that the next round finds others
        idle = idle + 1 if before - solution.objective < least_gain else 0
        if idle == PATIENCE:
            break
    kernel = with_dust(kernel_of(rows, solution.x, core.p_x), core, solid)
    channel, share = repaired(joint, notion, kernel, 0.0)
    return Response(channel, len(rows), solution, share)


def _mixed(rows: Matrix, p_x: Vector) -> Solution:
    return mix_columns(-xlogx(rows).sum(axis=1), rows, p_x)


def _distinct(rows: Matrix) -> Matrix:
    _, first = np.unique(rows.round(12), axis=0, return_index=True)
    return np.asarray(rows[np.sort(first)])


def _downhill(allowed: _Rows, start: Vector, dual: Vector) -> tuple[Vector, float]:
    """Return a row where H(v) - dual v cannot be improved along a tangent, and that price."""
    row, price = start, np.inf
    while True:
        with np.errstate(divide="ignore"):
            slope = np.minimum(-np.log(row), STEEP) - dual
        following = allowed.cheapest(slope)
        its_price = float(-xlogx(following).sum() - following @ dual)
        if not its_price < price - 1e-9:
            return row, price
        row, price = following, its_price


class _Rows:
    """The polytope of allowed rows, v >= 0, sum v = 1, halfspaces v >= 0, to be minimised over again and again."""

    def __init__(self, halfspaces: Matrix) -> None:
        m, n = halfspaces.shape
        self._highs = highspy.Highs()
        for option, value in (
            ("output_flag", False),
            ("presolve", "off"),  # each programme starts from the last one's vertex
            ("primal_feasibility_tolerance", 1e-10),
            ("dual_feasibility_tolerance", 1e-10),
        ):
            self._highs.setOptionValue(option, value)
        table = csc_array(np.concatenate([halfspaces, np.ones((1, n))]))
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = table.shape
        model.col_cost_ = np.zeros(n)
        model.col_lower_, model.col_upper_ = np.zeros(n), np.full(n, highspy.kHighsInf)
        model.row_lower_ = np.append(np.zeros(m), 1.0)
        model.row_upper_ = np.append(np.full(m, highspy.kHighsInf), 1.0)
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = table.indptr.astype(np.int32)
        model.a_matrix_.index_ = table.indices.astype(np.int32)
        model.a_matrix_.value_ = table.data.astype(np.float64)
        self._highs.passModel(model)
        self._columns = np.arange(n, dtype=np.int32)

    def cheapest(self, cost: Vector) -> Vector:
        """Return the row of least cost v, a vertex."""
        self._highs.changeColsCost(self._columns.size, self._columns, np.asarray(cost, dtype=np.float64))
        self._highs.run()
        status = self._highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverFailure(
                f"no row found, yet a constant release keeps every notion: {self._highs.modelStatusToString(status)}"
            )
        row = np.maximum(np.asarray(self._highs.getSolution().col_value), 0)
        return np.asarray(row / row.sum())
