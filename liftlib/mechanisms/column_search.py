"""A response for alphabets whose vertices cannot be enumerated: rows are searched for, and no optimum is promised."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from liftlib.channel import Channel
from liftlib.errors import SolverFailure
from liftlib.joint import Joint
from liftlib.linprog import Solution, mix_columns
from liftlib.mechanisms.response import Response, kernel_of, repaired, with_dust, without_dust
from liftlib.notions import Notion
from liftlib.numerics import Matrix, Vector, check_scalar, xlogx

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
        :func:`~liftlib.mechanisms.response.optimal_response`, often equal to it at sizes where both can be had.

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
    halfspaces = notion.halfspaces(core)
    n = core.n_public
    # to start with: a constant release, which every notion keeps, and the row that favours each symbol most
    rows = np.array([core.p_x, *(_downhill(halfspaces, core.p_x, STEEP * unit)[0] for unit in np.eye(n))])
    rows = _distinct(rows)
    solution = _mixed(rows, core.p_x)
    idle = 0
    for _ in range(ROUNDS):
        used = rows[solution.x > 0]
        shaken = 0.7 * used + 0.3 * random.dirichlet(np.ones(n), size=len(used))
        anywhere = random.dirichlet(np.ones(n), size=1 + n // 3)
        found: list[Vector] = []
        for starts in (shaken, anywhere):
            priced = (_downhill(halfspaces, start, solution.dual) for start in starts)
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


def _downhill(halfspaces: Matrix, start: Vector, dual: Vector) -> tuple[Vector, float]:
    """Return a row where H(v) - dual v cannot be improved along a tangent, and that price."""
    row, price = start, np.inf
    while True:
        with np.errstate(divide="ignore"):
            slope = np.minimum(-np.log(row), STEEP) - dual
        following = _cheapest(halfspaces, slope)
        its_price = float(-xlogx(following).sum() - following @ dual)
        if not its_price < price - 1e-9:
            return row, price
        row, price = following, its_price


def _cheapest(halfspaces: Matrix, cost: Vector) -> Vector:
    """Return the row of least cost: minimise cost v over v >= 0, sum v = 1, halfspaces v >= 0."""
    n = cost.size
    result = linprog(
        cost,
        A_ub=-halfspaces,
        b_ub=np.zeros(len(halfspaces)),
        A_eq=np.ones((1, n)),
        b_eq=[1.0],
        bounds=(0, None),
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if result.status != 0:
        raise SolverFailure(f"no row found, yet a constant release keeps every notion: {result.message}")
    row = np.maximum(np.asarray(result.x), 0)
    return np.asarray(row / row.sum())
