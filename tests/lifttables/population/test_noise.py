"""Bounds from noisy counts, against enumeration of every table and all noise."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from lifttables.population.binomial import clopper_pearson
from lifttables.population.noise import (
    C_STEPS,
    CHERNOFF_GRID,
    GRID,
    UNIFORM_STEPS,
    Rows,
    _crossing,
    _largest_cdf,
    chernoff_bounds,
    geometric_noise,
    noise_pmf,
    sum_of,
    upper_bounds,
)

LEVELS = np.array([-0.7, -2.0, -4.0, -7.0, -12.0, -20.0])
# of the cells of theta
ENDS = np.concatenate(
    [(np.arange(size) + 0.5) / size for size in (GRID, CHERNOFF_GRID)]
)
SHARES = np.unique(
    np.concatenate([np.linspace(0.003, 0.997, 72), ENDS, ENDS[:4] + 1e-6])
)
SETTINGS = list(
    itertools.product(
        (0.5, 1.0, 2.0), ((1, 1), (1, 3), (3, 1), (2, 4), (3, 9)), (0, 2, 9, 25, 60)
    )
)
QUICK = [
    (0.5, (1, 1), 9),
    (1.0, (1, 3), 25),
    (1.0, (2, 4), 2),
    (2.0, (3, 1), 60),
    (2.0, (3, 9), 0),
]


def missed(c, cells, n, bounds_of=upper_bounds):
    """The largest P(bound < p and n in the interval) / level over all p, by enumerating
    K and both sums of noise.
    """
    a, b = cells
    inside, outside = noise_pmf(a, c), noise_pmf(b, c)
    of_sum = np.convolve(inside, outside)
    reach_in, reach_out, reach = len(inside) // 2, len(outside) // 2, len(of_sum) // 2
    sums = np.flatnonzero(of_sum > 1e-12) - reach
    # a sum further away counts as outside the interval, as its error probability does
    width = int(3.3 * np.sqrt(2 * np.exp(-c) / np.expm1(-c) ** 2 * (a + b))) + 1
    binomial = stats.binom.pmf(np.arange(n + 1), n, SHARES[:, None])
    miss = np.zeros((len(SHARES), len(LEVELS)))
    for u in sums[np.abs(sums) <= width]:
        z = np.arange(-reach_in, reach_in + 1)
        w = u - z
        part = inside * np.where(
            np.abs(w) <= reach_out,
            outside[np.clip(w + reach_out, 0, 2 * reach_out)],
            0.0,
        )
        z, part = z[part > 1e-16], part[part > 1e-16]
        seen = np.arange(z[0], z[-1] + n + 1)
        shifts = np.zeros(z[-1] - z[0] + 1)
        shifts[z - z[0]] = part
        rows = Rows(n + u, max(n + u - width, 0), max(n + u + width, 0), a + b)
        levels = np.broadcast_to(LEVELS, (len(seen), len(LEVELS)))
        bounds = bounds_of(rows, seen, np.full(len(seen), a), levels, c)
        assert (np.diff(bounds, axis=1) >= 0).all()  # nested, as the staircase needs
        for at, p in enumerate(SHARES):
            miss[at] += np.convolve(shifts, binomial[at]) @ (p > bounds)
    return (miss / np.exp(LEVELS)).max(axis=0)


@pytest.mark.parametrize(("c", "cells", "n"), QUICK, ids=str)
def test_no_bound_fails_more_often_than_its_level(c, cells, n):
    assert (missed(c, cells, n) <= 1).all()


@pytest.mark.slow
def test_no_bound_fails_more_often_in_all_settings():
    found = np.array([missed(*setting) for setting in SETTINGS])
    assert (found <= 1).all()
    # nearly exhausted: the bounds are sharp for their statistic
    assert found[:, :3].max() > 0.9


def p_value(rows, seen, c, cells, p):
    """The largest P(K~ - theta R <= what was seen) over the numbers of rows, from the
    definition: a sum over the noise inside and outside, and over K.
    """
    theta = np.floor(p * GRID + 0.5) / GRID
    noise = [noise_pmf(size, c) for size in cells]
    z, w = (np.arange(len(of)) - len(of) // 2 for of in noise)
    # of K~ - theta R = K + (1 - theta) Z - theta W - theta n
    of_noise = (1 - theta) * z[:, None] - theta * w
    chance = np.outer(*noise)
    largest = 0.0
    for n in range(rows.least, rows.most + 1):
        found = 0.0
        for k in range(n + 1):
            kept = k + of_noise - theta * n <= seen - theta * rows.noisy + 1e-9
            found += stats.binom.pmf(k, n, p) * chance[kept].sum()
        largest = max(largest, found)
    return largest


@pytest.mark.parametrize(
    ("c", "cells", "rows", "seen"),
    [
        (2.0, (1, 1), Rows(9, 9, 9, 2), 3),
        (2.0, (1, 3), Rows(12, 10, 13, 4), 0),
        (1.0, (2, 4), Rows(25, 25, 25, 6), 14),
        (1.0, (1, 2), Rows(20, 18, 22, 3), -2),
    ],
    ids=str,
)
def test_a_bound_is_the_largest_share_whose_p_value_is_above_its_level(
    c, cells, rows, seen
):
    levels = np.array([[-1.0, -3.0, -6.0]])
    found = upper_bounds(rows, np.array([seen]), np.array(cells[:1]), levels, c)[0]
    shares = np.linspace(0.005, 0.995, 100)
    by_loops = np.array([p_value(rows, seen, c, cells, p) for p in shares])
    for bound, level in zip(found, np.exp(levels[0]), strict=True):
        largest = shares[by_loops > level].max(initial=0.0)
        # the shares are .01 apart, and blocks of rows may widen it a little
        assert largest <= bound <= largest + 0.02


@pytest.mark.parametrize(("c", "cells", "n"), [*QUICK[:3], (2.0, (3, 1), 9)], ids=str)
def test_nor_does_one_by_chernoffs_bound(c, cells, n):
    assert (missed(c, cells, n, chernoff_bounds) <= 1).all()


@pytest.mark.parametrize(
    ("n", "c"), [(1_000, 1.0), (30_000, 0.3), (1_000_000, 0.1), (10_000_000, 1.0)]
)
def test_chernoffs_bound_is_nearly_that_of_exact_counts_if_there_are_many_rows(n, c):
    shares = np.array([0.0, 0.001, 0.02, 0.3, 0.5, 0.9, 1.0])
    seen = np.round(shares * n).astype(np.int64)
    levels = np.full((len(seen), 1), -8.0)
    found = chernoff_bounds(Rows(n, n, n, 4), seen, np.full(len(seen), 2), levels, c)[
        :, 0
    ]
    exact = clopper_pearson(seen, n, levels[:, 0])[1]
    # the noise has a standard deviation of about 2 / c rows, and both are bounded
    # beyond 4 standard deviations
    apart = 0.25 * (exact - shares) + 4 * 2 / c / n * 2
    assert (found >= exact - 1e-12).all()
    assert (found <= exact + apart).all()


@pytest.mark.parametrize(
    ("p", "log_p_value", "bound"),
    [
        ([0.0, 0.1, 0.2], [-1.0, -5.0, -9.0], 0.1),
        ([0.8, 0.9, 1.0], [-1.0, -2.0, -9.0], 1.0),
        ([0.8, 0.9, 1.0], [-1.0, -1.5, -2.0], 1.0),
        ([0.3, 0.4, 0.5], [-5.0, -6.0, -7.0], 0.0),
    ],
)
def test_at_the_ends_a_bound_is_the_first_share_that_is_rejected(p, log_p_value, bound):
    """What lies between it and the last that is not rejected may not be."""
    column = np.array(log_p_value)[:, None]
    found = _crossing(np.array(p), 50, column, np.array([[-3.0]]))
    assert found.tolist() == [[bound]]


@pytest.mark.parametrize("levels", [-2.0, LEVELS])
def test_an_empty_group_has_no_bound_but_one(levels):
    levels = np.broadcast_to(levels, (1, np.size(levels)))
    for bounds in (upper_bounds, chernoff_bounds):
        assert (
            bounds(Rows(0, 0, 0, 4), np.zeros(1, np.int64), np.full(1, 2), levels, 1.0)
            == 1
        ).all()


@pytest.mark.parametrize("c", [0.05, 0.7, math.log(2), 3.0])
def test_the_noise_is_exact(c):
    """A chi-square test of each value and of both tails, with a p-value above 1e-6."""
    n = 100_000
    drawn = geometric_noise((n,), c, np.random.default_rng(5))
    most = int(4 / c) + 1
    values = np.arange(-most, most + 1)
    chance = np.tanh(c / 2) * np.exp(-c * np.abs(values))
    tail = (1 - chance.sum()) / 2
    expected = n * np.concatenate([[tail], chance, [tail]])
    found = [
        (drawn < -most).sum(),
        *[(drawn == z).sum() for z in values],
        (drawn > most).sum(),
    ]
    assert stats.chisquare(found, expected).pvalue > 1e-6


class Scripted:
    """Gives the numbers of a list, in turn."""

    def __init__(self, numbers):
        self.numbers = list(numbers)

    def random(self, size):
        given, self.numbers = self.numbers[:size], self.numbers[size:]
        return np.array(given)


def test_a_far_value_can_occur():
    """Its whole part is the number of successes, without a limit; the sampler from
    floats ended at 36 / c.
    """
    happens, fails = 0.0, {k: (k * C_STEPS - 1) / UNIFORM_STEPS for k in (1, 2, 3)}
    # exp(-1) is true if k = 3, which is odd, is the first to fail
    once = [happens, happens, fails[3]]
    never = [happens, fails[2]]
    positive = 0.0
    script = Scripted([0.0, fails[1], *(once * 50), *never, positive])
    assert geometric_noise((1,), 1.0, script).tolist() == [50]


def test_the_noise_of_several_cells_is_a_sum():
    one = np.tanh(0.35) * np.exp(-0.7 * np.abs(np.arange(-80, 81)))
    pmf, three = noise_pmf(3, 0.7), np.convolve(np.convolve(one, one), one)
    middle = len(pmf) // 2
    assert pmf[middle - 30 : middle + 31] == pytest.approx(
        three[210:271], rel=1e-10, abs=0
    )


@pytest.mark.parametrize(("cells", "c"), [(40, 0.3), (300, 1.0), (5700, 1.0)])
def test_the_noise_of_many_cells_has_the_law_of_its_characteristic_function(cells, c):
    angle = 2 * np.pi * np.arange(2**13) / 2**13
    of_one = np.expm1(-c) ** 2 / np.abs(1 - np.exp(-c - 1j * angle)) ** 2
    expected = np.fft.fftshift(np.fft.ifft(of_one**cells).real)
    pmf = noise_pmf(cells, c)
    reach = len(pmf) // 2
    inside = expected[2**12 - reach : 2**12 + reach + 1]
    # the power of each value is rounded to within cells * 1e-16 of itself
    assert pmf == pytest.approx(inside, rel=1e-9, abs=1e-14)
    assert pmf.sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(("times", "less"), [(8, 0), (5, 3), (1, 7), (0, 8)])
def test_a_weighted_sum_of_two_noises_is_enumerated(times, less):
    first, second = noise_pmf(1, 2.0), noise_pmf(2, 3.0)
    found, offset = sum_of(first, second, times, less)
    expected = np.zeros(len(found))
    for z, of_z in enumerate(first, -(len(first) // 2)):
        for w, of_w in enumerate(second, -(len(second) // 2)):
            expected[times * z - less * w + offset] += of_z * of_w
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_the_largest_distribution_function_is_enumerated():
    """P(V + D <= x / GRID), by both sums of noise and the number of further rows that
    add 1 - theta, for each number of further rows.
    """
    rng = np.random.default_rng(31)
    for _ in range(60):
        c, a, b = rng.uniform(2.5, 5.0), rng.integers(1, 4), rng.integers(0, 4)
        i, block = int(rng.integers(0, GRID + 1)), int(rng.integers(1, 6))
        found, zero = _largest_cdf(c, int(a), int(b), i, block)
        noises = noise_pmf(a, c), noise_pmf(b, c)
        z, w = (np.arange(len(of)) - len(of) // 2 for of in noises)
        of_noise, chance = (GRID - i) * z[:, None] - i * w, np.outer(*noises)
        p = max(Fraction(2 * i - 1, 2 * GRID), Fraction(0))
        for at in rng.integers(0, len(found), 20):
            chances = []
            for further in range(block):
                of_rows = [
                    math.comb(further, k)
                    * float(p**k * (1 - p) ** (further - k))
                    * chance[of_noise + GRID * k - i * further <= at - zero].sum()
                    for k in range(further + 1)
                ]
                chances.append(sum(of_rows))
            assert found[at] == pytest.approx(max(chances), rel=1e-11, abs=0)


def test_almost_no_noise_gives_the_bounds_of_exact_counts():
    seen = np.array([0, 3, 50, 97, 100])
    levels = np.log(np.full((5, 1), 0.01))
    found = upper_bounds(Rows(100, 100, 100, 8), seen, np.full(5, 4), levels, 40.0)[
        :, 0
    ]
    exact = clopper_pearson(seen, 100, levels[:, 0])[1]
    assert (found >= exact - 1e-9).all()
    assert found == pytest.approx(exact, abs=0.004)


def test_larger_counts_and_smaller_levels_give_larger_bounds():
    seen = np.arange(-6, 60)
    levels = np.broadcast_to(LEVELS, (len(seen), len(LEVELS)))
    found = upper_bounds(Rows(50, 40, 61, 6), seen, np.full(len(seen), 2), levels, 1.0)
    assert (np.diff(found, axis=0) >= 0).all()
    assert (np.diff(found, axis=1) >= 0).all()
    assert ((found >= 0) & (found <= 1)).all()
