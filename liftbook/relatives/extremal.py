"""Extremal mechanisms for pointwise maximal leakage of X itself."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Certificate, Channel
from liftlib.errors import UnsupportedNotion
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information
from liftlib.notions import LiftNotion
from liftlib.response.posteriors import BOUND_MARGIN
from mixproof.checks import checked
from mixproof.numerics import HALFSPACE_SLACK, SAME_TOL, Matrix, Vector


@checked
def extremal_response(joint: Joint, notion: LiftNotion) -> Channel:
    """Return the best response whose lifts of X itself are at most e^eps.

    Parameters
    ----------
    joint : Joint
        P_SX; only P_X is used, so the release satisfies the notion for every secret.
    notion : Notion
        A bound on the largest lift only, ``ALIP(inf, eps)``.

    Returns
    -------
    Channel
        Its certificate's ``route`` names the regime: ``"binary"``; ``"uniform"``, all
        symbols equally likely; ``"high privacy"``, e^eps <= 1 / (1 - min P(x));
        ``"all"``, e^eps >= 1 / min P(x), where X itself may be released; and
        ``"beyond"`` between the last two, where no closed form is known and the
        mechanism at the end of the high-privacy regime is returned. In the other
        regimes ``upper`` is finite if the secret determines X and all secrets have the
        same bound, unless the tolerance of ``is_satisfied`` leads beyond.

    Notes
    -----
    Grosse2023 gives the three regimes for S = X. A posterior v is allowed if v(x) <=
    e^eps P(x); all entries of a vertex but one are 0 or e^eps P(x). With two symbols
    there are two vertices. If P_X is uniform, all vertices have the same entropy, and
    the cyclic shifts of one average to P_X; at high privacy no vertex has a 0. The lift
    of any secret is a mean of lifts of X: l(s, y) = sum_x P(x|s) P(y|x) / P(y).

    Examples
    --------
    >>> from liftlib.notions import ALIP
    >>> channel = extremal_response(
    ...     Joint([[0.25, 0, 0], [0, 0.25, 0], [0, 0, 0.5]]), ALIP(float("inf"), 0.2)
    ... )
    >>> channel.certificate.route, channel.kernel.round(3)[0].tolist()
    ('high privacy', [0.084, 0.305, 0.611])
    """
    bounds = notion.lift_bounds(joint.p_s)
    if not bounds.exact or np.isfinite(bounds.lower).any():
        raise UnsupportedNotion(
            f"{notion} bounds more than the largest lift: use optimal_response"
        )
    eps = float(bounds.upper.min())
    route, kernel = _closed_form(joint.p_x, eps)
    channel = Channel(kernel)
    value = mutual_information(channel.joint_xy(joint))
    # with S = X, no mechanism that the notion accepts is better than this one
    wider, widest = _closed_form(joint.p_x, eps + HALFSPACE_SLACK)
    determined = bool(((joint.p > 0).sum(axis=1) == 1).all())
    upper = np.inf
    if determined and wider != "beyond" and eps == bounds.upper.max():
        best = mutual_information(Channel(widest).joint_xy(joint))
        upper = max(value, best + BOUND_MARGIN)
    return channel.with_certificate(Certificate(route, value, upper))


def _closed_form(p: Vector, eps: float) -> tuple[str, Matrix]:
    """Return the regime and the kernel for P_X and a budget."""
    n = len(p)
    # the scaled bound e^eps P(x), cut at 1, which a row cannot exceed anyway; e^700 is
    # the last that a float holds
    ratio = float(np.exp(min(eps, 700.0)))
    if ratio * p.min() >= 1:
        return "all", np.eye(n)
    if n == 2:
        high, low = np.minimum(1, ratio * p), np.maximum(0, 1 - ratio * p[::-1])
        rows = np.array([[high[0], low[1]], [low[0], high[1]]])
        return "binary", _mixed(rows, p)
    if np.ptp(p) <= SAME_TOL:
        full = int(np.floor(n / ratio * (1 + SAME_TOL)))
        row = np.zeros(n)
        row[:full] = ratio / n
        row[full : full + 1] = max(0.0, 1 - row.sum())
        return (
            "uniform",
            np.array([np.roll(row, shift) for shift in range(n)]).T / row.sum(),
        )
    end = 1 / (1 - float(p.min()))
    route = "high privacy" if ratio <= end * (1 + SAME_TOL) else "beyond"
    share = min(ratio, end)
    kernel = np.tile(share * p, (n, 1))
    np.fill_diagonal(kernel, np.maximum(0, 1 - share * (1 - p)))
    return route, kernel / kernel.sum(axis=1, keepdims=True)


def _mixed(rows: Matrix, p: Vector) -> Matrix:
    """Return the kernel that mixes two posteriors on two symbols to the prior p."""
    apart = rows[0, 0] - rows[1, 0]
    weight = (
        np.array([(p[0] - rows[1, 0]) / apart, (rows[0, 0] - p[0]) / apart])
        if apart > 0
        else np.array([1.0, 0.0])
    )
    kernel = (weight[:, None] * rows).T / p[:, None]
    return np.asarray(kernel / kernel.sum(axis=1, keepdims=True))
