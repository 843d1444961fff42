"""S20 Fig. 4: SRLIP protocols against the optimal LIP, with their times."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from liftbook.figures.s20.kernels import product_of_kernels
from liftbook.figures.s20.optimal import BY_KERNELS, BY_ROWS
from liftbook.relatives.srlip_bounds import srlip_upper_bounds
from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import figure
from liftbook.rows.scales import S20_EPSILONS as EPSILONS
from liftbook.rows.scales import S20_SHAPE as SHAPE
from liftbook.rows.tidy import budgets, frame, ratio, summary
from liftbook.rows.timing import fastest
from liftlib.channel import Channel
from liftlib.datasets import uniform_joints
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
"""Proven gap of the optimum under SRLIP relative to its utility, if the linear programs suffice."""


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
        Maximum number of linear programs in the search for an SRLIP protocol, which otherwise ends at a proven gap of 1
        %. The default takes half a minute; unlike a time limit, it is reproducible on any machine.

    Returns
    -------
    pandas.DataFrame
        A row for each budget, trial and ``series``: ``Theorem 4, polytope of kernels`` and ``..., polytope of rows``
        (one protocol, as published, by two routes), ``searched`` (by branch and bound) and ``upper bound`` (on every
        SRLIP protocol). ``information`` is I(X; Y) in nats, ``share`` its ratio to the LIP optimum ``lip``, ``nmi`` its
        ratio to H(X); ``time_ratio`` is LIP's time over ``seconds``; ``leakage`` is the SRLIP leakage, nats (NaN for
        the bound).
    """
    sizes = SRLIP(0.0, shape).shape
    p = uniform_joints(n_trials, n_secret, int(np.prod(sizes)), generator(rng))
    tasks: list[Task] = [(p_sx, budgets(epsilons), sizes, programmes) for p_sx in p]
    trials = parallel_map(_srlip, tasks)
    return frame({"trial": trial, **row} for trial, rows in enumerate(trials) for row in rows)


def shares_of_lip(rows: pd.DataFrame) -> pd.DataFrame:
    """Return means and standard deviations of :func:`figure_s20_4`'s shares."""
    once = rows[rows["series"] != f"Theorem 4, {BY_KERNELS}"].replace(
        {"series": {f"Theorem 4, {BY_ROWS}": "Theorem 4"}}
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
        product, by_rows = fastest(partial(product_response, joint, notion, repair=False))
        kernel_product, by_kernels = fastest(partial(product_of_kernels, joint, eps, shape))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LiftWarning)  # the bound shows whether the limit was reached
            tree = partial(optimal_response, joint, notion, method="tree", gap=GAP, work=most)
            searched, search = fastest(tree, repeats=1)
        bounds, bounding = fastest(partial(srlip_upper_bounds, joint, notion), repeats=1)
        upper = min(searched.certified(ResponseCertificate).upper, *bounds.values())
        channels: Mapping[str, tuple[Channel | None, float]] = {
            f"Theorem 4, {BY_KERNELS}": (kernel_product, by_kernels),
            f"Theorem 4, {BY_ROWS}": (product, by_rows),
            "searched": (searched, search),
            "upper bound": (None, bounding),
        }
        for series, (channel, seconds) in channels.items():
            information = upper if channel is None else evaluate(joint, channel).mutual_information
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
                    "leakage": np.nan if channel is None else notion.leakage(joint, channel),
                }
            )
    return rows
