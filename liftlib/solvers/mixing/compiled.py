"""The tree with compiled loops."""

from __future__ import annotations

import numpy as np

from liftlib.numerics import Matrix, Vector
from liftlib.solvers.mixing import simplex, tree
from liftlib.solvers.mixing.problem import Pass, Problem


class Compiled:
    """The tree's steps over one polytope, as ``plain.Plain`` has them.

    Parameters
    ----------
    problem : Problem
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        n, m = problem.columns.shape
        self.basis = m
        self._work = simplex.space(m, n)

    def largest(self) -> tuple[Vector, Matrix]:
        """Return how large each coordinate can be, and the multipliers that prove it."""
        n, m = self.problem.columns.shape
        caps, proof = np.ones(n), np.zeros((n, m))
        tree.largest(self.problem, caps, proof, self._work)
        return caps, proof

    def descend(self, dual: Vector, starts: Matrix, steps: int = 20) -> tuple[Matrix, Vector]:
        """Return the point that each start leads to downhill, and its price; infinite where none was found."""
        rows, prices = np.zeros_like(starts), np.full(len(starts), np.inf)
        tree.descend(self.problem, dual, np.ascontiguousarray(starts), steps, rows, prices, self._work)
        return np.maximum(rows, 0.0), prices

    def explore(self, work: Pass, caps: Vector, nodes: int, below: int) -> None:
        """Go on with a pass until nothing waits, so many rows below the threshold are found, or nodes are solved."""
        last = work.nodes + nodes
        while work.waiting and work.nodes < last and work.below < below:
            work.make_room()
            tree.explore(
                self.problem, work.dual, caps, work.order, work.threshold, work.tolerance, work.records, work.stack,
                work.state, work.rows, work.prices, (last - work.nodes, len(work.prices), below), self._work,
            )  # fmt: skip
