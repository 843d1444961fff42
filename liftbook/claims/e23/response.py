"""What E23 sections 3.1.2 and 3.1.3 print of the optimal response."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd

from liftbook.claims.e23.figures import HALF, RELAXED, RESPONSE, STRICT
from liftbook.claims.figures import MEAN_TOL, Figure, above_one, never_below, on_adult
from liftbook.claims.judging import long
from liftbook.claims.samples import drawn, occupations
from liftbook.relatives.product_polytope import kernels_of, product_polytope_response
from liftbook.rows.merging import alip_name
from liftbook.rows.scales import E23_LAMBDAS as LAMBDAS
from liftlib.datasets import uniform_joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import ALIP, LDP, LIP
from liftlib.response.optimal import optimal_response
from mixproof.polytope import vertices

PRINTED_WATCHDOG = Figure("e23_2", 100, extend=False)
PRIVATE_WATCHDOG = Figure("e23_2", 100, extend=True)
"""The watchdog, printed or kept private, on the joints of the response's figure."""

LEAKAGES = ("min_lift_leakage", "max_lift_leakage")


def aorr_synthetic_eps_2(seed: int) -> float:
    notion = ALIP.split(2.0, 0.5)
    return float(np.mean([evaluate(one, optimal_response(one, notion)).nmi for one in drawn(100, 5, 17, seed)]))


def aorr_adult_eps_2(without: str) -> float:
    joint = occupations(without)
    return evaluate(joint, optimal_response(joint, ALIP.split(2.0, 0.5))).nmi


@cache
def _gain_of_the_product_polytope() -> float:
    """Return by how much the optimum in |X|(|X|-1) dimensions is ahead of that in |X|-1, nats."""
    gains = []
    for n in (2, 3, 4):
        joint = uniform_joint(2, n, np.random.default_rng(n))
        for eps in (0.25, 0.5, 1.0, 2.0):
            both = [route(joint, LDP(eps)) for route in (product_polytope_response, optimal_response)]
            wide, narrow = (evaluate(joint, channel).mutual_information for channel in both)
            gains.append(wide - narrow)
    return max(gains)


def optimal_ldp_dimension(reading: str) -> bool:
    """Whether S20's polytope has |X|(|X|-1) dimensions, or whether the optimum needs that many."""
    if reading == "needed":
        return _gain_of_the_product_polytope() > 1e-9
    joint = uniform_joint(2, 3, np.random.default_rng(3))
    kernels = kernels_of(joint, LDP(1.0)).reshape(-1, joint.n_public**2)
    return bool(np.linalg.matrix_rank(kernels - kernels[0]) == joint.n_public * (joint.n_public - 1))


def vertices_grow_exponentially(reading: str) -> bool:
    """Whether the number of vertices is at most exponential in |X|, or grows by a constant factor a symbol."""
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
    """Return the most non-zero entries of a vertex with three secrets and up to 16 symbols."""
    largest = 0
    for n in (8, 12, 16):
        joint = uniform_joint(3, n, np.random.default_rng(n))
        largest = max(largest, int((vertices(LIP(0.3).halfspaces(joint), interior=joint.p_x) > 0).sum(axis=1).max()))
    return float(largest)


@long
def aorr_relaxation_gains_synthetic(seed: int) -> bool:
    return above_one(RESPONSE.at(seed).curve(RELAXED) - RESPONSE.at(seed).curve(HALF))


def aorr_relaxation_gains_adult(without: str) -> bool:
    return above_one(_on_adult(without, RELAXED) - _on_adult(without, HALF))


def aorr_relaxation_gains_on_average(without: str) -> bool:
    """Whether lambda 0.65 gains over 1/2 in the mean over the budgets above 1."""
    gain = _on_adult(without, RELAXED) - _on_adult(without, HALF)
    return bool(gain[gain.index > 1].mean() > 0)


def aorr_relaxation_behind_on_adult(without: str) -> float:
    """Return by how much lambda 0.65 is behind 1/2, the most over the budgets above 1, NMI."""
    loss = _on_adult(without, HALF) - _on_adult(without, RELAXED)
    return float(loss[loss.index > 1].max())


def aorr_relaxation_behind_up_to(without: str) -> float:
    """Return the largest budget above 1 at which lambda 0.65 is behind 1/2; 0 where there is none."""
    gain = _on_adult(without, RELAXED) - _on_adult(without, HALF)
    behind = gain[(gain.index > 1) & (gain < -MEAN_TOL)]
    return float(max(behind.index, default=0.0))


@long
def aorr_strictness_loses_synthetic(seed: int) -> bool:
    return never_below(RESPONSE.at(seed).curve(HALF), RESPONSE.at(seed).curve(STRICT))


def aorr_strictness_loses_adult(without: str) -> bool:
    return never_below(_on_adult(without, HALF), _on_adult(without, STRICT))


def _on_adult(without: str, series: str) -> pd.Series[float]:
    return on_adult("e23_5", without).curve(series)


WATCHDOGS = {"printed": PRINTED_WATCHDOG, "private": PRIVATE_WATCHDOG}


def _above(watchdog: str, measure: str, seed: int) -> bool:
    other = WATCHDOGS[watchdog].at(seed)
    return all(
        never_below(RESPONSE.at(seed).curve(alip_name(lam), measure), other.curve(alip_name(lam), measure))
        for lam in LAMBDAS
    )


@long
def aorr_above_watchdog(watchdog: str, seed: int) -> bool:
    return _above(watchdog, "nmi", seed)


@long
def aorr_behind_watchdog(watchdog: str, seed: int) -> float:
    """Return by how much the watchdog is ahead of the optimal response, the most over budgets and shares, NMI."""
    other = WATCHDOGS[watchdog].at(seed)
    return max(float((other.curve(alip_name(lam)) - RESPONSE.at(seed).curve(alip_name(lam))).max()) for lam in LAMBDAS)


@long
def aorr_leaks_more_than_watchdog(watchdog: str, seed: int) -> bool:
    return all(_above(watchdog, measure, seed) for measure in LEAKAGES)


@long
def aorr_keeps_alip(seed: int) -> bool:
    return all(bool((RESPONSE.at(seed).curve(alip_name(lam), "broken") == 0).all()) for lam in LAMBDAS)
