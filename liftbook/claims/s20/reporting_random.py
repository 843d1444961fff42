"""What S20 prints of its Figs 6 and 7: GRR and CR on random joint distributions."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.stats import pearsonr

from liftbook import figures
from liftbook.claims.figures import Figure
from liftbook.claims.judging import Spread
from liftbook.rows.scales import S20_SHAPES, S20_SIZES
from liftlib.datasets import dirichlet_joints
from liftlib.measures.information import mutual_information

FIG_6 = Figure("s20_6", epsilons=(0.5, 1.0, 2.0))


def larger_a_for_each_c_helps_cr() -> bool:
    gains = FIG_6.of("nmi_gain")
    by_ratio = gains.assign(ratio=gains["n_public"] / gains["n_secret"]).pivot_table(
        index="ratio", columns="eps", values="mean"
    )
    return bool((by_ratio.diff().dropna() > 0).all(axis=None))


def tables_differ_more_than_methods() -> bool:
    nmi = FIG_6.of("nmi").pivot_table(index=["n_secret", "n_public", "eps"], columns="series", values=["mean", "std"])
    spread = (nmi["std", "CR"] + nmi["std", "GRR"]) / 2
    return bool((spread > (nmi["mean", "CR"] - nmi["mean", "GRR"]).abs()).all())


@cache
def correlation_of_alpha_and_utility() -> Spread:
    """Return the least and the largest rho over nine shapes and three budgets."""
    shapes = [(c, a) for c in S20_SIZES for a in S20_SIZES]
    rho = [figures.correlations(figures.figure_s20_7(eps=eps, shapes=shapes)) for eps in (0.5, 1.0, 2.0)]
    return Spread(float(np.min(rho)), float(np.max(rho)))


def other_properties_explain_nothing() -> bool:
    """Whether no correlation of CR's lead with four properties, in three panels, is significant at 5 % together."""
    rng, rows, least = np.random.default_rng(0), figures.figure_s20_7(), 1.0
    for (c, a), (_, part) in zip(S20_SHAPES, rows.groupby("panel", sort=False), strict=True):
        p = dirichlet_joints(len(part), c, a, 0.5, rng)
        information = [mutual_information(q) for q in p]
        for values in (information, p.max(axis=(1, 2)), p.sum(axis=1).max(axis=1), p.sum(axis=2).max(axis=1)):
            least = min(least, float(pearsonr(values, part["gain"]).pvalue))
    return least >= 0.05 / 12
