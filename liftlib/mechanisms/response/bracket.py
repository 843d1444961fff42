"""The optimal response under a convex notion that is not polyhedral, bracketed by cutting planes."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np

from liftlib.channel import Channel
from liftlib.checks import checked
from liftlib.errors import SolverFailure, UnsupportedNotion
from liftlib.joint import Joint
from liftlib.measures.information import entropy, mutual_information
from liftlib.mechanisms.rows import (
    Core,
    Mixture,
    RowsCertificate,
    best_response,
    certified,
    cheapest,
    mended,
    without_dust,
)
from liftlib.notions import Notion
from liftlib.numerics import EDGE_TOL, Matrix, check_count, check_scalar
from liftlib.solvers.polytope import vertices

HALVINGS = 50
"""Steps of the bisection for a point on the boundary of the allowed rows."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BracketCertificate(RowsCertificate):
    """What cutting planes tell: ``value`` and ``upper`` bracket the optimum.

    Attributes
    ----------
    rounds, cuts : int
        Rounds of cutting, and halfspaces that they made; none where the notion is polyhedral.
    """

    rounds: int
    cuts: int


@checked
def bracket_response(joint: Joint, notion: Notion, *, gap: float = 1e-3, rounds: int = 40) -> Channel:
    """Return a mechanism that keeps a convex notion, with an upper bound on the utility of every other.

    Parameters
    ----------
    joint : Joint
        P_SX; a handful of symbols.
    notion : Notion
        A convex one: AlphaLift, Chi2Lift with an infinite ``eps_l`` (its inverse is not convex), or any that
        ``optimal_response`` serves, which is then left to it.
    gap : float, keyword-only
        Stop once the bounds are this near, nats.
    rounds : int, keyword-only
        Stop after so many rounds in any case, 1 or more.

    Returns
    -------
    Channel
        With a :class:`BracketCertificate`. Its ``gap`` may exceed the one asked for if the rounds were too few, or
        a symbol has next to no mass, which leaves ``upper`` infinite.

    Raises
    ------
    UnsupportedNotion
        If the notion's set of rows is not convex.
    InvalidParameter
        If an argument is of another kind or out of range.
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
    >>> from liftlib.notions import AlphaLift
    >>> joint = Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    >>> channel = bracket_response(joint, AlphaLift(2, 0.2, 0.1))
    >>> channel.certificate.gap <= 1e-3, AlphaLift(2, 0.2, 0.1).is_kept(joint, channel)
    (True, True)
    """
    gap = check_scalar("gap", gap, 0, open_low=True)
    rounds = check_count("rounds", rounds)
    if notion.polyhedral:
        channel = best_response(joint, notion)
        return _certified(channel, channel.certified(RowsCertificate), rounds=0, cuts=0)
    if not notion.convex:
        raise UnsupportedNotion(
            f"the rows that {notion} allows are not convex, so no cuts bracket its optimum: "
            "drop the bound that is not convex, or use subset_merging"
        )
    return _bracketed(joint, notion, without_dust(joint, notion), gap, rounds)


class _Found(NamedTuple):
    """A mechanism, what it was mixed from, and its I(X; Y) over the symbols that count."""

    channel: Channel
    mixture: Mixture
    mixed: float
    value: float


def _bracketed(joint: Joint, notion: Notion, core: Core, gap: float, rounds: int) -> Channel:
    p_x = core.joint.p_x
    cuts, inner, upper = np.empty((0, p_x.size)), p_x[None], np.inf
    best: _Found | None = None
    done = 0
    while True:
        done += 1
        outer = cheapest(vertices(cuts, interior=p_x), p_x)
        upper = min(upper, entropy(p_x) - outer.solution.objective)
        edge = boundary(core.joint, notion, outer.rows)
        found = _found(joint, notion, core, np.concatenate([inner, edge]))
        if best is None or found.value >= best.value:
            best = found
        if upper - best.value <= gap or done >= rounds:
            break
        inner = np.concatenate([p_x[None], found.mixture.rows[found.mixture.solution.x > 0]])
        used = (outer.solution.x > 0) & (np.abs(outer.rows - edge).max(axis=1) > EDGE_TOL)
        more = notion.tangents(core.joint, edge[used]) if used.any() else cuts[:0]
        if not len(more):
            raise SolverFailure(f"no cut brings {upper:.6g} and {best.value:.6g} nearer: widen the gap")
        cuts = np.concatenate([cuts, more])
    # with symbols left out nothing is proven of the rest
    bound = upper if core.solid.all() else np.inf
    whole = certified(joint, best.channel, "cutting planes", best.mixture, best.mixed, bound)
    return _certified(whole, whole.certified(RowsCertificate), rounds=done, cuts=len(cuts))


def _found(joint: Joint, notion: Notion, core: Core, rows: Matrix) -> _Found:
    """Return the best mechanism of allowed rows."""
    mixture = cheapest(rows, core.joint.p_x)
    kernel = core.completed(mixture.kernel)
    channel, mixed = mended(kernel, joint.p_x, lambda made: notion.is_kept(joint, made), name=notion)
    value = mutual_information(core.joint.p_x[:, None] * channel.kernel[core.solid])
    return _Found(channel, mixture, mixed, value)


def boundary(joint: Joint, notion: Notion, rows: Matrix) -> Matrix:
    """Return, for each row, the last allowed point on the way to it from P_X; the row itself if it is allowed."""
    lifts = joint.s_given_x / joint.p_s[:, None] @ rows.T
    low, high = np.zeros(len(rows)), np.ones(len(rows))
    low[notion.kept_columns(lifts, joint.p_s)] = 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        allowed = notion.kept_columns(1 + middle * (lifts - 1), joint.p_s)
        low, high = np.where(allowed, middle, low), np.where(allowed, high, middle)
    return np.asarray(joint.p_x + low[:, None] * (rows - joint.p_x))


def _certified(channel: Channel, made: RowsCertificate, *, rounds: int, cuts: int) -> Channel:
    told = {field.name: getattr(made, field.name) for field in fields(made)}
    return replace(channel, certificate=BracketCertificate(**told, rounds=rounds, cuts=cuts))
