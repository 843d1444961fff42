"""S20 Figs 5-8: randomised response, unary encoding and conditional reporting against the optimum."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from liftbook.rows.jobs import parallel_map
from liftbook.rows.tidy import RngLike, budgets, frame, generator, summary, timed
from liftlib.channel import Channel
from liftlib.datasets import adult, dirichlet_joints
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.mechanisms.family import Family
from liftlib.mechanisms.noise.randomised import randomised_response
from liftlib.mechanisms.noise.reporting import conditional_reporting
from liftlib.mechanisms.noise.tailored import tailored_response
from liftlib.mechanisms.noise.unary import unary_encoding
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.mechanisms.response.secret_aware import secret_aware_response
from liftlib.mechanisms.rows import RowsCertificate
from liftlib.notions import LIP
from liftlib.numerics import Matrix

FAMILIES: Mapping[str, Family] = {"GRR": randomised_response, "CR": conditional_reporting, "OUE": unary_encoding}
"""Mechanisms with a parameter, S20's alpha."""

DIRECT: Mapping[str, Callable[[Joint, LIP], Channel]] = {
    "tailored": tailored_response,
    "optimum, S seen": secret_aware_response,
}
"""Mechanisms that take the notion itself, besides the optimum; not in the print."""

SERIES = ("optimum", "GRR", "CR", "OUE")

SECRETS = ("marital-status", "occupation")
PUBLICS = ("education", "relationship", "sex")

ADULT_EPSILONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0)
"""LIP budgets, nats; S20's text does not give its own."""

EPSILONS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)

SIZES = (5, 10, 20)
"""Alphabet sizes of Fig. 6; S20's text does not give its own."""

SHAPES = ((20, 5), (10, 10), (5, 20))
"""(|S|, |X|) of Fig. 7; S20's text does not give its own."""


def panel_name(secret: str, public: str) -> str:
    """Return the title of a panel of S20 Fig. 5."""
    return f"S = {secret}, X = {public}"


@timed
def figure_s20_5(
    epsilons: Iterable[float] = ADULT_EPSILONS,
    secrets: Sequence[str] = SECRETS,
    publics: Sequence[str] = PUBLICS,
    series: Sequence[str] = SERIES,
) -> pd.DataFrame:
    """Return the utility of GRR, CR, OUE and the optimum on Adult under LIP, a panel a pair of columns (S20 Fig. 5).

    Parameters
    ----------
    epsilons : iterable of float
        LIP budgets, nats.
    secrets, publics : sequence of str
        Columns of Adult; a panel for each pair, secrets varying fastest, in which order S20's remarks on its panels
        (b) and (d) hold.
    series : sequence of str
        Of "optimum", "GRR", "CR", "OUE", "tailored" and "optimum, S seen"; the last two are not in the print, and the
        last is for small tables only.

    Returns
    -------
    pandas.DataFrame
        Columns ``panel``, ``secret``, ``public``, ``series``, ``eps``, ``measure``, ``mean``, ``std``, ``n``. Measures:
        ``mutual_information`` and ``entropy`` (of X), nats; ``family_alpha`` where there is one, infinite where X
        itself keeps the budget; ``seconds``, of one core, and ``vertices`` of the optimum.

    Raises
    ------
    InvalidParameter
        If a series is unknown.
    """
    for name in series:
        if name != "optimum" and name not in FAMILIES and name not in DIRECT:
            known = ", ".join(("optimum", *FAMILIES, *DIRECT))
            raise InvalidParameter(f"no series {name!r}: there are {known}")
    tasks = [
        (secret, public, name, eps)
        for eps in sorted(budgets(epsilons))  # the least budgets take longest, so they go first
        for public in publics
        for secret in secrets
        for name in series
    ]
    found = dict(zip(tasks, parallel_map(_on_adult, tasks), strict=True))
    rows: list[dict[str, Any]] = []
    for public in publics:
        for secret in secrets:
            for task, measures in found.items():
                if task[:2] == (secret, public):
                    keys = {"panel": panel_name(secret, public), "secret": secret, "public": public}
                    values = {name: np.array([value]) for name, value in measures.items()}
                    rows += summary(values, **keys, series=task[2], eps=task[3])
    return frame(rows)


@cache
def _table(secret: str, public: str) -> Joint:
    return adult(secret, public)


def _on_adult(task: tuple[str, str, str, float]) -> dict[str, float]:
    secret, public, name, eps = task
    joint = _table(secret, public)
    found: dict[str, float] = {}
    started = time.process_time()
    if name in FAMILIES:
        found["family_alpha"] = FAMILIES[name].at_lip(joint, eps)
        channel = FAMILIES[name](joint, found["family_alpha"])
    elif name in DIRECT:
        channel = DIRECT[name](joint, LIP(eps))
    else:
        channel = optimal_response(joint, LIP(eps))
        found["vertices"] = float(channel.certified(RowsCertificate).rows)
    found["seconds"] = time.process_time() - started
    result = evaluate(joint, channel)
    return found | {"mutual_information": result.mutual_information, "entropy": result.entropy}


@timed
def figure_s20_6(
    n_trials: int = 100,
    epsilons: Iterable[float] = EPSILONS,
    n_secrets: Sequence[int] = SIZES,
    n_publics: Sequence[int] = SIZES,
    concentration: float = 0.5,
    series: Sequence[str] = ("GRR", "CR"),
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return the utility of GRR and CR under LIP on random joints from the Jeffreys prior (S20 Fig. 6).

    Parameters
    ----------
    n_trials : int
        Joint distributions a panel.
    epsilons : iterable of float
        LIP budgets, nats.
    n_secrets, n_publics : sequence of int
        Alphabet sizes, S20's c and a; a panel for each pair.
    concentration : float
        Of the symmetric Dirichlet distribution over the cells; 1/2 is Jeffreys' prior.
    series : sequence of str
        Of "GRR", "CR", "OUE" (up to 20 symbols) and "tailored".
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of randomness.

    Returns
    -------
    pandas.DataFrame
        Columns ``panel``, ``n_secret``, ``n_public``, ``series``, ``eps``, ``measure`` (nmi), ``mean``, ``std``, ``n``;
        where both GRR and CR are among the series, ``CR − GRR`` is one more, with the measure ``nmi_gain``, joint
        by joint, and ``ahead``, the share of joints where it is positive.
    """
    rng, eps = generator(rng), tuple(budgets(epsilons))
    shapes = [(c, a) for c in n_secrets for a in n_publics]
    tasks = [(dirichlet_joints(n_trials, c, a, concentration, rng), eps, tuple(series)) for c, a in shapes]
    rows: list[dict[str, Any]] = []
    for (c, a), found in zip(shapes, parallel_map(_on_random, tasks), strict=True):
        keys = {"panel": f"|S| = {c}, |X| = {a}", "n_secret": c, "n_public": a}
        for at, budget in enumerate(eps):
            nmi = {name: found[:, at, number, 1] for number, name in enumerate(series)}
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


@timed
def figure_s20_7(
    n_trials: int = 100,
    eps: float = 1.0,
    shapes: Sequence[tuple[int, int]] = SHAPES,
    concentration: float = 0.5,
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return the parameters and the utilities of GRR and CR, a row a random joint (S20 Fig. 7).

    Parameters
    ----------
    n_trials : int
        Joint distributions a shape.
    eps : float
        LIP budget, nats.
    shapes : sequence of (int, int)
        Alphabet sizes ``(|S|, |X|)``.
    concentration, rng
        As in :func:`figure_s20_6`.

    Returns
    -------
    pandas.DataFrame
        Columns ``panel``, ``n_secret``, ``n_public``, ``eps``, ``trial``; ``alpha_grr``, ``alpha_cr``, nats, infinite
        where X itself keeps the budget; ``truth_grr``, ``truth_cr``, the chance that the truth is told in spite of the
        noise; ``mi_grr``, ``mi_cr``, nats; and ``alpha_gain``, ``truth_gain`` and ``gain``, CR's less GRR's.
    """
    rng = generator(rng)
    (budget,) = budgets([eps])
    stacks = [dirichlet_joints(n_trials, c, a, concentration, rng) for c, a in shapes]
    rows: list[dict[str, Any]] = []
    found = parallel_map(_on_random, [(stack, (budget,), ("GRR", "CR")) for stack in stacks])
    for (c, a), values in zip(shapes, found, strict=True):
        for trial, (grr, cr) in enumerate(values[:, 0]):
            truth = [truth_weight(grr[0], a), truth_weight(cr[0], c)]
            rows.append(
                {"panel": f"|S| = {c}, |X| = {a}", "n_secret": c, "n_public": a, "eps": budget, "trial": trial}
                | {"alpha_grr": grr[0], "alpha_cr": cr[0], "truth_grr": truth[0], "truth_cr": truth[1]}
                | {"mi_grr": grr[2], "mi_cr": cr[2]}
                # both infinite: no difference
                | {"alpha_gain": 0.0 if grr[0] == cr[0] else cr[0] - grr[0]}
                | {"truth_gain": truth[1] - truth[0], "gain": cr[2] - grr[2]}
            )
    return frame(rows)


def truth_weight(alpha: float, n: int) -> float:
    """Return the weight w = (e^alpha - 1) / (e^alpha - 1 + n) of the truth in w P(y|s) + (1 - w) noise(y).

    GRR is such a mixture with ``n = |X|`` and uniform noise, CR with ``n = |S|`` and the mean over s
    of P(y|s) for noise.
    """
    decay = np.exp(-alpha)
    return float((1 - decay) / (1 + (n - 1) * decay))


def correlations(rows: pd.DataFrame, x: str = "alpha_gain", y: str = "gain") -> pd.Series:
    """Return the correlation of two columns of :func:`figure_s20_7`'s rows in each panel, over trials finite in x."""
    finite = rows[np.isfinite(rows[x])]
    return pd.Series({name: float(part[x].corr(part[y])) for name, part in finite.groupby("panel", sort=False)})


@timed
def figure_s20_8(
    epsilons: Iterable[float] = ADULT_EPSILONS,
    pairs: Sequence[tuple[str, str]] = (("occupation", "education"), ("occupation", "relationship")),
) -> pd.DataFrame:
    """Return the parameters of GRR and CR against the LIP budget, for panels (b) and (d) of Fig. 5 (S20 Fig. 8).

    Parameters
    ----------
    epsilons : iterable of float
        LIP budgets, nats.
    pairs : sequence of (str, str)
        Columns of Adult, secret first.

    Returns
    -------
    pandas.DataFrame
        Columns as of :func:`figure_s20_5`, with the measure ``family_alpha``.
    """
    rows: list[dict[str, Any]] = []
    for secret, public in pairs:
        joint = adult(secret, public)
        keys = {"panel": panel_name(secret, public), "secret": secret, "public": public}
        for name in ("GRR", "CR"):
            for eps in budgets(epsilons):
                alpha = np.array([FAMILIES[name].at_lip(joint, eps)])
                rows += summary({"family_alpha": alpha}, **keys, series=name, eps=eps)
    return frame(rows)


def _on_random(task: tuple[Matrix, tuple[float, ...], tuple[str, ...]]) -> Matrix:
    """Return alpha (NaN where there is none), NMI and I(X; Y), shape (N, budgets, series, 3)."""
    p, epsilons, series = task
    found = np.full((len(p), len(epsilons), len(series), 3), np.nan)
    for trial, table in enumerate(p):
        joint = Joint(table)
        for at, eps in enumerate(epsilons):
            for number, name in enumerate(series):
                if name in FAMILIES:
                    alpha = FAMILIES[name].at_lip(joint, eps)
                    found[trial, at, number, 0] = alpha
                    channel = FAMILIES[name](joint, alpha)
                else:
                    channel = DIRECT[name](joint, LIP(eps))
                result = evaluate(joint, channel)
                found[trial, at, number, 1:] = result.nmi, result.mutual_information
    return found
