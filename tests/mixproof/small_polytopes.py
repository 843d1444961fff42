"""Polytopes of few coordinates for the tests of trees, and what their rows cost."""

import math

import numpy as np

import liftlib as ll
from mixproof.constraints import two_sided
from mixproof.problem import Problem


def entropy_at(t):
    return -t * math.log(t) if t > 0 else 0.0


def prices(rows, dual):
    """H(v) - dual v of each row, by Python's own sums."""
    return np.array(
        [
            sum(map(entropy_at, row)) - sum(map(math.prod, zip(row, dual, strict=True)))
            for row in rows
        ]
    )


def polytopes(count=12, seed=0, largest=6):
    """Halfspaces of a notion, a point inside, the slackened problem, and its duals."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        joint = ll.Joint(
            ll.datasets.uniform_joints(
                1, int(rng.integers(2, 5)), int(rng.integers(2, largest + 1)), rng
            )[0]
        )
        notion = (
            ll.ALIP(*rng.uniform(0.1, 1.0, 2)) if rng.random() < 0.7 else ll.LDP(0.8)
        )
        g = notion.halfspaces(joint)
        slack = np.full(len(g), 1e-9)
        yield (
            g,
            joint.p_x,
            Problem.of(two_sided(g), slack, joint.p_x),
            -np.log(joint.p_x) * rng.uniform(0.3, 1.0, joint.n_public),
            rng,
        )
