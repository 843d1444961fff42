"""Trade-offs of merging mechanisms over many joint distributions at once."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from liftbook.rows.batch import Batch, Labels, extremes_of
from liftbook.rows.tidy import frame, summary
from liftlib.notions import ALIP, LDP, LiftNotion
from mixproof.numerics import Matrix, xlogx

Labeller = Callable[[Batch, LiftNotion], Labels]
Series = Callable[[float], LiftNotion]


def alip_name(lam: float) -> str:
    """Return the legend entry of ALIP at a share lambda."""
    return f"ALIP, λ={lam:g}"


def ldp_and_alip(lambdas: Iterable[float]) -> dict[str, Series]:
    """Return the series of E23 Figs 2-7: LDP(eps), and ALIP at each lambda."""
    series: dict[str, Series] = {"LDP": LDP}
    for lam in lambdas:
        series[alip_name(lam)] = lambda eps, lam=lam: ALIP.split(eps, lam)  # type: ignore[misc]
    return series


def merged_measures(p: Matrix, labels: Labels) -> dict[str, Matrix]:
    """Return utility and leakage of each of N deterministic merges.

    ``p`` has shape (N, S, X) and ``labels`` (N, X). The measures ``nmi``, ``min_lift_leakage`` and ``max_lift_leakage``
    (nats) have shape (N,).
    """
    batch = Batch.of(p)
    lifts, chances = batch.release(labels)
    return _measures(batch, lifts, chances)


def _measures(batch: Batch, lifts: Matrix, chances: Matrix) -> dict[str, Matrix]:
    # Y is a function of X, so I(X; Y) = H(Y)
    extremes = extremes_of(lifts)
    entropies = [-xlogx(q).sum(axis=-1) for q in (chances, batch.p_x)]
    with np.errstate(divide="ignore"):
        return {
            "nmi": entropies[0] / entropies[1],
            "min_lift_leakage": np.abs(np.log(extremes[:, 0].min(axis=1))),
            "max_lift_leakage": np.log(np.maximum(extremes[:, 1].max(axis=1), 1)),
        }


def merging_tradeoff(
    p: Matrix, series: dict[str, Series], epsilons: Iterable[float], labeller: Labeller
) -> pd.DataFrame:
    """Return the trade-off of a merging mechanism for each series and budget.

    The columns are ``series``, ``eps``, ``measure`` (nmi, min_lift_leakage, max_lift_leakage, broken), ``mean``,
    ``std``, ``n``. ``broken`` is the share of joints whose release violates the notion.
    """
    rows: list[dict[str, Any]] = []
    batch = Batch.of(p)
    for name, notion_at in series.items():
        for eps in epsilons:
            notion = notion_at(eps)
            lifts, chances = batch.release(labeller(batch, notion))
            broken = np.array(~notion.kept_columns(lifts, batch.p_s).all(axis=1), dtype=np.float64)
            rows += summary({**_measures(batch, lifts, chances), "broken": broken}, series=name, eps=eps)
    return frame(rows)
