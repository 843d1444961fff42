"""Mechanisms that use a notion's tolerance, and the room that bounds have for them."""

import dataclasses

import numpy as np

from liftlib import Channel
from liftlib.measures.evaluation import utility
from mixproof.numerics import KEEP_TOL

NEARLY = 1 - 1e-4  # of the tolerance, with room for rounding
# a bound holds for mechanisms that use the notion's tolerance, the optimum uses none
ROOM = 10 * KEEP_TOL


def loosened(notion):
    """The notion with each finite budget as large as ``is_satisfied`` tolerates."""
    budgets = {
        name: getattr(notion, name) + NEARLY * KEEP_TOL
        for name in ("eps", "eps_l", "eps_u")
        if np.isfinite(getattr(notion, name, np.inf))
    }
    return dataclasses.replace(notion, **budgets)


def sharpened(joint, notion, channel):
    """The channel with each row moved to its largest entry, as far as tolerated."""
    kernel = channel.kernel
    largest = np.eye(channel.n_outputs)[kernel.argmax(axis=-1)]
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        moved = Channel((1 - share) * kernel + share * largest)
        fits = notion.violation(joint, moved) <= NEARLY * KEEP_TOL
        low, high = (share, high) if fits else (low, share)
    return Channel((1 - low) * kernel + low * largest)


def assert_within_bound(joint, notion, beyond, certificate):
    """Assert that the notion accepts a mechanism that is better than the certified one,
    and that the certified bound holds for it.
    """
    assert notion.is_satisfied(joint, beyond)
    assert notion.violation(joint, beyond) > KEEP_TOL / 2
    assert certificate.value + 1e-10 < utility(joint, beyond) <= certificate.upper
