"""Exact SRLIP optima for small X, and failures of S20 Theorem 4."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
import pandas as pd

from liftbook.relatives.srlip_bounds import srlip_upper_bounds
from liftbook.rows.making import figure
from liftbook.rows.responses import over_budgets, respond_by_vertices
from liftbook.rows.scales import S20_EPSILONS as EPSILONS
from liftbook.rows.tidy import Measured, budgets, frame, ratio
from liftlib.datasets import dirichlet_joints, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import entropy
from liftlib.notions import LIP, SRLIP
from liftlib.response.optimal import optimal_response
from liftlib.response.product import product_response
from mixproof.numerics import Rng, generator


@figure
def srlip_small(
    shapes: Iterable[Sequence[int]] = ((2, 3), (2, 2, 2), (2, 2, 3)),
    n_trials: int = 10,
    epsilons: Iterable[float] = EPSILONS,
    n_secret: int = 2,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the utility of exact SRLIP, of LIP and of Theorem 4's product.

    Parameters
    ----------
    shapes : iterable of sequences of int
        The attributes' sizes.

    Returns
    -------
    pandas.DataFrame
        Columns ``panel`` (the shape), ``series`` (LIP optimum, upper bound, SRLIP optimum, tree of bounds, Theorem 4),
        ``eps``, ``measure`` (nmi), ``mean``, ``std``, ``n``; measure ``vertices`` for the SRLIP optimum. Theorem 4's
        budgets are lowered where its product violates SRLIP.
    """
    random, panels = generator(rng), []
    for shape in shapes:
        sizes = SRLIP(0.0, shape).shape
        p = uniform_joints(n_trials, n_secret, int(np.prod(sizes)), random)
        panels.append(over_budgets(partial(_exact_srlip, shape=sizes), p, epsilons))
        panels[-1].insert(0, "panel", "×".join(map(str, sizes)))
    return pd.concat(panels, ignore_index=True)


def _exact_srlip(joint: Joint, eps: float, shape: tuple[int, ...]) -> Measured:
    notion = SRLIP(eps, shape)
    exact, counted = respond_by_vertices(joint, notion)
    utilities = {
        "LIP optimum": evaluate(joint, optimal_response(joint, LIP(eps))).mutual_information,
        "upper bound": min(srlip_upper_bounds(joint, notion).values()),
        "SRLIP optimum": evaluate(joint, exact).mutual_information,
        "tree of bounds": evaluate(joint, optimal_response(joint, notion, method="tree")).mutual_information,
        "Theorem 4": evaluate(joint, product_response(joint, notion)).mutual_information,
    }
    found = {series: {"nmi": information / entropy(joint.p_x)} for series, information in utilities.items()}
    found["SRLIP optimum"]["vertices"] = counted["vertices"]
    return found


@figure
def theorem_4_failures(
    n_trials: int = 200,
    epsilons: Iterable[float] = EPSILONS,
    shape: Sequence[int] = (2, 2),
    n_secret: int = 2,
    concentration: float = 0.5,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return how often S20 Theorem 4's product, as published, violates SRLIP.

    Parameters
    ----------
    shape : sequence of int
        The attributes' sizes.

    Returns
    -------
    pandas.DataFrame
        One row per budget: ``broken``, the number of joints where the product violates it, ``n``, and the mean and the
        maximum of ``leakage / eps`` as ``used_mean`` and ``used_most``; 1 where both are 0.
    """
    sizes = SRLIP(0.0, shape).shape
    p = dirichlet_joints(n_trials, n_secret, int(np.prod(sizes)), concentration, generator(rng))
    rows = []
    for eps in budgets(epsilons):
        notion = SRLIP(eps, sizes)
        leakage = np.array(
            [notion.leakage(joint, product_response(joint, notion, repair=False)) for joint in map(Joint, p)]
        )
        used = np.array([ratio(value, eps) for value in leakage])
        broken = int((leakage > eps + 1e-9).sum())
        rows.append(
            {"eps": eps, "broken": broken, "n": len(used), "used_mean": used.mean(), "used_most": float(used.max())}
        )
    return frame(rows)
