"""Bounds for part of the alphabet, such as symbols with one value of kept columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from liftlib.channel import Partition
from liftlib.notions import Ratios
from lifttables.population.differences import Misses
from lifttables.population.noisy import NoisySample
from lifttables.population.sample import Sample, insides
from lifttables.population.worst import Between
from mixproof.checks import checked
from mixproof.numerics import Mask, Matrix, Vector


class SampleWithin(Sample):
    """A sample over some symbols of a larger alphabet, with the bounds of the whole sample.

    If bounds of several parts must hold together, the whole sample covers their number of ways (``choosing``).

    Notes
    -----
    P(A|s) for a subset A of this part does not depend on how other symbols are divided, so they count as one more
    symbol, which no output uses.

    Examples
    --------
    >>> part = SampleWithin.of(Sample([[40, 60, 60, 40], [30, 70, 40, 60]]), [0, 1])
    >>> found = part.subsets([[True, False], [True, True]])
    >>> found.lower[:, 0].round(2).tolist(), found.upper[:, 1].round(2).tolist()
    ([0.13, 0.09, 0.12], [0.6, 0.6, 0.57])
    """

    whole: Sample
    choosers: Matrix | None

    def __init__(self, whole: Sample, n: int, choosers: Matrix | None = None):
        super().__init__(np.ones((whole.n_secret, n)), whole.confidence, whole.chosen)
        for name, value in (("counts", whole.counts[:, :n]), ("whole", whole), ("choosers", choosers)):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, sample: Sample, symbols: Sequence[int]) -> Self:
        """Return the sample over some symbols of another one."""
        rest = tuple(sorted({*range(sample.n_public)} - {*symbols}))
        choosers = (
            sample.choosers[:, list(symbols)]
            if isinstance(sample, NoisySample) and sample.choosers is not None
            else None
        )
        return cls(sample.merged((*((x,) for x in symbols), *[rest] * bool(rest))), len(symbols), choosers)

    @property
    def rows(self) -> int:
        """The number of rows, of all symbols."""
        return self.whole.rows

    @property
    def estimate(self) -> Matrix:
        """Nonnegative estimates of the numbers of rows, shape (S, X), for designs; no bound depends on them."""
        return self.whole.estimate[:, : self.n_public]

    @property
    def prior(self) -> tuple[Vector, Vector]:
        """Lower and upper bounds on P(s), each of shape (S,)."""
        return self.whole.prior

    def scaled(self, times: float) -> Self:
        """Return what ``times`` the rows with the same shares would give."""
        return type(self)(self.whole.scaled(times), self.n_public)

    def merged(self, blocks: Partition) -> Self:
        """Return the sample over blocks of symbols."""
        rest = ((x,) for x in range(self.n_public, self.whole.n_public))
        return type(self)(self.whole.merged((*blocks, *rest)), len(blocks))

    def choosing(self, ways: int) -> Self:
        """Return the sample with bounds for all of ``ways`` designs among which the rows choose."""
        return type(self)(self.whole.choosing(ways), self.n_public, self.choosers)

    def split(self, rng: int | np.random.Generator) -> tuple[Matrix, Self]:
        """Return the counts of some rows, which choose blocks, and the sample of the rest."""
        if self.choosers is not None:  # the rows were split before
            return np.maximum(self.choosers, 0.0), self
        some, rest = self.whole.split(rng)
        return some[:, : self.n_public], type(self)(rest, self.n_public)

    def differences(self, ratios: Ratios, member: ArrayLike) -> Misses:
        """Return the bounds on differences; the whole part, not having mass 1, needs one."""
        return self.whole.differences(ratios, self._in_all(member))

    @checked
    def subsets(self, member: ArrayLike) -> Between:
        """Return bounds on P(A|s) and P(A); the whole part, not having mass 1, needs them."""
        return self.whole.subsets(self._in_all(member))

    def _in_all(self, member: ArrayLike) -> Mask:
        inside = insides(member, self.n_public)
        rest = np.zeros((len(inside), self.whole.n_public - self.n_public), dtype=bool)
        return np.hstack([inside, rest])
