"""I21 Figs 1-4 on its Example 1, and linear reduction beside the optimal response on random joints."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from liftbook.rows.jobs import parallel_map
from liftbook.rows.tidy import RngLike, budgets, frame, generator, summary, timed
from liftlib.channel import Channel
from liftlib.datasets import uniform_joints
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.mechanisms.reduction.linear import linear_reduction, reduction_share
from liftlib.mechanisms.reduction.transport import markov_reduction, secret_aware_reduction
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.notions import LIP
from liftlib.numerics import Matrix

EXAMPLE_1 = Joint(
    np.array([[0.3], [0.7]]) * np.array([[0.2, 0.1, 0.5, 0.2], [0.5, 0.3, 0.1, 0.1]]), [1, 2], ["a", "b", "c", "d"]
)
"""I21 Example 1: P_S and P(x|s) as printed."""

ALPHAS = tuple(float(a) for a in np.arange(1, 51) / 50)
"""Shares 0.02, 0.04, ..., 1; I21 goes through (0, 1] and does not print its steps."""

PRINTED, CHEAPEST, AWARE, OPTIMAL = "Markov, eq. (7)", "Markov, cheapest", "sees the secret", "optimal response"

Reduction = Callable[[Joint, float, Matrix | None], Channel]

REDUCTIONS: dict[str, Reduction] = {
    PRINTED: lambda joint, alpha, _: linear_reduction(joint, alpha),
    CHEAPEST: lambda joint, alpha, cost: markov_reduction(joint, alpha, distortion=cost),
    AWARE: lambda joint, alpha, cost: secret_aware_reduction(joint, alpha, distortion=cost),
}


def distance(n: int, power: float = 1.0) -> Matrix:
    """Return the distortion ``|x - y|^power`` of symbols in a row, shape (n, n); its diagonal is 0."""
    apart = np.abs(np.subtract.outer(np.arange(float(n)), np.arange(float(n))))
    return np.asarray(np.where(apart > 0, apart**power, 0.0))


def cost_of(joint: Joint, channel: Channel, distortion: Matrix) -> float:
    """Return E d(X, Y); with 1 for every change this is P(Y != X), which is I21's D_TV(X, Y)."""
    return float((channel.joint_xy(joint) * distortion).sum())


def _shares(alphas: Iterable[float]) -> list[float]:
    found = [float(a) for a in alphas]
    if not found or not all(0 <= a <= 1 for a in found):
        raise InvalidParameter(f"alphas is {found}: give one share or more, each in [0, 1]")
    return found


@timed
def figure_i21_1(alphas: Iterable[float] = ALPHAS, *, joint: Joint | None = None) -> pd.DataFrame:
    """Return LDP and log-lift after linear reduction and by I21 eq. (6), against alpha (I21 Fig. 1).

    Parameters
    ----------
    alphas : iterable of float
        Shares of the reduction, each in [0, 1].
    joint : Joint, optional, keyword-only
        Another joint distribution than that of Example 1.

    Returns
    -------
    pandas.DataFrame
        Columns ``series`` (exact, approximation), ``reduction`` (alpha), ``measure`` (ldp, log_lift; nats), ``mean``,
        ``std`` (none, as there is one joint distribution) and ``n``.
    """
    chosen = EXAMPLE_1 if joint is None else joint
    before = evaluate(chosen, Channel.identity(chosen.n_public))
    rows = []
    for alpha in _shares(alphas):
        after = evaluate(chosen, linear_reduction(chosen, alpha))
        # at alpha 1 an infinite leakage leaves 0 times infinity: what is approximated is then 0
        scaled = [(1 - alpha) * value if alpha < 1 else 0.0 for value in (before.ldp, before.lip)]
        for series, pair in (("exact", [after.ldp, after.lip]), ("(1 − α) × before, eq. (6)", scaled)):
            measures = {name: np.array([value]) for name, value in zip(("ldp", "log_lift"), pair, strict=True)}
            rows += summary(measures, series=series, reduction=alpha)
    return frame(rows)


@timed
def figure_i21_2(alphas: Iterable[float] = ALPHAS, *, joint: Joint | None = None) -> pd.DataFrame:
    """Return both losses of utility against the LDP leakage and against alpha (I21 Figs 2 and 4).

    Parameters
    ----------
    alphas, joint
        As for :func:`figure_i21_1`.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``reduction`` (alpha), ``ldp`` and ``log_lift`` (nats), ``measure`` (moved, which is
        D_TV(X, Y), and information_loss, which is H(X) - I(X;Y) in nats), ``mean``, ``std``, ``n``. The series are
        Lemma 1, the cheapest Markov reduction (ours) and Proposition 1.
    """
    chosen = EXAMPLE_1 if joint is None else joint
    moves = 1 - np.eye(chosen.n_public)
    rows = []
    for alpha in _shares(alphas):
        for series, make in REDUCTIONS.items():
            channel = make(chosen, alpha, None)
            result = evaluate(chosen, channel)
            rows += summary(
                {
                    "moved": np.array([cost_of(chosen, channel, moves)]),
                    "information_loss": np.array([result.entropy - result.mutual_information]),
                },
                series=series,
                reduction=alpha,
                ldp=result.ldp,
                log_lift=result.lip,
            )
    return frame(rows)


@timed
def figure_i21_3(
    alphas: Iterable[float] = ALPHAS, *, distortion: Matrix | None = None, joint: Joint | None = None
) -> pd.DataFrame:
    """Return the expected distance E d(X, Y) against the log-lift leakage (I21 Fig. 3).

    Parameters
    ----------
    alphas, joint
        As for :func:`figure_i21_1`.
    distortion : numpy.ndarray, shape (X, X), optional, keyword-only
        d(x, y); I21 does not print its own. By default ``|x - y|``, the number of symbols from x to y.

    Returns
    -------
    pandas.DataFrame
        Columns as of :func:`figure_i21_2`; the measure is ``expected_distance``. The series are Lemma 1, the cheapest
        Markov reduction (ours) and Proposition 2.
    """
    chosen = EXAMPLE_1 if joint is None else joint
    cost = distance(chosen.n_public) if distortion is None else distortion
    rows = []
    for alpha in _shares(alphas):
        for series, make in REDUCTIONS.items():
            channel = make(chosen, alpha, cost)
            result = evaluate(chosen, channel)
            measures = {"expected_distance": np.array([cost_of(chosen, channel, cost)])}
            rows += summary(measures, series=series, reduction=alpha, ldp=result.ldp, log_lift=result.lip)
    return frame(rows)


@timed
def figure_i21_4(alphas: Iterable[float] = ALPHAS, *, joint: Joint | None = None) -> pd.DataFrame:
    """Return both losses of utility against alpha (I21 Fig. 4): the rows of :func:`figure_i21_2`."""
    return figure_i21_2(alphas, joint=joint)


def _one_joint(task: tuple[Matrix, tuple[float, ...]]) -> list[dict[str, dict[str, float]]]:
    """Return, for each budget, NMI and D_TV of each mechanism on one joint distribution."""
    joint = Joint(task[0])
    moves = 1 - np.eye(joint.n_public)
    found = []
    for eps in task[1]:
        notion = LIP(eps)
        share = reduction_share(joint, notion)
        channels = {series: make(joint, share, None) for series, make in REDUCTIONS.items()}
        point = {
            series: {"nmi": evaluate(joint, channel).nmi, "moved": cost_of(joint, channel, moves)}
            for series, channel in channels.items()
        }
        point[OPTIMAL] = {"nmi": evaluate(joint, optimal_response(joint, notion)).nmi}
        found.append(point)
    return found


def reduction_tradeoff(
    n_trials: int = 100,
    epsilons: Iterable[float] = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
    n_secret: int = 5,
    n_public: int = 17,
    *,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Return what linear reduction keeps of X under LIP(eps), beside the optimal response, on random joints (ours).

    Parameters
    ----------
    n_trials : int
        Uniform random joint distributions.
    epsilons : iterable of float
        LIP budgets, nats; each joint is reduced by the least share that keeps the budget.
    n_secret, n_public : int
        Alphabet sizes.
    rng : int or numpy.random.Generator, keyword-only
        Seed or source of randomness.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``eps``, ``measure`` (nmi; moved, which the optimal response has no counterpart of, as its
        outputs are not symbols), ``mean``, ``std``, ``n``.
    """
    tried = budgets(epsilons)
    p = uniform_joints(n_trials, n_secret, n_public, generator(rng))
    found = parallel_map(_one_joint, [(one, tuple(tried)) for one in p])
    rows = []
    for at, eps in enumerate(tried):
        for series in found[0][at]:
            measures = {name: np.array([trial[at][series][name] for trial in found]) for name in found[0][at][series]}
            rows += summary(measures, series=series, eps=eps)
    return frame(rows)
