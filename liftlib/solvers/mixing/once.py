"""A small search in one compiled call, as a search and its proof are told of elsewhere."""

from __future__ import annotations

import time
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from liftlib.numerics import DUST, Matrix, Vector
from liftlib.solvers.mixing.masters import dear
from liftlib.solvers.mixing.problem import Pass, Records, Stack
from liftlib.solvers.mixing.ranges import FEW, Ranges
from liftlib.solvers.mixing.routes import MOST_DENSE, compile_loops
from liftlib.solvers.mixing.search import CHUNK_COMPILED, FIRST_LOOK, Proven

ROOM = 4096
"""Nodes of a tree, and rows, for which there is room."""


class Once(NamedTuple):
    """What one call found, see ``search.Found``; ``proof`` is what :meth:`proven` is made of."""

    rows: Matrix
    weights: Vector
    dual: Vector
    bound: float
    programmes: int
    seconds: float
    halfspaces: Matrix
    proof: tuple[Any, ...]

    def proven(self) -> Proven:
        """Return what it proved."""
        rows, (low, high, sides, sizes), caps, cap_multipliers, dual, order, tables, level, multipliers = self.proof
        count = len(level)
        parent, child, kind, symbol = tables
        records = Records(parent, child, kind, symbol, level, multipliers, np.zeros((count, 0)))
        state = np.array([count, 0.0, 0.0, 0.0, np.inf, 0.0, self.programmes])
        nothing = np.empty((0, dual.size))
        work = Pass(dual, order, 0.0, 0.0, records, Stack.empty(0), state, nothing, nothing[:, 0])
        return Proven(self.bound, work, Ranges(rows, low, high, sides, sizes), self.halfspaces, caps, cap_multipliers)


def fits(halfspaces: Matrix) -> bool:
    """Return whether a search over these halfspaces, shape (m, n), may be done in one call: both are few."""
    return halfspaces.shape[1] <= MOST_DENSE and halfspaces.size * len(halfspaces) <= FEW


@cache
def first_starts(n: int) -> Matrix:
    """Return from where a search goes downhill first, see ``search.Search.locally``: next to each coordinate."""
    return np.asarray(0.8 * np.eye(n) + 0.2 * np.random.default_rng(0).dirichlet(np.full(n, 0.3), n))


@cache
def compile_search() -> None:
    """Let numba compile the search, or read what it compiled before."""
    compile_loops()
    _called(np.array([[1.0, -1.0], [-1.0, 2.0]]), np.array([0.6, 0.4]), 0.0, 1e-6)


def search_once(halfspaces: Matrix, target: Vector, slack: float, gap: float) -> Once | None:
    """Return what ``search.cheapest_mixture`` finds, where the tree is small; None where it is not.

    Parameters
    ----------
    halfspaces : numpy.ndarray, shape (m, n)
        Such as :func:`fits`.
    target, slack, gap
        See :func:`liftlib.solvers.mixing.search.cheapest_mixture`.
    """
    compile_search()
    started = time.perf_counter()
    done, rows, weights, dual, _, bound, programmes, _, *proof = _called(halfspaces, target, slack, gap)
    seconds = time.perf_counter() - started
    return Once(rows, weights, dual, bound, programmes, seconds, halfspaces, tuple(proof)) if done else None


def _called(halfspaces: Matrix, target: Vector, slack: float, gap: float) -> Any:
    # numba takes a second to import
    from liftlib.solvers.mixing.dense import searched  # noqa: PLC0415

    n = target.size
    most = FIRST_LOOK * CHUNK_COMPILED
    return searched(
        np.ascontiguousarray(halfspaces), np.array(target), slack, first_starts(n), gap, dear(n), ROOM, most, DUST
    )
