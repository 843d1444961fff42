"""S20 Figs 5-8: GRR, OUE, CR and the optimum on Adult, GRR and CR on random joint
distributions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from liftbook.relatives.secret_aware import secret_aware_response
from liftbook.relatives.tailored import tailored_response
from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import (
    S20_ADULT_EPSILONS,
    S20_PUBLICS,
    S20_RANDOM_EPSILONS,
    S20_SECRETS,
    S20_SHAPES,
    S20_SIZES,
    figure,
)
from liftbook.rows.tidy import budgets, frame, single, summary
from liftbook.rows.tradeoffs import respond_by_vertices
from liftlib.channel import Channel
from liftlib.datasets import adult, dirichlet_joints
from liftlib.errors import InvalidParameter
from liftlib.family import Family
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.noise.conditional_reporting import conditional_reporting
from liftlib.noise.randomised_response import randomised_response
from liftlib.noise.unary_encoding import unary_encoding
from liftlib.notions import LIP
from mixproof.numerics import Matrix, Rng, generator

FAMILIES: Mapping[str, Family] = {
    "GRR": randomised_response,
    "CR": conditional_reporting,
    "OUE": unary_encoding,
}
"""Mechanisms with a parameter, S20's eta."""

DIRECT: Mapping[str, Callable[[Joint, LIP], Channel]] = {
    "tailored": tailored_response,
    "optimum, S seen": secret_aware_response,
}
"""Mechanisms that take the notion itself, in addition to the optimum; not
in the paper.
"""

SERIES = ("optimum", "GRR", "CR", "OUE")


def panel_name(secret: str, public: str) -> str:
    """Return the title of a panel of S20 Fig. 5."""
    return f"S = {secret}, X = {public}"


@figure
def figure_s20_5(
    epsilons: Iterable[float] = S20_ADULT_EPSILONS,
    secrets: Sequence[str] = S20_SECRETS,
    publics: Sequence[str] = S20_PUBLICS,
    series: Sequence[str] = SERIES,
) -> pd.DataFrame:
    """Return the utility of GRR, CR, OUE and the optimum on Adult (S20 Fig. 5).

    Parameters
    ----------
    secrets, publics : sequence of str
        Columns of Adult; a panel for each pair, secrets varying fastest, so that S20's
        remarks on its panels (b) and (d) hold.
    series : sequence of str
        Any of "optimum", "GRR", "CR", "OUE", "tailored" and "optimum, S seen". The last
        two are not in the paper; the last is proven for up to nine secrets, if the
        budget is not close to 0.

    Returns
    -------
    pandas.DataFrame
        Columns ``panel``, ``secret``, ``public``, ``series``, ``eps`` (LIP, nats),
        ``measure``, ``mean``, ``std``, ``n``. Measures: ``mutual_information`` and
        ``entropy`` (of X), nats; ``family_eta``, a family's parameter, infinite where X
        itself satisfies the budget; ``seconds`` (on one core) and ``vertices`` of the
        optimum.

    Raises
    ------
    InvalidParameter
        If a series is none of these.
    """
    for name in series:
        if name != "optimum" and name not in FAMILIES and name not in DIRECT:
            known = ", ".join(("optimum", *FAMILIES, *DIRECT))
            raise InvalidParameter(f"no series {name!r}: there are {known}")
    tasks = [
        (secret, public, name, eps)
        # the least budgets take longest, so they go first
        for eps in sorted(budgets(epsilons))
        for public in publics
        for secret in secrets
        for name in series
    ]
    measured = dict(zip(tasks, parallel_map(_on_adult, tasks), strict=True))
    rows: list[dict[str, Any]] = []
    for public in publics:
        for secret in secrets:
            for task, measures in measured.items():
                if task[:2] == (secret, public):
                    keys = {
                        "panel": panel_name(secret, public),
                        "secret": secret,
                        "public": public,
                    }
                    rows += single(measures, **keys, series=task[2], eps=task[3])
    return frame(rows)


@cache
def _table(secret: str, public: str) -> Joint:
    return adult(secret, public)


def _on_adult(task: tuple[str, str, str, float]) -> dict[str, float]:
    secret, public, name, eps = task
    joint = _table(secret, public)
    measures: dict[str, float] = {}
    started = time.process_time()
    if name in FAMILIES:
        measures["family_eta"] = FAMILIES[name].at_lip(joint, eps)
        channel = FAMILIES[name].at(joint, measures["family_eta"])
    elif name in DIRECT:
        channel = DIRECT[name](joint, LIP(eps))
    else:
        channel, counted = respond_by_vertices(joint, LIP(eps))
        measures |= counted
    measures["seconds"] = time.process_time() - started
    result = evaluate(joint, channel)
    return measures | {
        "mutual_information": result.mutual_information,
        "entropy": result.entropy,
    }


@figure
def figure_s20_8(
    epsilons: Iterable[float] = S20_ADULT_EPSILONS,
    pairs: Sequence[tuple[str, str]] = (
        ("occupation", "education"),
        ("occupation", "relationship"),
    ),
) -> pd.DataFrame:
    """Return the parameters of GRR and CR against the LIP budget (S20 Fig. 8).

    Parameters
    ----------
    pairs : sequence of (str, str)
        Columns of Adult, secret first.

    Returns
    -------
    pandas.DataFrame
        Columns as of :func:`figure_s20_5`, with the measure ``family_eta``.
    """
    rows: list[dict[str, Any]] = []
    for secret, public in pairs:
        joint = adult(secret, public)
        keys = {"panel": panel_name(secret, public), "secret": secret, "public": public}
        for name in ("GRR", "CR"):
            for eps in budgets(epsilons):
                rows += single(
                    {"family_eta": FAMILIES[name].at_lip(joint, eps)},
                    **keys,
                    series=name,
                    eps=eps,
                )
    return frame(rows)


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
        Numbers of secrets (S20's c) and of symbols (its a); a panel of ``n_trials``
        joints for each pair.
    series : sequence of str
        Any of "GRR", "CR", "OUE" (up to 20 symbols) and "tailored".

    Returns
    -------
    pandas.DataFrame
        Columns ``panel``, ``n_secret``, ``n_public``, ``series``, ``eps``, ``measure``
        (nmi), ``mean``, ``std``, ``n``. With both GRR and CR, the series ``CR − GRR``
        has the measures ``nmi_gain``, joint by joint, and ``ahead``, the share of
        joints where it is positive.
    """
    rng, eps = generator(rng), tuple(budgets(epsilons))
    shapes = [(c, a) for c in n_secrets for a in n_publics]
    tasks = [
        (dirichlet_joints(n_trials, c, a, concentration, rng), eps, tuple(series))
        for c, a in shapes
    ]
    rows: list[dict[str, Any]] = []
    for (c, a), measures in zip(shapes, parallel_map(_on_random, tasks), strict=True):
        keys = {"panel": f"|S| = {c}, |X| = {a}", "n_secret": c, "n_public": a}
        for at, budget in enumerate(eps):
            nmi = {
                name: measures[:, at, number, 1] for number, name in enumerate(series)
            }
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
        Columns ``panel``, ``n_secret``, ``n_public``, ``eps``, ``trial``; ``eta_grr``,
        ``eta_cr``, nats, infinite where X itself satisfies the budget; ``truth_grr``,
        ``truth_cr``, the weight of the truth against the noise; ``mi_grr``, ``mi_cr``,
        nats; and ``eta_gain``, ``truth_gain`` and ``gain``, CR minus GRR.
    """
    rng = generator(rng)
    (budget,) = budgets([eps])
    stacks = [dirichlet_joints(n_trials, c, a, concentration, rng) for c, a in shapes]
    rows: list[dict[str, Any]] = []
    measured = parallel_map(
        _on_random, [(stack, (budget,), ("GRR", "CR")) for stack in stacks]
    )
    for (c, a), values in zip(shapes, measured, strict=True):
        for trial, (grr, cr) in enumerate(values[:, 0]):
            truth = [truth_weight(grr[0], a), truth_weight(cr[0], c)]
            rows.append(
                {
                    "panel": f"|S| = {c}, |X| = {a}",
                    "n_secret": c,
                    "n_public": a,
                    "eps": budget,
                    "trial": trial,
                }
                | {
                    "eta_grr": grr[0],
                    "eta_cr": cr[0],
                    "truth_grr": truth[0],
                    "truth_cr": truth[1],
                }
                | {"mi_grr": grr[2], "mi_cr": cr[2]}
                # both infinite: no difference
                | {"eta_gain": 0.0 if grr[0] == cr[0] else cr[0] - grr[0]}
                | {"truth_gain": truth[1] - truth[0], "gain": cr[2] - grr[2]}
            )
    return frame(rows)


def truth_weight(eta: float, n: int) -> float:
    """Return the weight w of the truth in w P(y|s) + (1 - w) noise(y).

    GRR is such a mixture with ``n = |X|`` and uniform noise, CR with ``n = |S|`` and
    the mean of P(y|s) over s as noise.
    """
    decay = np.exp(-eta)
    return float((1 - decay) / (1 + (n - 1) * decay))


def correlations(rows: pd.DataFrame, x: str = "eta_gain", y: str = "gain") -> pd.Series:
    """Return correlations of two columns of :func:`figure_s20_7` by panel."""
    finite = rows[np.isfinite(rows[x])]
    return pd.Series(
        {
            name: float(part[x].corr(part[y]))
            for name, part in finite.groupby("panel", sort=False)
        }
    )


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
