"""What S20 prints of its Figs 5 and 8: GRR, OUE and CR on Adult."""

from __future__ import annotations

import pandas as pd

from liftbook.claims.figures import Figure
from liftbook.claims.utility import optimum
from liftlib.datasets import adult
from liftlib.measures.evaluation import evaluate
from liftlib.mechanisms.family import calibrate
from liftlib.mechanisms.noise.randomised import randomised_response
from liftlib.mechanisms.noise.reporting import conditional_reporting
from liftlib.mechanisms.noise.unary import unary_encoding
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.notions import LIP

FIG_5 = Figure("s20_5", (0.5, 1.0, 1.5, 2.0, 3.0, 4.0))


def _utilities() -> pd.DataFrame:
    """Return I(X; Y) by panel and budget, a column a mechanism."""
    rows = FIG_5.of("mutual_information")
    return rows.pivot_table(index=["secret", "public", "eps"], columns="series", values="mean", sort=False)


def reporting_between_optimum_and_unary() -> bool:
    """Whether GRR and CR lie between OUE and the optimum: S = marital status, X = relationship, eps 0.5 to 2."""
    joint = adult("marital-status", "relationship")
    for eps in (0.5, 1.0, 1.5, 2.0):
        notion = LIP(eps)
        utility = {
            make: evaluate(joint, make(joint, calibrate(make, joint, notion))).mutual_information
            for make in (randomised_response, unary_encoding, conditional_reporting)
        }
        best = optimum(joint, notion)
        for make in (randomised_response, conditional_reporting):
            if not utility[unary_encoding] - 1e-9 <= utility[make] <= best + 1e-9:
                return False
    return True


def optimum_for_occupation_is_out_of_reach() -> bool:
    """Whether a certified optimum is missing for S = occupation, X = education at eps = 0.25."""
    joint = adult("occupation", "education")
    return not LIP(0.25).is_kept(joint, optimal_response(joint, LIP(0.25)))


def randomised_response_is_below_the_optimum() -> bool:
    return bool((_utilities()["GRR"] <= _utilities()["optimum"] + 1e-9).all())


def conditional_reporting_is_below_the_optimum() -> bool:
    return bool((_utilities()["CR"] <= _utilities()["optimum"] + 1e-9).all())


def both_are_above_unary_encoding() -> bool:
    return bool((_utilities()[["GRR", "CR"]].min(axis=1) >= _utilities()["OUE"] - 1e-9).all())


def conditional_reporting_beats_unary_encoding_from_2() -> bool:
    table = _utilities()
    return bool((table["CR"] > table["OUE"])[table.index.get_level_values("eps") >= 2].all())


def both_approach_the_optimum() -> bool:
    table = _utilities()
    losses = (1 - table[["GRR", "CR"]].div(table["optimum"], axis=0)).groupby(level="eps").max()
    return bool((losses[losses.index >= 1].diff().dropna() < 0).all(axis=None))


def _panel(public: str) -> pd.DataFrame:
    table = _utilities()
    secret, column, eps = (table.index.get_level_values(name) for name in ("secret", "public", "eps"))
    return table[(secret == "occupation") & (column == public) & (eps >= 1)]


def randomised_response_leads_in_5b() -> bool:
    return bool((_panel("education")["GRR"] > _panel("education")["CR"]).all())


def conditional_reporting_leads_in_5d() -> bool:
    return bool((_panel("relationship")["CR"] > _panel("relationship")["GRR"]).all())


def _alphas(public: str) -> pd.DataFrame:
    rows = Figure("s20_8", pairs=(("occupation", public),)).rows
    return rows.pivot_table(index="eps", columns="series", values="mean")


def fig8a_has_the_larger_alpha_for_grr() -> bool:
    return bool((_alphas("education")["GRR"] > _alphas("education")["CR"]).all())


def fig8b_has_the_larger_alpha_for_cr() -> bool:
    return bool((_alphas("relationship")["CR"] > _alphas("relationship")["GRR"]).all())
