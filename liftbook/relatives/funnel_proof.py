"""A proven upper bound on I(X; Y) under the privacy funnel, and its check.

With prices c of the symbols and mu of the leakage, a posterior v has the reduced cost

    H(v) - c.v + mu (H(S) - H(P_{S|X} v)),

a concave function (the entropy of v) plus a convex one. If no posterior's reduced cost is below L, then by weak duality
no release with I(S; Y) <= eps has more than H(X) - c.P_X - L + mu eps nats of I(X; Y). On a box of posteriors, secants
bound the concave part from below and a tangent the convex part, because -H(u) >= sum_s u_s log q_s for every
distribution q. The resulting bound is linear on the box, so its minimum has a closed form. The proof is a tree of boxes
that covers all posteriors, with a tangent for each leaf; checking it needs no solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftlib.joint import Joint
from liftlib.measures.information import entropy
from mixproof.errors import InvalidProof
from mixproof.numerics import Mask, Matrix, Vector, entropies, xlogx

ZERO_WIDTH = 1e-12
"""A side of a box that is shorter than this has length 0."""

ROUNDING_ERROR = 1e-13
"""Relative error allowed for each term of a sum, several hundred times the floating-point precision."""

LARGEST_LOG = 750.0
"""No positive floating-point number has a logarithm beyond this."""


class Prices(NamedTuple):
    """Dual prices of the symbols, c (nats, shape (X,)), and of the leakage, mu >= 0."""

    symbols: Vector
    leakage: float


class FunnelProof(NamedTuple):
    """A proof of an upper bound on I(X; Y) for releases with I(S; Y) <= eps.

    The tree's nodes are listed in breadth-first order. The root is the whole simplex. A node that is split has two
    children: in the first, the coordinate ``symbol`` is at most ``level``; in the second, at least.

    Attributes
    ----------
    prices : Prices
    symbol, level : numpy.ndarray, shape (N,)
        The coordinate in which each node is split (-1 for a leaf), and the level of the split.
    tangent : numpy.ndarray, shape (N, S)
        The distribution q of each leaf's tangent.
    """

    prices: Prices
    symbol: NDArray[np.int64]
    level: Vector
    tangent: Matrix


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes of posteriors, ``low <= v <= high`` with sum v = 1; both of shape (B, X)."""

    low: Matrix
    high: Matrix

    @classmethod
    def simplex(cls, n_public: int) -> Boxes:
        """Return one box with all posteriors."""
        return cls(np.zeros((1, n_public)), np.ones((1, n_public)))

    def some(self, which: Mask | NDArray[np.int64]) -> Boxes:
        """Return the boxes at these indices."""
        return Boxes(self.low[which], self.high[which])

    def with_more(self, more: Boxes) -> Boxes:
        """Return these boxes with others appended."""
        return Boxes(np.concatenate([self.low, more.low]), np.concatenate([self.high, more.high]))

    @property
    def empty(self) -> Mask:
        """Whether each box contains no distribution, beyond rounding errors."""
        low, high = self.low, self.high
        return np.asarray(
            (low > high + ZERO_WIDTH).any(axis=1)
            | (low.sum(axis=1) > 1 + ZERO_WIDTH)
            | (high.sum(axis=1) < 1 - ZERO_WIDTH)
        )

    @property
    def secants(self) -> tuple[Matrix, Vector]:
        """The slopes of the secants of -t log t, (B, X), and their constants, (B,)."""
        width = self.high - self.low
        wide = width > ZERO_WIDTH
        slope = np.where(wide, (xlogx(self.low) - xlogx(self.high)) / np.where(wide, width, 1.0), 0.0)
        return slope, np.asarray((-xlogx(self.low) - slope * self.low).sum(axis=1))

    def halves(self, symbol: NDArray[np.int64], level: Vector) -> Boxes:
        """Return both children of each box, tightened to the simplex."""
        at = np.arange(len(symbol))
        low, high = np.repeat(self.low, 2, axis=0), np.repeat(self.high, 2, axis=0)
        inside = np.clip(level, self.low[at, symbol], self.high[at, symbol])
        high[2 * at, symbol] = inside
        low[2 * at + 1, symbol] = inside
        high = np.minimum(high, 1 - (low.sum(axis=1, keepdims=True) - low))
        low = np.maximum(low, 1 - (high.sum(axis=1, keepdims=True) - high))
        return Boxes(low, high)

    def cheapest(self, cost: Matrix) -> Matrix:
        """Return the distribution in each box that minimises a linear cost."""
        order = np.argsort(cost, axis=1)
        width = np.take_along_axis(self.high - self.low, order, axis=1)
        before = np.cumsum(width, axis=1) - width
        filled = np.clip(1 - self.low.sum(axis=1, keepdims=True) - before, 0.0, width)
        points = np.empty_like(self.low)
        np.put_along_axis(points, order, np.take_along_axis(self.low, order, axis=1) + filled, axis=1)
        return points


def reduced_costs(joint: Joint, prices: Prices, posteriors: Matrix) -> Vector:
    """Return the reduced cost of each posterior, nats, shape (M,).

    Examples
    --------
    >>> joint = Joint([[0.5, 0.0], [0.0, 0.5]])
    >>> reduced_costs(joint, Prices(np.zeros(2), 2.0), np.array([[1.0, 0.0], [0.5, 0.5]])).round(4).tolist()
    [1.3863, 0.6931]
    """
    leakage = entropy(joint.p_s) - entropies(posteriors @ joint.s_given_x.T)
    return np.asarray(entropies(posteriors) - posteriors @ prices.symbols + prices.leakage * leakage)


def bounded(joint: Joint, prices: Prices, boxes: Boxes, tangent: Matrix) -> tuple[Vector, Matrix]:
    """Return a lower bound on the reduced costs in each box, and its minimiser.

    The bound is -inf where ``tangent``, shape (B, S), is not a positive vector.
    """
    slope, constant = boxes.secants
    valid = np.asarray((np.isfinite(tangent) & (tangent > 0)).all(axis=1))
    q = np.where(valid[:, None], tangent, 1.0)
    cost = slope - prices.symbols + prices.leakage * np.log(q / q.sum(axis=1, keepdims=True)) @ joint.s_given_x
    points = boxes.cheapest(cost)
    value = (cost * points).sum(axis=1) + constant + prices.leakage * entropy(joint.p_s)
    return np.where(valid, value, -np.inf), points


def rounding(joint: Joint, prices: Prices, budget: float) -> float:
    """Return the allowance for rounding errors in a bound, in nats."""
    largest = 1 + np.abs(prices.symbols).max() + prices.leakage * (LARGEST_LOG + budget)
    return float(1e-9 + ROUNDING_ERROR * (joint.n_public + joint.n_secret) * largest)


def upper_bound(joint: Joint, prices: Prices, least: float, budget: float) -> float:
    """Return the bound on I(X; Y), nats, implied by a bound on all reduced costs."""
    bound = entropy(joint.p_x) - float(joint.p_x @ prices.symbols) - least + prices.leakage * budget
    return bound + rounding(joint, prices, budget)


def check_bound(joint: Joint, budget: float, proof: FunnelProof) -> float:
    """Return the upper bound on I(X; Y), nats, that a proof establishes.

    The bound includes an allowance for rounding: 10^-9 nats, and more if prices are large.

    Parameters
    ----------
    joint : Joint
        P_SX.
    budget : float
        eps, the bound on I(S; Y), nats.
    proof : FunnelProof

    Raises
    ------
    InvalidProof
        If the tree is incomplete or too long, an index is out of range, a number is not finite, or a price or tangent
        is negative.

    Examples
    --------
    >>> joint = Joint([[0.5, 0.0], [0.0, 0.5]])  # S = X, so that I(X; Y) = I(S; Y)
    >>> prices = Prices(np.zeros(2), 1.0)
    >>> leaf = FunnelProof(prices, np.array([-1]), np.array([0.0]), np.array([[0.5, 0.5]]))
    >>> round(check_bound(joint, 0.3, leaf), 6)  # the whole simplex as one leaf: not sharp
    0.993147
    """
    prices, symbol, level, tangent = proof
    n, nodes = joint.n_public, len(symbol)
    if not (np.isfinite(prices.symbols).all() and 0 <= prices.leakage < np.inf):
        raise InvalidProof(f"prices must be finite, and that of leakage at least 0, not {prices}")
    shapes = prices.symbols.shape, symbol.shape, level.shape, tangent.shape
    if shapes != ((n,), (nodes,), (nodes,), (nodes, joint.n_secret)):
        raise InvalidProof(f"the proof's arrays have shapes {shapes}, which do not fit {n} symbols and {nodes} nodes")
    if (symbol >= n).any() or not np.isfinite(level).all():
        raise InvalidProof(f"a node is split in a coordinate that is not below {n}, or at a level that is not finite")
    boxes, start, least = Boxes.simplex(n), 0, np.inf
    while len(boxes.low):
        layer = slice(start, start + len(boxes.low))
        if layer.stop > nodes:
            raise InvalidProof(f"the tree has more nodes than the {nodes} listed")
        split = np.asarray(symbol[layer] >= 0)
        leaves = np.flatnonzero(~split & ~boxes.empty)
        leaf_bounds, _ = bounded(joint, prices, boxes.some(leaves), tangent[layer][leaves])
        if not np.isfinite(leaf_bounds).all():
            raise InvalidProof("a leaf has no finite bound: every tangent must be a positive distribution")
        least = min(least, float(leaf_bounds.min(initial=np.inf)))
        boxes, start = boxes.some(split).halves(symbol[layer][split], level[layer][split]), layer.stop
    if start < nodes:
        raise InvalidProof(f"the tree ends after {start} of the {nodes} nodes listed")
    bound = upper_bound(joint, prices, least, budget)
    if np.isnan(bound):
        raise InvalidProof("the bound is not a number: prices are too large")
    return bound
