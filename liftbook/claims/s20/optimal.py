"""Claims of S20 sections III-V and VIII-A about optimal LDP and LIP."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from liftbook.claims.curves import figure
from liftbook.claims.samples import Size, on_each, optimum, seeded, utility
from liftbook.figures.s20.optimal import best_kernel
from liftbook.rows.making import S20_EPSILONS
from liftlib.channel import Channel
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information
from liftlib.notions import LDP, LIP
from liftlib.response.optimal import optimal_response

FIG_3 = figure("s20_3")


@on_each(seeded, 10, 2, 5)
def lip_optimum_at_least_ldp(
    joint: Joint, epsilons: Sequence[float] = S20_EPSILONS
) -> bool:
    """Whether the LIP optimum is at least the LDP optimum at each budget of Fig. 3a."""
    return all(
        optimum(joint, LIP(eps)) >= optimum(joint, LDP(eps)) - 1e-9 for eps in epsilons
    )


@on_each(seeded, 10, 2, 5)
def half_lip_optimum_at_most_ldp(
    joint: Joint, epsilons: Sequence[float] = S20_EPSILONS
) -> bool:
    """Whether the LIP(eps/2) optimum is at most the LDP(eps) optimum, as in Fig. 3b."""
    return all(
        optimum(joint, LIP(eps / 2)) <= optimum(joint, LDP(eps)) + 1e-9
        for eps in epsilons
    )


def utility_gap_is_low(
    seed: int, size: Size = (10, 2, 5), epsilons: Sequence[float] = S20_EPSILONS
) -> float:
    """Return the mean share of the LIP optimum that LDP(eps) loses."""
    joints = seeded(*size, seed)
    losses = [
        1 - optimum(j, LDP(eps)) / optimum(j, LIP(eps))
        for j in joints
        for eps in epsilons
    ]
    return float(np.mean(losses))


def _means(route: str, seed: int, panel: str = "a") -> pd.DataFrame:
    rows = FIG_3.at(seed).rows
    rows = rows[(rows["panel"] == panel) & (rows["route"] == route)]
    return rows.drop(columns=["panel", "route"]).groupby("eps").mean()


def lemma_1_holds(seed: int, size: Size = (200, 3, 5)) -> bool:
    """Whether LDP(eps) implies LIP(eps), which implies LDP(2 eps) and I(S; Y) <= eps.

    On 200 random protocols.
    """
    rng = np.random.default_rng(seed)
    for p in uniform_joints(*size, rng):
        joint, channel = Joint(p), Channel(rng.dirichlet(np.full(5, 0.5), size=5))
        ldp, lip = LDP(0).leakage(joint, channel), LIP(0).leakage(joint, channel)
        information = mutual_information(channel.release(joint).p)
        if not (
            lip <= ldp + 1e-12 and ldp <= 2 * lip + 1e-12 and information <= lip + 1e-12
        ):
            return False
    return True


def ldp_inequalities(which: str, size: Size = (1, 2, 5)) -> float:
    """Return the number of LDP's inequalities at a = 5, c = 2.

    "all", or "privacy, all outputs".
    """
    privacy = 5 * len(LDP(1.0).halfspaces(seeded(*size)[0]))
    return float(privacy if which == "privacy, all outputs" else privacy + 5 * 5)


def lip_inequalities(which: str, size: Size = (1, 2, 5)) -> float:
    """Return the number of LIP's inequalities at a = 5, c = 2.

    "all, one row", or "privacy, all outputs".
    """
    privacy = len(LIP(1.0).halfspaces(seeded(*size)[0]))
    return float(5 * privacy if which == "privacy, all outputs" else privacy + 5)


def lip_polytope_has(formula: str) -> bool:
    """Whether the polytope of one posterior under LIP has "2ac" or "a + 2c"
    inequalities, at a = 5, c = 2.
    """
    return lip_inequalities("all, one row") == {"2ac": 20.0, "a + 2c": 9.0}[formula]


def optimal_ldp_is_a_vertex_of_kernels(seed: int) -> bool:
    """Whether the best vertex of Theorem 2's polytope is optimal, on ten
    joints 2 x 5.
    """
    rows = FIG_3.at(seed).rows.pivot_table(
        index=["panel", "trial", "eps"], columns="route", values="ldp"
    )
    return bool(
        np.allclose(rows["polytope of kernels"], rows["polytope of rows"], atol=1e-9)
    )


def optimal_ldp_has_few_outputs(seed: int) -> bool:
    return bool((FIG_3.at(seed).rows["ldp_outputs"] <= 5).all())


def ldp_seconds(seed: int) -> float:
    """Return the mean time of optimal LDP at eps 1/2 by Theorem 2, in seconds."""
    return float(_means("polytope of kernels", seed)["ldp_seconds"].iloc[0])


def lip_seconds(seed: int) -> float:
    return float(_means("polytope of rows", seed)["lip_seconds"].iloc[0])


def lip_is_faster_than_theorem_2(seed: int) -> bool:
    means = _means("polytope of kernels", seed)
    return bool((means["lip_seconds"] < means["ldp_seconds"]).all())


def vertices_fall_with_the_budget(seed: int) -> bool:
    """Whether both polytopes lose vertices from each budget to the next.

    The polytope of kernels must lose the larger share overall.
    """
    means = _means("polytope of kernels", seed)
    ldp, lip = means["ldp_vertices"], means["lip_vertices"]
    shares = [float(v.iloc[-1] / v.iloc[0]) for v in (ldp, lip)]
    return bool(
        (ldp.diff().dropna() < 0).all()
        and (lip.diff().dropna() < 0).all()
        and shares[0] < shares[1]
    )


def utility_gap_shrinks_with_the_budget(seed: int) -> bool:
    return bool((_means("polytope of rows", seed)["share"].diff().dropna() > 0).all())


def half_lip_gap_is_low(seed: int) -> float:
    """Return the mean share of LDP(eps)'s optimum that LIP(eps / 2) loses."""
    return float(1 - _means("polytope of rows", seed, "b")["share"].mean())


@on_each(seeded, 5, 2, 4)
def theorem_3_is_optimal(joint: Joint, epsilons: Sequence[float] = (0.5, 1.5)) -> bool:
    """Whether no vertex of the polytope of LIP kernels is better than Theorem 3."""
    for notion in map(LIP, epsilons):
        kernel, _ = best_kernel(notion.halfspaces(joint) * joint.p_x, joint.p_x)
        if abs(optimum(joint, notion) - utility(joint, kernel)) > 1e-9:
            return False
    return True


@on_each(seeded, 10, 2, 5)
def theorem_3_needs_few_outputs(
    joint: Joint, epsilons: Sequence[float] = S20_EPSILONS
) -> bool:
    """Whether the optimal LIP protocol has at most |X| outputs, on ten joints 2 x 5."""
    return all(
        optimal_response(joint, LIP(eps)).n_outputs <= joint.n_public
        for eps in epsilons
    )


def remark_1_holds(
    reading: str, seed: int, size: Size = (5, 2, 5), kernels: int = 50
) -> bool:
    """Return whether the largest leakage of S over all joints is the leakage of X.

    For random kernels. "LDP" compares LDP of S and of X; "LIP, every prior" compares
    LIP of S with the largest LIP of X over its priors; "LIP, one prior" with LIP of X
    under the uniform prior. A rare secret that appears in a single symbol comes
    arbitrarily close to the largest leakage; random joints stay below it.
    """
    rng = np.random.default_rng(seed)
    notion = LDP(0) if reading == "LDP" else LIP(0)
    for kernel in rng.dirichlet(np.ones(4), size=(kernels, 5)):
        channel, ratios = Channel(kernel), kernel.max(axis=0) / kernel.min(axis=0)
        worst, y = float(np.log(ratios).max()), int(ratios.argmax())
        high, low = int(kernel[:, y].argmax()), int(kernel[:, y].argmin())
        shares = np.full(5, 1e-9)
        shares[low] = 1 - 4e-9
        diagonal = Joint(
            np.diag(np.full(5, 0.2) if reading == "LIP, one prior" else shares)
        )
        target = notion.leakage(diagonal, channel)
        if any(
            notion.leakage(joint, channel) > worst + 1e-12
            for joint in seeded(*size, seed)
        ):
            return False
        p = np.full((2, 5), 1e-13)
        p[0, high], p[1, low] = 1e-9, 1 - 1e-9
        if abs(notion.leakage(Joint(p / p.sum()), channel) - target) > 1e-2 * worst:
            return False
    return True
