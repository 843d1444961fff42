"""Branch and bound, node by node, against Python's own sums and HiGHS."""

import numpy as np
import pytest
from scipy.optimize import linprog
from small_polytopes import entropy_at, polytopes, prices

from mixproof import branch_and_bound, simplex
from mixproof.branch_and_bound import Tree
from mixproof.constraints import two_sided
from mixproof.local import descend, largest
from mixproof.open_nodes import Branched, OpenNodes
from mixproof.polytope import vertices
from mixproof.problem import COLUMNS_PER_PASS, EARLY_STOP_SHARE, Pass, Problem, Records
from mixproof.proof import BISECT, FIRST, LEAF

MARGIN = 1e-12  # by which an upper end may exceed what the other ends leave


def tree_from(
    problem, dual, cutoff, caps, tolerance=1e-6, slots=branch_and_bound.SLOTS, **how
):
    work = Pass.start(dual, cutoff, tolerance, len(problem.rows), **how)
    return Tree(problem, work, caps, slots)


def explored(problem, dual, cutoff, caps, **how):
    made = tree_from(problem, dual, cutoff, caps, **how)
    for _ in made.explore():
        pass
    return made


def to_its_end(problem, dual, cutoff, caps, **how):
    """The tree when no node is open, whatever columns were found on the way."""
    made = tree_from(problem, dual, cutoff, caps, several=True, **how)
    while made.waiting:
        made.work.cheap = 0
        for _ in made.explore():
            pass
    return made


def caps_of(corners):
    return np.minimum(1.0, corners.max(axis=0) + 1e-9)


def tightened(least, most):
    return np.minimum(most, np.maximum(1 - least.sum() + least, least) + MARGIN)


def box(work, at, caps):
    """The box of a recorded node, from the root down."""
    records, path = work.records, []
    while at >= 0:
        path.append((int(records.parent[at]), int(records.child[at])))
        at = path[-1][0]
    least, most = np.zeros(caps.size), caps.copy()
    for parent, child in reversed(path):
        most = tightened(least, most)
        if parent < 0:
            continue
        level, symbol = records.level[parent], int(records.symbol[parent])
        if records.kind[parent] == BISECT:
            (most if child == 0 else least)[symbol] = level
            continue
        for x in work.order:
            if least[x] == 0 and most[x] > level:
                if x == child:
                    least[x] = level
                    break
                most[x] = level
    return least, tightened(least, most)


def proven_value(problem, dual, least, most, multipliers):
    """What multipliers prove on a box, coordinate by coordinate."""
    slopes = dual + multipliers @ problem.rows
    value = sum(
        y * (low if y >= 0 else high)
        for y, low, high in zip(
            multipliers, problem.safe_low, problem.safe_high, strict=True
        )
    )
    return value + sum(
        min(entropy_at(a) - slope * a, entropy_at(z) - slope * z)
        for a, z, slope in zip(least, most, slopes, strict=True)
    )


def by_highs(problem, dual, least, most):
    """The linear program of a node: entropy by its secants."""
    low, high = (np.array([entropy_at(t) for t in end]) for end in (least, most))
    width = np.where(most - least > MARGIN, most - least, np.inf)
    slope = (high - low) / width
    found = linprog(
        slope - dual, A_ub=np.vstack([problem.rows, -problem.rows]),
        b_ub=np.append(problem.high, -problem.low),
        bounds=np.column_stack([least, most]), method="highs",
    )  # fmt: skip
    return found.fun + (low - slope * least).sum() if found.status == 0 else np.inf


def test_each_node_is_bounded_as_by_highs():
    compared = kinds = 0
    for g, _, problem, dual, rng in polytopes(60, seed=6):
        corners = vertices(g)
        caps = caps_of(corners)
        work = explored(problem, dual, prices(corners, dual).min() - 0.02, caps).work
        records = work.records
        points = np.concatenate(
            [corners, rng.dirichlet(np.ones(len(corners)), 100) @ corners]
        )
        cheap = prices(points, dual)
        parted = set(records.parent[: work.nodes].tolist())
        assert records.parent[0] == -1
        assert (records.parent[1 : work.nodes] < np.arange(1, work.nodes)).all()
        for at in range(work.nodes):
            least, most = box(work, at, caps)
            value = proven_value(problem, dual, least, most, records.multipliers[at])
            inside = ((points >= least - 1e-12) & (points <= most + 1e-12)).all(axis=1)
            assert (cheap[inside] >= value - 1e-9).all()
            optimum = by_highs(problem, dual, least, most)
            assert value <= optimum + 1e-8
            # a program may end at the cutoff
            assert value >= min(optimum, work.cutoff) - 1e-6
            if records.kind[at] == LEAF:
                assert at not in parted
                assert value >= min(work.closed, work.cutoff) - 1e-12
            compared += 1
            kinds += records.kind[at] == FIRST
    assert compared > 100
    assert kinds > 10


def test_no_part_without_a_node_is_below_the_least_price():
    """The multipliers of its parent bound it."""
    parts = 0
    for g, _, problem, dual, _ in polytopes(30, seed=5):
        corners = vertices(g)
        caps = caps_of(corners)
        for below in (0.02, 0.1):
            cutoff = prices(corners, dual).min() - below
            made = to_its_end(problem, dual, cutoff, caps)
            work, records = made.work, made.work.records
            for at in np.flatnonzero(records.kind[: work.nodes] == FIRST):
                level, multipliers = records.level[at], records.multipliers[at]
                children = records.child[: work.nodes][
                    records.parent[: work.nodes] == at
                ]
                least, most = box(work, at, caps)
                for x in work.order:
                    if least[x] > 0 or most[x] <= level:
                        continue
                    if x not in children:
                        low = least.copy()
                        low[x] = level
                        price = proven_value(problem, dual, low, most, multipliers)
                        assert made.least_price <= price + 1e-12
                        parts += 1
                    most[x] = level
    assert parts > 100


def test_a_pass_finds_the_least_price():
    below = above = 0
    for g, _, problem, dual, _ in polytopes(14, seed=5):
        corners = vertices(g)
        every = prices(corners, dual)
        for cutoff in (every.min() - 0.05, min(every.min() + 0.002, -1e-6)):
            made = explored(problem, dual, cutoff, caps_of(corners), several=True)
            work, least = made.work, made.least_price
            assert made.waiting == 0 or work.cheap >= COLUMNS_PER_PASS
            assert least <= every.min() + 1e-9
            if not made.waiting:
                assert least >= min(cutoff, every.min() - 1e-5) - 1e-9
            told, rows = np.array([price for price, _ in work.columns]), work.found
            np.testing.assert_allclose(np.sort(told), prices(rows, dual), atol=1e-12)
            assert (rows @ g.T >= -1e-8).all()
            np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-9)
            assert work.lowest == min(0.0, told.min(initial=0.0))
            assert work.cheap == (told < cutoff).sum()
            if cutoff < every.min():
                above += 1
                assert least >= cutoff
            elif every.min() < -2e-6:
                below += 1
                assert told.min() == pytest.approx(every.min(), abs=1e-5)
    assert min(above, below) > 5


@pytest.mark.parametrize("slots", [1, 3, 64])
def test_how_many_nodes_are_side_by_side_changes_no_bound(slots):
    for g, _, problem, dual, _ in polytopes(6, seed=7):
        corners = vertices(g)
        given = problem, dual, prices(corners, dual).min() - 0.01, caps_of(corners)
        one, other = to_its_end(*given, slots=slots), to_its_end(*given)
        assert one.work.nodes == other.work.nodes
        assert one.least_price == pytest.approx(other.least_price, abs=1e-9)


def test_a_pass_goes_on_where_it_stood():
    for g, _, problem, dual, _ in polytopes(5, seed=7):
        corners = vertices(g)
        given = problem, dual, prices(corners, dual).min() - 0.01, caps_of(corners)
        once, bits = explored(*given), tree_from(*given)
        while bits.waiting:
            before = bits.work.nodes
            for _ in bits.explore(before + 1):
                pass
            assert bits.work.nodes <= before + 1
        assert bits.work.nodes == once.work.nodes
        assert bits.least_price == pytest.approx(once.least_price, abs=1e-9)


def test_a_pass_ends_with_a_column_that_saves_enough():
    ended = 0
    for g, _, problem, dual, _ in polytopes(10, seed=8):
        made = explored(problem, 1.5 * dual, -1e-3, np.ones(dual.size))
        least = prices(vertices(g), 1.5 * dual).min()
        if made.waiting:
            ended += 1
            assert made.has_enough
            assert (
                made.work.lowest
                < EARLY_STOP_SHARE * made.least_price
                <= EARLY_STOP_SHARE * least + 1e-9
            )
    assert ended


def test_nodes_given_up_bound_the_pass():
    """With a coarse tolerance leaves are given up below the cutoff."""
    given_up = 0
    for g, _, problem, dual, _ in polytopes(40, seed=17):
        corners = vertices(g)
        caps = caps_of(corners)
        work = to_its_end(
            problem, dual, prices(corners, dual).min() + 0.05, caps, tolerance=0.04
        ).work
        # a column is kept only if it saves enough
        assert all(price < -work.tolerance for price, _ in work.columns)
        leaves = np.flatnonzero(work.records.kind[: work.nodes] == LEAF)
        found = [
            proven_value(
                problem, dual, *box(work, at, caps), work.records.multipliers[at]
            )
            for at in leaves
        ]
        if min(found) < work.cutoff:
            given_up += sum(one < work.cutoff for one in found) > 1
            assert work.closed == pytest.approx(min(found), abs=1e-10)
    assert given_up > 5


def test_a_coordinate_that_can_only_be_0():
    """The pass is then over the face where it is, whose vertices are the polytope's."""
    seen = 0
    for g, _, problem, dual, _ in polytopes(40, seed=18):
        corners = vertices(g)
        caps = caps_of(corners)
        caps[0] = 0.0
        face = corners[corners[:, 0] <= 1e-12]
        cutoff = prices(face, dual).min() - 1e-4 if len(face) else 0.0
        made = to_its_end(problem, dual, cutoff, caps)
        assert made.least_price >= cutoff - 1e-9
        if len(face):
            assert made.least_price <= prices(face, dual).min() + 1e-9
            seen += 1
    assert seen > 5


def test_records_grow():
    grew = 0
    for g, _, problem, dual, _ in polytopes(12, seed=20, largest=8):
        corners = vertices(g)
        given = problem, dual, prices(corners, dual).min() - 1e-3, caps_of(corners)
        made, small = explored(*given), tree_from(*given)
        small.work.records = Records.empty(1, len(problem.rows))
        for _ in small.explore():
            pass
        assert made.work.nodes == small.work.nodes
        assert made.least_price == small.least_price
        grew += small.work.nodes > 1
        ended = small.work.ended()
        assert len(ended.records.parent) == ended.nodes == small.work.nodes
        assert ended.columns == []
    assert grew > 5


@pytest.mark.parametrize(
    "status",
    [branch_and_bound.LOOSE, branch_and_bound.INFEASIBLE, 4],
    ids=["loose", "infeasible", "stuck"],
)
def test_boxes_without_a_solution_are_halved(status, monkeypatch):
    """No program tells where entropy and its secants differ, and yet the bound comes
    near.
    """
    step = Tree.step

    def lost(self):
        done = step(self)
        some = done[self.work.nodes % 3 == 0 :]
        self.status[some] = status
        return done

    monkeypatch.setattr(Tree, "step", lost)
    halved = 0
    for g, _, problem, dual, _ in polytopes(6, seed=6, largest=4):
        corners = vertices(g)
        least = prices(corners, dual).min()
        made = to_its_end(problem, dual, least - 0.02, caps_of(corners))
        assert least - 0.02 <= made.least_price <= least + 1e-9
        halved += (made.work.records.kind[: made.work.nodes] == BISECT).sum()
    assert halved


def test_how_large_each_coordinate_can_be():
    for g, _, problem, dual, _ in polytopes(8, seed=9):
        caps, proof = largest(problem)
        np.testing.assert_allclose(
            caps, np.minimum(1.0, vertices(g).max(axis=0)), atol=1e-7
        )
        for x in range(dual.size):
            # what the multipliers of all rows but the sum prove on the simplex, corner
            # by corner
            y = proof[x, :-1]
            free = sum(
                max(-one * low, -one * high)
                for one, low, high in zip(
                    y, problem.safe_low[:-1], problem.safe_high[:-1], strict=True
                )
            )
            corners = [
                float(z == x) + y @ problem.rows[:-1, z] for z in range(dual.size)
            ]
            assert caps[x] == pytest.approx(min(1.0, max(corners) + free), abs=1e-12)


def test_descents():
    for g, _, problem, dual, rng in polytopes(8, seed=10):
        n, corners = dual.size, vertices(g)
        starts = rng.dirichlet(np.ones(n), 7)
        starts[0] = np.eye(n)[0]
        before = starts.copy()
        rows, price = descend(problem, dual, starts)
        np.testing.assert_array_equal(starts, before)
        assert np.isfinite(price).all()
        assert (rows >= 0).all()
        assert (rows @ g.T >= -1e-8).all()
        np.testing.assert_allclose(price, prices(rows, dual), atol=1e-10)
        for k in range(7):
            with np.errstate(divide="ignore"):
                tangent, own = (
                    np.minimum(-np.log(one), 27.6) - dual
                    for one in (starts[k], rows[k])
                )
            values = corners @ tangent
            assert (
                price[k]
                <= prices(corners[values <= values.min() + 1e-9], dual).max() + 1e-7
            )
            # and its own tangent leads nowhere cheaper
            assert (
                prices([corners[np.argmin(corners @ own)]], dual)[0] >= price[k] - 1e-7
            )


def test_a_descent_that_is_given_up_tells_no_point(monkeypatch):
    """A program has to be solved before its point is allowed."""
    monkeypatch.setattr(simplex, "REFACTOR_STEPS", 1)
    monkeypatch.setattr(simplex, "MAX_STEPS", 1)
    given_up = 0
    for g, _, problem, dual, rng in polytopes(12, seed=10):
        starts = rng.dirichlet(np.ones(dual.size), 7)
        rows, price = descend(problem, dual, starts)
        assert (rows[np.isfinite(price)] @ g.T >= -1e-8).all()
        given_up += np.isinf(price).sum()
    assert given_up > 10


def test_the_polytope_of_a_problem():
    g = np.array([[1.0, -1.0, 0.5], [-0.25, 2.0, -2.0]])
    hull, inside = two_sided(g), np.array([0.3, 0.4, 0.3])
    free = Problem.of(hull, np.zeros(2), inside)
    np.testing.assert_array_equal(free.rows, hull.rows)
    np.testing.assert_allclose([free.low, free.high], [hull.low, hull.high], atol=0)
    slack = Problem.of(hull, np.array([1e-3, 2e-3]), inside)
    np.testing.assert_array_equal(
        [slack.safe_low, slack.safe_high],
        np.array(hull.widened(np.array([1e-3, 2e-3]))),
    )
    for off, moved in ((0.9e-7, True), (1.1e-7, False)):
        value = hull.rows[0] @ inside
        for side, low, high in ((0, value - off, 1.0), (1, -1.0, value + off)):
            near = hull._replace(
                low=np.r_[low, hull.low[1:]], high=np.r_[high, hull.high[1:]]
            )
            found = Problem.of(near, np.zeros(2), inside)
            assert ((found.low, found.high)[side][0] == value) == moved
            assert (found.low, found.high)[1 - side][0] == (near.low, near.high)[
                1 - side
            ][0]
            assert found.low[-1] == found.high[-1] == 1.0


def test_open_nodes_are_taken_by_their_bounds():
    """However many are pushed at once."""
    rng = np.random.default_rng(11)
    waiting, pushed = OpenNodes(), []
    for count in (1, 5000, 3, 700):
        nodes, bounds = np.arange(count), rng.random(count)
        waiting.push(nodes, -1, bounds)
        pushed = sorted([*pushed, *zip(bounds, nodes, strict=True)])
        assert waiting.least == pushed[0][0]
        taken = waiting.take(count // 2 + 1)
        found = zip(taken.bound, taken.node, strict=True)
        assert sorted(found) == pushed[: count // 2 + 1]
        pushed = pushed[count // 2 + 1 :]
    assert waiting.waiting == len(pushed)


def test_a_branched_node_stores_no_inverse():
    """An inverse of 100 x 100 would take 80 kB; the boxes and the basis take half of
    one.
    """
    nodes = Branched(np.ones(20), np.arange(20, 120))
    assert nodes.size < 1000
    wide = Branched(np.ones(40_000), np.arange(40_000, 40_003))
    root = np.flatnonzero(wide["children"])[0]
    assert wide["basis"][root].tolist() == [40_000, 40_001, 40_002]


def test_a_singular_basis_starts_from_the_slacks():
    _, target, problem, dual, _ = next(polytopes(1))
    tree = Tree(
        problem, Pass.start(dual, -0.1, 1e-3, len(problem.rows)), np.ones(target.size)
    )
    tree.branched.table["basis"][:] = 0  # the same variable in every row
    list(tree.explore(50))
    assert tree.work.nodes >= 1
    assert np.isfinite(tree.least_price)
