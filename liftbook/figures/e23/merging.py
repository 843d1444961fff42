"""E23 Figs 1-3, 6, 7 and 11-13: lift asymmetry, the watchdog and subset merging."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from liftbook.rows.merging import (
    EPSILONS,
    LAMBDAS,
    Labeller,
    Series,
    alip_name,
    ldp_and_alip,
    merging_tradeoff,
)
from liftbook.rows.tidy import RngLike, budgets, frame, generator, timed
from liftlib.datasets import adult, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.lifts import lift_of
from liftlib.mechanisms.merging.subset import merge_labels
from liftlib.mechanisms.merging.watchdog import watchdog_labels
from liftlib.notions import ALIP, AlphaLift, Chi2Lift, L1Lift
from liftlib.numerics import Matrix, check_scalar


@timed
def figure_e23_1(
    n_trials: int = 1000, n_secret: int = 5, n_public: int = 17, bin_width: float = 0.1, rng: RngLike = 0
) -> pd.DataFrame:
    """Return histograms of log min-lift and log max-lift over random joints (E23 Fig. 1).

    Parameters
    ----------
    n_trials : int
        Uniform random joint distributions.
    n_secret, n_public : int
        Alphabet sizes.
    bin_width : float
        Width of a bin in nats, the same for both measures, so that their probabilities compare.
    rng : int or numpy.random.Generator
        Seed or source of randomness.

    Returns
    -------
    pandas.DataFrame
        Columns ``measure`` (log_min_lift, log_max_lift), ``left``, ``right`` (nats) and ``probability``, which sums
        to 1 over the bins of a measure; ``least`` and ``largest`` repeat the measure's range in each row.
    """
    width = check_scalar("bin_width", bin_width, open_low=True, finite=True)
    p = uniform_joints(n_trials, n_secret, n_public, generator(rng))
    lifts = lift_of(p)
    rows = []
    for measure, values in (
        ("log_min_lift", np.log(lifts.min(axis=1)).ravel()),
        ("log_max_lift", np.log(lifts.max(axis=1)).ravel()),
    ):
        first, last = np.floor(values.min() / width), np.ceil(values.max() / width)
        edges = width * np.arange(first, last + 1)
        counts, _ = np.histogram(values, bins=edges)
        whole = {"measure": measure, "least": float(values.min()), "largest": float(values.max())}
        rows += [
            {**whole, "left": left, "right": right, "probability": share}
            for left, right, share in zip(edges[:-1], edges[1:], counts / counts.sum(), strict=True)
        ]
    return frame(rows)


def _synthetic(n_trials: int, n_secret: int, n_public: int, rng: RngLike) -> Matrix:
    return uniform_joints(n_trials, n_secret, n_public, generator(rng))


def _real(joint: Joint | None, leave_out: Sequence[str]) -> Matrix:
    chosen = adult("relationship", "occupation", leave_out=tuple(leave_out)) if joint is None else joint
    return chosen.p[None]


def _watchdog(extend: bool) -> Labeller:
    return lambda p, notion: watchdog_labels(p, notion, extend=extend)


def _merging(extend: bool) -> Labeller:
    return lambda p, notion: merge_labels(p, notion, extend=extend)[0]


@timed
def figure_e23_2(
    n_trials: int = 1000,
    epsilons: Iterable[float] = EPSILONS,
    lambdas: Iterable[float] = LAMBDAS,
    n_secret: int = 5,
    n_public: int = 17,
    *,
    extend: bool = False,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return the watchdog's trade-off on random joints, under LDP and ALIP (E23 Fig. 2).

    Parameters
    ----------
    n_trials : int
        Uniform random joint distributions.
    epsilons : iterable of float
        LDP budgets, nats.
    lambdas : iterable of float
        Shares of the min-lift budget, in [0, 1].
    n_secret, n_public : int
        Alphabet sizes.
    extend : bool, keyword-only
        Whether low-risk symbols join where the merged set breaks the notion; the paper's mechanism does not.
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of randomness.

    Returns
    -------
    pandas.DataFrame
        Columns as of ``liftbook.figures.merging_tradeoff``.
    """
    p = _synthetic(n_trials, n_secret, n_public, rng)
    return merging_tradeoff(p, ldp_and_alip(lambdas), budgets(epsilons), _watchdog(extend))


@timed
def figure_e23_3(
    epsilons: Iterable[float] = EPSILONS,
    lambdas: Iterable[float] = LAMBDAS,
    *,
    leave_out: Sequence[str] = (),
    joint: Joint | None = None,
    extend: bool = False,
) -> pd.DataFrame:
    """Return the watchdog's trade-off on Adult, S = relationship, X = occupation (E23 Fig. 3).

    Parameters
    ----------
    epsilons, lambdas, extend
        As in :func:`figure_e23_2`.
    leave_out : sequence of str, keyword-only
        Relationships whose people are left out.
    joint : Joint, optional, keyword-only
        Another joint distribution to run on instead.
    """
    return merging_tradeoff(_real(joint, leave_out), ldp_and_alip(lambdas), budgets(epsilons), _watchdog(extend))


@timed
def figure_e23_6(
    n_trials: int = 1000,
    epsilons: Iterable[float] = EPSILONS,
    lambdas: Iterable[float] = LAMBDAS,
    n_secret: int = 5,
    n_public: int = 17,
    *,
    extend: bool = False,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return subset merging's trade-off on random joints, under LDP and ALIP (E23 Fig. 6); see figure_e23_2."""
    p = _synthetic(n_trials, n_secret, n_public, rng)
    return merging_tradeoff(p, ldp_and_alip(lambdas), budgets(epsilons), _merging(extend))


@timed
def figure_e23_7(
    epsilons: Iterable[float] = EPSILONS,
    lambdas: Iterable[float] = LAMBDAS,
    *,
    leave_out: Sequence[str] = (),
    joint: Joint | None = None,
    extend: bool = False,
) -> pd.DataFrame:
    """Return subset merging's trade-off on Adult (E23 Fig. 7); see figure_e23_3."""
    return merging_tradeoff(_real(joint, leave_out), ldp_and_alip(lambdas), budgets(epsilons), _merging(extend))


def _lift_based(lambdas: Iterable[float]) -> dict[str, Series]:
    series: dict[str, Series] = {alip_name(0.5): lambda eps: ALIP.split(eps, 0.5)}
    for name, kind in (("ℓ1", L1Lift), ("χ²", Chi2Lift)):
        for lam in lambdas:
            series[f"{name}, λ={lam:g}"] = lambda eps, kind=kind, lam=lam: kind(lam * eps, (1 - lam) * eps)  # type: ignore[misc]
    return series


@timed
def figure_e23_11(
    n_trials: int = 1000,
    epsilons: Iterable[float] = EPSILONS,
    lambdas: Iterable[float] = (0.5, 0.65),
    n_secret: int = 5,
    n_public: int = 17,
    *,
    extend: bool = False,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return subset merging's trade-off under ALIP, l1- and chi2-privacy, random joints (E23 Fig. 11)."""
    p = _synthetic(n_trials, n_secret, n_public, rng)
    return merging_tradeoff(p, _lift_based(lambdas), budgets(epsilons), _merging(extend))


@timed
def figure_e23_12(
    epsilons: Iterable[float] = EPSILONS,
    lambdas: Iterable[float] = (0.5, 0.65),
    *,
    leave_out: Sequence[str] = (),
    joint: Joint | None = None,
    extend: bool = False,
) -> pd.DataFrame:
    """Return subset merging's trade-off under ALIP, l1- and chi2-privacy on Adult (E23 Fig. 12)."""
    return merging_tradeoff(_real(joint, leave_out), _lift_based(lambdas), budgets(epsilons), _merging(extend))


@timed
def figure_e23_13(
    n_trials: int = 1000,
    epsilons: Iterable[float] = EPSILONS,
    alphas: Iterable[float] = (2, 10, 100),
    n_secret: int = 5,
    n_public: int = 17,
    *,
    extend: bool = False,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return subset merging's trade-off under ALIP and alpha-lift-privacy, lambda 1/2, random joints (E23 Fig. 13).

    Parameters
    ----------
    alphas : iterable of float
        Orders of the alpha-lift, above 1.
    n_trials, epsilons, n_secret, n_public, extend, rng
        As in :func:`figure_e23_2`.
    """
    p = _synthetic(n_trials, n_secret, n_public, rng)
    series: dict[str, Series] = {"ALIP": lambda eps: ALIP.split(eps, 0.5)}
    for alpha in alphas:
        series[f"α={alpha:g}"] = lambda eps, alpha=alpha: AlphaLift(alpha, eps / 2, eps / 2)  # type: ignore[misc]
    return merging_tradeoff(p, series, budgets(epsilons), _merging(extend))
