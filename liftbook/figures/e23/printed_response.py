"""E23 Algorithm 2, line by line, and its possible endings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import figure
from liftbook.rows.tidy import frame
from liftlib.channel import Channel
from liftlib.datasets import uniform_joints
from liftlib.errors import InfeasiblePrivacy
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.merging.subset_merging import LoopName, merged_subsets
from liftlib.notions import ALIP
from liftlib.response.aorr import cheapest
from liftlib.response.subset_response import subset_response
from mixproof.numerics import Matrix, Rng
from mixproof.polytope import vertices


class Printed(NamedTuple):
    """The result of Algorithm 2: a release or None, and how subsets were united."""

    channel: Channel | None
    unions: int
    ending: str


ENDINGS = ("responses", "subset merging", "no response")
"""Lines 20 to 23; lines 17 and 18; or neither, where a subset's polytope has vertices
and (26) still no solution.
"""


def algorithm_2(joint: Joint, notion: ALIP, loop: LoopName = "standard") -> Printed:
    """Follow E23 Algorithm 2 as published, uniting subsets with an empty polytope.

    ``loop`` is that of Algorithm 1: C22's or the published one. P_SX must have full
    support. The release need not satisfy the notion if Algorithm 1's does not.
    """
    subset_of = merged_subsets(joint.p[None], notion, loop=loop, extend=False)[0]
    waiting = [
        np.flatnonzero(subset_of == k).tolist() for k in range(subset_of.max() + 1)
    ]
    merged, halfspaces = [list(subset) for subset in waiting], notion.halfspaces(joint)
    finished: list[tuple[list[int], Matrix]] = []
    unions = 0

    def polytope(subset: list[int]) -> Matrix:
        return vertices(halfspaces[:, subset], interior=joint.p_x[subset])

    while waiting:
        subset = waiting.pop(0)
        rows = polytope(subset)
        while not len(rows) and (waiting or finished):
            subset = subset + (waiting.pop(0) if waiting else finished.pop()[0])
            unions += 1
            rows = polytope(subset)
        finished.append((subset, rows))
    low = sorted(set(range(joint.n_public)) - {x for subset in merged for x in subset})
    if len(finished) == 1 and not len(finished[0][1]):
        return Printed(
            Channel.merge([*((x,) for x in low), *merged], joint.n_public),
            unions,
            "subset merging",
        )
    blocks = []
    for subset, rows in finished:
        mass = joint.p_x[subset]
        try:
            blocks.append((subset, cheapest(rows, mass / mass.sum()).kernel))
        except InfeasiblePrivacy:
            return Printed(None, unions, "no response")
    blocks += [([x], np.ones((1, 1))) for x in low]
    kernel, start = (
        np.zeros((joint.n_public, sum(block.shape[1] for _, block in blocks))),
        0,
    )
    for subset, block in blocks:
        kernel[subset, start : start + block.shape[1]] = block
        start += block.shape[1]
    return Printed(
        Channel(kernel / kernel.sum(axis=1, keepdims=True)), unions, "responses"
    )


def _trial(
    task: tuple[Matrix, tuple[float, ...], float, LoopName, bool],
) -> list[dict[str, float]]:
    p, epsilons, lam, loop, beside = task
    joint, rows = Joint(p), []
    for eps in epsilons:
        notion = ALIP.split(eps, lam)
        printed = algorithm_2(joint, notion, loop)
        rows.append(
            {
                "unions": float(printed.unions > 0),
                **{ending: float(printed.ending == ending) for ending in ENDINGS},
                "broken": float(
                    printed.channel is not None
                    and not notion.is_satisfied(joint, printed.channel)
                ),
                "nmi": (
                    np.nan
                    if printed.channel is None
                    else evaluate(joint, printed.channel).nmi
                ),
                **(
                    {"nmi of ours": evaluate(joint, subset_response(joint, notion)).nmi}
                    if beside
                    else {}
                ),
            }
        )
    return rows


@figure
def algorithm_2_endings(
    n_trials: int = 100,
    epsilons: Iterable[float] = (0.25, 1.0, 2.0, 4.0, 6.0, 8.0),
    lam: float = 0.65,
    loop: LoopName = "standard",
    n_secret: int = 5,
    n_public: int = 17,
    *,
    beside: bool = True,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return how E23 Algorithm 2, as published, ends on random joints.

    Parameters
    ----------
    loop : {"standard", "printed"}
        The loop of Algorithm 1; with ``"printed"`` a subset may contain all high-risk
        symbols, which is slow.
    beside : bool
        Whether to compute subset_response's release as well.

    Returns
    -------
    pandas.DataFrame
        One row per budget: the shares of joints with ``unions``, of each ending, and
        ``broken`` (the notion is not satisfied); ``nmi``, the mean over joints with a
        release, and ``nmi of ours``, subset_response's on the same joints.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    budgets = tuple(epsilons)
    trials = parallel_map(_trial, [(p_sx, budgets, lam, loop, beside) for p_sx in p])
    rows = []
    for at, eps in enumerate(budgets):
        part = pd.DataFrame([trial[at] for trial in trials])
        if beside:
            part["nmi of ours"] = part["nmi of ours"].where(part["nmi"].notna())
        rows.append(
            {
                "eps": eps,
                **{name: float(part[name].mean()) for name in trials[0][at]},
                "n": len(part),
            }
        )
    return frame(rows)
