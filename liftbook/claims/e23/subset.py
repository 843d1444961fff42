"""What E23 section 5 prints of subset random response."""

from __future__ import annotations

import pandas as pd

from liftbook.claims.e23.figures import SUBSETS, SUBSETS_ADULT, SUBSETS_LARGE
from liftbook.claims.figures import Figure, never_below


def _above_merging(figure: Figure, measure: str) -> bool:
    return never_below(figure.curve("SRR", measure), figure.curve("subset merging", measure))


def _leaks_more_than_merging(figure: Figure) -> bool:
    return _above_merging(figure, "min_lift_leakage") and _above_merging(figure, "max_lift_leakage")


def srr_above_merging_synthetic() -> bool:
    return _above_merging(SUBSETS, "nmi")


def srr_above_merging_adult() -> bool:
    return _above_merging(SUBSETS_ADULT, "nmi")


def srr_above_merging_large() -> bool:
    return _above_merging(SUBSETS_LARGE, "nmi")


def srr_leaks_more_than_merging_synthetic() -> bool:
    return _leaks_more_than_merging(SUBSETS)


def srr_leaks_more_than_merging_adult() -> bool:
    return _leaks_more_than_merging(SUBSETS_ADULT)


def srr_leaks_more_than_merging_large() -> bool:
    return _leaks_more_than_merging(SUBSETS_LARGE)


def srr_within_budgets_large() -> bool:
    leaks = pd.concat([SUBSETS_LARGE.of("min_lift_leakage"), SUBSETS_LARGE.of("max_lift_leakage")])
    kept = bool((SUBSETS_LARGE.of("broken")["mean"] == 0).all())
    return kept and bool((leaks["mean"] <= leaks["eps"] / 2 + 1e-9).all())


def srr_gap_to_optimum_synthetic() -> float:
    return float((SUBSETS.curve("AORR") - SUBSETS.curve("SRR")).max())


def srr_gap_to_optimum_adult() -> float:
    return float((SUBSETS_ADULT.curve("AORR") - SUBSETS_ADULT.curve("SRR")).max())


def responses_take_longer_than_merging() -> bool:
    total = {name: float(SUBSETS.curve(name, "seconds").sum()) for name in ("AORR", "SRR", "subset merging")}
    return min(total["AORR"], total["SRR"]) > total["subset merging"]


def _fewer_vertices() -> pd.Series[bool]:
    return SUBSETS.curve("SRR", "vertices") < SUBSETS.curve("AORR", "vertices")


def srr_has_fewer_vertices_outside() -> bool:
    fewer = _fewer_vertices()
    return bool(fewer[(fewer.index < 1) | (fewer.index > 2.5)].all())


def srr_has_more_vertices_between() -> bool:
    fewer = _fewer_vertices()
    return bool((~fewer[(fewer.index >= 1) & (fewer.index <= 2.5)]).all())


def subsets_are_ever_united() -> bool:
    return bool(SUBSETS.curve("SRR", "unions").max() > 0)
