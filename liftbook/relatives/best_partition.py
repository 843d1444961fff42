"""Optimal merging, by a search over all partitions of the symbols."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.lifts import lift_of
from liftlib.notions import LiftNotion
from mixproof.checks import checked
from mixproof.numerics import xlogx

MAX_SYMBOLS = 13
"""Maximum number of symbols: the search takes 3^|X| steps."""


@checked
def best_partition(joint: Joint, notion: LiftNotion) -> Channel:
    """Return the merging with the largest utility among all private partitions.

    C22 section 3 and E23 section 4 call this search combinatorial and replace it by a
    greedy algorithm, :func:`liftlib.merging.subset_merging.subset_merging`.

    Parameters
    ----------
    joint : Joint
        P_SX, with at most 13 symbols: the search takes 3^|X| steps.

    Returns
    -------
    Channel
        Its attribute ``partition`` is the best partition.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> joint = Joint([[0.2, 0.1, 0.05, 0.15], [0.1, 0.2, 0.15, 0.05]])
    >>> best_partition(joint, LIP(0.1)).partition
    ((0, 2), (1, 3))
    """
    n = joint.n_public
    if n > MAX_SYMBOLS:
        raise InvalidParameter(
            f"joint has {n} symbols, more than {MAX_SYMBOLS}: use subset_merging"
        )
    member = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    masses = joint.p @ member[1:].T  # P(s, A) of each subset A but the empty one
    satisfied = notion.kept_columns(lift_of(masses, joint.p_s), joint.p_s)
    # merging leaves H(Y), to which each subset gives -P(A) log P(A)
    gain = np.where(satisfied, -xlogx(masses.sum(axis=0)), -np.inf).tolist()
    best, taken = [0.0], [0]
    for subset in range(1, 2**n):
        # the subset with the lowest symbol is that symbol and any part of the others
        low = subset & -subset
        rest = part = subset ^ low
        top, chosen = -np.inf, subset
        while True:
            value = gain[(part | low) - 1] + best[rest ^ part]
            if value > top:
                top, chosen = value, part | low
            if part == 0:
                break
            part = (part - 1) & rest
        best.append(top)
        taken.append(chosen)
    subsets, left = [], 2**n - 1
    while left:
        subsets.append([x for x in range(n) if taken[left] >> x & 1])
        left ^= taken[left]
    return Channel.merge(subsets, n, joint.public)
