"""What C22 prints of subset merging for LIP, its figures apart."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from liftbook import figures
from liftbook.claims.samples import drawn
from liftbook.rows.scales import C22_EPSILONS
from liftlib.channel import Channel
from liftlib.datasets import uniform_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.mechanisms.merging.partition import best_partition
from liftlib.mechanisms.merging.subset import merge_labels, subset_merging
from liftlib.mechanisms.merging.watchdog import high_risk, watchdog, watchdog_labels
from liftlib.notions import LIP, PerfectPrivacy
from liftlib.numerics import KEEP_TOL


@cache
def _c22(eps: float) -> tuple[float, float, float]:
    """Return mean NMIL of complete and subset merging, and the latter's largest leakage, 1,000 joints 13 x 20."""
    p = uniform_joints(1000, 13, 20, np.random.default_rng(0))
    complete = figures.merged_measures(p, watchdog_labels(p, LIP(eps), extend=False))
    subsets = figures.merged_measures(p, merge_labels(p, LIP(eps), extend=False)[0])
    leak = np.maximum(subsets["min_lift_leakage"], subsets["max_lift_leakage"])
    return 1 - float(complete["nmi"].mean()), 1 - float(subsets["nmi"].mean()), float(leak.max())


def c22_complete_loses_all_eps_025() -> float:
    return _c22(0.25)[0]


def c22_complete_loses_all_eps_05() -> float:
    return _c22(0.5)[0]


def c22_algorithm_loses_less_eps_025() -> bool:
    return _c22(0.25)[1] < 1


def c22_algorithm_loses_less_eps_05() -> bool:
    return _c22(0.5)[1] < 1


def c22_algorithm_better_everywhere() -> bool:
    return all(_c22(eps)[1] <= _c22(eps)[0] for eps in C22_EPSILONS)


def c22_leakage_below_budget() -> bool:
    return all(_c22(eps)[2] <= eps + 1e-9 for eps in C22_EPSILONS)


def c22_high_risk_is_refined() -> bool:
    """Refinement never loses utility: a random aggregation of each partition that Algorithm 1 makes."""
    rng = np.random.default_rng(0)
    for p in uniform_joints(100, 3, 8, rng):
        joint = Joint(p)
        fine = subset_merging(joint, LIP(0.5))
        groups = fine.partition or ()
        into = rng.integers(0, 2, len(groups))
        coarse = [sum((groups[g] for g in np.flatnonzero(into == k)), ()) for k in np.unique(into)]
        rough = Channel.merge(coarse, joint.n_public)
        if evaluate(joint, rough).nmil < evaluate(joint, fine).nmil - 1e-12:
            return False
    return True


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


def c22_greedy_finds_finer_partitions() -> bool:
    """Whether the result is refined as far as the budget allows: two triples that hide S, which the greed misses."""
    joint = Joint.from_counts([[6, 1, 2, 2, 1, 6], [2, 6, 1, 6, 2, 1], [1, 2, 6, 1, 6, 2]])
    finer = Channel.merge([(0, 1, 2), (3, 4, 5)], 6)
    found = subset_merging(joint, PerfectPrivacy())
    return found.n_outputs >= finer.n_outputs or not PerfectPrivacy().is_kept(joint, finer)


def greedy_finds_the_best_partition() -> bool:
    for joint in drawn(100, 5, 10):
        greedy, best = (evaluate(joint, make(joint, LIP(0.5))).nmi for make in (subset_merging, best_partition))
        if best > greedy + 1e-9:
            return False
    return True
