"""Claims about Figs 5 and 8 of S20: GRR, OUE and CR on Adult."""

from __future__ import annotations

import pandas as pd

from liftbook.claims.figures import figure
from liftbook.claims.judging import long
from liftlib.datasets import adult
from liftlib.notions import LIP
from liftlib.response.optimal import optimal_response


def _utilities() -> pd.DataFrame:
    """Return I(X; Y) by panel and budget, one column per mechanism."""
    rows = figure("s20_5").of("mutual_information")
    return rows.pivot_table(index=["secret", "public", "eps"], columns="series", values="mean", sort=False)


@long
def reporting_points_outside(which: str) -> float:
    """Return how many of 90 points of GRR or CR lie below OUE or above the optimum."""
    table = _utilities()
    if which == "below OUE":
        return float((table[["GRR", "CR"]].min(axis=1) < table["OUE"] - 1e-9).sum())
    return float((table[["GRR", "CR"]].max(axis=1) > table["optimum"] + 1e-9).sum())


@long
def optimum_for_occupation_is_out_of_reach() -> bool:
    """Whether S = occupation, X = education has no certified optimum at eps 0.25."""
    joint = adult("occupation", "education")
    return not LIP(0.25).is_satisfied(joint, optimal_response(joint, LIP(0.25)))


@long
def both_approach_the_optimum() -> bool:
    """Whether GRR's and CR's largest relative losses fall over budgets from 1 to 4."""
    table = _utilities()
    losses = (1 - table[["GRR", "CR"]].div(table["optimum"], axis=0)).groupby(level="eps").max().loc[1.0:]
    return bool((losses.diff().dropna() < 0).all(axis=None))


@long
def better_of_two_varies() -> bool:
    """Whether each of GRR and CR is ahead of the other in some panel at eps 1."""
    table = _utilities()
    at_one = table[table.index.get_level_values("eps") == 1.0]
    return bool((at_one["GRR"] > at_one["CR"]).any() and (at_one["CR"] > at_one["GRR"]).any())
