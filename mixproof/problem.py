"""The polytope as branch and bound sees it, and what one pass of it finds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from mixproof.constraints import DIRECTION_TOL, Constraints
from mixproof.numerics import UNIT_ROUNDOFF, Matrix, Vector

# a constraint of unit size with less slack than this at a feasible point is an equality
EQUALITY_TOL = 1e-7
# a pass ends at a column that saves more than this share of what any can
EARLY_STOP_SHARE = 0.5
# a pass that looks for several columns ends at this many below its cutoff
COLUMNS_PER_PASS = 30
MAX_COLUMNS = 400  # columns that a pass keeps at most
MIN_SAVING = 1e-9  # nats: a column that saves no more than this is not added
# more than what a search rounds, in units of the last place
ROUNDING_ROOM = 8
# a column is kept if it saves more than this share of what the best one so far saves
MIN_RELATIVE_SAVING = 0.3


class Problem(NamedTuple):
    """The polytope, with bounds for the search and relaxed (safe) bounds for proofs.

    The last columns belong to auxiliary variables, each between 0 and its entry of
    ``upper``.
    """

    rows: Matrix
    low: Vector
    high: Vector
    safe_low: Vector
    safe_high: Vector
    upper: Vector

    @staticmethod
    def of(
        ranges: Constraints, slack: Vector, inside: Vector, upper: Vector | None = None
    ) -> Problem:
        """Return the polytope; proofs will hold for every v with G v >= -slack.

        ``inside`` is a feasible point, with the auxiliary variables if ``upper`` is
        given. The polytope is searched only to solver precision: a bound that nearly
        touches ``inside`` is moved to it.
        """
        rows = np.ascontiguousarray(ranges.rows)
        values = rows @ inside
        low = np.where(values - ranges.low < EQUALITY_TOL, values, ranges.low)
        high = np.where(ranges.high - values < EQUALITY_TOL, values, ranges.high)
        low[-1] = high[-1] = 1.0
        upper = np.empty(0) if upper is None else upper
        return Problem(rows, low, high, *ranges.widened(slack), upper)

    @property
    def coordinates(self) -> int:
        """Number of coordinates, without auxiliary variables."""
        return int(self.rows.shape[1] - self.upper.size)

    @property
    def sizes(self) -> Vector:
        """The largest number that a row's multiplier scales when a bound is computed,
        shape (m,).
        """
        return np.asarray(2.0 + np.abs(self.low) + np.abs(self.high))

    @property
    def rounding(self) -> float:
        """The relative rounding of a sum over coordinates and rows, with room for other
        orders of summation.
        """
        m, n = self.rows.shape
        return float(ROUNDING_ROOM * (n + 2 * m + 16) * UNIT_ROUNDOFF)

    def with_room_for_rounding(self, caps: Vector) -> Problem:
        """Return the polytope with safe bounds so wide that a bound proven by them
        survives a checker's rounding.

        Rounding grows with the multipliers, which are large where a box is nearly
        feasible; so does what the width of safe bounds subtracts.
        """
        # two_sided takes directions for one that differ by so little
        unit = self.rounding + DIRECTION_TOL
        room = unit * self.sizes * (1.0 + caps.sum())
        return self._replace(
            safe_low=self.safe_low - room, safe_high=self.safe_high + room
        )

    def rounding_of(self, dual: Vector, caps: Vector, target: Vector) -> float:
        """Return the rounding of a bound, in nats, that grows with the duals and not
        with multipliers.
        """
        entropies = 1.0 + np.log(dual.size) + 0.4 * dual.size  # -t log t is at most .37
        of_duals = np.abs(dual) @ (caps + 2.0 * target)
        return self.rounding * float(entropies + of_duals)


class Records(NamedTuple):
    """The solved nodes with their multipliers, parents before children."""

    parent: Any  # (K,)
    child: Any  # (K,) child number within the parent
    kind: Any  # (K,)
    symbol: Any  # (K,) the coordinate that BISECT splits
    level: Any  # (K,)
    multipliers: Any  # (K, m)

    @staticmethod
    def empty(count: int, m: int) -> Records:
        """Return empty records with room for ``count`` nodes."""
        return Records(
            parent=np.zeros(count, np.int64),
            child=np.zeros(count, np.int64),
            kind=np.zeros(count, np.int64),
            symbol=np.zeros(count, np.int64),
            level=np.zeros(count),
            multipliers=np.zeros((count, m)),
        )

    def grown(self) -> Records:
        """Return a copy with twice the room."""
        doubled = (np.concatenate([array, np.zeros_like(array)]) for array in self)
        return Records(*doubled)


@dataclass
class Pass:
    """What one pass of branch and bound finds for given duals.

    Attributes
    ----------
    dual, order : numpy.ndarray, shape (n,)
        The dual value of each coordinate, and the order in which FIRST visits the
        coordinates.
    cutoff, tolerance : float
        A node is closed when its bound reaches the cutoff, and not branched for less
        than the tolerance.
    records : Records
        The solved nodes; the first ``nodes`` entries are in use.
    several : bool
        Whether to stop at ``COLUMNS_PER_PASS`` columns below the cutoff rather than at
        one that saves ``EARLY_STOP_SHARE``.
    closed, least : float
        The lowest bound of closed or abandoned nodes, and, once the pass has ended, of
        all: no point has a lower price.
    lowest, cheap : float, int
        The lowest price of a column, and the number of columns below the cutoff.
    """

    dual: Vector
    order: Any
    cutoff: float
    tolerance: float
    records: Records
    several: bool = False
    nodes: int = 0
    closed: float = np.inf
    least: float = -np.inf
    lowest: float = 0.0
    cheap: int = 0
    columns: list[tuple[float, Vector]] = field(default_factory=list)

    @staticmethod
    def start(
        dual: Vector, cutoff: float, tolerance: float, m: int, *, several: bool = False
    ) -> Pass:
        """Return a new pass."""
        return Pass(
            dual,
            np.argsort(dual, kind="stable"),
            cutoff,
            tolerance,
            Records.empty(512, m),
            several,
        )

    @property
    def needed(self) -> float:
        """The price below which a column is kept."""
        return min(-self.tolerance, MIN_RELATIVE_SAVING * self.lowest)

    def note(self, point: Vector, price: float) -> None:
        """Keep a column, with coordinates in FIRST's order, if it saves enough."""
        if price < self.needed and len(self.columns) < MAX_COLUMNS:
            column = np.zeros(point.size)
            column[self.order] = point
            self.columns.append((price, column))
            self.lowest = min(self.lowest, price)
            self.cheap += price < self.cutoff

    @property
    def found(self) -> Matrix:
        """The columns found, in order of increasing price."""
        by_price = sorted(self.columns, key=lambda one: one[0])
        columns = [column for _, column in by_price]
        return np.array(columns).reshape(-1, self.dual.size)

    @property
    def size(self) -> int:
        """Memory of the records in use, in bytes."""
        return int(self.nodes * sum(array[:1].nbytes for array in self.records))

    def ended(self) -> Pass:
        """Return what a proof needs, in new arrays."""
        records = Records(*(array[: self.nodes].copy() for array in self.records))
        return replace(self, records=records, columns=[])
