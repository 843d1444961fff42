"""Rounding of a kernel to a coarse grid, so that its probabilities can be read."""

from __future__ import annotations

import itertools
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
