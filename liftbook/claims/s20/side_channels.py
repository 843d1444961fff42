"""Claims of S20 sections VI and VIII-B about side channels."""

from __future__ import annotations

import time
from functools import lru_cache

import numpy as np
import pandas as pd

from liftbook import figures
from liftbook.claims.judging import long
from liftbook.claims.samples import drawn, optimum, utility
from liftbook.figures.s20.optimal import best_kernel, product_of_kernels
from liftbook.rows.making import S20_EPSILONS, S20_SHAPE
from liftlib.channel import Channel
from liftlib.datasets import uniform_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information
from liftlib.notions import LIP, SRLIP
from liftlib.response.optimal import optimal_response
from liftlib.response.product import ProductCertificate, product_response


@lru_cache(maxsize=2)
def _figure_4(seed: int) -> pd.DataFrame:
    """Return the relative utility and time of Theorem 4, by joint and budget."""
    rows = []
    for joint in drawn(10, 2, int(np.prod(S20_SHAPE)), seed):
        for eps in S20_EPSILONS:
            started = time.perf_counter()
            lip = optimal_response(joint, LIP(eps))
            between = time.perf_counter()
            product = product_of_kernels(joint, eps, S20_SHAPE)
            ended = time.perf_counter()
            rows.append(
                {
                    "eps": eps,
                    "share": utility(joint, product) / utility(joint, lip),
                    "speed": (ended - between) / (between - started),
                }
            )
    return pd.DataFrame(rows)


def lemma_2_holds(seed: int) -> bool:
    """Whether SRLIP leaks no less than LIP, on 200 random protocols on three bits."""
    rng = np.random.default_rng(seed)
    for p in uniform_joints(200, 2, 8, rng):
        joint, channel = Joint(p), Channel(rng.dirichlet(np.full(8, 0.5), size=8))
        if SRLIP(0, (2, 2, 2)).leakage(joint, channel) < LIP(0).leakage(joint, channel) - 1e-12:
            return False
    return True


def attribute_polytope_inequalities() -> float:
    """Return how many inequalities (24)-(26) the attribute with four values has."""
    joint = uniform_joint(2, 36, np.random.default_rng(0))
    halfspaces, _ = SRLIP(0.5, S20_SHAPE).attribute_halfspaces(joint, 2, 0.5)
    return float(4 * 4 + 4 * len(halfspaces))


def one_polytope_cannot_serve_several_priors() -> bool:
    """Whether a polytope of posteriors misses the optimum of S20 eqs. (23)-(26).

    On at least one of ten joints with attributes 2 x 3.
    """
    for seed in range(10):
        joint = uniform_joint(2, 6, np.random.default_rng(seed))
        for eps in S20_EPSILONS:
            notion = SRLIP(eps, (2, 3))
            product = product_response(joint, notion, repair=False).certified(ProductCertificate)
            for j, factor in enumerate(product.factors):
                halfspaces, marginal = notion.attribute_halfspaces(joint, j, eps / 2)
                best, _ = best_kernel(halfspaces * marginal, marginal)
                utilities = [mutual_information(marginal[:, None] * kernel) for kernel in (best.kernel, factor.kernel)]
                if utilities[1] < utilities[0] - 1e-9:
                    return True
    return False


def one_pair_cannot_serve_several_priors() -> bool:
    """Whether a kernel's (R, q) of S20 eq. (10) differs between any two priors.

    The priors are an attribute's given the other, on ten joints with attributes 2 x 3.
    """
    for seed in range(10):
        joint = uniform_joint(2, 6, np.random.default_rng(seed))
        product = product_response(joint, SRLIP(1.0, (2, 3)), repair=False).certified(ProductCertificate)
        kernel, table = product.factors[1].kernel, joint.p_x.reshape(2, 3)
        joints = (table / table.sum(axis=1, keepdims=True))[:, :, None] * kernel
        q = joints.sum(axis=1)
        if np.allclose(q[0], q[1]) and np.allclose(joints[0] / q[0], joints[1] / q[1]):
            return False
    return True


@long
def theorem_3_over_theorem_4(seed: int) -> float:
    return float(_figure_4(seed)["speed"].mean())


@long
def theorem_4_loses_a_sizable_share(margin: str, seed: int) -> bool:
    """Whether the product's mean loss relative to LIP is >= ``margin`` at each eps."""
    return bool((1 - _figure_4(seed).groupby("eps")["share"].mean() >= float(margin)).all())


@long
def theorem_4_least_loss(seed: int) -> float:
    """Return the product's least mean loss over four budgets, relative to LIP."""
    return float(1 - _figure_4(seed).groupby("eps")["share"].mean().max())


@lru_cache(maxsize=2)
def _srlip_shares(seed: int) -> pd.Series[float]:
    """Return exact SRLIP's mean share of the LIP optimum by budget."""
    rows = [
        {"eps": eps, "share": optimum(joint, SRLIP(eps, (2, 2, 3))) / optimum(joint, LIP(eps))}
        for joint in drawn(10, 2, 12, seed)
        for eps in S20_EPSILONS
    ]
    return pd.DataFrame(rows).groupby("eps")["share"].mean()


@long
def srlip_itself_loses_a_sizable_share(margin: str, seed: int) -> bool:
    """Whether optimal SRLIP's mean loss relative to LIP is >= ``margin`` at each eps."""
    return bool((1 - _srlip_shares(seed) >= float(margin)).all())


@long
def srlip_least_loss(seed: int) -> float:
    """Return optimal SRLIP's least mean loss over four budgets, relative to LIP."""
    return float(1 - _srlip_shares(seed).max())


def theorem_4_never_fails_at_random(seed: int) -> bool:
    """Whether Theorem 4's product satisfies SRLIP(1) on 500 random joints of two bits."""
    return int(figures.theorem_4_failures(500, [1.0], rng=seed).iloc[0]["broken"]) == 0


def theorem_4_holds() -> bool:
    """Whether the product satisfies SRLIP(1/2) for counts 7, 1, 2, 6 and 1, 1, 1, 5."""
    joint = Joint.from_counts([[7, 1, 2, 6], [1, 1, 1, 5]])
    notion = SRLIP(0.5, (2, 2))
    return notion.is_satisfied(joint, product_response(joint, notion, repair=False))
