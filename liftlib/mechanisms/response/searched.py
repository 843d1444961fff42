"""A response for alphabets whose vertices cannot be enumerated: rows are searched for, and no optimum is promised."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel
from liftlib.checks import checked
from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.joint import Joint
from liftlib.mechanisms.rows import Mixture, certified, cheapest, mended, without_dust
from liftlib.notions import Notion
from liftlib.numerics import DOWNHILL_TOL, STEEPEST, Matrix, Vector, check_scalar, xlogx
from liftlib.solvers.mixing.masters import HighsMaster
from liftlib.solvers.programmes import Programme

ROUNDS = 100
"""Rounds after which a search that still improves is ended."""

PATIENCE = 3
"""Rounds in a row with next to no gain after which the search ends."""

STEEP = -np.log(STEEPEST)
"""The steepest slope of entropy that a step takes."""


@checked
def searched_response(
    joint: Joint, notion: Notion, *, tolerance: float = 1e-4, rng: int | np.random.Generator = 0
) -> Channel:
    """Return a mechanism P(y|x) of large I(X; Y) that keeps the notion, found without enumerating vertices.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        A polyhedral one.
    tolerance : float, keyword-only
        Gains below this, nats, do not count; above 0.
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of the starting points.

    Returns
    -------
    Channel
        At most ``|X|`` outputs, with a :class:`~liftlib.mechanisms.rows.RowsCertificate`, optimal among the rows found
        and no further: its I(X; Y) is a lower bound on that of
        :func:`~liftlib.mechanisms.response.optimal.optimal_response`, often equal to it at sizes where both can be had.

    Raises
    ------
    UnsupportedNotion
        If the notion has no halfspaces.
    InvalidParameter
        If the tolerance is not above 0.
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
    least_gain = check_scalar("tolerance", tolerance, open_low=True)
    random = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
    core = without_dust(joint, notion)
    mixture = _searched(notion.halfspaces(core.joint), core.joint.p_x, least_gain, random)
    channel, mixed = mended(
        core.completed(mixture.kernel), joint.p_x, lambda made: notion.is_kept(joint, made), name=notion
    )
    return certified(joint, channel, "rows searched for", mixture, mixed, np.inf)


def _searched(halfspaces: Matrix, p_x: Vector, least_gain: float, random: np.random.Generator) -> Mixture:
    """Return the cheapest mixture of the rows found."""
    n = p_x.size
    # v >= 0, sum v = 1, halfspaces v >= 0, to be minimised over again and again
    allowed = Programme(
        np.zeros(n),
        np.concatenate([halfspaces, np.ones((1, n))]),
        np.append(np.zeros(len(halfspaces)), 1.0),
        np.append(np.full(len(halfspaces), np.inf), 1.0),
    )
    # to start with: a constant release, which every notion keeps, and the row that favours each symbol most
    rows = np.array([p_x, *(_downhill(allowed, p_x, STEEP * unit)[0] for unit in np.eye(n))])
    # where only P_X itself can be mixed to P_X, the duals of its programme say nothing of other rows: the one that is
    # searched by has each symbol's own row too, at a price, and so has duals that point to what is missing
    master = HighsMaster(p_x)
    master.add(rows)
    cost, dual, weights = master.run()
    idle = 0
    for _ in range(ROUNDS):
        used = master.rows[weights > 0]
        shaken = 0.7 * used + 0.3 * random.dirichlet(np.ones(n), size=len(used))
        anywhere = random.dirichlet(np.ones(n), size=1 + n // 3)
        found: list[Vector] = []
        for starts in (shaken, anywhere):
            priced = (_downhill(allowed, start, dual) for start in starts)
            found += [row for row, price in priced if price < -least_gain / n]
            if found:
                break
        if not found:
            break
        before = cost
        master.add(np.array(found))
        cost, dual, weights = master.run()
        # a row that cannot enter yet still moves the duals, so that the next round finds others
        # the first row is P_X itself: until it is not all there is, there is nothing to gain from
        idle = idle + 1 if before - cost < least_gain and weights[0] < 0.5 else 0
        if idle == PATIENCE:
            break
    return cheapest(_distinct(master.rows), p_x)


def _distinct(rows: Matrix) -> Matrix:
    _, first = np.unique(rows.round(12), axis=0, return_index=True)
    return np.asarray(rows[np.sort(first)])


def _downhill(allowed: Programme, start: Vector, dual: Vector) -> tuple[Vector, float]:
    """Return a row where H(v) - dual v cannot be improved along a tangent, and that price."""
    row, price = start, np.inf
    while True:
        with np.errstate(divide="ignore"):
            slope = np.minimum(-np.log(row), STEEP) - dual
        following = _cheapest_row(allowed, slope)
        its_price = float(-xlogx(following).sum() - following @ dual)
        if not its_price < price - DOWNHILL_TOL:
            return row, price
        row, price = following, its_price


def _cheapest_row(allowed: Programme, cost: Vector) -> Vector:
    """Return the row of least cost v, a vertex."""
    allowed.charge(cost)
    try:
        found, _ = allowed.run()
    except (InfeasiblePrivacy, SolverFailure) as error:
        raise SolverFailure(f"no row found, yet a constant release keeps every notion: {error}") from error
    row = np.maximum(found, 0)
    return np.asarray(row / row.sum())
