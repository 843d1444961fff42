"""The checker in floating point against the exact one, on random proofs."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from random_trees import Growing, exact_bounds, exact_caps, scaled

import liftlib as ll
from liftlib import exact
from liftlib.errors import InvalidProof
from mixproof.checker import _Checker, upper_bound
from mixproof.numerics import HALFSPACE_SLACK
from mixproof.proof import Proof

CLOSE = Fraction(1, 10**10)
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


@pytest.fixture(autouse=True)
def same_slack(monkeypatch):
    """Both checkers allow 1.01e-9, where the exact one takes 1.005e-9, so that only rounding is between them."""
    monkeypatch.setattr(exact, "SLACK", math.ceil(Fraction(HALFSPACE_SLACK) * exact.ONE))


@pytest.mark.parametrize("meets", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_the_bound_is_never_below_the_exact_one_and_above_it_by_rounding_alone(seed, meets):
    """Where levels meet, only the checker in floating point visits the boxes of the width of its margin."""
    rng = np.random.default_rng(seed)
    for joint, notion in JOINTS:
        halfspaces = scaled(notion.halfspaces(joint))
        proof = Growing(rng, halfspaces, joint.p_x, meets=meets).made()
        z, upper = exact_bounds(joint.p_x, halfspaces, proof)
        above = Fraction(upper_bound(joint.p_x, halfspaces, proof)) - upper
        # the price by itself too, for what is added to the sum at the end could hide that it is not
        below = z - Fraction(_Checker(joint.p_x, halfspaces, proof).least())
        assert min(above, below) > 0
        assert meets or max(above, below) <= CLOSE


@pytest.mark.parametrize("size", [0.1, 1e4])
@pytest.mark.parametrize("n", [2, 17, 50, 200])
def test_a_proof_of_nothing_is_rounded_up_whatever_the_number_of_symbols(n, size):
    joint, rng = ll.datasets.uniform_joint(2, n, np.random.default_rng(n)), np.random.default_rng(n)
    one = {name: [value] for name, value in {"parent": -1, "child": 0, "kind": 0, "symbol": 0, "level": 0.0}.items()}
    for _ in range(10):
        proof = Proof(
            upper=0.0, dual=-size * (1 + rng.random(n)), order=np.arange(n), sides=np.empty((0, 2), dtype=int),
            caps=np.ones(n), cap_weights=np.empty((n, 0)), weights=[[size]], points=np.empty((0, n)), **one,
        )  # fmt: skip
        _, exactly = exact_bounds(joint.p_x, np.empty((0, n)), proof)
        assert 0 < Fraction(upper_bound(joint.p_x, np.empty((0, n)), proof)) - exactly <= CLOSE / 10 * (1 + int(size))


@pytest.mark.parametrize("seed", range(3))
def test_many_large_weights_that_cancel(seed):
    """Their sums are rounded at their size, not at that of what is left of them."""
    rng, (joint, notion) = np.random.default_rng(200 + seed), JOINTS[0]
    halfspaces = scaled(notion.halfspaces(joint))
    proof = Growing(rng, halfspaces, joint.p_x, depth=1, sides=60).made(size=1e3)
    _, exactly = exact_bounds(joint.p_x, halfspaces, proof)
    assert 0 < Fraction(upper_bound(joint.p_x, halfspaces, proof)) - exactly <= Fraction(1, 10**7)


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
    rng = np.random.default_rng(100 + seed)
    for joint, notion in JOINTS[:4]:
        halfspaces = scaled(notion.halfspaces(joint))
        growing = Growing(rng, halfspaces, joint.p_x, depth=1)
        caps = exact_caps(halfspaces, growing.proof)
        given = growing.caps
        for x, cap in enumerate(caps):
            short = float(cap)
            short = np.nextafter(short, 0) if Fraction(short) >= cap else short
            growing.boxes, growing.caps = [], np.where(np.arange(len(given)) == x, short, given)
            with pytest.raises(InvalidProof, match=rf"^symbol {x} is capped at {short:.12g}, but .* is proven$"):
                upper_bound(joint.p_x, halfspaces, growing.made())


def test_caps_by_large_weights_that_cancel():
    joint, refused = JOINTS[0][0], 0
    halfspaces = scaled(ll.LIP(1e-6).halfspaces(joint))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        growing = Growing(rng, halfspaces, joint.p_x, depth=0, sides=60)
        part = rng.exponential(300.0, size=(joint.n_public, 10, 1, 3))
        weights = np.concatenate([part, part], axis=2).reshape(joint.n_public, 60)
        growing.proof = replace(
            growing.proof, sides=[[k % 6, -1] for k in range(60)], digest="",
            cap_weights=weights + rng.exponential(0.02, size=weights.shape),
        )  # fmt: skip
        for x, cap in enumerate(exact_caps(halfspaces, growing.proof)):
            if cap < 1:
                short = float(cap)
                short = np.nextafter(short, 0) if Fraction(short) >= cap else short
                growing.boxes, growing.caps = [], np.where(np.arange(joint.n_public) == x, short, 1.0)
                with pytest.raises(InvalidProof, match=rf"^symbol {x} is capped at "):
                    upper_bound(joint.p_x, halfspaces, growing.made())
                refused += 1
    assert refused > 10


def test_caps_are_rounded_by_the_terms_of_their_own_symbol():
    """The weights of one symbol cancel at another, where their terms are large."""
    p, small = np.array([0.3, 0.35, 0.35]), 1e-6 * np.array([1, 1, -2])
    apart = np.array([0.2, -0.2, 0])
    joint = ll.Joint(np.column_stack([p + small, p + apart - small / 2, p - apart - small / 2]) / 3)
    halfspaces = scaled(ll.LIP(1e-6).halfspaces(joint))
    assert np.abs(halfspaces[3:5, 0]).max() < 1e-5 < 0.5 < np.abs(halfspaces[3:5, 1:]).min()
    for seed in range(10):
        rng = np.random.default_rng(seed)
        growing = Growing(rng, halfspaces, joint.p_x, depth=0, sides=60)
        parts = rng.dirichlet(np.ones(30), size=2) * 1.6e5 * np.array([[p[0] / p[1]], [1.0]])
        weights = np.zeros((3, 60))
        weights[0] = parts.T.ravel()
        growing.proof = replace(
            growing.proof, sides=[[3 + k % 2, -1] for k in range(60)], digest="", cap_weights=weights
        )
        cap = exact_caps(halfspaces, growing.proof)[0]
        assert 0.7 < cap < 0.8  # at the other two, where it is what is left of 1e5
        short = float(cap)
        short = np.nextafter(short, 0) if Fraction(short) >= cap else short
        growing.boxes, growing.caps = [], np.array([short, 1.0, 1.0])
        with pytest.raises(InvalidProof, match=r"^symbol 0 is capped at "):
            upper_bound(joint.p_x, halfspaces, growing.made())
