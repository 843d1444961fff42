"""Statements about what is best, in C22, E23 and I21, against what is now computed as best."""

from __future__ import annotations

import numpy as np

from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.mechanisms.merging.partition import best_partition
from liftlib.mechanisms.merging.subset import subset_merging
from liftlib.mechanisms.reduction.bounded import extreme_reduction
from liftlib.mechanisms.reduction.linear import linear_reduction
from liftlib.mechanisms.response.bracket import BracketCertificate, bracket_response
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.notions import LIP, Chi2Lift, L1Lift


def _joints(n: int, n_secret: int = 5, n_public: int = 10) -> list[Joint]:
    return [Joint(p) for p in uniform_joints(n, n_secret, n_public, np.random.default_rng(0))]


def greedy_finds_the_best_partition() -> bool:
    for joint in _joints(100):
        greedy, best = (evaluate(joint, make(joint, LIP(0.5))).nmi for make in (subset_merging, best_partition))
        if best > greedy + 1e-9:
            return False
    return True


def merging_beside_the_l1_optimum() -> float:
    notion, shares = L1Lift(np.inf, 0.5), []
    for joint in _joints(20):
        merged, best = (
            evaluate(joint, make(joint, notion)).mutual_information for make in (subset_merging, optimal_response)
        )
        shares.append(merged / best)
    return float(np.mean(shares))


def merging_beside_the_chi2_optimum() -> float:
    notion, shares = Chi2Lift(np.inf, 0.5), []
    for joint in _joints(20):
        merged = evaluate(joint, subset_merging(joint, notion)).mutual_information
        shares.append(merged / bracket_response(joint, notion).certified(BracketCertificate).value)
    return float(np.mean(shares))


def extremes_suffice() -> bool:
    for joint in _joints(50, 7):
        after, printed = (evaluate(joint, make(joint, 0.5)) for make in (extreme_reduction, linear_reduction))
        if after.ldp > printed.ldp + 1e-9 or after.lip > printed.lip + 1e-9:
            return False
    return True
