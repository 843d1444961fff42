"""Minimum-cost mixtures by column generation, with bounds by branch and bound.

The restricted master problem mixes the points found so far. Its duals price every other
point v: adding v can lower the cost only if its price H(v) - dual v is negative. New
points come from three sources, each slower than the last: the one- and two-sparse
vertices, local descent from many starts, and branch and bound, which also bounds the
price of every point. Weights sum to 1, so dual P + (least price) bounds the cost of any
mixture from below.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mixproof.branch_and_bound import Tree
from mixproof.constraints import Constraints, two_sided
from mixproof.extension import Extended, Extension
from mixproof.limits import MEMORY_OVER, TIME_OVER, WORK_OVER, Clock, Limits, Reached
from mixproof.local import descend, largest
from mixproof.numerics import NEGLIGIBLE_MASS, Matrix, Vector, entropies
from mixproof.problem import MIN_SAVING, Pass, Problem
from mixproof.restricted_master import RestrictedMaster
from mixproof.sparse_vertices import (
    SparseVertices,
    sparse_vertices,
    sparse_vertices_by_cuts,
)

# completed passes without improvement after which a search ends, although columns still
# join
MAX_STALLED_PASSES = 10
# the first cutoff, as a share of the required gap: a small tree then takes about one
# pass
SMALL_TREE_CUTOFF = 0.45
FINAL_CUTOFF = 0.95  # the last cutoff of a large tree, as a share of the required gap
SMALL_TREE = 8000  # linear programs after which a tree counts as large
REPORTED = 250  # linear programs between two reports
# coordinates up to which branch and bound finds the rest as quickly as further descents
FEW_COORDINATES = 64
DESCENTS = 256  # descents side by side, or one for each coordinate if that is more
# descents that take as much of the limit in work as one linear program of a tree
DESCENTS_PER_PROGRAMME = 4
CUTOFF_FACTOR = 2.5  # the first cutoff of a large tree is the gap divided by this
PERTURB_ROUNDS = 12  # rounds of perturbation over which the improvement is measured
# perturbation ends at a smaller improvement, as a share of the required gap
PERTURB_GAIN = 0.005
# shares of another unit vector and of the target in a perturbed start
PERTURB_UNIT = 0.2
PERTURB_TARGET = 0.02
# the gap that a search with a limit reaches before it aims for a smaller one
COARSE_GAP = 1e-2
BRANCHING_FRACTION = (
    # a node is not branched if that could raise its bound by less than the cutoff
    # divided by this
    20.0
)
# rounds of descents with little improvement after which multi-start ends
MULTI_START_PATIENCE = 3
MULTI_START_SHARE = 0.4  # share of the time limit after which multi-start ends
# bytes of a tree at which a search ends; it then needs about 2 GB in all
MAX_TREE_BYTES = 4e8
MAX_JOINING = 300  # columns of a pass that join the master problem at most
CAP_ROOM = 1e-11  # relative margin of caps over what their multipliers prove
MIN_GAP = 1e-9  # the smallest gap in nats: linear programs are no more exact


class ProvenBound(NamedTuple):
    """A lower bound on the cost of every mixture, with the pass that proves it."""

    bound: float
    work: Pass | None
    hull: Constraints | Extended
    caps: Vector
    cap_multipliers: Matrix

    def alone(self) -> ProvenBound:
        """Return the bound without the working arrays of an unfinished pass."""
        return self if self.work is None else self._replace(work=self.work.ended())


class Result(NamedTuple):
    """The cheapest mixture found, and a lower bound on the cost of any mixture.

    Attributes
    ----------
    rows : numpy.ndarray, shape (M, n)
        Feasible points, including those of the cheapest mixture; the first is the
        target.
    weights : numpy.ndarray, shape (M,)
        Weights of the points in the mixture.
    dual : numpy.ndarray, shape (n,)
        The dual solution of the restricted master problem.
    cost : float
        The mean entropy of the mixture, nats.
    proven : ProvenBound
        No mixture costs less than ``proven.bound``.
    programmes, passes : int
        Number of linear programs solved in branch and bound, and of passes.
    spent : int
        The part of the limit in work that was used: the linear programs or a quarter of
        the descents, whichever is more.
    seconds : float
    ended : bool
        Whether the search ended by itself, not at a limit: at the requested gap, or
        above it where no pass changed anything more.
    limit : Reached
        The limit that ended the search; meaningless if ``ended``.
    """

    rows: Matrix
    weights: Vector
    dual: Vector
    cost: float
    proven: ProvenBound
    programmes: int
    passes: int
    spent: int
    seconds: float
    ended: bool
    limit: Reached


class Search:
    """The state of one search; see :func:`cheapest_mixture`."""

    def __init__(
        self,
        halfspaces: Matrix | None,
        target: Vector,
        slack: float,
        limits: Limits = Limits(),
        *,
        extension: Extension | None = None,
    ) -> None:
        self.target = target
        self.slack = slack
        self.limits = limits
        self.most = np.inf if limits.work is None else limits.work
        self.total = float(entropies(target[None])[0])
        self.rng = np.random.default_rng(0)
        self.programmes = self.passes = self.descents = self.joined = 0
        self.table: SparseVertices
        self.master = RestrictedMaster(target)
        self.clock = Clock(limits.seconds)
        self._enter(halfspaces, extension)
        nothing = np.empty((0, 0))
        self.proven = ProvenBound(0.0, None, self.hull, self.caps, nothing)
        self.cost, self.dual, self.weights = self.master.run()

    def _enter(
        self, halfspaces: Matrix | None, extension: Extension | None = None
    ) -> None:
        """Set the polytope to search, from its halfspaces or from an extension."""
        self.tree: Tree | None = None
        self.hull: Constraints | Extended
        if extension is None:
            if halfspaces is None:
                halfspaces = np.empty((0, self.target.size))
            sizes = np.abs(halfspaces).max(axis=1, initial=0.0)
            slack = self.slack * np.maximum(1.0, sizes)
            self.hull = two_sided(halfspaces)
            self.problem = Problem.of(self.hull, slack, self.target)
        else:
            self.hull = Extended.of(extension)
            slack = self.slack * extension.slack
            inside = np.append(self.target, extension.inside)
            self.problem = Problem.of(self.hull.ranges, slack, inside, extension.upper)
        caps, self.cap_multipliers = largest(self.problem, self.clock)
        # slightly wider than the claim, which leaves a checker room for rounding
        scales = np.abs(self.cap_multipliers) @ self.problem.sizes
        self.caps = np.minimum(1.0, caps + CAP_ROOM * (1 + scales))
        self.problem = self.problem.with_room_for_rounding(self.caps)

    @property
    def over(self) -> bool:
        """Whether a limit on time, linear programs or memory has been reached."""
        return self.clock.left <= 0 or self.programmes >= self.most or self.large

    @property
    def may_descend(self) -> bool:
        """Whether time and work are left for a batch of descents."""
        allowed = self.descents < DESCENTS_PER_PROGRAMME * self.most
        return allowed and self.clock.left > 0

    @property
    def spent(self) -> int:
        """The part of the limit in work that was used."""
        by_descents = math.ceil(self.descents / DESCENTS_PER_PROGRAMME)
        return max(self.programmes, by_descents)

    @property
    def large(self) -> bool:
        """Whether the tree has reached its memory limit."""
        return self.tree is not None and self.tree.size > MAX_TREE_BYTES

    @property
    def reached(self) -> Reached:
        """The limit that was reached."""
        if self.clock.left <= 0:
            return TIME_OVER
        if self.programmes >= self.most:
            return WORK_OVER
        return MEMORY_OVER

    @property
    def gap(self) -> float:
        """The optimality gap ``cost - proven.bound``, nats."""
        return self.cost - self.proven.bound

    def wanted(self, gap: float) -> float:
        """Return a relative gap as an absolute one, in nats."""
        return max(gap * (self.total - self.cost), MIN_GAP)

    def add(self, rows: Matrix) -> int:
        """Add points to the master problem; return how many are new."""
        return self.master.add(rows) if len(rows) else 0

    def include(self, rows: Matrix, weights: Vector | None = None) -> None:
        """Mix further points with those in use; if time does not suffice, take their
        own mixture if it is cheaper.
        """
        used = self.master.rows[self.weights > 0]
        master = RestrictedMaster(self.target)
        master.add(np.concatenate([used, rows]))
        try:
            self.cost, self.dual, self.weights = master.run(self.clock.last)
        except TimeoutError:
            if weights is None:
                return
            cost = float(entropies(rows) @ weights)
            if cost >= self.cost:
                return
            master = RestrictedMaster(self.target)
            master.rows = np.concatenate([master.rows, rows])
            self.cost = cost
            self.weights = np.append(0.0, weights)
        self.master = master

    def resolve(self) -> None:
        """Solve the master problem, adding sparse vertices until none improves it."""
        self._mix()
        while (
            self.table.share.size
            and self.clock.left > 0
            and self.master.price(self.table, self.dual)
        ):
            self._mix()

    def _mix(self) -> None:
        """Solve the master problem; when the time is over, keep the last solution,
        without the new points.
        """
        try:
            self.cost, self.dual, self.weights = self.master.run(self.clock.left)
        except TimeoutError:
            self.weights = np.append(
                self.weights, np.zeros(len(self.master.rows) - self.weights.size)
            )

    def begin(self, more: Matrix) -> None:
        """Start from given points and from the one- and two-sparse vertices."""
        if len(more):
            self.include(more)
        if isinstance(self.hull, Extended):
            self.table = sparse_vertices_by_cuts(self.hull.extension, self.clock)
        else:
            ranges = self.hull._replace(low=self.problem.low, high=self.problem.high)
            self.table = sparse_vertices(ranges, self.clock)
        self.resolve()

    def tell(self) -> None:
        """Report the cost, its bound and the seconds so far, if the limits have a
        report.
        """
        if self.limits.report is not None:
            self.limits.report(self.cost, self.proven.bound, self.clock.seconds)

    def descend(self, starts: Matrix) -> tuple[Matrix, Vector]:
        """Return local minima of the price, found from starts, and their prices."""
        self.descents += len(starts)
        return descend(self.problem, self.dual, starts, self.clock)

    def multi_start(self) -> None:
        """Descend from many starts, until the improvement is negligible."""
        n = self.target.size
        once = n <= FEW_COORDINATES
        copies = math.ceil(DESCENTS / n) if once else 1
        units = np.repeat(np.eye(n), copies, axis=0)
        most_seconds = MULTI_START_SHARE * self.clock.limit
        idle = 0
        while idle < MULTI_START_PATIENCE and self.may_descend:
            if self.clock.seconds >= most_seconds:
                return
            self.tell()
            elsewhere = self.rng.dirichlet(np.full(n, 0.3), len(units))
            starts = 0.8 * units + 0.2 * elsewhere
            if not once:
                first, second = units[self.rng.integers(0, n, (2, n))]
                between = 0.45 * first + 0.45 * second + 0.1 * self.target
                starts = np.concatenate([starts, between])
            rows, prices = self.descend(starts)
            before = self.cost
            if self.add(rows[prices < -1e-7]):
                self.resolve()
            if once:
                return
            negligible = before - self.cost < 2e-4 * (self.total - self.cost)
            idle = idle + 1 if negligible else 0

    def perturb(self, wanted: float) -> None:
        """Descend from perturbations of the points in use, until the improvement is
        small.
        """
        costs = [self.cost]
        while self.may_descend:
            if len(costs) > PERTURB_ROUNDS:
                gain = costs[-PERTURB_ROUNDS - 1] - costs[-1]
                if not gain > PERTURB_GAIN * wanted:
                    return
            self.tell()
            rows, prices = self.descend(self._perturbed(halfway=len(costs) % 2 == 1))
            if self.add(rows[prices < -MIN_SAVING]):
                self.resolve()
            costs.append(self.cost)

    def _perturbed(self, *, halfway: bool) -> Matrix:
        """Return starts near the points in use, shape (n, n): halfway between two of
        them, or one of them shaken and moved towards a unit vector.
        """
        n = self.target.size
        used = self.master.rows[self.weights > 0]
        if halfway:
            first, second = self.rng.integers(0, len(used), (2, n))
            starts = (used[first] + used[second]) / 2
        else:
            chosen = used[self.rng.integers(0, len(used), n)]
            shaken = chosen * self.rng.gamma(1.0, size=(n, n))
            shaken /= shaken.sum(axis=1, keepdims=True)
            unit = np.eye(n)[self.rng.integers(0, n, n)]
            starts = (1 - PERTURB_UNIT) * shaken + PERTURB_UNIT * unit
        # towards the target, which is inside the polytope
        starts = (1 - PERTURB_TARGET) * starts + PERTURB_TARGET * self.target
        return np.asarray(starts)

    def one_pass(
        self, delta: float, *, several: bool = False, most: float = np.inf
    ) -> Tree:
        """Run branch and bound until no price is below -delta, or columns should be
        added.

        Parameters
        ----------
        delta : float
            Nats, above 0.
        several : bool, keyword-only
            See :class:`~mixproof.problem.Pass`.
        most : float, keyword-only
            Linear programs after which the pass ends.
        """
        self.passes += 1
        tolerance = delta / BRANCHING_FRACTION
        m = len(self.problem.rows)
        work = Pass.start(self.dual, -delta, tolerance, m, several=several)
        tree = self.tree = Tree(self.problem, work, self.caps)
        # the root at least, which a proof needs
        most = 1 if self.over else min(most, self.most - self.programmes)
        before = self.programmes
        next_report = 0
        for _ in tree.explore(most):
            self.programmes = before + work.nodes
            if work.nodes >= next_report:
                self.tell()
                next_report = work.nodes + REPORTED
            if self.over and work.nodes:
                break
        self.programmes = before + work.nodes
        work.least = tree.least_price
        self._take_bound(work)
        self._take_columns(work.found[:MAX_JOINING])
        return tree

    def _take_bound(self, work: Pass) -> None:
        """Keep the bound that a pass has proven, if it is the best so far."""
        rounding = self.problem.rounding_of(self.dual, self.caps, self.target)
        bound = float(self.dual @ self.target) + min(work.least, 0.0) - rounding
        # that no cost is below 0 is clear without a tree, but a proof needs one
        if bound > self.proven.bound or self.proven.work is None:
            least = max(bound, self.proven.bound)
            self.proven = ProvenBound(
                least, work, self.hull, self.caps, self.cap_multipliers
            )

    def _take_columns(self, columns: Matrix) -> None:
        """Add the columns that a pass has found, and the minima below them."""
        self.joined = 0
        if not len(columns):
            return
        starts = np.maximum(columns, NEGLIGIBLE_MASS)
        starts /= starts.sum(axis=1, keepdims=True)
        rows, prices = self.descend(starts)
        minima = rows[prices < -MIN_SAVING]
        self.joined = self.add(np.concatenate([columns, minima]))
        self.resolve()


def cheapest_mixture(
    halfspaces: Matrix | None,
    target: Vector,
    limits: Limits = Limits(),
    *,
    more: Matrix | None = None,
    fallback: Callable[[], tuple[Matrix, Vector]] | None = None,
    slack: float = 0.0,
    extension: Extension | None = None,
) -> Result:
    """Return the minimum-cost mixture with a given mean, and a proven lower bound.

    The points v of a mixture satisfy v >= 0, sum v = 1 and G v >= 0. The cost of a
    mixture is the mean entropy H(v) of its points, in nats.

    Parameters
    ----------
    halfspaces : numpy.ndarray, shape (m, n)
        G, which may have no rows. For constraints A v <= 0, pass -A. None if an
        extension describes the polytope.
    target : numpy.ndarray, shape (n,)
        P, the mean: positive, sums to 1, and satisfies G P >= 0.
    limits : Limits
        When the search ends; no gap is below ``MIN_GAP`` nats.
    more : numpy.ndarray, shape (k, n), optional, keyword-only
        Feasible points to start from: the result costs no more than their best mixture.
    fallback : callable, optional, keyword-only
        Returns further feasible points and the weights of their own mixture, such as
        those of a heuristic; called if the search misses the gap.
    slack : float, keyword-only
        The bound holds for every v with g v >= -slack max(1, max(abs(g))) for each row
        g of G.
    extension : Extension, optional, keyword-only
        An extended formulation of the polytope with fewer inequalities; if given, the
        halfspaces are not used.

    Returns
    -------
    Result

    Examples
    --------
    >>> halfspaces, target = np.array([[2.0, -1.0], [-1.0, 2.0]]), np.array([0.5, 0.5])
    >>> found = cheapest_mixture(halfspaces, target)
    >>> round(found.cost, 6)  # the points (1/3, 2/3) and (2/3, 1/3)
    0.636514
    >>> found.cost - found.proven.bound < 1e-6
    True
    """
    gap = limits.gap
    search = Search(halfspaces, target, slack, limits, extension=extension)
    search.begin(np.empty((0, target.size)) if more is None else more)
    search.multi_start()
    limited = limits.seconds is not None or limits.work is not None
    stages = (COARSE_GAP, gap) if gap < COARSE_GAP and limited else (gap,)
    # so that a limit never leaves a larger gap than if less had been asked for
    for stage in stages:
        _prove(search, stage)
        if search.gap > search.wanted(stage):
            break
    if fallback is not None and search.gap > search.wanted(gap):
        search.include(*fallback())
    points = search.master.rows
    selected = search.weights > 0
    # none that the duals call too cheap: there was no time to mix it
    price = entropies(points) - search.dual @ points.T
    selected |= np.abs(price) < 1e-7 * (1 + search.total)
    selected[0] = True  # the target itself, so that the master problem is feasible
    return Result(
        rows=points[selected],
        weights=search.weights[selected],
        dual=search.dual,
        cost=search.cost,
        proven=search.proven,
        programmes=search.programmes,
        passes=search.passes,
        spent=search.spent,
        seconds=search.clock.seconds,
        ended=search.gap <= search.wanted(gap) or not search.over,
        limit=search.reached,
    )


def _prove(search: Search, gap: float) -> None:
    """Repeat passes until the gap or a limit is reached, or nothing changes.

    A tree not explored within ``SMALL_TREE`` linear programs is large. The points in
    use are then perturbed first, and the cutoff is lowered in steps.
    """
    idle = 0
    delta = 0.0
    while not search.over or not search.passes:
        wanted = search.wanted(gap)
        if search.gap <= wanted and search.passes:
            return
        before = search.cost
        last = delta <= FINAL_CUTOFF * wanted
        if delta:
            tree = search.one_pass(max(delta, FINAL_CUTOFF * wanted), several=True)
            next_one = not tree.waiting
        else:
            tree = search.one_pass(SMALL_TREE_CUTOFF * wanted, most=SMALL_TREE)
            next_one = bool(tree.waiting) and not tree.has_enough
            last &= not next_one
        if search.over:
            return
        # once a tree has been explored completely, an intermediate cutoff adds little
        # information
        if next_one and delta:
            delta = 0.5 * FINAL_CUTOFF * wanted
        elif next_one:
            delta = search.gap / CUTOFF_FACTOR
        if delta and search.gap > search.wanted(gap):
            search.perturb(wanted)
        # the remainder is rounding and the slack; but many more columns may be needed
        # before the cost falls
        negligible = before - search.cost < 0.01 * wanted
        idle = idle + 1 if last and not tree.waiting and negligible else 0
        stuck = tree.has_enough and before == search.cost
        if idle >= MAX_STALLED_PASSES or (not search.joined and (idle or stuck)):
            return
