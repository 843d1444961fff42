"""I21 Figs 1-4, all on its Example 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from liftbook.figures.i21.reductions import EXAMPLE_1, REDUCTIONS, cost_of, distance
from liftbook.rows.making import figure
from liftbook.rows.scales import I21_SHARES
from liftbook.rows.tidy import frame, shares_in, single
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import Evaluation, evaluate
from liftlib.reduction.linear import linear_reduction
from mixproof.numerics import Matrix


@figure
def figure_i21_1(shares: Iterable[float] = I21_SHARES, *, joint: Joint | None = None) -> pd.DataFrame:
    """Return LDP and log-lift of linear reduction, exact and by eq. (6) (I21 Fig. 1).

    Returns
    -------
    pandas.DataFrame
        Columns ``series`` (exact, approximation), ``reduction`` (the share), ``measure`` (ldp, log_lift; nats),
        ``mean``, ``std`` (NaN, because there is one joint distribution) and ``n``.
    """
    chosen = EXAMPLE_1 if joint is None else joint
    before = evaluate(chosen, Channel.identity(chosen.n_public))
    rows = []
    for share in shares_in(shares):
        after = evaluate(chosen, linear_reduction.at(chosen, share))
        # at share 1 an infinite leakage leaves 0 times infinity: what is approximated is then 0
        scaled = [(1 - share) * value if share < 1 else 0.0 for value in (before.ldp, before.lip)]
        for series, pair in (("exact", [after.ldp, after.lip]), ("(1 − θ) × before, eq. (6)", scaled)):
            rows += single(dict(zip(("ldp", "log_lift"), pair, strict=True)), series=series, reduction=share)
    return frame(rows)


@figure
def figure_i21_2(shares: Iterable[float] = I21_SHARES, *, joint: Joint | None = None) -> pd.DataFrame:
    """Return the losses of utility against LDP leakage and share (I21 Figs 2 and 4).

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``reduction`` (the share), ``ldp`` and ``log_lift`` (nats), ``measure`` (moved, which is
        D_TV(X, Y), and information_loss, which is H(X) - I(X;Y) in nats), ``mean``, ``std``, ``n``. The series are
        Lemma 1, the cheapest Markov reduction (ours) and Proposition 1.
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
    shares: Iterable[float] = I21_SHARES, *, distortion: Matrix | None = None, joint: Joint | None = None
) -> pd.DataFrame:
    """Return the expected distance E d(X, Y) against log-lift leakage (I21 Fig. 3).

    Parameters
    ----------
    distortion : numpy.ndarray, shape (X, X), optional
        d(x, y), by default ``|x - y|``, the number of symbols from x to y; I21 does not state its own.

    Returns
    -------
    pandas.DataFrame
        Columns as of :func:`figure_i21_2`; the measure is ``expected_distance``. The series are Lemma 1, the cheapest
        Markov reduction (ours) and Proposition 2.
    """
    chosen = EXAMPLE_1 if joint is None else joint
    cost = distance(chosen.n_public) if distortion is None else distortion
    return _reduced(chosen, shares, cost, lambda channel, _: {"expected_distance": cost_of(chosen, channel, cost)})


@figure
def figure_i21_4(shares: Iterable[float] = I21_SHARES, *, joint: Joint | None = None) -> pd.DataFrame:
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
            rows += single(measured(channel, evaluation), series=series, reduction=share, **leaks)
    return frame(rows)
