"""A pass that goes on from an earlier one proves what one from the root would, and solves less."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from loops import interpreted
from small_polytopes import polytopes, prices

from liftlib.solvers.mixing.plain import Plain, bounded, box, tighten
from liftlib.solvers.mixing.problem import AGAIN, FIRST, HAS_NUMBA, LEAF, Pass, Stack
from liftlib.solvers.mixing.resuming import siblings
from liftlib.solvers.polytope import vertices

pytestmark = pytest.mark.skipif(not HAS_NUMBA, reason="without numba each pass begins at the root")


def routed(problem):
    from liftlib.solvers.mixing.compiled import Compiled  # numba takes a second to import

    return Compiled(problem)


def ended(route, problem, dual, threshold, caps):
    work = Pass.start(dual, threshold, 1e-6, len(problem.rows), route.basis, several=True)
    while work.waiting:
        work.state[5] = 0  # rows that were found end no pass here
        route.explore(work, caps, 10**6)
    return work


def cases(count, seed, move):
    """A pass that ended, one that is to start under duals that moved, and what both are about."""
    for g, _, problem, dual, rng in polytopes(count, seed=seed, largest=8):
        corners = vertices(g)
        caps = np.minimum(1.0, corners.max(axis=0) + 1e-9)
        route = routed(problem)
        before = ended(route, problem, dual, prices(corners, dual).min() - 1e-3, caps)
        moved = dual + move * rng.normal(size=dual.size)
        threshold = prices(corners, moved).min() - 1e-3
        yield route, problem, caps, corners, before, moved, threshold


def begun(problem, route, moved, threshold):
    return Pass.start(moved, threshold, 1e-6, len(problem.rows), route.basis, several=True)


@pytest.mark.parametrize("move", [0.0, 1e-4, 1e-2])
def test_a_pass_goes_on_and_comes_to_the_same_bound(move):
    fewer = more = 0
    for route, problem, caps, corners, before, moved, threshold in cases(40, 11, move):
        again = route.resumed(before, begun(problem, route, moved, threshold), caps, apart=True)
        kept = again.nodes
        while again.waiting:
            again.state[5] = 0
            route.explore(again, caps, 10**6)
        fresh = ended(route, problem, moved, threshold, caps)
        least = prices(corners, moved).min()
        assert again.least <= least + 1e-9
        assert again.least >= threshold - 1e-12
        assert fresh.least >= threshold - 1e-12
        assert again.nodes <= kept + again.solved  # each programme makes a node, or is a node's again
        fewer, more = fewer + (again.solved < fresh.solved), more + (again.solved > fresh.solved)
        if move == 0.0:
            assert again.solved == 0
            assert again.nodes == before.nodes
    assert fewer > 3 * more


def covered(problem, work, caps, point):
    """The least bound of the leaves and waiting boxes that a point is in; infinite where it is in none."""
    found = math.inf
    parents = set(work.records.parent[: work.nodes].tolist())
    boxes = [
        (int(work.records.parent[k]), int(work.records.child[k]), k)
        for k in range(work.nodes)
        if k not in parents and work.records.kind[k] == LEAF
    ]
    for parent, child, at in boxes:
        least, most = box(work, parent, child, caps)
        if tighten(least, most) and (least - 1e-12 <= point).all() and (point <= most + 1e-12).all():
            found = min(found, bounded(problem, work.dual, least, most, work.records.multipliers[at])[0])
    for k in range(work.waiting):
        parent, child = int(work.stack.parent[k]), int(work.stack.child[k])
        if child == AGAIN:
            parent, child = int(work.records.parent[parent]), int(work.records.child[parent])
        least, most = box(work, parent, child, caps)
        if tighten(least, most) and (least - 1e-12 <= point).all() and (point <= most + 1e-12).all():
            found = min(found, float(work.stack.bound[k]))
    return found


def test_every_row_stays_in_a_leaf_or_a_box_that_waits_or_is_given_up_above_the_threshold():
    seen = 0
    for route, problem, caps, corners, before, moved, threshold in cases(25, 12, 0.03):
        again = route.resumed(before, begun(problem, route, moved, threshold), caps, apart=True)
        if not again.nodes:
            continue
        for corner, price in zip(corners, prices(corners, moved), strict=True):
            bound = covered(problem, again, caps, corner)
            if bound == math.inf:  # in a child that its parent's multipliers leave above the threshold
                assert price >= again.state[4] - 1e-9
            else:
                assert bound <= price + 1e-9
                seen += 1
        again.state[3] = 0.0
        assert again.least <= prices(corners, moved).min() + 1e-9
    assert seen > 20


def paths(work):
    """Each node's way down from the root, by the children taken, and whether it is a leaf."""
    found = []
    for at in range(work.nodes):
        parent, child = int(work.records.parent[at]), int(work.records.child[at])
        found.append((*found[parent], child) if parent >= 0 else ())
    return {path: bool(work.records.kind[at] == LEAF) for at, path in enumerate(found)}


def test_all_nodes_stay_but_those_below_a_leaf():
    dropped = 0
    for (route, problem, caps, _, before, moved, threshold), less in itertools.product(
        cases(40, 22, 0.03), (0.0, 0.02, 0.1)
    ):
        again = route.resumed(before, begun(problem, route, moved, threshold - less), caps, apart=True)
        if not again.nodes:
            continue
        was, now = paths(before), paths(again)
        assert len(now) == again.nodes
        below = {path for path in was if any(now.get(path[:depth]) for depth in range(len(path)))}
        assert set(now) == set(was) - below
        dropped += len(below)
    assert dropped > 100


def test_children_of_a_node_the_last_recorded_first():
    parents = np.array([-1, 0, 0, 1, 0])
    records = Stack(parents, parents, parents)  # it has the parents that are asked for
    below, beside = (one.tolist() for one in interpreted(siblings)(records, 5))
    assert below == [4, 3, -1, -1, -1]
    assert beside[1:] == [-1, 1, -1, 2]


def test_the_nodes_that_wait_are_those_that_fail_and_come_in_order():
    """A leaf whose own multipliers leave it below the threshold waits for its own programme, with that bound."""
    count = 0
    for route, problem, caps, _, before, moved, threshold in cases(25, 13, 0.02):
        again = route.resumed(before, begun(problem, route, moved, threshold), caps, apart=True)
        waiting = {
            int(p): float(b)
            for p, c, b in zip(*(one[: again.waiting] for one in again.stack), strict=True)
            if c == AGAIN
        }
        for at in range(again.nodes):
            if again.records.kind[at] != LEAF:
                assert at not in waiting
                continue
            least, most = box(again, int(again.records.parent[at]), int(again.records.child[at]), caps)
            tighten(least, most)
            own = bounded(problem, moved, least, most, again.records.multipliers[at])[0]
            assert (at in waiting) == (own < threshold)
            if at in waiting:
                assert waiting[at] == pytest.approx(own, abs=1e-11)
                count += 1
        assert all(again.records.parent[at] < at for at in range(again.nodes))
        heap = again.stack.bound[: again.waiting]
        assert all(heap[(k - 1) // 2] <= heap[k] for k in range(1, again.waiting))
    assert count > 10


def test_what_needs_nothing_more_bounds_the_pass():
    """The least of the leaves that are proven, and of the children that a node's own multipliers leave out."""
    leaves = pruned = 0
    for route, problem, caps, _, before, moved, threshold in cases(40, 21, 0.02):
        again = route.resumed(before, begun(problem, route, moved, threshold), caps, apart=True)
        if not again.nodes:
            continue
        records, found = again.records, [math.inf]
        known = set(zip(records.parent[: again.nodes].tolist(), records.child[: again.nodes].tolist(), strict=True))
        for at in range(again.nodes):
            least, most = box(again, int(records.parent[at]), int(records.child[at]), caps)
            tighten(least, most)
            if records.kind[at] == LEAF:
                found.append(bounded(problem, moved, least, most, records.multipliers[at])[0])
                leaves += found[-1] >= threshold
            for x in range(moved.size) if records.kind[at] == FIRST else ():
                if (at, x) not in known and least[x] == 0 and most[x] > records.level[at]:
                    ends = box(again, at, x, caps)
                    found.append(bounded(problem, moved, *ends, records.multipliers[at])[0])
                    pruned += found[-1] >= threshold
        done = min(one for one in found if one >= threshold)
        assert again.state[4] == pytest.approx(done, abs=1e-10)
        assert again.state[3] == 0.0
    assert min(leaves, pruned) > 20


def test_an_earlier_pass_that_proves_a_bound_stays_as_it_was():
    for (route, problem, caps, _, before, moved, threshold), apart in itertools.product(
        cases(6, 14, 1e-3), (True, False)
    ):
        was = [one[: before.nodes].copy() for one in before.records]
        again = route.resumed(before, begun(problem, route, moved, threshold), caps, apart=apart)
        assert (again.records.parent is before.records.parent) == (not apart)
        if apart:
            for one, other in zip(before.records, was, strict=True):
                np.testing.assert_array_equal(one[: before.nodes], other)


def test_a_small_stack_grows_on_the_way():
    """Nodes are gone through in pieces then, and come to the same."""
    grew = 0
    for route, problem, caps, _, before, moved, threshold in cases(60, 13, 0.1):
        large = route.resumed(before, begun(problem, route, moved, threshold), caps, apart=True)
        start = begun(problem, route, moved, threshold)
        start.stack = Stack.empty(moved.size + 4)
        small = route.resumed(before, start, caps, apart=True)
        if small is start:
            assert large.nodes == 0
            continue
        assert (small.nodes, small.waiting) == (large.nodes, large.waiting)
        for one, other in zip(small.records, large.records, strict=True):
            np.testing.assert_array_equal(one[: small.nodes], other[: large.nodes])
        told = [sorted(zip(*(one[: work.waiting] for one in work.stack), strict=True)) for work in (small, large)]
        assert told[0] == told[1]
        grew += len(small.stack.parent) > moved.size + 4
    assert grew > 3


def test_where_little_is_still_proven_a_pass_begins_at_the_root():
    left = 0
    for route, problem, caps, _, before, _, _ in cases(25, 15, 0.0):
        start = begun(problem, route, before.dual, 5.0)  # no bound of a box is above that
        again = route.resumed(before, start, caps, apart=True)
        if again is start:
            assert (again.nodes, again.waiting, again.solved) == (0, 1, 0)
            assert again.stack.parent[0] == -1
            left += 1
        else:
            assert 0 < again.waiting <= again.nodes
    assert left > 2


def test_the_plain_route_begins_at_the_root():
    _, _, problem, dual, _ = next(polytopes(1, seed=16))
    start = Pass.start(dual, -0.1, 1e-3, len(problem.rows), 0)
    assert Plain(problem).resumed(replace(start), start, np.ones(dual.size), apart=True) is start


def test_where_the_root_alone_proves_enough_the_rest_is_left_out():
    left = 0
    for route, problem, caps, _, before, moved, _ in cases(20, 14, 1e-3):
        again = route.resumed(before, begun(problem, route, moved, -1e3), caps, apart=True)
        if before.nodes > 1:
            assert (again.nodes, again.waiting, again.records.kind[0]) == (1, 0, LEAF)
            left += 1
    assert left > 5
