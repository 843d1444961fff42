"""Confidence bounds on P(A|a) e^-budget - P(A|b), and thus on ratios."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftlib.notions import Ratios
from lifttables.population.binomial import clopper_pearson, fisher_levels
from mixproof.numerics import Mask, Matrix, Vector

# from budgets, upper bounds on P(A|a) e^-budget - P(A|b), shape (conditions, m)
Misses = Callable[[Vector], Matrix]


Places = NDArray[np.int64]


class Pair(NamedTuple):
    """A condition c p - d q <= 0 on probabilities in two disjoint groups of rows."""

    p: int
    q: int
    # return the pairs (c, d), all of which must satisfy the condition, from e^-budget
    coefficients: Callable[[float], list[tuple[float, float]]]


def pairs_of(ratios: Ratios, prior: tuple[Vector, Vector]) -> Iterator[Pair]:
    """Yield the conditions as pairs of groups of rows.

    Group s has the rows with secret s, and group S + s all others. P(A) = P(s) P(A|s) +
    P(S + s) P(A|S + s), so a condition on P(A|s) and P(A) is one on these two groups.
    It is linear in P(s), so the worst case is an end of the interval for P(s).
    """
    n = len(prior[0])
    for a, b in zip(ratios.top.tolist(), ratios.bottom.tolist(), strict=True):
        ends = sorted({float(end[min(a, b)]) for end in prior})
        if b == n:
            yield Pair(a, n + a, partial(_against_all, ends))
        elif a == n:
            yield Pair(n + b, b, partial(_of_all, ends))
        else:
            yield Pair(a, b, lambda f: [(f, 1.0)])


def _against_all(ends: Sequence[float], f: float) -> list[tuple[float, float]]:
    """Return the coefficients of P(A|s) f - P(A) for both ends of P(s)."""
    return [(max(f - at, 0.0), 1 - at) for at in ends]


def _of_all(ends: Sequence[float], f: float) -> list[tuple[float, float]]:
    """Return the coefficients of P(A) f - P(A|s) for both ends of P(s)."""
    return [(f * (1 - at), 1 - f * at) for at in ends]


def differences(
    counts: Matrix,
    prior: tuple[Vector, Vector],
    ratios: Ratios,
    inside: Mask,
    log_level: Vector,
) -> Misses:
    """Return bounds for subsets; per condition, each fails with at most its level."""
    groups = np.vstack([counts, counts.sum(axis=0) - counts])
    rows, size = groups.sum(axis=1), inside.sum(axis=1)
    pairs = list(pairs_of(ratios, prior))
    kinds, kind = np.unique(log_level, return_inverse=True)

    levels = fisher_levels(kinds)

    @cache
    def bounds(group: int) -> tuple[Matrix, Places, Places]:
        """Return distinct upper bounds, and their indices for subsets and
        complements.
        """
        seen = groups[group] @ inside.T
        occurrences = np.concatenate([seen, rows[group] - seen])
        twice = np.tile(kind, 2)
        _, first, place = np.unique(
            occurrences * len(kinds) + twice, return_index=True, return_inverse=True
        )
        _, upper = clopper_pearson(
            occurrences[first, None], rows[group], levels[twice[first]], lower=False
        )
        return upper, place[: len(seen)], place[len(seen) :]

    def ends(group: int) -> tuple[Matrix, Matrix]:
        upper, here, opposite = bounds(group)
        return upper[here], upper[opposite]

    return misses_of(pairs, ends, size, inside.shape[1])


def misses_of(
    pairs: list[Pair],
    bounds: Callable[[int], tuple[Matrix, Matrix]],
    size: Places,
    n_public: int,
) -> Misses:
    """Return the bounds from those on probabilities.

    ``bounds`` gives, for a group of rows, upper bounds on the probabilities of the
    subsets and of their complements, each of shape (m, levels).
    """
    empty, full = size == 0, size == n_public

    def misses(budget: Vector) -> Matrix:
        violations = np.empty((len(pairs), len(size)))
        for at, pair in enumerate(pairs):
            high, low, factor = (
                bounds(pair.p)[0],
                1 - bounds(pair.q)[1][:, ::-1],
                float(np.exp(-budget[at])),
            )
            violations[at] = np.max(
                [
                    (c * high - d * low).max(axis=1)
                    for c, d in pair.coefficients(factor)
                ],
                axis=0,
            )
            violations[at, empty], violations[at, full] = 0.0, factor - 1
        return violations

    return misses
