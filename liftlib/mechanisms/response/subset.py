"""Subset random response: the optimal response within subsets of the high-risk symbols."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from liftlib.channel import Channel, Partition
from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.joint import Joint
from liftlib.mechanisms.merging.groups import require_lift_notion
from liftlib.mechanisms.merging.subset import subset_merging
from liftlib.mechanisms.merging.watchdog import high_risk
from liftlib.mechanisms.response.optimal import kernel_of, repaired, with_dust, without_dust
from liftlib.notions import LiftNotion, Notion
from liftlib.numerics import Matrix, xlogx
from liftlib.solvers.polytope import vertices
from liftlib.solvers.programmes import mix_columns

ROOM = 1e-6
"""A pair with less slack than this in a constraint, or less way to an end, is left to the general solver."""


@dataclass(frozen=True, eq=False)
class SubsetResponse:
    """What subset random response did.

    Attributes
    ----------
    channel : Channel
        P(y|x).
    subsets : tuple of tuples of int
        The subsets of symbols, each with its own optimal response; symbols of next to no probability are in none.
    unions : int
        How often subsets were united because one alone allowed no response.
    fallback : bool
        Whether even their union allowed none, so that subset merging was used.
    n_vertices : int
        Vertices of all the subsets' polytopes together, those of subsets that were united afterwards included.
    """

    channel: Channel
    subsets: Partition
    unions: int
    fallback: bool
    n_vertices: int


def subset_response(joint: Joint, notion: Notion) -> Channel:
    """Publish low-risk symbols as they are, and subsets of the others through the optimal response within each.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        One that lift columns decide and that has halfspaces: ALIP, LIP, LDP, L1Lift with an infinite ``eps_l``.

    Returns
    -------
    Channel
        P(y|x). :func:`subset_response_report` says what was done.

    Raises
    ------
    UnsupportedNotion
        If the notion is not of that kind.
    SolverFailure
        If a solver's answer fails its check.

    Notes
    -----
    E23 Algorithm 2, over the subsets of Algorithm 1. Where no response exists within a subset, it is united with the
    next, or, after the last, with those before. As :func:`~liftlib.mechanisms.merging.subset.subset_merging` does, the last
    subset takes in low-risk symbols where the high-risk ones alone cannot keep the notion.

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> joint = Joint([[0.20, 0.05, 0.05, 0.20], [0.05, 0.20, 0.20, 0.05]])
    >>> ALIP(0.1, 0.1).is_kept(joint, subset_response(joint, ALIP(0.1, 0.1)))
    True
    """
    return subset_response_report(joint, notion).channel


def subset_response_report(joint: Joint, notion: Notion) -> SubsetResponse:
    """Return the channel of :func:`subset_response` with what was done to get it."""
    lift_notion = require_lift_notion(notion, "subset_response")
    solid, core = without_dust(joint, notion)
    halfspaces = notion.halfspaces(core)
    merged = subset_merging(core, lift_notion)
    risky = set(np.flatnonzero(high_risk(core, lift_notion)).tolist())
    queue = [list(subset) for subset in merged.partition or () if risky.intersection(subset)]
    passed = [x for subset in merged.partition or () if not risky.intersection(subset) for x in subset]
    made: list[tuple[list[int], Matrix]] = []
    ready = _pairs(core, halfspaces, queue)
    unions = n_vertices = 0
    while queue:
        subset = queue.pop(0)
        kernel, found = ready[tuple(subset)] if tuple(subset) in ready else _within(core, halfspaces, subset)
        n_vertices += found
        while kernel is None and (queue or made):
            other = queue.pop(0) if queue else made.pop()[0]
            subset, unions = subset + other, unions + 1
            kernel, found = _within(core, halfspaces, subset)
            n_vertices += found
        if kernel is None:
            return _fallback(joint, lift_notion, unions, n_vertices)
        made.append((subset, kernel))
    blocks = [([x], np.ones((1, 1))) for x in passed] + made
    whole = np.zeros((core.n_public, sum(block.shape[1] for _, block in blocks)))
    start = 0
    for subset, block in blocks:
        whole[subset, start : start + block.shape[1]] = block
        start += block.shape[1]
    try:
        channel, _ = repaired(joint, notion, with_dust(whole, core, solid), 0.0)
    except SolverFailure:
        # a budget finer than floating point, such as eps_l = 50 beside a zero cell: merging decides by lifts alone
        return _fallback(joint, lift_notion, unions, n_vertices)
    names = np.flatnonzero(solid)
    subsets = tuple(tuple(sorted(int(names[x]) for x in subset)) for subset, _ in blocks)
    return SubsetResponse(channel, subsets, unions, fallback=False, n_vertices=n_vertices)


def _fallback(joint: Joint, notion: LiftNotion, unions: int, n_vertices: int) -> SubsetResponse:
    merged = subset_merging(joint, notion)
    return SubsetResponse(merged, merged.partition or (), unions, fallback=True, n_vertices=n_vertices)


def _pairs(joint: Joint, halfspaces: Matrix, subsets: list[list[int]]) -> dict[tuple[int, ...], tuple[Matrix, int]]:
    """Return the optimal P(y|x) within each pair that has room on both sides, all at once.

    A pair's rows (t, 1 - t) are a segment, and its two ends balance at the pair's own distribution. Pairs with next
    to no room, and larger subsets, are left to the general way.
    """
    pairs = np.array([subset for subset in subsets if len(subset) == 2], dtype=np.int64).reshape(-1, 2)
    mass = joint.p_x[pairs]
    own = mass[:, 0] / mass.sum(axis=1)
    # a constraint's value at (t, 1 - t) is slack + slope (t - own)
    slope = halfspaces[:, pairs[:, 0]] - halfspaces[:, pairs[:, 1]]
    slack = halfspaces[:, pairs[:, 1]] + slope * own
    with np.errstate(divide="ignore", invalid="ignore"):
        room = slack / np.abs(slope)
    low = own - np.minimum(own, np.where(slope > 0, room, np.inf).min(axis=0, initial=np.inf))
    high = own + np.minimum(1 - own, np.where(slope < 0, room, np.inf).min(axis=0, initial=np.inf))
    regular = (slack > ROOM).all(axis=0) & (own - low > ROOM) & (high - own > ROOM)
    ends = np.stack([low, high], axis=1)
    weights = np.stack([high - own, own - low], axis=1) / np.where(regular, high - low, 1.0)[:, None]
    kernels = np.stack([ends * weights / own[:, None], (1 - ends) * weights / (1 - own)[:, None]], axis=1)
    return {tuple(pair): (kernels[at], 2) for at, pair in enumerate(pairs.tolist()) if regular[at]}


def _within(joint: Joint, halfspaces: Matrix, subset: list[int]) -> tuple[Matrix | None, int]:
    """Return the optimal P(y|x) within a subset, shape (|subset|, Y), and the number of vertices tried.

    None stands where there is no response: exactly where the subset, merged, breaks the notion.
    """
    mass = joint.p_x[subset]
    rows = vertices(halfspaces[:, subset], interior=mass)
    if not len(rows):
        return None, 0
    try:
        solution = mix_columns(-xlogx(rows).sum(axis=1), rows, mass / mass.sum())
    except InfeasiblePrivacy:
        return None, len(rows)  # rows exist, but no mixture of them has the subset's own distribution
    return kernel_of(rows, solution.x, mass / mass.sum()), len(rows)
