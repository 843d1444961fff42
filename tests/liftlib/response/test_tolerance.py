"""No mechanism that a notion accepts, within its tolerance, exceeds the bound."""

import dataclasses

import numpy as np
import pytest

import liftlib as ll
from liftlib.measures.evaluation import utility
from mixproof.numerics import KEEP_TOL

JOINT = ll.datasets.uniform_joint(3, 5, np.random.default_rng(3))
PAIRS = ll.datasets.uniform_joint(2, 4, np.random.default_rng(1))
NEARLY = 1 - 1e-4  # of the tolerance, with room for rounding

CASES = {
    "ALIP": (JOINT, ll.ALIP(0.3, 0.2)),
    "LIP": (JOINT, ll.LIP(0.05)),
    "LDP": (JOINT, ll.LDP(0.3)),
    "L1Lift": (JOINT, ll.L1Lift(np.inf, 0.2)),
    "SRLIP": (PAIRS, ll.SRLIP(0.4, (2, 2))),
}


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
    largest = np.eye(channel.n_outputs)[kernel.argmax(axis=1)]
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        moved = ll.Channel((1 - share) * kernel + share * largest)
        fits = notion.violation(joint, moved) <= NEARLY * KEEP_TOL
        low, high = (share, high) if fits else (low, share)
    return ll.Channel((1 - low) * kernel + low * largest)


@pytest.mark.parametrize("method", ["qhull", "tree"])
@pytest.mark.parametrize("name", CASES)
def test_a_mechanism_as_far_beyond_as_tolerated_is_within_the_bound(name, method):
    joint, notion = CASES[name]
    best = ll.mechanisms.optimal(joint, notion, method=method).certificate
    beyond = ll.mechanisms.optimal(joint, loosened(notion), method="qhull")
    assert notion.is_satisfied(joint, beyond)
    assert notion.violation(joint, beyond) > KEEP_TOL / 2
    assert best.value + 1e-10 < utility(joint, beyond) <= best.upper


@pytest.mark.parametrize("method", ["qhull", "tree"])
def test_perfect_privacy_has_room_for_the_tolerance(method):
    notion = ll.PerfectPrivacy()
    best = ll.mechanisms.optimal(JOINT, notion, method=method)
    beyond = sharpened(JOINT, notion, best)
    assert notion.is_satisfied(JOINT, beyond)
    assert notion.violation(JOINT, beyond) > KEEP_TOL / 2
    found = best.certificate
    assert found.value + 1e-10 < utility(JOINT, beyond) <= found.upper
    assert found.gap < 1e-6
