"""Bounds for part of the alphabet, such as symbols with one value of kept columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from liftlib.notions import Ratios
from lifttables.population.differences import Misses
from lifttables.population.sample import Sample, insides
from lifttables.population.worst import Between
from mixproof.checks import checked
from mixproof.numerics import Mask, Vector


class SampleWithin(Sample):
    """A sample over some symbols of a larger alphabet.

    ``elsewhere``, shape (S,), counts the rows with other symbols; the other parameters are as for
    :class:`~lifttables.population.sample.Sample`. If bounds of several parts must hold together, ``chosen`` includes
    the log of the number of parts.

    Notes
    -----
    P(A|s) for a subset A of this part does not depend on how other symbols are divided, so they count as one more
    symbol, which no output uses.

    Examples
    --------
    >>> part = SampleWithin([[40, 60], [30, 70]], np.array([100.0, 100.0]))
    >>> found = part.subsets([[True, False], [True, True]])
    >>> found.lower[:, 0].round(2).tolist(), found.upper[:, 1].round(2).tolist()
    ([0.13, 0.09, 0.12], [0.6, 0.6, 0.57])
    """

    whole: Sample

    def __init__(self, counts: ArrayLike, elsewhere: Vector, confidence: float = 0.95, chosen: float = 0.0):
        super().__init__(counts, confidence, chosen)
        rest = np.asarray(elsewhere, dtype=np.float64)[:, None]
        full_counts = np.hstack([self.counts, rest]) if rest.any() else self.counts
        object.__setattr__(self, "whole", Sample(full_counts, confidence, chosen))

    @property
    def prior(self) -> tuple[Vector, Vector]:
        """Lower and upper bounds on P(s), each of shape (S,)."""
        return self.whole.prior

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
