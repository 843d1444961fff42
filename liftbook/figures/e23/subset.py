"""E23 Figs 8-10: subset random response beside the optimal response and subset merging."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from liftbook.rows.merging import EPSILONS
from liftbook.rows.responses import (
    Maker,
    Point,
    merge_in_subsets,
    respond,
    respond_in_subsets,
    response_tradeoff,
)
from liftbook.rows.tidy import RngLike, budgets, generator, timed
from liftlib.datasets import adult, uniform_joints
from liftlib.joint import Joint
from liftlib.notions import ALIP

LARGE_EPSILONS = tuple(float(e) for e in np.arange(4, 33) / 4)
"""E23 section 5.2: the LDP budgets 1, 1.25, ..., 8 of Fig. 10, nats."""

THREE: dict[str, Maker] = {"AORR": respond, "SRR": respond_in_subsets, "subset merging": merge_in_subsets}
TWO: dict[str, Maker] = {"SRR": respond_in_subsets, "subset merging": merge_in_subsets}


def _points(makers: dict[str, Maker], epsilons: Iterable[float], lam: float) -> list[Point]:
    return [Point(name, eps, make, ALIP.split(eps, lam)) for eps in budgets(epsilons) for name, make in makers.items()]


@timed
def figure_e23_8(
    n_trials: int = 100,
    epsilons: Iterable[float] = EPSILONS,
    lam: float = 0.65,
    n_secret: int = 5,
    n_public: int = 17,
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return trade-off and time of optimal response, subset random response and subset merging (E23 Fig. 8).

    Parameters
    ----------
    n_trials : int
        Uniform random joint distributions.
    epsilons : iterable of float
        LDP budgets, nats.
    lam : float
        The share of the min-lift budget, in [0, 1].
    n_secret, n_public : int
        Alphabet sizes.
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of randomness.

    Returns
    -------
    pandas.DataFrame
        Columns as of ``liftbook.figures.response_tradeoff``; series AORR, SRR and subset merging. AORR and SRR
        have the measure vertices as well, SRR also largest_subset, unions and fallback.
    """
    p = uniform_joints(n_trials, n_secret, n_public, generator(rng))
    return response_tradeoff(p, _points(THREE, epsilons, lam))


@timed
def figure_e23_9(
    epsilons: Iterable[float] = EPSILONS,
    lam: float = 0.65,
    *,
    leave_out: Sequence[str] = (),
    joint: Joint | None = None,
) -> pd.DataFrame:
    """Return the same on Adult, S = relationship, X = occupation (E23 Fig. 9).

    Parameters
    ----------
    epsilons, lam
        As in :func:`figure_e23_8`.
    leave_out : sequence of str, keyword-only
        Relationships whose people are left out.
    joint : Joint, optional, keyword-only
        Another joint distribution to run on instead.
    """
    chosen = adult("relationship", "occupation", leave_out=tuple(leave_out)) if joint is None else joint
    return response_tradeoff(chosen.p[None], _points(THREE, epsilons, lam))


@timed
def figure_e23_10(
    n_trials: int = 100,
    epsilons: Iterable[float] = LARGE_EPSILONS,
    lam: float = 0.5,
    n_secret: int = 15,
    n_public: int = 200,
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return subset random response and subset merging on 15 secrets and 200 symbols (E23 Fig. 10).

    Parameters
    ----------
    n_trials, epsilons, lam, n_secret, n_public, rng
        As in :func:`figure_e23_8`; the paper does not print its number of trials.
    """
    p = uniform_joints(n_trials, n_secret, n_public, generator(rng))
    return response_tradeoff(p, _points(TWO, epsilons, lam))
