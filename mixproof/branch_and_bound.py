"""Branch and bound for the minimum of H(v) - dual v over a polytope, with many nodes
side by side.

The polytope is {v >= 0, sum v = 1, low <= R v <= high} (Falk and Soland 1969). On a
box, entropy is bounded below by its secant in each coordinate, which gives a linear
program. Any multipliers of the constraints bound its optimum from below: the Lagrangian
separates into coordinates, and each term is concave, so it is smallest at an end of its
interval. Each node therefore stores its multipliers, so the bound can be checked
without a solver, and rounding in a pivot costs steps but never a proof.

There are two kinds of branching. FIRST splits the box according to the first
coordinate, in a fixed order, that exceeds a level (child -1: none does; child j:
coordinate j). BISECT splits the interval of one coordinate at a level (children 0 and
1). Only nodes with multipliers are recorded; every other child is bounded by its
parent's multipliers.

Up to ``SLOTS`` nodes are solved side by side (``simplex``). Those whose programs are
ended are closed or branched together, and the open nodes with the smallest bounds take
their slots.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mixproof.numerics import Mask, Matrix, Vector
from mixproof.open_nodes import Branched, OpenNodes, Taken
from mixproof.problem import COLUMNS_PER_PASS, EARLY_STOP_SHARE, Pass, Problem
from mixproof.proof import BISECT, FIRST, LEAF
from mixproof.simplex import (
    ABOVE,
    AUXILIARY_COST,
    INFEASIBLE,
    LOOSE,
    OPTIMAL,
    Simplex,
    product,
    slots_for,
    surprise,
)

# nodes side by side: some hundreds, before arithmetic and not calls of numpy takes most
# of the time
SLOTS = 1024
# slots in use at the start of a tree, because a column may be found soon
FIRST_SLOTS = 128
PROGRAMS_PER_SLOT = 4  # solved programs for each slot in use
REFILL_SHARE = 0.1  # slots are filled when this share of those in use is free
MAX_RETRIES = 2  # how often a program without a proof starts again from the slacks
TIGHTENING_MARGIN = 1e-12  # margin of an upper bound that follows from the other bounds
POINT_WIDTH = 1e-12  # an interval that is narrower than this is a point
# nats: a coordinate whose entropy is nearer to its secant is not branched on
MIN_SECANT_GAP = 1e-13
# an interval that is wider than this may be halved without a solution that says where
MIN_BISECTED_WIDTH = 1e-9
END_SHARE = 0.2  # BISECT splits no nearer to an end than this share of the interval
MIN_GROWTH = 1e-13  # a ray along which a bound grows more slowly proves nothing


class Boxes(NamedTuple):
    """The boxes of some nodes, each shape (k, n), with -t log t at both ends of each
    interval.
    """

    least: Matrix
    most: Matrix
    low: Matrix
    high: Matrix

    def of(self, which: Any, symbols: int | None = None) -> Boxes:
        """Return some of the boxes, and the first coordinates."""
        return Boxes(*(array[which, :symbols] for array in self))


class Division(NamedTuple):
    """Where to divide nodes, each shape (k,)."""

    symbol: Any  # -1 where a node is not divided
    middle: Vector  # the level that BISECT would take, if it is not near an end
    halved: Mask  # whether no solution says where


class Tree(Simplex):
    """The open nodes of one pass, and those in slots. Coordinates are in the order in
    which FIRST visits them.

    Parameters
    ----------
    problem : Problem
    work : Pass
        What the tree finds is written here.
    caps : numpy.ndarray, shape (n,)
        The largest value of each coordinate.
    """

    PER_SLOT = (*Simplex.PER_SLOT, "low", "high", "origin", "which", "bound", "retried")

    def __init__(
        self, problem: Problem, work: Pass, caps: Vector, slots: int = SLOTS
    ) -> None:
        slots = slots_for(problem.rows, slots)
        auxiliary = np.arange(caps.size, problem.rows.shape[1])
        order = np.concatenate([work.order, auxiliary])
        rows = np.ascontiguousarray(problem.rows[:, order])
        super().__init__(rows, problem.low, problem.high, slots)
        self.work = work
        self.problem = problem
        self.symbols = caps.size  # the others are auxiliary variables, without entropy
        auxiliary = np.zeros(self.n - caps.size)
        self.dual = np.append(work.dual[work.order], auxiliary)
        self.low = np.zeros((slots, self.n))
        self.high = np.zeros((slots, self.n))
        self.origin = np.zeros(slots, np.int64)
        self.which = np.zeros(slots, np.int64)
        self.bound = np.zeros(slots)
        self.retried = np.zeros(slots, np.int8)
        slacks = np.arange(self.n, self.n + self.m)
        most = np.append(caps[work.order], problem.upper)
        self.branched = Branched(most, slacks)
        self.open = OpenNodes()
        self.open.push([0], [0], [-np.inf])

    @property
    def waiting(self) -> int:
        """Number of open nodes, with those in slots."""
        return self.open.waiting + self.used

    @property
    def least_price(self) -> float:
        """A lower bound on the price of every point."""
        return min(
            self.work.closed,
            self.open.least,
            float(self.bound[: self.used].min(initial=np.inf)),
        )

    @property
    def has_enough(self) -> bool:
        """Whether the columns found suffice (one near the optimum, or several cheap
        ones).
        """
        if self.work.several:
            return self.work.cheap >= COLUMNS_PER_PASS
        lowest = self.work.lowest
        return (
            lowest < self.work.cutoff and lowest < EARLY_STOP_SHARE * self.least_price
        )

    @property
    def size(self) -> int:
        """Memory of the nodes, in bytes."""
        return self.work.size + self.open.size + self.branched.size

    def explore(self, most: float = np.inf) -> Iterator[None]:
        """Solve open nodes until none is left, the columns suffice, or ``most`` are
        solved; yield at each step.
        """
        while not self.has_enough:
            left = most - self.work.nodes - self.used
            more = left > 0 and self.open.waiting
            room = self._room()
            if more and room >= REFILL_SHARE * self.used:
                self._fill(int(min(room, self.open.waiting, left)))
            if not self.used:
                if not more:
                    return
                continue
            done = self.step()
            if done.size:
                self._finish(done)
            yield

    def _room(self) -> int:
        """Return how many nodes to take: few at first, because a column may be found
        soon.
        """
        in_use = max(FIRST_SLOTS, self.work.nodes / PROGRAMS_PER_SLOT)
        return int(min(self.slots, in_use)) - self.used

    def _fill(self, count: int) -> None:
        """Take the open nodes with the smallest bounds, and start their programs."""
        taken = self.open.take(count)
        least, most = self._narrowed(taken.node, taken.child)
        s = self.symbols
        least_of_v = least[:, :s]
        most_of_v = most[:, :s]
        total = least_of_v.sum(1)
        possible = total <= 1.0 + TIGHTENING_MARGIN
        # a small margin covers rounding, so that a checker may sum in any order
        rest = np.maximum(1.0 - total[:, None] + least_of_v, least_of_v)
        np.minimum(most_of_v, rest + TIGHTENING_MARGIN, out=most_of_v)
        if not possible.all():
            self.branched.release(taken.node[~possible])
            taken = Taken(*(array[possible] for array in taken))
            least = least[possible]
            most = most[possible]
        at = slice(self.used, self.used + len(least))
        self.used = at.stop
        self.least[at, : self.n] = least
        self.most[at, : self.n] = most
        self._start_from_parents(at, taken.node)
        self.origin[at] = taken.node
        self.which[at] = taken.child
        self.bound[at] = taken.bound
        self.retried[at] = 0
        low = np.zeros_like(least)
        high = np.zeros_like(most)
        positive = least > 0.0
        low[positive] = surprise(least[positive])
        high[:, :s] = surprise(most[:, :s])
        self.low[at] = low
        self.high[at] = high
        width = most - least
        width[width <= POINT_WIDTH] = np.inf
        slope = (high - low) / width
        constant = low.sum(1) - np.einsum("bj,bj->b", slope, least)
        slope -= self.dual
        slope[:, s:] = AUXILIARY_COST
        self.start(at, slope, self.work.cutoff - constant)

    def _start_from_parents(self, at: Any, origin: Any) -> None:
        """Put the parents' bases and their inverses into slots.

        Nodes store no inverses, which would be most of a tree's memory.
        """
        # children of one node often come together
        nodes, place = np.unique(origin, return_inverse=True)
        basis = self.branched["basis"][nodes].astype(np.int64)
        try:
            inverse = self.inverses(basis)
        except np.linalg.LinAlgError:  # rounding made a basis singular
            self.from_slacks(at)
            return
        self.basis[at] = basis[place]
        self.inverse[at] = inverse[place]

    def _narrowed(self, origin: Any, child: Any) -> tuple[Matrix, Matrix]:
        """Return the boxes of children, before they are tightened."""
        nodes = self.branched
        least = nodes["least"][origin]
        most = nodes["most"][origin]
        kind = nodes["kind"][origin]
        level = nodes["level"][origin]
        symbol = nodes["symbol"][origin]
        first = kind == FIRST
        # FIRST caps the coordinates before its child's; all, if none exceeds the level
        n_before = np.where(child < 0, self.symbols, child)
        n_before[~first] = 0
        capped = (np.arange(self.n) < n_before[:, None]) & (least == 0.0)
        np.minimum(most, level[:, None], out=most, where=capped)
        bisect = kind == BISECT
        lower = np.flatnonzero(bisect & (child == 0))
        most[lower, symbol[lower]] = level[lower]
        above = (bisect & (child == 1)) | (first & (child >= 0))
        upper = np.flatnonzero(above)
        raised = np.where(first, child, symbol)[upper]
        least[upper, raised] = level[upper]
        return least, most

    def _finish(self, done: Any) -> None:
        """Close or branch the nodes in slots whose programs are ended."""
        work = self.work
        status = self.status[done]
        y = self.multipliers(done)
        boxes = Boxes(
            self.least[done, : self.n],
            self.most[done, : self.n],
            self.low[done],
            self.high[done],
        )
        lost = np.flatnonzero((status == INFEASIBLE) | (status == LOOSE))
        if lost.size:
            y[lost] = self._impossible(done[lost], y[lost], boxes.of(lost))
        value, slopes, terms = self._bounded(y, boxes)
        below = value < work.cutoff
        proven = (status == OPTIMAL) | (status == ABOVE)
        unproven = below & ~proven & (self.retried[done] < MAX_RETRIES)
        again = unproven | (below & (status == ABOVE))
        if again.any():
            self.limit[done[again]] = np.inf  # solve to optimality
            self.place(done[again])
            self.retried[done[unproven]] += 1
            self.restart(done[unproven])
            done, status, y, value, below, slopes, terms = (
                x[~again] for x in (done, status, y, value, below, slopes, terms)
            )
            boxes = boxes.of(~again)
        origin = self.origin[done]
        records = self._record(done, y)
        closed = ~below
        some = np.flatnonzero(below)
        if some.size:
            s = self.symbols
            branched = self._branch(
                done[some],
                records[some],
                value[some],
                slopes[some, :s],
                terms[some, :s],
                boxes.of(some, s),
            )
            closed[some] = ~branched
        work.closed = min(work.closed, float(value[closed].min(initial=np.inf)))
        self.branched.release(origin)
        self.compact(done)

    def _record(self, done: Any, y: Matrix) -> Any:
        """Record solved nodes; return their places."""
        work = self.work
        new = np.arange(work.nodes, work.nodes + done.size)
        work.nodes += done.size
        while work.nodes > len(work.records.parent):
            work.records = work.records.grown()
        records = work.records
        origin = self.origin[done]
        child = self.which[done]
        first = (self.branched["kind"][origin] == FIRST) & (child >= 0)
        child[first] = work.order[child[first]]
        records.parent[new] = self.branched["record"][origin]
        records.child[new] = child
        records.kind[new] = LEAF
        records.symbol[new] = -1
        records.level[new] = 0.0
        records.multipliers[new] = y
        return new

    def _bounded(
        self, y: Matrix, boxes: Boxes, dual: Any = None
    ) -> tuple[Vector, Matrix, Matrix]:
        """Return the bounds that multipliers prove over boxes, the slopes and the terms
        of coordinates.
        """
        slopes = product(y, self.table)[:, : self.n]
        slopes += self.dual if dual is None else dual
        problem = self.problem
        bounds = np.where(y >= 0.0, problem.safe_low, problem.safe_high)
        constant = (y * bounds).sum(1)
        terms = boxes.low - slopes * boxes.least
        np.minimum(terms, boxes.high - slopes * boxes.most, out=terms)
        return constant + terms.sum(1), slopes, terms

    def _impossible(self, at: Any, y: Matrix, boxes: Boxes) -> Matrix:
        """Return multipliers moved along the rays that prove boxes empty, so that the
        bounds reach the cutoff.
        """
        sign = np.where(self.above[at], -1.0, 1.0)
        ray = self.inverse[at, self.row[at]] * sign[:, None]
        nothing = np.zeros_like(boxes.low)
        flat = boxes._replace(low=nothing, high=nothing)
        forth = self._bounded(ray, flat, 0.0)[0]
        back = self._bounded(-ray, flat, 0.0)[0]
        ray = np.where((back > forth)[:, None], -ray, ray)
        speed = np.maximum(forth, back)
        value = self._bounded(y, boxes)[0]
        best = y
        missing = np.maximum(self.work.cutoff - value, 0.0)
        length = missing / np.maximum(speed, MIN_GROWTH) + 1.0
        length[speed <= MIN_GROWTH] = 0.0
        for _ in range(3):
            further = y + length[:, None] * ray
            there = self._bounded(further, boxes)[0]
            better = (value < self.work.cutoff) & (there > value)
            best = np.where(better[:, None], further, best)
            value = np.where(better, there, value)
            length = length * 4.0
        return best

    def _branch(
        self,
        at: Any,
        records: Any,
        value: Vector,
        slopes: Matrix,
        terms: Matrix,
        boxes: Boxes,
    ) -> Mask:
        """Branch nodes whose bound can still rise; return a mask of those branched."""
        place = self._division(at, value, boxes)
        divided = place.symbol >= 0
        some = np.flatnonzero(divided)
        if not some.size:
            return np.asarray(divided)
        symbol = place.symbol[some]
        every = np.arange(some.size)
        parents = boxes.of(some)
        least = parents.least[every, symbol]
        most = parents.most[every, symbol]
        # FIRST needs an interval from 0, and a solution that says which
        bisect = (least > 0.0) | place.halved[some]
        margin = END_SHARE * (most - least)
        inside = np.maximum(place.middle[some], least + margin)
        inside = np.minimum(inside, most - margin)
        largest = np.where(parents.least == 0.0, parents.most, 0.0).max(1)
        level = np.where(bisect, inside, 0.5 * largest)
        kind = np.where(bisect, BISECT, FIRST)
        work = self.work
        work.records.kind[records[some]] = kind
        work.records.level[records[some]] = level
        work.records.symbol[records[some]] = np.where(bisect, work.order[symbol], -1)
        nodes = self.branched.add(
            count=some.size,
            least=self.least[at[some], : self.n],
            most=self.most[at[some], : self.n],
            basis=self.basis[at[some]],
            record=records[some],
            kind=kind,
            symbol=symbol,
            level=level,
            children=2,
        )
        own = value[some]
        for child in (0, 1):
            self.open.push(nodes[bisect], child, own[bisect])
        first = np.flatnonzero(~bisect)
        if first.size:
            which = some[first]
            self._first(
                nodes[first],
                level[first],
                value[which],
                slopes[which],
                terms[which],
                parents.of(first),
            )
        return np.asarray(divided)

    def _division(self, at: Any, value: Vector, boxes: Boxes) -> Division:
        """Return where to divide nodes in slots, and note their cheap columns.

        A node with a solution is divided where entropy is farthest above its secant. A
        node without one is halved in its widest interval, unless its bound is no
        better than that of nodes already abandoned.
        """
        work = self.work
        s = self.symbols
        dual = self.dual[:s]
        every = np.arange(at.size)
        exact = self.status[at] == OPTIMAL
        points = self.points(at)[:, :s]
        entropy = surprise(points)
        price = (entropy - points * dual).sum(1)
        for r in np.flatnonzero(exact & (price < work.needed)):
            work.note(points[r], float(price[r]))
        width = boxes.most - boxes.least
        slope = self.cost[at, :s] + dual
        above_secant = entropy - boxes.low - (points - boxes.least) * slope
        above_secant[(points <= MIN_SECANT_GAP) | (width <= POINT_WIDTH)] = 0.0
        farthest = above_secant.argmax(1)
        far = above_secant[every, farthest] > MIN_SECANT_GAP
        can_rise = price - value >= work.tolerance
        divided = exact & far & can_rise
        widest = width.argmax(1)
        wide = width[every, widest] > MIN_BISECTED_WIDTH
        halved = ~exact & wide & (value < work.closed)
        symbol = np.where(halved, widest, farthest)
        centre = 0.5 * (boxes.least + boxes.most)
        middle = np.where(halved, centre[every, symbol], points[every, symbol])
        symbol[~(divided | halved)] = -1
        return Division(symbol, middle, halved)

    def _first(
        self,
        nodes: Any,
        level: Vector,
        value: Vector,
        slopes: Matrix,
        terms: Matrix,
        boxes: Boxes,
    ) -> None:
        """Push the children of FIRST that the parents' multipliers do not bound by the
        cutoff.
        """
        work = self.work
        at_level = surprise(level)[:, None] - slopes * level[:, None]
        parted = (boxes.least == 0.0) & (boxes.most > level[:, None])
        change = np.where(parted, np.minimum(at_level, 0.0) - terms, 0.0)
        before = np.cumsum(change, axis=1) - change
        above = np.minimum(at_level, boxes.high - slopes * boxes.most)
        bound = value[:, None] + before - terms + above
        kept = parted & (bound < work.cutoff)
        closed = bound[parted & ~kept]
        work.closed = min(work.closed, float(closed.min(initial=np.inf)))
        which, child = np.nonzero(kept)
        self.branched["children"][nodes] = 1 + kept.sum(1)
        # a child's bound is no worse than its parent's
        inherited = np.maximum(bound[which, child], value[which])
        self.open.push(nodes[which], child, inherited)
        self.open.push(nodes, -1, value)
