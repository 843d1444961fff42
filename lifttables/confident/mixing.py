"""Mixing a channel with the smallest sufficient share of a constant release."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from liftlib.channel import Channel
from liftlib.notions import Notion, RatioBased
from lifttables.population.sample import Parts, Sample
from lifttables.population.worst import Between, violation_of, worst_required_budgets
from mixproof.numerics import KEEP_TOL, Matrix, Vector

SHARE_BISECTIONS = 40  # bisection steps, for a precision of 1e-12


def least_share(certifies: Callable[[float], bool]) -> float:
    """Return the smallest share in [0, 1] that ``certifies`` accepts, rounded up.

    A share of 1 is assumed to be accepted.
    """
    if certifies(0.0):
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(SHARE_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if certifies(middle) else (middle, high)
    return high


def share_needed(notion: Notion, between: Between, p_y: Vector) -> float:
    """Return the smallest share of P(y) at which bounded outputs satisfy a notion.

    >>> from liftlib.notions import LIP
    >>> half = np.full((3, 1), 0.5)
    >>> round(share_needed(LIP(0.5), Between(half, 1.2 * half, half[:2, 0], half[:2, 0]), np.ones(1)), 6)
    0.0
    """

    def kept(share: float) -> bool:
        lower, upper = ((1 - share) * bounds + share * p_y for bounds in between[:2])
        needed = worst_required_budgets(notion, Between(lower, upper, *between[2:]))
        return float(violation_of(needed).max()) <= KEEP_TOL / 2

    return least_share(kept)


def share_for(notion: Notion, sample: Sample, channel: Channel, p_y: Vector) -> float:
    """Return the smallest share of a constant release to mix in for certification.

    The constant release has output distribution ``p_y``; the sample certifies the mixture.
    """
    if isinstance(notion, RatioBased) and not channel.sees_secret:
        return _share_of_parts(notion, sample, sample.parts(channel), p_y)
    return share_needed(notion, sample.outputs(channel), p_y)


def _share_of_parts(notion: RatioBased, sample: Sample, parts: Parts, p_y: Vector) -> float:
    missed = sample.misses(notion, parts.member, KEEP_TOL / 2) @ parts.weights
    constant = sample.misses(notion, np.ones((1, sample.n_public), dtype=bool), KEEP_TOL / 2) * p_y
    return least_share(lambda share: bool(((1 - share) * missed + share * constant <= 0).all()))


def mixed_parts(sample: Sample, notion: RatioBased, parts: Parts) -> tuple[Parts, float]:
    """Return parts mixed with the smallest sufficient constant release, and its share.

    If the share is 1, there is one output.
    """
    p_y = sample.weights @ parts.kernel
    share = _share_of_parts(notion, sample, parts, p_y)
    everyone = np.ones((1, sample.n_public), dtype=bool)
    if share == 1.0:
        return Parts(everyone, np.ones((1, 1))), share
    if share == 0.0:
        return parts, share
    member = np.vstack([parts.member, everyone])
    return Parts(member, np.vstack([(1 - share) * parts.weights, share * p_y])), share


def stochastic(member: Matrix, weights: Matrix) -> Parts:
    """Return parts whose kernel rows sum to exactly 1, from weights that nearly do.

    >>> parts = stochastic(np.eye(2, dtype=bool), np.array([[1.0, 0.0], [0.0, 0.9]]))
    >>> parts.kernel.round(9).tolist()
    [[1.0, 0.0], [0.1, 0.9]]
    """
    weights = np.maximum(weights, 0.0)
    weights = weights / max(1.0, float((member.T @ weights).sum(axis=1).max()))
    left = np.maximum(1 - (member.T @ weights).sum(axis=1), 0.0)
    missing = np.flatnonzero(left > 0)
    rest = np.zeros((len(missing), weights.shape[1]))
    # the first output takes up the rounding error
    rest[:, 0] = left[missing]
    return Parts(np.vstack([member, np.eye(member.shape[1], dtype=bool)[missing]]), np.vstack([weights, rest]))
