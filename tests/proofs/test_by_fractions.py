"""The checker against fractions: on trees that no engine made it finds the same bound, rounded to the safe side."""

from fractions import Fraction

import numpy as np
import pytest
from by_fractions import ByFractions, Growing

import liftlib as ll
from liftlib.errors import InvalidProof
from liftlib.proofs.checking import upper_bound

CLOSE = Fraction(1, 10**11)
SKEWED = ll.Joint.from_counts([[60, 2, 0], [1, 30, 7]])
JOINTS = [
    (ll.Joint.from_counts([[3, 2, 1], [1, 4, 2], [2, 2, 7]]), ll.ALIP(0.3, 0.2)),
    (SKEWED, ll.LIP(0.5)),
    (ll.Joint.from_counts([[1, 99, 4], [9, 1, 0]]), ll.LDP(1.0)),
    (ll.Joint.from_counts([[1, 2, 3, 4], [4, 3, 2, 1]]), ll.ALIP(np.inf, 0.1)),
    (ll.Joint.from_counts([[5, 1], [2, 4]]), ll.LIP(np.inf)),
    (ll.Joint.from_counts([[2, 3]]), ll.LIP(0.1)),
    (ll.Joint.from_counts([[2], [3]]), ll.LIP(0.1)),
    (ll.Joint(np.diag([0.2, 0.3, 0.5])), ll.LIP(0.9)),
]


@pytest.mark.parametrize("seed", range(25))
def test_the_bound_is_that_of_the_fractions(seed):
    """Never below it, and above it by rounding alone."""
    rng = np.random.default_rng(seed)
    for joint, notion in JOINTS:
        halfspaces = notion.halfspaces(joint)
        proof = Growing(rng, halfspaces, joint.p_x).made()
        exact, found = ByFractions(joint.p_x, halfspaces, proof).upper(), upper_bound(joint, notion, proof)
        assert 0 < Fraction(found) - exact <= CLOSE


def test_the_trees_are_of_every_kind():
    rng, kinds, implied = np.random.default_rng(0), set(), 0
    for _ in range(20):
        joint, notion = JOINTS[0]
        proof = Growing(rng, notion.halfspaces(joint), joint.p_x).made()
        kinds |= set(proof.kind.tolist())
        implied += int(proof.boxes < 2 * (proof.kind == 2).sum() + 1)
    assert kinds == {0, 1, 2}
    assert implied


@pytest.mark.parametrize("seed", range(20))
def test_a_cap_below_what_is_proven_is_refused(seed):
    """One float below the fraction, for each symbol by itself; rounding has to be on the safe side here too."""
    rng = np.random.default_rng(100 + seed)
    for joint, notion in JOINTS[:4]:
        halfspaces = notion.halfspaces(joint)
        growing = Growing(rng, halfspaces, joint.p_x, depth=1)
        exact = ByFractions(joint.p_x, halfspaces, growing.proof).caps()
        given = growing.caps
        for x, cap in enumerate(exact):
            short = float(cap)
            short = np.nextafter(short, 0) if Fraction(short) >= cap else short
            growing.boxes, growing.caps = [], np.where(np.arange(len(given)) == x, short, given)
            with pytest.raises(InvalidProof, match=rf"^symbol {x} is capped at {short:.12g}, but .* is proven$"):
                upper_bound(joint, notion, growing.made())
