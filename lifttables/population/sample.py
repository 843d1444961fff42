"""Simultaneous confidence bounds on the distribution from which a table was drawn.

The bounds hold for all subsets of symbols simultaneously. The rows that certify a
design may therefore also choose it, in any way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from liftlib.channel import Channel, Partition
from liftlib.errors import InvalidDistribution, InvalidParameter, shown
from liftlib.notions import RatioBased, Ratios
from lifttables.population.binomial import clopper_pearson
from lifttables.population.differences import Misses, differences
from lifttables.population.intervals import Between
from mixproof.checks import checked
from mixproof.numerics import (
    KEEP_TOL,
    SAME_TOL,
    Mask,
    Matrix,
    Vector,
    as_matrix,
    check_nonnegative,
    check_scalar,
    generator,
)

# maximum number of symbols in a small subset, from which responses are made
MAX_SMALL_SUBSET = 3
# share of the probability of error that is reserved for larger subsets
LARGE_SUBSET_SHARE = 0.1
# share of the rows that chooses blocks of symbols; the other rows certify the design
SELECTION_SHARE = 0.25
# weight, in rows, of a symbol without rows in a design's utility; no bound depends on
# it
UNSEEN_WEIGHT = 0.5


class Parts(NamedTuple):
    """A kernel as weighted sums of subsets of symbols.

    P(y|x) is the sum of the weights of the subsets that contain x.

    Attributes
    ----------
    member : numpy.ndarray of bool, shape (k, X)
    weights : numpy.ndarray, shape (k, Y)
        Finite and nonnegative, so that bounds on subsets add up to bounds on the sum.
    """

    member: Mask
    weights: Matrix

    @property
    def kernel(self) -> Matrix:
        """P(y|x), shape (X, Y)."""
        return np.asarray(self.member.T @ self.weights)

    @classmethod
    def nested(cls, kernel: Matrix) -> Parts:
        """Return a kernel, shape (X, Y), as sums of nested subsets.

        Examples
        --------
        >>> parts = Parts.nested(np.array([[0.7, 0.3], [0.2, 0.8]]))
        >>> parts.kernel.round(6).tolist()
        [[0.7, 0.3], [0.2, 0.8]]
        """
        order = np.argsort(-kernel, axis=0, kind="stable")
        height = np.take_along_axis(kernel, order, axis=0)
        step = height - np.vstack([height[1:], np.zeros(kernel.shape[1])])
        rank = np.argsort(order, axis=0)
        at, y = np.nonzero(step > 0)
        weights = np.zeros((len(at), kernel.shape[1]))
        weights[np.arange(len(at)), y] = step[at, y]
        return cls(rank.T[y] <= at[:, None], weights)

    def sums_to(self, kernel: Matrix) -> bool:
        """Return whether the weights are valid, and the parts sum to a kernel."""
        if not (np.isfinite(self.weights) & (self.weights >= 0)).all():
            return False
        found = self.kernel
        return found.shape == kernel.shape and bool(
            np.abs(found - kernel).max() <= SAME_TOL
        )


@dataclass(frozen=True, eq=False, init=False)
class Sample:
    """A table of i.i.d. rows from P_SX, with the confidence of statements about P_SX.

    Parameters
    ----------
    counts : array_like, shape (S, X)
        Number of rows by secret and symbol. The alphabets must be given, not taken from
        the data: an empty row or column is a value that was not observed.
    confidence : float
        Probability in (0, 1), over the sampling of the rows, that all bounds hold.
    chosen : float
        If the rows themselves chose the symbols, for example by pooling rare ones: the
        log of the number of possible choices, at least 0. The bounds then hold for all
        choices at once.

    Raises
    ------
    InvalidDistribution
        If a count is negative, not whole or not finite, or all are 0.
    InvalidParameter
        If the confidence is not in (0, 1), or ``chosen`` is negative.

    Notes
    -----
    Given the secrets, the number of rows in a subset A of symbols is binomial for each
    secret. ``differences`` bounds P(A|a) e^-budget - P(A|b), with one part of 1 -
    confidence for each pair of probabilities and one for P(s), by the bounds of Clopper
    and Pearson. Each subset gets the share of a part that ``subset_price`` gives. All
    of these bounds hold together with this confidence. The proofs are in the chapter on
    the population.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> sample = Sample([[40, 60], [30, 70]], 0.95)
    >>> [bool(sample.satisfied(LIP(eps), [[True, False]])[0]) for eps in (0.2, 0.7)]
    [False, True]
    """

    counts: Matrix
    confidence: float
    chosen: float

    def __init__(
        self, counts: ArrayLike, confidence: float = 0.95, chosen: float = 0.0
    ):
        table = as_matrix("counts", counts)
        check_nonnegative("counts", table)
        if not (table == np.round(table)).all():
            at = tuple(int(i) for i in np.argwhere(table != np.round(table))[0])
            raise InvalidDistribution(
                f"counts{list(at)} is {table[at]}: give numbers of rows, not shares"
            )
        if not table.sum() > 0:
            raise InvalidDistribution(
                "counts sum to 0: a sample needs at least one row"
            )
        sure = check_scalar("confidence", confidence, 0, 1, open_low=True)
        if sure == 1:
            raise InvalidParameter(
                "confidence is 1: no finite table gives certainty; choose less than 1,"
                " such as 0.95"
            )
        table.flags.writeable = False
        object.__setattr__(self, "counts", table)
        object.__setattr__(self, "confidence", sure)
        object.__setattr__(self, "chosen", check_scalar("chosen", chosen, finite=True))

    @property
    def n_secret(self) -> int:
        """The number of secrets."""
        return int(self.counts.shape[0])

    @property
    def n_public(self) -> int:
        """The number of symbols."""
        return int(self.counts.shape[1])

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.counts.sum())

    @cached_property
    def weights(self) -> Vector:
        """The empirical distribution of the symbols, shape (X,).

        A symbol without rows counts as ``UNSEEN_WEIGHT`` rows.
        """
        seen = np.maximum(self.counts.sum(axis=0), UNSEEN_WEIGHT)
        return np.asarray(seen / seen.sum())

    @property
    def estimate(self) -> Matrix:
        """Nonnegative estimates of the numbers of rows, shape (S, X), for designs; no
        bound depends on them.
        """
        return self.counts

    def scaled(self, times: float) -> Self:
        """Return what ``times`` the rows with the same shares would give."""
        return type(self)(np.round(times * self.counts), self.confidence, self.chosen)

    @property
    def trusted(self) -> Self:
        """A sample whose bounds are close to these and quick to compute, to choose by;
        nothing relies on them.
        """
        return self

    def merged(self, blocks: Partition) -> Self:
        """Return the sample over blocks of symbols."""
        return type(self)(self._summed(blocks), self.confidence, self.chosen)

    def split(self, rng: int | np.random.Generator) -> tuple[Matrix, Self]:
        """Return the counts of a random ``SELECTION_SHARE`` of the rows, and the sample
        of the rest.
        """
        some, rest = split(self.counts, rng)
        return some, type(self)(rest, self.confidence, self.chosen)

    def _summed(self, blocks: Partition) -> Matrix:
        return np.stack(
            [self.counts[:, list(block)].sum(axis=1) for block in blocks], axis=1
        )

    @cached_property
    def _log_part(self) -> float:
        # 1 - confidence in equal parts: P(X|s) for each s, P(X), and P_S
        return float(np.log1p(-self.confidence) - np.log(self.n_secret + 2))

    @cached_property
    def prior(self) -> tuple[Vector, Vector]:
        """Lower and upper bounds on P(s), each of shape (S,)."""
        of = self.counts.sum(axis=1)
        if self.n_secret == 1:
            return np.ones(1), np.ones(1)
        return clopper_pearson(
            of, self.rows, self._log_part - self.chosen - np.log(2 * self.n_secret)
        )

    def cells(self) -> Between:
        """Return bounds on P(x|s) and P(x) for single symbols.

        They apply only to the unchanged column, not to a design.
        """
        level = self._log_part - np.log(2 * self.n_public) - self.chosen
        table = np.vstack([self.counts, self.counts.sum(axis=0)])
        bounds = clopper_pearson(table, table.sum(axis=1)[:, None], level)
        if self.n_public == 1:
            bounds = np.ones_like(table), np.ones_like(table)
        return Between(*bounds, *self.prior)

    def parts(self, channel: Channel) -> Parts:
        """Return a channel as sums of subsets, from its certificate or else nested."""
        if channel.kernel.shape[:-1] != (self.n_public,):
            raise InvalidParameter(
                f"the channel takes {channel.kernel.shape[:-1]} and the sample has"
                f" ({self.n_public},): match them"
            )
        # only mechanisms for the population state the subsets that make up their
        # channel
        parts = getattr(channel.certificate, "parts", None)
        if isinstance(parts, Parts) and parts.sums_to(channel.kernel):
            return parts
        return Parts.nested(channel.kernel)

    def differences(self, ratios: Ratios, member: ArrayLike) -> Misses:
        """Return upper bounds on P(A|a) e^-budget - P(A|b) as a function of the
        budgets.

        Bounds on subsets add up to bounds on sums of subsets.
        """
        inside = insides(member, self.n_public)
        return differences(
            self.counts, self.prior, ratios, inside, self._pair_level(ratios, inside)
        )

    def _pair_level(self, ratios: Ratios, inside: Mask) -> Vector:
        """Return the log of the probability of error of each subset's conditions on two
        probabilities.
        """
        pairs = {
            frozenset(secrets)
            for secrets in zip(ratios.top.tolist(), ratios.bottom.tolist(), strict=True)
        }
        # P(s) has one where P(y) is asked about
        parts = len(pairs) + any(self.n_secret in pair for pair in pairs)
        level = (
            float(np.log1p(-self.confidence)) - np.log(2 * max(1, parts)) - self.chosen
        )
        return np.asarray(level - subset_price(self.n_public, inside.sum(axis=1)))

    def misses(
        self, notion: RatioBased, member: ArrayLike, spare: float = 0.0
    ) -> Matrix:
        """Return :meth:`differences` at the budgets plus ``spare``, shape (conditions,
        m).
        """
        ratios = notion.ratios(self.n_secret)
        return self.differences(ratios, member)(ratios.budget + spare)

    @checked
    def satisfied(self, notion: RatioBased, member: ArrayLike) -> Mask:
        """Return which subsets, as outputs, satisfy a notion for the
        population, (m,).
        """
        return np.asarray((self.misses(notion, member, KEEP_TOL) <= 0).all(axis=0))

    def nearness(self, notion: RatioBased, member: Mask) -> Vector:
        """Return how far subsets are from satisfying a notion, a sort key of shape
        (m,).
        """
        share = np.maximum(member @ self.weights, np.finfo(float).tiny)
        return np.asarray(
            self.misses(notion, member).max(axis=0, initial=-np.inf) / share
        )

    @checked
    def keeps(self, notion: RatioBased, channel: Channel) -> bool:
        """Return whether the population satisfies a notion, with the sample's
        confidence.

        P(y|x) is a weighted sum of subsets of symbols, and so are its bounds. The
        subsets are the ``parts`` of the channel's certificate if these give its kernel
        with weights of at least 0 (which is checked), and nested subsets otherwise.

        Raises
        ------
        UnsupportedNotion
            If the notion does not bound ratios.
        InvalidParameter
            If the channel's shape does not fit, or a part is no subset.

        Examples
        --------
        >>> from liftlib.notions import LIP
        >>> sample = Sample([[400, 600], [300, 700]])
        >>> [sample.keeps(LIP(eps), Channel.identity(2)) for eps in (0.2, 0.3)]
        [False, True]
        """
        parts = self.parts(channel)
        return bool(
            (self.misses(notion, parts.member, KEEP_TOL) @ parts.weights <= 0).all()
        )

    def __repr__(self) -> str:
        size = f"{self.n_secret} secrets x {self.n_public} public symbols"
        return f"Sample({self.rows} rows, {size}, confidence {self.confidence})"


def split(counts: Matrix, rng: int | np.random.Generator) -> tuple[Matrix, Matrix]:
    """Return the counts of a random ``SELECTION_SHARE`` of the rows and of the rest.

    The counts are part of the seed: with the same random numbers for every table, the
    two parts would not be independent.
    """
    table = counts.astype(np.int64)
    drawn = np.random.default_rng([int(generator(rng).integers(2**62)), *table.ravel()])
    some = drawn.multivariate_hypergeometric(
        table.ravel(), round(SELECTION_SHARE * table.sum())
    ).reshape(table.shape)
    return some.astype(np.float64), (table - some).astype(np.float64)


def insides(member: ArrayLike, n: int) -> Mask:
    """Return a validated mask, shape (m, n), of the symbols in each subset."""
    try:
        inside = np.asarray(member)
    except ValueError as error:  # ragged
        raise InvalidParameter(
            f"member is {shown(member)}: give (m, {n}), a row for each subset"
        ) from error
    if inside.ndim != 2 or inside.shape[1] != n:
        raise InvalidParameter(
            f"member has shape {inside.shape}: give (m, {n}), a row for each subset"
        )
    if inside.dtype.kind not in "biuf" or not ((inside == 0) | (inside == 1)).all():
        raise InvalidParameter(
            f"member is {shown(member)}: give true or false for each of the {n} symbols"
            " of a subset"
        )
    return inside.astype(bool)


def subset_price(n: int, size: ArrayLike) -> Vector:
    """Return minus the log of a subset's share of the probability of error.

    All subsets of a size have equal shares, all sizes up to ``MAX_SMALL_SUBSET`` too,
    and larger sizes divide ``LARGE_SUBSET_SHARE``. The shares of all pairs of a subset
    and its complement sum to at most 1.

    Parameters
    ----------
    n : int
        The number of symbols.
    size : array_like of int
        The number of symbols in the subset.

    Examples
    --------
    >>> subset_price(4, [1, 2, 3]).round(4).tolist()
    [2.0794, 2.4849, 2.0794]
    """
    from scipy.special import gammaln  # noqa: PLC0415 - see clopper_pearson

    size, half = np.asarray(size, dtype=np.float64), n // 2
    choose = gammaln(n + 1) - gammaln(size + 1) - gammaln(n - size + 1)
    if half <= MAX_SMALL_SUBSET:
        return np.asarray(np.log(max(1, half)) + choose)
    small = np.minimum(size, n - size) <= MAX_SMALL_SUBSET
    return np.asarray(
        np.where(
            small,
            np.log(MAX_SMALL_SUBSET / (1 - LARGE_SUBSET_SHARE)),
            np.log((half - MAX_SMALL_SUBSET) / LARGE_SUBSET_SHARE),
        )
        + choose
    )
