"""The papers' trade-offs of utility and leakage as one table: E23 Figs 2-13 and C22 Figs 1-3.

The figures differ in their data (random joints, or Adult's relationship and occupation), the notions compared and the
mechanism. Rows of E23 have the columns of :func:`~liftbook.rows.tradeoffs.merging_tradeoff`, or of
:func:`~liftbook.rows.tradeoffs.response_tradeoff` with the measures nmi, min_lift_leakage, max_lift_leakage, broken and
seconds; vertices, for SRR and, where they are listed (Figs 8 and 9), for AORR; and, for SRR, largest_subset, unions and
fallback. Rows of C22 have the series Algorithm 1 and complete merging.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import Parameter, Signature
from typing import Any

import pandas as pd

from liftbook.figures.c22 import subsets_and_complete
from liftbook.rows.labels import merge_labels, watchdog_labels
from liftbook.rows.making import C22_EPSILONS, E23_EPSILONS, E23_LAMBDAS, E23_LARGE_EPSILONS, adult_joint, figure
from liftbook.rows.tidy import budgets
from liftbook.rows.tradeoffs import (
    Labeller,
    Maker,
    Point,
    Series,
    alip_name,
    ldp_and_alip,
    merge_in_subsets,
    merging_tradeoff,
    respond,
    respond_by_vertices,
    respond_in_subsets,
    response_tradeoff,
)
from liftlib.datasets import uniform_joints
from liftlib.notions import ALIP, LDP, AlphaLift, Chi2Lift, L1Lift
from mixproof.numerics import Matrix

Floats = Iterable[float]
Rows = Callable[..., pd.DataFrame]

TYPES = {"n_trials": "int", "n_secret": "int", "n_public": "int", "lam": "float", "leave_out": "Sequence[str]"} | {
    "joint": "Joint | None", "rng": "Rng", "extend": "bool", "ldp": "bool", "listed": "bool",
}  # fmt: skip
"""Annotations of the figures' arguments; the others are ``Iterable[float]``."""


def tradeoff(
    number: str,
    says: str,
    rows: Rows,
    joints: tuple[int, int, int] | None = (1000, 5, 17),
    epsilons: Floats = E23_EPSILONS,
    *,
    shares: dict[str, Any] = {"lambdas": E23_LAMBDAS},  # noqa: B006 - only read
    **options: bool,
) -> Rows:
    """Return the function of one figure.

    Parameters
    ----------
    number, says : str
        The figure, such as ``e23_2``, and what it shows.
    rows : callable
        Returns the rows, given joint distributions of shape (N, S, X), the budgets, the shares and the options.
    joints : tuple of int, or None
        The default number of random joints, of secrets and of symbols; None for Adult.
    epsilons : iterable of float
        The default budgets, nats.
    shares : dict, keyword-only
        Names and defaults of the arguments between the budgets and the sizes.
    **options : bool
        Names and defaults of the arguments by keyword alone.
    """
    drawn = dict(zip(("n_trials", "n_secret", "n_public"), joints or (), strict=False))
    order = [*list(drawn)[:1], "epsilons", *shares, *list(drawn)[1:]]
    free = {"rng": 0} if drawn else {"leave_out": (), "joint": None}
    defaults = {"epsilons": epsilons, **drawn, **shares}
    signature = Signature(
        [
            Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=defaults[name], annotation=_type(name))
            for name in order
        ]
        + [
            Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=_type(name))
            for name, default in {**options, **free}.items()
        ],
        return_annotation="pd.DataFrame",
    )

    def function(*args: Any, **kwargs: Any) -> pd.DataFrame:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        own = [given.pop(name) for name in (*drawn, *free)]
        p = uniform_joints(*own) if drawn else adult_joint(*own)
        return rows(p, **given)

    paper, _, at = number.partition("_")
    function.__name__ = function.__qualname__ = f"figure_{number}"
    function.__doc__ = f"Return {says} ({paper.upper()} Fig. {at})."
    function.__signature__ = signature  # type: ignore[attr-defined]
    return figure(function)


def _type(name: str) -> str:
    return TYPES.get(name, "Iterable[float]")


def _merged(notions: Callable[..., dict[str, Series]], mechanism: Callable[[bool], Labeller]) -> Rows:
    """Return the rows of a merging mechanism, for notions that depend on the figure's shares."""

    def rows(p: Matrix, epsilons: Floats, *, extend: bool, **shares: Floats) -> pd.DataFrame:
        return merging_tradeoff(p, notions(*shares.values()), budgets(epsilons), mechanism(extend))

    return rows


def _watchdog(extend: bool) -> Labeller:
    return lambda p, notion: watchdog_labels(p, notion, extend=extend)


def _merging(extend: bool) -> Labeller:
    return lambda p, notion: merge_labels(p, notion, extend=extend)[0]


def _lift_based(lambdas: Floats) -> dict[str, Series]:
    series: dict[str, Series] = {alip_name(0.5): lambda eps: ALIP.split(eps, 0.5)}
    for name, kind in (("ℓ1", L1Lift), ("χ²", Chi2Lift)):
        for lam in lambdas:
            series[f"{name}, λ={lam:g}"] = lambda eps, kind=kind, lam=lam: kind(lam * eps, (1 - lam) * eps)  # type: ignore[misc]
    return series


def _alpha_lifts(alphas: Floats) -> dict[str, Series]:
    series: dict[str, Series] = {"ALIP": lambda eps: ALIP.split(eps, 0.5)}
    for alpha in alphas:
        series[f"α={alpha:g}"] = lambda eps, alpha=alpha: AlphaLift(alpha, eps / 2, eps / 2)  # type: ignore[misc]
    return series


def _optimal(p: Matrix, epsilons: Floats, lambdas: Floats, *, ldp: bool, listed: bool = False) -> pd.DataFrame:
    """Return the rows of the optimal response, listing the vertices as the paper does, if asked."""
    shares, points, make = list(lambdas), list[Point](), respond_by_vertices if listed else respond
    for eps in budgets(epsilons):
        points += [Point("LDP", eps, make, LDP(eps))] if ldp else []
        points += [Point(alip_name(lam), eps, make, ALIP.split(eps, lam)) for lam in shares]
    return response_tradeoff(p, points)


def _beside(makers: dict[str, Maker]) -> Rows:
    """Return the rows of several mechanisms under ALIP at one lambda."""

    def rows(p: Matrix, epsilons: Floats, lam: float) -> pd.DataFrame:
        notions = [(eps, ALIP.split(eps, lam)) for eps in budgets(epsilons)]
        return response_tradeoff(
            p, [Point(name, eps, make, notion) for eps, notion in notions for name, make in makers.items()]
        )

    return rows


SUBSET_MECHANISMS: dict[str, Maker] = {"SRR": respond_in_subsets, "subset merging": merge_in_subsets}
ALL_MECHANISMS: dict[str, Maker] = {"AORR": respond_by_vertices, **SUBSET_MECHANISMS}
WATCHDOG, MERGING = _merged(ldp_and_alip, _watchdog), _merged(ldp_and_alip, _merging)
LIFT_BASED, TWO = _merged(_lift_based, _merging), {"lambdas": (0.5, 0.65)}
WIDE = {"lam": 0.65}
THREE = "subset merging's trade-off under ALIP, l1- and chi2-privacy"
SIDE_BY_SIDE = "the trade-off and time of AORR, SRR and subset merging"

figure_e23_2 = tradeoff("e23_2", "the watchdog's trade-off on random joints", WATCHDOG, extend=False)
figure_e23_3 = tradeoff("e23_3", "the watchdog's trade-off on Adult", WATCHDOG, None, extend=False)
figure_e23_4 = tradeoff(
    "e23_4", "the optimal response's trade-off on random joints", _optimal, (100, 5, 17), ldp=False, listed=False
)
figure_e23_5 = tradeoff("e23_5", "the optimal response's trade-off on Adult", _optimal, None, ldp=False)
figure_e23_6 = tradeoff("e23_6", "subset merging's trade-off on random joints", MERGING, extend=False)
figure_e23_7 = tradeoff("e23_7", "subset merging's trade-off on Adult", MERGING, None, extend=False)
figure_e23_8 = tradeoff("e23_8", f"{SIDE_BY_SIDE} on random joints", _beside(ALL_MECHANISMS), (100, 5, 17), shares=WIDE)
figure_e23_9 = tradeoff("e23_9", f"{SIDE_BY_SIDE} on Adult", _beside(ALL_MECHANISMS), None, shares=WIDE)
# the paper does not state its number of joint distributions
figure_e23_10 = tradeoff(
    "e23_10",
    "SRR and subset merging on random joints of 15 secrets and 200 symbols",
    _beside(SUBSET_MECHANISMS),
    (100, 15, 200),
    E23_LARGE_EPSILONS,
    shares={"lam": 0.5},
)
figure_e23_11 = tradeoff("e23_11", f"{THREE} on random joints", LIFT_BASED, shares=TWO, extend=False)
figure_e23_12 = tradeoff("e23_12", f"{THREE} on Adult", LIFT_BASED, None, shares=TWO, extend=False)
figure_e23_13 = tradeoff(
    "e23_13",
    "subset merging's trade-off under ALIP and alpha-lift privacy on random joints",
    _merged(_alpha_lifts, _merging),
    shares={"alphas": (2, 10, 100)},
    extend=False,
)


def _c22(number: int, says: str, *measures: str) -> Rows:
    rows = subsets_and_complete(measures)
    return tradeoff(
        f"c22_{number}", f"{says} on random joints", rows, (1000, 13, 20), C22_EPSILONS, shares={}, extend=False
    )


# budgets without a joint that has a high-risk symbol have no row of its leakage
figure_c22_1 = _c22(1, "the leakage of outputs with a high-risk symbol, in nats,", "high_risk_leakage")
figure_c22_2 = _c22(2, "the loss of utility, NMIL,", "nmil")
figure_c22_3 = _c22(3, "overall leakage and NMIL at each LIP budget", "nmil", "leakage")
