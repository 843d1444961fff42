"""Claims of C22 about subset merging for LIP, except those about figures."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np

from liftbook import figures
from liftbook.claims.samples import drawn
from liftbook.relatives.best_partition import best_partition
from liftbook.rows.batch import Batch
from liftbook.rows.labels import merge_labels, watchdog_labels
from liftbook.rows.scales import C22_EPSILONS
from liftlib.channel import Channel
from liftlib.datasets import uniform_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.merging.risk import high_risk
from liftlib.merging.subset_merging import subset_merging
from liftlib.merging.watchdog import watchdog
from liftlib.notions import LIP, PerfectPrivacy
from mixproof.numerics import KEEP_TOL


@lru_cache(maxsize=16)
def _c22(eps: float, seed: int) -> tuple[float, float, float]:
    """Return NMIL of complete and of subset merging, and the latter's largest leakage."""
    p = uniform_joints(1000, 13, 20, np.random.default_rng(seed))
    complete = figures.merged_measures(p, watchdog_labels(p, LIP(eps), extend=False))
    subsets = figures.merged_measures(p, merge_labels(p, LIP(eps), extend=False)[0])
    leak = np.maximum(subsets["min_lift_leakage"], subsets["max_lift_leakage"])
    return 1 - float(complete["nmi"].mean()), 1 - float(subsets["nmi"].mean()), float(leak.max())


def c22_complete_loss(eps: str, seed: int) -> float:
    return _c22(float(eps), seed)[0]


def c22_algorithm_loss(eps: str, seed: int) -> float:
    return _c22(float(eps), seed)[1]


def c22_algorithm_loses_less_than_all(seed: int) -> bool:
    return all(_c22(eps, seed)[1] < 1 for eps in (0.25, 0.5))


def c22_algorithm_better_everywhere(margin: str, seed: int) -> bool:
    """Whether Algorithm 1 beats complete merging by a margin of NMIL at each budget."""
    return all(_c22(eps, seed)[1] <= _c22(eps, seed)[0] - float(margin) for eps in C22_EPSILONS)


def c22_leakage_below_budget(seed: int) -> bool:
    return all(_c22(eps, seed)[2] <= eps + 1e-9 for eps in C22_EPSILONS)


def c22_joints_above_budget(seed: int) -> float:
    """Return the number of 1,000 joints on which Algorithm 1 exceeds some budget."""
    batch = Batch(uniform_joints(1000, 13, 20, np.random.default_rng(seed)))
    broken = np.zeros(1000, dtype=bool)
    for eps in C22_EPSILONS:
        labels, _ = merge_labels(batch, LIP(eps), extend=False)
        broken |= ~LIP(eps).kept_columns(batch.release(labels)[0], batch.p_s).all(axis=1)
    return float(broken.sum())


def c22_high_risk_is_refined(seed: int) -> bool:
    """Whether merging groups of Algorithm 1's partition never raises utility."""
    rng = np.random.default_rng(seed)
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


def c22_cuts_gain_and_leak(seed: int) -> bool:
    """Whether each split of seven high-risk symbols raises utility, but not privacy.

    On five joints 5 x 10, with splits in two; the LIP leakage must not fall.
    """
    rng, tried = np.random.default_rng(seed), 0
    while tried < 5:
        joint = uniform_joint(5, 10, rng)
        risky = np.flatnonzero(high_risk(joint, LIP(1))).tolist()
        if len(risky) != 7:
            continue
        tried += 1
        low = [(x,) for x in range(10) if x not in risky]
        merged = evaluate(joint, Channel.merge([*low, tuple(risky)], 10))
        for size in range(6):
            for more in combinations(risky[1:], size):
                first = (risky[0], *more)
                second = tuple(x for x in risky if x not in first)
                parts = evaluate(joint, Channel.merge([*low, first, second], 10))
                if parts.mutual_information <= merged.mutual_information or parts.lip < merged.lip - KEEP_TOL:
                    return False
    return True


def c22_arbitrary_cut_keeps_budget(seed: int) -> float:
    """Return the share of random splits in two that satisfy the budget of 1.

    One split on each of 100 joints 5 x 10, of a set of seven symbols that satisfies the budget when merged.
    """
    rng, tried, n_satisfied = np.random.default_rng(seed), 0, 0
    while tried < 100:
        joint = uniform_joint(5, 10, rng)
        risky = np.flatnonzero(high_risk(joint, LIP(1)))
        if len(risky) != 7 or not LIP(1).is_satisfied(joint, watchdog(joint, LIP(1), extend=False)):
            continue
        tried += 1
        shuffled, size = rng.permutation(risky).tolist(), int(rng.integers(1, 7))
        low = [(x,) for x in range(10) if x not in shuffled]
        cut = Channel.merge([*low, tuple(shuffled[:size]), tuple(shuffled[size:])], 10)
        n_satisfied += LIP(1).is_satisfied(joint, cut)
    return n_satisfied / tried


def c22_some_cut_keeps_budget(seed: int) -> bool:
    """Whether any of 100 random splits in two satisfies the budget of 1."""
    return c22_arbitrary_cut_keeps_budget(seed) > 0


def _greedy_refines_triples() -> bool:
    """Return whether the greedy partition has 2 subsets where two triples hide S."""
    joint = Joint.from_counts([[6, 1, 2, 2, 1, 6], [2, 6, 1, 6, 2, 1], [1, 2, 6, 1, 6, 2]])
    finer = Channel.merge([(0, 1, 2), (3, 4, 5)], 6)
    greedy = subset_merging(joint, PerfectPrivacy())
    return greedy.n_outputs >= finer.n_outputs or not PerfectPrivacy().is_satisfied(joint, finer)


def c22_greedy_is_most_refined(reading: str) -> bool:
    """Whether the greedy partition is the "finest" or the "best" private one.

    The finest has the most subsets, and the best the largest utility. "tries": it never has fewer subsets than complete
    merging, and sometimes more, on 100 joints 5 x 10 at LIP 1.
    """
    if reading == "tries":
        pairs = [
            [make(joint, LIP(1.0), extend=False).n_outputs for make in (subset_merging, watchdog)]
            for joint in drawn(100, 5, 10, 0)
        ]
        return all(greedy >= complete for greedy, complete in pairs) and any(a > b for a, b in pairs)
    return _greedy_refines_triples() if reading == "finest" else c22_greedy_is_best(0) == 1.0


def c22_greedy_is_best(seed: int) -> float:
    """Return the share of 100 joints where the greedy partition has the largest NMI."""
    best = 0
    for joint in drawn(100, 5, 10, seed):
        pair = [evaluate(joint, make(joint, LIP(0.5))).nmi for make in (subset_merging, best_partition)]
        best += pair[1] <= pair[0] + 1e-9
    return best / 100


def c22_greedy_keeps_privacy(where: str, seed: int) -> bool:
    """Whether the release of Algorithm 1 always satisfies the budget.

    ``where`` is "paper" (1,000 random joints, each at ten budgets) or "ours" (one joint with a single high-risk symbol,
    where merging changes nothing).
    """
    if where == "ours":
        joint = Joint([[0.05, 0.25, 0.20], [0.20, 0.16, 0.14]])
        return LIP(0.7).is_satisfied(joint, subset_merging(joint, LIP(0.7), extend=False))
    return c22_joints_above_budget(seed) == 0
