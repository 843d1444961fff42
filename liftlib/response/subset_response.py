"""Subset random response: the optimal response within subsets of the high-risk symbols."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from liftlib.channel import Certificate, Channel, Partition
from liftlib.errors import InfeasiblePrivacy, LiftWarning, SolverFailure, UnsupportedNotion
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information
from liftlib.merging.risk import high_risk
from liftlib.merging.subset_merging import subset_merging
from liftlib.notions import Notion
from liftlib.response.posteriors import Core, cheapest, mended, without_dust
from mixproof.checks import checked
from mixproof.numerics import KEEP_TOL, ROOM, Matrix, Vector
from mixproof.polytope import vertices
from mixproof.search import cheapest_mixture

MOST_VERTICES = 10_000_000
"""Vertices that a subset's polytope may have at most, by the upper bound theorem, for them to be listed.

At 15 secrets 13 symbols have up to 2.7 million by the theorem, 0.1 million in fact, and take a second or two.
"""

FEW_SYMBOLS = 10
"""Symbols up to which a subset's vertices are listed whatever the bound: a notion of many halfspaces has a high one."""


GAP, SECONDS = 1e-3, 10.0
"""Where the search within a larger subset ends: a share of its utility, or a time."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SubsetCertificate(Certificate):
    """What subset random response did.

    Attributes
    ----------
    subsets : tuple of tuples of int
        The subsets of symbols, each with its own optimal response; symbols of next to no probability are in none.
    unions : int
        How often subsets were united because one alone allowed no response.
    fallback : bool
        Whether even their union allowed none, so that subset merging was used.
    rows : int
        Vertices of all the subsets' polytopes together, those of subsets that were united afterwards included; of
        subsets that were searched the rows that were found.
    searched : int
        In how many subsets, whose vertices may be too many or too close to list, rows were searched for instead.
    """

    subsets: Partition
    unions: int
    fallback: bool
    rows: int
    searched: int = 0


@checked
def subset_response(joint: Joint, notion: Notion) -> Channel:
    """Publish low-risk symbols as they are, and subsets of the others through the optimal response within each.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        One that lift columns decide and that is polyhedral: ALIP, LIP, LDP, L1Lift with an infinite ``eps_l``.

    Returns
    -------
    Channel
        P(y|x), with a :class:`SubsetCertificate`.

    Warns
    -----
    LiftWarning
        If a subset's vertices may be too many or too close to list; then rows are searched for in it, which
        takes up to ten seconds and need not find the best.

    Raises
    ------
    UnsupportedNotion
        If the notion is not of that kind.
    SolverFailure
        If a solver's answer fails its check.

    Notes
    -----
    E23 Algorithm 2, over the subsets of Algorithm 1. Where no response exists within a subset, it is united with the
    next, or, after the last, with those before. As
    :func:`~liftlib.merging.subset_merging.subset_merging` does, the last subset takes in low-risk symbols where
    the high-risk ones alone cannot keep the notion.

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> joint = Joint([[0.20, 0.05, 0.05, 0.20], [0.05, 0.20, 0.20, 0.05]])
    >>> ALIP(0.1, 0.1).is_satisfied(joint, subset_response(joint, ALIP(0.1, 0.1)))
    True
    """
    if not notion.columnwise:
        raise UnsupportedNotion(
            f"{notion} is not decided by each symbol's lifts alone, so subset_response cannot serve it: "
            "use optimal_response or product_response"
        )
    core = without_dust(joint, notion)
    blocks, unions, rows = _blocks(core.joint, notion)
    if blocks is None:
        return _fallback(joint, notion, unions, rows)
    whole = np.zeros((core.joint.n_public, sum(block.kernel.shape[1] for block in blocks)))
    start = 0
    for block in blocks:
        end = start + block.kernel.shape[1]
        whole[block.symbols, start:end] = block.kernel
        start = end
    try:
        channel, _ = mended(
            core.completed(whole), joint.p_x, lambda made: notion.is_satisfied(joint, made), name=notion
        )
    except SolverFailure:
        # a budget finer than floating point, such as eps_l = 50 beside a zero cell: merging decides by lifts alone
        return _fallback(joint, notion, unions, rows)
    made = _certified(joint, channel, _named(core, blocks), unions, rows)
    searched = [len(block.symbols) for block in blocks if block.searched]
    if not searched:
        return made
    warnings.warn(
        f"the vertices within a subset of {max(searched)} symbols may be too many, or too close, to list, so rows were "
        "searched for in it, and its response need not be the best: see optimal_response",
        LiftWarning,
        stacklevel=3,
    )
    certificate = replace(
        made.certified(SubsetCertificate), route="rows listed or searched for in each subset", searched=len(searched)
    )
    return replace(made, certificate=certificate)


class Within(NamedTuple):
    """The best P(y|x) within a subset, shape (k, Y) for k symbols, or None if there is none; and how it was found."""

    kernel: Matrix | None
    rows: int
    searched: bool = False


class Block(NamedTuple):
    """A subset of symbols, its own P(y|x), and whether rows were searched for and not listed."""

    symbols: list[int]
    kernel: Matrix
    searched: bool = False


def _blocks(joint: Joint, notion: Notion) -> tuple[list[Block] | None, int, int]:
    """Return the subsets with the optimal response within each, the number of unions, and that of vertices tried.

    None stands where even the union of all subsets allows no response.
    """
    halfspaces = notion.halfspaces(joint)
    partition = subset_merging(joint, notion).partition or ()
    risky = set(np.flatnonzero(high_risk(joint, notion)).tolist())
    queue = [list(subset) for subset in partition if risky.intersection(subset)]
    passed = [x for subset in partition if not risky.intersection(subset) for x in subset]
    made: list[Block] = []
    ready = _pairs(joint, halfspaces, queue)
    unions = rows = 0
    while queue:
        subset = queue.pop(0)
        found = ready[tuple(subset)] if tuple(subset) in ready else _within(joint, halfspaces, subset)
        rows += found.rows
        while found.kernel is None and (queue or made):
            other = queue.pop(0) if queue else made.pop().symbols
            subset, unions = subset + other, unions + 1
            found = _within(joint, halfspaces, subset)
            rows += found.rows
        if found.kernel is None:
            return None, unions, rows
        made.append(Block(subset, found.kernel, found.searched))
    return [Block([x], np.ones((1, 1))) for x in passed] + made, unions, rows


def _named(core: Core, blocks: list[Block]) -> Partition:
    names = np.flatnonzero(core.solid)
    return tuple(tuple(sorted(int(names[x]) for x in block.symbols)) for block in blocks)


def _fallback(joint: Joint, notion: Notion, unions: int, rows: int) -> Channel:
    merged = subset_merging(joint, notion)
    return _certified(joint, merged, merged.partition or (), unions, rows, fallback=True)


def _certified(
    joint: Joint, channel: Channel, subsets: Partition, unions: int, rows: int, *, fallback: bool = False
) -> Channel:
    certificate = SubsetCertificate(
        "subset merging, as there is no response" if fallback else "all vertices within each subset",
        mutual_information(channel.joint_xy(joint)),
        subsets=subsets,
        unions=unions,
        fallback=fallback,
        rows=rows,
    )
    return replace(channel, certificate=certificate)


def _pairs(joint: Joint, halfspaces: Matrix, subsets: list[list[int]]) -> dict[tuple[int, ...], Within]:
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
    return {tuple(pair): Within(kernels[at], 2) for at, pair in enumerate(pairs.tolist()) if regular[at]}


def _searched(halfspaces: Matrix, mass: Vector) -> Within:
    """Return a good P(y|x) within a subset of distribution ``mass`` whose vertices are not listed."""
    if not (halfspaces @ mass >= -KEEP_TOL).all():
        return Within(None, 0, searched=True)
    try:
        rows = cheapest_mixture(halfspaces, mass, gap=GAP, seconds=SECONDS, slack=KEEP_TOL).rows
        return Within(cheapest(rows, mass).kernel, len(rows), searched=True)
    except (InfeasiblePrivacy, SolverFailure):  # a budget finer than solvers resolve: merged, it keeps the notion
        return Within(np.ones((mass.size, 1)), 0, searched=True)


def too_large(n_halfspaces: int, n: int) -> bool:
    """Return whether n symbols may have too many vertices under so many halfspaces to list them.

    Notes
    -----
    McMullen's upper bound theorem: a polytope of d dimensions and m sides has at most C(m - ceil(d/2), floor(d/2)) +
    C(m - floor(d/2) - 1, ceil(d/2) - 1) vertices.

    Examples
    --------
    >>> too_large(10, 17), too_large(30, 19)  # ALIP with 5 and with 15 secrets
    (False, True)
    """
    sides, half = n_halfspaces + n, (n - 1) // 2
    rest = n - 1 - half
    most = math.comb(sides - rest, half) + math.comb(sides - half - 1, max(rest - 1, 0))
    return n > FEW_SYMBOLS and most > MOST_VERTICES


def _within(joint: Joint, halfspaces: Matrix, subset: list[int]) -> Within:
    """Return the optimal P(y|x) within a subset; there is none exactly where the subset, merged, breaks the notion."""
    mass = joint.p_x[subset]
    if too_large(len(halfspaces), len(subset)):
        return _searched(halfspaces[:, subset], mass / mass.sum())
    found = 0
    try:
        rows = vertices(halfspaces[:, subset], interior=mass)
        found = len(rows)
        return Within(cheapest(rows, mass / mass.sum()).kernel if found else None, found)
    except InfeasiblePrivacy:
        return Within(None, found)  # rows exist, but no mixture of them has the subset's own distribution
    except SolverFailure:  # vertices that nearly coincide can be too much for qhull, or for HiGHS
        return _searched(halfspaces[:, subset], mass / mass.sum())
