"""Coarsening of published columns Z until Z alone satisfies a notion.

Columns are coarsened one by one. A column with a hierarchy first climbs its levels; otherwise two of its groups of
values are merged, neighbours if values are ordered. Each step takes the change with the largest progress per nat of
H(Z).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftlib.measures.information import entropy
from lifttables.population.sample import UNSEEN_WEIGHT
from mixproof.numerics import KEEP_TOL, Matrix, Vector

Groups = NDArray[np.int64]  # the group of each value of a column

MAX_PAIRS = 200  # with more pairs of groups, only those with the group furthest from the notion are tried
MIN_STEP_COST = 1e-12  # nats of H(Z) below which a change costs nothing, such as of values that always occur together


@dataclass(frozen=True, eq=False)
class KeptColumn:
    """A column to publish unchanged: its values and how they may be grouped.

    Ordered values are grouped with neighbours. ``levels`` has the group of each value at each level of a hierarchy.
    """

    name: str
    labels: tuple[str, ...]
    ordered: bool = False
    levels: tuple[Groups, ...] = ()


class Coarsening(NamedTuple):
    """The group of each value in each column, numbered from 0, and H(Z) in nats.

    A column with a single group is dropped.
    """

    groups: tuple[Groups, ...]
    entropy: float


def coarsened(
    table: Matrix, codes: NDArray[np.int64], columns: Sequence[KeptColumn], violations: Callable[[Matrix], Vector]
) -> Coarsening:
    """Return a coarsening of columns Z, found greedily, that satisfies a notion.

    ``table``, shape (S, N), counts rows by secret and combination of the columns' values; ``codes``, shape (N,
    columns), has the label indices of each combination. ``violations`` maps the counts of m values of Z, shape (S, m),
    to their violations in nats. The search for the largest H(Z) starts from all columns and, if values are merged, from
    smaller sets of columns; it need not be optimal. Nothing is coarsened if Z satisfies the notion.

    >>> town = KeptColumn("town", ("A", "B", "C"))
    >>> table = np.array([[9.0, 1.0, 5.0], [1.0, 9.0, 5.0]])
    >>> def violations(rows):  # of LIP(0.5)
    ...     return np.abs(np.log(2 * rows / rows.sum(axis=0))).max(axis=0) - 0.5
    >>> coarsened(table, np.array([[0], [1], [2]]), [town], violations).groups[0].tolist()
    [0, 0, 1]
    """
    search = _Search(table, codes, columns, violations)
    as_it_is = [np.arange(len(column.labels)) for column in columns]
    coarsenings = [search.descend(as_it_is)]
    if any(len(groups) > groups.max() + 1 for groups in coarsenings[0].groups):
        starts = (
            [0 * groups if at in out else groups for at, groups in enumerate(as_it_is)]
            for out in _subsets(len(columns))
        )
        coarsenings += map(search.descend, starts)
    return max(coarsenings, key=lambda coarsening: coarsening.entropy)


def in_words(every: Sequence[Groups], columns: Sequence[KeptColumn]) -> list[str]:
    """Return a description of each change that a coarsening makes to a column.

    >>> town = KeptColumn("town", ("A", "B", "C"))
    >>> in_words([np.array([0, 0, 1])], [town])
    ['town: 2 groups instead of 3 values']
    """
    words = []
    for column, groups in zip(columns, every, strict=True):
        n = int(groups.max()) + 1
        level = next(
            (at for at, grouping in enumerate(column.levels, 1) if np.array_equal(_numbered(grouping), groups)), None
        )
        if n == 1 and len(column.labels) > 1:
            words.append(f"{column.name}: dropped")
        elif level is not None:
            words.append(f"{column.name}: level {level} of its hierarchy ({n} groups instead of {len(groups)} values)")
        elif n < len(groups):
            words.append(f"{column.name}: {n} groups instead of {len(groups)} values")
    return words


def _subsets(n: int) -> Iterator[tuple[int, ...]]:
    """Yield the sets of columns to drop: all if there are few, else single columns."""
    for size in range(1, n if n <= 4 else 2):
        yield from itertools.combinations(range(n), size)


class _Search:
    """Greedy descent from given groups of each column."""

    def __init__(
        self,
        table: Matrix,
        codes: NDArray[np.int64],
        columns: Sequence[KeptColumn],
        violations: Callable[[Matrix], Vector],
    ) -> None:
        self.table, self.codes, self.columns, self.violations = table, codes, columns, violations
        self.seen: dict[bytes, float] = {}

    def descend(self, groups: Sequence[Groups]) -> Coarsening:
        """Return a coarsening that satisfies the notion, or drops all columns."""
        now = tuple(_numbered(grouping) for grouping in groups)
        far, h = self.measured(now)
        while far.any() and any(grouping.any() for grouping in now):
            best: tuple[float, float] | None = None
            for move in self.moves(now, far):
                then, h_then = self.measured(move)
                nearer, cost = float(far.sum() - then.sum()), max(h - h_then, MIN_STEP_COST)
                # among changes without progress, the cheapest
                score = (nearer / cost, -cost)
                if best is None or score > best:
                    best, chosen, far_chosen, h_chosen = score, move, then, h_then
            now, far, h = chosen, far_chosen, h_chosen
        return Coarsening(now, h)

    def measured(self, groups: Sequence[Groups]) -> tuple[Vector, float]:
        """Return P(z) (1 - e^-violation), 0 if satisfied, for each value of Z, and H(Z)."""
        z = combined(groups, self.codes)
        rows = np.zeros((int(z.max()) + 1, len(self.table)))
        np.add.at(rows, z, self.table.T)
        new = [at for at, row in enumerate(rows) if row.tobytes() not in self.seen]
        if new:
            over = np.nan_to_num(self.violations(rows[new].T), nan=np.inf)
            far = np.where(over <= KEEP_TOL, 0.0, -np.expm1(-np.maximum(over, KEEP_TOL)))
            self.seen |= {rows[at].tobytes(): float(distance) for at, distance in zip(new, far, strict=True)}
        share = np.maximum(rows.sum(axis=1), UNSEEN_WEIGHT) / self.table.sum()
        return share * [self.seen[row.tobytes()] for row in rows], float(entropy(share / share.sum()))

    def moves(self, groups: tuple[Groups, ...], far: Vector) -> Iterator[tuple[Groups, ...]]:
        """Yield candidates for the next coarsening, each of which changes one column."""
        share = far[combined(groups, self.codes)]
        for at, column in enumerate(self.columns):
            current = groups[at]
            n = int(current.max()) + 1
            if n == 1:
                continue
            above = (level for level in column.levels if is_made_of(level, current) and len(np.unique(level)) < n)
            coarser = next(map(_numbered, above), None)
            if coarser is not None:
                changes = [coarser]
            elif column.ordered:
                changes = [_joined(current, first, first + 1) for first in range(n - 1)]
            else:
                pairs = list(itertools.combinations(range(n), 2))
                if len(pairs) > MAX_PAIRS:
                    worst = int(np.bincount(current[self.codes[:, at]], share, n).argmax())
                    pairs = [pair for pair in pairs if worst in pair]
                changes = [_joined(current, *pair) for pair in pairs]
            for change in changes:
                yield (*groups[:at], change, *groups[at + 1 :])


def combined(groups: Sequence[Groups], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the value of Z of each combination of codes, numbered from 0."""
    coarse = np.stack([grouping[codes[:, at]] for at, grouping in enumerate(groups)], axis=1)
    return np.unique(coarse, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def is_made_of(groups: Groups, others: Groups) -> bool:
    """Return whether each group is a union of other groups."""
    return len(np.unique(np.stack([groups, others]), axis=1).T) == len(np.unique(others))


def _joined(groups: Groups, first: int, second: int) -> Groups:
    """Return the groups with two of them merged."""
    return _numbered(np.where(groups == second, first, groups))


def _numbered(groups: Groups) -> Groups:
    """Return the groups numbered from 0 in the order of their first values."""
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.int64)
