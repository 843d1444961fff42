"""Estimates of the original column's distribution from a released table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtri

from liftlib.errors import DataError
from lifttables.encoding.columns import JOIN, ROWS
from lifttables.encoding.table import Table
from lifttables.encoding.text_format import TextFormat
from lifttables.releases.card import Card, counted_outputs
from lifttables.releases.verifying import CHANGED, WrongCard, verify
from lifttables.sources.source import open_table
from mixproof.checks import checked
from mixproof.numerics import Matrix, Vector, check_scalar

# smallest relative singular value, and smallest entry of a direction, that is not 0
SINGULAR_VALUE_TOL = 1e-9


INTERVAL_MARGIN = 1e-12  # widens intervals by more than rounding errors


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimates of the population distribution of the original column.

    Attributes
    ----------
    rows : int
    symbols : tuple of str
        The symbols or, where the release does not distinguish symbols, groups of them.
    unbiased, projected : numpy.ndarray, shape (X,)
        Unbiased estimates of P(x), which may be negative, and the nearest probability
        distribution.
    error : numpy.ndarray, shape (X,)
        Standard errors of ``unbiased``, from sampling and randomisation.
    low, high : numpy.ndarray, shape (X,)
        Ends of the confidence intervals, each at ``level``.
    level : float
    rows_worth : numpy.ndarray, shape (X,)
        Effective sample size: the rows of the original table that give the same
        precision.
    condition : float
        Condition number of the kernel, over its nonzero singular values.
    """

    rows: int
    symbols: tuple[str, ...]
    unbiased: Vector
    projected: Vector
    error: Vector
    low: Vector
    high: Vector
    level: float
    rows_worth: Vector
    condition: float

    def as_rows(self) -> list[dict[str, Any]]:
        """Return the estimates as a list of rows."""
        names = ("unbiased", "projected", "error", "low", "high", "rows_worth")
        return [
            {"symbol": symbol} | {name: float(getattr(self, name)[x]) for name in names}
            for x, symbol in enumerate(self.symbols)
        ]


@dataclass(frozen=True, eq=False)
class Inverse:
    """The groups of symbols that a kernel, shape (X, Y), distinguishes; estimators."""

    kernel: Matrix

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The groups of symbols that the kernel cannot distinguish.

        Two distributions whose difference v satisfies v K = 0 have the same outputs.
        The groups are the blocks of the projection onto these v. Each v sums to 0 over
        each group because the rows of K sum to 1.
        """
        u, values, _ = np.linalg.svd(self.kernel, full_matrices=True)
        rank = int((values > SINGULAR_VALUE_TOL * values[0]).sum())
        blind = u[:, rank:] @ u[:, rank:].T  # onto the directions that nobody sees
        n, group = connected_components(
            np.abs(blind) > SINGULAR_VALUE_TOL, directed=False
        )
        return tuple(tuple(np.flatnonzero(group == at).tolist()) for at in range(n))

    @cached_property
    def weights(self) -> Matrix:
        """The matrix B, shape (Y, G), for which P(y) B estimates the groups' shares.

        K B is 1 for a symbol of the group and 0 for any other, so the estimate is
        unbiased for any distribution; of all such B it has the least variance for
        equally frequent symbols.
        """
        wanted = np.zeros((len(self.kernel), len(self.groups)))
        for at, group in enumerate(self.groups):
            wanted[list(group), at] = 1
        spread = np.where(
            self.kernel.mean(axis=0) > 0,
            1 / np.maximum(self.kernel.mean(axis=0), 1e-300),
            0,
        )
        weighted = self.kernel * spread
        return np.asarray(
            weighted.T
            @ np.linalg.lstsq(
                weighted @ self.kernel.T, wanted, rcond=SINGULAR_VALUE_TOL
            )[0]
        )

    @cached_property
    def condition(self) -> float:
        """The ratio of the largest to the smallest nonzero singular value."""
        values = np.linalg.svd(self.kernel, compute_uv=False)
        return float(values[0] / values[values > SINGULAR_VALUE_TOL * values[0]][-1])


@checked
def estimate(
    source: Any,
    card: Card,
    *,
    level: float = 0.95,
    text_format: TextFormat | None = None,
) -> Estimate:
    """Return estimates of the original column's distribution from a released table.

    Parameters
    ----------
    source : path or frame
        The released table. A file is verified first, as by :func:`~lifttables.verify`;
        a frame may also hold other rows that the card's design released, and only its
        outputs are checked.
    card : Card
        The card of the release, with the kernel; see :func:`~lifttables.read_card`.
    level : float
        Confidence level of the intervals, in (0, 1).
    text_format : TextFormat, optional
        The dialect of a text table.

    Raises
    ------
    DataError
        If the card has no kernel, a column does not exist, or a value is not among the
        card's outputs.
    WrongCard
        If a file is not the release of the card, or the card was changed; a DataError.

    Notes
    -----
    P(y) = sum_x P(x) K(y|x), so the empirical P(y) times a right inverse of K is
    unbiased (Warner 1965; the empirical estimator of Kairouz, Bonawitz and Ramage
    2016). Intervals are normal, with one more row of each output in the variance, and
    an upper end raised by z^2 / 2n times the largest weight, as in Wilson's interval.
    Without these corrections, intervals of rare symbols are too short; the tests
    simulate the coverage.

    Examples
    --------
    >>> import polars as pl
    >>> from liftlib import LIP
    >>> ill = ["yes"] * 20 + ["no"] * 20 + ["yes"] * 40 + ["no"] * 120
    >>> table = pl.DataFrame({"ill": ill, "age": ["old"] * 40 + ["young"] * 160})
    >>> from lifttables import sanitise
    >>> release = sanitise(table, secret="ill", public="age", notion=LIP(1.0), rng=1)
    >>> found = estimate(release.frame, release.card)
    >>> dict(zip(found.symbols, found.projected.round(2).tolist(), strict=True))
    {'old': 0.19, 'young': 0.81}
    """
    level = check_scalar("level", level, 0, 1, open_low=True, open_high=True)
    if card.of_counts:
        raise DataError(
            "the release is of noisy counts: its column share has the estimates, and"
            " error the half-widths of their 95 % intervals"
        )
    if not card.intact:
        raise WrongCard(
            f"{CHANGED}, so shares estimated with it could be wrong: ask for the card"
            " again"
        )
    if isinstance(source, str | Path):
        verification = verify(Path(source), card, text_format=text_format)
        if not verification.agrees:
            raise WrongCard(
                f"{source} is not the release of this card, so shares estimated from it"
                f" would be wrong: {'; '.join(verification.differences)}; give the card"
                " and the whole file of one release"
            )
    shares, n = _counted(open_table(source, text_format), card)
    inverse = Inverse(card.kernel)
    weights = inverse.weights
    unbiased = shares @ weights
    error, reach, shift = _errors(shares, weights, n, level)
    projected = _nearest(unbiased)
    plain = projected * (1 - projected)
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.where(error > 0, np.minimum(plain / error**2, n), n)
    return Estimate(
        rows=n,
        symbols=tuple(
            " or ".join(JOIN.join(card.symbols[x]) for x in group)
            for group in inverse.groups
        ),
        unbiased=unbiased,
        projected=projected,
        error=error,
        low=np.clip(unbiased - reach, 0, 1),
        high=np.clip(unbiased + reach + shift, 0, 1),
        level=level,
        rows_worth=worth,
        condition=inverse.condition,
    )


def _errors(
    shares: Vector, weights: Matrix, n: int, level: float
) -> tuple[Vector, Vector, Vector]:
    """Return standard errors, interval half-widths, and shifts of the upper ends."""
    smooth = (shares * n + 1) / (n + len(shares))
    error = np.sqrt(np.maximum(smooth @ weights**2 - (smooth @ weights) ** 2, 0) / n)
    z = float(ndtri((1 + level) / 2))
    return (
        error,
        z * error + INTERVAL_MARGIN,
        z**2 / (2 * n) * np.abs(weights).max(axis=0),
    )


def expected_error(kernel: Matrix, p_x: Vector, n: int) -> float:
    """Return the expected half-width of the widest 95 % interval of a share.

    It is infinite if symbols cannot be distinguished. In 10,000 rows, a share of one
    half is known to a percentage point:

    >>> round(expected_error(np.eye(2), np.array([0.5, 0.5]), 10_000), 4)
    0.01
    """
    inverse = Inverse(kernel)
    if len(inverse.groups) < len(kernel):
        return math.inf
    _, reach, shift = _errors(p_x @ kernel, inverse.weights, n, 0.95)
    return float((reach + shift).max())


def _counted(table: Table, card: Card) -> tuple[Vector, int]:
    """Return P(y), shape (Y,), and the number of rows."""
    table.check(card.columns)
    labels, y, unknown = counted_outputs(table, card)
    if unknown:
        raise DataError(
            f"{table.name} holds {unknown[0][:60]!r}, not an output on the card: does"
            " the card belong to this table?"
        )
    rows = np.bincount(y, labels[ROWS].to_numpy(), len(card.texts))
    return rows / rows.sum(), int(rows.sum())


def _nearest(unbiased: Vector) -> Vector:
    """Return the Euclidean projection of a vector onto the probability simplex."""
    values = np.sort(unbiased)[::-1]
    over = (np.cumsum(values) - 1) / np.arange(1, values.size + 1)
    last = int(np.flatnonzero(values > over)[-1])
    return np.asarray(np.maximum(unbiased - over[last], 0))
