"""Claims of S20 section VII about GRR, OUE and CR, and about Figs 5-8."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
import pandas as pd
from scipy.stats import norm

from liftbook import figures
from liftbook.claims.curves import CURVE_TOL, Figure, figure, never_below
from liftbook.claims.judging import long
from liftbook.claims.samples import Shapes, jeffreys, on_each, seeded
from liftbook.claims.settings import panel_orders
from liftbook.figures.s20.reporting import FAMILIES
from liftbook.rows.making import S20_SHAPES
from liftlib.datasets import adult, dirichlet_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import entropy, mutual_information
from liftlib.noise.conditional_reporting import conditional_reporting
from liftlib.noise.randomised_response import randomised_response
from liftlib.noise.unary_encoding import unary_encoding
from liftlib.notions import LDP, LIP
from liftlib.response.optimal import optimal_response
from mixproof.numerics import Vector


def adult_values(column: str) -> float:
    """Return the number of distinct values of a column of Adult."""
    return float(adult(column, "sex" if column != "sex" else "education").n_secret)


@on_each(jeffreys, 20, 3, 6)
def equation_is_the_level(joint: Joint, name: str) -> bool:
    """Whether eq. (29) for GRR, (32) for OUE or (33) for CR equals the LIP leakage."""
    family, lip = FAMILIES[name], LIP(0.0)
    return all(
        abs(family.lip(joint, e) - lip.violation(joint, family.at(joint, e))) < 1e-9
        for e in (0.3, 1.0, 3.0)
    )


@on_each(jeffreys, 20, 3, 6)
def levels_grow_with_alpha(joint: Joint, name: str, etas: int = 60) -> bool:
    """Whether the LIP level of GRR, OUE or CR never falls as eta grows to 8."""
    levels = [FAMILIES[name].lip(joint, eta) for eta in np.linspace(0, 8, etas)]
    return bool((np.diff(levels) >= 0).all())


Columns = tuple[str, str]
"""The secret and the public column of Adult."""
EDUCATION: Columns = ("marital-status", "education")


def unary_encoding_tends_to_half(columns: Columns = EDUCATION) -> float:
    """Return OUE's mutual information on education at eta = inf as a share of H(X)."""
    joint = adult(*columns)
    return evaluate(
        joint, unary_encoding.at(joint, np.inf)
    ).mutual_information / entropy(joint.p_x)


@on_each(seeded, 10, 2, 5)
def conditional_reporting_is_ldp(joint: Joint) -> bool:
    return all(
        LDP(eta).is_satisfied(joint, conditional_reporting.at(joint, eta))
        for eta in (0.1, 1.0, 5.0)
    )


def unary_encoding_of_education_is_infeasible(columns: Columns = EDUCATION) -> bool:
    """Whether I(X; Y) over the 65,536 outputs cannot be computed."""
    joint = adult(*columns)
    channel = unary_encoding.at(joint, unary_encoding.at_lip(joint, 1.0))
    return (
        not 0
        < evaluate(joint, channel).mutual_information
        < evaluate(joint, channel).entropy
    )


@on_each(jeffreys, 20, 3, 6)
def ldp_in_x_implies_ldp_in_s(joint: Joint) -> bool:
    """Whether GRR's eta, its LDP leakage for X, bounds its LDP leakage for S."""
    etas = (0.3, 1.0, 3.0)
    return all(
        LDP(0.0).leakage(joint, randomised_response.at(joint, eta)) <= eta + 1e-9
        for eta in etas
    )


@on_each(jeffreys, 20, 3, 6)
def utility_grows_with_alpha(joint: Joint) -> bool:
    """Whether I(X;Y) of GRR and of CR never falls as eta grows, on 20 joints 3 x 6."""
    utilities = [
        [
            evaluate(joint, family.at(joint, eta)).mutual_information
            for eta in np.linspace(0, 8, 30)
        ]
        for family in (randomised_response, conditional_reporting)
    ]
    return bool((np.diff(utilities) > -1e-12).all())


FIG_6 = Figure("s20_6", epsilons=(0.5, 1.0, 2.0))
NULL_TRIALS = 1500
"""Joints per shape for the claim that others do not appear to have an impact; 100
cannot distinguish 0.2 from 0.
"""
N_TESTS = 12
"""Four properties in three shapes; each interval has the confidence 1 - 0.05 / 12."""


def larger_a_for_each_c_helps_cr(eps: str, seed: int) -> bool:
    """Whether CR's mean lead over GRR grows with each ratio |X| / |S| of
    nine panels.
    """
    gains = FIG_6.at(seed).of("nmi_gain")
    gains = gains[gains["eps"] == float(eps)]
    by_ratio = gains["mean"].groupby(gains["n_public"] / gains["n_secret"]).mean()
    return bool((by_ratio.diff().dropna() > 0).all())


def _panels_of_methods(eps: str, seed: int) -> pd.Series[bool]:
    """Return whether the mean std of CR and GRR exceeds their difference, by panel."""
    nmi = FIG_6.at(seed).of("nmi")
    nmi = nmi[nmi["eps"] == float(eps)].pivot_table(
        index=["n_secret", "n_public"], columns="series", values=["mean", "std"]
    )
    spread = (nmi["std", "CR"] + nmi["std", "GRR"]) / 2
    return spread > (nmi["mean", "CR"] - nmi["mean", "GRR"]).abs()


def tables_differ_more_than_methods(eps: str, seed: int) -> bool:
    return bool(_panels_of_methods(eps, seed).all())


@lru_cache(maxsize=16)
def _correlations(
    eps: float, seed: int, n_trials: int = 100, shapes: Shapes = S20_SHAPES
) -> pd.Series:
    return figures.correlations(figures.figure_s20_7(n_trials, eps, shapes, rng=seed))


@long
def correlation_of_alpha_and_utility(where: str, seed: int) -> float:
    """Return rho of the gains in eta and utility, by |S| x |X| and eps; "20
    x 5, 1.0".
    """
    shape, eps = where.split(", ")
    c, a = shape.split(" x ")
    return float(_correlations(float(eps), seed)[f"|S| = {c}, |X| = {a}"])


@lru_cache(maxsize=2)
def _other_properties(seed: int, n_trials: int, shapes: Shapes) -> dict[str, float]:
    """Return each property's correlation with CR's lead in I(X; Y)."""
    rng, correlations = np.random.default_rng(seed), {}
    rows = figures.figure_s20_7(n_trials, shapes=shapes, rng=seed)
    for (c, a), (_, part) in zip(
        shapes, rows.groupby("panel", sort=False), strict=True
    ):
        p = dirichlet_joints(len(part), c, a, 0.5, rng)
        properties: dict[str, Vector] = {
            "I(S;X)": np.array([mutual_information(q) for q in p]),
            "max P(s,x)": p.max(axis=(1, 2)),
            "max P(x)": p.sum(axis=1).max(axis=1),
            "max P(s)": p.sum(axis=2).max(axis=1),
        }
        for name, values in properties.items():
            correlations[f"{name}, {c} x {a}"] = float(
                np.corrcoef(values, part["gain"])[0, 1]
            )
    return correlations


@long
def least_largest_correlation(
    seed: int, n_trials: int = NULL_TRIALS, shapes: Shapes = S20_SHAPES
) -> float:
    """Return the lower end of the interval of the largest of twelve |correlations|."""
    r = max(map(abs, _other_properties(seed, n_trials, shapes).values()))
    half = norm.ppf(1 - 0.05 / N_TESTS / 2) / np.sqrt(n_trials - 3)
    return float(np.tanh(np.arctanh(r) - half))


@long
def correlation_with_a_property(
    which: str, seed: int, n_trials: int = NULL_TRIALS, shapes: Shapes = S20_SHAPES
) -> float:
    """Return one of the twelve correlations; "max P(x), 5 x 20" is |S| = 5,
    |X| = 20.
    """
    return _other_properties(seed, n_trials, shapes)[which]


@long
def other_properties_seem_to_explain_nothing(
    seed: int, n_trials: int = 100, shapes: Shapes = S20_SHAPES
) -> bool:
    """Whether no correlation is significant at a familywise 5 %."""
    r = max(map(abs, _other_properties(seed, n_trials, shapes).values()))
    return bool(
        np.arctanh(r) * np.sqrt(n_trials - 3) <= norm.ppf(1 - 0.05 / N_TESTS / 2)
    )


def power_of_the_null_test(r: str) -> float:
    """Return the power of each of the twelve intervals against a correlation r."""
    shift = np.arctanh(float(r)) * np.sqrt(NULL_TRIALS - 3)
    return float(norm.sf(norm.ppf(1 - 0.05 / N_TESTS / 2) - shift))


FIG_5 = figure("s20_5")


def _utilities() -> pd.DataFrame:
    """Return I(X; Y) by panel and budget, one column per mechanism."""
    rows = FIG_5.of("mutual_information")
    return rows.pivot_table(
        index=["secret", "public", "eps"], columns="series", values="mean", sort=False
    )


@long
def reporting_points_outside(which: str) -> float:
    """Return how many of 90 points of GRR or CR lie below OUE or above the optimum."""
    table = _utilities()
    if which == "below OUE":
        return float((table[["GRR", "CR"]].min(axis=1) < table["OUE"] - 1e-9).sum())
    return float((table[["GRR", "CR"]].max(axis=1) > table["optimum"] + 1e-9).sum())


@long
def optimum_for_occupation_is_out_of_reach(
    columns: Columns = ("occupation", "education"), eps: float = 0.25
) -> bool:
    """Whether S = occupation, X = education has no certified optimum at eps 0.25."""
    joint = adult(*columns)
    return not LIP(eps).is_satisfied(joint, optimal_response(joint, LIP(eps)))


def _within(table: pd.DataFrame, budgets: str) -> pd.DataFrame:
    """Return the rows of a range of budgets, "all budgets" or "from 1"."""
    least = 0.0 if budgets == "all budgets" else float(budgets.removeprefix("from "))
    return table[table.index.get_level_values("eps") >= least]


@long
def both_approach_the_optimum(budgets: str) -> bool:
    """Whether GRR's and CR's largest relative losses fall from each budget
    to the next.
    """
    table = _within(_utilities(), budgets)
    losses = (
        (1 - table[["GRR", "CR"]].div(table["optimum"], axis=0))
        .groupby(level="eps")
        .max()
    )
    return bool((losses.diff().dropna() <= CURVE_TOL).all(axis=None))


@long
def better_of_two_varies() -> bool:
    """Whether each of GRR and CR is ahead of the other in some panel at eps 1."""
    table = _utilities()
    at_one = table[table.index.get_level_values("eps") == 1.0]
    return bool(
        (at_one["GRR"] > at_one["CR"]).any() and (at_one["CR"] > at_one["GRR"]).any()
    )


def _panel(table: pd.DataFrame, which: str, letter: str) -> pd.DataFrame:
    """Return the panel "b" or "d" of a table by panel and budget, in an order and
    range; "3, from 1".
    """
    order, _, budgets = which.partition(", ")
    secret, public = panel_orders()[int(order) - 1]["abcdef".index(letter)]
    panel = table.loc[[(secret, public) == pair[:2] for pair in table.index]]
    return _within(panel, budgets or "all budgets")


@long
def randomised_response_leads_in_5b(which: str) -> bool:
    panel = _panel(_utilities(), which, "b")
    return never_below(panel["GRR"], panel["CR"])


@long
def conditional_reporting_leads_in_5d(which: str) -> bool:
    panel = _panel(_utilities(), which, "d")
    return never_below(panel["CR"], panel["GRR"])


PANELS = tuple(dict.fromkeys(panel for order in panel_orders() for panel in order))
FIG_8 = Figure("s20_8", pairs=PANELS)


@cache
def _parameters() -> pd.DataFrame:
    """Return eta by panel and budget, one column per mechanism."""
    rows = FIG_8.of("family_eta")
    return rows.pivot_table(
        index=["secret", "public", "eps"], columns="series", values="mean", sort=False
    )


def fig8a_has_the_larger_alpha_for_grr(order: str) -> bool:
    panel = _panel(_parameters(), order, "b")
    return never_below(panel["GRR"], panel["CR"])


def fig8b_has_the_larger_alpha_for_cr(order: str) -> bool:
    panel = _panel(_parameters(), order, "d")
    return never_below(panel["CR"], panel["GRR"])
