"""Subset merging: the high-risk symbols are merged in several subsets, each just large enough to be private."""

from typing import Literal

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.merging.groups import Batch, Labels, channel_of, require_lift_notion
from liftlib.merging.pool import Pool, Risk, absorb
from liftlib.notions import Notion
from mixproof.checks import checked
from mixproof.numerics import Mask, Matrix

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
    made = order[0][order[0] >= 0]
    low = np.setdiff1d(np.flatnonzero(labels[0] == np.arange(joint.n_public)), made)
    return channel_of(labels[0], joint, np.append(low, made))


@checked
def merge_labels(
    p: Matrix | Batch, notion: Notion, *, risk: RiskName = "standard", loop: LoopName = "standard", extend: bool = True
) -> tuple[Labels, Labels]:
    """Return the groups that subset merging makes in each of N joint distributions.

    Parameters
    ----------
    p : Batch, or numpy.ndarray of shape (N, S, X)
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
    batch, omega = Batch.of(p), notion.printed_risk if risk == "printed" else notion.risk
    high = batch.high_risk(notion)
    labels, order, last = _grown(batch, high, notion, omega, until_private=loop == "printed")
    _unite_last(batch, labels, order, last, notion, omega)
    if extend:
        taken = absorb(batch, labels == last[:, None], ~high, notion, omega)
        labels = np.where(taken, last[:, None], labels)
    return labels, order


def _grown(
    batch: Batch, high: Mask, notion: Notion, omega: Risk, *, until_private: bool
) -> tuple[Labels, Labels, Labels]:
    """Return the groups that high-risk symbols form, their order, and the last of each joint distribution, -1 if none.

    Each joint distribution goes at its own pace: in one step, one may start a group and another finish its third.
    """
    n, n_x = high.shape
    alone = omega(batch.columns(notion), batch.p_s)
    labels, order = np.tile(np.arange(n_x), (n, 1)), np.full((n, n_x), -1)
    made, last = np.zeros(n, dtype=np.int64), np.full(n, -1)
    pool = Pool(batch, high, notion, omega, np.asarray(high.any(axis=1)))
    while pool.live.any():
        rows = np.flatnonzero(pool.live & (pool.group < 0))
        if rows.size:
            of = pool.of[rows]
            risks = np.take_along_axis(alone[of], pool.ids[rows], axis=1)
            pool.start(rows, np.where(pool.free[rows], risks, -np.inf).argmax(axis=1))
            last[of] = order[of, made[of]] = pool.group[rows]
            made[of] += 1
            if until_private:
                rows, symbols = pool.close(rows)
                labels[pool.of[rows], symbols] = pool.group[rows]
        rows = np.flatnonzero(pool.live & (pool.left > 0))
        of = pool.of[rows]
        labels[of, pool.take(rows, pool.nearest()[rows])] = pool.group[rows]
        pool.group[pool.kept()] = -1
        pool.live &= pool.left > 0
        pool.pack()
    return labels, order, last


def _unite_last(batch: Batch, labels: Labels, order: Labels, last: Labels, notion: Notion, omega: Risk) -> None:
    """Let the last group of each joint take in earlier groups until it keeps the notion (E23 Alg. 1, lines 12-16).

    It changes the labels and the order.
    """
    n_x = labels.shape[1]
    which = ~batch.kept(labels == last[:, None], notion) & ((order >= 0).sum(axis=1) > 1)
    if not which.any():
        return
    its = batch.some(which)
    groups = np.zeros((len(its.p), n_x), dtype=bool)
    at, places = np.nonzero(order[which] >= 0)
    groups[at, order[which][at, places]] = True
    one = np.arange(n_x) == last[which][:, None]
    taken = absorb(Batch(np.moveaxis(its.masses(labels[which]), 0, 1)), one, groups & ~one, notion, omega)
    gone = np.take_along_axis(taken, labels[which], axis=1)
    labels[which] = np.where(gone, last[which][:, None], labels[which])
    stays = (order[which] >= 0) & ~np.take_along_axis(taken, np.maximum(order[which], 0), axis=1)
    moved = np.take_along_axis(order[which], np.argsort(~stays, axis=1, kind="stable"), axis=1)
    order[which] = np.where(np.arange(n_x) < stays.sum(axis=1)[:, None], moved, -1)
