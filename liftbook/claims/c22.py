"""Claims of C22: Example 1, Figs 1 and 3, and subset merging for LIP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, islice, pairwise

import numpy as np
import pandas as pd

from liftbook import figures
from liftbook.claims.curves import never_below
from liftbook.claims.judging import long
from liftbook.claims.samples import Size, drawn
from liftbook.figures.c22 import (
    EXAMPLE_MERGED_RISK,
    EXAMPLE_RISKS,
    beside_complete_merging,
)
from liftbook.relatives.best_partition import best_partition
from liftbook.rows.making import C22_EPSILONS
from liftlib.channel import Channel
from liftlib.datasets import dirichlet_joints, uniform_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.lifts import lift
from liftlib.merging.risk import high_risk
from liftlib.merging.stack import Stack
from liftlib.merging.subset_merging import merged_subsets, subset_merging
from liftlib.merging.watchdog import watchdog, watchdog_subsets
from liftlib.notions import LIP, PerfectPrivacy
from mixproof.numerics import KEEP_TOL, Matrix, Vector


def c22_example_sets() -> bool:
    """Whether all published risks but the last are above the budget of 0.8."""
    return [risk > 0.8 for risk in EXAMPLE_RISKS] == [True, True, True, True, False]


EXAMPLE = figures.example_c22_1()


def c22_example_is_possible(joint: Joint = EXAMPLE, eps: float = 0.8) -> bool:
    notion = LIP(eps)
    channel = watchdog(joint, notion, extend=False)
    release = channel.release(joint)
    computed = [
        *notion.risk(lift(joint), joint.p_s),
        evaluate(joint, channel).entropy,
        evaluate(joint, channel).mutual_information,
        *notion.risk(lift(release), release.p_s),
    ]
    printed = [1.3515, 1.6458, 0.9295, 0.8161, 0.2608, 1.6034, 0.5269, 0.2608, 0.0627]
    return bool(np.abs(np.array(computed) - printed).max() <= 0.00005)


def c22_example_budget_over_leakage() -> float:
    """Return the ratio of the published budget to the merged symbols'
    published risk.
    """
    return 0.8 / EXAMPLE_MERGED_RISK


TABLE_1 = {"utility": (0.5913, 0.7335), "leakage": (0.8037, 0.8488)}
"""The two rows of Table 1, at a budget of 1: complete and two-subset merging."""


def c22_table_1_share(what: str) -> float:
    """Return by which share of its first value a number of Table 1 rises.

    The share of leakage is of the budget, 1.
    """
    before, after = TABLE_1[what]
    return (after - before) / (before if what == "utility" else 1.0)


def c22_table_1_gain(margin: str) -> bool:
    """Whether utility rises by this share of its value, and leakage by no more than
    this share of the budget, which it does not exceed.
    """
    _, leakage = TABLE_1["leakage"]
    gains = c22_table_1_share("utility") >= float(margin)
    return gains and c22_table_1_share("leakage") <= float(margin) and leakage < 1


@lru_cache(maxsize=2)
def _family(seed: int, size: Size = (2000, 3, 5)) -> pd.DataFrame:
    return figures.example_c22_1_family(size[0], rng=seed)


@long
def c22_example_complete_share(seed: int) -> float:
    """Return the share of joints with C22's numbers that are merged completely."""
    return float((_family(seed)["subsets"] == 1).mean())


@long
def c22_example_largest_information(seed: int) -> float:
    """Return the largest I(X;Y) of Algorithm 1 on joints with C22's numbers, nats."""
    return float(_family(seed)["information"].max())


LAWS = ("uniform, normalised", "flat Dirichlet")
"""Laws of C22's random joints, which it does not state: every P(s, x) uniform, then
normalised, as in E23; or flat.
"""


@lru_cache(maxsize=4)
def _joints(law: str, seed: int, size: Size = (1000, 13, 20)) -> Matrix:
    """Return random joints, by a law of ``LAWS``."""
    rng = np.random.default_rng(seed)
    return (
        uniform_joints(*size, rng)
        if law == LAWS[0]
        else dirichlet_joints(*size, 1.0, rng)
    )


@lru_cache(maxsize=4)
def _rows(
    law: str, seed: int, epsilons: Sequence[float] = C22_EPSILONS
) -> pd.DataFrame:
    """Return the rows of C22's three figures."""
    measures = ("nmil", "leakage", "high_risk_leakage")
    return beside_complete_merging(_joints(law, seed), epsilons, measures, extend=False)


def _both(
    law: str, seed: int, measure: str, column: str = "mean"
) -> tuple[pd.Series[float], pd.Series[float]]:
    """Return the curves of Algorithm 1 and of complete merging, by budget."""
    rows = _rows(law, seed)
    rows = rows[rows["measure"] == measure]
    algorithm, complete = (
        rows[rows["series"] == series].set_index("eps")[column]
        for series in ("C22 Algorithm 1", "complete merging")
    )
    return algorithm, complete


def _complete_loss(law: str, eps: float, seed: int) -> Vector:
    """Return the NMIL of complete merging on each joint."""
    p = _joints(law, seed)
    return figures.merged_risks(p, watchdog_subsets(p, LIP(eps), extend=False), eps)[
        "nmil"
    ]


def c22_fig1_complete_far_below(which: str, seed: int) -> bool:
    """Whether complete merging's mean leakage + std is at most a share of each eps;
    "0.9, flat Dirichlet".
    """
    share, law = which.split(", ", 1)
    mean, std = (
        _both(law, seed, "high_risk_leakage", column)[1] for column in ("mean", "std")
    )
    return bool((mean + std <= float(share) * mean.index).all())


def c22_fig1_algorithm_below(law: str, seed: int) -> bool:
    mean, std = (
        _both(law, seed, "high_risk_leakage", column)[0] for column in ("mean", "std")
    )
    return bool((mean + std < mean.index).all())


def c22_fig1_algorithm_leaks_more(law: str, seed: int) -> bool:
    return never_below(*_both(law, seed, "high_risk_leakage"))


def c22_fig1_spread_grows(law: str, seed: int) -> bool:
    return all(
        bool((std.diff().dropna() > 0).all())
        for std in _both(law, seed, "high_risk_leakage", "std")
    )


def c22_fig3_leakage_below(law: str, seed: int) -> bool:
    return all(
        bool((leakage <= leakage.index).all())
        for leakage in _both(law, seed, "leakage")
    )


def c22_fig3_perfect_privacy(
    which: str, seed: int, epsilons: Sequence[float] = (0.25, 0.5)
) -> bool:
    """Whether complete merging has NMIL 1 at eps 0.25 and 0.5; "mean, flat Dirichlet".

    With "mean", the mean is 1 to two digits; otherwise NMIL is 1 on each of 1,000
    joints.
    """
    what, law = which.split(", ", 1)
    for eps in epsilons:
        loss = _complete_loss(law, eps, seed)
        if not (loss.mean() >= 0.995 if what == "mean" else (loss > 1 - 1e-9).all()):
            return False
    return True


def c22_not_perfect_at_half(law: str, seed: int, eps: float = 0.5) -> float:
    """Return the share of 1,000 joints with NMIL < 1 after complete
    merging, eps 0.5.
    """
    return float((_complete_loss(law, eps, seed) < 1 - 1e-9).mean())


def c22_samples_shrink(which: str, seed: int) -> bool:
    """Whether fewer "joints", or fewer "symbols" per joint, are high-risk as eps grows;
    "joints, flat Dirichlet".
    """
    what, law = which.split(", ", 1)
    if what == "joints":
        counts = _both(law, seed, "high_risk_leakage", "n")[1]
        return bool(counts.iloc[-1] < counts.iloc[0])
    stack = Stack(_joints(law, seed))
    means = [
        float(stack.high_risk(LIP(eps)).sum(axis=1).mean()) for eps in C22_EPSILONS
    ]
    return all(later < earlier for earlier, later in pairwise(means))


def c22_share_without_high_risk(law: str, seed: int) -> float:
    """Return the share of 1,000 joints that have no symbol of high risk at eps 2.5."""
    return 1 - float(_both(law, seed, "high_risk_leakage", "n")[1][2.5]) / 1000


def c22_complete_loss(which: str, seed: int) -> float:
    """Return complete merging's mean NMIL; "0.25, flat Dirichlet"."""
    eps, law = which.split(", ", 1)
    return float(_both(law, seed, "nmil")[1][float(eps)])


def c22_algorithm_loss(which: str, seed: int) -> float:
    """Return Algorithm 1's mean NMIL; "0.25, flat Dirichlet"."""
    eps, law = which.split(", ", 1)
    return float(_both(law, seed, "nmil")[0][float(eps)])


def c22_algorithm_loses_less_than_all(law: str, seed: int) -> bool:
    return bool((_both(law, seed, "nmil")[0].loc[:0.5] < 1).all())


def c22_algorithm_better_everywhere(which: str, seed: int) -> bool:
    """Whether Algorithm 1 beats complete merging by a margin of NMIL at each budget;
    "0.1, flat Dirichlet".
    """
    margin, law = which.split(", ", 1)
    algorithm, complete = _both(law, seed, "nmil")
    return bool((algorithm <= complete - float(margin)).all())


def c22_leakage_below_budget(law: str, seed: int) -> bool:
    """Whether no joint's leakage exceeds the budget, at each of ten."""
    return c22_joints_above_budget(law, seed) == 0


def c22_joints_above_budget(
    law: str, seed: int, epsilons: Sequence[float] = C22_EPSILONS
) -> float:
    """Return the number of 1,000 joints on which Algorithm 1 exceeds some budget."""
    stack = Stack(_joints(law, seed))
    broken = np.zeros(len(stack.p), dtype=bool)
    for eps in epsilons:
        subset_of = merged_subsets(stack, LIP(eps), extend=False)
        broken |= stack.release(subset_of).high_risk(LIP(eps)).any(axis=1)
    return float(broken.sum())


def c22_high_risk_is_refined(
    seed: int, size: Size = (100, 3, 8), eps: float = 0.5
) -> bool:
    """Whether merging groups of Algorithm 1's partition never raises utility."""
    rng = np.random.default_rng(seed)
    for p in uniform_joints(*size, rng):
        joint = Joint(p)
        fine = subset_merging(joint, LIP(eps))
        groups = fine.partition or ()
        into = rng.integers(0, 2, len(groups))
        coarse = [
            sum((groups[g] for g in np.flatnonzero(into == k)), ())
            for k in np.unique(into)
        ]
        rough = Channel.merge(coarse, joint.n_public)
        if evaluate(joint, rough).nmil < evaluate(joint, fine).nmil - 1e-12:
            return False
    return True


def _of_seven(
    rng: np.random.Generator, size: Size, eps: float
) -> Iterator[tuple[Joint, list[int], list[tuple[int, ...]]]]:
    """Yield random joints with seven high-risk symbols, these, and the others."""
    while True:
        joint = uniform_joint(*size[1:], rng)
        risky = np.flatnonzero(high_risk(joint, LIP(eps))).tolist()
        if len(risky) == 7:
            yield joint, risky, [(x,) for x in range(10) if x not in risky]


def c22_cuts_gain_and_leak(
    seed: int, size: Size = (5, 5, 10), eps: float = 1.0
) -> bool:
    """Whether each split of seven high-risk symbols raises utility, but not privacy.

    On five joints 5 x 10, with splits in two; the LIP leakage must not fall.
    """
    joints = _of_seven(np.random.default_rng(seed), size, eps)
    for joint, risky, low in islice(joints, size[0]):
        merged = evaluate(joint, Channel.merge([*low, tuple(risky)], 10))
        for n_more in range(6):
            for more in combinations(risky[1:], n_more):
                first = (risky[0], *more)
                second = tuple(x for x in risky if x not in first)
                parts = evaluate(joint, Channel.merge([*low, first, second], 10))
                if (
                    parts.mutual_information <= merged.mutual_information
                    or parts.lip < merged.lip - KEEP_TOL
                ):
                    return False
    return True


def c22_arbitrary_cut_keeps_budget(
    seed: int, size: Size = (100, 5, 10), eps: float = 1.0
) -> float:
    """Return the share of random splits in two that satisfy the budget of 1.

    One split on each of 100 joints 5 x 10, of a set of seven symbols that satisfies the
    budget when merged.
    """
    rng, notion, satisfied = np.random.default_rng(seed), LIP(eps), list[bool]()
    for joint, risky, low in _of_seven(rng, size, eps):
        if not notion.is_satisfied(joint, watchdog(joint, notion, extend=False)):
            continue
        shuffled, n_first = rng.permutation(risky).tolist(), int(rng.integers(1, 7))
        parts = [*low, tuple(shuffled[:n_first]), tuple(shuffled[n_first:])]
        satisfied.append(notion.is_satisfied(joint, Channel.merge(parts, 10)))
        if len(satisfied) == size[0]:
            break
    return float(np.mean(satisfied))


def c22_some_cut_keeps_budget(seed: int) -> bool:
    """Whether any of 100 random splits in two satisfies the budget of 1."""
    return c22_arbitrary_cut_keeps_budget(seed) > 0


TWO_TRIPLES = Joint.from_counts(
    [[6, 1, 2, 2, 1, 6], [2, 6, 1, 6, 2, 1], [1, 2, 6, 1, 6, 2]]
)


def _greedy_refines_triples(joint: Joint = TWO_TRIPLES) -> bool:
    """Return whether the greedy partition has 2 subsets where two triples hide S."""
    finer = Channel.merge([(0, 1, 2), (3, 4, 5)], 6)
    greedy = subset_merging(joint, PerfectPrivacy())
    return greedy.n_outputs >= finer.n_outputs or not PerfectPrivacy().is_satisfied(
        joint, finer
    )


def c22_greedy_is_most_refined(reading: str, size: Size = (100, 5, 10)) -> bool:
    """Whether the greedy partition is the "finest" or the "best" private one.

    The finest has the most subsets, and the best the largest utility. "tries": it never
    has fewer subsets than complete merging, and sometimes more, on 100 joints 5 x 10 at
    LIP 1.
    """
    if reading == "tries":
        pairs = [
            [
                make(joint, LIP(1.0), extend=False).n_outputs
                for make in (subset_merging, watchdog)
            ]
            for joint in drawn(*size, 0)
        ]
        return all(greedy >= complete for greedy, complete in pairs) and any(
            a > b for a, b in pairs
        )
    return (
        _greedy_refines_triples()
        if reading == "finest"
        else c22_greedy_is_best(0) == 1.0
    )


def c22_greedy_is_best(seed: int, size: Size = (100, 5, 10), eps: float = 0.5) -> float:
    """Return the share of 100 joints where the greedy partition has the largest NMI."""
    best = 0
    for joint in drawn(*size, seed):
        pair = [
            evaluate(joint, make(joint, LIP(eps))).nmi
            for make in (subset_merging, best_partition)
        ]
        best += pair[1] <= pair[0] + 1e-9
    return best / 100


ONE_HIGH_RISK = Joint([[0.05, 0.25, 0.20], [0.20, 0.16, 0.14]])
"""A joint with a single high-risk symbol at a budget of 0.7, where merging changes
nothing.
"""


def c22_greedy_keeps_privacy(where: str, seed: int) -> bool:
    """Whether the release of Algorithm 1 always satisfies the budget.

    ``where`` is "paper" (1,000 random joints, each at ten budgets) or "ours" (one joint
    with a single high-risk symbol, where merging changes nothing).
    """
    if where == "ours":
        channel = subset_merging(ONE_HIGH_RISK, LIP(0.7), extend=False)
        return LIP(0.7).is_satisfied(ONE_HIGH_RISK, channel)
    return c22_leakage_below_budget(LAWS[0], seed)
