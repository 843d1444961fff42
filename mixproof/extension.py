"""Extended formulations: auxiliary variables that save inequalities.

Bounding the ratio of any two of m linear forms takes m (m - 1) halfspaces, but only 2 m
inequalities with an auxiliary variable u, the largest form: each form is at most u and
at least e^-eps u. The search uses the extended formulation. A proof refers to the
halfspaces, so multipliers are mapped back to the halfspaces that it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
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
        # where each part's begin, and the end
        inequalities = _starts(len(part.slack) for part in parts)
        forms = _starts(len(part.forms) for part in parts)
        halfspaces = _starts(part.n_halfspaces for part in parts)
        variables = _starts(len(part.upper) for part in parts)
        table = np.zeros((inequalities[-1], n + variables[-1]))
        for part, row, at in zip(parts, inequalities, variables, strict=False):
            rows = table[row : row + len(part.slack)]
            rows[:, :n] = part.halfspaces[:, :n]
            rows[:, n + at : n + at + len(part.upper)] = part.halfspaces[:, n:]

        def worst(values: Matrix) -> tuple[Vector, Matrix]:
            each_values = np.split(values, forms[1:-1], axis=1)
            found = [
                part.worst(own) for part, own in zip(parts, each_values, strict=True)
            ]
            smallest, slopes = zip(*found, strict=True)
            least = np.array(smallest)
            which = least.argmin(axis=0)
            kept = [
                np.where(which[:, None] == at, each, 0.0)
                for at, each in enumerate(slopes)
            ]
            return least.min(axis=0), np.concatenate(kept, axis=1)

        def pull_back(weights: Matrix) -> tuple[Matrix, Whole, Vector]:
            each_weights = np.split(weights, inequalities[1:-1], axis=1)
            found = [
                part.pull_back(own)
                for part, own in zip(parts, each_weights, strict=True)
            ]
            each, numbers, costs = zip(*found, strict=True)
            used = list(map(np.add, numbers, halfspaces))
            return (
                np.concatenate(each, axis=1),
                np.concatenate(used),
                np.sum(costs, axis=0),
            )

        return Extension(
            halfspaces=table,
            upper=np.concatenate([part.upper for part in parts]),
            inside=np.concatenate([part.inside for part in parts]),
            slack=np.concatenate([part.slack for part in parts]),
            n_halfspaces=halfspaces[-1],
            forms=np.concatenate([part.forms for part in parts]),
            worst=worst,
            pull_back=pull_back,
        )


def _starts(sizes: Iterable[int]) -> list[int]:
    """Return where blocks of these sizes begin, and where the last ends."""
    return [0, *accumulate(sizes)]


class Extended(NamedTuple):
    """The scaled constraints of an extension, with the map back to halfspaces.

    Attributes
    ----------
    extension : Extension
    ranges : Constraints
        The m inequalities as rows with two bounds; the last row is the sum of v.
    middle : numpy.ndarray, shape (m,)
        What was subtracted from each inequality's coefficients of v.
    """

    extension: Extension
    ranges: Constraints
    middle: Vector

    @staticmethod
    def of(extension: Extension) -> Extended:
        """Return an extension's constraints, each with coefficients of v in [-1, 1].

        As v sums to 1, a v + b u >= 0 says the same as (a - middle) / size v + b / size
        u >= -middle / size, where middle and size are the centre and half the width of
        the range of a's entries.
        """
        inequalities = extension.halfspaces
        m = len(inequalities)
        n = inequalities.shape[1] - extension.upper.size
        of_v = inequalities[:, :n]
        of_u = inequalities[:, n:]

        largest = of_v.max(axis=1)
        smallest = of_v.min(axis=1)
        middle = (largest + smallest) / 2
        size = (largest - smallest) / 2
        size = np.where(size > 0, size, 1.0)

        rows = np.ones((m + 1, inequalities.shape[1]))
        scaled = (of_v - middle[:, None]) / size[:, None]
        rows[:-1, :n] = np.clip(scaled, -1.0, 1.0)  # rounding only
        rows[:-1, n:] = of_u / size[:, None]
        rows[-1, n:] = 0.0

        low = np.append(-middle / size, 1.0)
        # no inequality bounds from above, but v sums to 1 and u <= upper
        high = np.ones(m + 1)
        high[:-1] += np.maximum(rows[:-1, n:], 0.0) @ extension.upper

        sides = np.full((m + 1, 2), -1)
        sides[:-1, 0] = np.arange(m)
        sizes = np.ones((m + 1, 2))
        sizes[:-1, 0] = size
        return Extended(extension, Constraints(rows, low, high, sides, sizes), middle)

    def pulled_back(self, multipliers: Matrix) -> tuple[Whole, Matrix]:
        """Return the halfspaces that a proof needs and their multipliers."""
        of_rows = multipliers[:, :-1]
        of_sum = multipliers[:, -1]
        weights = np.maximum(of_rows, 0.0) / self.ranges.sizes[:-1, 0]
        halfspace_weights, used, cost = self.extension.pull_back(weights)
        # an upper bound comes from the simplex: its coefficients are at most 1
        simplex = np.maximum(-of_rows, 0.0).sum(axis=1)
        total = of_sum - weights @ self.middle - simplex - cost
        none = np.full(len(used), -1)
        sides = np.column_stack([used, none])
        return sides, np.column_stack([halfspace_weights, total])
