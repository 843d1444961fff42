"""Extended formulations: auxiliary variables that save inequalities.

Bounding the ratio of any two of m linear forms takes m (m - 1) halfspaces, but only 2 m
inequalities with an auxiliary variable u, the largest form: each form is at most u and
at least e^-eps u. The search uses the extended formulation. A proof refers to the
halfspaces, so multipliers are mapped back to the halfspaces that it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mixproof.constraints import Constraints
from mixproof.numerics import Matrix, Vector
from mixproof.proof import Whole


class Extension(NamedTuple):
    """{v : G v >= 0} as {v : A v + B u >= 0 for some u with 0 <= u <= upper}.

    Attributes
    ----------
    halfspaces : numpy.ndarray, shape (m, n + k)
        (A | B).
    upper : numpy.ndarray, shape (k,)
        The largest value of each auxiliary variable.
    inside : numpy.ndarray, shape (k,)
        Values of the auxiliary variables with which the target is feasible.
    slack : numpy.ndarray, shape (m,)
        The largest violation of each inequality if G v >= -slack, as a multiple of the
        search's slack.
    n_halfspaces : int
        The number of rows of G.
    forms : numpy.ndarray, shape (s, n)
        F, such that each row of G v is a F v for a vector a.
    worst : callable
        Returns the smallest entry of G v, shape (K,), and its vector a, shape (K, s),
        given values F v, shape (K, s).
    pull_back : callable
        Maps multipliers w >= 0 of the inequalities, shape (K, m), to multipliers W >= 0
        of some rows of G, the numbers of these rows, and costs c, shape (K,), such that
        W G <= w A + c in every coordinate, where c = (w B)^+ upper.
    """

    halfspaces: Matrix
    upper: Vector
    inside: Vector
    slack: Vector
    n_halfspaces: int
    forms: Matrix
    worst: Callable[[Matrix], tuple[Vector, Matrix]]
    pull_back: Callable[[Matrix], tuple[Matrix, Whole, Vector]]

    @staticmethod
    def side_by_side(parts: Sequence[Extension]) -> Extension:
        """Return an extension of the intersection of the polytopes of several, whose
        halfspaces follow one another.
        """
        n = parts[0].forms.shape[1]
        inequalities, forms, halfspaces, variables = (
            np.cumsum([0, *sizes]).tolist()
            for sizes in zip(
                *(
                    (len(p.slack), len(p.forms), p.n_halfspaces, len(p.upper))
                    for p in parts
                ),
                strict=True,
            )
        )
        table = np.zeros((inequalities[-1], n + variables[-1]))
        for part, row, at in zip(parts, inequalities, variables, strict=False):
            rows = table[row : row + len(part.slack)]
            rows[:, :n] = part.halfspaces[:, :n]
            rows[:, n + at : n + at + len(part.upper)] = part.halfspaces[:, n:]

        def worst(values: Matrix) -> tuple[Vector, Matrix]:
            found = [
                part.worst(values[:, a:b])
                for part, a, b in zip(parts, forms, forms[1:], strict=False)
            ]
            which = np.argmin([least for least, _ in found], axis=0)
            slopes = [
                np.where(which[:, None] == at, each, 0.0)
                for at, (_, each) in enumerate(found)
            ]
            return np.min([least for least, _ in found], axis=0), np.concatenate(
                slopes, axis=1
            )

        def pull_back(weights: Matrix) -> tuple[Matrix, Whole, Vector]:
            found = [
                part.pull_back(weights[:, a:b])
                for part, a, b in zip(
                    parts, inequalities, inequalities[1:], strict=False
                )
            ]
            used = [
                numbers + first
                for (_, numbers, _), first in zip(found, halfspaces, strict=False)
            ]
            each, _, costs = zip(*found, strict=True)
            return (
                np.concatenate(each, axis=1),
                np.concatenate(used),
                np.sum(costs, axis=0),
            )

        return Extension(
            table,
            np.concatenate([part.upper for part in parts]),
            np.concatenate([part.inside for part in parts]),
            np.concatenate([part.slack for part in parts]),
            halfspaces[-1],
            np.concatenate([part.forms for part in parts]),
            worst,
            pull_back,
        )


class Extended(NamedTuple):
    """The scaled constraints of an extension, with the map back to halfspaces."""

    extension: Extension
    ranges: Constraints
    middle: Vector

    @staticmethod
    def of(extension: Extension) -> Extended:
        """Return an extension's constraints, scaled so that v has coefficients in [-1,
        1].
        """
        k = extension.upper.size
        table = extension.halfspaces
        original = table[:, : table.shape[1] - k]
        auxiliary = table[:, table.shape[1] - k :]
        most = original.max(axis=1)
        least = original.min(axis=1)
        middle = (most + least) / 2
        size = (most - least) / 2
        size = np.where(size > 0, size, 1.0)
        m, n = original.shape
        rows = np.ones((m + 1, n + k))
        rows[:-1, :n] = np.clip((original - middle[:, None]) / size[:, None], -1.0, 1.0)
        rows[:-1, n:] = auxiliary / size[:, None]
        rows[-1, n:] = 0.0
        low = np.append(-middle / size, 1.0)
        high = np.ones(m + 1)
        high[:-1] += np.maximum(rows[:-1, n:], 0.0) @ extension.upper
        sides = np.full((m + 1, 2), -1)
        sides[:-1, 0] = np.arange(m)
        sizes = np.ones((m + 1, 2))
        sizes[:-1, 0] = size
        return Extended(extension, Constraints(rows, low, high, sides, sizes), middle)

    def pulled_back(self, multipliers: Matrix) -> tuple[Whole, Matrix]:
        """Return the halfspaces that a proof needs and their multipliers."""
        lower = np.maximum(multipliers, 0.0)
        upper = np.maximum(-multipliers, 0.0)
        weights = lower[:, :-1] / self.ranges.sizes[:-1, 0]
        halfspace_weights, used, cost = self.extension.pull_back(weights)
        # a bound without an inequality comes from the simplex: its coefficients are at
        # most 1
        total = (
            multipliers[:, -1]
            - weights @ self.middle
            - upper[:, :-1].sum(axis=1)
            - cost
        )
        return np.column_stack([used, np.full(len(used), -1)]), np.column_stack(
            [halfspace_weights, total]
        )
