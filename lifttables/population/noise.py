"""Two-sided geometric noise, and exact confidence bounds on probabilities from noisy counts.

A noisy count of a set of cells is K~ = K + Z, where K counts the rows and Z is the sum of the noise of the cells. The
bounds are those of the theorem on noisy counts in the chapter on the population, whose names this module follows.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Uniform
from lifttables.population.binomial import clopper_pearson
from mixproof.numerics import Matrix, Vector

Whole = NDArray[np.int64]

GRID = 64  # theta, which is p rounded, is a multiple of 1 / GRID
STEP = 0.03  # distance of the probabilities that are tested, in standard deviations of the noisy share
COARSE = 0.05  # width of the bins of rows, in standard deviations; one row if that is more
REACH = 8.3  # standard deviations of rows that are summed; what lies beyond is bounded and added
TINY = 1e-16  # probability of noise that is cut off and of rounding; it is added to each p-value
FURTHER_NOISE, FURTHER_ROWS = 0.2, 0.005  # size of a block of numbers of rows, by the noise and by the rows
WIDE_ROWS = 20_000  # rows of a group from which the noise is bounded separately, by ``WIDE_SHARE`` of each level
WIDE_SHARE = 0.05
TILTS = np.geomspace(0.01, 0.95, 16)  # of Chernoff's bound, as shares of the largest possible one
BISECTIONS = 45


def geometric_noise(shape: tuple[int, ...], c: float, rng: Uniform) -> Whole:
    """Return two-sided geometric noise: P(Z = z) is proportional to exp(-c abs(z)) (Ghosh et al. 2012).

    It is the difference of two geometric numbers, of which P(G >= k) = e^(-c k), from uniform ones.
    """
    first, second = (np.floor(np.log1p(-rng.random(int(np.prod(shape)))) / -c) for _ in range(2))
    return np.asarray(first - second, dtype=np.int64).reshape(shape)


@lru_cache(maxsize=256)
def noise_pmf(cells: int, c: float) -> Vector:
    """Return P(Z = z) for the sum of the noise of some cells, shape (2 m + 1,), centred at z = 0.

    All terms of the convolution are positive, so that it is exact up to rounding. At most ``TINY`` is cut off.

    >>> pmf = noise_pmf(1, 1.0)
    >>> pmf[len(pmf) // 2 :][:3].round(4).tolist()
    [0.4621, 0.17, 0.0625]
    """
    from scipy.special import gammaln  # noqa: PLC0415 - see clopper_pearson

    if not cells:
        return np.ones(1)
    most = int((46 + 6 * np.log(46 + cells) + cells * np.log(cells + 1.0)) / c) + 4
    j = np.arange(most + 1)
    half = np.exp(gammaln(j + cells) - gammaln(cells) - gammaln(j + 1) + cells * np.log(-np.expm1(-c)) - c * j)
    full = np.convolve(half, half[::-1])
    cut = min(int(np.flatnonzero(np.cumsum(full) > TINY / 4)[0]), most)
    return np.asarray(full[cut : len(full) - cut])


def sum_of(first: Vector, second: Vector, times: int, less: int) -> tuple[Vector, int]:
    """Return the distribution of times Z - less W, of two centred distributions, and its offset."""
    z, w = (np.arange(len(of)) - len(of) // 2 for of in (first, second))
    values = times * z[:, None] - less * w
    offset = -int(values.min())
    return np.asarray(np.bincount((values + offset).ravel(), np.outer(first, second).ravel())), offset


@lru_cache(maxsize=2048)
def _largest_cdf(c: float, a: int, b: int, i: int, block: int) -> tuple[Vector, int]:
    """Return the largest P(V + further rows <= x) over up to ``block`` - 1 further rows, and the index of x = 0.

    V = (1 - theta) Z - theta W with theta = i / GRID. Each further row adds 1 - theta with the smallest probability in
    the cell of theta, and - theta otherwise. The index is of x GRID.
    """
    pmf, offset = sum_of(noise_pmf(a, c), noise_pmf(b, c), GRID - i, i)
    below, above = GRID * block, GRID * block
    cdf = np.concatenate([np.zeros(below), np.cumsum(pmf), np.full(above, pmf.sum())])
    best, p = cdf, max((i - 0.5) / GRID, 0.0)
    for _ in range(block - 1):
        lost, gained = np.concatenate([cdf[i:], np.full(i, cdf[-1])]), np.zeros_like(cdf)
        gained[GRID - i :] = cdf[: len(cdf) - (GRID - i)]
        cdf = (1 - p) * lost + p * gained
        best = np.maximum(best, cdf)
    return best, offset + below


class Rows(NamedTuple):
    """A group of rows: the noisy number, the least and the largest true number, and the noisy cells of each symbol."""

    noisy: int
    least: int
    most: int
    cells: int


def upper_bounds(rows: Rows, seen: Whole, cells: Whole, log_level: Matrix, c: float, *, fast: bool = False) -> Matrix:
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
    fast : bool, keyword-only
        Whether to bound the noise separately, as for more than ``WIDE_ROWS`` rows: the bounds are wider.

    Returns
    -------
    numpy.ndarray, shape (k, m)
        For any true number of rows N, the probability that a bound fails and that ``rows`` contains N is at most its
        level. Bounds of smaller levels are at least as large.

    Notes
    -----
    The test of p uses T = K~ - theta R where R is the noisy number of rows and theta is p rounded. Its p-value is a sum
    over the binomial of N rows. A block of numbers of rows has one sum, over the least of them, with the largest
    distribution function of the noise and the further rows.
    """
    if fast or rows.most > WIDE_ROWS:
        return _wide(rows, seen, cells, log_level, c)
    found = np.zeros(log_level.shape)
    undecided = np.ones(len(seen), dtype=bool)
    alpha = np.exp(log_level)
    noise = 2 * np.exp(-c) / np.expm1(-c) ** 2  # variance of one cell
    # rows that vary together much less than the noise and all rows do: more would widen the bounds, fewer take longer
    width = rows.most - rows.least + 1
    blocks = int(np.ceil(width / max(1.0, FURTHER_NOISE * noise * rows.cells + FURTHER_ROWS * rows.most)))
    block = -(-width // blocks)
    starts = range(rows.least, rows.most + 1, block)
    for i in range(GRID, -1, -1):
        theta = i / GRID
        left, right = max(theta - 0.5 / GRID, 0.0), min(theta + 0.5 / GRID, 1.0)
        here = np.flatnonzero(undecided)
        here = here[_chernoff(rows, seen[here], cells[here], i, left, c) > log_level[here].min(axis=1)]
        if not len(here):
            continue
        middle = np.clip(theta, 0.25 / GRID, 1 - 0.25 / GRID)
        spread = np.sqrt(middle * (1 - middle) * max(rows.most, 1))
        own = noise * ((1 - theta) ** 2 * cells[here] + theta**2 * (rows.cells - cells[here])).min()
        steps = max(int(np.ceil((right - left) * max(rows.most, 1) / (STEP * np.hypot(spread, np.sqrt(own))))), 2)
        p = np.linspace(left, right, steps + 1)
        tested = np.zeros((len(p), len(here)))
        for start in starts:
            x, pmf, cut = _binomial(start, p, max(int(COARSE * spread), 1))
            tail = np.empty((len(x), len(here)))
            for size in np.unique(cells[here]):
                of = cells[here] == size
                cdf, zero = _largest_cdf(c, int(size), int(rows.cells - size), i, block)
                at = GRID * (seen[here][of] - x[:, None]) - i * (rows.noisy - start) + zero
                tail[:, of] = np.where(at < 0, 0.0, cdf[np.clip(at, 0, len(cdf) - 1)])
            tested = np.maximum(tested, pmf @ tail + cut)
        tested = tested * (1 + 1e-9) + TINY
        accepted = (tested[:, :, None] > alpha[here]).sum(axis=0)  # of the points, from the left
        bound = np.where(accepted > 0, p[np.minimum(accepted, steps)], 0.0)
        found[here] = np.maximum(found[here], bound)
        undecided[here] = (found[here] == 0).any(axis=1)
    return found


def _binomial(n: int, p: Vector, width: int) -> tuple[Whole, Matrix, float]:
    """Return bins of Bin(n, p) for each p, by their least values, and a bound on what is left out."""
    from scipy.special import gammaln, xlog1py, xlogy  # noqa: PLC0415 - see clopper_pearson

    ends = p[0], p[-1]
    left, right = (REACH * np.sqrt(n * max(e * (1 - e), 0.02)) + 12 for e in ends)
    low, high = max(int(n * ends[0] - left), 0), min(int(n * ends[1] + right), n)
    x = np.arange(low, high + 1)
    logs = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1) + xlogy(x, p[:, None]) + xlog1py(n - x, -p[:, None])
    starts = np.arange(0, len(x), width)
    pmf = np.add.reduceat(np.exp(logs), starts, axis=1)
    cut = float(np.exp(-n * _divergence(low / n, ends[0]))) if low > 0 else 0.0
    cut += float(np.exp(-n * _divergence(high / n, ends[1]))) if high < n else 0.0
    return x[starts], pmf, cut


def _divergence(x: float, p: float) -> float:
    from scipy.special import rel_entr  # noqa: PLC0415 - see clopper_pearson

    return float(rel_entr(x, p) + rel_entr(1 - x, 1 - p))


def _chernoff(rows: Rows, seen: Whole, cells: Whole, i: int, p: float, c: float) -> Vector:
    """Return upper bounds on the log of the p-values at p, for any number of rows in the interval."""
    theta = i / GRID
    tilt = TILTS[:, None] * c / max(theta, 1 - theta)
    of_rows = tilt * theta + np.log1p(p * np.expm1(-tilt))
    logs = tilt * (seen - theta * rows.noisy) + np.maximum(rows.least * of_rows, rows.most * of_rows)
    noise = [times * _log_moment(share * tilt, c) for times, share in ((cells, 1 - theta), (rows.cells - cells, theta))]
    return np.asarray((logs + noise[0] + noise[1]).min(axis=0))


def _log_moment(tilt: Matrix, c: float) -> Matrix:
    """Return ln E exp(tilt Z) of the noise of one cell."""
    return np.asarray(2 * np.log(-np.expm1(-c)) - np.log(np.expm1(tilt - c) * np.expm1(-tilt - c)))


def _wide(rows: Rows, seen: Whole, cells: Whole, log_level: Matrix, c: float) -> Matrix:
    """Return bounds for many rows, to which noise matters little: it gets a share of each level."""
    found = np.empty(log_level.shape)
    for size in np.unique(cells):
        of = cells == size
        level, k = log_level[of], seen[of, None]
        out, rest = (_quantiles(part, c, np.log(WIDE_SHARE) + level) for part in (int(size), int(rows.cells - size)))
        successes, failures = np.maximum(k + out, 0), np.maximum(rows.noisy - k - rest, 0)
        _, upper = clopper_pearson(successes, successes + failures, level + np.log1p(-2 * WIDE_SHARE), lower=False)
        found[of] = np.maximum.accumulate(upper, axis=1)
    return found


def _quantiles(cells: int, c: float, log_level: Matrix) -> Matrix:
    """Return the least h with P(Z > h) <= level, for the noise of some cells."""
    pmf = noise_pmf(cells, c)
    beyond = np.cumsum(pmf[::-1])[::-1]  # P(Z >= z)
    at = np.searchsorted(-beyond, -np.exp(log_level) + TINY, side="left")
    return np.asarray(at - 1 - len(pmf) // 2, dtype=np.float64)
