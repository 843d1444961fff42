"""Two-sided constraints: opposite halfspaces combined into rows with two bounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mixproof.numerics import Matrix, Vector

# unit-size directions that differ by at most this are equal up to rounding
DIRECTION_TOL = 1e-13
# number of coordinates up to which all pairs of directions are compared at once
MAX_PAIRWISE_SIZE = 20_000


class Constraints(NamedTuple):
    """The polytope as {v >= 0, low <= rows @ v <= high}; the last row is the sum.

    Attributes
    ----------
    rows : numpy.ndarray, shape (m, n)
    low, high : numpy.ndarray, shape (m,)
        Finite bounds; if G bounds one side only, the simplex itself bounds the other.
    sides : numpy.ndarray of int, shape (m, 2)
        The row of G that gives the lower and the upper bound, -1 if none does.
    sizes : numpy.ndarray, shape (m, 2)
        The factor by which that row of G was divided.
    """

    rows: Matrix
    low: Vector
    high: Vector
    sides: NDArray[np.int64]
    sizes: Matrix

    def widened(self, slack: Vector) -> tuple[Vector, Vector]:
        """Return the bounds relaxed so that they hold for all v with G v >= -slack."""
        room = np.zeros(self.sides.shape)
        bounded = self.sides >= 0
        room[bounded] = slack[self.sides[bounded]] / self.sizes[bounded]
        return self.low - room[:, 0], self.high + room[:, 1]

    def pulled_back(self, multipliers: Matrix) -> tuple[NDArray[np.int64], Matrix]:
        """Return the sides, and signed multipliers of the rows of G.

        A multiplier is positive for a lower side and negative for an upper side. The
        last one belongs to the sum, and absorbs the constants of the bounds.
        """
        lower = np.maximum(multipliers, 0)
        upper = np.maximum(-multipliers, 0)
        # a bound without a row of G is implied by the simplex: it needs no multiplier,
        # only its constant
        has_lower, has_upper = self.sides.T >= 0
        lower_size, upper_size = self.sizes.T
        signed = np.where(has_lower, lower / lower_size, 0.0)
        signed -= np.where(has_upper, upper / upper_size, 0.0)
        signed[:, -1] = lower @ self.low - upper @ self.high
        return self.sides[:-1], np.asarray(signed)


def two_sided(halfspaces: Matrix) -> Constraints:
    """Return G v >= 0 on the simplex as two-sided constraints, G of shape (m, n).

    Examples
    --------
    >>> halfspaces = [[1.1, -0.9, 0.5], [-1.8, 2.2, -0.6], [0.0, 0.0, 0.0]]
    >>> found = two_sided(np.array(halfspaces))
    >>> found.sides.tolist()  # the first two bound one direction, the last says nothing
    [[0, 1], [-1, -1]]
    >>> found.rows[0].round(3).tolist()
    [1.0, -1.0, 0.4]
    >>> round(float(found.low[0]), 3), round(float(found.high[0]), 3)
    (-0.1, 0.1)
    """
    needed, unit, middle, size = _scaled(halfspaces)
    # opposite rows become equal: the first large entry of each is positive
    where = np.argmax(np.abs(unit) > 0.5, axis=1)
    first = unit[np.arange(len(unit)), where]
    sign = np.where(first < 0, -1.0, 1.0)
    unit *= sign[:, None]
    # unit @ v >= bound where the sign is 1, <= where it is -1
    bound = -middle / size * sign
    group = _groups(unit)
    count = int(group.max(initial=-1)) + 1
    rows = np.ones((count + 1, halfspaces.shape[1]))
    rows[group] = unit
    # the simplex itself bounds each direction by 1, and the sum is 1
    ends = np.tile([-1.0, 1.0], (count + 1, 1))
    sides = np.full((count + 1, 2), -1)
    sizes = np.ones((count + 1, 2))
    for side, sharper in ((0, 1.0), (1, -1.0)):
        those = np.flatnonzero(sign == sharper)[::-1]
        # the tightest bound is written last; ties go to the first
        tightest_last = np.argsort(sharper * bound[those], kind="stable")
        those = those[tightest_last]
        at = group[those]
        ends[at, side] = bound[those]
        sides[at, side] = needed[those]
        sizes[at, side] = size[those]
    low, high = ends.T.copy()
    low[-1] = 1.0
    return Constraints(rows, low, high, sides, sizes)


def _scaled(
    halfspaces: Matrix,
) -> tuple[NDArray[np.int64], Matrix, Vector, Vector]:
    """Return which rows are needed, and these with entries from -1 to 1.

    Such a row is (g - middle) / size, where middle and size, shape (k,), are the centre
    and half the width of the range of g's entries: as v sums to 1, it is at least
    -middle / size where g v >= 0.
    """
    most = halfspaces.max(axis=1, initial=-np.inf)
    least = halfspaces.min(axis=1, initial=np.inf)
    middle = (most + least) / 2
    size = (most - least) / 2
    # a constant row is redundant because P_X is feasible; so is a row that is positive
    # everywhere
    needed = np.flatnonzero((size > 0) & (least < 0))
    middle = middle[needed]
    size = size[needed]
    unit = (halfspaces[needed] - middle[:, None]) / size[:, None]
    # rounding must not put a coordinate beyond 1, which bounds a direction that has no
    # halfspace on that side
    return needed, np.clip(unit, -1.0, 1.0), middle, size


def _groups(unit: Matrix) -> NDArray[np.int64]:
    """Return a group number for each row, equal for rows of equal direction.

    Each row of a group is within the tolerance of the group's first: rows that are
    alike to the next one only, in a chain, are in several groups.
    """
    count, n = unit.shape
    group = np.full(count, -1)
    if unit.size * count <= MAX_PAIRWISE_SIZE:
        close = np.abs(unit[:, None] - unit) <= DIRECTION_TOL
        alike = np.asarray(close.all(axis=2))
        for k in range(count):
            if group[k] < 0:
                group[alike[k] & (group < 0)] = group.max() + 1
        return group
    # rows of equal direction are neighbours along a generic direction
    along = unit @ np.sqrt(np.arange(2.0, n + 2))
    near = DIRECTION_TOL * n**1.5
    order = np.argsort(along, kind="stable")
    n_groups = 0
    first = np.zeros(count, bool)
    for at, k in enumerate(order):
        for other in order[:at][::-1]:
            if along[k] - along[other] > near:
                break
            if first[other] and np.abs(unit[k] - unit[other]).max() <= DIRECTION_TOL:
                group[k] = group[other]
                break
        if group[k] < 0:
            group[k] = n_groups
            first[k] = True
            n_groups += 1
    return group
