"""What S20 sections III-VI, VIII-A and VIII-B print: optimal LDP and LIP, their times, and side channels."""

from __future__ import annotations

import time
from functools import cache

import numpy as np
import pandas as pd

from liftbook import figures
from liftbook.figures.s20.optimal import EPSILONS, SHAPE, best_kernel, product_of_kernels
from liftlib.channel import Channel
from liftlib.datasets import uniform_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import mutual_information
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.mechanisms.response.product import ProductCertificate, product_response
from liftlib.notions import LDP, LIP, SRLIP


@cache
def _figure_3() -> pd.DataFrame:
    return figures.figure_s20_3()


@cache
def _figure_4() -> pd.DataFrame:
    """Return, for the ten joints 2 x 36 and four budgets: LIP's and Theorem 4's utility and seconds."""
    rows = []
    for p in uniform_joints(10, 2, int(np.prod(SHAPE)), np.random.default_rng(0)):
        joint = Joint(p)
        for eps in EPSILONS:
            started = time.perf_counter()
            lip = optimal_response(joint, LIP(eps))
            between = time.perf_counter()
            product = product_of_kernels(joint, eps, SHAPE)
            ended = time.perf_counter()
            rows.append(
                {
                    "eps": eps,
                    "share": _utility(joint, product) / _utility(joint, lip),
                    "speed": (ended - between) / (between - started),
                }
            )
    return pd.DataFrame(rows)


def _utility(joint: Joint, channel: Channel) -> float:
    return evaluate(joint, channel).mutual_information


def _means(route: str, panel: str = "a") -> pd.DataFrame:
    rows = _figure_3()
    rows = rows[(rows["panel"] == panel) & (rows["route"] == route)]
    return rows.drop(columns=["panel", "route"]).groupby("eps").mean()


def _small() -> Joint:
    return uniform_joint(2, 5, np.random.default_rng(0))


def lemma_1_holds() -> bool:
    """LDP(eps) implies LIP(eps), which implies LDP(2 eps) and I(S; Y) <= eps: 200 random protocols."""
    rng = np.random.default_rng(0)
    for p in uniform_joints(200, 3, 5, rng):
        joint, channel = Joint(p), Channel(rng.dirichlet(np.full(5, 0.5), size=5))
        ldp, lip = LDP(0).leakage(joint, channel), LIP(0).leakage(joint, channel)
        information = mutual_information(channel.release(joint).p)
        if not (lip <= ldp + 1e-12 and ldp <= 2 * lip + 1e-12 and information <= lip + 1e-12):
            return False
    return True


def lemma_2_holds() -> bool:
    """SRLIP leaks no less than LIP: 200 random protocols on three bits."""
    rng = np.random.default_rng(0)
    for p in uniform_joints(200, 2, 8, rng):
        joint, channel = Joint(p), Channel(rng.dirichlet(np.full(8, 0.5), size=8))
        if SRLIP(0, (2, 2, 2)).leakage(joint, channel) < LIP(0).leakage(joint, channel) - 1e-12:
            return False
    return True


def ldp_privacy_inequalities() -> float:
    return float(len(LDP(1.0).halfspaces(_small())) * 5)


def lip_inequalities() -> float:
    return float(len(LIP(1.0).halfspaces(_small())) + 5)


def attribute_polytope_inequalities() -> float:
    """Those of S20 eqs. (24)-(26) for the attribute of four values beside two of three."""
    joint = uniform_joint(2, 36, np.random.default_rng(0))
    halfspaces, _ = SRLIP(0.5, SHAPE).attribute_halfspaces(joint, 2, 0.5)
    return float(4 * 4 + 4 * len(halfspaces))


def optimal_ldp_is_a_vertex_of_kernels() -> bool:
    """Whether the best of all vertices of Theorem 2's polytope has the optimum, 10 joints 2 x 5, four budgets."""
    rows = _figure_3().pivot_table(index=["panel", "trial", "eps"], columns="route", values="ldp")
    return bool(np.allclose(rows["polytope of kernels"], rows["polytope of rows"], atol=1e-9))


def optimal_ldp_has_few_outputs() -> bool:
    return bool((_figure_3()["ldp_outputs"] <= 5).all())


def ldp_seconds() -> float:
    """Return the mean seconds of the optimal LDP protocol at eps 1/2 through all vertices of Theorem 2's polytope."""
    return float(_means("polytope of kernels")["ldp_seconds"].iloc[0])


def lip_seconds() -> float:
    return float(_means("polytope of rows")["lip_seconds"].iloc[0])


def lip_is_faster_than_theorem_2() -> bool:
    means = _means("polytope of kernels")
    return bool((means["lip_seconds"] < means["ldp_seconds"]).all())


def vertices_fall_with_the_budget() -> bool:
    """Both polytopes lose vertices from each budget to the next, that of kernels the larger share overall."""
    means = _means("polytope of kernels")
    ldp, lip = means["ldp_vertices"], means["lip_vertices"]
    shares = [float(v.iloc[-1] / v.iloc[0]) for v in (ldp, lip)]
    return bool((ldp.diff().dropna() < 0).all() and (lip.diff().dropna() < 0).all() and shares[0] < shares[1])


def utility_gap_shrinks_with_the_budget() -> bool:
    return bool((_means("polytope of rows")["share"].diff().dropna() > 0).all())


def half_lip_gap_is_low() -> float:
    """Return the mean share of LDP(eps)'s optimum that LIP(eps / 2) loses."""
    return float(1 - _means("polytope of rows", "b")["share"].mean())


def one_polytope_cannot_serve_several_priors() -> bool:
    """Whether a polytope of rows misses the optimum of S20 eqs. (23)-(26), ten joints with attributes 2 x 3."""
    for seed in range(10):
        joint = uniform_joint(2, 6, np.random.default_rng(seed))
        for eps in EPSILONS:
            notion = SRLIP(eps, (2, 3))
            product = product_response(joint, notion, repair=False).certified(ProductCertificate)
            for j, factor in enumerate(product.factors):
                halfspaces, own = notion.attribute_halfspaces(joint, j, eps / 2)
                best, _ = best_kernel(halfspaces * own, own)
                found = [mutual_information(own[:, None] * kernel) for kernel in (best.kernel, factor.kernel)]
                if found[1] < found[0] - 1e-9:
                    return True
    return False


def theorem_3_over_theorem_4() -> float:
    return float(_figure_4()["speed"].mean())


def theorem_4_loses_a_sizable_share() -> bool:
    """Whether the product keeps less than three quarters of the LIP optimum, on average, at each budget."""
    return bool((_figure_4().groupby("eps")["share"].mean() < 0.75).all())


def srlip_itself_loses_a_sizable_share() -> bool:
    """Whether exact SRLIP does, attributes 2 x 2 x 3, ten joints, at each budget."""
    kept = []
    for p in uniform_joints(10, 2, 12, np.random.default_rng(0)):
        joint = Joint(p)
        for eps in EPSILONS:
            exact = _utility(joint, optimal_response(joint, SRLIP(eps, (2, 2, 3))))
            kept.append({"eps": eps, "share": exact / _utility(joint, optimal_response(joint, LIP(eps)))})
    return bool((pd.DataFrame(kept).groupby("eps")["share"].mean() < 0.75).all())


def theorem_4_never_fails_at_random() -> bool:
    """Whether Theorem 4's product keeps SRLIP(1) for each of 500 joints of two bits from Jeffreys' prior."""
    return int(figures.theorem_4_failures(500, [1.0]).iloc[0]["broken"]) == 0
