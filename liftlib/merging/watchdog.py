"""The watchdog mechanism (E23 section 3.1)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.merging.risk import high_risk
from liftlib.merging.subset_merging import grow
from liftlib.notions import LiftNotion
from mixproof.checks import checked


@checked
def watchdog(
    joint: Joint, notion: LiftNotion, *, randomise: Literal["merge", "uniform"] = "merge", extend: bool = True
) -> Channel:
    """Return the channel that publishes low-risk symbols and randomises the others.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        A condition on lift columns: ALIP, LIP, LDP, L1Lift, Chi2Lift, AlphaLift, or your own. It determines which
        symbols are high-risk.
    randomise : {"merge", "uniform"}, keyword-only
        ``"merge"`` maps all high-risk symbols to one output (complete merging); ``"uniform"`` replaces each by one of
        them, drawn uniformly. Both are X-invariant: they leak and retain the same information.
    extend : bool, keyword-only
        Whether low-risk symbols join the high-risk ones, smallest risk first, if merging these alone is not private.
        ``False`` is the published mechanism, whose release may violate the notion.

    Returns
    -------
    Channel
        With ``partition`` set for ``"merge"``, the merged output last. Without high-risk symbols, X is published
        unchanged.

    Raises
    ------
    UnsupportedNotion
        If the notion is not a condition on lift columns (SRLIP).
    InvalidParameter
        If ``randomise`` is neither ``"merge"`` nor ``"uniform"``.

    Notes
    -----
    E23 eqs. (6)-(11). Among all randomisations of a set, the X-invariant ones leak the least (E23 Theorem 1, for LDP),
    so if they violate the notion, no randomisation of the high-risk symbols alone satisfies it.

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> joint = Joint([[0.2, 0.1, 0.2], [0.0, 0.3, 0.2]], public="abc")
    >>> watchdog(joint, ALIP(0.5, 0.5)).outputs
    ('c', 'a or b')
    """
    high = high_risk(joint, notion)  # eqs. (6) and (7)
    if not high.any():
        return Channel.identity(joint.n_public, joint.public)
    merged, low = np.flatnonzero(high).tolist(), np.flatnonzero(~high)
    if extend:
        merged, low = grow(joint, notion, merged, low)
    if randomise == "merge":
        output_of = np.full(joint.n_public, low.size)
        output_of[low] = np.arange(low.size)
        return Channel.deterministic(output_of, joint.public)
    kernel = np.eye(joint.n_public)
    kernel[np.ix_(merged, merged)] = 1 / len(merged)  # eq. (8)
    return Channel(kernel, joint.public)
