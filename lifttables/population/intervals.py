"""Confidence intervals of leakages: exact for lifts, bootstrapped for averages."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixproof.numerics import Matrix, Vector

Ends = tuple[float, float]


class Between(NamedTuple):
    """Bounds on the probabilities of m symbols.

    ``lower`` and ``upper``, shape (S + 1, m), bound P(x|s) and, in the last row, P(x).
    """

    lower: Matrix
    upper: Matrix
    prior_lower: Vector
    prior_upper: Vector


def lifts_between(between: Between) -> tuple[Matrix, Matrix]:
    """Return the least and largest lifts, shape (S, m)."""
    lower, upper = between.lower, between.upper
    with np.errstate(divide="ignore"):
        least, most = lower[:-1] / upper[-1], upper[:-1] / lower[-1]
    # P(s|x) is at most 1
    most = np.minimum(most, 1 / between.prior_lower[:, None])
    return np.minimum(least, 1.0), np.maximum(most, 1.0)


def worst_lifts(between: Between) -> dict[str, Ends]:
    """Return intervals of the min-lift and max-lift leakages and of LDP, in nats.

    ``between`` has simultaneous bounds for all symbols.

    >>> half = np.full((3, 1), 0.5)
    >>> found = worst_lifts(Between(0.8 * half, half, half[:2, 0], half[:2, 0]))
    >>> [round(end, 4) for end in found["ldp"]]
    [0.0, 0.2231]
    """
    lower, upper = between.lower[:-1], between.upper[:-1]
    if len(lower) == 1:
        return dict.fromkeys(
            ("min_lift_leakage", "max_lift_leakage", "ldp"), (0.0, 0.0)
        )
    least, most = lifts_between(between)
    with np.errstate(divide="ignore", invalid="ignore"):
        # a lift is at least its numerator's lower bound over its denominator's upper
        # bound, and vice versa
        surely_most, surely_least = lower / between.upper[-1], upper / between.lower[-1]
        apart = np.log(lower.max(axis=0)) - np.log(upper.min(axis=0))
        ratio = np.log(upper.max(axis=0)) - np.log(lower.min(axis=0))
        intervals = {
            "min_lift_leakage": (
                -np.log(surely_least.min(axis=0)),
                -np.log(least.min(axis=0)),
            ),
            "max_lift_leakage": (
                np.log(surely_most.max(axis=0)),
                np.log(most.max(axis=0)),
            ),
            "ldp": (apart, ratio),
        }
    return {
        name: (
            max(0.0, float(np.nan_to_num(low, nan=0.0).max())),
            max(0.0, float(up.max())),
        )
        for name, (low, up) in intervals.items()
    }


def averages(
    release: Matrix,
    drawn: Matrix,
    estimates: dict[str, float],
    redrawn: dict[str, Vector],
    rows: int,
    level: float,
) -> dict[str, Ends]:
    """Return bias-corrected bootstrap intervals of averages over a release.

    ``release``, shape (S, Y), is the empirical joint distribution of secret and output,
    and ``drawn``, shape (B, S, Y), that of bootstrap tables. ``estimates`` has
    ``secret_information``, ``total_variation``, ``chi2_divergence`` and
    ``maximal_leakage``, and ``redrawn`` their values, shape (B,), for the bootstrap
    tables.

    Notes
    -----
    All four are (nearly) convex in the conditional distributions, so a sample
    overstates them on average. The upper end is the bootstrap's, uncorrected. From the
    lower end we also subtract a bound on this bias: for the total variation distance
    and the maximal leakage, the mean distance of the distributions themselves (triangle
    inequality); for I(S; Y) and chi-square, the contribution of sampling noise, (cells
    - 1) / (2 rows) and twice that. The spread is taken at half the error probability,
    because a bootstrap of a small table is narrow.
    """
    cells = (release.size - 1) / rows
    distance = _apart(drawn) - _apart(release)
    of_secret = _given_secret(drawn) - _given_secret(release)
    leakage = estimates["maximal_leakage"]
    overstated = {
        "secret_information": cells / 2,
        "total_variation": float(np.abs(distance).sum(axis=(1, 2)).mean()) / 2,
        "chi2_divergence": cells,
        "maximal_leakage": (
            leakage
            - np.log(
                max(1.0, np.exp(leakage) - of_secret.max(axis=1).sum(axis=1).mean())
            )
        ),
    }
    tail = (1 - level) / 4
    intervals = {}
    for name, most in overstated.items():
        values, estimate = redrawn[name], estimates[name]
        low, high = np.quantile(values, [tail, 1 - tail])
        mean = float(values.mean())
        less = max(most, mean - estimate)
        intervals[name] = (
            max(0.0, estimate - less - (high - mean)),
            estimate + (mean - low),
        )
    return intervals


def _apart(p: Matrix) -> Matrix:
    return np.asarray(p - p.sum(axis=-1, keepdims=True) * p.sum(axis=-2, keepdims=True))


def _given_secret(p: Matrix) -> Matrix:
    total = p.sum(axis=-1, keepdims=True)
    return np.asarray(
        np.divide(p, total, out=np.zeros_like(p), where=total > 0), dtype=np.float64
    )
