"""Claims of E23 sections 3.1.2 and 3.1.3 about the optimal response."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np

from liftbook.claims.samples import drawn, occupations
from liftbook.relatives.product_polytope import kernels_of, product_polytope_response
from liftlib.datasets import uniform_joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import ALIP, LDP, LIP
from liftlib.response.optimal import optimal_response
from mixproof.polytope import vertices


def aorr_synthetic_eps_2(seed: int) -> float:
    notion = ALIP.split(2.0, 0.5)
    return float(np.mean([evaluate(joint, optimal_response(joint, notion)).nmi for joint in drawn(100, 5, 17, seed)]))


def aorr_adult_eps_2(without: str) -> float:
    joint = occupations(without)
    return evaluate(joint, optimal_response(joint, ALIP.split(2.0, 0.5))).nmi


@cache
def _gain_of_the_product_polytope() -> float:
    """Return the largest gain from |X|(|X|-1) dimensions over |X|-1, in nats."""
    gains = []
    for n in (2, 3, 4):
        joint = uniform_joint(2, n, np.random.default_rng(n))
        for eps in (0.25, 0.5, 1.0, 2.0):
            channels = [route(joint, LDP(eps)) for route in (product_polytope_response, optimal_response)]
            wide, narrow = (evaluate(joint, channel).mutual_information for channel in channels)
            gains.append(wide - narrow)
    return max(gains)


def optimal_ldp_dimension(reading: str) -> bool:
    """Whether S20's polytope has |X|(|X|-1) dimensions.

    With the reading "needed", whether the optimum needs all of them.
    """
    if reading == "needed":
        return _gain_of_the_product_polytope() > 1e-9
    joint = uniform_joint(2, 3, np.random.default_rng(3))
    kernels = kernels_of(joint, LDP(1.0)).reshape(-1, joint.n_public**2)
    return bool(np.linalg.matrix_rank(kernels - kernels[0]) == joint.n_public * (joint.n_public - 1))


def vertices_grow_exponentially(reading: str) -> bool:
    """Whether the number of vertices grows by a constant factor per symbol.

    With the reading "at most", whether it is at most 2^|X|.
    """
    counts = []
    for n in (8, 12, 16, 20, 24):
        joint = uniform_joint(3, n, np.random.default_rng(n))
        counts.append(len(vertices(LIP(0.3).halfspaces(joint), interior=joint.p_x)))
    if reading == "at most":
        return all(count <= 2.0**n for count, n in zip(counts, (8, 12, 16, 20, 24), strict=True))
    ratios = [later / earlier for earlier, later in pairwise(counts)]
    # of a power of |X| the ratio over four more symbols falls towards 1; of an exponential it stays
    return ratios[-1] >= ratios[0]


def largest_support_of_a_vertex() -> float:
    """Return the largest support of a vertex, for three secrets and |X| up to 16."""
    largest = 0
    for n in (8, 12, 16):
        joint = uniform_joint(3, n, np.random.default_rng(n))
        largest = max(largest, int((vertices(LIP(0.3).halfspaces(joint), interior=joint.p_x) > 0).sum(axis=1).max()))
    return float(largest)
