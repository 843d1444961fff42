"""Stacks of joint distributions, and subsets of their symbols that grow by least risk.

A stack holds N joint distributions of one shape, as numpy.linalg takes stacks of
matrices; a single joint distribution is a stack of one. In one step, each joint
whose subset has to grow adds one symbol, whatever the others do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from liftlib.joint import Joint
from liftlib.measures.lifts import lift_of
from liftlib.notions import LiftNotion
from mixproof.numerics import Mask, Matrix

Symbols = NDArray[np.int64]
Measure = Callable[[Matrix, Matrix], Matrix]
Rows = NDArray[np.int64]
"""Indices of joints in the stack."""

KEPT = 0.75  # share of columns still waiting at which the others are dropped
FEW = 20  # columns of one joint that cost less than dropping them does
BLOCK = 40_000  # lifts of a block, 320 kB, so that it stays in a processor's cache


class Stack:
    """N joint distributions P_SX, unchecked.

    Parameters
    ----------
    p : numpy.ndarray, shape (N, S, X)
        Probabilities. A secret or a symbol without mass has lift 1.
    p_s : numpy.ndarray, shape (N, S), optional
        P(s); by default the sums of ``p``.
    """

    def __init__(self, p: Matrix, p_s: Matrix | None = None) -> None:
        # in memory the secret comes first: sums over it then run along all joints
        self.p: Matrix = np.ascontiguousarray(p.swapaxes(0, 1)).swapaxes(0, 1)
        self.p_s: Matrix = p.sum(axis=-1) if p_s is None else p_s

    @classmethod
    def of(cls, p: Joint | Matrix | Stack) -> Stack:
        """Return a joint distribution or an array, shape (N, S, X), as a stack."""
        if isinstance(p, Joint):
            return cls(p.p[None], p.p_s[None])
        return p if isinstance(p, Stack) else cls(p)

    def __len__(self) -> int:
        return len(self.p)

    def some(self, rows: Rows) -> Stack:
        """Return the stack of these joints."""
        return self if rows.size == len(self) else Stack(self.p[rows], self.p_s[rows])

    @cached_property
    def p_x(self) -> Matrix:
        """P(x), shape (N, X)."""
        return np.asarray(self.p.sum(axis=-2))

    @cached_property
    def lifts(self) -> Matrix:
        """The lifts l(s, x), shape (N, S, X)."""
        if not ((self.p_s > 0).all() and (self.p_x > 0).all()):
            return lift_of(self.p, self.p_s)
        # in place: 10^6 symbols are not copied twice
        lifts = self.p / self.p_x[:, None]
        lifts /= self.p_s[:, :, None]
        return lifts

    @cached_property
    def x_given_s(self) -> Matrix:
        """P(x|s), shape (S, N, X), so that each secret's numbers are contiguous.

        For a secret without mass it is P(x), so that its lift is 1.
        """
        p = self.p.swapaxes(0, 1)
        p_s = self.p_s.T[:, :, None]
        if (p_s > 0).all():
            return p / p_s
        return np.divide(
            p, p_s, out=np.repeat(self.p_x[None], len(p), 0), where=p_s > 0
        )

    def high_risk(self, notion: LiftNotion) -> Mask:
        """Return a mask, shape (N, X), of the symbols that violate the notion."""
        return ~notion.kept_columns(self.lifts, self.p_s)

    def satisfy(self, notion: LiftNotion, subsets: Mask) -> Mask:
        """Return which joints' subsets, masks of shape (N, X), satisfy the notion."""
        mass = np.einsum("nsx,nx->ns", self.p, subsets)
        lifts = lift_of(mass[:, :, None], self.p_s)
        return notion.kept_columns(lifts, self.p_s)[:, 0]

    def merged(self, output_of: Symbols, n_outputs: int) -> Stack:
        """Return the stack of P_SY, shape (N, S, Y), where Y is a function of X.

        Parameters
        ----------
        output_of : numpy.ndarray of int, shape (N, X)
            The output of each symbol, below ``n_outputs``; -1 leaves a symbol out. An
            output without a symbol has no mass, and lift 1.
        """
        n, n_secret, _ = self.p.shape
        places = n_outputs + 1  # the last is for symbols that are left out
        place_of = output_of % places  # -1 becomes the last place
        at = (place_of + places * np.arange(n)[:, None]).ravel()
        by_secret = self.p.swapaxes(0, 1).reshape(n_secret, -1)
        sums = np.array([np.bincount(at, row, n * places) for row in by_secret])
        p_sy = sums.reshape(n_secret, n, places)[:, :, :-1].swapaxes(0, 1)
        return Stack(p_sy, self.p_s)

    def release(self, subset_of: Symbols) -> Stack:
        """Return the stack of P_SY, shape (N, S, X), where only subsets are published.

        Parameters
        ----------
        subset_of : numpy.ndarray of int, shape (N, X)
            The number of each symbol's subset; -1 for a symbol that is published
            unchanged.
        """
        return self.merged(outputs_of(subset_of), self.p.shape[-1])


class Growing:
    """The subset that grows in each joint of a stack, and the symbols that may join.

    Parameters
    ----------
    stack : Stack
        N joint distributions.
    notion : LiftNotion
        The condition that each subset has to satisfy.
    waiting : numpy.ndarray of bool, shape (N, X)
        The symbols that may join.
    subsets : numpy.ndarray of bool, shape (N, X), optional
        The subsets to begin with. Without, there is none yet; that counts as private.

    Attributes
    ----------
    p_given_s, p : numpy.ndarray, shapes (S, N) and (N,)
        P(X in subset | s) and P(X in subset): their ratio is the lift of the subset.
    """

    def __init__(
        self,
        stack: Stack,
        notion: LiftNotion,
        waiting: Mask,
        subsets: Mask | None = None,
    ) -> None:
        self.stack = stack
        self.notion = notion
        if subsets is None:
            # equal, because a lift of 1 is private
            self.p_given_s = np.ones(stack.p_s.T.shape)
            self.p = np.ones(len(stack))
        else:
            self.p_given_s = np.einsum("snx,nx->sn", stack.x_given_s, subsets)
            self.p = np.einsum("nx,nx->n", stack.p_x, subsets)
        self.waiting = waiting
        self.symbols = np.broadcast_to(np.arange(waiting.shape[1]), waiting.shape)
        self.p_x = stack.p_x
        self.x_given_s = stack.x_given_s
        self._drop_joined()

    def _drop_joined(self) -> None:
        """Keep only columns of symbols that wait, first in each row and in order.

        The columns are copied, so that later changes leave the stack as it is.
        """
        n, n_columns = self.waiting.shape
        self.width = int(self.waiting.sum(axis=1).max(initial=0))
        # additions until so many symbols have joined that dropping them pays
        self.patience = max(FEW // max(n, 1), int((1 - KEPT) * self.width) + 1)
        kept = np.argsort(~self.waiting, axis=1, kind="stable")[:, : self.width]
        place = kept + np.arange(n)[:, None] * n_columns
        self.waiting = self.waiting.take(place)
        self.symbols = self.symbols.take(place)
        self.p_x = self.p_x.take(place)
        by_secret = self.x_given_s.reshape(len(self.p_given_s), -1)
        self.x_given_s = by_secret.take(place, axis=1)

    def _all(self, rows: Rows) -> Rows | slice:
        """Return the rows, or a slice if they are all: views are faster than copies."""
        return slice(None) if rows.size == len(self.stack) else rows

    def satisfied(self, rows: Rows) -> Mask:
        """Return which subsets satisfy the notion, shape (R,)."""
        at = self._all(rows)
        lifts = (self.p_given_s[:, at] / self.p[at]).T[:, :, None]
        return self.notion.kept_columns(lifts, self.stack.p_s[at])[:, 0]

    def start(self, rows: Rows, risk: Matrix) -> Symbols:
        """Begin new subsets with the waiting symbol of most risk; return it.

        ``risk`` holds the risk of each symbol of the stack, shape (N, X). Ties go to
        the first symbol. Shape (R,).
        """
        at = self._all(rows)
        self.p_given_s[:, at] = 0
        self.p[at] = 0
        of_column = np.take_along_axis(risk[at], self.symbols[at], axis=1)
        of_column[~self.waiting[at]] = -np.inf
        return self._add(rows, of_column.argmax(axis=1))

    def add_nearest(self, rows: Rows) -> Symbols:
        """Add the symbol whose union with the subset has the least risk; return it.

        If every union has an infinite risk (zero cells), it is the one with the
        smallest max-lift. Ties go to the first symbol. Shape (R,).
        """
        self.patience -= 1
        if self.patience < 0:
            self._drop_joined()
        at = self._all(rows)
        waiting = self.waiting[at]
        risk = np.where(waiting, self._over_unions(at, self.notion.risk), np.inf)
        best = risk.argmin(axis=1)
        least = risk.min(axis=1)
        if least.max() == np.inf:
            zero = np.isinf(least)
            most = self._over_unions(at, lambda lifts, _: lifts.max(axis=-2))
            best[zero] = np.where(waiting, most, np.inf)[zero].argmin(axis=1)
        return self._add(rows, best)

    def _over_unions(self, at: Rows | slice, measure: Measure) -> Matrix:
        """Return a measure of the lifts of the unions with each symbol, shape (R, K).

        It is taken of blocks that fit into a processor's cache.
        """
        x_given_s = self.x_given_s[:, at]
        p_x = self.p_x[at]
        p_given_s = self.p_given_s[:, at]
        p = self.p[at]
        p_s = self.stack.p_s[at]
        n_secret, n, width = x_given_s.shape
        n_rows = max(1, BLOCK // (n_secret * max(width, 1)))
        n_columns = width if n_rows > 1 else max(1, BLOCK // n_secret)
        values = np.empty((n, width))
        for i in range(0, n, n_rows):
            r = slice(i, i + n_rows)
            for j in range(0, width, n_columns):
                k = slice(j, j + n_columns)
                # below E23 eq. (14): the lift of a subset is P(subset|s) / P(subset)
                lifts = x_given_s[:, r, k] + p_given_s[:, r, None]
                lifts /= p_x[r, k] + p[r, None]
                values[r, k] = measure(lifts.swapaxes(0, 1), p_s[r])
        return values

    def _add(self, rows: Rows, column: Symbols) -> Symbols:
        """Add the symbol of one column to each subset; return the symbols."""
        at = self._all(rows)
        place = rows * self.width + column
        by_secret = self.x_given_s.reshape(len(self.p_given_s), -1)
        self.p_given_s[:, at] += by_secret.take(place, axis=1)
        self.p[at] += self.p_x.take(place)
        self.waiting.reshape(-1)[place] = False
        return self.symbols.take(place)


def grow(stack: Stack, notion: LiftNotion, subsets: Mask, others: Mask) -> Mask:
    """Return subsets extended by least risk until they satisfy the notion.

    E23 Algorithm 1, lines 6 to 9. All arrays are masks of shape (N, X); ``others`` are
    the symbols that may be added.
    """
    subsets = subsets.copy()
    failing = np.flatnonzero(others.any(axis=1) & ~stack.satisfy(notion, subsets))
    if not failing.size:
        return subsets
    others = others[failing]
    growing = Growing(stack.some(failing), notion, others, subsets[failing])
    rows = np.arange(failing.size)
    n_others = others.sum(axis=1)
    for turn in range(n_others.max()):
        rows = rows[n_others[rows] > turn]
        rows = rows[~growing.satisfied(rows)]
        if not rows.size:
            break
        subsets[failing[rows], growing.add_nearest(rows)] = True
    return subsets


def outputs_of(subset_of: Symbols) -> Symbols:
    """Return the output of each symbol: those published unchanged come first.

    ``subset_of``, shape (..., X), holds the number of each symbol's subset, or -1.

    Examples
    --------
    >>> outputs_of(np.array([1, -1, 0, 1, -1])).tolist()
    [3, 0, 2, 3, 1]
    """
    low = subset_of < 0
    n_low = low.sum(axis=-1, keepdims=True)
    return np.where(low, low.cumsum(axis=-1) - 1, n_low + subset_of)
