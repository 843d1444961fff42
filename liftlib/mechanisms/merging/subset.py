"""Subset merging: the high-risk symbols are merged in several subsets, each just large enough to be private."""

from typing import Literal

import numpy as np

from liftlib.channel import Channel
from liftlib.checks import checked
from liftlib.joint import Joint
from liftlib.measures.lifts import lift_of
from liftlib.mechanisms.merging.groups import (
    Labels,
    Risk,
    absorb,
    best_partner,
    channel_of,
    group_masses,
    high_risk_of,
    kept,
    require_lift_notion,
)
from liftlib.notions import Notion
from liftlib.numerics import Matrix, Vector

RiskName = Literal["standard", "printed"]
LoopName = Literal["standard", "printed"]


@checked
def subset_merging(
    joint: Joint,
    notion: Notion,
    *,
    risk: RiskName = "standard",
    loop: LoopName = "standard",
    extend: bool = True,
) -> Channel:
    """Merge high-risk symbols greedily into subsets that keep the notion.

    Each subset starts with the riskiest symbol left and takes in the symbol that leaves it the least risk until it
    keeps the notion. If the last one runs out of symbols, it takes in earlier subsets in the same way.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        One that lift columns decide: ALIP, LIP, LDP, L1Lift, Chi2Lift, AlphaLift, or your own.
    risk : {"standard", "printed"}, keyword-only
        ``"printed"`` takes the notion's ``printed_risk``, the standard its ``risk``. They differ for ALIP alone:
        E23 section 4.1 prints omega = max-lift + min-lift, which grows as the min-lift gets safer; the sum of
        max-lift and 1 / min-lift gives the published figures.
    loop : {"standard", "printed"}, keyword-only
        ``"printed"`` stops making subsets once the rest, merged, keeps the notion (E23 Algorithm 1, line 4) and
        merges the rest; the standard goes on while symbols are left (C22 Algorithm 1, line 3).
    extend : bool, keyword-only
        What to do where all high-risk symbols, merged, break the notion, as a single one does. By default
        low-risk symbols join the last subset, least risk first. ``False`` leaves it so, as printed; the release
        then need not keep the notion.

    Returns
    -------
    Channel
        Its ``partition`` has the low-risk symbols first, then the subsets in the order they were made.

    Raises
    ------
    UnsupportedNotion
        If the notion is not decided by lift columns (SRLIP).
    InvalidParameter
        If ``risk`` or ``loop`` is another word.

    Notes
    -----
    E23 Algorithm 1; C22 Algorithm 1. Time is ``O(|S| |X|^2)``, in numpy.

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> joint = Joint([[0.20, 0.05, 0.05, 0.20], [0.05, 0.20, 0.20, 0.05]], public="abcd")
    >>> subset_merging(joint, ALIP(0.1, 0.1)).outputs
    (('a', 'b'), ('c', 'd'))
    """
    notion = require_lift_notion(notion, "subset_merging")
    labels, order = merge_labels(joint.p[None], notion, risk=risk, loop=loop, extend=extend)
    low = np.array([x for x in range(joint.n_public) if labels[0, x] == x and x not in order[0]], dtype=np.int64)
    return channel_of(labels[0], joint, np.append(low, order[0][order[0] >= 0]))


@checked
def merge_labels(
    p: Matrix, notion: Notion, *, risk: RiskName = "standard", loop: LoopName = "standard", extend: bool = True
) -> tuple[Labels, Labels]:
    """Return the groups that subset merging makes in each of N joint distributions.

    Parameters
    ----------
    p : numpy.ndarray, shape (N, S, X)
        Joint distributions, unchecked.
    notion, risk, loop, extend
        See :func:`subset_merging`.

    Returns
    -------
    labels : numpy.ndarray of int, shape (N, X)
        A symbol's own index if it passes; a group is named by the symbol that it started from.
    order : numpy.ndarray of int, shape (N, X)
        The groups of merged symbols in the order they were made, the one that was last repaired last; -1 after that.
    """
    omega = notion.printed_risk if risk == "printed" else notion.risk
    n, _, n_x = p.shape
    p_s, high = p.sum(axis=-1), high_risk_of(p, notion)
    alone = omega(lift_of(p), p_s)
    labels, left, made = np.tile(np.arange(n_x), (n, 1)), high.copy(), np.zeros(n, dtype=np.int64)
    order = np.full((n, n_x), -1)
    last = np.full(n, -1)
    while True:
        active = np.flatnonzero(left.any(axis=1))
        if not active.size:
            break
        start = np.where(left[active], alone[active], -np.inf).argmax(axis=1)
        last[active], order[active, made[active]] = start, start
        made[active] += 1
        left[active, start] = False
        allowed = left[active]
        if loop == "printed":
            rest = np.einsum("nsx,nx->ns", p[active], allowed) + p[active, :, start]
            whole = kept(rest, p_s[active], notion)
            labels[active] = np.where(allowed & whole[:, None], start[:, None], labels[active])
            left[active] &= ~whole[:, None]
            allowed = left[active]
        labels[active] = absorb(p[active], labels[active], start, allowed, notion, omega)
        left[active] &= labels[active] == np.arange(n_x)
    _unite_last(p, p_s, labels, order, made, last, notion, omega)
    if extend:
        labels = absorb(p, labels, last, ~high, notion, omega)
    return labels, order


def _unite_last(
    p: Matrix, p_s: Vector, labels: Labels, order: Labels, made: Labels, last: Labels, notion: Notion, omega: Risk
) -> None:
    """Let the last group of each joint take in earlier groups until it keeps the notion (E23 Alg. 1, lines 12-16)."""
    mass = group_masses(p, labels)
    every = np.arange(p.shape[0])
    while True:
        breaks = ~kept(mass[every, :, last], p_s, notion)
        active = np.flatnonzero(breaks & (made > 1))
        if not active.size:
            return
        current = last[active]
        earlier = np.zeros((active.size, p.shape[2]), dtype=bool)
        for row, joint in enumerate(active):
            earlier[row, order[joint, : made[joint] - 1]] = True
        partner = best_partner(mass[active, :, current], mass[active], earlier, p_s[active], omega)
        mass[active, :, current] += mass[active, :, partner]
        mass[active, :, partner] = 0
        labels[active] = np.where(labels[active] == partner[:, None], current[:, None], labels[active])
        for joint, gone in zip(active, partner, strict=True):
            kept_order = order[joint][(order[joint] >= 0) & (order[joint] != gone)]
            order[joint] = -1
            order[joint, : kept_order.size] = kept_order
        made[active] -= 1
