"""Claims of S20 sections VI and VIII-B about side channels."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from liftbook import figures
from liftbook.claims.judging import long
from liftbook.claims.samples import Size, drawn, optimum, utility
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
def _figure_4(
    seed: int,
    n_trials: int = 10,
    n_secret: int = 2,
    shape: tuple[int, ...] = S20_SHAPE,
    epsilons: Sequence[float] = S20_EPSILONS,
) -> pd.DataFrame:
    """Return the relative utility and time of Theorem 4, by joint and budget."""
    rows = []
    for joint in drawn(n_trials, n_secret, math.prod(shape), seed):
        for eps in epsilons:
            started = time.perf_counter()
            lip = optimal_response(joint, LIP(eps))
            between = time.perf_counter()
            product = product_of_kernels(joint, eps, shape)
            ended = time.perf_counter()
            rows.append(
                {
                    "eps": eps,
                    "share": utility(joint, product) / utility(joint, lip),
                    "speed": (ended - between) / (between - started),
                }
            )
    return pd.DataFrame(rows)


def lemma_2_holds(seed: int, size: Size = (200, 2, 8)) -> bool:
    """Whether SRLIP leaks no less than LIP, on 200 random protocols on three bits."""
    rng = np.random.default_rng(seed)
    for p in uniform_joints(*size, rng):
        joint, channel = Joint(p), Channel(rng.dirichlet(np.full(8, 0.5), size=8))
        if (
            SRLIP(0, (2, 2, 2)).leakage(joint, channel)
            < LIP(0).leakage(joint, channel) - 1e-12
        ):
            return False
    return True


def attribute_polytope_inequalities(
    n_secret: int = 2, shape: tuple[int, ...] = S20_SHAPE
) -> float:
    """Return how many inequalities (24)-(26) the attribute with four values has."""
    joint = uniform_joint(n_secret, math.prod(shape), np.random.default_rng(0))
    halfspaces, _ = SRLIP(0.5, shape).attribute_halfspaces(joint, 2, 0.5)
    return float(4 * 4 + 4 * len(halfspaces))


def one_polytope_cannot_serve_several_priors(
    size: Size = (10, 2, 6), epsilons: Sequence[float] = S20_EPSILONS
) -> bool:
    """Whether a polytope of posteriors misses the optimum of S20 eqs. (23)-(26).

    On at least one of ten joints with attributes 2 x 3.
    """
    n, n_secret, n_public = size
    for seed in range(n):
        joint = uniform_joint(n_secret, n_public, np.random.default_rng(seed))
        for eps in epsilons:
            notion = SRLIP(eps, (2, 3))
            product = product_response(joint, notion, repair=False).certified(
                ProductCertificate
            )
            for j, factor in enumerate(product.factors):
                halfspaces, marginal = notion.attribute_halfspaces(joint, j, eps / 2)
                best, _ = best_kernel(halfspaces * marginal, marginal)
                utilities = [
                    mutual_information(marginal[:, None] * kernel)
                    for kernel in (best.kernel, factor.kernel)
                ]
                if utilities[1] < utilities[0] - 1e-9:
                    return True
    return False


def one_pair_cannot_serve_several_priors(
    size: Size = (10, 2, 6), eps: float = 1.0
) -> bool:
    """Whether a kernel's (R, q) of S20 eq. (10) differs between any two priors.

    The priors are an attribute's given the other, on ten joints with attributes 2 x 3.
    """
    n, n_secret, n_public = size
    for seed in range(n):
        joint = uniform_joint(n_secret, n_public, np.random.default_rng(seed))
        product = product_response(joint, SRLIP(eps, (2, 3)), repair=False).certified(
            ProductCertificate
        )
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
    return bool(
        (1 - _figure_4(seed).groupby("eps")["share"].mean() >= float(margin)).all()
    )


@long
def theorem_4_least_loss(seed: int) -> float:
    """Return the product's least mean loss over four budgets, relative to LIP."""
    return float(1 - _figure_4(seed).groupby("eps")["share"].mean().max())


@lru_cache(maxsize=2)
def _srlip_shares(
    seed: int, size: Size = (10, 2, 12), epsilons: Sequence[float] = S20_EPSILONS
) -> pd.Series[float]:
    """Return exact SRLIP's mean share of the LIP optimum by budget."""
    rows = [
        {
            "eps": eps,
            "share": optimum(joint, SRLIP(eps, (2, 2, 3))) / optimum(joint, LIP(eps)),
        }
        for joint in drawn(*size, seed)
        for eps in epsilons
    ]
    return pd.DataFrame(rows).groupby("eps")["share"].mean()


@long
def srlip_itself_loses_a_sizable_share(margin: str, seed: int) -> bool:
    """Whether optimal SRLIP's mean loss relative to LIP is >= ``margin`` at
    each eps.
    """
    return bool((1 - _srlip_shares(seed) >= float(margin)).all())


@long
def srlip_least_loss(seed: int) -> float:
    """Return optimal SRLIP's least mean loss over four budgets, relative to LIP."""
    return float(1 - _srlip_shares(seed).max())


def theorem_4_never_fails_at_random(
    seed: int,
    n_trials: int = 500,
    shape: tuple[int, ...] = (2, 2),
    n_secret: int = 2,
    eps: float = 1.0,
) -> bool:
    """Whether Theorem 4's product satisfies SRLIP on random joints of two bits."""
    return (
        int(
            figures.theorem_4_failures(n_trials, [eps], shape, n_secret, rng=seed).iloc[
                0
            ]["broken"]
        )
        == 0
    )


ON_TWO_BITS = Joint.from_counts([[7, 1, 2, 6], [1, 1, 1, 5]])


def theorem_4_holds(joint: Joint = ON_TWO_BITS, eps: float = 0.5) -> bool:
    """Whether the product satisfies SRLIP(1/2) for counts 7, 1, 2, 6 and 1, 1, 1, 5."""
    notion = SRLIP(eps, (2, 2))
    return notion.is_satisfied(joint, product_response(joint, notion, repair=False))
