"""What S20 prints of GRR, OUE and conditional reporting: section VII, Figs 5 to 8 and the conclusion."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from scipy.stats import pearsonr

from liftbook.claims.judging import Spread
from liftbook.figures import s20_reporting as figures
from liftlib.datasets import adult, dirichlet_joint, dirichlet_joints
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import mutual_information
from liftlib.mechanisms.family import Family
from liftlib.mechanisms.noise.randomised import randomised_response
from liftlib.mechanisms.noise.reporting import conditional_reporting
from liftlib.mechanisms.noise.unary import unary_encoding
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.notions import LIP

BUDGETS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)


@cache
def _fig5() -> pd.DataFrame:
    """Return I(X; Y) by panel and budget, a column a mechanism."""
    rows = figures.figure_s20_5(BUDGETS)
    rows = rows[rows["measure"] == "mutual_information"]
    return rows.pivot_table(index=["secret", "public", "eps"], columns="series", values="mean", sort=False)


@cache
def _fig6() -> pd.DataFrame:
    return figures.figure_s20_6(epsilons=(0.5, 1.0, 2.0))


def _panel(public: str) -> pd.DataFrame:
    table = _fig5()
    secret, column, eps = (table.index.get_level_values(name) for name in ("secret", "public", "eps"))
    return table[(secret == "occupation") & (column == public) & (eps >= 1)]


def _level_is(family: Family) -> bool:
    joints = [dirichlet_joint(3, 6, 0.5, np.random.default_rng(seed)) for seed in range(20)]
    return all(
        abs(family.lip(joint, alpha) - LIP(0.0).excess(joint, family(joint, alpha))) < 1e-9
        for joint in joints
        for alpha in (0.3, 1.0, 3.0)
    )


def equation_29_is_the_level() -> bool:
    return _level_is(randomised_response)


def equation_32_is_the_level() -> bool:
    return _level_is(unary_encoding)


def equation_33_is_the_level() -> bool:
    return _level_is(conditional_reporting)


def levels_grow_with_alpha() -> bool:
    joints = [dirichlet_joint(3, 6, 0.5, np.random.default_rng(seed)) for seed in range(20)]
    alphas = np.linspace(0, 8, 60)
    return all(
        (np.diff([family.lip(joint, alpha) for alpha in alphas]) >= 0).all()
        for family in (randomised_response, unary_encoding, conditional_reporting)
        for joint in joints
    )


def relationship_values() -> float:
    return float(adult("marital-status", "relationship").n_public)


def sex_values() -> float:
    return float(adult("marital-status", "sex").n_public)


def unary_encoding_of_education_is_infeasible() -> bool:
    """Whether I(X; Y) over the 65,536 outputs cannot be computed."""
    joint = adult("marital-status", "education")
    channel = unary_encoding(joint, unary_encoding.at_lip(joint, 1.0))
    return not 0 < evaluate(joint, channel).mutual_information < evaluate(joint, channel).entropy


def optimum_for_occupation_is_out_of_reach() -> bool:
    """Whether a certified optimum is missing for S = occupation, X = education at eps = 0.25."""
    joint = adult("occupation", "education")
    return not LIP(0.25).is_kept(joint, optimal_response(joint, LIP(0.25)))


def randomised_response_is_below_the_optimum() -> bool:
    return bool((_fig5()["GRR"] <= _fig5()["optimum"] + 1e-9).all())


def conditional_reporting_is_below_the_optimum() -> bool:
    return bool((_fig5()["CR"] <= _fig5()["optimum"] + 1e-9).all())


def both_are_above_unary_encoding() -> bool:
    return bool((_fig5()[["GRR", "CR"]].min(axis=1) >= _fig5()["OUE"] - 1e-9).all())


def conditional_reporting_beats_unary_encoding_from_2() -> bool:
    table = _fig5()
    return bool((table["CR"] > table["OUE"])[table.index.get_level_values("eps") >= 2].all())


def both_approach_the_optimum() -> bool:
    table = _fig5()
    losses = (1 - table[["GRR", "CR"]].div(table["optimum"], axis=0)).groupby(level="eps").max()
    return bool((losses[losses.index >= 1].diff().dropna() < 0).all(axis=None))


def randomised_response_leads_in_5b() -> bool:
    return bool((_panel("education")["GRR"] > _panel("education")["CR"]).all())


def conditional_reporting_leads_in_5d() -> bool:
    return bool((_panel("relationship")["CR"] > _panel("relationship")["GRR"]).all())


def _alphas(public: str) -> pd.DataFrame:
    rows = figures.figure_s20_8(pairs=(("occupation", public),))
    return rows.pivot_table(index="eps", columns="series", values="mean")


def fig8a_has_the_larger_alpha_for_grr() -> bool:
    return bool((_alphas("education")["GRR"] > _alphas("education")["CR"]).all())


def fig8b_has_the_larger_alpha_for_cr() -> bool:
    return bool((_alphas("relationship")["CR"] > _alphas("relationship")["GRR"]).all())


def larger_a_for_each_c_helps_cr() -> bool:
    gains = _fig6()[_fig6()["measure"] == "nmi_gain"]
    by_ratio = gains.assign(ratio=gains["n_public"] / gains["n_secret"]).pivot_table(
        index="ratio", columns="eps", values="mean"
    )
    return bool((by_ratio.diff().dropna() > 0).all(axis=None))


def tables_differ_more_than_methods() -> bool:
    nmi = _fig6()[_fig6()["measure"] == "nmi"].pivot_table(
        index=["n_secret", "n_public", "eps"], columns="series", values=["mean", "std"]
    )
    spread = (nmi["std", "CR"] + nmi["std", "GRR"]) / 2
    return bool((spread > (nmi["mean", "CR"] - nmi["mean", "GRR"]).abs()).all())


@cache
def correlation_of_alpha_and_utility() -> Spread:
    """Return the least and the largest rho over nine shapes and three budgets."""
    shapes = [(c, a) for c in figures.SIZES for a in figures.SIZES]
    rho = [figures.correlations(figures.figure_s20_7(eps=eps, shapes=shapes)) for eps in (0.5, 1.0, 2.0)]
    return Spread(float(np.min(rho)), float(np.max(rho)))


def other_properties_explain_nothing() -> bool:
    """Whether no correlation of CR's lead with four properties, in three panels, is significant at 5 % together."""
    rng, rows, least = np.random.default_rng(0), figures.figure_s20_7(), 1.0
    for (c, a), (_, part) in zip(figures.SHAPES, rows.groupby("panel", sort=False), strict=True):
        p = dirichlet_joints(len(part), c, a, 0.5, rng)
        information = [mutual_information(q) for q in p]
        for values in (information, p.max(axis=(1, 2)), p.sum(axis=1).max(axis=1), p.sum(axis=2).max(axis=1)):
            least = min(least, float(pearsonr(values, part["gain"]).pvalue))
    return least >= 0.05 / 12
