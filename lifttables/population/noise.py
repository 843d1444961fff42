"""Two-sided geometric noise, and exact confidence bounds on probabilities from noisy
counts.

A noisy count of a set of cells is K~ = K + Z, where K counts the rows and Z is the sum
of the noise of the cells. The bounds are those of the theorem on noisy counts in the
chapter on the population, whose names this module follows.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftlib.channel import Uniform
from mixproof.numerics import Matrix, Vector

Whole = NDArray[np.int64]

UNIFORM_STEPS = 2**53  # uniform numbers in [0, 1) are multiples of 1 / UNIFORM_STEPS
C_STEPS = 2**40  # levels c of noise are rounded down to multiples of 1 / C_STEPS
# theta, which is p rounded, is a multiple of 1 / GRID; 64 is 10 times slower and
# retains .01 more
GRID = 8
# distance of the probabilities that are tested, in standard deviations of the noisy
# share
STEP = 0.6
TANGENTS = 4  # steps from the next of them towards the largest one that is not rejected
# width of the bins of rows, in standard deviations; one row if that is more
COARSE = 0.1
# standard deviations of rows that are summed; all rows beyond make one bin
BELOW, ABOVE = 8.3, 4.5
NOWHERE = -(2**40)  # a number of rows below all others
LEAST = 1e-280  # p-values are rounded up to it, so that they have logs
# probability of noise that is cut off and of rounding; it is added to each p-value
TINY = 1e-16
# size of a block of numbers of rows, by the noise and by the rows
FURTHER_NOISE, FURTHER_ROWS = 0.2, 0.005
CHERNOFF_GRID = 16  # the same for ``chernoff_bounds``, where a finer one costs little
QUICK_SHARE = 0.3  # exponent in ``quick_bounds``
# of Chernoff's bound, as shares of the largest; the best is at most 20 % away
TILTS = np.geomspace(0.001, 0.95, 20)


def geometric_noise(shape: tuple[int, ...], c: float, rng: Uniform) -> Whole:
    """Return two-sided geometric noise: P(Z = z) is proportional to exp(-c abs(z))
    (Ghosh et al. 2012).

    It is exact for c rounded down to a multiple of 1 / C_STEPS, in whole numbers alone
    (Canonne, Kamath and Steinke, NeurIPS 2020, Algorithm 2): numbers that are uniform
    in [0, 1) in steps of 2^-53 would leave out large values, and give others more than
    e^c times the probability of their neighbours.
    """
    step = int(c * C_STEPS)
    size = int(np.prod(shape))
    noise = np.zeros(size, dtype=np.int64)
    todo = np.arange(size)
    while len(todo):
        values, accepted = _attempts(len(todo), step, rng)
        noise[todo[accepted]] = values[accepted]
        todo = todo[~accepted]
    return noise.reshape(shape)


def _attempts(size: int, step: int, rng: Uniform) -> tuple[Whole, NDArray[np.bool_]]:
    """Return values that have the distribution of the noise if they are accepted, and
    whether they are.
    """
    rest = _below(C_STEPS, size, rng)
    accepted = _chance_of_exp(rest, rng)
    # the number of successes, of probability 1 / e each, before the first failure
    whole = np.zeros(size, dtype=np.int64)
    running = np.arange(size)
    while len(running):
        running = running[_chance_of_exp(np.full(len(running), C_STEPS), rng)]
        whole[running] += 1
    # P(x) is proportional to exp(-x / C_STEPS), so that of value is proportional to
    # exp(-value step / C_STEPS)
    value = (rest + C_STEPS * whole) // step
    negative = _below(2, size, rng) == 1
    # 0 only once
    return np.where(negative, -value, value), accepted & ~(negative & (value == 0))


def _chance_of_exp(x: Whole, rng: Uniform) -> NDArray[np.bool_]:
    """Return true with probability exp(-x / C_STEPS), for 0 <= x <= C_STEPS (Algorithm
    1).

    The first k at which an event of probability x / (k C_STEPS) fails is odd with this
    probability.
    """
    odd = np.zeros(len(x), dtype=bool)
    running, k = np.arange(len(x)), 1
    while len(running):
        happened = _below(k * C_STEPS, len(running), rng) < x[running]
        odd[running[~happened]] = k % 2 == 1
        running, k = running[happened], k + 1
    return odd


def _below(most: int, size: int, rng: Uniform) -> Whole:
    """Return whole numbers from 0 to ``most`` - 1, each with the same probability;
    ``most`` is at most 2^53.
    """
    # numbers from here on would make small remainders more frequent
    end = UNIFORM_STEPS - UNIFORM_STEPS % most
    found = np.zeros(size, dtype=np.int64)
    todo = np.arange(size)
    while len(todo):
        drawn = (rng.random(len(todo)) * float(UNIFORM_STEPS)).astype(np.int64)
        fits = drawn < end
        found[todo[fits]] = drawn[fits] % most
        todo = todo[~fits]
    return found


@lru_cache(maxsize=256)
def noise_pmf(cells: int, c: float) -> Vector:
    """Return P(Z = z) for the sum of the noise of some cells, shape (2 m + 1,), centred
    at z = 0.

    All terms of the convolution are positive, so that it is exact up to rounding. At
    most ``TINY`` is cut off.

    Parameters
    ----------
    cells : int
        The number of cells.
    c : float
        The level of the noise of one cell: P(Z = z) is proportional to exp(-c abs(z)).

    Examples
    --------
    >>> pmf = noise_pmf(1, 1.0)
    >>> pmf[len(pmf) // 2 :][:3].round(4).tolist()
    [0.4621, 0.17, 0.0625]
    """
    from scipy.special import gammaln  # noqa: PLC0415 - see clopper_pearson

    if not cells:
        return np.ones(1)
    # P(J > most) < e^-46, by Chernoff's bound with the tilt c / 2
    most = int(2 * (46 + cells * np.log(2.0)) / c)
    j = np.arange(most + 1)
    half = np.exp(
        gammaln(j + cells)
        - gammaln(cells)
        - gammaln(j + 1)
        + cells * np.log(-np.expm1(-c))
        - c * j
    )
    # of many cells, most lie far from 0
    half = half[half > TINY**2]
    full = np.convolve(half, half[::-1])
    cut = min(int(np.flatnonzero(np.cumsum(full) > TINY / 4)[0]), len(half) - 1)
    return np.asarray(full[cut : len(full) - cut])


def sum_of(first: Vector, second: Vector, times: int, less: int) -> tuple[Vector, int]:
    """Return the distribution of times Z - less W, of two centred distributions, and
    its offset.
    """
    if not less:
        second = second.sum(keepdims=True)
    pmf = np.zeros(times * (len(first) - 1) + less * (len(second) - 1) + 1)
    for at, of_first in enumerate(first):
        start = times * at
        end = start + less * (len(second) - 1) + 1
        pmf[start : end : max(less, 1)] += of_first * second[::-1]
    return pmf, len(pmf) // 2


@lru_cache(maxsize=512)  # all sizes of the blocks of 300 symbols
def _largest_cdf(c: float, a: int, b: int, i: int, block: int) -> tuple[Vector, int]:
    """Return the largest P(V + further rows <= x) over up to ``block`` - 1 further
    rows, and the index of x = 0.

    V = (1 - theta) Z - theta W with theta = i / GRID. Each further row adds 1 - theta
    with the smallest probability in the cell of theta, and - theta otherwise. The index
    is of x GRID.
    """
    pmf, offset = sum_of(noise_pmf(a, c), noise_pmf(b, c), GRID - i, i)
    beside = GRID * block
    cdf = np.concatenate([np.zeros(beside), np.cumsum(pmf), np.full(beside, pmf.sum())])
    best, p = cdf.copy(), max((i - 0.5) / GRID, 0.0)
    for further in range(1, block):
        # of V and the rows that add 1 - theta, without what all rows take away
        cdf[GRID:] = (1 - p) * cdf[GRID:] + p * cdf[:-GRID]
        less = further * i
        best[: len(best) - less] = np.maximum(best[: len(best) - less], cdf[less:])
    return best, offset + beside


class Rows(NamedTuple):
    """A group of rows: the noisy number, the least and the largest true number, and the
    noisy cells of each symbol.
    """

    noisy: int
    least: int
    most: int
    cells: int


def upper_bounds(
    rows: Rows, seen: Whole, cells: Whole, log_level: Matrix, c: float
) -> Matrix:
    """Return upper bounds on probabilities from noisy counts.

    Parameters
    ----------
    rows : Rows
        The group of rows; ``cells`` are all of its noisy cells.
    seen, cells : numpy.ndarray of int, shape (k,)
        Noisy counts of sets of symbols, and how many noisy cells each sums.
    log_level : numpy.ndarray, shape (k, m)
        Logs of error probabilities, falling along a row.
    c : float
        The noise is proportional to exp(-c abs(z)) in each cell.

    Returns
    -------
    numpy.ndarray, shape (k, m)
        For any true number of rows N, the probability that a bound fails and that
        ``rows`` contains N is at most its level. Bounds of smaller levels are at least
        as large.

    Notes
    -----
    The test of p uses T = K~ - theta R where R is the noisy number of rows and theta is
    p rounded. Its p-value is a sum over the binomial of N rows. A block of numbers of
    rows has one sum, over the least of them, with the largest distribution function of
    the noise and the further rows.
    """
    found = np.zeros(log_level.shape)
    undecided = np.ones(len(seen), dtype=bool)
    with np.errstate(divide="ignore"):
        # p-values above it are not rejected
        least = np.log(np.maximum(np.exp(log_level) - TINY, 0.0)) - 1e-9
    noise = 2 * np.exp(-c) / np.expm1(-c) ** 2  # variance of one cell
    # rows that vary together much less than the noise and all rows do: more would widen
    # the bounds, fewer take longer
    width = rows.most - rows.least + 1
    blocks = int(
        np.ceil(
            width
            / max(1.0, FURTHER_NOISE * noise * rows.cells + FURTHER_ROWS * rows.most)
        )
    )
    block = -(-width // blocks)
    for i in range(GRID, -1, -1):
        theta = i / GRID
        here = np.flatnonzero(undecided)
        chance = _chernoff(
            rows, seen[here], cells[here], theta, max(i - 0.5, 0.0) / GRID, c
        )
        here = here[chance > log_level[here].min(axis=1)]
        if not len(here):
            continue
        own = (
            noise
            * (
                (1 - theta) ** 2 * cells[here] + theta**2 * (rows.cells - cells[here])
            ).min()
        )
        p = _points(i, rows.most, float(own))
        log_p_value = np.full((len(p), len(here)), np.log(LEAST))
        of_size = [(int(size), cells[here] == size) for size in np.unique(cells[here])]
        for start in range(rows.least, rows.most + 1, block):
            x, pmf = _binomial(start, p)
            tail = np.empty((len(x), len(here)))
            for size, of in of_size:
                cdf, zero = _largest_cdf(c, size, rows.cells - size, i, block)
                behind, offset = divmod(zero - i * (rows.noisy - start), GRID)
                lattice = np.concatenate([[0.0], cdf[offset::GRID], cdf[-1:]])
                at = seen[here[of]] + (behind + 1) - x[:, None]
                tail[:, of] = lattice[np.minimum(np.maximum(at, 0), len(lattice) - 1)]
            log_p_value = np.maximum(log_p_value, np.log(np.maximum(pmf @ tail, LEAST)))
        found[here] = np.maximum(
            found[here], _crossing(p, rows.most, log_p_value, least[here])
        )
        undecided[here] = (found[here] == 0).any(axis=1)
    return np.maximum.accumulate(found, axis=1)


def _points(i: int, n: int, noise: float) -> Vector:
    """Return the probabilities that are tested in the cell of theta = i / GRID, with
    both ends.
    """
    left, right = max(i - 0.5, 0.0) / GRID, min(i + 0.5, GRID) / GRID
    if 0 < i < GRID:
        spread = np.sqrt(i / GRID * (1 - i / GRID) * max(n, 1))
        step = STEP * np.sqrt(spread * np.hypot(spread, np.sqrt(noise)))
        return np.linspace(
            left, right, 1 + int(np.ceil((right - left) * max(n, 1) / step))
        )
    # the standard deviation falls towards 0 and 1, and the steps with it
    steps = 2 + int(np.ceil(2 / STEP * np.sqrt((right - left) * n)))
    from_end = (right - left) * np.linspace(0.0, 1.0, 1 + steps) ** 2
    return from_end if i == 0 else 1 - from_end[::-1]


def _crossing(p: Vector, n: int, log_p_value: Matrix, least: Matrix) -> Matrix:
    """Return upper bounds on the largest p whose p-value is above each least one, shape
    (k, m); 0 if there is none.

    The p-values fall in p. Their logs less n ln(1 - p) are convex in the log odds of p,
    so that between two points they are at most linear. The logs are then at most a
    concave function, whose tangents cross a level above it.
    """
    # of the points, from the left
    accepted = (log_p_value[:, :, None] > least).sum(axis=0)
    bound = np.where(accepted > 0, p[np.minimum(accepted, len(p) - 1)], 0.0)
    inner = (accepted >= 1 + (p[0] == 0)) & (accepted <= len(p) - 1 - (p[-1] == 1))
    key, _ = np.nonzero(inner)
    if not len(key):
        return bound
    at, wanted = accepted[inner], least[inner]
    with np.errstate(divide="ignore"):
        log_odds = np.log(p) - np.log1p(-p)
        line = log_p_value - n * np.log1p(-p)[:, None]
    first, last, height = log_odds[at - 1], log_odds[at], line[at, key]
    slope = (height - line[at - 1, key]) / (last - first)
    here = last
    for _ in range(TANGENTS):
        share = 1 / (1 + np.exp(-here))
        above = height + slope * (here - last) + n * np.log1p(-share) - wanted
        here = np.maximum(here - above / (slope - n * share), first)
    bound[inner] = 1 / (1 + np.exp(-here))
    return bound


def _binomial(n: int, p: Vector) -> tuple[Whole, Matrix]:
    """Return bins of Bin(n, p) for each p, by their least values; the first stands for
    all below.
    """
    from scipy.special import (  # noqa: PLC0415
        bdtr,
        bdtrc,
        gammaln,
        xlog1py,
        xlogy,
    )

    spread = np.sqrt(n * np.maximum(p * (1 - p), 0.02))
    low, high = (
        max(int(n * p[0] - BELOW * spread[0]) - 12, 0),
        min(int(n * p[-1] + ABOVE * spread[-1]) + 12, n),
    )
    x = np.arange(low, high + 1)
    logs = (
        gammaln(n + 1)
        - gammaln(x + 1)
        - gammaln(n - x + 1)
        + xlogy(x, p[:, None])
        + xlog1py(n - x, -p[:, None])
    )
    middle = p[len(p) // 2]
    starts = np.arange(
        0, len(x), max(int(COARSE * np.sqrt(n * middle * (1 - middle))), 1)
    )
    pmf = np.add.reduceat(np.exp(logs), starts, axis=1)
    pmf[:, -1] += bdtrc(high, n, p)
    return np.append(NOWHERE, x[starts]), np.column_stack(
        [bdtr(low - 1.0, n, p) if low else np.zeros(len(p)), pmf]
    )


def _chernoff(
    rows: Rows, seen: Whole, cells: Whole, theta: float, p: float, c: float
) -> Vector:
    """Return upper bounds on the log of the p-values at p, for any number of rows in
    the interval.
    """
    tilt = TILTS[:, None] * c / max(theta, 1 - theta)
    of_row = tilt * theta + np.log1p(p * np.expm1(-tilt))
    logs = tilt * (seen - theta * rows.noisy) + np.maximum(
        rows.least * of_row, rows.most * of_row
    )
    return np.asarray((logs + _noise_moment(rows, cells, theta, tilt, c)).min(axis=0))


def _noise_moment(
    rows: Rows, cells: Whole, theta: float, tilt: ArrayLike, c: float
) -> Matrix:
    """Return ln E exp(-tilt V) of the noise V of T = K~ - theta R."""
    tilt = np.asarray(tilt)
    return np.asarray(
        cells * _log_moment((1 - theta) * tilt, c)
        + (rows.cells - cells) * _log_moment(theta * tilt, c)
    )


def _log_moment(tilt: Matrix, c: float) -> Matrix:
    """Return ln E exp(tilt Z) of the noise of one cell."""
    return np.asarray(
        2 * np.log(-np.expm1(-c)) - np.log(np.expm1(tilt - c) * np.expm1(-tilt - c))
    )


def chernoff_bounds(
    rows: Rows, seen: Whole, cells: Whole, log_level: Matrix, c: float
) -> Matrix:
    """Return what :func:`upper_bounds` does, in a time that does not depend on the
    number of rows, but wider.

    Chernoff's bound takes the place of the p-value. For each tilt and number of rows,
    the largest p that it does not reject has a closed form, and Chernoff's bound is
    linear in the number of rows, so that the ends of the interval decide.
    """
    found = np.zeros(log_level.shape)
    for i in range(CHERNOFF_GRID, -1, -1):
        theta = i / CHERNOFF_GRID
        left, right = (
            max(i - 0.5, 0.0) / CHERNOFF_GRID,
            min(i + 0.5, CHERNOFF_GRID) / CHERNOFF_GRID,
        )
        here = np.flatnonzero((found == 0).any(axis=1))
        chance = _chernoff(rows, seen[here], cells[here], theta, left, c)
        here = here[chance > log_level[here].min(axis=1)]
        if len(here):
            largest = _largest_kept(
                rows, seen[here], cells[here], log_level[here], theta, c
            )
            inside = np.where(largest > left, np.minimum(largest, right), 0.0)
            found[here] = np.maximum(found[here], inside)
    return np.maximum.accumulate(found, axis=1)


def quick_bounds(
    rows: Rows, seen: Whole, cells: Whole, log_level: Matrix, c: float
) -> Matrix:
    """Return roughly what :func:`upper_bounds` does, without its guarantee, in the time
    of ``chernoff_bounds``.

    Chernoff's bound e^-t on a normal tail is sqrt(4 pi t) times too large. A part of
    that, ``QUICK_SHARE`` in place of 1 / 2, leaves bounds that are more often too large
    than too small.
    """
    lacking = QUICK_SHARE * np.log(4 * np.pi * np.maximum(-log_level, 1.0))
    return chernoff_bounds(
        rows, seen, cells, np.minimum(log_level + lacking, log_level / 2), c
    )


def _largest_kept(
    rows: Rows, seen: Whole, cells: Whole, log_level: Matrix, theta: float, c: float
) -> Matrix:
    """Return the largest p that Chernoff's bound keeps for T = K~ - theta R, for every
    tilt, shape (k, m).
    """
    kept = np.ones(log_level.shape)
    for tilt in TILTS * c / max(theta, 1 - theta):
        known = tilt * (seen - theta * rows.noisy) + _noise_moment(
            rows, cells, theta, tilt, c
        )
        # at most N times ln E of one row, if p is kept
        of_rows = log_level - 1e-9 - known[:, None]
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            of_row = np.minimum(of_rows / rows.least, of_rows / rows.most)
            largest = np.expm1(of_row - tilt * theta) / np.expm1(-tilt)
        kept = np.fmin(kept, largest)  # NaN, of no rows, bounds nothing
    return kept
