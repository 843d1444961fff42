"""E23 Figs 4, 5 and 8-10: AORR, subset random response and subset merging.

Their rows have the columns of ``liftbook.figures.response_tradeoff``: the measures nmi, min_lift_leakage,
max_lift_leakage, broken and seconds; vertices, for SRR and, where they are listed (Figs 8 and 9), for AORR; and, for
SRR, largest_subset, unions and fallback.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from liftbook.rows.making import adult_joint, figure
from liftbook.rows.merging import alip_name
from liftbook.rows.responses import (
    Maker,
    Point,
    merge_in_subsets,
    respond,
    respond_by_vertices,
    respond_in_subsets,
    response_tradeoff,
)
from liftbook.rows.scales import E23_EPSILONS as EPSILONS
from liftbook.rows.scales import E23_LAMBDAS as LAMBDAS
from liftbook.rows.scales import E23_LARGE_EPSILONS
from liftbook.rows.tidy import budgets
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.notions import ALIP, LDP
from mixproof.numerics import Rng

Floats = Iterable[float]

SUBSET_MECHANISMS: dict[str, Maker] = {"SRR": respond_in_subsets, "subset merging": merge_in_subsets}
ALL_MECHANISMS: dict[str, Maker] = {"AORR": respond_by_vertices, **SUBSET_MECHANISMS}


def _optimal(epsilons: Floats, lambdas: Floats, ldp: bool, make: Maker = respond) -> list[Point]:
    shares, points = list(lambdas), []
    for eps in budgets(epsilons):
        points += [Point("LDP", eps, make, LDP(eps))] if ldp else []
        points += [Point(alip_name(lam), eps, make, ALIP.split(eps, lam)) for lam in shares]
    return points


def _beside(makers: dict[str, Maker], epsilons: Floats, lam: float) -> list[Point]:
    return [Point(name, eps, make, ALIP.split(eps, lam)) for eps in budgets(epsilons) for name, make in makers.items()]


@figure
def figure_e23_4(
    n_trials: int = 100,
    epsilons: Floats = EPSILONS,
    lambdas: Floats = LAMBDAS,
    n_secret: int = 5,
    n_public: int = 17,
    *,
    ldp: bool = False,
    listed: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the optimal response's trade-off on random joints (E23 Fig. 4)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return response_tradeoff(p, _optimal(epsilons, lambdas, ldp, respond_by_vertices if listed else respond))


@figure
def figure_e23_5(
    epsilons: Floats = EPSILONS,
    lambdas: Floats = LAMBDAS,
    *,
    ldp: bool = False,
    leave_out: Sequence[str] = (),
    joint: Joint | None = None,
) -> pd.DataFrame:
    """Return the optimal response's trade-off on Adult (E23 Fig. 5)."""
    p = adult_joint(leave_out, joint)
    return response_tradeoff(p, _optimal(epsilons, lambdas, ldp))


@figure
def figure_e23_8(
    n_trials: int = 100,
    epsilons: Floats = EPSILONS,
    lam: float = 0.65,
    n_secret: int = 5,
    n_public: int = 17,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the trade-off and time of AORR, SRR and subset merging (E23 Fig. 8)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return response_tradeoff(p, _beside(ALL_MECHANISMS, epsilons, lam))


@figure
def figure_e23_9(
    epsilons: Floats = EPSILONS, lam: float = 0.65, *, leave_out: Sequence[str] = (), joint: Joint | None = None
) -> pd.DataFrame:
    """Return Fig. 8's rows on Adult, S = relationship, X = occupation (E23 Fig. 9)."""
    p = adult_joint(leave_out, joint)
    return response_tradeoff(p, _beside(ALL_MECHANISMS, epsilons, lam))


@figure
def figure_e23_10(
    n_trials: int = 100,
    epsilons: Floats = E23_LARGE_EPSILONS,
    lam: float = 0.5,
    n_secret: int = 15,
    n_public: int = 200,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return SRR and subset merging on 15 secrets and 200 symbols (E23 Fig. 10).

    Parameters
    ----------
    n_trials : int
        Number of uniform random joint distributions; the paper does not state its own.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return response_tradeoff(p, _beside(SUBSET_MECHANISMS, epsilons, lam))
