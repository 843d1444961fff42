"""Rounding of a kernel to a coarse grid, so that it reveals little.

The probabilities of an optimal channel give functions of the counts to sixteen digits, so somebody who knows the
mechanism can solve for the counts. A rounded kernel is the same for many tables.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from liftlib.channel import Channel
from mixproof.numerics import Matrix, Vector

GRIDS = (1_000, 10_000, 100_000)  # probabilities are multiples of 1 / grid, for the coarsest grid that serves

# shares of a constant release mixed in so that the rounded kernel satisfies the notion
CONSTANT_SHARES = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
MAX_COARSE_SHARE = 0.01  # share up to which a coarse grid is preferred to a fine one


def on_grid(channel: Channel, p_y: Vector, keeps: Callable[[Channel], bool]) -> tuple[Channel, int | None]:
    """Return a channel rounded to a grid such that ``keeps`` accepts it, and the grid.

    ``p_y``, shape (Y,) or (X, Y), is the constant release that may be mixed in. The channel is returned unchanged with
    1 if it merges symbols, and with None if it sees the secret (so it is not published) or if no grid serves.

    >>> made, grid = on_grid(Channel([[1 / 3, 2 / 3], [0.5, 0.5]]), np.array([0.4, 0.6]), lambda _: True)
    >>> made.kernel.tolist(), grid
    ([[0.333, 0.667], [0.5, 0.5]], 1000)
    """
    if channel.sees_secret:
        return channel, None
    if channel.partition is not None:
        return channel, 1
    # first all grids with cheap shares, then all grids with the others
    ways = sorted(itertools.product(GRIDS, CONSTANT_SHARES), key=lambda way: way[1] > MAX_COARSE_SHARE)
    for grid, share in ways:
        kernel = _rounded((1 - share) * channel.kernel + share * p_y, grid)
        seen = kernel.sum(axis=0) > 0
        rounded = Channel(
            kernel[:, seen], [label for label, occurs in zip(channel.outputs, seen, strict=True) if occurs]
        )
        if keeps(rounded):
            return rounded, grid
    return channel, None


def _rounded(kernel: Matrix, grid: int) -> Matrix:
    """Return the rows rounded to multiples of 1 / grid, by largest remainders."""
    scaled = kernel * grid
    # what is a multiple but for rounding stays one: its remainder is among the largest
    floor = np.floor(scaled)
    left = (grid - floor.sum(axis=1)).astype(int)
    order = np.argsort(-(scaled - floor), axis=1, kind="stable")
    ranks = np.argsort(order, axis=1, kind="stable")
    return np.asarray((floor + (ranks < left[:, None])) / grid)


MIN_POSSIBLE_TABLES = (
    1000  # number of tables that card and release must leave possible for the kernel to be on the card
)


def bits_left(table: Matrix, n_outputs: int, grid: int) -> float:
    """Return log2 of the mean number of tables that fit a release and its kernel.

    An adversary is assumed to know the number of rows N_s with each secret. There are prod_s C(N_s + X - 1, X - 1) such
    tables, and at most 2^bits kernels times C(N + Y - 1, Y - 1) output counts; the quotient is the average. It may be
    below 1, and a table may be unique even if it is above.

    >>> round(bits_left(np.array([[70.0, 30.0], [40.0, 60.0]]), 2, 1000), 2)
    -14.27
    """
    n_x = table.shape[1]
    tables = sum(_log2_ways(int(rows), n_x) for rows in table.sum(axis=1))
    return tables - bits(n_x, n_outputs, grid) - _log2_ways(int(table.sum()), n_outputs)


def _log2_ways(n: int, k: int) -> float:
    """Return log2 of the number of ways to write n as a sum of k nonnegative integers."""
    return (math.lgamma(n + k) - math.lgamma(k) - math.lgamma(n + 1)) / math.log(2)


def bits(n_symbols: int, n_outputs: int, grid: int) -> float:
    """Return an upper bound on what a published kernel reveals, in bits.

    This is log2 of the number of kernels; one that only merges has a grid of 1. Seeing a statistic with N values raises
    the probability of guessing anything about the table at most N-fold (maximal leakage at most log N).

    >>> bits(3, 2, 1), round(bits(2, 2, 1000), 2)
    (3.0, 19.93)
    """
    if grid == 1:
        return n_symbols * math.log2(n_outputs)
    return n_symbols * _log2_ways(grid, n_outputs)
