"""The optimal response under a convex notion that is not polyhedral, bracketed by cutting planes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter, SolverFailure, UnsupportedNotion
from liftlib.joint import Joint
from liftlib.measures.information import entropy, mutual_information
from liftlib.measures.lifts import alpha_of, chi2_of
from liftlib.mechanisms.response.optimal import kernel_of, repaired
from liftlib.notions import AlphaLift, Chi2Lift
from liftlib.numerics import Matrix, Vector, check_scalar, xlogx
from liftlib.solvers.polytope import vertices
from liftlib.solvers.programmes import mix_columns

HALVINGS = 50
"""Steps of the bisection for a point on the boundary of the allowed rows."""


@dataclass(frozen=True, eq=False)
class Bracket:
    """A mechanism and how much better any other can be.

    Attributes
    ----------
    channel : Channel
        P(y|x), which keeps the notion.
    lower, upper : float
        Its I(X; Y), and a bound on that of every mechanism that keeps the notion, nats.
    rounds, cuts : int
        Rounds of cutting, and halfspaces that they made.
    """

    channel: Channel
    lower: float
    upper: float
    rounds: int
    cuts: int


def bracket_response(joint: Joint, notion: AlphaLift | Chi2Lift, *, gap: float = 1e-3, rounds: int = 40) -> Bracket:
    """Return a mechanism that keeps a convex notion, with an upper bound on the utility of every other.

    Parameters
    ----------
    joint : Joint
        P_SX; a handful of symbols.
    notion : AlphaLift or Chi2Lift
        With positive budgets; of Chi2Lift only the chi2-lift is convex, so its ``eps_l`` must be infinite.
    gap : float, keyword-only
        Stop once the bounds are this near, nats.
    rounds : int, keyword-only
        Stop after so many rounds in any case.

    Returns
    -------
    Bracket
        Its ``upper`` minus ``lower`` may exceed ``gap`` if the rounds were too few.

    Raises
    ------
    UnsupportedNotion
        If the notion is another, or its set of rows is not convex or is polyhedral.
    InvalidParameter
        If a budget is 0, where there is nothing but perfect privacy.
    SolverFailure
        If a solver's answer fails its check.

    Notes
    -----
    E23 names the optimal randomisation for alpha-lift as unknown (section 7). A convex set of rows lies within the
    polytope of any of its tangents, whose optimal response bounds the utility from above, and it contains the convex
    hull of any of its points, whose optimum bounds it from below. A round adds tangents where the outer optimum
    leaves the set, and the points on the set's boundary towards each vertex of the outer polytope.

    Examples
    --------
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> found = bracket_response(joint, AlphaLift(2, 0.2, 0.1))
    >>> found.upper - found.lower <= 1e-3, AlphaLift(2, 0.2, 0.1).is_kept(joint, found.channel)
    (True, True)
    """
    _check(notion)
    gap = check_scalar("gap", gap, 0, open_low=True)
    likelihood = joint.s_given_x / joint.p_s[:, None]
    h_x = entropy(joint.p_x)
    cuts = np.empty((0, joint.n_public))
    inner, best, upper = joint.p_x[None], Channel.constant(joint.n_public), np.inf
    done = 0
    while done < rounds:
        done += 1
        outer = vertices(cuts, interior=joint.p_x)
        solution = mix_columns(-xlogx(outer).sum(axis=1), outer, joint.p_x)
        upper = min(upper, h_x - solution.objective)
        edge = _boundary(joint, notion, likelihood, outer)
        pool = np.concatenate([inner, edge])
        kept = mix_columns(-xlogx(pool).sum(axis=1), pool, joint.p_x)
        channel, _ = repaired(joint, notion, kernel_of(pool, kept.x, joint.p_x), 0.0)
        if _utility(joint, channel) >= _utility(joint, best):
            best = channel
        inner = np.concatenate([joint.p_x[None], pool[kept.x > 0]])
        if upper - _utility(joint, best) <= gap:
            break
        used = np.flatnonzero((solution.x > 0) & (np.abs(outer - edge).max(axis=1) > 1e-12))
        if not used.size:
            raise SolverFailure(f"no cut brings {upper:.6g} and {_utility(joint, best):.6g} nearer: widen the gap")
        cuts = np.concatenate([cuts, _tangents(joint, notion, likelihood, edge[used])])
    lower = _utility(joint, best)
    return Bracket(best, lower, max(lower, upper), done, len(cuts))  # equal bounds may cross by rounding


def _utility(joint: Joint, channel: Channel) -> float:
    return mutual_information(channel.joint_xy(joint))


def _check(notion: AlphaLift | Chi2Lift) -> None:
    if isinstance(notion, AlphaLift) and np.isinf(notion.alpha):
        raise UnsupportedNotion(f"{notion} is ALIP, which is polyhedral: use optimal_response")
    if isinstance(notion, Chi2Lift) and np.isfinite(notion.eps_l):
        raise UnsupportedNotion(f"{notion} bounds the chi2-lift-inverse, which is not convex: set eps_l to inf")
    if not isinstance(notion, AlphaLift | Chi2Lift):
        raise UnsupportedNotion(f"{notion} is not AlphaLift or Chi2Lift: use optimal_response")
    if min(notion.eps_l, notion.eps_u) == 0:
        raise InvalidParameter(f"{notion} has a budget of 0: use optimal_response with PerfectPrivacy")


def _boundary(joint: Joint, notion: AlphaLift | Chi2Lift, likelihood: Matrix, rows: Matrix) -> Matrix:
    """Return, for each row, the last allowed point on the way to it from P_X; the row itself if it is allowed."""
    lifts = likelihood @ rows.T
    low, high = np.zeros(len(rows)), np.ones(len(rows))
    low[notion.kept_columns(lifts, joint.p_s)] = 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        allowed = notion.kept_columns(1 + middle * (lifts - 1), joint.p_s)
        low, high = np.where(allowed, middle, low), np.where(allowed, high, middle)
    return np.asarray(joint.p_x + low[:, None] * (rows - joint.p_x))


def _tangents(joint: Joint, notion: AlphaLift | Chi2Lift, likelihood: Matrix, points: Matrix) -> Matrix:
    """Return halfspaces that hold on the whole set and are tight at points of its boundary."""
    lifts, p_s = likelihood @ points.T, joint.p_s[:, None]
    rows: list[Vector] = []
    if isinstance(notion, Chi2Lift):
        budget = np.expm1(notion.eps_u)
        # the root of the chi2-lift is the Euclidean length of l - 1 weighted by P_S
        unit = (lifts - 1) / np.sqrt(chi2_of(lifts, joint.p_s))
        return np.asarray(budget - (p_s * unit).T @ (likelihood - 1))
    power = notion.alpha
    size, dual_size = alpha_of(lifts, joint.p_s, power), 1 / alpha_of(1 / lifts, joint.p_s, power)
    if np.isfinite(notion.eps_u):
        # ||l|| >= (P_S (l0 / ||l0||)^(alpha-1)) . l, by Hölder, with equality at l0
        near = np.log(size) >= notion.eps_u - 1e-6
        slope = p_s * (lifts / size) ** (power - 1)
        rows += list(np.exp(notion.eps_u) - slope.T[near] @ likelihood)
    if np.isfinite(notion.eps_l):
        # M(l) = ||1/l||^-1 is concave: M(l) <= (P_S (l0 / M(l0))^(-alpha-1)) . l, with equality at l0
        near = -np.log(dual_size) >= notion.eps_l - 1e-6
        slope = p_s * (lifts / dual_size) ** (-power - 1)
        rows += list(slope.T[near] @ likelihood - np.exp(-notion.eps_l))
    return np.asarray(rows).reshape(-1, joint.n_public)
