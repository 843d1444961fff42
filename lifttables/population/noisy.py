"""A table of noisy counts, with bounds that allow for the noise as well as for the
sampling.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from liftlib.channel import Partition
from liftlib.errors import InvalidParameter, shown
from liftlib.notions import Ratios
from lifttables.population.binomial import fisher_levels
from lifttables.population.differences import Misses, misses_of, pairs_of
from lifttables.population.noise import (
    TINY,
    Rows,
    Whole,
    chernoff_bounds,
    noise_pmf,
    quick_bounds,
    sum_of,
    upper_bounds,
)
from lifttables.population.sample import UNSEEN_WEIGHT, Sample, insides
from mixproof.numerics import Mask, Matrix, Vector, as_matrix, check_count, check_scalar

# of [0, 1], for a bound on a probability; the upper end is a bound after any number
BISECTIONS = 30
# share of the probability of error that is reserved for the numbers of rows with each
# secret
ROWS_SHARE = 0.03
# above it, floats are no longer all whole numbers
MOST_COUNT = 2.0**53
# largest number of rows of a group that is tested exactly; more are by Chernoff's bound
MANY_ROWS = 20_000


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """Noisy counts of a table, from which everything that is published about it may be
    computed.

    Attributes
    ----------
    table : numpy.ndarray, shape (S, X)
    rows : int
        The number of rows, without noise.
    c : float
        The noise of each cell is proportional to exp(-c abs(z)).
    choosers : numpy.ndarray, shape (S, X), or None
        Noisy counts of other rows of the table, which choose blocks of many symbols.
    """

    table: Matrix
    rows: int
    c: float
    choosers: Matrix | None = None

    @property
    def insider(self) -> float:
        """By how much all the noisy counts move the log odds of somebody who knows all
        rows but one.

        A row with other values changes two cells by 1.
        """
        return 2 * self.c

    def sample(self, confidence: float, chosen: float = 0.0) -> Sample:
        """Return the sample for statements about the population; designs that are tried
        share its bounds.
        """
        key = (confidence, chosen)
        if key not in self._samples:
            self._samples[key] = NoisySample(
                self.table,
                self.rows,
                self.c,
                confidence,
                chosen,
                choosers=self.choosers,
            )
        return self._samples[key]

    @cached_property
    def _samples(self) -> dict[tuple[float, float], Sample]:
        return {}

    def content(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        choosers = None if self.choosers is None else self.choosers.tolist()
        return {
            "rows": self.rows,
            "c": self.c,
            "table": self.table.tolist(),
            "choosers": choosers,
        }

    @classmethod
    def from_content(cls, content: Any) -> NoisyCounts:
        """Return the counts from JSON values; raise an error if they are invalid."""
        table, choosers = as_matrix("table", content["table"]), content["choosers"]
        if choosers is not None:
            choosers = as_matrix("choosers", choosers)
        if not all(
            (np.abs(one) < MOST_COUNT).all()
            for one in (table, choosers)
            if one is not None
        ):
            raise InvalidParameter(f"a noisy count is not below {MOST_COUNT:g}")
        found = cls(table, content["rows"], content["c"], choosers)
        found.sample(0.5)  # checks them
        return found


class NoisySample(Sample):
    """Noisy counts of i.i.d. rows from P_SX, with the confidence of statements about
    P_SX.

    Parameters
    ----------
    noisy : array_like, shape (S, X)
        Each number of rows plus two-sided geometric noise: whole numbers, some perhaps
        negative. The alphabets must be public, that is, given before the rows were
        seen.
    rows : int
        The number of rows, which is public.
    c : float
        Above 0. The noise Z of each cell is independent with P(Z = z) proportional to
        exp(-c abs(z)).
    confidence, chosen : float
        As for :class:`~lifttables.population.sample.Sample`; the probability is over
        the sampling and the noise.
    cells : array_like of int, shape (X,), optional
        How many noisy cells each symbol sums, if symbols were merged; 1 each by
        default.
    choosers : array_like, shape (S, X), optional
        Noisy counts of other rows, which choose blocks of many symbols.

    Raises
    ------
    InvalidDistribution, InvalidParameter
        If a count is not a whole number, or another parameter is out of its range.

    Notes
    -----
    The bounds are exact: see :func:`~lifttables.population.noise.upper_bounds`.
    Whatever is computed from a sample is a function of the noisy counts and the number
    of rows, and so reveals no more than they do.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> sample = NoisySample([[401, 598], [301, 703]], 2000, 1.0)
    >>> [bool(sample.satisfied(LIP(eps), [[True, False]])[0]) for eps in (0.2, 0.7)]
    [False, True]
    """

    n: int
    c: float
    cells_of: Whole
    choosers: Matrix | None
    quick: bool = False

    def __init__(
        self,
        noisy: ArrayLike,
        rows: int,
        c: float,
        confidence: float = 0.95,
        chosen: float = 0.0,
        cells: ArrayLike | None = None,
        choosers: ArrayLike | None = None,
    ):
        table = as_matrix("noisy", noisy)
        super().__init__(
            np.abs(table) if table.any() else np.ones_like(table), confidence, chosen
        )
        table.flags.writeable = False
        budget = check_scalar("c", c, finite=True, open_low=True)
        of = (
            np.ones(table.shape[1], dtype=np.int64)
            if cells is None
            else np.asarray(cells, dtype=np.int64)
        )
        if of.shape != table.shape[1:] or (of < 1).any():
            raise InvalidParameter(
                f"cells is {shown(cells)}: give at least 1 for each of the"
                f" {table.shape[1]} symbols"
            )
        some = None if choosers is None else as_matrix("choosers", choosers)
        values = {
            "counts": table,
            "n": check_count("rows", rows),
            "c": budget,
            "cells_of": of,
            "choosers": some,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.n

    @property
    def estimate(self) -> Matrix:
        """Positive estimates of the numbers of rows, shape (S, X), for designs; no
        bound depends on them.
        """
        return np.maximum(self.counts, UNSEEN_WEIGHT)

    def scaled(self, times: float) -> Self:
        """Return what ``times`` the rows with the same shares might give, with quick
        bounds.
        """
        return self._like(
            np.round(times * self.counts),
            rows=max(1, round(times * self.n)),
            quick=True,
        )

    @property
    def trusted(self) -> Self:
        """The sample with quick bounds."""
        return self._like(self.counts, quick=True)

    def merged(self, blocks: Partition) -> Self:
        """Return the sample over blocks of symbols."""
        return self._like(
            self._summed(blocks),
            cells=[int(self.cells_of[list(block)].sum()) for block in blocks],
        )

    def split(
        self,
        rng: int | np.random.Generator,  # noqa: ARG002 - the rows were split before
    ) -> tuple[Matrix, Self]:
        """Return the noisy counts that choose blocks, and the sample itself."""
        if self.choosers is None:
            raise InvalidParameter(
                f"there are {self.n_public} symbols and no noisy counts to merge them"
                " by: give some of other rows (choosers)"
            )
        return np.maximum(self.choosers, 0.0), self

    def _like(
        self,
        counts: Matrix,
        rows: int | None = None,
        cells: ArrayLike | None = None,
        *,
        quick: bool = False,
    ) -> Self:
        like = type(self)(
            counts,
            self.n if rows is None else rows,
            self.c,
            self.confidence,
            self.chosen,
            self.cells_of if cells is None else cells,
            self.choosers if counts.shape == self.counts.shape else None,
        )
        object.__setattr__(like, "quick", self.quick or quick)
        return like

    @cached_property
    def _seen_rows(self) -> Whole:
        """S times an estimate of the number of rows with each secret, from all noisy
        counts and n, shape (S,).
        """
        return np.asarray(
            self.n_secret * self.counts.sum(axis=1) - (self.counts.sum() - self.n),
            dtype=np.int64,
        )

    @cached_property
    def groups(self) -> tuple[Rows, ...]:
        """The rows with each secret and, in the same order, all others; then all rows.

        All the intervals hold together except with probability ``ROWS_SHARE`` (1 -
        confidence) exp(-chosen).
        """
        # each of the designs among which the counts choose has intervals of its own
        share = np.log(ROWS_SHARE) + np.log1p(-self.confidence) - self.chosen
        of_secret = float(share - np.log(self.n_secret))
        width = most_error_of_rows(
            int(self.cells_of.sum()), self.n_secret, self.c, of_secret
        )
        least = np.clip(-(-(self._seen_rows - width) // self.n_secret), 0, self.n)
        most = np.clip((self._seen_rows + width) // self.n_secret, least, self.n)
        noisy, cells = (
            self.counts.sum(axis=1).astype(np.int64),
            int(self.cells_of.sum()),
        )
        whole, every = int(noisy.sum()), cells * self.n_secret
        own = [
            Rows(int(r), int(low), int(high), cells)
            for r, low, high in zip(noisy, least, most, strict=True)
        ]
        others = [
            Rows(whole - int(r), self.n - int(high), self.n - int(low), every - cells)
            for r, low, high in zip(noisy, least, most, strict=True)
        ]
        return (*own, *others, Rows(whole, self.n, self.n, every))

    @cached_property
    def prior(self) -> tuple[Vector, Vector]:
        """Lower and upper bounds on P(s), each of shape (S,)."""
        if self.n_secret == 1:
            return np.ones(1), np.ones(1)
        level = self._level(self._log_part - np.log(2 * self.n_secret))
        return _prior(
            tuple(self._seen_rows.tolist()),
            self.n,
            int(self.cells_of.sum()),
            self.c,
            level,
        )

    def _level(self, log_level: float) -> float:
        """Return a level after the share for the numbers of rows and the choice of
        symbols.
        """
        return float(log_level + np.log1p(-ROWS_SHARE) - self.chosen)

    def _upper(self, group: int, member: Mask, log_level: Matrix) -> Matrix:
        """Return upper bounds for subsets, shape (m, levels), computing each of those
        that take long only once.
        """
        own = {0: 1, 1: self.n_secret - 1, 2: self.n_secret}[group // self.n_secret]
        total = self.counts.sum(axis=0)
        table = np.vstack([self.counts, total - self.counts, total])[group]
        seen, cells = (
            (member @ table).astype(np.int64),
            own * np.asarray(member @ self.cells_of, dtype=np.int64),
        )
        rows = self.groups[group]
        # the levels of a row follow from the first one
        keys, first, place = np.unique(
            np.column_stack([seen, cells, log_level[:, 0]]),
            axis=0,
            return_index=True,
            return_inverse=True,
        )
        known = self._known.setdefault((group, log_level.shape[1]), {})
        named = list(map(tuple, keys.tolist()))
        new = [at for at, key in enumerate(named) if key not in known]
        if new:
            at = first[new]
            found = self._computed(rows, seen[at], cells[at], log_level[at])
            known.update(zip((named[i] for i in new), found, strict=True))
        bounds = np.array([known[key] for key in named]).reshape(
            len(named), log_level.shape[1]
        )
        return np.asarray(bounds[place.ravel()])

    def _computed(
        self, rows: Rows, seen: Whole, cells: Whole, log_level: Matrix
    ) -> Matrix:
        """Return upper bounds from a test of each number of rows, exact for some and
        Chernoff's for others.

        The number that is tested decides, not the noisy one that was seen, so that each
        has one test.
        """
        few = (
            rows._replace(most=min(rows.most, MANY_ROWS)),
            quick_bounds if self.quick else upper_bounds,
        )
        many = rows._replace(least=max(rows.least, MANY_ROWS + 1)), chernoff_bounds
        found = np.zeros(log_level.shape)
        for part, bounds in (few, many):
            if part.least <= part.most:
                found = np.maximum(found, bounds(part, seen, cells, log_level, self.c))
        return found

    @cached_property
    def _known(self) -> dict[tuple[int, int], dict[tuple[float, ...], Vector]]:
        """Bounds that were computed, by group of rows and number of levels."""
        return {}

    def differences(self, ratios: Ratios, member: ArrayLike) -> Misses:
        """Return upper bounds on P(A|a) e^-budget - P(A|b), as in ``Sample``."""
        inside = insides(member, self.n_public)
        levels = fisher_levels(self._pair_level(ratios, inside) + np.log1p(-ROWS_SHARE))
        size = inside.sum(axis=1)
        partly = (size > 0) & (size < self.n_public)

        @cache
        def bounds(group: int) -> tuple[Matrix, Matrix]:
            both = np.zeros((2, len(inside), levels.shape[1]))
            twice = np.vstack([inside[partly], ~inside[partly]])
            found = self._upper(
                group, twice, np.vstack([levels[partly], levels[partly]])
            )
            both[:, partly] = found.reshape(2, -1, levels.shape[1])
            return both[0], both[1]

        return misses_of(
            list(pairs_of(ratios, self.prior)), bounds, size, self.n_public
        )


@lru_cache(maxsize=16)
def _error_of_rows(cells: int, n_secret: int, c: float) -> tuple[Vector, int]:
    """Return the distribution of the error of S times an estimate of the rows with a
    secret, and the index of 0.
    """
    return sum_of(
        noise_pmf(cells, c), noise_pmf((n_secret - 1) * cells, c), n_secret - 1, 1
    )


def most_error_of_rows(cells: int, n_secret: int, c: float, log_level: float) -> int:
    """Return what the error of S times the estimated rows with a secret exceeds with at
    most a probability.
    """
    pmf, zero = _error_of_rows(cells, n_secret, c)
    # P(abs(error) >= z)
    beyond = np.bincount(np.abs(np.arange(len(pmf)) - zero), pmf)[::-1].cumsum()[::-1]
    within = beyond + TINY <= np.exp(log_level)
    return int(np.flatnonzero(within)[0]) - 1 if within.any() else len(beyond)


@lru_cache(maxsize=64)
def _prior(
    seen: tuple[int, ...], n: int, cells: int, c: float, log_level: float
) -> tuple[Vector, Vector]:
    """Return bounds on P(s) from S times the estimated rows, the same for all ways to
    merge symbols.
    """
    own = np.array(seen)
    upper, opposite = (
        _prior_upper(of, n, cells, c, log_level) for of in (own, len(own) * n - own)
    )
    low, high = np.sort([1 - opposite, upper], axis=0)
    low.flags.writeable = high.flags.writeable = False
    return low, high


def _prior_upper(seen: Whole, n: int, cells: int, c: float, log_level: float) -> Vector:
    """Return the largest p with P(S Bin(n, p) + error <= seen) above a level; it falls
    in p.
    """
    from scipy.special import bdtr  # noqa: PLC0415 - see clopper_pearson

    pmf, zero = _error_of_rows(cells, len(seen), c)
    most = (seen[:, None] - (np.arange(len(pmf)) - zero)) // len(seen)
    # many errors lead to the same number of rows
    from_least = most - most[:, -1:]
    chance = np.array(
        [np.bincount(of, pmf, minlength=int(from_least.max()) + 1) for of in from_least]
    )
    at_most = np.clip(most[:, -1:] + np.arange(chance.shape[1]), -1, n)
    enough = np.maximum(at_most, 0).astype(np.float64)

    def is_above(p: Vector) -> Mask:
        tail = (chance * np.where(at_most < 0, 0.0, bdtr(enough, n, p[:, None]))).sum(
            axis=1
        )
        return np.asarray(tail * (1 + 1e-9) + TINY > np.exp(log_level))

    low, high = np.zeros(len(seen)), np.ones(len(seen))
    for _ in range(BISECTIONS):
        p = (low + high) / 2
        above = is_above(p)
        low, high = np.where(above, p, low), np.where(above, high, p)
    return high
