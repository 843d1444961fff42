"""Merging symbols of many joint distributions at once: what the watchdog and subset merging share.

Arrays have a leading axis over N joint distributions of one shape, so that a figure over a thousand of them takes
as many numpy calls as one. ``labels[n, x]`` names the group that symbol x of joint n is in, as an index below X;
``mass[n, s, g]`` is P(S = s, X in group g).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Channel
from liftlib.errors import UnsupportedNotion
from liftlib.joint import Joint
from liftlib.measures.lifts import lift_of
from liftlib.notions import Notion
from liftlib.numerics import Mask, Matrix, Vector

Labels = NDArray[np.int64]
Risk = Callable[[Matrix, Vector], Matrix]


def require_lift_notion(notion: Notion, mechanism: str) -> Notion:
    """Return ``notion`` if lift columns decide it, and otherwise say what serves it."""
    if not notion.columnwise:
        raise UnsupportedNotion(
            f"{notion} is not decided by each symbol's lifts alone, so {mechanism} cannot serve it: "
            "use optimal_response or product_response"
        )
    return notion


def lifts(mass: Matrix, p_s: Vector) -> Matrix:
    """Return the lifts of groups of shape (N, S, G) under priors (N, S); empty groups have lift 1."""
    return lift_of(mass, p_s)


def high_risk_of(p: Matrix, notion: Notion) -> Mask:
    """Return, shape (N, X), which symbols break the notion if they are published as they are."""
    return ~notion.kept_columns(lift_of(p), p.sum(axis=-1))


def kept(mass: Matrix, p_s: Vector, notion: Notion) -> Mask:
    """Return, shape (N,), which groups of shape (N, S) keep the notion."""
    return np.asarray(notion.kept_columns(lifts(mass[:, :, None], p_s), p_s)[:, 0])


def best_partner(mass: Matrix, candidates: Matrix, allowed: Mask, p_s: Vector, risk: Risk) -> Labels:
    """Return, shape (N,), which allowed candidate of shape (N, S, C) gives ``mass`` (N, S) the least risk.

    Where every union has an infinite risk (zero cells), the one with the smallest largest lift is taken.
    """
    union = lifts(mass[:, :, None] + candidates, p_s)
    value = np.where(allowed, risk(union, p_s), np.inf)
    at = value.argmin(axis=1)
    hopeless = np.isinf(value.min(axis=1))
    if hopeless.any():
        at[hopeless] = np.where(allowed[hopeless], union[hopeless].max(axis=1), np.inf).argmin(axis=1)
    return np.asarray(at)


def absorb(p: Matrix, labels: Labels, group: Labels, allowed: Mask, notion: Notion, risk: Risk) -> Labels:
    """Let group ``group[n]`` of each joint take in allowed symbols, least risk first, until it keeps the notion.

    Parameters
    ----------
    p : numpy.ndarray, shape (N, S, X)
    labels : numpy.ndarray, shape (N, X)
    group : numpy.ndarray, shape (N,)
        The group that grows; -1 where there is none.
    allowed : numpy.ndarray, shape (N, X)
        Which symbols it may take in.

    Returns
    -------
    numpy.ndarray, shape (N, X)
        New labels.
    """
    labels, allowed, p_s = labels.copy(), allowed.copy(), p.sum(axis=-1)
    mass = np.einsum("nsx,nx->ns", p, labels == group[:, None])
    active = np.flatnonzero(group >= 0)
    while True:
        active = active[~kept(mass[active], p_s[active], notion) & allowed[active].any(axis=1)]
        if not active.size:
            return labels
        x = best_partner(mass[active], p[active], allowed[active], p_s[active], risk)
        mass[active] += p[active, :, x]
        labels[active, x] = group[active]
        allowed[active, x] = False


def group_masses(p: Matrix, labels: Labels) -> Matrix:
    """Return P(S = s, X in group g), shape (N, S, X); groups that no label names are empty."""
    mass = np.zeros_like(p)
    n, s = np.ogrid[: p.shape[0], : p.shape[1]]
    for x in range(p.shape[2]):
        mass[n, s, labels[:, x][:, None]] += p[:, :, x]
    return mass


def channel_of(labels: Labels, joint: Joint, order: Labels) -> Channel:
    """Return the channel that releases the group of x, groups in the order given."""
    partition = [tuple(np.flatnonzero(labels == g).tolist()) for g in order]
    return Channel.merge(partition, joint.n_public, joint.public)
