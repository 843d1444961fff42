"""The optimal response under a convex, non-polyhedral notion, by cutting planes.

The polytope defined by tangents contains the convex set of allowed posteriors, so its
minimum-cost mixture, bounded by branch and bound, is a lower bound on the cost of any
mixture of allowed posteriors. Moving the points of that mixture towards P_X until they
reach the boundary of the convex set gives a mechanism. Tangents at those boundary
points are added until the two costs agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.notions import CurvedLift, require
from liftlib.notions.agreement import boundary
from liftlib.response.aorr import Mixture, cheapest
from liftlib.response.posteriors import PosteriorCone, merged_rows
from mixproof.limits import TIME_OVER, WORK_OVER, Clock, Limits, Reached
from mixproof.numerics import HALFSPACE_SLACK, KEEP_TOL, Matrix, entropies
from mixproof.restricted_master import RestrictedMaster
from mixproof.search import ProvenBound, cheapest_mixture

FIRST_GAP = 1e-2  # relative gap of the first polytope's optimum
POLYTOPE_GAP_SHARE = 0.25  # gap of a polytope's optimum as a share of the remaining gap
MAX_TANGENT_ROUNDS = 60  # maximum number of rounds of tangents
# smallest gap in nats, limited by the notion's tolerance times the tangents' weights
MIN_CURVED_GAP = 1e-8
# nats, for points on the boundary: with room for rounding where they are mixed
EDGE_KEEP_TOL = (1 - 1e-6) * KEEP_TOL
# a point that moves by less than this to the boundary was already allowed
EDGE_TOL = 1e-12

ROUNDS_OVER = Reached("the rounds of tangents were over", "give a wider gap")
NO_TANGENT = Reached("no tangent brought the bound nearer", "give a wider gap")


class Found(NamedTuple):
    """What a search found: candidate mixtures, the best first, and the best lower bound
    with its tangent points.
    """

    route: str
    mixtures: Sequence[Callable[[], Mixture]]
    proven: ProvenBound
    points: Matrix
    programmes: int
    seconds: float
    limit: Reached | None
    """The limit that ended the search before its gap."""
    rounds: str = ""


def by_tangents(cone: PosteriorCone, limits: Limits) -> Found:
    """Return what a search finds under a notion with tangents; its gap is at least
    ``MIN_CURVED_GAP`` nats.
    """
    clock = Clock(limits.seconds)
    notion = require(cone.notion, CurvedLift, "tangents")
    support = cone.support
    joint = support.joint
    p_x = joint.p_x
    gap = limits.gap
    total = float(entropies(p_x))
    points = np.empty((0, p_x.size))  # of tangency
    tangents = np.empty((0, p_x.size))
    inner = p_x[None]  # allowed posteriors
    best: tuple[ProvenBound, Matrix] | None = None
    mixture = Mixture.constant(p_x)
    left = FIRST_GAP
    most = np.inf if limits.work is None else limits.work
    spent = programmes = rounds = 0
    while True:
        rounds += 1
        outer = cheapest_mixture(
            tangents,
            p_x,
            limits.less(spent, clock.seconds, gap=POLYTOPE_GAP_SHARE * max(left, gap)),
            more=inner,
            slack=HALFSPACE_SLACK,
        )
        programmes += outer.programmes
        spent += outer.spent
        if best is None or outer.proven.bound > best[0].bound:
            best = outer.proven, points
        edge = boundary(joint, notion, outer.rows, EDGE_KEEP_TOL)
        mixture = _cheapest(np.concatenate([inner, edge]), mixture, clock.left)
        cost = mixture.solution.objective
        wanted = max(gap * (total - cost), MIN_CURVED_GAP)
        off = cost - best[0].bound
        limit = None if outer.ended else outer.limit
        if clock.left <= 0:
            limit = TIME_OVER
        elif spent >= most:
            limit = WORK_OVER
        outside = np.abs(outer.rows - edge).max(axis=1) > EDGE_TOL
        more = edge[outside & (outer.weights > 0)]
        if rounds == MAX_TANGENT_ROUNDS:
            limit = ROUNDS_OVER
        elif limit is None and not len(more) and left <= gap:
            limit = NO_TANGENT
        if off <= wanted:
            limit = None
            break
        if limit is not None:
            rows, weights = merged_rows(support, notion)
            merged = Mixture.of(rows, weights, p_x)
            known = min(mixture, merged, key=lambda one: one.solution.objective)
            mixture = _cheapest(np.concatenate([inner, edge, rows]), known, clock.last)
            break
        inner = np.concatenate([p_x[None], mixture.rows[mixture.solution.x > 0]])
        points = np.concatenate([points, more])
        tangents = notion.tangents(joint, points)
        left = min(FIRST_GAP, off / max(total - cost, MIN_CURVED_GAP))
    return Found(
        "tangents, and a tree of bounds",
        (lambda: mixture,),
        *best,
        programmes,
        clock.seconds,
        limit,
        f" and {rounds} rounds of tangents",
    )


def _cheapest(rows: Matrix, known: Mixture, seconds: float) -> Mixture:
    """Return the minimum-cost mixture, uncertified if its check fails, or a known one
    if the time does not suffice.
    """
    clock = Clock(seconds)
    p_x = known.p_x
    try:
        return cheapest(rows, p_x, seconds=clock.left)
    except (InfeasiblePrivacy, SolverFailure):
        master = RestrictedMaster(p_x)
        master.add(rows)
        try:
            *_, weights = master.run(clock.left)
        except TimeoutError:
            return known
        return Mixture.of(master.rows, weights, p_x)
    except TimeoutError:
        return known
