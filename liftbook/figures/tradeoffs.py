"""The papers' trade-offs of utility and leakage: E23 Figs 2-13 and C22 Figs 1-3.

Each function draws or loads joint distributions, names the notions that the figure
compares, and runs one of liftlib's mechanisms. Rows of E23 have the columns of
:func:`~liftbook.rows.tradeoffs.merging_tradeoff` or of
:func:`~liftbook.rows.tradeoffs.response_tradeoff`; rows of C22 have the series
Algorithm 1 and complete merging. Parameters are described in :mod:`liftbook.figures`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from liftbook.figures.c22 import beside_complete_merging
from liftbook.rows.making import (
    C22_EPSILONS,
    E23_EPSILONS,
    E23_LAMBDAS,
    E23_LARGE_EPSILONS,
    adult_joint,
    figure,
)
from liftbook.rows.tidy import budgets
from liftbook.rows.tradeoffs import (
    Maker,
    Point,
    alip_name,
    alpha_lifts,
    ldp_and_alip,
    lift_based,
    merge_in_subsets,
    merging_tradeoff,
    respond,
    respond_by_vertices,
    respond_in_subsets,
    response_tradeoff,
)
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.merging.subset_merging import merged_subsets
from liftlib.merging.watchdog import watchdog_subsets
from liftlib.notions import ALIP, LDP
from mixproof.numerics import Matrix, Rng

Floats = Iterable[float]
Names = Sequence[str]

SUBSET_MECHANISMS: dict[str, Maker] = {
    "SRR": respond_in_subsets,
    "subset merging": merge_in_subsets,
}
ALL_MECHANISMS: dict[str, Maker] = {"AORR": respond_by_vertices, **SUBSET_MECHANISMS}


def _optimal(
    p: Matrix, epsilons: Floats, lambdas: Floats, *, ldp: bool, listed: bool = False
) -> pd.DataFrame:
    """Return the rows of the optimal response, with the vertices listed if asked."""
    shares, points = list(lambdas), list[Point]()
    make = respond_by_vertices if listed else respond
    for eps in budgets(epsilons):
        points += [Point("LDP", eps, make, LDP(eps))] if ldp else []
        points += [Point(alip_name(s), eps, make, ALIP.split(eps, s)) for s in shares]
    return response_tradeoff(p, points)


def _beside(
    p: Matrix, epsilons: Floats, lam: float, makers: Mapping[str, Maker]
) -> pd.DataFrame:
    """Return the rows of several mechanisms under ALIP at one lambda."""
    points = [
        Point(name, eps, make, ALIP.split(eps, lam))
        for eps in budgets(epsilons)
        for name, make in makers.items()
    ]
    return response_tradeoff(p, points)


@figure
def figure_e23_2(
    n_trials: int = 1000,
    epsilons: Floats = E23_EPSILONS,
    lambdas: Floats = E23_LAMBDAS,
    n_secret: int = 5,
    n_public: int = 17,
    *,
    extend: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the watchdog's trade-off on random joints (E23 Fig. 2)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    series = ldp_and_alip(lambdas)
    return merging_tradeoff(p, series, epsilons, watchdog_subsets, extend=extend)


@figure
def figure_e23_3(
    epsilons: Floats = E23_EPSILONS,
    lambdas: Floats = E23_LAMBDAS,
    *,
    extend: bool = False,
    leave_out: Names = (),
    joint: Joint | None = None,
) -> pd.DataFrame:
    """Return the watchdog's trade-off on Adult (E23 Fig. 3)."""
    p, series = adult_joint(leave_out, joint), ldp_and_alip(lambdas)
    return merging_tradeoff(p, series, epsilons, watchdog_subsets, extend=extend)


@figure
def figure_e23_4(
    n_trials: int = 100,
    epsilons: Floats = E23_EPSILONS,
    lambdas: Floats = E23_LAMBDAS,
    n_secret: int = 5,
    n_public: int = 17,
    *,
    ldp: bool = False,
    listed: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the optimal response's trade-off on random joints (E23 Fig. 4)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return _optimal(p, epsilons, lambdas, ldp=ldp, listed=listed)


@figure
def figure_e23_5(
    epsilons: Floats = E23_EPSILONS,
    lambdas: Floats = E23_LAMBDAS,
    *,
    ldp: bool = False,
    leave_out: Names = (),
    joint: Joint | None = None,
) -> pd.DataFrame:
    """Return the optimal response's trade-off on Adult (E23 Fig. 5)."""
    return _optimal(adult_joint(leave_out, joint), epsilons, lambdas, ldp=ldp)


@figure
def figure_e23_6(
    n_trials: int = 1000,
    epsilons: Floats = E23_EPSILONS,
    lambdas: Floats = E23_LAMBDAS,
    n_secret: int = 5,
    n_public: int = 17,
    *,
    extend: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return subset merging's trade-off on random joints (E23 Fig. 6)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    series = ldp_and_alip(lambdas)
    return merging_tradeoff(p, series, epsilons, merged_subsets, extend=extend)


@figure
def figure_e23_7(
    epsilons: Floats = E23_EPSILONS,
    lambdas: Floats = E23_LAMBDAS,
    *,
    extend: bool = False,
    leave_out: Names = (),
    joint: Joint | None = None,
) -> pd.DataFrame:
    """Return subset merging's trade-off on Adult (E23 Fig. 7)."""
    p, series = adult_joint(leave_out, joint), ldp_and_alip(lambdas)
    return merging_tradeoff(p, series, epsilons, merged_subsets, extend=extend)


@figure
def figure_e23_8(
    n_trials: int = 100,
    epsilons: Floats = E23_EPSILONS,
    lam: float = 0.65,
    n_secret: int = 5,
    n_public: int = 17,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the trade-off and time of AORR, SRR and subset merging (E23 Fig. 8)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return _beside(p, epsilons, lam, ALL_MECHANISMS)


@figure
def figure_e23_9(
    epsilons: Floats = E23_EPSILONS,
    lam: float = 0.65,
    *,
    leave_out: Names = (),
    joint: Joint | None = None,
) -> pd.DataFrame:
    """Return the trade-off and time of Fig. 8's mechanisms on Adult (E23 Fig. 9)."""
    return _beside(adult_joint(leave_out, joint), epsilons, lam, ALL_MECHANISMS)


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
    """Return SRR and subset merging on large random joints (E23 Fig. 10).

    The paper does not state the number of its joint distributions.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return _beside(p, epsilons, lam, SUBSET_MECHANISMS)


@figure
def figure_e23_11(
    n_trials: int = 1000,
    epsilons: Floats = E23_EPSILONS,
    lambdas: Floats = (0.5, 0.65),
    n_secret: int = 5,
    n_public: int = 17,
    *,
    extend: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return subset merging under ALIP, l1- and chi2-privacy (E23 Fig. 11)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    series = lift_based(lambdas)
    return merging_tradeoff(p, series, epsilons, merged_subsets, extend=extend)


@figure
def figure_e23_12(
    epsilons: Floats = E23_EPSILONS,
    lambdas: Floats = (0.5, 0.65),
    *,
    extend: bool = False,
    leave_out: Names = (),
    joint: Joint | None = None,
) -> pd.DataFrame:
    """Return subset merging under ALIP, l1- and chi2-privacy on Adult (E23 Fig. 12)."""
    p, series = adult_joint(leave_out, joint), lift_based(lambdas)
    return merging_tradeoff(p, series, epsilons, merged_subsets, extend=extend)


@figure
def figure_e23_13(
    n_trials: int = 1000,
    epsilons: Floats = E23_EPSILONS,
    alphas: Floats = (2, 10, 100),
    n_secret: int = 5,
    n_public: int = 17,
    *,
    extend: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return subset merging under ALIP and alpha-lift privacy (E23 Fig. 13)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    series = alpha_lifts(alphas)
    return merging_tradeoff(p, series, epsilons, merged_subsets, extend=extend)


@figure
def figure_c22_1(
    n_trials: int = 1000,
    epsilons: Floats = C22_EPSILONS,
    n_secret: int = 13,
    n_public: int = 20,
    *,
    extend: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the leakage of outputs with a high-risk symbol (C22 Fig. 1)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return beside_complete_merging(p, epsilons, ("high_risk_leakage",), extend=extend)


@figure
def figure_c22_2(
    n_trials: int = 1000,
    epsilons: Floats = C22_EPSILONS,
    n_secret: int = 13,
    n_public: int = 20,
    *,
    extend: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the loss of utility, NMIL, on random joints (C22 Fig. 2)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return beside_complete_merging(p, epsilons, ("nmil",), extend=extend)


@figure
def figure_c22_3(
    n_trials: int = 1000,
    epsilons: Floats = C22_EPSILONS,
    n_secret: int = 13,
    n_public: int = 20,
    *,
    extend: bool = False,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return overall leakage and NMIL at each LIP budget (C22 Fig. 3)."""
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return beside_complete_merging(p, epsilons, ("nmil", "leakage"), extend=extend)
