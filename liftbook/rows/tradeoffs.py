"""Trade-offs of utility and leakage: mergers in lockstep, responses in workers, and one
joint distribution.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from liftbook.rows.jobs import parallel_map
from liftbook.rows.tidy import Measured, budgets, frame, over_trials, summary
from liftlib.channel import Channel
from liftlib.errors import LiftWarning
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.merging.stack import Stack, Symbols
from liftlib.merging.subset_merging import subset_merging
from liftlib.notions import (
    ALIP,
    LDP,
    AlphaLift,
    Chi2Lift,
    L1Lift,
    LiftNotion,
    Polyhedral,
    PolyhedralLift,
)
from liftlib.response.optimal import optimal_response
from liftlib.response.posteriors import ResponseCertificate
from liftlib.response.subset_response import SubsetCertificate, subset_response
from mixproof.numerics import Matrix, entropies

Merging = Callable[..., Symbols]
"""``merged_subsets`` or ``watchdog_subsets``."""
Series = Callable[[float], LiftNotion]


def alip_name(lam: float) -> str:
    """Return the legend entry of ALIP at a share lambda."""
    return f"ALIP, λ={lam:g}"


def ldp_and_alip(lambdas: Iterable[float]) -> dict[str, Series]:
    """Return the series of E23 Figs 2-7: LDP(eps), and ALIP at each lambda."""
    series: dict[str, Series] = {"LDP": LDP}
    for lam in lambdas:
        series[alip_name(lam)] = partial(ALIP.split, lam=lam)
    return series


def lift_based(lambdas: Iterable[float]) -> dict[str, Series]:
    """Return the series of E23 Figs 11 and 12: ALIP, and l1 and chi2 at each lambda."""
    series: dict[str, Series] = {alip_name(0.5): lambda eps: ALIP.split(eps, 0.5)}
    for name, kind in (("ℓ1", L1Lift), ("χ²", Chi2Lift)):
        for lam in lambdas:
            series[f"{name}, λ={lam:g}"] = lambda eps, kind=kind, lam=lam: kind(
                lam * eps, (1 - lam) * eps
            )  # type: ignore[misc]
    return series


def alpha_lifts(alphas: Iterable[float]) -> dict[str, Series]:
    """Return the series of E23 Fig. 13: ALIP, and alpha-lift privacy of each order."""
    series: dict[str, Series] = {"ALIP": lambda eps: ALIP.split(eps, 0.5)}
    for alpha in alphas:
        series[f"α={alpha:g}"] = lambda eps, alpha=alpha: AlphaLift(
            alpha, eps / 2, eps / 2
        )  # type: ignore[misc]
    return series


def merged_measures(p: Matrix | Stack, subset_of: Symbols) -> dict[str, Matrix]:
    """Return utility and leakage of each of N deterministic merges.

    Parameters
    ----------
    p : numpy.ndarray, shape (N, S, X), or Stack
        Joint distributions.
    subset_of : numpy.ndarray of int, shape (N, X)
        The number of each symbol's subset, as ``merged_subsets`` returns it; -1 for a
        symbol that is published unchanged.

    Returns
    -------
    dict
        ``nmi``, ``min_lift_leakage`` and ``max_lift_leakage`` (nats), shape (N,).
    """
    stack = Stack.of(p)
    return _measures(stack, stack.release(subset_of))


def _measures(stack: Stack, release: Stack) -> dict[str, Matrix]:
    with np.errstate(divide="ignore"):
        return {
            # Y is a function of X, so that I(X; Y) = H(Y)
            "nmi": entropies(release.p_x) / entropies(stack.p_x),
            "min_lift_leakage": np.abs(np.log(release.lifts.min(axis=1).min(axis=1))),
            "max_lift_leakage": np.log(
                np.maximum(release.lifts.max(axis=1).max(axis=1), 1)
            ),
        }


def merging_tradeoff(
    p: Matrix,
    series: Mapping[str, Series],
    epsilons: Iterable[float],
    merging: Merging,
    *,
    extend: bool,
) -> pd.DataFrame:
    """Return the trade-off of a merging mechanism for each series and budget.

    Parameters
    ----------
    p : numpy.ndarray, shape (N, S, X)
        Joint distributions.
    series : mapping
        The notion at each budget, by the series' name.
    epsilons : iterable of float
        Budgets, nats.
    merging : callable
        ``merged_subsets`` or ``watchdog_subsets`` of liftlib.
    extend : bool, keyword-only
        Whether low-risk symbols are added to a subset that violates the notion.

    Returns
    -------
    pandas.DataFrame
        The columns are ``series``, ``eps``, ``measure`` (nmi, min_lift_leakage,
        max_lift_leakage, broken), ``mean``, ``std``, ``low``, ``high``, ``n``.
        ``broken`` is the share of joints whose release violates the notion.
    """
    rows: list[dict[str, Any]] = []
    stack = Stack(p)
    for name, notion_at in series.items():
        for eps in budgets(epsilons):
            notion = notion_at(eps)
            release = stack.release(merging(stack, notion, extend=extend))
            broken = release.high_risk(notion).any(axis=1).astype(float)
            measures = {**_measures(stack, release), "broken": broken}
            rows += summary(measures, series=name, eps=eps)
    return frame(rows)


Maker = Callable[[Joint, PolyhedralLift], tuple[Channel, dict[str, float]]]
"""Returns a channel and further measures; importable by name, so that
workers find it.
"""


class Point(NamedTuple):
    """One point of a curve: a mechanism under a notion."""

    series: str
    eps: float
    make: Maker
    notion: PolyhedralLift


def respond(joint: Joint, notion: PolyhedralLift) -> tuple[Channel, dict[str, float]]:
    """Return the optimal response, by the fastest route."""
    return optimal_response(joint, notion), {}


def respond_by_vertices(
    joint: Joint, notion: Polyhedral
) -> tuple[Channel, dict[str, float]]:
    """Return the optimal response by vertices (E23 section 3.1.2), and their number."""
    channel = optimal_response(joint, notion, method="qhull")
    return channel, {"vertices": float(channel.certified(ResponseCertificate).rows)}


def respond_in_subsets(
    joint: Joint, notion: PolyhedralLift
) -> tuple[Channel, dict[str, float]]:
    """Return the subset random response, with counts from its certificate.

    ``searched`` counts the subsets whose vertices are too many or too close to list.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "the vertices within a subset of", LiftWarning
        )
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


def merge_in_subsets(
    joint: Joint, notion: PolyhedralLift
) -> tuple[Channel, dict[str, float]]:
    """Return subset merging's channel, extended where necessary."""
    return subset_merging(joint, notion), {}


def measure(
    joint: Joint, point: Point, channel: Channel, seconds: float
) -> dict[str, float]:
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
        # CPU time, not wall time: workers share the cores with others
        began = time.process_time()
        channel, counts = point.make(joint, point.notion)
        rows.append(
            measure(joint, point, channel, time.process_time() - began) | counts
        )
    return rows


def over_budgets(
    at: Callable[[Joint, float], Measured], p: Matrix, epsilons: Iterable[float]
) -> pd.DataFrame:
    """Return the summary of ``at(joint, eps)`` over joints (N, S, X), per budget.

    ``at`` must be a module-level function or a partial of one, so that a worker can
    import it.
    """
    tried = budgets(epsilons)
    return over_trials(
        parallel_map(_at_budgets, [(at, one, tried) for one in p]), "eps", tried
    )


def _at_budgets(
    task: tuple[Callable[[Joint, float], Measured], Matrix, list[float]],
) -> list[Measured]:
    at, p, epsilons = task
    joint = Joint(p)
    return [at(joint, eps) for eps in epsilons]


def response_tradeoff(p: Matrix, points: Iterable[Point]) -> pd.DataFrame:
    """Return the trade-off of each point over N joint distributions, shape (N, S, X).

    The columns are ``series``, ``eps``, ``measure``, ``mean``, ``std``, ``n``. Measures
    are nmi, min_lift_leakage, max_lift_leakage (nats), broken (share of joints whose
    release violates the notion), seconds (CPU time) and the mechanism's counts, such as
    vertices.
    """
    todo = list(points)
    trials = parallel_map(_trial, [(p_sx, todo) for p_sx in p])
    rows = []
    for at, point in enumerate(todo):
        columns: Mapping[str, Matrix] = {
            name: np.array([trial[at][name] for trial in trials])
            for name in trials[0][at]
        }
        rows += summary(columns, series=point.series, eps=point.eps)
    return frame(rows)
