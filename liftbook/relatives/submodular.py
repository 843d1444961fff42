"""The privacy funnel by merging subsets of any size."""

from __future__ import annotations

import numpy as np

from liftbook.relatives.average import few_symbols
from liftbook.relatives.overall import AverageLeakage
from liftlib.channel import Channel, Partition
from liftlib.joint import Joint
from mixproof.checks import checked
from mixproof.numerics import SAME_TOL, Vector, xlogx

MAX_SYMBOLS = 15
"""Maximum number of symbols: each step compares 2^|X| subsets."""

N_MULTIPLIERS = 40
"""Number of multipliers of I(X; Y)."""

BISECTION_STEPS = 20
"""Bisections between the last multiplier that satisfies the bound and the first that does not."""


def merging_losses(joint: Joint) -> tuple[Vector, Vector]:
    """Return the losses of I(X; Y) and I(S; Y) from merging each subset, in nats.

    A subset is encoded as the integer whose set bits are its symbols.

    Notes
    -----
    I(X; Y) falls by D = p(A) log p(A) - sum p(x) log p(x), over the symbols x of a subset A, and I(S; Y) by D minus the
    sum over secrets of the same with P(s, A). A convex function of a sum of masses is supermodular in the subset, so
    any weighted difference of the two losses is a difference of supermodular, and so of submodular, functions.

    Examples
    --------
    >>> of_x, of_s = merging_losses(Joint([[0.25, 0.0], [0.25, 0.5]]))
    >>> of_x.round(4).tolist(), of_s.round(4).tolist()
    ([0.0, 0.0, 0.0, 0.6931], [0.0, 0.0, 0.0, 0.2158])
    """
    n = joint.n_public
    inside = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    of_x = xlogx(inside @ joint.p_x) - inside @ xlogx(joint.p_x)
    cells = xlogx(inside @ joint.p.T).sum(axis=1) - inside @ xlogx(joint.p).sum(axis=0)
    return np.asarray(of_x), np.asarray(of_x - cells)


@checked
def funnel_subsets(joint: Joint, notion: AverageLeakage) -> Channel:
    """Return the channel that merges the best subsets for I(S; Y) - share I(X; Y).

    Parameters
    ----------
    joint : Joint
        P_SX, with at most 15 symbols.

    Returns
    -------
    Channel
        The merging with the largest I(X; Y) within the bound, among all intermediate partitions at 60 shares; its
        attribute ``partition`` is the partition.

    Notes
    -----
    Ding2019, according to the abstract: starting from X, the algorithm merges the subset of the current alphabet that
    lowers I(S; Y) - share I(X; Y) most, and a sweep over shares gives the trade-off. There a subset is found as a local
    minimum of a difference of submodular functions; here all subsets are compared, so that each step is exact. It ends
    when no subset lowers the objective. The shares are quantiles of the ratios of the two losses, where merging a
    subset begins to pay off, followed by bisection of the point where the bound becomes satisfied.

    Examples
    --------
    >>> from liftbook.relatives.overall import AverageLeakage
    >>> joint = Joint([[0.2, 0.1, 0.05, 0.15], [0.1, 0.2, 0.15, 0.05]])
    >>> funnel_subsets(joint, AverageLeakage(0.01)).partition
    ((0, 1), (2, 3))
    """
    few_symbols(joint, MAX_SYMBOLS, "funnel_merging or funnel_descent")
    n = joint.n_public
    identity = Channel.identity(n)
    if notion.is_satisfied(joint, identity):
        return Channel.merge([(x,) for x in range(n)], n, joint.public)
    of_x, of_s = merging_losses(joint)
    worth = np.flatnonzero(of_x > 0)
    levels = np.unique(np.quantile(of_s[worth] / of_x[worth], np.linspace(0, 1, N_MULTIPLIERS)))
    best, lost = _named((2**n - 1,), n), np.inf

    def ends_within(share: float) -> bool:
        nonlocal best, lost
        satisfied = False
        for groups in _merged(of_x, of_s, share, n):
            satisfied = notion.is_satisfied(joint, Channel.merge(_named(groups, n), n))
            loss = float(of_x[list(groups)].sum())
            if satisfied and loss < lost:
                best, lost = _named(groups, n), loss
        return satisfied

    within = [ends_within(float(level)) for level in levels]
    last = max((k for k, ended in enumerate(within) if ended), default=-1)
    low, high = (levels[last] if last >= 0 else 0.0), levels[min(last + 1, len(levels) - 1)]
    for _ in range(BISECTION_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if ends_within(middle) else (low, middle)
    return Channel.merge(best, n, joint.public)


def _merged(of_x: Vector, of_s: Vector, share: float, n: int) -> list[tuple[int, ...]]:
    """Return the intermediate partitions at one share, as tuples of subset numbers."""
    groups, partitions = np.array([1 << x for x in range(n)]), []
    while len(groups) > 1:
        chosen = (np.arange(2 ** len(groups))[:, None] >> np.arange(len(groups))) & 1
        union = chosen @ groups
        change = share * (of_x[union] - chosen @ of_x[groups]) - (of_s[union] - chosen @ of_s[groups])
        at = int(change.argmin())
        if change[at] >= -SAME_TOL:
            break
        groups = np.append(groups[chosen[at] == 0], union[at])
        partitions.append(tuple(sorted(groups.tolist())))
    return partitions


def _named(groups: tuple[int, ...], n: int) -> Partition:
    return tuple(sorted(tuple(x for x in range(n) if group >> x & 1) for group in groups))
