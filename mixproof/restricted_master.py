"""The restricted master problem: min sum q H(v) with sum q v = target, q >= 0.

The unit vector of each coordinate is a column too, at a penalty cost that drives it out
of the solution as soon as the points alone reach the target. The problem is therefore
always feasible, and the duals stay small.
"""

from __future__ import annotations

import numpy as np

from mixproof.errors import SolverFailure
from mixproof.limits import Clock
from mixproof.lp import LinearProgram
from mixproof.numerics import Matrix, Vector, entropies
from mixproof.problem import MIN_SAVING
from mixproof.sparse_vertices import SparseVertices

ARTIFICIAL_TOL = 1e-11  # unit vectors with at most this weight are unused
# the growth factor of the cost of unit vectors while they are in use
ARTIFICIAL_COST_GROWTH = 4.0
MAX_ARTIFICIAL_COST = 1e9  # a cost of unit vectors beyond any saving
SUPPORT_TOL = 1e-13  # entries of a point up to this are rounding errors
PRICED_PER_COORDINATE = 4  # sparse vertices that are added at once, per coordinate
DUPLICATE_DIGITS = 11  # points are equal if they agree to this many digits


def dear(n: int) -> float:
    """Return the initial cost of unit vectors, far above the entropy of any point."""
    return 4.0 * (1.0 + float(np.log(n)))


def cleaned(rows: Matrix) -> Matrix:
    """Return the points normalised, without rounding errors near 0."""
    clean = np.where(rows > SUPPORT_TOL, rows, 0.0)
    return np.asarray(clean / clean.sum(axis=1, keepdims=True))


class RestrictedMaster:
    """The restricted master problem, solved by HiGHS.

    Parameters
    ----------
    target : numpy.ndarray, shape (n,)
        The mean of the mixture; it is also the first column.
    """

    def __init__(self, target: Vector) -> None:
        self.n = target.size
        self._dear = dear(self.n)
        self._target = target
        self._programme = LinearProgram(
            np.full(self.n, self._dear), np.eye(self.n), target
        )
        self._seen: set[bytes] = set()
        self.rows = np.empty((0, self.n))
        self.add(target[None])

    def add(self, rows: Matrix) -> int:
        """Add the points that are not yet columns; return how many were added."""
        clean = cleaned(rows)
        names = [key.tobytes() for key in clean.round(DUPLICATE_DIGITS)]
        new = []
        for at, name in enumerate(names):
            if name not in self._seen:
                self._seen.add(name)
                new.append(at)
        if new:
            joining = clean[new]
            self.rows = np.concatenate([self.rows, joining])
            self._programme.add(entropies(joining), joining.T)
        return len(new)

    def price(self, table: SparseVertices, dual: Vector) -> int:
        """Add the sparse vertices of lowest reduced cost; return how many are new."""
        prices = table.prices(dual)
        count = min(PRICED_PER_COORDINATE * self.n, prices.size)
        best = np.argpartition(prices, count - 1)[:count]
        best = best[prices[best] < -MIN_SAVING]
        if not best.size:
            return 0
        return self.add(table.points(best, self.n))

    def run(self, seconds: float = np.inf) -> tuple[float, Vector, Vector]:
        """Solve; return the optimal cost, the duals and the weights of the points.

        TimeoutError is raised if it takes longer than ``seconds``.
        """
        clock = Clock(seconds)
        while True:
            weights, dual = self._run(clock)
            if (
                weights[: self.n].max() <= ARTIFICIAL_TOL
                or self._dear > MAX_ARTIFICIAL_COST
            ):
                q = weights[self.n :]
                return float(entropies(self.rows) @ q), dual, q
            self._dear *= ARTIFICIAL_COST_GROWTH
            self._programme.charge(np.full(self.n, self._dear))

    def _run(self, clock: Clock) -> tuple[Vector, Vector]:
        try:
            return self._programme.run(clock.left)
        except SolverFailure:
            # columns that nearly coincide can make the basis ill-conditioned: restart
            # from all of them
            self._programme = LinearProgram(
                np.full(self.n, self._dear), np.eye(self.n), self._target, presolve="on"
            )
            self._programme.add(entropies(self.rows), self.rows.T)
            return self._programme.run(clock.left)
