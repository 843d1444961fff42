"""Claims of E23 section 5 about subset random response."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from liftbook.claims.figures import figure
from liftbook.claims.judging import long
from liftbook.figures.e23.printed_response import algorithm_2_endings
from liftbook.rows.batch import Batch
from liftbook.rows.labels import LoopName, merge_labels
from liftlib.datasets import uniform_joints
from liftlib.notions import ALIP

STRICT_BUDGETS = (0.05, 0.1, 0.25, 0.5)
PRINTED_BUDGETS = (0.25, 2.0, 4.0, 6.0, 8.0)


@long
def srr_within_budgets_large(seed: int) -> bool:
    rows = figure("e23_10", n_trials=10).at(seed)
    leaks = pd.concat([rows.of("min_lift_leakage"), rows.of("max_lift_leakage")])
    satisfied = bool((rows.of("broken")["mean"] == 0).all())
    return satisfied and bool((leaks["mean"] <= leaks["eps"] / 2 + 1e-9).all())


@long
def responses_take_longer_than_merging(seed: int) -> bool:
    rows = figure("e23_8").at(seed)
    total = {name: float(rows.curve(name, "seconds").sum()) for name in ("AORR", "SRR", "subset merging")}
    return min(total["AORR"], total["SRR"]) > total["subset merging"]


def subsets_are_ever_united(loop: LoopName, seed: int) -> bool:
    """Whether some subset of Algorithm 1 allows no response at strict budgets.

    A subset of several symbols allows a response exactly if it satisfies the notion when merged; 200 joints 5 x 17.
    """
    batch = Batch(uniform_joints(200, 5, 17, np.random.default_rng(seed)))
    for eps in STRICT_BUDGETS:
        notion = ALIP.split(eps, 0.65)
        labels, order = merge_labels(batch, notion, loop=loop, extend=False)
        satisfied = notion.kept_columns(batch.release(labels)[0], batch.p_s)
        merged = (order >= 0).sum(axis=1)
        if (~satisfied.all(axis=1) & (merged > 1)).any():
            return True
    return False


def a_subset_may_allow_no_response(seed: int) -> bool:
    """Whether some random high-risk subset allows no response at strict budgets.

    A subset of several symbols allows a response exactly if it satisfies the notion when merged; 200 joints 5 x 17.
    """
    source = np.random.default_rng(seed)
    for p in uniform_joints(200, 5, 17, source):
        p_x, p_s = p.sum(axis=0), p.sum(axis=1)
        for eps in STRICT_BUDGETS:
            notion = ALIP.split(eps, 0.65)
            risky = np.flatnonzero(~notion.kept_columns(p / p_x / p_s[:, None], p_s))
            if len(risky) > 2:
                subset = source.choice(risky, source.integers(2, len(risky)), replace=False)
                merged = p[:, subset].sum(axis=1, keepdims=True) / p_x[subset].sum() / p_s[:, None]
                if not notion.kept_columns(merged, p_s)[0]:
                    return True
    return False


@lru_cache(maxsize=2)
def _endings(seed: int) -> pd.DataFrame:
    return algorithm_2_endings(100, epsilons=PRINTED_BUDGETS, beside=False, rng=seed).set_index("eps")


@long
def algorithm_2_share(which: str, seed: int) -> float:
    """Return the share of 100 joints with an ending of Algorithm 2; "no response, 4".

    The ending may also be "unions" or "broken", and the budget "any": the largest share over five budgets.
    """
    ending, eps = which.split(", ")
    shares = _endings(seed)[ending]
    return float(shares.max() if eps == "any" else shares[float(eps)])
