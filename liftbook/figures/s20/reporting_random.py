"""S20 Figs 6 and 7: GRR and CR on random joint distributions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from liftbook.figures.s20.series import DIRECT, FAMILIES
from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import figure
from liftbook.rows.scales import S20_RANDOM_EPSILONS, S20_SHAPES, S20_SIZES
from liftbook.rows.tidy import budgets, frame, summary
from liftlib.datasets import dirichlet_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import LIP
from mixproof.numerics import Matrix, Rng, generator


@figure
def figure_s20_6(
    n_trials: int = 100,
    epsilons: Iterable[float] = S20_RANDOM_EPSILONS,
    n_secrets: Sequence[int] = S20_SIZES,
    n_publics: Sequence[int] = S20_SIZES,
    concentration: float = 0.5,
    series: Sequence[str] = ("GRR", "CR"),
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the utility of GRR and CR under LIP on random joints (S20 Fig. 6).

    Parameters
    ----------
    n_secrets, n_publics : sequence of int
        Numbers of secrets (S20's c) and of symbols (its a); a panel of ``n_trials`` joints for each pair.
    series : sequence of str
        Any of "GRR", "CR", "OUE" (up to 20 symbols) and "tailored".

    Returns
    -------
    pandas.DataFrame
        Columns ``panel``, ``n_secret``, ``n_public``, ``series``, ``eps``, ``measure`` (nmi), ``mean``, ``std``, ``n``.
        With both GRR and CR, the series ``CR − GRR`` has the measures ``nmi_gain``, joint by joint, and ``ahead``, the
        share of joints where it is positive.
    """
    rng, eps = generator(rng), tuple(budgets(epsilons))
    shapes = [(c, a) for c in n_secrets for a in n_publics]
    tasks = [(dirichlet_joints(n_trials, c, a, concentration, rng), eps, tuple(series)) for c, a in shapes]
    rows: list[dict[str, Any]] = []
    for (c, a), measures in zip(shapes, parallel_map(_on_random, tasks), strict=True):
        keys = {"panel": f"|S| = {c}, |X| = {a}", "n_secret": c, "n_public": a}
        for at, budget in enumerate(eps):
            nmi = {name: measures[:, at, number, 1] for number, name in enumerate(series)}
            for name, values in nmi.items():
                rows += summary({"nmi": values}, **keys, series=name, eps=budget)
            if {"GRR", "CR"} <= nmi.keys():
                gain = nmi["CR"] - nmi["GRR"]
                rows += summary(
                    {"nmi_gain": gain, "ahead": np.asarray(gain > 0, dtype=np.float64)},
                    **keys,
                    series="CR − GRR",
                    eps=budget,
                )
    return frame(rows)


@figure
def figure_s20_7(
    n_trials: int = 100,
    eps: float = 1.0,
    shapes: Sequence[tuple[int, int]] = S20_SHAPES,
    concentration: float = 0.5,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return parameters and utilities of GRR and CR on random joints (S20 Fig. 7).

    Parameters
    ----------
    eps : float
        LIP budget, nats.
    shapes : sequence of (int, int)
        Alphabet sizes ``(|S|, |X|)``; ``n_trials`` joints for each.

    Returns
    -------
    pandas.DataFrame
        Columns ``panel``, ``n_secret``, ``n_public``, ``eps``, ``trial``; ``eta_grr``, ``eta_cr``, nats, infinite where
        X itself satisfies the budget; ``truth_grr``, ``truth_cr``, the weight of the truth against the noise;
        ``mi_grr``, ``mi_cr``, nats; and ``eta_gain``, ``truth_gain`` and ``gain``, CR minus GRR.
    """
    rng = generator(rng)
    (budget,) = budgets([eps])
    stacks = [dirichlet_joints(n_trials, c, a, concentration, rng) for c, a in shapes]
    rows: list[dict[str, Any]] = []
    measured = parallel_map(_on_random, [(stack, (budget,), ("GRR", "CR")) for stack in stacks])
    for (c, a), values in zip(shapes, measured, strict=True):
        for trial, (grr, cr) in enumerate(values[:, 0]):
            truth = [truth_weight(grr[0], a), truth_weight(cr[0], c)]
            rows.append(
                {"panel": f"|S| = {c}, |X| = {a}", "n_secret": c, "n_public": a, "eps": budget, "trial": trial}
                | {"eta_grr": grr[0], "eta_cr": cr[0], "truth_grr": truth[0], "truth_cr": truth[1]}
                | {"mi_grr": grr[2], "mi_cr": cr[2]}
                # both infinite: no difference
                | {"eta_gain": 0.0 if grr[0] == cr[0] else cr[0] - grr[0]}
                | {"truth_gain": truth[1] - truth[0], "gain": cr[2] - grr[2]}
            )
    return frame(rows)


def truth_weight(eta: float, n: int) -> float:
    """Return the weight w of the truth in w P(y|s) + (1 - w) noise(y).

    GRR is such a mixture with ``n = |X|`` and uniform noise, CR with ``n = |S|`` and the mean of P(y|s) over s as
    noise.
    """
    decay = np.exp(-eta)
    return float((1 - decay) / (1 + (n - 1) * decay))


def correlations(rows: pd.DataFrame, x: str = "eta_gain", y: str = "gain") -> pd.Series:
    """Return correlations of two columns of :func:`figure_s20_7` by panel."""
    finite = rows[np.isfinite(rows[x])]
    return pd.Series({name: float(part[x].corr(part[y])) for name, part in finite.groupby("panel", sort=False)})


def _on_random(task: tuple[Matrix, tuple[float, ...], tuple[str, ...]]) -> Matrix:
    """Return eta, NMI and I(X; Y), shape (N, budgets, series, 3)."""
    p, epsilons, series = task
    measures = np.full((len(p), len(epsilons), len(series), 3), np.nan)
    for trial, table in enumerate(p):
        joint = Joint(table)
        for at, eps in enumerate(epsilons):
            for number, name in enumerate(series):
                if name in FAMILIES:
                    eta = FAMILIES[name].at_lip(joint, eps)
                    measures[trial, at, number, 0] = eta
                    channel = FAMILIES[name].at(joint, eta)
                else:
                    channel = DIRECT[name](joint, LIP(eps))
                result = evaluate(joint, channel)
                measures[trial, at, number, 1:] = result.nmi, result.mutual_information
    return measures
