"""The optimal response within one subset of symbols (E23 eqs. (24)-(27))."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.joint import Joint
from liftlib.response.aorr import cheapest
from liftlib.response.posteriors import vertex_bound
from mixproof.limits import Limits
from mixproof.numerics import KEEP_TOL, Matrix, Vector
from mixproof.polytope import vertices
from mixproof.search import cheapest_mixture

# largest number of vertices to list, by the upper bound theorem; the actual number is
# much smaller
MAX_SUBSET_VERTICES = 10_000_000

# a pair with less slack than this in a constraint is left to the general solver
MIN_PAIR_SLACK = 1e-6
ALWAYS_LISTED_SYMBOLS = 10  # number of symbols up to which vertices are always listed
# relative gap, and linear programs, of the search within a larger subset
SUBSET_GAP, SUBSET_WORK = 1e-3, 100_000


class Within(NamedTuple):
    """The optimal P(y|x) within a subset of k symbols.

    ``kernel``, shape (k, Y), is None if the subset allows no response, which is the
    case exactly if merging the subset violates the notion. ``rows`` is the number of
    candidate posteriors.
    """

    kernel: Matrix | None
    rows: int
    searched: bool = False


def response_within(joint: Joint, halfspaces: Matrix, subset: list[int]) -> Within:
    """Return the optimal response within a subset of symbols.

    ``halfspaces``, shape (m, X), is the notion's cone; its columns in the subset define
    the polytope of E23 eq. (25).
    """
    polytope = halfspaces[:, subset]
    p_x = joint.p_x[subset]
    given_subset = p_x / p_x.sum()
    if len(subset) == 2:
        pair = response_within_pair(polytope, p_x)
        if pair is not None:
            return Within(pair, 2)
    if too_large(*polytope.shape):
        return _searched(polytope, given_subset)
    # vertices that nearly coincide can be too much for qhull, or for HiGHS
    try:
        posteriors = vertices(polytope, interior=p_x)  # eq. (25)
    except InfeasiblePrivacy:
        return Within(None, 0)
    except SolverFailure:
        return _searched(polytope, given_subset)
    if not len(posteriors):
        return Within(None, 0)
    try:
        mixture = cheapest(posteriors, given_subset)  # eq. (26)
    except InfeasiblePrivacy:
        # there are posteriors, but no mixture of them averages to P_X
        return Within(None, len(posteriors))
    except SolverFailure:
        return _searched(polytope, given_subset)
    return Within(mixture.kernel, len(posteriors))


def response_within_pair(halfspaces: Matrix, p_x: Vector) -> Matrix | None:
    """Return the optimal P(y|x) of two symbols in closed form, shape (2, 2).

    The allowed posteriors (t, 1 - t) form a segment, whose ends are mixed so that their
    mean is P_X. None if the segment is too short for floating point.
    """
    mean = p_x[0] / p_x.sum()
    # a constraint's value at (t, 1 - t) is slack + slope (t - own)
    slope = halfspaces[:, 0] - halfspaces[:, 1]
    slack = halfspaces[:, 1] + slope * mean
    with np.errstate(divide="ignore", invalid="ignore"):
        room = slack / np.abs(slope)
    low = mean - min(mean, np.where(slope > 0, room, np.inf).min(initial=np.inf))
    high = mean + min(1 - mean, np.where(slope < 0, room, np.inf).min(initial=np.inf))
    if not (
        (slack > MIN_PAIR_SLACK).all()
        and mean - low > MIN_PAIR_SLACK
        and high - mean > MIN_PAIR_SLACK
    ):
        return None
    ends = np.array([low, high])
    weights = np.array([high - mean, mean - low]) / (high - low)
    return np.stack([ends * weights / mean, (1 - ends) * weights / (1 - mean)])


def too_large(n_halfspaces: int, n: int) -> bool:
    """Return whether a polytope may have too many vertices to enumerate.

    Examples
    --------
    >>> too_large(10, 17), too_large(30, 19)  # ALIP with 5 and with 15 secrets
    (False, True)
    """
    return (
        n > ALWAYS_LISTED_SYMBOLS
        and vertex_bound(n_halfspaces, n) > MAX_SUBSET_VERTICES
    )


def _searched(halfspaces: Matrix, p_x: Vector) -> Within:
    """Return a response within a subset by a search, near-optimal if it ends in time.

    Without a response if the merged subset violates the notion; the merged subset
    itself if solvers cannot resolve the budget.
    """
    if not (halfspaces @ p_x >= -KEEP_TOL).all():
        return Within(None, 0, searched=True)
    try:
        posteriors = cheapest_mixture(
            halfspaces, p_x, Limits(gap=SUBSET_GAP, work=SUBSET_WORK), slack=KEEP_TOL
        ).rows
        return Within(cheapest(posteriors, p_x).kernel, len(posteriors), searched=True)
    except (InfeasiblePrivacy, SolverFailure):
        return Within(np.ones((p_x.size, 1)), 0, searched=True)
