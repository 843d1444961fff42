"""Trade-offs of utility and leakage: mergers in lockstep, responses in workers, and one joint distribution."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from liftbook.rows.batch import Batch, Labels, extremes_of
from liftbook.rows.jobs import parallel_map
from liftbook.rows.tidy import Measured, budgets, frame, over_trials, summary
from liftlib.channel import Channel
from liftlib.errors import LiftWarning
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.merging.subset_merging import subset_merging
from liftlib.notions import ALIP, LDP, LiftNotion, Polyhedral, PolyhedralLift
from liftlib.response.optimal import optimal_response
from liftlib.response.posteriors import ResponseCertificate
from liftlib.response.subset_response import SubsetCertificate, subset_response
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


Maker = Callable[[Joint, PolyhedralLift], tuple[Channel, dict[str, float]]]
"""Returns a channel and further measures; importable by name, so that workers find it."""


class Point(NamedTuple):
    """One point of a curve: a mechanism under a notion."""

    series: str
    eps: float
    make: Maker
    notion: PolyhedralLift


def respond(joint: Joint, notion: PolyhedralLift) -> tuple[Channel, dict[str, float]]:
    """Return the optimal response, by the fastest route."""
    return optimal_response(joint, notion), {}


def respond_by_vertices(joint: Joint, notion: Polyhedral) -> tuple[Channel, dict[str, float]]:
    """Return the optimal response by vertices (E23 section 3.1.2), and their number."""
    channel = optimal_response(joint, notion, method="qhull")
    return channel, {"vertices": float(channel.certified(ResponseCertificate).rows)}


def respond_in_subsets(joint: Joint, notion: PolyhedralLift) -> tuple[Channel, dict[str, float]]:
    """Return the subset random response, with counts from its certificate.

    ``searched`` counts the subsets whose vertices are too many or too close to list.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the vertices within a subset of", LiftWarning)
        channel = subset_response(joint, notion)
    certificate = channel.certified(SubsetCertificate)
    largest = max(len(subset) for subset in certificate.subsets)
    return channel, {
        "vertices": float(certificate.rows),
        "largest_subset": float(largest),
        "unions": float(certificate.unions),
        "fallback": float(certificate.fallback),
        "searched": float(certificate.searched),
    }


def merge_in_subsets(joint: Joint, notion: PolyhedralLift) -> tuple[Channel, dict[str, float]]:
    """Return subset merging's channel, extended where necessary."""
    return subset_merging(joint, notion), {}


def measure(joint: Joint, point: Point, channel: Channel, seconds: float) -> dict[str, float]:
    """Return utility, leakages, violation and processor seconds of one point."""
    result = evaluate(joint, channel)
    return {
        "nmi": result.nmi,
        "min_lift_leakage": result.min_lift_leakage,
        "max_lift_leakage": result.max_lift_leakage,
        "broken": float(not point.notion.is_satisfied(joint, channel)),
        "seconds": seconds,
    }


def _trial(task: tuple[Matrix, Sequence[Point]]) -> list[dict[str, float]]:
    p, points = task
    joint = Joint(p)
    rows = []
    for point in points:
        began = time.process_time()  # CPU time, not wall time: workers share the cores with others
        channel, counts = point.make(joint, point.notion)
        rows.append(measure(joint, point, channel, time.process_time() - began) | counts)
    return rows


def over_budgets(at: Callable[[Joint, float], Measured], p: Matrix, epsilons: Iterable[float]) -> pd.DataFrame:
    """Return the summary of ``at(joint, eps)`` over joints (N, S, X), per budget.

    ``at`` must be a module-level function or a partial of one, so that a worker can import it.
    """
    tried = budgets(epsilons)
    return over_trials(parallel_map(_at_budgets, [(at, one, tried) for one in p]), "eps", tried)


def _at_budgets(task: tuple[Callable[[Joint, float], Measured], Matrix, list[float]]) -> list[Measured]:
    at, p, epsilons = task
    joint = Joint(p)
    return [at(joint, eps) for eps in epsilons]


def response_tradeoff(p: Matrix, points: Iterable[Point]) -> pd.DataFrame:
    """Return the trade-off of each point over N joint distributions, shape (N, S, X).

    The columns are ``series``, ``eps``, ``measure``, ``mean``, ``std``, ``n``. Measures are nmi, min_lift_leakage,
    max_lift_leakage (nats), broken (share of joints whose release violates the notion), seconds (CPU time) and the
    mechanism's counts, such as vertices.
    """
    todo = list(points)
    trials = parallel_map(_trial, [(p_sx, todo) for p_sx in p])
    rows = []
    for at, point in enumerate(todo):
        columns: Mapping[str, Matrix] = {
            name: np.array([trial[at][name] for trial in trials]) for name in trials[0][at]
        }
        rows += summary(columns, series=point.series, eps=point.eps)
    return frame(rows)
