"""The linear programme over the rows found so far: min H(v) q with sum q v = target, q >= 0.

Each coordinate's unit vector is a column too, at a price that keeps it out of the solution as soon as rows reach the
target without it: so there is always a solution, and the duals stay small.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from mixproof.errors import SolverFailure
from mixproof.lp import LinearProgram
from mixproof.numerics import Matrix, Vector, xlogx
from mixproof.problem import WORTHLESS
from mixproof.sparse_vertices import SparseVertices

UNITS_TOL = 1e-11
"""Weight of unit vectors that is none."""

DEARER = 4.0
"""By what the price of unit vectors grows while they are in use."""

DEAREST = 1e9
"""A price beyond any saving."""

STEPS = 60
"""Steps a coordinate after which compiled loops leave the programme to HiGHS."""

SUPPORT_TOL = 1e-13
"""What a row has less of at a coordinate is rounding."""

AT_ONCE = 4
"""How many of a table's vertices join at once, times the coordinates."""

DIGITS = 11
"""Digits to which rows that are one agree."""


class RestrictedMaster(Protocol):
    """A linear programme over rows, shape (M, n)."""

    @property
    def rows(self) -> Matrix: ...  # noqa: D102
    def add(self, rows: Matrix) -> int: ...  # noqa: D102
    def price(self, table: SparseVertices, dual: Vector) -> int: ...  # noqa: D102
    def run(self) -> tuple[float, Vector, Vector]: ...  # noqa: D102


def entropies(rows: Matrix) -> Vector:
    """Return the entropy of each row, nats."""
    return np.asarray(-xlogx(rows).sum(axis=1))


def dear(n: int) -> float:
    """Return what unit vectors cost at first: more than any row by far."""
    return 4.0 * (1.0 + float(np.log(n)))


def cleaned(rows: Matrix) -> Matrix:
    """Return rows without what is rounding."""
    clean = np.where(rows > SUPPORT_TOL, rows, 0.0)
    return np.asarray(clean / clean.sum(axis=1, keepdims=True))


class HighsRestrictedMaster:
    """The programme by HiGHS.

    Parameters
    ----------
    target : numpy.ndarray, shape (n,)
        What rows are mixed to; it is the first row itself.
    """

    def __init__(self, target: Vector) -> None:
        self.n = target.size
        self._dear = dear(self.n)
        self._target = target
        self._programme = LinearProgram(np.full(self.n, self._dear), np.eye(self.n), target)
        self._seen: set[bytes] = set()
        self.rows = np.empty((0, self.n))
        self.add(target[None])

    def add(self, rows: Matrix) -> int:
        """Let rows join that it has not yet; return how many."""
        clean = cleaned(rows)
        new = []
        for at, key in enumerate(clean.round(DIGITS)):
            if (name := key.tobytes()) not in self._seen:
                self._seen.add(name)
                new.append(at)
        if new:
            self.rows = np.concatenate([self.rows, clean[new]])
            self._programme.add(entropies(clean[new]), clean[new].T)
        return len(new)

    def price(self, table: SparseVertices, dual: Vector) -> int:
        """Let those of a table's vertices join that save most; return how many are new."""
        prices = table.prices(dual)
        count = min(AT_ONCE * self.n, prices.size)
        best = np.argpartition(prices, count - 1)[:count]
        best = best[prices[best] < -WORTHLESS]
        return self.add(table.points(best, self.n)) if best.size else 0

    def run(self) -> tuple[float, Vector, Vector]:
        """Return the cost, the duals, and the weights of the rows."""
        while True:
            weights, dual = self._run()
            if weights[: self.n].max() <= UNITS_TOL or self._dear > DEAREST:
                q = weights[self.n :]
                return float(entropies(self.rows) @ q), dual, q
            self._dear *= DEARER
            self._programme.charge(np.full(self.n, self._dear))

    def _run(self) -> tuple[Vector, Vector]:
        try:
            return self._programme.run()
        except SolverFailure:
            # columns that nearly coincide can wear a basis out: start afresh, from all of them
            self._programme = LinearProgram(np.full(self.n, self._dear), np.eye(self.n), self._target, presolve="on")
            self._programme.add(entropies(self.rows), self.rows.T)
            return self._programme.run()
