"""What S20 prints: optimal LDP and LIP, SRLIP, GRR, OUE and conditional reporting."""

from __future__ import annotations

import numpy as np

from liftlib.datasets import adult, uniform_joint
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import entropy
from liftlib.mechanisms.family import calibrate
from liftlib.mechanisms.noise.randomised import randomised_response
from liftlib.mechanisms.noise.reporting import conditional_reporting
from liftlib.mechanisms.noise.unary import unary_encoding
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.mechanisms.response.product import product_response
from liftlib.notions import LDP, LIP, SRLIP


def _optimal(joint: Joint, notion: LDP | LIP) -> float:
    return evaluate(joint, optimal_response(joint, notion)).mutual_information


def _small() -> list[Joint]:
    return [uniform_joint(2, 5, np.random.default_rng(seed)) for seed in range(10)]


def lip_optimum_at_least_ldp() -> bool:
    """LDP(eps) implies LIP(eps): over the ten joints 2 x 5 and four budgets of Fig. 3a."""
    return all(_optimal(j, LIP(eps)) >= _optimal(j, LDP(eps)) - 1e-9 for j in _small() for eps in (0.5, 1.0, 1.5, 2.0))


def half_lip_optimum_at_most_ldp() -> bool:
    """LIP(eps/2) implies LDP(eps): over the same joints and budgets, Fig. 3b."""
    budgets = (0.5, 1.0, 1.5, 2.0)
    return all(_optimal(j, LIP(eps / 2)) <= _optimal(j, LDP(eps)) + 1e-9 for j in _small() for eps in budgets)


def utility_gap_is_low() -> float:
    """Return the mean share of the LIP optimum that LDP(eps) loses, over the same joints and budgets."""
    losses = [1 - _optimal(j, LDP(eps)) / _optimal(j, LIP(eps)) for j in _small() for eps in (0.5, 1.0, 1.5, 2.0)]
    return float(np.mean(losses))


def marital_status_values() -> float:
    return float(adult("marital-status", "education").n_secret)


def education_values() -> float:
    return float(adult("marital-status", "education").n_public)


def occupation_values() -> float:
    return float(adult("occupation", "sex").n_secret)


def unary_encoding_tends_to_half() -> float:
    """Return OUE's mutual information at alpha = inf as a share of H(X), X = education, all 65,536 outputs."""
    joint = adult("marital-status", "education")
    return evaluate(joint, unary_encoding(joint, np.inf)).mutual_information / entropy(joint.p_x)


def reporting_between_optimum_and_unary() -> bool:
    """Whether GRR and CR lie between OUE and the optimum: S = marital status, X = relationship, eps 0.5 to 2."""
    joint = adult("marital-status", "relationship")
    for eps in (0.5, 1.0, 1.5, 2.0):
        notion = LIP(eps)
        utility = {
            make: evaluate(joint, make(joint, calibrate(make, joint, notion))).mutual_information
            for make in (randomised_response, unary_encoding, conditional_reporting)
        }
        best = _optimal(joint, notion)
        for make in (randomised_response, conditional_reporting):
            if not utility[unary_encoding] - 1e-9 <= utility[make] <= best + 1e-9:
                return False
    return True


def conditional_reporting_is_ldp() -> bool:
    joints = _small()
    return all(LDP(alpha).is_kept(j, conditional_reporting(j, alpha)) for j in joints for alpha in (0.1, 1.0, 5.0))


def theorem_4_holds() -> bool:
    """Whether the product of protocols is SRLIP(1/2) for counts (7, 1, 2, 6) and (1, 1, 1, 5) on two bits."""
    joint = Joint.from_counts([[7, 1, 2, 6], [1, 1, 1, 5]])
    notion = SRLIP(0.5, (2, 2))
    return notion.is_kept(joint, product_response(joint, notion, repair=False))
