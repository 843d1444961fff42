"""C22 Figs 1-3: the gain of subset merging over complete merging under LIP."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from liftbook.rows.batch import Batch, Labels
from liftbook.rows.labels import merge_labels, watchdog_labels
from liftbook.rows.making import figure
from liftbook.rows.scales import C22_EPSILONS
from liftbook.rows.tidy import budgets, summary
from liftlib.datasets import uniform_joints
from liftlib.notions import LIP
from mixproof.numerics import Mask, Matrix, Rng, Vector, xlogx

SUBSETS, COMPLETE = "Algorithm 1", "complete merging"
COLUMNS = ["series", "eps", "measure", "mean", "std", "low", "high", "n"]


def _holds_high_risk(labels: Labels, high: Mask) -> Mask:
    """Return which groups contain a high-risk symbol, shape (N, X)."""
    holds = np.zeros(labels.shape, dtype=bool)
    n, x = np.nonzero(high)
    holds[n, labels[n, x]] = True
    return holds


def merged_risks(p: Matrix | Batch, labels: Labels, eps: float) -> dict[str, Vector]:
    """Return C22's measures of each of N deterministic merges of high-risk symbols.

    Parameters
    ----------
    p : Batch, or numpy.ndarray of shape (N, S, X)
        Joint distributions.
    labels : numpy.ndarray of int, shape (N, X)
        The group of each symbol.
    eps : float
        LIP budget that defines the high-risk symbols, nats.

    Returns
    -------
    dict
        ``nmil`` (C22 eq. (8)) and ``leakage``, the largest risk of any output, each of shape (N,); and
        ``high_risk_leakage``, the largest risk of outputs with a high-risk symbol, for joints that have one; in nats.
    """
    batch = Batch.of(p)
    lifts, chances = batch.release(labels)
    # omega = max_s |log l(s, y)| of each group, 0 for groups that no label names
    risks, high = np.maximum(LIP(0.0).risk(lifts, batch.p_s), 0), batch.high_risk(LIP(eps))
    entropies = [-xlogx(q).sum(axis=-1) for q in (chances, batch.p_x)]
    return {
        "nmil": 1 - entropies[0] / entropies[1],
        "leakage": risks.max(axis=1),
        "high_risk_leakage": np.where(_holds_high_risk(labels, high), risks, 0).max(axis=1)[high.any(axis=1)],
    }


def _tradeoff(p: Matrix, wanted: tuple[str, ...], epsilons: Iterable[float], extend: bool) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    batch = Batch(p)
    for eps in budgets(epsilons):
        notion = LIP(eps)
        for series, labels in (
            (SUBSETS, merge_labels(batch, notion, extend=extend)[0]),
            (COMPLETE, watchdog_labels(batch, notion, extend=extend)),
        ):
            measures = merged_risks(batch, labels, eps)
            rows += summary({name: measures[name] for name in wanted if measures[name].size}, series=series, eps=eps)
    return pd.DataFrame(rows, columns=COLUMNS)


@figure
def figure_c22_1(
    n_trials: int = 1000,
    epsilons: Iterable[float] = C22_EPSILONS,
    n_secret: int = 13,
    n_public: int = 20,
    *,
    extend: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the leakage of the merged symbols against the LIP budget (C22 Fig. 1).

    Returns
    -------
    pandas.DataFrame
        Columns ``series`` (Algorithm 1, complete merging), ``eps``, ``measure`` (high_risk_leakage, nats), ``mean``,
        ``std``, ``n`` (the number of joints with a high-risk symbol). Budgets without such joints have no row.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return _tradeoff(p, ("high_risk_leakage",), epsilons, extend)


@figure
def figure_c22_2(
    n_trials: int = 1000,
    epsilons: Iterable[float] = C22_EPSILONS,
    n_secret: int = 13,
    n_public: int = 20,
    *,
    extend: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the loss of utility, NMIL, against the LIP budget (C22 Fig. 2)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return _tradeoff(p, ("nmil",), epsilons, extend)


@figure
def figure_c22_3(
    n_trials: int = 1000,
    epsilons: Iterable[float] = C22_EPSILONS,
    n_secret: int = 13,
    n_public: int = 20,
    *,
    extend: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return overall leakage and NMIL at each LIP budget (C22 Fig. 3)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return _tradeoff(p, ("nmil", "leakage"), epsilons, extend)
