"""Linear programs over a whole polytope: upper bounds on coordinates, and descent to
local minima of a price.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mixproof.limits import UNLIMITED, Clock
from mixproof.numerics import Matrix, Vector
from mixproof.problem import MIN_SAVING, Problem
from mixproof.simplex import (
    AUXILIARY_COST,
    OPTIMAL,
    Simplex,
    slots_for,
    surprise,
    uneven_shares,
)

MAX_ENTROPY_SLOPE = 27.6  # nats: the largest slope of entropy, about its slope at 1e-12
DESCENT_STEPS = 20  # linear programs of one descent at most
# a cost vector with one non-zero entry ties everywhere, and ties can make a simplex
# cycle
TIE_BREAKER = 1e-8


def largest(problem: Problem, clock: Clock = UNLIMITED) -> tuple[Vector, Matrix]:
    """Return an upper bound on each coordinate, and the multipliers that prove it,
    shape (n, m).

    A bound for which the time did not suffice is 1, with multipliers 0.
    """
    n = problem.coordinates
    every = problem.rows.shape[1]
    proof = np.zeros((n, len(problem.rows)))
    ties = TIE_BREAKER * (1.0 + uneven_shares(n))
    cost = np.full((n, every), AUXILIARY_COST)
    cost[:, :n] = ties - np.eye(n)
    for programs, some in _programs(problem, n, clock):
        symbol = some
        programs.start(slice(0, symbol.size), cost[symbol], np.inf)
        for done in programs.ended(clock):
            proof[symbol[done]] = programs.multipliers(done)
            symbol = programs.without(done, symbol)
    return caps_of(problem, proof), proof


def caps_of(problem: Problem, proof: Matrix) -> Vector:
    """Return the upper bounds on coordinates that multipliers, shape (n, m), prove."""
    # the last row is the sum, which is 1 on the simplex
    y = proof[:, :-1]
    n = len(proof)
    bounds = np.where(y >= 0, problem.safe_low[:-1], problem.safe_high[:-1])
    constant = (bounds * y).sum(axis=1)
    combined = y @ problem.rows[:-1]
    values = combined[:, :n] + np.eye(n)
    auxiliary = np.maximum(combined[:, n:], 0.0) @ problem.upper
    proven = values.max(axis=1) + auxiliary - constant
    return np.asarray(np.minimum(1.0, proven))


def descend(
    problem: Problem, dual: Vector, starts: Matrix, clock: Clock = UNLIMITED
) -> tuple[Matrix, Vector]:
    """Descend from each start to a local minimum of the price, by linearising entropy
    repeatedly.

    Return the minima, shape (k, n), and their prices, infinite where none was found in
    time.
    """
    count, n = starts.shape
    rows = np.zeros_like(starts)
    prices = np.full(count, np.inf)
    left = np.full(count, DESCENT_STEPS)

    def linearised(here: Matrix) -> Matrix:
        cost = np.full((len(here), problem.rows.shape[1]), AUXILIARY_COST)
        with np.errstate(divide="ignore"):
            slope = np.minimum(-np.log(here), MAX_ENTROPY_SLOPE)
        cost[:, :n] = slope - dual
        return cost

    for programs, some in _programs(problem, count, clock):
        start = some
        programs.start(slice(0, start.size), linearised(starts[start]), np.inf)
        for done in programs.ended(clock):
            which = start[done]
            points = programs.points(done)[:, :n]
            price = (surprise(points) - points * dual).sum(1)
            lower = price < prices[which] - MIN_SAVING
            better = lower & (programs.status[done] == OPTIMAL)
            rows[which[better]] = points[better]
            prices[which[better]] = price[better]
            left[which] -= 1
            more = better & (left[which] > 0)
            if more.any():
                programs.start(done[more], linearised(points[more]), np.inf)
            start = programs.without(done[~more], start)
    return rows, prices


def _programs(
    problem: Problem, count: int, clock: Clock
) -> Iterator[tuple[Simplex, Any]]:
    """Yield programs over the whole polytope, with the slacks as their bases, and the
    numbers of those in slots.

    As many are in slots at a time as memory allows, until the time is over.
    """
    slots = slots_for(problem.rows, count)
    programs = Simplex(problem.rows, problem.low, problem.high, slots)
    every = problem.rows.shape[1]
    programs.least[:, :every] = 0.0
    programs.most[:, :every] = 1.0
    programs.most[:, problem.coordinates : every] = problem.upper
    for at in range(0, count, slots):
        if clock.left <= 0:
            return
        some = np.arange(at, min(at + slots, count))
        programs.used = some.size
        programs.from_slacks(slice(0, some.size))
        yield programs, some
