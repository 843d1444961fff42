"""What E23 sections 3.1.2 and 3.1.3 print of the optimal response."""

from __future__ import annotations

from functools import cache

import numpy as np

from liftbook.claims.e23.figures import HALF, RELAXED, RESPONSE, RESPONSE_ADULT, STRICT, TRIALS
from liftbook.claims.figures import Figure, above_one, never_below
from liftbook.claims.judging import Spread
from liftbook.rows.merging import alip_name
from liftbook.rows.scales import E23_LAMBDAS as LAMBDAS
from liftbook.rows.scales import E23_RELATIONSHIPS
from liftlib.datasets import adult, uniform_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.notions import ALIP, LDP, LIP
from liftlib.solvers.polytope import vertices

RELAXATION = Figure("e23_4", 100, (1.25, 1.5, 2.0, 3.0, 4.0, 8.0), (0.5, 0.65))
PRINTED_WATCHDOG = Figure("e23_2", TRIALS, extend=False)
PRIVATE_WATCHDOG = Figure("e23_2", TRIALS, extend=True)
"""The watchdog, printed or kept private, on the joints of the response's figure."""


@cache
def _aorr_means() -> list[float]:
    """Return the mean NMI of the optimal response on 100 joints 5 x 17, lambda 1/2, eps 2, for each of 10 seeds."""
    notion = ALIP.split(2.0, 0.5)
    means = []
    for seed in range(10):
        joints = [Joint(p) for p in uniform_joints(100, 5, 17, np.random.default_rng(seed))]
        means.append(float(np.mean([evaluate(joint, optimal_response(joint, notion)).nmi for joint in joints])))
    return means


def aorr_synthetic_eps_2() -> Spread:
    return Spread(min(_aorr_means()), max(_aorr_means()))


def aorr_adult_eps_2() -> float:
    joint = adult("relationship", "occupation", leave_out=E23_RELATIONSHIPS)
    return evaluate(joint, optimal_response(joint, ALIP.split(2.0, 0.5))).nmi


def optimal_ldp_needs_the_product_polytope() -> bool:
    """Whether any optimum in |X|(|X|-1) dimensions beats that in |X|-1."""
    gains = []
    for n in (2, 3, 4):
        joint = uniform_joint(2, n, np.random.default_rng(n))
        for eps in (0.25, 0.5, 1.0, 2.0):
            both = [optimal_response(joint, LDP(eps), method=method) for method in ("product-polytope", "auto")]
            wide, narrow = (evaluate(joint, channel).mutual_information for channel in both)
            gains.append(wide - narrow)
    return max(gains) > 1e-9


def vertices_can_have_more_nonzeros_than_secrets() -> bool:
    """Whether the number of vertices can be exponential in |X|: with supports of at most |S| it is a polynomial."""
    largest = 0
    for n in (8, 12, 16):
        joint = uniform_joint(3, n, np.random.default_rng(n))
        largest = max(largest, int((vertices(LIP(0.3).halfspaces(joint), interior=joint.p_x) > 0).sum(axis=1).max()))
    return largest > 3


def aorr_relaxation_gains_synthetic() -> bool:
    return never_below(RELAXATION.curve(RELAXED), RELAXATION.curve(HALF), slack=0)


def aorr_relaxation_gains_adult() -> bool:
    return above_one(RESPONSE_ADULT.curve(RELAXED) - RESPONSE_ADULT.curve(HALF), slack=0)


def aorr_strictness_loses_synthetic() -> bool:
    return never_below(RESPONSE.curve(HALF), RESPONSE.curve(STRICT), slack=0)


def aorr_strictness_loses_adult() -> bool:
    return never_below(RESPONSE_ADULT.curve(HALF), RESPONSE_ADULT.curve(STRICT), slack=0)


def _above(watchdog: Figure, measure: str) -> bool:
    return all(
        never_below(RESPONSE.curve(alip_name(lam), measure), watchdog.curve(alip_name(lam), measure)) for lam in LAMBDAS
    )


def aorr_above_printed_watchdog() -> bool:
    return _above(PRINTED_WATCHDOG, "nmi")


def aorr_above_private_watchdog() -> bool:
    return _above(PRIVATE_WATCHDOG, "nmi")


def aorr_leaks_more_than_private_watchdog() -> bool:
    return all(_above(PRIVATE_WATCHDOG, measure) for measure in ("min_lift_leakage", "max_lift_leakage"))


def aorr_keeps_alip() -> bool:
    return all(bool((RESPONSE.curve(alip_name(lam), "broken") == 0).all()) for lam in LAMBDAS)
