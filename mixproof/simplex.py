"""A dual simplex method for many programs side by side: min c v, l <= v <= u, low <= R
v <= high.

The programs share R, low and high, and differ in costs, boxes and bases. Each has a
*slot*, one row of every array, and a step makes one pivot, with bound flipping, in all
slots. All bounds are finite, so any basis is dual feasible once each nonbasic variable
is at the bound that the sign of its reduced cost tells, and a program can start from
any basis.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mixproof.limits import UNLIMITED, Clock
from mixproof.numerics import Mask, Matrix, Vector

PRIMAL_TOL = 1e-11  # the largest violation of a bound, with rows scaled to unit size
# a smaller violation that cannot be removed is rounding in a flat polytope
LOOSE_TOL = 1e-7
PIVOT_TOL = 1e-9  # the smallest pivot
REFACTOR_STEPS = 40  # pivots after which the inverse of a basis is recomputed
# ratio tests at most that are ended by sorting their breakpoints instead of scanning
# for the next one
FEW = 16
SORTED = 32  # breakpoints that are sorted at a time
MAX_STEPS = 500  # pivots after which a program is given up (its bound holds)
# share of the slots whose programs must be ended before they are looked after together
ENDED_SHARE = 0.15
# the size of the perturbation of costs at a refactorisation, because ties can make a
# cycle
COST_PERTURBATION = 1e-9
GOLDEN_RATIO = 0.6180339887
SMALLEST_STEP = 1e-200  # so that the reduced cost of a leaving variable has a sign
# multiplications in a product of matrices that OpenBLAS leaves to one thread
SERIAL_PRODUCT = 1 << 18
# the cost of auxiliary variables: not 0, so that a reduced cost has a sign
AUXILIARY_COST = 1e-13
MAX_INVERSES_BYTES = 2e8  # memory of the inverses of all slots, twice
ACTIVE, OPTIMAL, ABOVE, INFEASIBLE, STUCK, LOOSE = range(6)


def uneven_shares(n: int) -> Vector:
    """Return n different numbers in [0, 1), which break ties between coordinates: the
    fractional parts of multiples of the golden ratio.
    """
    return np.asarray((GOLDEN_RATIO * np.arange(n)) % 1.0)


def surprise(t: Any) -> Any:
    """Return -t log t, with 0 at 0."""
    t = np.maximum(t, 1e-300)
    return -t * np.log(t)


def product(rows: Matrix, table: Matrix, out: Any = None) -> Matrix:
    """Return ``rows @ table``, in blocks so small that BLAS does not divide them among
    threads.

    Such threads wait for one another for longer than they compute, and sums would
    depend on their number.
    """
    k, m = rows.shape
    n = table.shape[1]
    out = np.empty((k, n)) if out is None else out
    block = max(1, SERIAL_PRODUCT // (m * n))
    whole = k // block * block
    blocks = rows[:whole].reshape(-1, block, m)
    products = out[:whole].reshape(-1, block, n)
    np.matmul(blocks, table, out=products)
    np.matmul(rows[whole:], table, out=out[whole:])
    return np.asarray(out)


def slots_for(rows: Matrix, most: int) -> int:
    """Return how many programs with these rows to solve side by side, at most ``most``.

    Examples
    --------
    >>> slots_for(np.zeros((20, 500)), 1024), slots_for(np.zeros((1000, 500)), 1024)
    (1024, 12)
    """
    bytes_per_slot = 16 * len(rows) ** 2
    fitting = int(MAX_INVERSES_BYTES / bytes_per_slot)
    return min(most, max(1, fitting))


class Entering(NamedTuple):
    """What the ratio tests of one step find in each of k slots.

    Attributes
    ----------
    variable : numpy.ndarray of int, shape (k,)
        The entering variable; -1 if there is none.
    length : numpy.ndarray, shape (k,)
        The dual step.
    moved : numpy.ndarray, shape (k, m)
        The sum of the columns of flipped variables, times their changes.
    violation : numpy.ndarray, shape (k,)
        What flips leave of the violation.
    flips : list of pairs of int arrays
        Slots, and the variables that flip there.
    """

    variable: Any
    length: Vector
    moved: Matrix
    violation: Vector
    flips: list[tuple[Any, Any]]


class Simplex:
    """Linear programs min c v, least <= v <= most, low <= R v <= high, solved side by
    side in slots.

    The slack of row s is variable n + s, so that T v = 0 with T = (R | -I). Basic and
    fixed variables have the reduced cost infinity, so that they never enter; any other
    variable is at the bound that the sign of its reduced cost tells. Slots 0, ...,
    ``used`` - 1 are in use.
    """

    PER_SLOT: tuple[str, ...] = (
        "reduced",
        "least",
        "most",
        "inverse",
        "basis",
        "basic",
        "bounds",
        "cost",
        "objective",
        "limit",
        "status",
        "age",
    )

    def __init__(self, rows: Matrix, low: Vector, high: Vector, slots: int) -> None:
        m, n = rows.shape
        self.table = np.hstack([rows, -np.eye(m)])
        self.columns = np.ascontiguousarray(self.table.T)
        self.m = m
        self.n = n
        self.slots = slots
        self.used = 0
        every = (slots, n + m)  # shape of a number for each variable
        self.reduced = np.empty(every)
        self.least = np.empty(every)
        self.most = np.empty(every)
        self.least[:, n:] = low
        self.most[:, n:] = high
        self.inverse = np.empty((slots, m, m))
        self.basis = np.empty((slots, m), np.int64)
        self.basic = np.empty((slots, m))  # values of basic variables
        self.bounds = np.empty((2, slots, m)).transpose(1, 0, 2)  # their least and most
        self.cost = np.empty(every)
        self.objective = np.empty(slots)
        self.limit = np.empty(slots)
        self.status = np.zeros(slots, np.int8)
        self.age = np.zeros(slots, np.int64)
        self.row = np.zeros(slots, np.int64)
        self.worst = np.zeros(slots)
        self.above = np.zeros(slots, bool)
        # room for what a step computes
        self._pivots = np.empty(every)
        self._ratios = np.empty(every)
        self._outer = np.empty((slots, m, m))
        self._at_most = np.empty(every, bool)
        self._every = np.arange(slots)
        self._every_variable = np.arange(n + m)
        self.pivots = 0
        self.steps = 0

    def start(self, at: Any, cost: Matrix, limit: Any) -> None:
        """Start new programs in slots whose boxes, bases and inverses are in place."""
        self.cost[at, : self.n] = cost
        self.cost[at, self.n :] = 0.0
        self.limit[at] = limit
        self.age[at] = 0
        self.place(at)

    def place(self, at: Any) -> None:
        """Compute reduced costs, basic variables and objectives from the bases.

        Multipliers are y = c_B B^-1 and reduced costs d = c - y T, for the table T.
        Nonbasic variables x_N are at the bound that d calls cheaper, and the basic ones
        are x_B = -B^-1 N x_N, so that the objective is d x_N.
        """
        basis = self.basis[at]
        inverse = self.inverse[at]
        cost = self.cost[at]
        every = self._every[: len(basis), None]
        least = self.least[at]
        most = self.most[at]
        of_basis = cost[every, basis]
        multipliers = np.matmul(of_basis[:, None, :], inverse)[:, 0]
        reduced = cost - product(multipliers, self.table)
        reduced += 0.0  # so that no zero is negative
        values = np.where(reduced < 0, most, least)
        values[every, basis] = 0.0
        self.objective[at] = np.einsum("bj,bj->b", reduced, values)
        right = product(values, self.columns)
        solved = np.matmul(inverse, right[:, :, None])
        self.basic[at] = -solved[:, :, 0]
        reduced[most <= least] = np.inf
        reduced[every, basis] = np.inf
        self.reduced[at] = reduced
        self.status[at] = ACTIVE
        self.bounds[at, 0] = least[every, basis]
        self.bounds[at, 1] = most[every, basis]

    def restart(self, at: Any) -> None:
        """Start again from the slack basis, with perturbed costs."""
        self.from_slacks(at)
        self.refactor(at)

    def from_slacks(self, at: Any) -> None:
        """Make the slacks the basis."""
        self.basis[at] = np.arange(self.n, self.n + self.m)
        self.inverse[at] = -np.eye(self.m)

    def inverses(self, basis: Any) -> Any:
        """Return the inverses of bases, shape (k, m, m); numpy.linalg.LinAlgError is
        raised if one is singular.
        """
        return np.linalg.inv(self.columns[basis].transpose(0, 2, 1))

    def refactor(self, at: Any) -> None:
        """Recompute inverses, and perturb costs, which ends a cycle.

        Bounds are computed from the multipliers and the exact costs, so that a
        perturbed program's bound is valid too.
        """
        try:
            self.inverse[at] = self.inverses(self.basis[at])
        except np.linalg.LinAlgError:
            self.from_slacks(at)
        uneven = 1.0 + uneven_shares(self.n)
        self.cost[at, : self.n] += COST_PERTURBATION * uneven
        self.place(at)

    def find_violations(self) -> None:
        """Find the basic variable that misses its bounds most, in each slot.

        Writes its ``row``, by how much it misses (``worst``), and whether it is
        ``above`` its bounds or below.
        """
        k = self.used
        every = self._every[:k]
        below = self.bounds[:k, 0] - self.basic[:k]
        above = self.basic[:k] - self.bounds[:k, 1]
        violation = np.maximum(below, above)
        row = violation.argmax(1)
        self.row[:k] = row
        self.worst[:k] = violation[every, row]
        self.above[:k] = above[every, row] > below[every, row]

    def mark_ended(self) -> Mask:
        """Mark optimal programs and those above their limits; return all ended ones."""
        k = self.used
        status = self.status[:k]
        active = status == ACTIVE
        status[active & (self.worst[:k] <= PRIMAL_TOL)] = OPTIMAL
        status[active & (self.objective[:k] >= self.limit[:k])] = ABOVE
        return np.asarray(status != ACTIVE)

    def pivot(self) -> None:
        """Make one pivot in every active slot (others pass through unchanged).

        1. The leaving variable is in the row of the largest violation; its row of the
           tableau says how reduced costs change.
        2. A ratio test finds the entering variable, and flips others on the way.
        3. Basis, inverse, values and reduced costs follow.
        """
        k = self.used
        rows = self.row[:k]
        sign = np.where(self.above[:k], 1.0, -1.0)
        sign[self.status[:k] != ACTIVE] = 0.0
        leaving = self.inverse[self._every[:k], rows] * sign[:, None]
        product(leaving, self.table, self._pivots[:k])
        self.steps += 1
        found = self._ratio_test(np.flatnonzero(sign))
        good = found.variable >= 0
        if not good.all():
            found.length[~good] = 0.0
            found.moved[~good] = 0.0
        slots = np.flatnonzero(good)
        self.pivots += slots.size
        row = rows[slots]
        entering = found.variable[slots]
        self._change_values(slots, row, entering, found.moved)
        self._change_costs(slots, row, sign, found)
        self._change_basis(slots, row, entering)
        age = self.age[:k]
        age += 1
        old = np.flatnonzero(good & (age % REFACTOR_STEPS == 0))
        if old.size:
            self.refactor(old)
            stuck = old[age[old] >= MAX_STEPS]
            self.status[stuck] = STUCK

    def _change_values(self, g: Any, r: Any, e: Any, moved: Matrix) -> None:
        """Update basic variables and inverses: e enters in row r of the slots g.

        ``moved`` is the sum of the columns of flipped variables, times their changes.
        """
        k = self.used
        inverse = self.inverse[:k]
        basic = self.basic[:k]
        both = np.zeros((k, self.m, 2))  # one product is faster than two
        both[:, :, 0] = moved
        both[g, :, 1] = self.columns[e]
        both = np.matmul(inverse, both)
        change = both[:, :, 0]
        column = both[:, :, 1]
        np.subtract(basic, change, out=basic)
        pivot = column[g, r]
        at_most = self.reduced[g, e] < 0
        entering_value = np.where(at_most, self.most[g, e], self.least[g, e])
        least = self.bounds[g, 0, r]
        most = self.bounds[g, 1, r]
        bound = np.where(self.above[g], most, least)
        theta = np.zeros(k)
        theta[g] = (basic[g, r] - bound) / pivot
        np.subtract(basic, theta[:, None] * column, out=basic)
        basic[g, r] = entering_value + theta[g]
        # the inverse changes by a matrix of rank one, and its row r is divided
        pivot_row = np.zeros((k, self.m))
        pivot_row[g] = inverse[g, r] / pivot[:, None]
        column[g, r] = 0.0
        outer = self._outer[:k]
        np.multiply(column[:, :, None], pivot_row[:, None, :], out=outer)
        np.subtract(inverse, outer, out=inverse)
        inverse[g, r] = pivot_row[g]

    def _change_costs(self, g: Any, r: Any, sign: Vector, found: Entering) -> None:
        """Update reduced costs; their signs say at which bounds variables are.

        Those of the rows r of the slots g leave, above their bounds where ``sign`` is 1
        and below where it is -1.
        """
        k = self.used
        reduced = self.reduced[:k]
        pivots = self._pivots[:k]
        good = found.variable >= 0
        at_most = np.less(reduced, 0.0, out=self._at_most[:k])
        for slot, variable in found.flips:
            at_most[slot, variable] ^= good[slot]
        np.multiply(pivots, found.length[:, None], out=pivots)
        np.subtract(reduced, pivots, out=reduced)
        wrong = np.nonzero((reduced < 0.0) != at_most)  # by rounding, at ties
        reduced[wrong] = np.where(at_most[wrong], -SMALLEST_STEP, SMALLEST_STEP)
        # a variable that leaves is at the bound that it missed
        fixed = self.bounds[g, 0, r] >= self.bounds[g, 1, r]
        step = np.maximum(found.length[g], SMALLEST_STEP)
        leaving = self.basis[g, r]
        reduced[g, leaving] = np.where(fixed, np.inf, -sign[g] * step)
        reduced[g, found.variable[g]] = np.inf

    def _change_basis(self, g: Any, r: Any, e: Any) -> None:
        """Put variables e into rows r of the bases of the slots g."""
        self.bounds[g, 0, r] = self.least[g, e]
        self.bounds[g, 1, r] = self.most[g, e]
        self.basis[g, r] = e

    def _ratio_test(self, going: Any) -> Entering:
        """Return which variables enter in the slots ``going``, and which flip.

        A breakpoint is the dual step at which a reduced cost changes its sign. They are
        passed in order: a variable whose range does not remove the violation is flipped
        to its other bound, and the first that does enters.
        """
        k = self.used
        # inverse ratios: the largest is the next breakpoint
        np.divide(self._pivots[:k], self.reduced[:k], out=self._ratios[:k])
        found = Entering(
            variable=np.full(k, -1),
            length=np.zeros(k),
            moved=np.zeros((k, self.m)),
            violation=self.worst[:k].copy(),
            flips=[],
        )
        left = going
        while left.size > FEW:
            left = self._pass_breakpoints(*self._next_breakpoints(left), found)
        if left.size:
            self._pass_sorted(left, found)
        failed = going[found.variable[going] < 0]
        if failed.size:
            loose = found.violation[failed] < LOOSE_TOL
            self.status[failed] = np.where(loose, LOOSE, INFEASIBLE)
        return found

    def _next_breakpoints(self, going: Any) -> tuple[Any, Any, Vector]:
        """Return the slots that have a next breakpoint, its variable and its inverse
        ratio.
        """
        ratios = self._ratios[: self.used]
        while True:
            at = (ratios if going.size == self.used else ratios[going]).argmax(1)
            ratio = ratios[going, at]
            usable = ratio > 0.0
            if usable.all():
                return going, at, ratio
            blank = going[np.isnan(ratio)]  # 0 / 0, which argmax takes for the largest
            if not blank.size:
                return going[usable], at[usable], ratio[usable]
            ratios[blank] = np.nan_to_num(ratios[blank], nan=0.0)

    def _pass_breakpoints(
        self, going: Any, at: Any, ratio: Vector, found: Entering
    ) -> Any:
        """Let variables enter or flip at a breakpoint of each slot; return the slots
        where they flip.
        """
        size = np.abs(self._pivots[going, at])
        width = self.most[going, at] - self.least[going, at]
        before = found.violation[going]
        after = before - size * width
        step = 1.0 / ratio
        self.objective[going] += before * (step - found.length[going])
        found.length[going] = step
        enters = (after < PRIMAL_TOL) & (size > PIVOT_TOL)
        found.variable[going[enters]] = at[enters]
        flips = ~enters
        going = going[flips]
        at = at[flips]
        width = width[flips]
        found.violation[going] = after[flips]
        change = np.where(self.reduced[going, at] < 0, -width, width)
        found.moved[going] += change[:, None] * self.columns[at]
        self._ratios[going, at] = 0.0
        found.flips.append((going, at))
        return going

    def _pass_sorted(self, going: Any, found: Entering) -> None:
        """Complete ratio tests among the next ``SORTED`` breakpoints, where a step is
        cut.
        """
        every = self._every[: going.size]
        each = every[:, None]
        slot = going[:, None]
        ratios = np.nan_to_num(self._ratios[going], nan=0.0, posinf=np.inf)
        n_variables = ratios.shape[1]
        most = min(SORTED, n_variables)
        # the variables with the largest ratios, in falling order, shape (k, most)
        largest = np.argpartition(ratios, -most, axis=1)[:, -most:]
        rising = np.argsort(ratios[each, largest], axis=1)
        order = largest[each, rising[:, ::-1]]
        ratios = ratios[each, order]
        usable = ratios > 0.0
        size = np.abs(self._pivots[slot, order])
        reduced = np.where(usable, self.reduced[slot, order], 0.0)
        width = self.most[slot, order] - self.least[slot, order]
        width[~usable] = 0.0
        removed = size * width
        left = found.violation[slot] - np.cumsum(removed, axis=1)
        large = size > PIVOT_TOL
        enters = (left < PRIMAL_TOL) & large & usable
        if most < n_variables:  # the step is cut at the last one
            enters[:, -1] |= usable[:, -1] & large[:, -1]
        last = enters.argmax(1)
        any_enters = enters[every, last]
        found.variable[going] = np.where(any_enters, order[every, last], -1)
        found.violation[going] = left[:, -1]
        flipped = self._every_variable[:most] < last[:, None]
        width[~flipped] = 0.0
        length = found.length[going]
        step = np.where(any_enters, 1.0 / ratios[every, last], 0.0)
        before = left[every, last] + removed[every, last]
        slope = np.abs(reduced) - length[:, None] * size
        gain = np.einsum("bj,bj->b", slope, width)
        self.objective[going] += (step - length) * before + gain
        found.length[going] = step
        change = np.where(reduced < 0, -width, width)
        columns = self.columns[order]
        moved = np.matmul(change[:, None, :], columns)
        found.moved[going] += moved[:, 0]
        which, at = np.nonzero(change)
        found.flips.append((going[which], order[which, at]))

    def multipliers(self, at: Any) -> Matrix:
        """Return the multipliers of the rows in some slots."""
        of_basis = self.cost[at[:, None], self.basis[at]]
        multipliers = np.matmul(of_basis[:, None, :], self.inverse[at])
        return np.asarray(multipliers[:, 0])

    def points(self, at: Any) -> Matrix:
        """Return the solutions v in some slots, shape (k, n), without the slacks."""
        at_most = self.reduced[at] < 0
        values = np.where(at_most, self.most[at], self.least[at])
        every = self._every[: len(at), None]
        values[every, self.basis[at]] = self.basic[at]
        # a basic variable may miss its bound, 0 or more, by the tolerance
        return np.asarray(np.maximum(values[:, : self.n], 0.0))

    def compact(self, free: Any) -> tuple[Any, Any]:
        """Move programs from the last slots into free ones; return where to and where
        from.
        """
        kept = self.used - free.size
        holes = free[free < kept]
        tail = np.ones(self.used, bool)
        tail[free] = False
        sources = kept + np.flatnonzero(tail[kept:])
        if holes.size:
            for name in self.PER_SLOT:
                array = getattr(self, name)
                array[holes] = array[sources]
        self.used = kept
        return holes, sources

    def step(self) -> Any:
        """Make one pivot in every slot whose program goes on; return the slots of ended
        ones, once they are many.
        """
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            self.find_violations()
            ended = self.mark_ended()
            count = np.count_nonzero(ended)
            if count < self.used:
                self.pivot()
        if count < ENDED_SHARE * self.used:
            return np.empty(0, np.int64)
        return np.flatnonzero(ended)

    def ended(self, clock: Clock = UNLIMITED) -> Iterator[Any]:
        """Make steps, and yield the slots of ended programs, until no slot is in use or
        the time is over.
        """
        while self.used and clock.left > 0:
            if (done := self.step()).size:
                yield done

    def without(self, free: Any, values: Any) -> Any:
        """Free slots by :meth:`compact`, and return what belongs to the others."""
        holes, sources = self.compact(free)
        values[holes] = values[sources]
        return values[: self.used]
