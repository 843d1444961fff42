"""Claims about Figs 6 and 7 of S20: GRR and CR on random joint distributions."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.stats import norm

from liftbook import figures
from liftbook.claims.figures import Figure
from liftbook.claims.judging import Interval, long
from liftbook.rows.scales import S20_SHAPES
from liftlib.datasets import dirichlet_joints
from liftlib.measures.information import mutual_information
from mixproof.numerics import Vector

FIG_6 = Figure("s20_6", epsilons=(0.5, 1.0, 2.0))
NULL_TRIALS = 1500
"""Joints per shape for the claim that others do not appear to have an impact; 100 cannot distinguish 0.2 from 0."""
N_TESTS = 12
"""Four properties in three shapes; each interval has the confidence 1 - 0.05 / 12."""


def larger_a_for_each_c_helps_cr(seed: int) -> bool:
    gains = FIG_6.at(seed).of("nmi_gain")
    by_ratio = gains.assign(ratio=gains["n_public"] / gains["n_secret"]).pivot_table(
        index="ratio", columns="eps", values="mean"
    )
    return bool((by_ratio.diff().dropna() > 0).all(axis=None))


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


def panels_where_methods_differ_more(eps: str, seed: int) -> float:
    """Return the number of nine panels whose means differ by at least the mean std."""
    return float((~_panels_of_methods(eps, seed)).sum())


@lru_cache(maxsize=16)
def _correlations(eps: float, seed: int) -> pd.Series:
    return figures.correlations(figures.figure_s20_7(eps=eps, rng=seed))


@long
def correlation_of_alpha_and_utility(where: str, seed: int) -> float:
    """Return rho of the gains in eta and utility, by |S| x |X| and eps; "20 x 5, 1.0"."""
    shape, eps = where.split(", ")
    c, a = shape.split(" x ")
    return float(_correlations(float(eps), seed)[f"|S| = {c}, |X| = {a}"])


@lru_cache(maxsize=2)
def _other_properties(seed: int, n_trials: int = NULL_TRIALS) -> dict[str, float]:
    """Return each property's correlation with CR's lead in I(X; Y) at eps 1."""
    rng, rows, correlations = np.random.default_rng(seed), figures.figure_s20_7(n_trials, rng=seed), {}
    for (c, a), (_, part) in zip(S20_SHAPES, rows.groupby("panel", sort=False), strict=True):
        p = dirichlet_joints(len(part), c, a, 0.5, rng)
        properties: dict[str, Vector] = {
            "I(S;X)": np.array([mutual_information(q) for q in p]),
            "max P(s,x)": p.max(axis=(1, 2)),
            "max P(x)": p.sum(axis=1).max(axis=1),
            "max P(s)": p.sum(axis=2).max(axis=1),
        }
        for name, values in properties.items():
            correlations[f"{name}, {c} x {a}"] = float(np.corrcoef(values, part["gain"])[0, 1])
    return correlations


@long
def other_properties_explain_nothing(seed: int) -> Interval:
    """Return the confidence interval of the largest of twelve |correlations|."""
    r = max(_other_properties(seed).values(), key=abs)
    half = norm.ppf(1 - 0.05 / N_TESTS / 2) / np.sqrt(NULL_TRIALS - 3)
    return Interval(float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half)))


@long
def correlation_with_a_property(which: str, seed: int) -> float:
    """Return one of the twelve correlations; "max P(x), 5 x 20" is |S| = 5, |X| = 20."""
    return _other_properties(seed)[which]


@long
def other_properties_seem_to_explain_nothing(seed: int) -> bool:
    """Whether no correlation is significant on 100 joints, at a familywise 5 %."""
    r = max(map(abs, _other_properties(seed, 100).values()))
    return bool(np.arctanh(r) * np.sqrt(100 - 3) <= norm.ppf(1 - 0.05 / N_TESTS / 2))


def power_of_the_null_test(r: str) -> float:
    """Return the power of each of the twelve intervals against a correlation r."""
    shift = np.arctanh(float(r)) * np.sqrt(NULL_TRIALS - 3)
    return float(norm.sf(norm.ppf(1 - 0.05 / N_TESTS / 2) - shift))
