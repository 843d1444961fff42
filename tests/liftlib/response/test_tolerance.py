"""No mechanism that a notion accepts, within its tolerance, exceeds the bound."""

import numpy as np
import pytest
from tolerated import assert_within_bound, loosened, sharpened

import liftlib as ll

JOINT = ll.datasets.uniform_joint(3, 5, np.random.default_rng(3))
PAIRS = ll.datasets.uniform_joint(2, 4, np.random.default_rng(1))

CASES = {
    "ALIP": (JOINT, ll.ALIP(0.3, 0.2)),
    "LIP": (JOINT, ll.LIP(0.05)),
    "LDP": (JOINT, ll.LDP(0.3)),
    "L1Lift": (JOINT, ll.L1Lift(np.inf, 0.2)),
    "SRLIP": (PAIRS, ll.SRLIP(0.4, (2, 2))),
}


@pytest.mark.parametrize("method", ["qhull", "tree"])
@pytest.mark.parametrize("name", CASES)
def test_a_mechanism_as_far_beyond_as_tolerated_is_within_the_bound(name, method):
    joint, notion = CASES[name]
    best = ll.mechanisms.optimal(joint, notion, method=method).certificate
    beyond = ll.mechanisms.optimal(joint, loosened(notion), method="qhull")
    assert_within_bound(joint, notion, beyond, best)


@pytest.mark.parametrize("method", ["qhull", "tree"])
def test_perfect_privacy_has_room_for_the_tolerance(method):
    notion = ll.PerfectPrivacy()
    best = ll.mechanisms.optimal(JOINT, notion, method=method)
    beyond = sharpened(JOINT, notion, best)
    assert_within_bound(JOINT, notion, beyond, best.certificate)
    assert best.certificate.gap < 1e-6
