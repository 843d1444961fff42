"""The privacy funnel by descent on I(S; Y) - share I(X; Y)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liftbook.relatives.average import (
    averaged,
    few_symbols,
    identity_if_allowed,
    upper_bound,
)
from liftbook.relatives.overall import AverageLeakage
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.response.aorr import certified
from liftlib.response.posteriors import repaired, without_negligible
from mixproof.checks import checked
from mixproof.numerics import KEEP_TOL, Matrix, Vector, check_count, generator

MAX_SYMBOLS = 40
"""Maximum number of symbols, for which a descent takes a few seconds."""

MULTIPLIERS = tuple(np.geomspace(0.01, 0.9, 12))
"""Initial multipliers of I(X; Y); from 1 on publishing X is optimal, by data
processing.
"""

MAX_STEPS = 200
"""Steps of a descent; ten times as many change I(X; Y) on the benchmark by less than
0.0002 H(X).
"""

CONVERGENCE_TOL = 1e-9
"""A descent ends once no entry of the kernel moves by more than this."""

TINY = 1e-200
"""Smallest entry of which a logarithm is taken; smaller entries are raised to this
value.
"""

LOG_TINY = float(np.log(TINY))

ZERO_TOL = 1e-12
"""An entry of a posterior below this converges to 0 and is set to 0."""

N_ROUNDS = 4
"""Rounds of descents at the multiplier that the current mixture puts on I(S; Y)."""

BLEND_WEIGHTS = (0.0, 1e-3, 0.03, 0.3, 1.0)
"""Shares of a random kernel in the mixture from which these descents start."""

TWIN_DIGITS = 6
"""Posteriors that agree to this many digits are merged, because they make linear
programs ill-conditioned.
"""

Kernels = NDArray[np.float64]
"""Kernels P(y|x), shape (B, X, Y)."""


def descend(
    joint: Joint, kernels: Kernels, shares: Vector, steps: int = MAX_STEPS
) -> Kernels:
    r"""Return the end points of descents on I(S; Y) - share I(X; Y).

    Parameters
    ----------
    kernels : numpy.ndarray, shape (B, X, Y)
        Starting points; entries of 0 stay 0.
    shares : numpy.ndarray, shape (B,)
        Multipliers of I(X; Y), each in [0, 1].

    Notes
    -----
    Let q(y|x) be the kernel and r(y|s) its mean given s. The objective is the sum of
    the convex :math:`-H(Y|S) = \sum_s P(s) \sum_y r \log r` and the concave :math:`(1 -
    \lambda) H(Y) + \lambda H(Y|X)`. The tangent of the latter at the current kernel is
    :math:`-\sum_x P(x) \sum_y q(y|x)\, c(y, x)`, with :math:`c = \log P(y) + \lambda
    \log (q(y|x) / P(y))`. By the log-sum inequality, :math:`r \log r` is at most
    :math:`\sum_x P(x|s)\, q \log (q\, r' / q')`, where r' and q' are the current
    iterates, with equality there. A step minimises the sum of both bounds: :math:`q
    \propto q' \exp (c - \sum_s P(s|x) \log r')`.
    """
    of_s, of_x, weight = (
        joint.p / joint.p_s[:, None],
        joint.s_given_x.T,
        shares[:, None, None],
    )
    now = np.maximum(kernels, TINY)
    log_now = np.log(now)
    for _ in range(steps):
        log_p = np.log(np.maximum(joint.p_x @ now, TINY))[:, None, :]
        log_r = np.log(np.maximum(of_s @ now, TINY))
        log_now = (1 + weight) * log_now + (1 - weight) * log_p - of_x @ log_r
        log_now -= log_now.max(axis=2, keepdims=True)
        np.maximum(log_now, LOG_TINY, out=log_now)
        before, now = now, np.exp(log_now)
        total = now.sum(axis=2, keepdims=True)
        now /= total
        log_now -= np.log(total)
        if np.abs(now - before).max(initial=0.0) < CONVERGENCE_TOL:
            break
    return now


@checked
def funnel_descent(
    joint: Joint,
    notion: AverageLeakage,
    *,
    starts: int = 6,
    rng: int | np.random.Generator = 0,
) -> Channel:
    """Return the best mixture of posteriors found by descents from random starts.

    Parameters
    ----------
    joint : Joint
        P_SX, with at most 40 symbols.
    starts : int, keyword-only
        Number of random starting kernels per multiplier, at least 1.
    rng : int or numpy.random.Generator, keyword-only
        Seed or generator of the starting kernels.

    Returns
    -------
    Channel
        With a :class:`~liftlib.response.posteriors.ResponseCertificate`. Descents end
        at one of many stationary points; its ``upper`` is the simple bound of
        ``liftbook.relatives.average.upper_bound``.

    Notes
    -----
    Based on Huang2024, according to the abstract and the published code
    (``discrete.py`` of the repository dcaPF-torch). The objective, its split into a
    convex and a concave part, the tangent of the latter (``Czx`` there, with 1 / beta
    for the share), random starts and a sweep over multipliers are theirs. Their code
    solves the convex program of a step without its bounds and returns to a kernel by
    penalised least squares, so a step may raise the objective; here a step lowers an
    upper bound that is tight where the step starts (see :func:`descend`). Mixing the
    posteriors of all releases by a linear program, so that the bound is attained, and
    descending again at that program's multiplier are additions of this book.

    Examples
    --------
    >>> from liftbook.relatives.overall import AverageLeakage
    >>> joint = Joint([[0.2, 0.1, 0.05, 0.15], [0.1, 0.2, 0.15, 0.05]])
    >>> channel = funnel_descent(joint, AverageLeakage(0.01))
    >>> (
    ...     AverageLeakage(0.01).is_satisfied(joint, channel),
    ...     round(channel.certificate.value, 3),
    ... )
    (True, 0.822)
    """
    budget = notion.eps
    few_symbols(joint, MAX_SYMBOLS, "funnel_merging")
    each, source = check_count("starts", starts), generator(rng)
    if unchanged := identity_if_allowed(joint, notion):
        return unchanged
    support = without_negligible(joint, notion)
    rows = descent_rows(support.joint, budget, each, source)
    mixture = averaged(support.joint, rows, budget).mixture
    channel, mixed = repaired(
        support.extended(mixture.kernel),
        joint.p_x,
        lambda release: notion.is_satisfied(joint, release),
        name=notion,
    )
    # the tolerance within which the notion counts as satisfied
    upper = upper_bound(joint, budget + KEEP_TOL)
    certificate = certified(joint, channel, "descents", mixture, mixed, upper)
    return channel.with_certificate(certificate)


def descent_rows(
    joint: Joint, budget: float, starts: int = 6, rng: int | np.random.Generator = 0
) -> Matrix:
    """Return P_X, the unit vectors and the posteriors found by descents, (M, X).

    The descents use the multipliers in ``MULTIPLIERS``, and then the multipliers of the
    mixtures found so far.
    """
    rng = generator(rng)
    n, shares = joint.n_public, np.repeat(MULTIPLIERS, starts)
    ended = descend(joint, rng.dirichlet(np.ones(n), size=(len(shares), n)), shares)
    rows, value = np.vstack([joint.p_x, np.eye(n), _rows(joint, ended)]), -np.inf
    for _ in range(N_ROUNDS):
        mixture, price = averaged(joint, rows, budget)
        # one more nat of I(S; Y) buys `price` nats of I(X; Y), so the multiplier of
        # I(X; Y) is 1 / price
        if (
            -mixture.solution.objective < value + CONVERGENCE_TOL
            or not 1 < price < 1 / MULTIPLIERS[0]
        ):
            break
        value, kernel = -mixture.solution.objective, mixture.kernel
        random = rng.dirichlet(
            np.ones(kernel.shape[1]), size=(len(BLEND_WEIGHTS), starts, n)
        )
        blends = np.array(BLEND_WEIGHTS)[:, None, None, None]
        near = ((1 - blends) * kernel + blends * random).reshape(-1, *kernel.shape)
        rows = np.vstack(
            [rows, _rows(joint, descend(joint, near, np.full(len(near), 1 / price)))]
        )
    return rows


def _rows(joint: Joint, kernels: Kernels) -> Matrix:
    """Return the distinct posteriors P(X|Y=y) of kernels' outputs, shape (M, X)."""
    masses = (
        (kernels * joint.p_x[:, None]).transpose(0, 2, 1).reshape(-1, joint.n_public)
    )
    masses = masses[masses.sum(axis=1) > ZERO_TOL]
    rows = masses / masses.sum(axis=1, keepdims=True)
    rows = np.where(rows < ZERO_TOL, 0.0, rows)
    rows /= rows.sum(axis=1, keepdims=True)
    _, first = np.unique(rows.round(TWIN_DIGITS), axis=0, return_index=True)
    return np.asarray(rows[first])
