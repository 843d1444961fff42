"""Linear reduction against the optimal response, on random joints."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from liftbook.figures.i21.reductions import REDUCTIONS, cost_of
from liftbook.rows.making import figure
from liftbook.rows.responses import over_budgets
from liftbook.rows.tidy import Measured
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import LIP
from liftlib.reduction.linear import reduction_share
from liftlib.response.optimal import optimal_response
from mixproof.numerics import Rng


@figure
def reduction_tradeoff(
    n_trials: int = 100,
    epsilons: Iterable[float] = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
    n_secret: int = 5,
    n_public: int = 17,
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the utility of linear reductions and of the optimum under LIP(eps).

    This figure is ours; I21 has no counterpart.

    Parameters
    ----------
    epsilons : iterable of float
        LIP budgets, in nats. Each joint is reduced by the smallest share that satisfies the budget.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``eps``, ``measure``, ``mean``, ``std``, ``n``. The measures are ``nmi`` and ``moved``,
        which is P(Y != X). The optimal response has no ``moved``, because its outputs are not symbols of X.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return over_budgets(_reduced, p, epsilons)


def _reduced(joint: Joint, eps: float) -> Measured:
    moves, notion = 1 - np.eye(joint.n_public), LIP(eps)
    share = reduction_share(joint, notion)
    channels = {series: make(joint, share, None) for series, make in REDUCTIONS.items()}
    found = {
        series: {"nmi": evaluate(joint, channel).nmi, "moved": cost_of(joint, channel, moves)}
        for series, channel in channels.items()
    }
    return found | {"optimal response": {"nmi": evaluate(joint, optimal_response(joint, notion)).nmi}}
