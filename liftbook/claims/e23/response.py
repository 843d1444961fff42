"""Claims of E23 sections 3.1.2, 3.1.3 and 5 about the optimal response and subset
random response.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np
import pandas as pd

from liftbook.claims.curves import CURVE_TOL, figure
from liftbook.claims.judging import long
from liftbook.claims.samples import Shapes, Size, drawn, occupations
from liftbook.figures.e23.printed_response import algorithm_2, algorithm_2_endings
from liftbook.relatives.product_polytope import kernels_of, product_polytope_response
from liftbook.rows.making import E23_EPSILONS, E23_LARGE_EPSILONS
from liftlib.channel import Channel
from liftlib.datasets import uniform_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.merging.stack import Stack
from liftlib.merging.subset_merging import LoopName, merged_subsets, subset_merging
from liftlib.notions import ALIP, LDP, LIP
from liftlib.response.optimal import optimal_response
from mixproof.numerics import Matrix, Vector
from mixproof.polytope import vertices


def aorr_synthetic_eps_2(
    seed: int, size: Size = (100, 5, 17), eps: float = 2.0
) -> float:
    notion = ALIP.split(eps, 0.5)
    return float(
        np.mean(
            [
                evaluate(joint, optimal_response(joint, notion)).nmi
                for joint in drawn(*size, seed)
            ]
        )
    )


@cache
def _gain_of_the_product_polytope(
    shapes: Shapes = ((2, 2), (2, 3), (2, 4)),
    epsilons: Sequence[float] = (0.25, 0.5, 1.0, 2.0),
) -> float:
    """Return the largest gain from |X|(|X|-1) dimensions over |X|-1, in nats."""
    gains = []
    for c, n in shapes:
        joint = uniform_joint(c, n, np.random.default_rng(n))
        for eps in epsilons:
            channels = [
                route(joint, LDP(eps))
                for route in (product_polytope_response, optimal_response)
            ]
            wide, narrow = (
                evaluate(joint, channel).mutual_information for channel in channels
            )
            gains.append(wide - narrow)
    return max(gains)


def optimal_ldp_dimension(reading: str, size: Size = (1, 2, 3)) -> bool:
    """Whether S20's polytope has |X|(|X|-1) dimensions.

    With the reading "needed", whether the optimum needs all of them.
    """
    if reading == "needed":
        return _gain_of_the_product_polytope() > 1e-9
    joint = uniform_joint(*size[1:], np.random.default_rng(3))
    kernels = kernels_of(joint, LDP(1.0)).reshape(-1, joint.n_public**2)
    return bool(
        np.linalg.matrix_rank(kernels - kernels[0])
        == joint.n_public * (joint.n_public - 1)
    )


GROWING: Shapes = tuple((3, n) for n in (8, 12, 16, 20, 24))


def vertices_grow_exponentially(
    reading: str, shapes: Shapes = GROWING, eps: float = 0.3
) -> bool:
    """Whether the number of vertices grows by a constant factor per symbol.

    With the reading "at most", whether it is at most 2^|X|.
    """
    counts = []
    for c, n in shapes:
        joint = uniform_joint(c, n, np.random.default_rng(n))
        counts.append(len(vertices(LIP(eps).halfspaces(joint), interior=joint.p_x)))
    if reading == "at most":
        return all(
            count <= 2.0**n for count, (_, n) in zip(counts, shapes, strict=True)
        )
    ratios = [later / earlier for earlier, later in pairwise(counts)]
    # of a power of |X| the ratio over four more symbols falls towards 1; of an
    # exponential it stays
    return ratios[-1] >= ratios[0]


def largest_support_of_a_vertex(
    shapes: Shapes = GROWING[:3], eps: float = 0.3
) -> float:
    """Return the largest support of a vertex, for three secrets and |X| up to 16."""
    largest = 0
    for c, n in shapes:
        joint = uniform_joint(c, n, np.random.default_rng(n))
        supports = (vertices(LIP(eps).halfspaces(joint), interior=joint.p_x) > 0).sum(
            axis=1
        )
        largest = max(largest, int(supports.max()))
    return float(largest)


STRICT_BUDGETS = (0.05, 0.1, 0.25, 0.5)
PRINTED_BUDGETS = (0.25, 2.0, 4.0, 6.0, 8.0)


FIGURE_8, FIGURE_10 = figure("e23_8"), figure("e23_10", n_trials=10)


@long
def srr_within_budgets_large(seed: int) -> bool:
    rows = FIGURE_10.at(seed)
    leaks = pd.concat([rows.of("min_lift_leakage"), rows.of("max_lift_leakage")])
    satisfied = bool((rows.of("broken")["mean"] == 0).all())
    return satisfied and bool((leaks["mean"] <= leaks["eps"] / 2 + 1e-9).all())


@long
def algorithm_1_breaks_large(
    seed: int,
    size: Size = (10, 15, 200),
    epsilons: Sequence[float] = E23_LARGE_EPSILONS,
) -> float:
    """Return the number of Fig. 10's joints and budgets at which Algorithm 1, as
    printed, violates ALIP.
    """
    stack = Stack(uniform_joints(*size, np.random.default_rng(seed)))
    broken = 0
    for eps in epsilons:
        notion = ALIP.split(eps, 0.5)
        release = stack.release(merged_subsets(stack, notion, extend=False))
        broken += int(release.high_risk(notion).any(axis=1).sum())
    return float(broken)


SIDES = {"utility": [0], "leakage": [1, 2]}
"""Columns of :func:`_lead_of_algorithm_2`."""


def _utility_and_leakages(joint: Joint, channel: Channel) -> Vector:
    found = evaluate(joint, channel)
    return np.array([found.nmi, found.min_lift_leakage, found.max_lift_leakage])


def _lead_of_algorithm_2(
    joint: Joint, epsilons: Sequence[float] = E23_EPSILONS
) -> Matrix:
    """Return by how much Algorithm 2 exceeds Algorithm 1, both as printed.

    A row is a budget, with the NMI and both leakages; NaN where Algorithm 2 has no
    release.
    """
    leads = np.full((len(epsilons), 3), np.nan)
    for at, eps in enumerate(epsilons):
        notion = ALIP.split(eps, 0.65)
        printed = algorithm_2(joint, notion).channel
        if printed is None:
            continue
        merged = subset_merging(joint, notion, extend=False)
        leads[at] = _utility_and_leakages(joint, printed)
        leads[at] -= _utility_and_leakages(joint, merged)
    return leads


@lru_cache(maxsize=32)
def _mean_leads(seed: int, size: Size = (100, 5, 17)) -> Matrix:
    """Return the means over the joints on which Algorithm 2 has a release."""
    leads = [_lead_of_algorithm_2(joint) for joint in drawn(*size, seed)]
    means: Matrix = np.nanmean(leads, axis=0)
    return means


@long
def printed_srr_above_merging(side: str, seed: int) -> bool:
    """Whether Algorithm 2 has no less "utility", or "leakage", than Algorithm 1 on
    average, both as printed.
    """
    return bool((_mean_leads(seed)[:, SIDES[side]] >= -CURVE_TOL).all())


@cache
def _lead_on_adult(way: str) -> Matrix:
    return _lead_of_algorithm_2(occupations(way))


def printed_srr_above_merging_adult(which: str) -> bool:
    """Whether the same holds on Adult wherever Algorithm 2 has a release; "utility,
    Husband".
    """
    side, way = which.split(", ")
    leads = _lead_on_adult(way)[:, SIDES[side]]
    released = ~np.isnan(leads[:, 0])
    return bool(released.any() and (leads[released] >= -CURVE_TOL).all())


@long
def responses_take_longer_than_merging(seed: int) -> bool:
    rows = FIGURE_8.at(seed)
    total = {
        name: float(rows.curve(name, "seconds").sum())
        for name in ("AORR", "SRR", "subset merging")
    }
    return min(total["AORR"], total["SRR"]) > total["subset merging"]


def subsets_are_ever_united(
    loop: LoopName,
    seed: int,
    size: Size = (200, 5, 17),
    epsilons: Sequence[float] = STRICT_BUDGETS,
) -> bool:
    """Whether some subset of Algorithm 1 allows no response at strict budgets.

    A subset of several symbols allows a response exactly if it satisfies the notion
    when merged; 200 joints 5 x 17.
    """
    stack = Stack(uniform_joints(*size, np.random.default_rng(seed)))
    for eps in epsilons:
        notion = ALIP.split(eps, 0.65)
        subset_of = merged_subsets(stack, notion, loop=loop, extend=False)
        broken = stack.release(subset_of).high_risk(notion).any(axis=1)
        if (broken & (subset_of.max(axis=1) > 0)).any():
            return True
    return False


def a_subset_may_allow_no_response(
    seed: int, size: Size = (200, 5, 17), epsilons: Sequence[float] = STRICT_BUDGETS
) -> bool:
    """Whether some random high-risk subset allows no response at strict budgets.

    A subset of several symbols allows a response exactly if it satisfies the notion
    when merged; 200 joints 5 x 17.
    """
    source = np.random.default_rng(seed)
    for p in uniform_joints(*size, source):
        p_x, p_s = p.sum(axis=0), p.sum(axis=1)
        for eps in epsilons:
            notion = ALIP.split(eps, 0.65)
            risky = np.flatnonzero(~notion.kept_columns(p / p_x / p_s[:, None], p_s))
            if len(risky) > 2:
                subset = source.choice(
                    risky, source.integers(2, len(risky)), replace=False
                )
                merged = (
                    p[:, subset].sum(axis=1, keepdims=True)
                    / p_x[subset].sum()
                    / p_s[:, None]
                )
                if not notion.kept_columns(merged, p_s)[0]:
                    return True
    return False


@lru_cache(maxsize=2)
def _endings(
    seed: int, size: Size = (100, 5, 17), epsilons: Sequence[float] = PRINTED_BUDGETS
) -> pd.DataFrame:
    n_trials, n_secret, n_public = size
    rows = algorithm_2_endings(
        n_trials, epsilons, n_secret=n_secret, n_public=n_public, beside=False, rng=seed
    )
    return rows.set_index("eps")


@long
def algorithm_2_share(which: str, seed: int) -> float:
    """Return the share of 100 joints with an ending of Algorithm 2; "no response, 4".

    The ending may also be "unions" or "broken", and the budget "any": the largest share
    over five budgets.
    """
    ending, eps = which.split(", ")
    shares = _endings(seed)[ending]
    return float(shares.max() if eps == "any" else shares[float(eps)])
