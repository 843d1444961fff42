"""S20 Fig. 4 and Theorem 4: SRLIP protocols against the optimal LIP, exact optima for
small X, and failures.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from liftbook.figures.s20.optimal import BY_KERNELS, BY_ROWS, product_of_kernels
from liftbook.relatives.srlip_bounds import srlip_upper_bounds
from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import S20_EPSILONS as EPSILONS
from liftbook.rows.making import S20_SHAPE as SHAPE
from liftbook.rows.making import fastest, figure
from liftbook.rows.tidy import Measured, budgets, frame, ratio, summary
from liftbook.rows.tradeoffs import over_budgets, respond_by_vertices
from liftlib.channel import Channel
from liftlib.datasets import dirichlet_joints, uniform_joints
from liftlib.errors import LiftWarning
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import entropy
from liftlib.notions import LIP, SRLIP
from liftlib.response.optimal import optimal_response
from liftlib.response.posteriors import ResponseCertificate
from liftlib.response.product import product_response
from mixproof.numerics import Matrix, Rng, generator

Task = tuple[Matrix, list[float], tuple[int, ...], int]

GAP = 0.01
"""Proven gap of the optimum under SRLIP relative to its utility, if the linear programs
suffice.
"""


@figure
def figure_s20_4(
    n_trials: int = 10,
    epsilons: Iterable[float] = EPSILONS,
    n_secret: int = 2,
    shape: Sequence[int] = SHAPE,
    *,
    programmes: int = 300_000,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return utility and time of SRLIP protocols against LIP (S20 Fig. 4).

    Parameters
    ----------
    shape : sequence of int
        The attributes' sizes, each at most 6.
    programmes : int
        Maximum number of linear programs in the search for an SRLIP protocol, which
        otherwise ends at a proven gap of 1 %. The default takes half a minute; unlike a
        time limit, it is reproducible on any machine.

    Returns
    -------
    pandas.DataFrame
        A row for each budget, trial and ``series``: ``S20 Theorem 4, polytope of
        kernels`` and ``..., polytope of rows`` (one protocol, as published, by two
        routes), ``searched`` (by branch and bound) and ``upper bound`` (on every SRLIP
        protocol). ``information`` is I(X; Y) in nats, ``share`` its ratio to the LIP
        optimum ``lip``, ``nmi`` its ratio to H(X); ``time_ratio`` is LIP's time over
        ``seconds``; ``leakage`` is the SRLIP leakage, nats (NaN for the bound).
    """
    sizes = SRLIP(0.0, shape).shape
    p = uniform_joints(n_trials, n_secret, int(np.prod(sizes)), generator(rng))
    tasks: list[Task] = [(p_sx, budgets(epsilons), sizes, programmes) for p_sx in p]
    trials = parallel_map(_srlip, tasks)
    return frame(
        {"trial": trial, **row} for trial, rows in enumerate(trials) for row in rows
    )


def shares_of_lip(rows: pd.DataFrame) -> pd.DataFrame:
    """Return means and standard deviations of :func:`figure_s20_4`'s shares."""
    once = rows[rows["series"] != f"S20 Theorem 4, {BY_KERNELS}"].replace(
        {"series": {f"S20 Theorem 4, {BY_ROWS}": "S20 Theorem 4"}}
    )
    return frame(
        row
        for (series, eps), part in once.groupby(["series", "eps"], sort=False)
        for row in summary({"share": part["share"].to_numpy()}, series=series, eps=eps)
    )


def _srlip(task: Task) -> list[dict[str, Any]]:
    p, epsilons, shape, most = task
    joint = Joint(p)
    rows = []
    for eps in epsilons:
        notion = SRLIP(eps, shape)
        best, lip_seconds = fastest(partial(optimal_response, joint, LIP(eps)))
        lip = evaluate(joint, best).mutual_information
        product, by_rows = fastest(
            partial(product_response, joint, notion, repair=False)
        )
        kernel_product, by_kernels = fastest(
            partial(product_of_kernels, joint, eps, shape)
        )
        with warnings.catch_warnings():
            # the bound shows whether the limit was reached
            warnings.simplefilter("ignore", LiftWarning)
            tree = partial(
                optimal_response, joint, notion, method="tree", gap=GAP, work=most
            )
            searched, search = fastest(tree, repeats=1)
        bounds, bounding = fastest(
            partial(srlip_upper_bounds, joint, notion), repeats=1
        )
        upper = min(searched.certified(ResponseCertificate).upper, *bounds.values())
        channels: Mapping[str, tuple[Channel | None, float]] = {
            f"S20 Theorem 4, {BY_KERNELS}": (kernel_product, by_kernels),
            f"S20 Theorem 4, {BY_ROWS}": (product, by_rows),
            "searched": (searched, search),
            "upper bound": (None, bounding),
        }
        for series, (channel, seconds) in channels.items():
            information = (
                upper
                if channel is None
                else evaluate(joint, channel).mutual_information
            )
            rows.append(
                {
                    "series": series,
                    "eps": eps,
                    "information": information,
                    "lip": lip,
                    "share": ratio(information, lip),
                    "nmi": information / entropy(joint.p_x),
                    "seconds": seconds,
                    "lip_seconds": lip_seconds,
                    "time_ratio": lip_seconds / seconds,
                    "leakage": (
                        np.nan if channel is None else notion.leakage(joint, channel)
                    ),
                }
            )
    return rows


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
        Columns ``panel`` (the shape), ``series`` (LIP optimum, upper bound, SRLIP
        optimum, tree of bounds, S20 Theorem 4), ``eps``, ``measure`` (nmi), ``mean``,
        ``std``, ``n``; measure ``vertices`` for the SRLIP optimum. Theorem 4's
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
        "LIP optimum": (
            evaluate(joint, optimal_response(joint, LIP(eps))).mutual_information
        ),
        "upper bound": min(srlip_upper_bounds(joint, notion).values()),
        "SRLIP optimum": evaluate(joint, exact).mutual_information,
        "tree of bounds": (
            evaluate(
                joint, optimal_response(joint, notion, method="tree")
            ).mutual_information
        ),
        "S20 Theorem 4": (
            evaluate(joint, product_response(joint, notion)).mutual_information
        ),
    }
    found = {
        series: {"nmi": information / entropy(joint.p_x)}
        for series, information in utilities.items()
    }
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
        One row per budget: ``broken``, the number of joints where the product violates
        it, ``n``, and the mean and the maximum of ``leakage / eps`` as ``used_mean``
        and ``used_most``; 1 where both are 0.
    """
    sizes = SRLIP(0.0, shape).shape
    p = dirichlet_joints(
        n_trials, n_secret, int(np.prod(sizes)), concentration, generator(rng)
    )
    rows = []
    for eps in budgets(epsilons):
        notion = SRLIP(eps, sizes)
        leakage = np.array(
            [
                notion.leakage(joint, product_response(joint, notion, repair=False))
                for joint in map(Joint, p)
            ]
        )
        used = np.array([ratio(value, eps) for value in leakage])
        broken = int((leakage > eps + 1e-9).sum())
        rows.append(
            {
                "eps": eps,
                "broken": broken,
                "n": len(used),
                "used_mean": used.mean(),
                "used_most": float(used.max()),
            }
        )
    return frame(rows)
