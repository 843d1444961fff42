"""What random trees of boxes prove, against points of the polytope."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from random_trees import Growing, problem_of

import liftlib as ll
from liftlib import exact
from mixproof.numerics import entropies
from mixproof.polytope import vertices

JOINTS = [
    (ll.Joint.from_counts([[3, 2, 1], [1, 4, 2], [2, 2, 7]]), ll.ALIP(0.3, 0.2)),
    (ll.Joint.from_counts([[60, 2, 0], [1, 30, 7]]), ll.LIP(0.5)),
    (ll.Joint.from_counts([[1, 99, 4], [9, 1, 0]]), ll.LDP(1.0)),
    (ll.Joint.from_counts([[1, 2, 3, 4], [4, 3, 2, 1]]), ll.ALIP(np.inf, 0.1)),
    (ll.Joint.from_counts([[5, 1], [2, 4]]), ll.LIP(np.inf)),
    (ll.Joint.from_counts([[2, 3]]), ll.LIP(0.1)),
    (ll.Joint.from_counts([[2], [3]]), ll.LIP(0.1)),
    (ll.Joint(np.diag([0.2, 0.3, 0.5])), ll.LIP(0.9)),
]


def points_of(rng, halfspaces, n):
    """The vertices of the polytope, and 2,000 points between them."""
    corners = vertices(halfspaces if len(halfspaces) else np.zeros((1, n)))
    shares = rng.dirichlet(np.full(len(corners), 0.3), size=2000)
    return np.vstack([corners, shares @ corners])


@pytest.mark.parametrize("meets", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_no_point_is_cheaper_than_what_a_tree_proves(seed, meets):
    rng = np.random.default_rng(seed)
    for joint, notion in JOINTS:
        halfspaces = notion.halfspaces(joint)
        n = joint.n_public
        proof = Growing(rng, halfspaces, n, meets=meets).made()
        prices = [
            box.z
            for box in exact.steps(problem_of(joint.p_x, halfspaces, proof))
            if isinstance(box, exact.Box)
        ]
        least = min(
            (price for price in prices if price is not None), default=Fraction(0)
        )
        points = points_of(rng, halfspaces, n)
        assert (entropies(points) - points @ proof.dual >= float(least) - 1e-9).all()


@pytest.mark.parametrize("seed", range(25))
def test_a_cap_that_a_point_exceeds_is_refused(seed):
    rng, refused = np.random.default_rng(seed), 0
    for joint, notion in JOINTS[:4]:
        halfspaces = notion.halfspaces(joint)
        most = points_of(rng, halfspaces, joint.n_public).max(axis=0)
        proof = Growing(rng, halfspaces, joint.n_public, depth=1).made()
        for x, cap in enumerate(most):
            caps = proof.caps.copy()
            caps[x] = cap - 1e-6
            short = problem_of(
                joint.p_x, halfspaces, replace(proof, caps=caps, digest="")
            )
            with pytest.raises(exact.NotProven):
                exact.check(short)
            refused += 1
    assert refused


def test_the_trees_are_of_every_kind():
    rng, kinds, implied = np.random.default_rng(0), set(), 0
    for _ in range(20):
        joint, notion = JOINTS[0]
        proof = Growing(rng, notion.halfspaces(joint), joint.n_public).made()
        kinds |= set(proof.kind.tolist())
        implied += int(proof.boxes < 2 * (proof.kind == 2).sum() + 1)
    assert kinds == {0, 1, 2}
    assert implied


@pytest.mark.parametrize("size", [0.1, 1e4])
@pytest.mark.parametrize("n", [2, 17, 200])
def test_a_tree_of_one_box_by_hand(n, size):
    """With e = size and duals below -size, no term -t log t - (dual + e) t is negative,
    and it is 0 at t = 0.
    """
    rng, none = np.random.default_rng(n), np.empty((0, n))
    joint = ll.datasets.uniform_joint(2, n, rng)
    dual = -size * (1 + rng.random(n))
    proof = replace(
        Growing(rng, none, n, depth=0).made(), dual=dual, weights=[[size]], digest=""
    )
    *_, box, result = exact.steps(problem_of(joint.p_x, none, proof))
    assert box.z == Fraction(size)
    assert float(result.upper) == pytest.approx(
        float(entropies(joint.p_x[None])[0]), rel=1e-13
    )
