"""I21's Example 1, its linear reductions and Figs 1-4, and the reductions against the
optimum on random joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from liftbook.rows.making import I21_SHARES, figure
from liftbook.rows.tidy import Measured, frame, shares_in, single
from liftbook.rows.tradeoffs import over_budgets
from liftlib.channel import Channel
from liftlib.datasets import uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import Evaluation, evaluate
from liftlib.notions import LIP
from liftlib.reduction.linear import linear_reduction, reduction_share
from liftlib.reduction.transport import markov_reduction, secret_aware_reduction
from liftlib.response.optimal import optimal_response
from mixproof.numerics import Matrix, Rng

EXAMPLE_1 = Joint(
    np.array([[0.3], [0.7]]) * np.array([[0.2, 0.1, 0.5, 0.2], [0.5, 0.3, 0.1, 0.1]]),
    [1, 2],
    ["a", "b", "c", "d"],
)
"""I21 Example 1: P_S and P(x|s) as published."""

PRINTED, CHEAPEST, AWARE, OPTIMAL = (
    "Markov, eq. (7)",
    "Markov, cheapest",
    "sees the secret",
    "optimal response",
)

Reduction = Callable[[Joint, float, Matrix | None], Channel]

REDUCTIONS: dict[str, Reduction] = {
    PRINTED: lambda joint, share, _: linear_reduction.at(joint, share),
    CHEAPEST: lambda joint, share, cost: markov_reduction.at(
        joint, share, distortion=cost
    ),
    AWARE: lambda joint, share, cost: secret_aware_reduction.at(
        joint, share, distortion=cost
    ),
}


def distance(n: int, power: float = 1.0) -> Matrix:
    """Return the distortion ``|x - y|^power`` of symbols in a row, shape (n, n)."""
    apart = np.abs(np.subtract.outer(np.arange(float(n)), np.arange(float(n))))
    return np.asarray(np.where(apart > 0, apart**power, 0.0))


def cost_of(joint: Joint, channel: Channel, distortion: Matrix) -> float:
    """Return E d(X, Y), or by default P(Y != X), which is I21's D_TV(X, Y)."""
    return float((channel.joint_xy(joint) * distortion).sum())


def least_cost(joint: Joint, share: float, cost: Matrix) -> float:
    """Return the least linear cost of problem (10) over kernels P(y|s,x)."""
    n, total = joint.n_public, 0.0
    rows = [np.repeat(np.eye(n)[x], n) for x in range(n)]
    for s, source in enumerate(joint.x_given_s):
        reach = [np.kron(source, np.eye(n)[y]) for y in range(n)]
        target = (1 - share) * source + share * joint.p_x
        solution = linprog(
            np.kron(source, np.ones(n)) * cost.ravel(),
            A_eq=[*rows, *reach],
            b_eq=[*np.ones(n), *target],
        )
        total += float(joint.p_s[s] * solution.fun)
    return total


@figure
def figure_i21_1(
    shares: Iterable[float] = I21_SHARES, *, joint: Joint | None = None
) -> pd.DataFrame:
    """Return LDP and log-lift of linear reduction, exact and by eq. (6) (I21 Fig. 1).

    Returns
    -------
    pandas.DataFrame
        Columns ``series`` (exact, approximation), ``reduction`` (the share),
        ``measure`` (ldp, log_lift; nats), ``mean``, ``std`` (NaN, because there is one
        joint distribution) and ``n``.
    """
    chosen = EXAMPLE_1 if joint is None else joint
    before = evaluate(chosen, Channel.identity(chosen.n_public))
    rows = []
    for share in shares_in(shares):
        after = evaluate(chosen, linear_reduction.at(chosen, share))
        # at share 1 an infinite leakage leaves 0 times infinity: what is approximated
        # is then 0
        scaled = [
            (1 - share) * value if share < 1 else 0.0
            for value in (before.ldp, before.lip)
        ]
        for series, pair in (
            ("exact", [after.ldp, after.lip]),
            ("(1 − θ) × before, eq. (6)", scaled),
        ):
            rows += single(
                dict(zip(("ldp", "log_lift"), pair, strict=True)),
                series=series,
                reduction=share,
            )
    return frame(rows)


@figure
def figure_i21_2(
    shares: Iterable[float] = I21_SHARES, *, joint: Joint | None = None
) -> pd.DataFrame:
    """Return the losses of utility against LDP leakage and share (I21 Figs 2 and 4).

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``reduction`` (the share), ``ldp`` and ``log_lift`` (nats),
        ``measure`` (moved, which is D_TV(X, Y), and information_loss, which is H(X) -
        I(X;Y) in nats), ``mean``, ``std``, ``n``. The series are Lemma 1, the cheapest
        Markov reduction (ours) and Proposition 1.
    """
    chosen = EXAMPLE_1 if joint is None else joint
    moves = 1 - np.eye(chosen.n_public)
    return _reduced(
        chosen,
        shares,
        None,
        lambda channel, found: {
            "moved": cost_of(chosen, channel, moves),
            "information_loss": found.entropy - found.mutual_information,
        },
    )


@figure
def figure_i21_3(
    shares: Iterable[float] = I21_SHARES,
    *,
    distortion: Matrix | None = None,
    joint: Joint | None = None,
) -> pd.DataFrame:
    """Return the expected distance E d(X, Y) against log-lift leakage (I21 Fig. 3).

    Parameters
    ----------
    distortion : numpy.ndarray, shape (X, X), optional
        d(x, y), by default ``|x - y|``, the number of symbols from x to y; I21 does not
        state its own.

    Returns
    -------
    pandas.DataFrame
        Columns as of :func:`figure_i21_2`; the measure is ``expected_distance``. The
        series are Lemma 1, the cheapest Markov reduction (ours) and Proposition 2.
    """
    chosen = EXAMPLE_1 if joint is None else joint
    cost = distance(chosen.n_public) if distortion is None else distortion
    return _reduced(
        chosen,
        shares,
        cost,
        lambda channel, _: {"expected_distance": cost_of(chosen, channel, cost)},
    )


@figure
def figure_i21_4(
    shares: Iterable[float] = I21_SHARES, *, joint: Joint | None = None
) -> pd.DataFrame:
    """Return the losses of utility against the share (I21 Fig. 4)."""
    return figure_i21_2(shares, joint=joint)


def _reduced(
    joint: Joint,
    shares: Iterable[float],
    distortion: Matrix | None,
    measured: Callable[[Channel, Evaluation], dict[str, float]],
) -> pd.DataFrame:
    """Return the measures and leakage of each reduction's channel."""
    rows = []
    for share in shares_in(shares):
        for series, make in REDUCTIONS.items():
            channel = make(joint, share, distortion)
            evaluation = evaluate(joint, channel)
            leaks = {"ldp": evaluation.ldp, "log_lift": evaluation.lip}
            rows += single(
                measured(channel, evaluation), series=series, reduction=share, **leaks
            )
    return frame(rows)


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
        LIP budgets, in nats. Each joint is reduced by the smallest share that satisfies
        the budget.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``eps``, ``measure``, ``mean``, ``std``, ``n``. The measures
        are ``nmi`` and ``moved``, which is P(Y != X). The optimal response has no
        ``moved``, because its outputs are not symbols of X.
    """
    p = uniform_joints(n_trials, n_secret, n_public, rng)
    return over_budgets(_reductions_at, p, epsilons)


def _reductions_at(joint: Joint, eps: float) -> Measured:
    moves, notion = 1 - np.eye(joint.n_public), LIP(eps)
    share = reduction_share(joint, notion)
    channels = {series: make(joint, share, None) for series, make in REDUCTIONS.items()}
    found = {
        series: {
            "nmi": evaluate(joint, channel).nmi,
            "moved": cost_of(joint, channel, moves),
        }
        for series, channel in channels.items()
    }
    return found | {
        "optimal response": {
            "nmi": evaluate(joint, optimal_response(joint, notion)).nmi
        }
    }
