"""Branch and bound without a compiler, executed by HiGHS and numpy."""

from __future__ import annotations

import numpy as np

from mixproof.branch_and_bound import MIN_RELATIVE_SAVING
from mixproof.lp import Boxed
from mixproof.numerics import Matrix, Vector, xlogx
from mixproof.problem import (
    BISECT,
    CHEAP,
    FIRST,
    LEAF,
    LEAST_BOUND,
    LISTED,
    LOWEST_PRICE,
    MAX_ENTROPY_SLOPE,
    MIN_BISECTED_WIDTH,
    MIN_SAVING,
    OPEN,
    POINT_WIDTH,
    RECORDED,
    SOLVED,
    TIGHTENING_MARGIN,
    Pass,
    Problem,
)  # fmt: skip


class Plain:
    """Branch and bound over one polytope, with the interface of ``Compiled``."""

    basis = 0

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._boxed = Boxed(problem.rows, problem.low, problem.high)

    def largest(self) -> tuple[Vector, Matrix]:
        """Return an upper bound on each coordinate, and the multipliers that prove it."""
        every, m = self.problem.columns.shape
        n = every - self.problem.upper.size
        proof = np.zeros((n, m))
        for x in range(n):
            cost = np.zeros(n)
            cost[x] = -1.0
            _, values, proof[x] = self._solve(cost, np.zeros(n), np.ones(n))
            if values is None:
                proof[x] = 0.0
        return caps_of(self.problem, proof), proof

    def descend(self, dual: Vector, starts: Matrix, steps: int = 20) -> tuple[Matrix, Vector]:
        """Return the local minimum reached from each start, and its price (or infinity)."""
        n = dual.size
        rows, prices = np.zeros_like(starts), np.full(len(starts), np.inf)
        nothing, all_of_it = np.zeros(n), np.ones(n)
        for r, start in enumerate(starts):
            here = start
            for _ in range(steps):
                with np.errstate(divide="ignore"):
                    cost = np.minimum(-np.log(here), MAX_ENTROPY_SLOPE) - dual
                solved, values, _ = self._solve(cost, nothing, all_of_it)
                if not solved or values is None:
                    break
                here = np.maximum(values, 0.0)
                price = float(-xlogx(here).sum() - here @ dual)
                if price >= prices[r] - MIN_SAVING:
                    break
                rows[r], prices[r] = here, price
        return rows, prices

    def _solve(self, cost: Vector, least: Vector, most: Vector, *cutoff: float) -> tuple[bool, Vector | None, Vector]:
        """Return the result of ``Boxed.solve`` without the auxiliary variables."""
        upper, n = self.problem.upper, cost.size
        if not upper.size:
            return self._boxed.solve(cost, least, most, *cutoff)
        nothing = np.zeros(upper.size)
        solved, values, multipliers = self._boxed.solve(
            np.append(cost, nothing), np.append(least, nothing), np.append(most, upper), *cutoff
        )
        return solved, None if values is None else values[:n], multipliers

    def explore(self, work: Pass, caps: Vector, nodes: int) -> None:
        """Solve open nodes until none is left, a column suffices, or ``nodes`` are solved."""
        last = work.nodes + nodes
        while work.waiting and work.nodes < last and not work.has_enough:
            work.make_room()
            parent, child = work.next()
            least, most = box(work, parent, child, caps)
            if tighten(least, most):
                self._node(work, parent, child, least, most)

    def _node(self, work: Pass, parent: int, child: int, least: Vector, most: Vector) -> None:
        at = work.nodes
        records = work.records
        records.parent[at], records.child[at], records.kind[at] = parent, child, LEAF
        records.symbol[at], records.level[at] = -1, 0.0
        work.state[RECORDED] = at + 1
        work.state[SOLVED] += 1
        row, value, slopes = self._solved(work, at, least, most)
        if value >= work.cutoff:
            work.state[LEAST_BOUND] = min(work.state[LEAST_BOUND], value)
            return
        reduced_cost, symbol = np.inf, -1
        if row is not None:
            reduced_cost = float(-xlogx(row).sum() - row @ work.dual)
            self._list(work, row, reduced_cost)
            symbol = furthest(least, most, row)
        elif (most - least).max() > MIN_BISECTED_WIDTH and value < work.state[LEAST_BOUND]:
            # no column can be found there, and the bound is no better than that of abandoned nodes
            symbol, row = int((most - least).argmax()), (least + most) / 2
        if symbol < 0 or row is None or reduced_cost - value < work.tolerance:
            work.state[LEAST_BOUND] = min(work.state[LEAST_BOUND], value)
            return
        branch(self.problem, work, at, value, least, most, slopes, row, symbol)

    def _solved(self, work: Pass, at: int, least: Vector, most: Vector) -> tuple[Vector | None, float, Vector]:
        """Record a node's multipliers; return its solution or None, bound and slopes."""
        hull, dual, cutoff = self.problem, work.dual, work.cutoff
        below, above = -xlogx(least), -xlogx(most)
        width = most - least
        wide = width > POINT_WIDTH
        slope = np.where(wide, (above - below) / np.where(wide, width, 1.0), 0.0)
        constant = float((below - slope * least).sum())
        solved, values, multipliers = self._solve(slope - dual, least, most, cutoff - constant)
        value, slopes = bounded(hull, dual, least, most, multipliers)
        if values is None:
            multipliers, value, slopes = impossible(hull, dual, least, most, cutoff, multipliers)
        elif not solved and value < cutoff:
            solved, values, multipliers = self._solve(slope - dual, least, most)
            value, slopes = bounded(hull, dual, least, most, multipliers)
        work.records.multipliers[at] = multipliers
        return np.maximum(values, 0.0) if solved and values is not None else None, value, slopes

    def _list(self, work: Pass, row: Vector, price: float) -> None:
        listed = int(work.state[LISTED])
        if price < min(-work.tolerance, MIN_RELATIVE_SAVING * work.state[LOWEST_PRICE]) and listed < len(work.prices):
            work.rows[listed], work.prices[listed] = row, price
            work.state[LISTED], work.state[LOWEST_PRICE] = listed + 1, min(work.state[LOWEST_PRICE], price)
            work.state[CHEAP] += price < work.cutoff


def tighten(least: Vector, most: Vector) -> bool:
    """Tighten a box to the simplex; return whether it is non-empty."""
    total = 0.0
    for value in least[least > 0]:
        total += value
    if total > 1.0 + TIGHTENING_MARGIN:
        return False
    np.minimum(most, np.maximum(1.0 - total + least, least) + TIGHTENING_MARGIN, out=most)
    return True


def box(work: Pass, parent: int, child: int, caps: Vector) -> tuple[Vector, Vector]:
    """Return the box of a child, before tightening."""
    records = work.records
    path = []
    while parent >= 0:
        path.append((parent, child))
        parent, child = int(records.parent[parent]), int(records.child[parent])
    least, most = np.zeros(caps.size), caps.copy()
    for at, which in reversed(path):
        tighten(least, most)
        level = records.level[at]
        if records.kind[at] == BISECT:
            end = most if which == 0 else least
            end[records.symbol[at]] = level
            continue
        parted = work.order[(least[work.order] == 0) & (most[work.order] > level)]
        if which >= 0:
            parted = parted[: int(np.flatnonzero(parted == which)[0])]
            least[which] = level
        most[parted] = level
    return least, most


def ends(slopes: Vector, least: Vector, most: Vector) -> Vector:
    """Return the smaller value of -t log t - slope t at the two ends of each interval."""
    return np.minimum(-xlogx(least) - slopes * least, -xlogx(most) - slopes * most)


def bounded(hull: Problem, dual: Vector, least: Vector, most: Vector, multipliers: Vector) -> tuple[float, Vector]:
    """Return the lower bound that multipliers prove on a box, and the slopes."""
    n = dual.size
    combined = multipliers @ hull.rows
    slopes = dual + combined[:n]
    constant = constant_of(hull, multipliers, combined[n:])
    return float(constant + ends(slopes, least, most).sum()), slopes


def constant_of(hull: Problem, multipliers: Vector, auxiliary: Vector) -> float:
    """Return the constant term of a bound, minimised over the auxiliary variables."""
    constant = np.where(multipliers >= 0, hull.safe_low, hull.safe_high) @ multipliers
    return float(constant - np.maximum(auxiliary, 0.0) @ hull.upper)


def impossible(
    hull: Problem, dual: Vector, least: Vector, most: Vector, cutoff: float, ray: Vector
) -> tuple[Vector, float, Vector]:
    """Return multipliers on a ray that may prove a box empty, their bound and slopes."""
    growth = []
    for sign in (1.0, -1.0):
        y = sign * ray
        slope = y @ hull.rows
        constant = constant_of(hull, y, slope[dual.size :])
        slope = slope[: dual.size]
        growth.append(float(constant + np.minimum(-slope * least, -slope * most).sum()))
    best = int(np.argmax(growth))
    multipliers = np.zeros_like(ray)
    value, slopes = bounded(hull, dual, least, most, multipliers)
    if growth[best] <= 1e-13:
        return multipliers, value, slopes
    length = max(cutoff - value, 0.0) / growth[best] + 1.0
    for _ in range(3):
        multipliers = (1.0, -1.0)[best] * length * ray
        value, slopes = bounded(hull, dual, least, most, multipliers)
        if value >= cutoff:
            break
        length *= 4.0
    return multipliers, value, slopes


def furthest(least: Vector, most: Vector, row: Vector) -> int:
    """Return the coordinate where entropy most exceeds its secant, or -1."""
    wide = (most - least > POINT_WIDTH) & (row > 1e-13)
    below, above = -xlogx(least), -xlogx(most)
    secant = below + (above - below) / np.where(wide, most - least, 1.0) * (row - least)
    off = np.where(wide, -xlogx(row) - secant, 0.0)
    at = int(off.argmax())
    return at if off[at] > 1e-13 else -1


def branch(
    hull: Problem, work: Pass, at: int, value: float, least: Vector, most: Vector, slopes: Vector, row: Vector, x: int
) -> None:
    """Branch at a node, and push the children with bounds below the cutoff."""
    records, multipliers = work.records, work.records.multipliers[at]
    if least[x] > 0:
        a, b = least[x], most[x]
        level = min(max(row[x], a + 0.2 * (b - a)), b - 0.2 * (b - a))
        records.kind[at], records.symbol[at], records.level[at] = BISECT, x, level
        _push(work, at, [0, 1], [value, value])
        return
    free = least == 0
    level = 0.5 * most[free].max()
    records.kind[at], records.symbol[at], records.level[at] = FIRST, -1, level
    _push(work, at, [-1], [value])
    parted = work.order[(free & (most > level))[work.order]]
    terms = ends(slopes, least, most)
    capped = ends(slopes[parted], least[parted], np.full(parted.size, level))
    above = ends(slopes[parted], np.full(parted.size, level), most[parted])
    before = np.append(0.0, np.cumsum(capped - terms[parted]))[:-1]
    constant = constant_of(hull, multipliers, multipliers @ hull.rows[:, least.size :])
    bounds = constant + terms.sum() + before - terms[parted] + above
    waits = bounds < work.cutoff
    work.state[LEAST_BOUND] = min(work.state[LEAST_BOUND], bounds[~waits].min(initial=np.inf))
    _push(work, at, parted[waits], np.maximum(value, bounds[waits]))


def _push(work: Pass, parent: int, children: object, bounds: object) -> None:
    size = work.waiting
    child, bound = np.asarray(children), np.asarray(bounds)
    more = slice(size, size + child.size)
    work.open_nodes.parent[more], work.open_nodes.child[more], work.open_nodes.bound[more] = parent, child, bound
    work.state[OPEN] = size + child.size


def caps_of(hull: Problem, proof: Matrix) -> Vector:
    """Return the upper bounds on coordinates that multipliers, shape (n, m), prove."""
    y = proof[:, :-1]
    constant = np.where(y >= 0, hull.safe_low[:-1], hull.safe_high[:-1]) * y
    n = len(proof)
    combined = y @ hull.rows[:-1]
    values = combined[:, :n] + np.eye(n)
    auxiliary = np.maximum(combined[:, n:], 0.0) @ hull.upper
    return np.asarray(np.minimum(1.0, values.max(axis=1) + auxiliary - constant.sum(axis=1)))
