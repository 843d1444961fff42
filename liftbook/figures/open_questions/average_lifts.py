"""The optimum under alpha-lift-privacy (E23 section 7), and a heuristic."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import pandas as pd

from liftbook.relatives.larger_budgets import larger_budgets
from liftbook.rows.making import figure
from liftbook.rows.responses import over_budgets
from liftbook.rows.tidy import Measured
from liftlib.channel import Channel
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.merging.subset_merging import subset_merging
from liftlib.notions import LIP, AlphaLift
from liftlib.response.optimal import optimal_response
from liftlib.response.posteriors import ResponseCertificate
from mixproof.numerics import Rng


@figure
def alpha_lift_optimum(
    n_trials: int = 50,
    epsilons: Iterable[float] = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0),
    alphas: Iterable[float] = (2.0, 10.0),
    n_secret: int = 5,
    n_public: int = 17,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the optimal utility under alpha-lift-privacy, to a proven gap.

    The LDP budgets are positive and halved for the alpha-lift and its inverse, as in E23 Fig. 13; orders are finite.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``eps``, ``measure`` (nmi of the best mechanism found; gap, by which the proven bound
        exceeds it), ``mean``, ``std``, ``n``.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return over_budgets(partial(_alpha_lifts, alphas=tuple(alphas)), p, epsilons)


def _alpha_lifts(joint: Joint, eps: float, alphas: tuple[float, ...]) -> Measured:
    h_x = evaluate(joint, Channel.identity(joint.n_public)).entropy
    points: dict[str, dict[str, float]] = {}
    for alpha in alphas:
        notion = AlphaLift(alpha, eps / 2, eps / 2)
        best = optimal_response(joint, notion).certified(ResponseCertificate)
        points[f"optimum, α={alpha:g}"] = {"nmi": best.value / h_x, "gap": best.gap / h_x}
        points[f"merging, α={alpha:g}"] = {"nmi": evaluate(joint, subset_merging(joint, notion)).nmi}
    return points | {"optimum, ALIP": {"nmi": evaluate(joint, optimal_response(joint, LIP(eps / 2))).nmi}}


@figure
def alpha_lift_heuristic(
    n_trials: int = 5,
    epsilons: Iterable[float] = (0.2, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0, 4.0),
    alphas: Iterable[float] = (2.0, 10.0, 100.0),
    n_secret: int = 3,
    n_public: int = 8,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the distance of ALIP's vertices from the optimum (arXiv 2406.06990).

    Budgets and orders are as in :func:`alpha_lift_optimum`.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``eps``, ``measure`` (missing: the share of the proven bound on I(X; Y) that is not
        reached), ``mean``, ``std``, ``n``. One series is the ALIP optimum, judged at the first order.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return over_budgets(partial(_behind, alphas=tuple(alphas)), p, epsilons)


def _behind(joint: Joint, eps: float, alphas: tuple[float, ...]) -> Measured:
    points: dict[str, dict[str, float]] = {}
    for alpha in alphas:
        notion = AlphaLift(alpha, eps / 2, eps / 2)
        most = optimal_response(joint, notion).certified(ResponseCertificate).upper
        reached = {f"α={alpha:g}": larger_budgets(joint, notion)}
        if alpha == alphas[0]:
            reached[f"ALIP, at α={alpha:g}"] = optimal_response(joint, LIP(eps / 2))
        for name, channel in reached.items():
            points[name] = {"missing": max(0.0, 1 - channel.certified(ResponseCertificate).value / most)}
    return points
