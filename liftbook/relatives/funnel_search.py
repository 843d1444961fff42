"""Branch and bound over posteriors for the privacy funnel.

See :mod:`liftbook.relatives.funnel_proof` for the bound on a box and for the proof that this search assembles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftbook.relatives.funnel_proof import Boxes, FunnelProof, Prices, bounded, reduced_costs
from liftlib.joint import Joint
from mixproof.numerics import Matrix, Vector, entropies, xlogx

BATCH_SIZE = 256
"""Boxes that are bounded at a time, those with the lowest bounds first."""

MAX_IMPROVING = 64
"""Improving posteriors after which a search ends early, to be continued with new prices."""

N_TANGENTS = 12
"""Tangents tried for each box; the best one is kept."""

STEP_LENGTHS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
"""Step lengths tried on the way to the next tangent."""

TANGENT_FLOOR = 1e-9
"""Share of the uniform distribution in the point of a tangent, so that its logarithms are finite."""

N_STARTS = 16
"""Number of points of a batch, the ones with the lowest reduced costs, from which descents start."""

DESCENT_STEPS = 200
"""Steps of a descent."""

ZERO_TOL = 1e-12
"""A coordinate that a descent takes below this is 0."""

SPLIT_MARGIN = 0.2
"""Share of a side that each child of a box retains at least."""


class Search(NamedTuple):
    """The result of branch and bound.

    Attributes
    ----------
    least : float
        A lower bound on the reduced cost of every posterior, nats, at most 0; ``proof`` proves it.
    posteriors : numpy.ndarray, shape (M, X)
        Posteriors with a negative reduced cost, which improve the mixture.
    nodes : int
        Number of boxes that were bounded.
    """

    least: float
    posteriors: Matrix
    proof: FunnelProof
    nodes: int


def search(joint: Joint, prices: Prices, target: float, nodes: int) -> Search:
    """Return a lower bound on all reduced costs, found by branch and bound.

    The search ends once the bound is at least ``-target`` (nats), ``nodes`` boxes were bounded, or it has found enough
    improving posteriors. It returns those whose reduced cost is below an eighth of ``-target``.
    """
    tree, improving, solved = _Tree(joint, prices), [np.zeros((0, joint.n_public))], 0
    while tree.open.size and solved < nodes and sum(map(len, improving)) < MAX_IMPROVING:
        batch = tree.take()
        solved += len(batch)
        points = _closest(joint, prices, tree, batch)
        starts = points[np.argsort(reduced_costs(joint, prices, points))[:N_STARTS]]
        candidates = np.concatenate([starts, descended(joint, prices, starts)])
        improving.append(candidates[reduced_costs(joint, prices, candidates) < -target / 8])
        further = tree.bound[batch] < -target
        tree.split(batch[further], points[further])
    return Search(tree.least, np.concatenate(improving), tree.proof(), solved)


def descended(joint: Joint, prices: Prices, points: Matrix) -> Matrix:
    """Return the end points of descents on the reduced cost, shape (M, X).

    Each step replaces the concave part by its tangent. The convex part is smooth relative to the negative entropy, by
    the log-sum inequality, so a mirror step of length 1 / mu does not raise their sum.
    """
    length = 1 / max(prices.leakage, 1.0)
    for _ in range(DESCENT_STEPS):
        with np.errstate(divide="ignore"):
            log_points = np.log(points)
        gradient = np.log(np.maximum(points @ joint.s_given_x.T, ZERO_TOL)) @ joint.s_given_x
        log_points = (1 + length) * log_points + length * (prices.symbols - prices.leakage * gradient)
        points = np.exp(log_points - log_points.max(axis=1, keepdims=True))
        points = np.where(points < ZERO_TOL, 0.0, points)
        points /= points.sum(axis=1, keepdims=True)
    return points


class _Tree:
    """The nodes in order of creation, with their boxes and bounds."""

    def __init__(self, joint: Joint, prices: Prices) -> None:
        self.joint, self.prices = joint, prices
        self.boxes = Boxes.simplex(joint.n_public)
        self.tangent = np.ones((1, joint.n_secret))
        self.bound, _ = bounded(joint, prices, self.boxes, self.tangent)
        self.symbol, self.level, self.child = np.array([-1]), np.zeros(1), np.array([-1])
        self.open = np.array([0])

    def take(self) -> NDArray[np.int64]:
        """Remove and return a batch of open nodes with the lowest bounds."""
        order = np.argsort(self.bound[self.open], kind="stable")
        batch, self.open = self.open[order[:BATCH_SIZE]], self.open[order[BATCH_SIZE:]]
        return batch

    def split(self, nodes: NDArray[np.int64], points: Matrix) -> None:
        """Split each node in the coordinate whose entropy term exceeds its secant most.

        If the secants explain little of the distance between bound and reduced cost, the longest side is split.
        """
        boxes, at, size = self.boxes.some(nodes), np.arange(len(nodes)), len(self.bound)
        slope, _ = boxes.secants
        excess = -xlogx(points) + xlogx(boxes.low) - slope * (points - boxes.low)
        distance = reduced_costs(self.joint, self.prices, points) - self.bound[nodes]
        by_secant = excess.sum(axis=1) >= distance / 2
        symbol = np.where(by_secant, excess.argmax(axis=1), (boxes.high - boxes.low).argmax(axis=1))
        low, high = boxes.low[at, symbol], boxes.high[at, symbol]
        inside = np.clip(points[at, symbol], low + SPLIT_MARGIN * (high - low), high - SPLIT_MARGIN * (high - low))
        level = np.where(low == 0, high / 2, inside)
        self.symbol[nodes], self.level[nodes], self.child[nodes] = symbol, level, size + 2 * at
        more = boxes.halves(symbol, level)
        tangent = np.repeat(self.tangent[nodes], 2, axis=0)
        bound = np.where(more.empty, np.inf, bounded(self.joint, self.prices, more, tangent)[0])
        self.boxes = self.boxes.with_more(more)
        self.tangent, self.bound = np.concatenate([self.tangent, tangent]), np.append(self.bound, bound)
        self.symbol = np.append(self.symbol, np.full(len(bound), -1))
        self.child = np.append(self.child, np.full(len(bound), -1))
        self.level = np.append(self.level, np.zeros(len(bound)))
        self.open = np.append(self.open, size + np.flatnonzero(~more.empty))

    @property
    def least(self) -> float:
        """The lowest bound of a leaf, at most 0."""
        return float(min(self.bound[self.child < 0].min(), 0.0))

    def proof(self) -> FunnelProof:
        """Return the tree in breadth-first order."""
        layers, layer = [], np.array([0])
        while layer.size:
            layers.append(layer)
            first = self.child[layer][self.child[layer] >= 0]
            layer = np.stack([first, first + 1], axis=1).ravel()
        order = np.concatenate(layers)
        return FunnelProof(self.prices, self.symbol[order], self.level[order], self.tangent[order])


def _closest(joint: Joint, prices: Prices, tree: _Tree, batch: NDArray[np.int64]) -> Matrix:
    """Tighten a batch of nodes' bounds by better tangents, and return their points."""
    boxes = tree.boxes.some(batch)
    slope, _ = boxes.secants
    width = boxes.high - boxes.low
    room = 1 - boxes.low.sum(axis=1, keepdims=True)
    points = boxes.low + width * (room / np.maximum(width.sum(axis=1, keepdims=True), ZERO_TOL))

    def relaxed(v: Matrix) -> Vector:
        return np.asarray(
            ((slope - prices.symbols) * v).sum(axis=1) - prices.leakage * entropies(v @ joint.s_given_x.T)
        )

    for _ in range(N_TANGENTS):
        tangent = (1 - TANGENT_FLOOR) * np.maximum(points @ joint.s_given_x.T, 0.0) + TANGENT_FLOOR / joint.n_secret
        bound, ends = bounded(joint, prices, boxes, tangent)
        better = bound > tree.bound[batch]
        tree.bound[batch[better]], tree.tangent[batch[better]] = bound[better], tangent[better]
        way = ends - points
        step = np.array(STEP_LENGTHS)[np.argmin([relaxed(points + length * way) for length in STEP_LENGTHS], axis=0)]
        points = points + step[:, None] * way
    return np.asarray(points)
