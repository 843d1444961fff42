"""Branch and bound and the restricted master problem, in loops compiled by numba."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from mixproof import branch_and_bound as tree
from mixproof import primal, simplex
from mixproof.numerics import Matrix, Vector
from mixproof.parts import MAX_PARTS, MIN_DIVIDED_NODES, dealt, gather, make_heap
from mixproof.problem import COLUMNS_PER_PASS, EARLY_STOP_SHARE, MAX_DENSE_COORDINATES, MIN_SAVING, Pass, Problem
from mixproof.restricted_master import (
    ARTIFICIAL_COST_GROWTH,
    ARTIFICIAL_TOL,
    MAX_ARTIFICIAL_COST,
    PRICED_PER_COORDINATE,
    STEPS_PER_COORDINATE,
    HighsRestrictedMaster,
    cleaned,
    dear,
)
from mixproof.sparse_vertices import SparseVertices


class Compiled:
    """Branch and bound over one polytope, with large tasks divided among threads."""

    def __init__(self, problem: Problem, threads: int = 1) -> None:
        self.problem, self.threads = problem, threads
        n, m = problem.columns.shape
        self.basis = m
        self._works = [simplex.space(m, n) for _ in range(MAX_PARTS)]

    def _each(self, step: Callable[..., None], parts: list[Any]) -> None:
        """Call a step on each part, with separate work arrays."""
        if self.threads == 1 or len(parts) == 1:
            for part, work in zip(parts, self._works, strict=False):
                step(part, work)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(step, parts, self._works))

    def largest(self) -> tuple[Vector, Matrix]:
        """Return an upper bound on each coordinate, and the multipliers that prove it."""
        every, m = self.problem.columns.shape
        n = every - self.problem.upper.size
        caps, proof = np.ones(n), np.zeros((n, m))

        def step(part: Vector, work: Any) -> None:
            tree.largest(self.problem, caps, proof, part[0], part[-1] + 1, work)

        self._each(step, divided(np.arange(n)))
        return caps, proof

    def descend(self, dual: Vector, starts: Matrix, steps: int = 20) -> tuple[Matrix, Vector]:
        """Return the local minimum reached from each start, and its price (or infinity)."""
        rows, prices = np.zeros_like(starts), np.full(len(starts), np.inf)

        def step(part: tuple[Matrix, Matrix, Vector], work: Any) -> None:
            tree.descend(self.problem, dual, part[0], steps, part[1], part[2], work)

        starts = np.ascontiguousarray(starts)
        self._each(step, list(zip(divided(starts), divided(rows), divided(prices), strict=True)))
        return np.maximum(rows, 0.0), prices

    def explore(self, work: Pass, caps: Vector, nodes: int) -> None:
        """Solve open nodes until none is left, a column suffices, or ``nodes`` are solved."""
        last = work.solved + nodes
        while work.waiting and work.solved < last and not work.has_enough:
            work.make_room()
            share = (last - work.solved) // MAX_PARTS
            if work.waiting < MIN_DIVIDED_NODES or share * MAX_PARTS < MIN_DIVIDED_NODES:
                make_heap(work)
                self._explore(work, caps, min(last - work.solved, MIN_DIVIDED_NODES), self._works[0])
                continue
            while work.nodes + MAX_PARTS * share > len(work.records.parent):
                work.records = work.records.grown()
            parts = [dealt(work, k, share) for k in range(MAX_PARTS)]
            self._each(lambda part, arrays: self._explore(part, caps, share, arrays), parts)  # noqa: B023
            gather(work, parts, share)

    def _explore(self, work: Pass, caps: Vector, nodes: int, arrays: Any) -> None:
        limits = (0.0, COLUMNS_PER_PASS) if work.several else (EARLY_STOP_SHARE, len(work.prices) + 1)
        tree.explore(
            self.problem, work.dual, caps, work.order, work.cutoff, work.tolerance, work.records, work.open_nodes,
            work.state, work.rows, work.prices, (nodes, len(work.prices), *limits), arrays,
        )  # fmt: skip


def divided(values: Any) -> list[Any]:
    """Return an array split into ``MAX_PARTS`` parts, or unsplit if it is short."""
    return np.array_split(values, min(MAX_PARTS, len(values))) if len(values) > MAX_DENSE_COORDINATES else [values]


class CompiledRestrictedMaster:
    """The restricted master problem, by a compiled simplex method or else by HiGHS."""

    def __init__(self, target: Vector) -> None:
        n = target.size
        self.n, self._target = n, np.array(target)  # loops are compiled for arrays that can be written to
        self._rows, self._costs, self._count = np.zeros((8 * n + 64, n)), np.zeros(8 * n + 64), 0
        self._dear = dear(n)
        self._basis, self._inverse = np.arange(n), np.eye(n)
        self._fallback: HighsRestrictedMaster | None = None
        self.add(self._target[None])

    @property
    def rows(self) -> Matrix:
        """The columns of the problem so far, shape (M, n), one point per row."""
        return self._rows[: self._count] if self._fallback is None else self._fallback.rows

    def add(self, rows: Matrix) -> int:
        """Add the points that are not yet columns; return how many were added."""
        if self._fallback is not None:
            return self._fallback.add(rows)
        before = self._count
        self._make_room(len(rows))
        self._count = primal.join(self._rows, self._costs, before, cleaned(rows))
        return self._count - before

    def price(self, table: SparseVertices, dual: Vector) -> int:
        """Add the sparse vertices of lowest reduced cost; return how many are new."""
        if self._fallback is not None:
            return self._fallback.price(table, dual)
        before, most = self._count, PRICED_PER_COORDINATE * self.n
        self._make_room(most)
        self._count = primal.price(self._rows, self._costs, before, *table, dual, most, MIN_SAVING)
        return self._count - before

    def _make_room(self, more: int) -> None:
        while self._count + more > len(self._costs):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._costs = np.concatenate([self._costs, np.zeros_like(self._costs)])

    def run(self, seconds: float = np.inf) -> tuple[float, Vector, Vector]:
        """Solve; return the optimal cost, the duals and the weights of the points."""
        if self._fallback is not None:
            return self._fallback.run(seconds)
        went_well, cost, self._dear, dual, weights = primal.mixed(
            self._rows, self._costs, self._count, self._dear, self._target, self._basis, self._inverse,
            STEPS_PER_COORDINATE * self.n,
            (ARTIFICIAL_COST_GROWTH, MAX_ARTIFICIAL_COST, ARTIFICIAL_TOL),
        )  # fmt: skip
        if went_well:
            return cost, dual, weights
        # ties, or columns that nearly coincide, made the basis ill-conditioned
        other = HighsRestrictedMaster(self._target)
        other.add(self.rows[1:])
        self._fallback = other
        return other.run(seconds)
