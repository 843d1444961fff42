"""Subset random response (SRR, E23 Algorithm 2): AORR within subsets."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from liftlib.channel import Certificate, Channel, Partition
from liftlib.errors import LiftWarning, SolverFailure
from liftlib.joint import Joint
from liftlib.measures.evaluation import utility
from liftlib.merging.risk import high_risk
from liftlib.merging.subset_merging import subset_merging
from liftlib.notions import PolyhedralLift
from liftlib.notions.agreement import check_agreement
from liftlib.response.posteriors import Support, repaired, without_negligible
from liftlib.response.within_subset import response_within
from mixproof.checks import checked
from mixproof.numerics import Matrix


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SubsetCertificate(Certificate):
    """The certificate of subset random response: subsets, unions and searches.

    Attributes
    ----------
    subsets : tuple of tuples of int
        The subsets of symbols; without a fallback, negligible symbols are in none.
    unions : int
        Number of unions of subsets, made because a subset alone allowed no response.
    fallback : bool
        Whether subset merging was used, because no response was found or repair failed.
    rows : int
        Number of vertices listed or posteriors found, over all subsets and unions.
    searched : int
        Number of subsets with a search instead of vertex enumeration (too many
        vertices, or too close).
    """

    subsets: Partition
    unions: int
    fallback: bool
    rows: int
    searched: int = 0


class Block(NamedTuple):
    """A subset of symbols, its P(y|x), and whether posteriors were searched for."""

    symbols: list[int]
    kernel: Matrix
    searched: bool = False


class Blocks(NamedTuple):
    """The kernel's blocks, None without a response; numbers of unions, posteriors."""

    blocks: list[Block] | None
    unions: int
    rows: int


@checked
def subset_response(joint: Joint, notion: PolyhedralLift) -> Channel:
    """Return the channel with the optimal random response within high-risk subsets.

    Low-risk symbols are published unchanged.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        Linear constraints on lift columns: ALIP, LIP, LDP, or L1Lift with an infinite
        ``eps_l``.

    Returns
    -------
    Channel
        P(y|x), with a :class:`SubsetCertificate`.

    Warns
    -----
    LiftWarning
        If a subset's vertices may be too many or too close to enumerate. A search of up
        to 100,000 linear programs is then used, which need not find the best response.

    Raises
    ------
    UnsupportedNotion
        If the notion is not given by linear constraints on lift columns.
    SolverFailure
        If a solver's solution fails its check.

    Notes
    -----
    E23 Algorithm 2, on the subsets of
    :func:`~liftlib.merging.subset_merging.subset_merging`.

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> joint = Joint([[0.20, 0.05, 0.05, 0.20], [0.05, 0.20, 0.20, 0.05]])
    >>> ALIP(0.1, 0.1).is_satisfied(joint, subset_response(joint, ALIP(0.1, 0.1)))
    True
    """
    support = without_negligible(joint, notion)
    solution = algorithm_2(support.joint, notion)
    if solution.blocks is None:
        return _merged(joint, notion, solution)  # line 18
    kernel = support.extended(block_diagonal(solution.blocks, support.joint.n_public))
    try:
        channel, _ = repaired(
            kernel,
            joint.p_x,
            lambda candidate: notion.is_satisfied(joint, candidate),
            name=notion,
        )
    except SolverFailure:
        # a budget finer than floating point, such as eps_l = 50 with a zero cell:
        # merging decides by lifts alone
        return _merged(joint, notion, solution)
    return _certified(joint, channel, support, solution)


def algorithm_2(joint: Joint, notion: PolyhedralLift) -> Blocks:
    """Return the subsets of E23 Algorithm 2, lines 3 to 16, with their responses."""
    check_agreement(notion, joint)
    halfspaces = notion.halfspaces(joint)
    high = set(np.flatnonzero(high_risk(joint, notion)).tolist())
    partition = subset_merging(joint, notion).partition or ()
    low = [x for subset in partition if high.isdisjoint(subset) for x in subset]
    # line 3
    waiting = [list(subset) for subset in partition if not high.isdisjoint(subset)]
    blocks: list[Block] = []
    unions = rows = 0
    while waiting:  # line 4
        subset = waiting.pop(0)  # lines 5 and 6
        response = response_within(joint, halfspaces, subset)
        rows += response.rows
        while response.kernel is None and (waiting or blocks):  # line 7
            other = waiting.pop(0) if waiting else blocks.pop().symbols  # lines 8 to 12
            subset += other
            unions += 1
            response = response_within(joint, halfspaces, subset)
            rows += response.rows
        if response.kernel is None:  # line 17
            return Blocks(None, unions, rows)
        blocks.append(Block(subset, response.kernel, response.searched))  # line 15
    return Blocks([*(Block([x], np.ones((1, 1))) for x in low), *blocks], unions, rows)


def block_diagonal(blocks: list[Block], n_public: int) -> Matrix:
    """Return P(y|x), shape (X, Y), from the blocks (E23 eqs. (29) and (30))."""
    kernel = np.zeros((n_public, sum(block.kernel.shape[1] for block in blocks)))
    start = 0
    for block in blocks:
        end = start + block.kernel.shape[1]
        kernel[block.symbols, start:end] = block.kernel
        start = end
    return kernel


def _merged(joint: Joint, notion: PolyhedralLift, solution: Blocks) -> Channel:
    """Return the channel of subset merging, if no response was found (line 18)."""
    # of the whole joint distribution: the solution's lacks negligible symbols
    merged = subset_merging(joint, notion)
    certificate = SubsetCertificate(
        "subset merging, as there is no response",
        utility(joint, merged),
        subsets=merged.partition or (),
        unions=solution.unions,
        fallback=True,
        rows=solution.rows,
    )
    return merged.with_certificate(certificate)


def _certified(
    joint: Joint, channel: Channel, support: Support, solution: Blocks
) -> Channel:
    """Return the channel with its certificate; warn if a search was needed."""
    blocks = solution.blocks or []
    searched = [len(block.symbols) for block in blocks if block.searched]
    route = "all vertices within each subset"
    if searched:
        route = "rows listed or searched for in each subset"
        warnings.warn(
            f"the vertices within a subset of {max(searched)} symbols may be too many, "
            "or too close, to list, so rows "
            "were searched for in it, and its response need not be the best: see "
            "optimal_response",
            LiftWarning,
            stacklevel=4,
        )
    symbols = np.flatnonzero(support.resolved)
    subsets = [sorted(symbols[block.symbols].tolist()) for block in blocks]
    certificate = SubsetCertificate(
        route,
        utility(joint, channel),
        subsets=tuple(map(tuple, subsets)),
        unions=solution.unions,
        fallback=False,
        rows=solution.rows,
        searched=len(searched),
    )
    return channel.with_certificate(certificate)
