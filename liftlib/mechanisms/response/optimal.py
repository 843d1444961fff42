"""Optimal random response: the mechanism of the largest utility under a notion that is a polyhedral cone of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InfeasiblePrivacy, InvalidParameter, SolverFailure
from liftlib.joint import Joint
from liftlib.notions import ALIP, LDP, LIP, SRLIP, Notion
from liftlib.numerics import Mask, Matrix, Vector, xlogx
from liftlib.solvers.polytope import vertices
from liftlib.solvers.programmes import Solution, mix_columns

REPAIR_TOL = 1e-7
"""Largest share of constant release that may be mixed in to undo rounding; a need for more is a solver's failure."""

DUST = 1e-9
"""Symbols of less probability than this are beyond the tolerances of the linear programme."""

ROUNDING = 1e-11
"""A budget e^-eps_l below this is beyond what vertices resolve: the min-lift is then met by mixing alone."""


@dataclass(frozen=True, eq=False)
class Response:
    """An optimal response with what its making tells.

    Attributes
    ----------
    channel : Channel
        P(y|x).
    n_vertices : int
        Vertices of the polytope of allowed rows.
    solution : liftlib.solvers.programmes.Solution
        The certified linear programme, its objective H(X|Y) in nats.
    mixed : float
        The share of constant release mixed in so that the notion is kept in floating point, mostly 0.
    """

    channel: Channel
    n_vertices: int
    solution: Solution
    mixed: float


def optimal_response(
    joint: Joint,
    notion: Notion,
    utility: Literal["mutual-information"] = "mutual-information",
    *,
    method: Literal["auto", "qhull", "cdd", "product-polytope"] = "auto",
) -> Channel:
    """Return the mechanism P(y|x) that maximises I(X; Y) among all that keep the notion.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        One with halfspaces: ALIP (AORR), LIP (ORR), LDP, SRLIP, PerfectPrivacy, L1Lift with an infinite ``eps_l``;
        budgets may be infinite on one side.
    utility : {"mutual-information"}
        What is maximised.
    method : {"auto", "qhull", "cdd", "product-polytope"}, keyword-only
        How vertices are found, see :func:`liftlib.solvers.polytope.vertices`. ``"product-polytope"`` is S20 Theorem 2 as
        printed, for LDP: the vertices of a polytope in ``|X|(|X|-1)`` dimensions, for comparison at small sizes.

    Returns
    -------
    Channel
        At most ``|X|`` outputs.

    Raises
    ------
    UnsupportedNotion
        If the notion has no halfspaces; the message names what serves it.
    SolverFailure
        If a solver's answer fails its check. A constant release keeps every notion, so on the whole alphabet there is
        always an answer.

    Notes
    -----
    E23 eqs. (15)-(30), S20 Theorem 3. An output's row v = P(X=.|Y=y) may be replaced by a mixture of the vertices of
    its polytope without loss, as entropy is concave; what is left is a linear programme over vertices. LDP with
    respect to S is a cone of rows as well, so its polytope has ``|X|-1`` dimensions, not those of S20 Theorem 2.

    Examples
    --------
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> channel = optimal_response(joint, ALIP(0.2, 0.2))
    >>> ALIP(0.2, 0.2).is_kept(joint, channel)
    True
    """
    if method == "product-polytope":
        from liftlib.mechanisms.response.product_polytope import product_polytope_response  # noqa: PLC0415 - for comparison only

        return product_polytope_response(joint, notion)
    return optimal_response_report(joint, notion, utility, method=method).channel


def optimal_response_report(
    joint: Joint,
    notion: Notion,
    utility: Literal["mutual-information"] = "mutual-information",
    *,
    method: Literal["auto", "qhull", "cdd"] = "auto",
) -> Response:
    """Return the optimal response with the number of vertices and the certificate; see :func:`optimal_response`."""
    if utility != "mutual-information":
        raise InvalidParameter(f'utility is {utility!r}: give "mutual-information"')
    return cheapest_response(joint, notion, lambda rows, _: -xlogx(rows).sum(axis=1), method=method)


def cheapest_response(
    joint: Joint,
    notion: Notion,
    cost: Callable[[Matrix, Mask], Vector],
    *,
    method: Literal["auto", "qhull", "cdd"] = "auto",
) -> Response:
    """Return the mechanism of the least mean cost of an output's row P(X=.|Y=y), for a concave cost.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        One with halfspaces.
    cost : callable
        ``cost(rows, solid)`` returns the costs of rows, shape (M,), whose columns are the symbols that the mask
        ``solid``, shape (X,), picks: the others have too little mass to resolve.
    method : {"auto", "qhull", "cdd"}, keyword-only
        See :func:`liftlib.solvers.polytope.vertices`.
    """
    solid, core = without_dust(joint, notion)
    relaxed, floor = _resolvable(notion, core)
    # P_X itself, the row of a constant release, lies inside every notion's cone
    rows = vertices(relaxed.halfspaces(core), method, interior=core.p_x)
    try:
        solution = mix_columns(cost(rows, solid), rows, core.p_x)
    except InfeasiblePrivacy as error:
        raise SolverFailure(f"no response found, yet a constant release keeps {notion}: {error}") from error
    kernel = with_dust(kernel_of(rows, solution.x, core.p_x), core, solid)
    channel, mixed = repaired(joint, notion, kernel, floor)
    return Response(channel, len(rows), solution, mixed)


def kernel_of(rows: Matrix, weights: Vector, p_x: Vector) -> Matrix:
    """Return P(y|x) = q(y) v_y(x) / P(x) for the rows with weight, shape (X, Y) (E23 eqs. (27)-(29))."""
    used = weights > 0
    kernel = (weights[used, None] * rows[used] / p_x).T
    return np.asarray(kernel / kernel.sum(axis=1, keepdims=True))


def without_dust(joint: Joint, notion: Notion) -> tuple[Mask, Joint]:
    """Return which symbols a solver can resolve, and the joint distribution given that X is one of them.

    The others have less mass than a linear programme's tolerance. A mechanism made for the rest sends them where it
    sends an average symbol, which moves every lift towards 1 and so keeps the notion, and costs no more than their
    entropy. Attributes (SRLIP) cannot lose a symbol, so there all are kept.
    """
    solid = joint.p_x >= DUST if not isinstance(notion, SRLIP) else np.ones(joint.n_public, dtype=bool)
    if solid.all():
        return solid, joint
    return solid, Joint.from_counts(joint.p[:, solid], drop_empty=True)


def with_dust(kernel: Matrix, core: Joint, solid: Mask) -> Matrix:
    """Return the kernel with a row for each symbol that :func:`without_dust` took out."""
    whole = np.tile(core.p_x @ kernel, (solid.size, 1))
    whole[solid] = kernel
    return whole


def _resolvable(notion: Notion, joint: Joint) -> tuple[Notion, float]:
    """Return the notion without a min-lift bound too small for vertices to resolve, and the share that makes up for it.

    At a zero cell a symbol's own row has lift 0 and breaks any finite eps_l, however large. To mix a constant release
    in with weight e^-eps_l lifts every lift above that, costs at most that share of the utility, and keeps any
    upper bound.
    """
    if isinstance(notion, ALIP | LIP):
        eps_l, eps_u = (notion.eps_l, notion.eps_u) if isinstance(notion, ALIP) else (notion.eps, notion.eps)
        if np.isfinite(eps_l) and np.exp(-eps_l) < ROUNDING:
            return ALIP(np.inf, eps_u), float(np.exp(-eps_l))
    if isinstance(notion, LDP) and np.isfinite(notion.eps):
        # lifts are at most 1 / min P(s), so that a floor of e^-eps times that keeps their ratio
        floor = float(np.exp(-notion.eps) / joint.p_s.min())
        if floor < ROUNDING:
            return LDP(np.inf), floor
    return notion, 0.0


def repaired(joint: Joint, notion: Notion, kernel: Matrix, floor: float) -> tuple[Channel, float]:
    """Return the channel with as little constant release mixed in as keeps the notion.

    An output y then has the row (1 - t) q(y) v_y + t q(y) P_X, which is in the cone if v_y nearly is.
    """
    p_y, share = joint.p_x @ kernel, floor
    while True:
        channel = Channel((1 - share) * kernel + share * p_y)
        if notion.is_kept(joint, channel):
            return channel, share
        share = max(4 * share, 1e-14)
        if share > REPAIR_TOL:
            raise SolverFailure(f"the response breaks {notion} by more than a share of {REPAIR_TOL:g} can mend")
