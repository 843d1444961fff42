"""Subset merging (E23 and C22, Algorithm 1): merge high-risk symbols into subsets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from liftlib.merging.risk import high_risk
from liftlib.notions import LiftNotion
from mixproof.checks import checked

Subset = list[int]
Symbols = NDArray[np.int64]


@checked
def subset_merging(joint: Joint, notion: LiftNotion, *, extend: bool = True) -> Channel:
    """Return the channel that merges high-risk symbols into private subsets.

    Each subset starts with the riskiest remaining symbol and is extended greedily by the symbol that minimises the risk
    of the union, until it satisfies the notion. If no symbols remain before that, the last subset is united with
    earlier subsets in the same way.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        A condition on lift columns: ALIP, LIP, LDP, L1Lift, Chi2Lift, AlphaLift, or your own.
    extend : bool, keyword-only
        Whether low-risk symbols join the last subset, smallest risk first, if it still violates the notion once all
        high-risk symbols are merged. ``False`` is the published algorithm, whose release may violate the notion.

    Returns
    -------
    Channel
        Its ``partition`` lists the low-risk symbols first, then the subsets in order of construction.

    Raises
    ------
    UnsupportedNotion
        If the notion is not a condition on lift columns (SRLIP).

    Notes
    -----
    E23 Algorithm 1, with two changes. The loop of line 4 runs while symbols remain, as in C22 Algorithm 1. The risk
    score omega is ``notion.risk``, which for ALIP is max-lift + 1 / min-lift, whereas E23 section 4.1 states
    max-lift + min-lift. The number of operations is ``O(|S| |X|^2)``.

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> joint = Joint([[0.20, 0.05, 0.05, 0.20], [0.05, 0.20, 0.20, 0.05]], public="abcd")
    >>> subset_merging(joint, ALIP(0.1, 0.1)).outputs
    ('a or b', 'c or d')
    """
    high = high_risk(joint, notion)
    low, waiting = np.flatnonzero(~high), np.flatnonzero(high)  # line 3: X_L and X_Q
    risk = notion.risk(lift(joint), joint.p_s)
    subsets: list[Subset] = []
    while waiting.size:  # line 4
        riskiest = waiting[risk[waiting].argmax()]  # line 5
        subset, waiting = grow(joint, notion, [riskiest], waiting[waiting != riskiest])  # lines 6 to 9
        subsets.append(subset)  # line 10
    if subsets:
        subsets = unite_last(joint, notion, subsets)  # lines 12 to 16
        if extend:
            subsets[-1], low = grow(joint, notion, subsets[-1], low)
    return Channel.merge([*([x] for x in low.tolist()), *map(sorted, subsets)], joint.n_public, joint.public)


def grow(joint: Joint, notion: LiftNotion, subset: Sequence[int], others: Symbols) -> tuple[Subset, Symbols]:
    """Return a subset extended until it satisfies the notion, and the symbols left.

    Each step adds the symbol whose union with the subset has the smallest risk, or the smallest max-lift if every
    union has infinite risk (zero cells). Ties go to the first symbol. E23 Algorithm 1, lines 6 to 9.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        A condition on lift columns.
    subset : sequence of int
        At least one symbol.
    others : numpy.ndarray of int
        The symbols that may be added.
    """
    subset = list(subset)
    each = joint.p[:, subset]
    each /= joint.p_s[:, None]
    p_x_given_s, p_x = each.sum(axis=1), joint.p_x[subset].sum()
    while others.size and not notion.kept_columns((p_x_given_s / p_x)[:, None], joint.p_s)[0]:
        # below E23 eq. (14): the lift of a subset is P(subset|s) / P(subset)
        unions = (p_x_given_s[:, None] + joint.x_given_s.take(others, axis=1)) / (p_x + joint.p_x[others])
        risk = notion.risk(unions, joint.p_s)
        x = others[(unions.max(axis=0) if np.isinf(risk).all() else risk).argmin()]
        subset, others = [*subset, int(x)], others[others != x]
        p_x_given_s, p_x = p_x_given_s + joint.x_given_s[:, x], p_x + joint.p_x[x]
    return subset, others


def unite_last(joint: Joint, notion: LiftNotion, subsets: list[Subset]) -> list[Subset]:
    """Return the subsets, the last united with others until it satisfies the notion.

    Each step unites it with the subset that minimises the risk of the union (E23 Algorithm 1, lines 12 to 16).
    """
    low = sorted({*range(joint.n_public)}.difference(*subsets))
    groups = [*subsets, low] if low else subsets
    merged = Joint(np.stack([joint.p[:, group].sum(axis=1) for group in groups], axis=1))
    last = len(subsets) - 1
    united, left = grow(merged, notion, [last], np.arange(last))
    return [*(subsets[i] for i in left), [x for i in united for x in subsets[i]]]
