"""What S20 prints of its Figs 5 and 8: GRR, OUE and CR on Adult."""

from __future__ import annotations

import pandas as pd

from liftbook.claims.figures import Figure
from liftbook.claims.judging import long
from liftlib.datasets import adult
from liftlib.notions import LIP
from liftlib.response.optimal import optimal_response

FIG_5 = Figure("s20_5")


def _utilities(budgets: str = "all budgets") -> pd.DataFrame:
    """Return I(X; Y) by panel and budget, a column a mechanism; "all budgets", or "from 2"."""
    rows = FIG_5.of("mutual_information")
    if budgets != "all budgets":
        rows = rows[rows["eps"] >= float(budgets.removeprefix("from "))]
    return rows.pivot_table(index=["secret", "public", "eps"], columns="series", values="mean", sort=False)


@long
def reporting_between_optimum_and_unary(budgets: str) -> bool:
    """Whether GRR and CR lie between OUE and the optimum in each of six panels."""
    table = _utilities(budgets)
    low, high = table[["GRR", "CR"]].min(axis=1), table[["GRR", "CR"]].max(axis=1)
    return bool(((low >= table["OUE"] - 1e-9) & (high <= table["optimum"] + 1e-9)).all())


@long
def reporting_points_outside(which: str) -> float:
    """Return at how many of the 90 points GRR or CR is below OUE, or above the optimum."""
    table = _utilities()
    if which == "below OUE":
        return float((table[["GRR", "CR"]].min(axis=1) < table["OUE"] - 1e-9).sum())
    return float((table[["GRR", "CR"]].max(axis=1) > table["optimum"] + 1e-9).sum())


@long
def optimum_for_occupation_is_out_of_reach() -> bool:
    """Whether a certified optimum is missing for S = occupation, X = education at eps = 0.25."""
    joint = adult("occupation", "education")
    return not LIP(0.25).is_satisfied(joint, optimal_response(joint, LIP(0.25)))


@long
def conditional_reporting_beats_unary_encoding_from_2() -> bool:
    table = _utilities("from 2")
    return bool((table["CR"] > table["OUE"]).all())


@long
def both_approach_the_optimum() -> bool:
    """Whether the largest relative loss of GRR and of CR against the optimum falls with each budget from 1 to 4."""
    table = _utilities("from 1")
    losses = (1 - table[["GRR", "CR"]].div(table["optimum"], axis=0)).groupby(level="eps").max()
    return bool((losses.diff().dropna() < 0).all(axis=None))


def _panel(public: str) -> pd.DataFrame:
    table = _utilities("from 1")
    secret, column = (table.index.get_level_values(name) for name in ("secret", "public"))
    return table[(secret == "occupation") & (column == public)]


@long
def randomised_response_leads_in_5b() -> bool:
    return bool((_panel("education")["GRR"] > _panel("education")["CR"]).all())


@long
def conditional_reporting_leads_in_5d() -> bool:
    return bool((_panel("relationship")["CR"] > _panel("relationship")["GRR"]).all())


@long
def better_of_two_varies() -> bool:
    """Whether each of GRR and CR is ahead of the other in some panel at eps 1."""
    table = _utilities()
    at_one = table[table.index.get_level_values("eps") == 1.0]
    return bool((at_one["GRR"] > at_one["CR"]).any() and (at_one["CR"] > at_one["GRR"]).any())


def _alphas(public: str) -> pd.DataFrame:
    rows = Figure("s20_8", pairs=(("occupation", public),)).rows
    return rows.pivot_table(index="eps", columns="series", values="mean")


def fig8a_has_the_larger_alpha_for_grr() -> bool:
    return bool((_alphas("education")["GRR"] > _alphas("education")["CR"]).all())


def fig8b_has_the_larger_alpha_for_cr() -> bool:
    return bool((_alphas("relationship")["CR"] > _alphas("relationship")["GRR"]).all())
