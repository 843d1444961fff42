"""Other uncertainty sets around a table, as samples whose bounds a design can use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.notions import Ratios
from lifttables.population.differences import Misses
from lifttables.population.sample import Sample, insides
from lifttables.population.worst import Between
from mixproof.checks import checked
from mixproof.numerics import Matrix, Vector, as_matrix


def l1_distance(rows: ArrayLike, symbols: int, log_level: float) -> Vector:
    """Return an upper bound on the l1 distance of the empirical distribution.

    Parameters
    ----------
    rows : array_like
        Numbers of independent rows; the bound is 2 for a sample without rows.
    symbols : int
        Number of symbols, at least 1.
    log_level : float
        Logarithm of the error probability, below 0.

    Notes
    -----
    The bound fails with a probability of at most exp(``log_level``). Weissman et al. 2003: with d symbols and n rows,
    the distance exceeds b with a probability of at most (2^d - 2) exp(-n b^2 / 2). This is Hoeffding's inequality for
    each of the 2^d - 2 subsets of symbols, whose largest deviation is b / 2.

    Examples
    --------
    >>> float(l1_distance(200, 2, np.log(0.05)).round(4)), float(l1_distance(0, 2, np.log(0.05)))
    (0.1921, 2.0)
    """
    n = np.asarray(rows, dtype=np.float64)
    if symbols == 1:
        return np.zeros_like(n)
    price = symbols * np.log(2) + np.log1p(-(2.0 ** (1 - symbols))) - log_level
    with np.errstate(divide="ignore"):
        return np.asarray(np.minimum(np.sqrt(2 * price / n), 2.0))


class Ball(Sample, ABC):
    """An uncertainty set around a table, with bounds on P(A|s) and P(A).

    Parameters and errors are those of :class:`~lifttables.population.sample.Sample`.
    """

    @abstractmethod
    def _ends(self, share: Matrix, of: Vector) -> tuple[Matrix, Matrix]:
        """Return bounds on the probabilities of subsets with these shares of ``of`` rows."""

    @checked
    def subsets(self, member: ArrayLike) -> Between:
        """Return bounds on P(A|s) and P(A) for subsets A of the symbols."""
        inside = insides(member, self.n_public)
        table = np.vstack([self.counts, self.counts.sum(axis=0)])
        of = table.sum(axis=1)
        lower, upper = self._ends((table @ inside.T) / np.maximum(of, 1)[:, None], of)
        full, none = inside.all(axis=1), ~inside.any(axis=1)  # their probabilities are 1 and 0
        lower, upper = (np.where(full, 1.0, np.where(none, 0.0, end)) for end in (lower, upper))
        return Between(lower, upper, *self.prior)

    def differences(self, ratios: Ratios, member: ArrayLike) -> Misses:
        """Return bounds on differences, from those on both probabilities."""
        bounds = self.subsets(member)
        return lambda budget: np.exp(-budget)[:, None] * bounds.upper[ratios.top] - bounds.lower[ratios.bottom]

    def cells(self) -> Between:
        """Return bounds on P(x|s) and P(x) that hold simultaneously with the bounds of all subsets."""
        return self.subsets(np.eye(self.n_public, dtype=bool))


class L1Sample(Ball):
    """A sample whose uncertainty set is an l1 ball around the table.

    Notes
    -----
    Half of the distance bounds the deviation of all subsets at once, at any number of rows. P(X|s) for each s, P(X) and
    P_S share 1 - confidence equally, as in :class:`~lifttables.population.sample.Sample`. Diaz et al. 2020 use such
    balls, and Grosse et al. 2025 require a set that contains the distribution with a stated probability.

    Examples
    --------
    >>> found = L1Sample([[40, 60], [30, 70]], 0.95).subsets([[True, False]])
    >>> found.lower[:, 0].round(2).tolist(), found.upper[:, 0].round(2).tolist()
    ([0.24, 0.14, 0.24], [0.56, 0.46, 0.46])
    """

    @cached_property
    def prior(self) -> tuple[Vector, Vector]:
        """Lower and upper bounds on P(s), each of shape (S,)."""
        return self._around(self.counts.sum(axis=1) / self.rows, self.rows, self.n_secret)

    def _ends(self, share: Matrix, of: Vector) -> tuple[Matrix, Matrix]:
        return self._around(share, of[:, None], self.n_public)

    def _around(self, share: Vector, rows: ArrayLike, symbols: int) -> tuple[Vector, Vector]:
        far = l1_distance(rows, symbols, self._log_part - self.chosen) / 2
        return np.maximum(share - far, 0.0), np.minimum(share + far, 1.0)


class PearsonSample(Ball):
    r"""Pearson's uncertainty set: distributions that his test does not reject.

    Notes
    -----
    The set is a Renyi ball of order 2 around the table's shares, as in Lopuhaä-Zwakenberg and Goseling 2024:
    :math:`\sum \hat P^2 / P \le e^B`, where n (e^B - 1) is the quantile of chi-square with ``|S||X| - 1`` degrees of
    freedom. Its projections are again such balls; the projection on P_X has the same B. For P(.|s) the sum is at least
    :math:`\sum_s \hat P(s)^2 T_s / P(s) \ge (\sum_s \hat P(s) \sqrt{T_s})^2` by Cauchy's inequality, with equality at
    :math:`P(s) \propto \hat P(s) \sqrt{T_s}`, and :math:`T_s \ge 1`, so that each :math:`\sqrt{T_s}` is at most
    :math:`1 + (e^{B/2} - 1) / \hat P(s)`. A subset and its complement are a ball of two symbols, :math:`(\hat p - p)^2
    \le (T - 1) p (1 - p)`. One set implies all of these bounds, so no union bound is needed. But the chi-square
    distribution requires many rows in each cell, so the confidence is approximate.

    Examples
    --------
    >>> found = PearsonSample([[40, 60], [30, 70]], 0.95).subsets([[True, False]])
    >>> found.lower[:, 0].round(2).tolist(), found.upper[:, 0].round(2).tolist()
    ([0.27, 0.19, 0.26], [0.54, 0.44, 0.45])
    """

    @cached_property
    def radius(self) -> float:
        """The largest allowed sum of P̂²/P less 1, which is e^B - 1."""
        from scipy.special import chdtri  # noqa: PLC0415 - only who asks for a bound waits for scipy

        freedom = self.counts.size - 1
        if freedom == 0:
            return 0.0
        return float(chdtri(freedom, (1 - self.confidence) * np.exp(-self.chosen))) / self.rows

    @checked
    def within(self, p: ArrayLike) -> bool:
        """Return whether a distribution, shape (S, X), is in the set.

        Raises
        ------
        InvalidDistribution
            If it is not a distribution, or a secret or symbol has probability 0.
        InvalidParameter
            If it has another shape.
        """
        law = Joint(as_matrix("p", p)).p
        if law.shape != self.counts.shape:
            raise InvalidParameter(f"p has shape {law.shape} and the sample {self.counts.shape}: match them")
        share = self.counts / self.rows
        seen = share > 0
        with np.errstate(divide="ignore"):
            return bool((share[seen] ** 2 / law[seen]).sum() <= 1 + self.radius)

    @cached_property
    def prior(self) -> tuple[Vector, Vector]:
        """Lower and upper bounds on P(s), each of shape (S,)."""
        if self.n_secret == 1:
            return np.ones(1), np.ones(1)
        return _two_symbols(self.counts.sum(axis=1) / self.rows, np.array(self.radius))

    def rooms(self, of: Vector) -> Vector:
        """Return the radii of the set's projections on each P(.|s) and on P_X."""
        with np.errstate(divide="ignore", invalid="ignore"):
            root = 1 + np.where(of > 0, self.rows * (np.sqrt(1 + self.radius) - 1) / of, np.inf)
        return np.asarray(root**2 - 1)

    def _ends(self, share: Matrix, of: Vector) -> tuple[Matrix, Matrix]:
        return _two_symbols(share, self.rooms(of)[:, None])


def _two_symbols(share: Vector, room: Vector) -> tuple[Vector, Vector]:
    """Return the least and largest p with (share - p)^2 <= room p (1 - p)."""
    inverse = 1 / np.maximum(room, np.finfo(float).tiny)
    # both sides divided by the room, which may be infinite
    middle = (share * inverse + 0.5) / (inverse + 1)
    apart = np.sqrt(share * (1 - share) * inverse + 0.25) / (inverse + 1)
    return np.clip(middle - apart, 0.0, 1.0), np.clip(middle + apart, 0.0, 1.0)
