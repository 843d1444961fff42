"""What E23 section 5 prints of subset random response."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from liftbook.claims.e23.figures import SUBSETS, SUBSETS_LARGE
from liftbook.claims.figures import Figure, never_below, on_adult
from liftbook.claims.judging import long
from liftbook.figures.e23.printed_response import algorithm_2_endings
from liftbook.rows.batch import Batch
from liftbook.rows.labels import LoopName, merge_labels
from liftlib.datasets import uniform_joints
from liftlib.notions import ALIP

STRICT_BUDGETS = (0.05, 0.1, 0.25, 0.5)
PRINTED_BUDGETS = (0.25, 2.0, 4.0, 6.0, 8.0)


def _above_merging(figure: Figure, measure: str) -> bool:
    return never_below(figure.curve("SRR", measure), figure.curve("subset merging", measure))


def _leaks_more_than_merging(figure: Figure) -> bool:
    return _above_merging(figure, "min_lift_leakage") and _above_merging(figure, "max_lift_leakage")


@long
def srr_above_merging_synthetic(seed: int) -> bool:
    return _above_merging(SUBSETS.at(seed), "nmi")


def srr_above_merging_adult(without: str) -> bool:
    return _above_merging(on_adult("e23_9", without), "nmi")


@long
def srr_above_merging_large(seed: int) -> bool:
    return _above_merging(SUBSETS_LARGE.at(seed), "nmi")


@long
def srr_leaks_more_than_merging_synthetic(seed: int) -> bool:
    return _leaks_more_than_merging(SUBSETS.at(seed))


def srr_leaks_more_than_merging_adult(without: str) -> bool:
    return _leaks_more_than_merging(on_adult("e23_9", without))


@long
def srr_leaks_more_than_merging_large(seed: int) -> bool:
    return _leaks_more_than_merging(SUBSETS_LARGE.at(seed))


@long
def srr_within_budgets_large(seed: int) -> bool:
    figure = SUBSETS_LARGE.at(seed)
    leaks = pd.concat([figure.of("min_lift_leakage"), figure.of("max_lift_leakage")])
    kept = bool((figure.of("broken")["mean"] == 0).all())
    return kept and bool((leaks["mean"] <= leaks["eps"] / 2 + 1e-9).all())


def _gap(figure: Figure) -> float:
    return float((figure.curve("AORR") - figure.curve("SRR")).max())


@long
def srr_is_close_synthetic(margin: str, seed: int) -> bool:
    return _gap(SUBSETS.at(seed)) <= float(margin)


@long
def srr_gap_to_optimum_synthetic(seed: int) -> float:
    """Return the largest gap in mean NMI of SRR to AORR."""
    return _gap(SUBSETS.at(seed))


def srr_is_close_adult(margin: str) -> bool:
    return _gap(on_adult("e23_9", "Other-relative")) <= float(margin)


def srr_gap_to_optimum_adult(without: str) -> float:
    """Return the largest gap in NMI of SRR to AORR on Adult."""
    return _gap(on_adult("e23_9", without))


@long
def responses_take_longer_than_merging(seed: int) -> bool:
    figure = SUBSETS.at(seed)
    total = {name: float(figure.curve(name, "seconds").sum()) for name in ("AORR", "SRR", "subset merging")}
    return min(total["AORR"], total["SRR"]) > total["subset merging"]


def _cheaper(by: str, seed: int) -> pd.Series[bool]:
    return SUBSETS.at(seed).curve("SRR", by) < SUBSETS.at(seed).curve("AORR", by)


@long
def srr_is_cheaper_outside(by: str, seed: int) -> bool:
    cheaper = _cheaper(by, seed)
    return bool(cheaper[(cheaper.index < 1) | (cheaper.index > 2.5)].all())


@long
def srr_is_dearer_between(by: str, seed: int) -> bool:
    cheaper = _cheaper(by, seed)
    return bool((~cheaper[(cheaper.index >= 1) & (cheaper.index <= 2.5)]).all())


@long
def srr_dearer_at_budgets(by: str, seed: int) -> float:
    """Return at how many of the 32 budgets SRR is dearer than AORR."""
    return float((~_cheaper(by, seed)).sum())


def subsets_are_ever_united(loop: LoopName, seed: int) -> bool:
    """Whether some subset of Algorithm 1, of several, allows no response at strict budgets: 200 joints 5 x 17.

    A subset allows a response exactly where it keeps the notion when merged.
    """
    batch = Batch(uniform_joints(200, 5, 17, np.random.default_rng(seed)))
    for eps in STRICT_BUDGETS:
        notion = ALIP.split(eps, 0.65)
        labels, order = merge_labels(batch, notion, loop=loop, extend=False)
        kept = notion.kept_columns(batch.release(labels)[0], batch.p_s)
        merged = (order >= 0).sum(axis=1)
        if (~kept.all(axis=1) & (merged > 1)).any():
            return True
    return False


@lru_cache(maxsize=2)
def _endings(seed: int) -> pd.DataFrame:
    return algorithm_2_endings(100, epsilons=PRINTED_BUDGETS, beside=False, rng=seed).set_index("eps")


@long
def algorithm_2_share(which: str, seed: int) -> float:
    """Return the share of 100 joints 5 x 17, lambda 0.65, on which Algorithm 2 as printed ends so; "no response, 4".

    What stands for an ending may be "unions" or "broken" too, and for the budget "any", the largest share over five.
    """
    ending, eps = which.split(", ")
    shares = _endings(seed)[ending]
    return float(shares.max() if eps == "any" else shares[float(eps)])
