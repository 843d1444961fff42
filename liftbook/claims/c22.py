"""What C22 prints about subset merging for LIP."""

from __future__ import annotations

from functools import cache

import numpy as np

from liftbook import figures
from liftlib.channel import Channel
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.mechanisms.merging.subset import merge_labels, subset_merging
from liftlib.mechanisms.merging.watchdog import watchdog_labels
from liftlib.notions import LIP


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
    return all(_c22(eps)[1] <= _c22(eps)[0] for eps in np.arange(1, 11) / 4)


def c22_leakage_below_budget() -> bool:
    return all(_c22(eps)[2] <= eps + 1e-9 for eps in np.arange(1, 11) / 4)


def c22_example_entropy_is_possible() -> bool:
    """H(X) = 1.6034 on five symbols: at most log 5."""
    return bool(np.log(5) >= 1.6034)


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
