"""Data structures of branch and bound, shared by both back ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mixproof.constraints import Constraints
from mixproof.numerics import Matrix, Vector

LEAF, FIRST, BISECT = 0, 1, 2  # what became of a node
RECORDED, OPEN, LISTED, LOWEST_PRICE, LEAST_BOUND, CHEAP, SOLVED = range(7)  # places in a pass's state
MAX_DEPTH = 4096  # the largest depth of a node
MAX_DENSE_COORDINATES = 64  # coordinates beyond which HiGHS solves the master problem, and threads share the work
TIGHTENING_MARGIN = 1e-12  # margin of an upper bound that follows from the other bounds
EQUALITY_TOL = 1e-7  # a constraint of unit size with less slack than this at a feasible point is an equality
EARLY_STOP_SHARE = 0.5  # a pass ends at a column that saves more than this share of what any can
COLUMNS_PER_PASS = 30  # a pass that looks for several columns ends at this many below its cutoff
POINT_WIDTH = 1e-12  # an interval that is narrower than this is a point
MIN_SAVING = 1e-9  # nats: a column that saves no more than this is not added
MIN_BISECTED_WIDTH = 1e-9  # an interval that is wider than this may be halved without a solution that says where
MAX_ENTROPY_SLOPE = 27.6  # nats: the largest slope of entropy, about its slope at 1e-12


class Records(NamedTuple):
    """The solved nodes with their multipliers, parents before children."""

    parent: Any  # (K,)
    child: Any  # (K,) child number within the parent
    kind: Any  # (K,)
    symbol: Any  # (K,) the coordinate that BISECT splits
    level: Any  # (K,)
    multipliers: Any  # (K, m)
    basis: Any  # (K, m)

    @staticmethod
    def empty(count: int, m: int, basis: int) -> Records:
        """Return empty records with room for ``count`` nodes."""
        parent, child, kind, symbol = (np.zeros(count, np.int64) for _ in range(4))
        return Records(
            parent, child, kind, symbol, np.zeros(count), np.zeros((count, m)), np.zeros((count, basis), np.int32)
        )

    def grown(self) -> Records:
        """Return a copy with twice the room."""
        return Records(*(np.concatenate([array, np.zeros_like(array)]) for array in self))


class OpenNodes(NamedTuple):
    """The open nodes: the parent of each, its child number, and a lower bound."""

    parent: Any
    child: Any
    bound: Any

    @staticmethod
    def empty(count: int) -> OpenNodes:
        """Return an empty heap with room for ``count`` nodes."""
        return OpenNodes(np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count))

    def grown(self) -> OpenNodes:
        """Return a copy with twice the room."""
        return OpenNodes(*(np.concatenate([array, np.zeros_like(array)]) for array in self))


class Problem(NamedTuple):
    """The polytope, with bounds for the search and relaxed (safe) bounds for proofs.

    The last columns belong to auxiliary variables, each between 0 and its entry of ``upper``.
    """

    rows: Any
    columns: Any
    low: Any
    high: Any
    safe_low: Any
    safe_high: Any
    upper: Any

    @staticmethod
    def of(ranges: Constraints, slack: Vector, inside: Vector, upper: Vector | None = None) -> Problem:
        """Return the polytope; proofs will hold for every v with G v >= -slack.

        ``inside`` is a feasible point, with the auxiliary variables if ``upper`` is given. The polytope is searched
        only to solver precision: a bound that nearly touches ``inside`` is moved to it.
        """
        rows = np.ascontiguousarray(ranges.rows)
        values = rows @ inside
        low = np.where(values - ranges.low < EQUALITY_TOL, values, ranges.low)
        high = np.where(ranges.high - values < EQUALITY_TOL, values, ranges.high)
        low[-1] = high[-1] = 1.0
        upper = np.empty(0) if upper is None else upper
        return Problem(rows, np.ascontiguousarray(rows.T), low, high, *ranges.widened(slack), upper)


@dataclass
class Pass:
    """One pass of branch and bound for given duals.

    Attributes
    ----------
    dual, order : numpy.ndarray, shape (n,)
        The dual value of each coordinate, and the order in which FIRST visits the coordinates.
    state : numpy.ndarray, shape (7,)
        Nodes recorded, open nodes, columns found, their lowest price, the lowest bound of closed or abandoned nodes,
        number of columns below the cutoff, linear programs solved; at ``RECORDED``, ``OPEN``, ...
    several : bool
        Whether to stop at ``COLUMNS_PER_PASS`` columns below the cutoff rather than at one that saves
        ``EARLY_STOP_SHARE``.
    """

    dual: Vector
    order: Any
    cutoff: float
    tolerance: float
    records: Records
    open_nodes: OpenNodes
    state: Vector
    rows: Matrix
    prices: Vector
    several: bool = False

    @staticmethod
    def start(dual: Vector, cutoff: float, tolerance: float, m: int, basis: int, *, several: bool = False) -> Pass:
        """Return a new pass, with the root as its only open node."""
        n = dual.size
        open_nodes = OpenNodes.empty(64 * n + 256)
        open_nodes.parent[0], open_nodes.child[0], open_nodes.bound[0] = -1, 0, -np.inf
        state = np.zeros(7)
        state[OPEN], state[LEAST_BOUND] = 1.0, np.inf
        order = np.argsort(dual, kind="stable")
        return Pass(
            dual, order, cutoff, tolerance, Records.empty(512, m, basis), open_nodes, state,
            np.zeros((400, n)), np.zeros(400), several,
        )  # fmt: skip

    @property
    def nodes(self) -> int:
        """Number of recorded nodes."""
        return int(self.state[RECORDED])

    @property
    def solved(self) -> int:
        """Number of linear programs solved."""
        return int(self.state[SOLVED])

    @property
    def size(self) -> int:
        """Memory of the nodes, solved and open, in bytes."""
        node = sum(array[:1].nbytes for array in self.records)
        return int(self.nodes * node + self.waiting * sum(array[:1].nbytes for array in self.open_nodes))

    @property
    def waiting(self) -> int:
        """Number of open nodes."""
        return int(self.state[OPEN])

    @property
    def has_enough(self) -> bool:
        """Whether the columns found suffice (one near the optimum, or several cheap ones)."""
        if self.several:
            return bool(self.state[CHEAP] >= COLUMNS_PER_PASS)
        return bool(self.state[LOWEST_PRICE] < min(self.cutoff, EARLY_STOP_SHARE * self.least))

    @property
    def least(self) -> float:
        """A lower bound on the price of every point."""
        return float(min(self.state[LEAST_BOUND], self.open_nodes.bound[: self.waiting].min(initial=np.inf)))

    def next(self) -> tuple[int, int]:
        """Pop the open node with the smallest bound; return its parent and child number."""
        open_nodes, last = self.open_nodes, self.waiting - 1
        at = int(open_nodes.bound[: last + 1].argmin())
        node = int(open_nodes.parent[at]), int(open_nodes.child[at])
        for array in open_nodes:
            array[at] = array[last]
        self.state[OPEN] = last
        return node

    @property
    def found(self) -> Matrix:
        """The columns found, in order of increasing price."""
        count = int(self.state[LISTED])
        return np.asarray(self.rows[:count][np.argsort(self.prices[:count], kind="stable")])

    def ended(self) -> Pass:
        """Return the finished pass without its working data."""
        none = OpenNodes.empty(0)
        state = self.state.copy()
        state[[OPEN, LISTED]] = 0.0
        records = Records(
            *(array[: self.nodes].copy() for array in self.records._replace(basis=np.zeros((self.nodes, 0))))
        )
        return Pass(
            self.dual, self.order, self.cutoff, self.tolerance, records, none, state, self.rows[:0].copy(),
            self.prices[:0].copy(), self.several,
        )  # fmt: skip

    def make_room(self) -> None:
        """Double the arrays that are nearly full."""
        if self.nodes >= len(self.records.parent):
            self.records = self.records.grown()
        if self.waiting + self.dual.size + 3 >= len(self.open_nodes.parent):
            self.open_nodes = self.open_nodes.grown()
