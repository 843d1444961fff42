"""The privacy funnel by merging pairs of symbols."""

from __future__ import annotations

import itertools

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.notions import Notion
from mixproof.checks import checked
from mixproof.numerics import xlogx


@checked
def funnel_merging(joint: Joint, notion: Notion) -> Channel:
    """Return the channel that merges pairs of symbols until the notion is satisfied.

    Each step merges the pair that lowers the leakage most per loss of I(X; Y). The
    attribute ``partition`` is the partition. A single output satisfies every notion.

    Notes
    -----
    The agglomerative algorithm of Makhdoumi2014 merges while I(X; Y) stays above a
    bound; this variant merges until a bound on the leakage is satisfied.

    Examples
    --------
    >>> from liftbook.relatives.overall import AverageLeakage
    >>> joint = Joint([[0.2, 0.1, 0.05, 0.15], [0.1, 0.2, 0.15, 0.05]])
    >>> funnel_merging(joint, AverageLeakage(0.01)).partition
    ((0, 1), (2, 3))
    """
    groups: list[tuple[int, ...]] = [(x,) for x in range(joint.n_public)]
    channel = Channel.merge(groups, joint.n_public, joint.public)
    while not notion.is_satisfied(joint, channel) and len(groups) > 1:
        p_y = np.array([joint.p_x[list(group)].sum() for group in groups])
        before = notion.violation(joint, channel)
        best, chosen, best_channel = -np.inf, groups, channel
        for a, b in itertools.combinations(range(len(groups)), 2):
            merged = [group for k, group in enumerate(groups) if k not in (a, b)] + [
                groups[a] + groups[b]
            ]
            candidate = Channel.merge(merged, joint.n_public, joint.public)
            lost = float(xlogx(p_y[a] + p_y[b]) - xlogx(p_y[a]) - xlogx(p_y[b]))
            after = notion.violation(joint, candidate)
            # if the violation stays infinite, the pair that loses least is merged first
            fall = before - after if np.isfinite(after) else 0.0
            rate = (fall / lost if lost > 0 else np.inf) if fall > 0 else -lost
            if rate > best:
                best, chosen, best_channel = rate, merged, candidate
        groups, channel = chosen, best_channel
    order = sorted(tuple(sorted(group)) for group in groups)
    return Channel.merge(order, joint.n_public, joint.public)
