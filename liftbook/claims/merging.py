"""What C22 and E23 section 4 print about subset merging in words: the shape of figures, Example 1, Table 1."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd

from liftbook import figures
from liftbook.claims.e23 import FIVE
from liftlib.channel import Channel
from liftlib.datasets import uniform_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.lifts import lift, lift_ratio
from liftlib.mechanisms.merging.subset import subset_merging
from liftlib.mechanisms.merging.watchdog import high_risk, watchdog, watchdog_labels
from liftlib.notions import ALIP, LDP, LIP, PerfectPrivacy
from liftlib.numerics import KEEP_TOL


@cache
def _figure(name: str) -> pd.DataFrame:
    rows: pd.DataFrame = getattr(figures, name)(
        **({"leave_out": FIVE} if name in ("figure_e23_3", "figure_e23_7") else {})
    )
    return rows


def _both(name: str, measure: str, column: str = "mean") -> tuple[pd.Series[float], pd.Series[float]]:
    rows = _figure(name)
    table = rows[rows["measure"] == measure].pivot_table(index="eps", columns="series", values=column)
    return table["Algorithm 1"], table["complete merging"]


# C22 section 2: Example 1 and Table 1 ---------------------------------------------------------------------------------


def c22_example_is_possible() -> bool:
    joint, notion = figures.example_c22_1(), LIP(0.8)
    channel = watchdog(joint, notion, extend=False)
    release = channel.release(joint)
    found = [
        *notion.risk(lift(joint), joint.p_s),
        evaluate(joint, channel).entropy,
        evaluate(joint, channel).mutual_information,
        *notion.risk(lift(release), release.p_s),
    ]
    printed = [1.3515, 1.6458, 0.9295, 0.8161, 0.2608, 1.6034, 0.5269, 0.2608, 0.0627]
    return bool(np.abs(np.array(found) - printed).max() <= 0.00005)


def c22_example_budget_over_leakage() -> float:
    joint = figures.example_c22_1()
    release = watchdog(joint, LIP(0.8), extend=False).release(joint)
    return 0.8 / float(LIP(0).risk(lift(release), release.p_s)[-1])


def c22_cuts_gain_and_leak() -> bool:
    """Whether each cut in two of a high-risk set of seven gains utility and leaks no less, 20 joints 5 x 10."""
    rng, tried = np.random.default_rng(0), 0
    while tried < 20:
        joint = uniform_joint(5, 10, rng)
        risky = np.flatnonzero(high_risk(joint, LIP(1))).tolist()
        if len(risky) != 7:
            continue
        tried += 1
        low = [(x,) for x in range(10) if x not in risky]
        whole = evaluate(joint, Channel.merge([*low, tuple(risky)], 10))
        for size in range(6):
            for more in combinations(risky[1:], size):
                first = (risky[0], *more)
                second = tuple(x for x in risky if x not in first)
                parts = evaluate(joint, Channel.merge([*low, first, second], 10))
                if parts.mutual_information <= whole.mutual_information or parts.lip < whole.lip - KEEP_TOL:
                    return False
    return True


def c22_arbitrary_cut_keeps_budget() -> bool:
    """Whether a random cut in two keeps the budget of 1 where the merged set of seven does, 200 joints 5 x 10."""
    rng, tried = np.random.default_rng(0), 0
    while tried < 200:
        joint = uniform_joint(5, 10, rng)
        risky = np.flatnonzero(high_risk(joint, LIP(1)))
        if len(risky) != 7 or not LIP(1).is_kept(joint, watchdog(joint, LIP(1), extend=False)):
            continue
        tried += 1
        shuffled, size = rng.permutation(risky).tolist(), int(rng.integers(1, 7))
        low = [(x,) for x in range(10) if x not in shuffled]
        if not LIP(1).is_kept(joint, Channel.merge([*low, tuple(shuffled[:size]), tuple(shuffled[size:])], 10)):
            return False
    return True


# C22 section 3.1: what the greedy algorithm finds ---------------------------------------------------------------------


def c22_greedy_finds_finer_partitions() -> bool:
    """Whether the result is refined as far as the budget allows: two triples that hide S, which the greed misses."""
    joint = Joint.from_counts([[6, 1, 2, 2, 1, 6], [2, 6, 1, 6, 2, 1], [1, 2, 6, 1, 6, 2]])
    finer = Channel.merge([(0, 1, 2), (3, 4, 5)], 6)
    found = subset_merging(joint, PerfectPrivacy())
    return found.n_outputs >= finer.n_outputs or not PerfectPrivacy().is_kept(joint, finer)


# C22 section 4: Figs 1-3 ----------------------------------------------------------------------------------------------


def c22_fig1_complete_far_below() -> bool:
    mean, std = (_both("figure_c22_1", "high_risk_leakage", column)[1] for column in ("mean", "std"))
    return bool((mean + std <= mean.index / 2).all())


def c22_fig1_algorithm_below() -> bool:
    mean, std = (_both("figure_c22_1", "high_risk_leakage", column)[0] for column in ("mean", "std"))
    return bool((mean + std < mean.index).all())


def c22_fig1_algorithm_leaks_more() -> bool:
    algorithm, complete = _both("figure_c22_1", "high_risk_leakage")
    return bool((algorithm > complete).all())


def c22_fig1_spread_grows() -> bool:
    return all(bool((std.diff().dropna() > 0).all()) for std in _both("figure_c22_1", "high_risk_leakage", "std"))


def c22_fig3_leakage_below() -> bool:
    return all(bool((leakage <= leakage.index).all()) for leakage in _both("figure_c22_3", "leakage"))


def c22_fig3_perfect_privacy() -> bool:
    """Whether complete merging merges everything for each of 1,000 joints 13 x 20 at eps 0.25 and 0.5."""
    p = uniform_joints(1000, 13, 20, np.random.default_rng(0))
    return all(
        bool((figures.merged_risks(p, watchdog_labels(p, LIP(eps), extend=False), eps)["nmil"] > 1 - 1e-9).all())
        for eps in (0.25, 0.5)
    )


# E23 section 4 --------------------------------------------------------------------------------------------------------


def merging_worst_resolution() -> bool:
    """Whether no randomisation of X_H within itself has less utility than merging it, 100 joints 5 x 17."""
    rng, notion = np.random.default_rng(0), ALIP.split(1.0, 0.5)
    for p in uniform_joints(100, 5, 17, rng):
        joint = Joint(p)
        risky = high_risk(joint, notion)
        kernel = np.eye(17)
        kernel[np.ix_(risky, risky)] = rng.dirichlet(np.full(risky.sum(), 0.3), size=risky.sum())
        merged = evaluate(joint, watchdog(joint, notion, extend=False)).mutual_information
        if evaluate(joint, Channel(kernel)).mutual_information < merged - 1e-12:
            return False
    return True


def merging_strictly_above_watchdog() -> bool:
    """Whether the mean utility is above complete merging's, LDP and all lambdas, random joints and Adult."""
    for ours, theirs in (("figure_e23_6", "figure_e23_2"), ("figure_e23_7", "figure_e23_3")):
        both = _figure(ours).merge(_figure(theirs), on=["series", "eps", "measure"])
        nmi = both[both["measure"] == "nmi"]
        if not (nmi["mean_x"] > nmi["mean_y"] + 1e-12).all():
            return False
    return True


def _leakages_below(name: str) -> bool:
    rows = _figure(name)
    for lam in (0.35, 0.5, 0.65):
        for measure, share in (("min_lift_leakage", lam), ("max_lift_leakage", 1 - lam)):
            part = rows[(rows["series"] == f"ALIP, λ={lam:g}") & (rows["measure"] == measure)]
            if not (part["mean"] <= share * part["eps"] + KEEP_TOL).all():
                return False
    return True


def merging_mean_leakage_below_synthetic() -> bool:
    return _leakages_below("figure_e23_6")


def merging_kept_adult() -> bool:
    rows = _figure("figure_e23_7")
    return bool((rows[rows["measure"] == "broken"]["mean"] == 0).all())


def merging_ldp_kept_synthetic() -> bool:
    """Whether the release keeps LDP for each of 1,000 joints at each budget."""
    rows = _figure("figure_e23_6")
    return bool((rows[(rows["series"] == "LDP") & (rows["measure"] == "broken")]["mean"] == 0).all())


def merging_ldp_threshold_is_eps() -> bool:
    """Whether Gamma > eps marks the same symbols as eps-LDP does, one joint 5 x 17, eps 1.5."""
    joint, eps = uniform_joint(5, 17, np.random.default_rng(0)), 1.5
    return bool(((lift_ratio(joint) > eps) == high_risk(joint, LDP(eps))).all())
