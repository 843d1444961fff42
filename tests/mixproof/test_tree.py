"""The tree's steps, by both routes."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from loops import interpreted
from scipy.optimize import linprog
from small_polytopes import entropy_at, polytopes, prices

from mixproof import branch_and_bound as tree
from mixproof import plain, simplex
from mixproof.constraints import two_sided
from mixproof.plain import Plain
from mixproof.polytope import vertices
from mixproof.problem import (
    BISECT,
    COLUMNS_PER_PASS,
    EARLY_STOP_SHARE,
    FIRST,
    LEAF,
    TIGHTENING_MARGIN,
    Pass,
    Problem,
    Records,
)


def looped(name):
    """A function of the tree itself, whether or not numba compiles it."""
    return interpreted(getattr(tree, name))


ROUTES = ["arrays", "loops"]


def random_box(rng, n):
    """A box that meets the simplex."""
    inside = rng.dirichlet(np.ones(n))
    least = inside * rng.random(n) * (rng.random(n) < 0.6)
    return least, np.minimum(1.0, inside + rng.random(n) * (rng.random(n) < 0.9))


def heights(least, most):
    """-t log t at the two ends of each interval, by Python's own logarithm."""
    return np.array([[entropy_at(t) for t in end] for end in (least, most)])


def bounded(route, problem, dual, least, most, multipliers):
    if route == "arrays":
        return plain.bounded(problem, dual, least, most, multipliers)
    slopes = np.full(dual.size, 9.0)
    value = looped("bounded")(
        problem.rows, problem.safe_low, problem.safe_high, dual, least, most, heights(least, most), multipliers, slopes
    )
    return value, slopes


def narrowed(route, least, most):
    """A box's ends after ``tighten``, and whether it leaves anything."""
    least, most = least.copy(), most.copy()
    told = plain.tighten(least, most) if route == "arrays" else looped("tighten")(least, most)
    return bool(told), least, most


# Boxes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("route", ROUTES)
def test_an_upper_end_is_what_the_others_leave(route):
    told, least, most = narrowed(route, np.array([0.2, 0.0, 0.3]), np.array([0.9, 0.4, 1.0]))
    assert told
    assert least.tolist() == [0.2, 0.0, 0.3]
    np.testing.assert_allclose(most, [0.7, 0.4, 0.8], rtol=0, atol=2e-12)
    assert (most[[0, 2]] > [0.7, 0.8]).all()  # a little wider than exact, so that rounding loses nothing
    assert most[1] == 0.4
    # where the lower ends leave next to nothing each is a point, and not less than its lower end
    told, _, most = narrowed(route, np.array([0.5, 0.5 + TIGHTENING_MARGIN / 2]), np.ones(2))
    assert told
    np.testing.assert_allclose(most, [0.5 + TIGHTENING_MARGIN, 0.5 + 1.5 * TIGHTENING_MARGIN], rtol=0, atol=1e-15)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    ("over", "left"), [(-0.5, True), (0.0, True), (0.9 * TIGHTENING_MARGIN, True), (1.1 * TIGHTENING_MARGIN, False)]
)
def test_lower_ends_that_sum_to_more_than_1_leave_nothing(route, over, left):
    assert narrowed(route, np.array([0.5, 0.5 + over]), np.ones(2))[0] == left


def written(parents, rng, n):
    """Records of nodes below one another, each parted in one of the two ways."""
    records = Records.empty(len(parents), 1, 0)
    for at, (parent, child) in enumerate(parents):
        records.parent[at], records.child[at] = parent, child
        bisect = rng.random() < 0.5
        records.kind[at] = BISECT if bisect else FIRST
        records.symbol[at] = int(rng.integers(n)) if bisect else -1
        records.level[at] = rng.uniform(0.1, 0.5)
    return records


def box_of(route, parent, child, records, caps, order):
    if route == "arrays":
        work = SimpleNamespace(records=records, order=order)
        return *plain.box(work, parent, child, caps), None
    least, most = np.full(caps.size, 9.0), np.full(caps.size, 9.0)
    depth = looped("box")(parent, child, records, caps, order, np.zeros((50, 2), np.int64), least, most)
    return least, most, depth


@pytest.mark.parametrize("route", ROUTES)
def test_the_children_of_a_node_part_its_box(route):
    rng = np.random.default_rng(0)
    tried = dict.fromkeys((BISECT, FIRST), 0)
    for _ in range(60):
        n = int(rng.integers(2, 6))
        order, caps = rng.permutation(n), np.minimum(1.0, rng.uniform(0.3, 1.4, n) + 1 / n)
        records = written([(-1, 0), (0, 0), (1, 0)], rng, n)
        points = rng.dirichlet(np.full(n, 0.7), 60)
        points = points[(points <= caps).all(axis=1)]
        parent = 0
        for depth in range(3):
            parent = depth
            kind, symbol, level = records.kind[parent], records.symbol[parent], records.level[parent]
            own, most, _ = box_of(route, int(records.parent[parent]), int(records.child[parent]), records, caps, order)
            if not narrowed(route, own, most)[0]:
                break
            _, own, most = narrowed(route, own, most)
            children = [0, 1] if kind == BISECT else [-1, *np.flatnonzero((own == 0) & (most > level)).tolist()]
            boxes = {child: box_of(route, parent, child, records, caps, order) for child in children}
            assert all(found[2] in (None, depth + 1) for found in boxes.values())
            for point in points[((points >= own) & (points <= most)).all(axis=1)]:
                if kind == BISECT:
                    where = 1 if point[symbol] > level else 0
                else:
                    beyond = [x for x in order if own[x] == 0 and most[x] > level and point[x] > level]
                    where = int(beyond[0]) if beyond else -1
                for child, (least, upper, _) in boxes.items():
                    assert ((point >= least) & (point <= upper)).all() == (child == where)
                tried[int(kind)] += 1
            chosen = children[int(rng.integers(len(children)))]
            if depth < 2:
                records.child[depth + 1] = chosen
    assert min(tried.values()) > 300


# Bounds -----------------------------------------------------------------------------------------------------------


def test_secants_meet_entropy_at_both_ends():
    rng = np.random.default_rng(1)
    for _ in range(30):
        n = int(rng.integers(1, 6))
        least, most = random_box(rng, n)
        most[0] = least[0] + (1e-13 if rng.random() < 0.5 else 0)
        dual, cost = rng.normal(size=n), np.full(n, 9.0)
        constant = looped("secants")(least, most, heights(least, most), dual, cost)
        for corner in itertools.product(*zip(least, most, strict=True)):
            here = np.array(corner)
            assert cost @ here + constant == pytest.approx(prices([here], dual)[0], abs=1e-10)
    dual, cost = np.zeros(2), np.zeros(2)
    point = np.array([0.0, 0.5])
    assert looped("secants")(point, point, heights(point, point), dual, cost) == pytest.approx(0.5 * math.log(2))
    assert cost.tolist() == [0, 0]


@pytest.mark.parametrize("route", ROUTES)
def test_what_multipliers_prove(route):
    for g, _, problem, dual, rng in polytopes():
        corners_of = vertices(g)
        for whole in (False, False, False, True, True):
            least, most = random_box(rng, dual.size)
            multipliers = rng.normal(size=len(problem.rows)) * (rng.random(len(problem.rows)) < 0.7)
            multipliers = multipliers.round() if whole else multipliers
            value, slopes = bounded(route, problem, dual, least, most, multipliers)
            np.testing.assert_allclose(slopes, dual + problem.rows.T @ multipliers, atol=1e-12)
            free = sum(
                min(y * low, y * high)
                for y, low, high in zip(multipliers, problem.safe_low, problem.safe_high, strict=True)
            )
            corners = np.array(list(itertools.product(*zip(least, most, strict=True))))
            assert value == pytest.approx(free + prices(corners, slopes).min(), abs=1e-10)
            points = rng.dirichlet(np.ones(len(corners_of)), 50) @ corners_of
            points = points[((points >= least) & (points <= most)).all(axis=1)]
            assert (prices(points, dual) >= value - 1e-9).all()


def without_point(route, problem, dual, least, most, cutoff, ray):
    """The multipliers that were found, and what is said that they prove."""
    if route == "arrays":
        multipliers, value, slopes = plain.impossible(problem, dual, least, most, cutoff, ray)
    else:
        multipliers, slopes = np.zeros(ray.size), np.full(dual.size, 9.0)
        value = looped("impossible")(
            problem.rows, problem.safe_low, problem.safe_high, dual, least, most, heights(least, most), cutoff,
            multipliers, slopes, ray,
        )  # fmt: skip
    np.testing.assert_allclose(slopes, dual + problem.rows.T @ multipliers, atol=1e-9 * (1 + np.abs(slopes).max()))
    return multipliers, value


@pytest.mark.parametrize("route", ROUTES)
def test_a_ray_proves_that_there_is_no_point(route):
    proved = kept = 0
    for g, inside, problem, dual, rng in polytopes(20):
        n, corners = dual.size, vertices(g)
        for x in range(n):
            least, most = np.zeros(n), np.ones(n)
            highest = corners[:, x].max()
            if highest > 0.98:
                continue
            least[x] = highest + 0.01
            # x is at most its cap: multipliers of the programme that says so are a ray
            cost = np.zeros(n)
            cost[x] = -1.0
            found = linprog(
                cost, A_ub=np.concatenate([problem.rows, -problem.rows]),
                b_ub=np.concatenate([problem.high, -problem.low]), bounds=[(0, 1)] * n, method="highs",
            ).ineqlin.marginals  # fmt: skip
            ray = found[: len(found) // 2] - found[len(found) // 2 :]
            for one in (ray, -ray, 5 * ray):
                start = bounded(route, problem, dual, least, most, np.zeros(ray.size))[0]
                for cutoff in (start - 1.0, start + 0.1, 20.0):
                    multipliers, value = without_point(route, problem, dual, least, most, cutoff, one)
                    assert value >= cutoff
                    assert value == pytest.approx(bounded(route, problem, dual, least, most, multipliers)[0], rel=1e-12)
                    # along the ray and no further than needed, but for the step that makes sure
                    at = multipliers @ one / (one @ one)
                    np.testing.assert_allclose(multipliers, at * one, atol=1e-9 * abs(at))
                    # entropy only adds to what grows in proportion: the first length that would do does
                    speed = bounded(route, problem, dual, least, most, 1e9 * np.sign(at) * one)[0]
                    assert abs(at) == pytest.approx(max(cutoff - start, 0) / (speed / 1e9) + 1, rel=1e-5)
                    proved += 1
        nothing, all_of_it = np.zeros(n), np.ones(n)
        for one in (np.zeros(len(problem.rows)), rng.normal(size=len(problem.rows))):
            multipliers, value = without_point(route, problem, dual, nothing, all_of_it, 50.0, one)
            assert value <= prices([inside], dual)[0] + 1e-9
            kept += not multipliers.any()
    assert proved > 100
    assert kept >= 20


def far_one(route, least, most, row):
    if route == "arrays":
        return plain.furthest(least, most, row)
    return looped("furthest")(least, most, heights(least, most), row)


@pytest.mark.parametrize("route", ROUTES)
def test_where_entropy_and_its_secant_differ_most(route):
    rng = np.random.default_rng(2)
    for _ in range(50):
        n = int(rng.integers(1, 6))
        least, most = random_box(rng, n)
        row = least + (most - least) * rng.random(n)
        off = []
        for a, b, t in zip(least, most, row, strict=True):
            share = (t - a) / (b - a) if b > a else 0.0
            off.append(entropy_at(t) - (1 - share) * entropy_at(a) - share * entropy_at(b))
        at = far_one(route, least, most, row)
        assert at == (int(np.argmax(off)) if max(off) > 1e-13 else -1)
    # at an end, in an interval that is a point, and at 0 they do not differ
    assert far_one(route, np.array([0.2, 0.3]), np.array([0.2 + 1e-13, 0.6]), np.array([0.2, 0.6])) == -1
    assert far_one(route, np.array([0.0, 0.3]), np.array([0.5, 0.3]), np.array([0.9e-13, 0.3])) == -1
    assert far_one(route, np.array([0.0, 0.3]), np.array([0.5, 0.3]), np.array([1.1e-13, 0.3])) == 0


# Branching --------------------------------------------------------------------------------------------------------


# Whole passes -----------------------------------------------------------------------------------------------------


def branched(route, problem, work, at, value, least, most, row, symbol):
    """Part a node; return the least bound of the children that need not wait."""
    multipliers = work.records.multipliers[at]
    slopes = bounded("arrays", problem, work.dual, least, most, multipliers)[1]
    if route == "arrays":
        plain.branch(problem, work, at, value, least, most, slopes, row, symbol)
        return work.state[4]
    looped("branch")(at, work.records, least, most, row, symbol)
    size, pruned = looped("children")(
        at, value, problem, work.records, work.open_nodes, work.waiting, least, most, heights(least, most), slopes,
        work.order, work.cutoff,
    )  # fmt: skip
    work.state[1] = size
    return pruned


@pytest.mark.parametrize("route", ROUTES)
def test_a_child_waits_where_its_parent_s_multipliers_leave_it_below_the_threshold(route):
    """Each child's bound is that of the multipliers on its own box."""
    waited = dropped = fixed = 0
    for _, _, problem, dual, rng in polytopes(60, seed=4):
        n = dual.size
        least, most = random_box(rng, n)
        least[int(rng.integers(n))] = 0.0
        multipliers = 0.5 * rng.normal(size=len(problem.rows))
        own = bounded("arrays", problem, dual, least, most, multipliers)[0]
        value = own - 1.0 if rng.random() < 0.5 else own + rng.random() * 0.2
        work = Pass.start(dual, own + rng.random() * 0.5, 1e-3, len(problem.rows), 0)
        work.state[1] = 0
        work.records.multipliers[2] = multipliers
        symbol = int(np.flatnonzero(least == 0)[0])
        pruned = branched(route, problem, work, 2, value, least, most, most.copy(), symbol)
        level = most[least == 0].max() / 2
        assert (work.records.kind[2], work.records.symbol[2]) == (FIRST, -1)
        assert work.records.level[2] == level
        expected, others = {-1: value}, []
        upper = most.copy()
        for x in work.order:
            if least[x] > 0 or most[x] <= level:
                fixed += 1
                continue
            lower = least.copy()
            lower[x] = level
            bound = bounded("arrays", problem, dual, lower, upper, multipliers)[0]
            upper[x] = level
            if bound < work.cutoff:
                expected[int(x)] = max(value, bound)
            else:
                others.append(bound)
        count = work.waiting
        assert set(work.open_nodes.parent[:count]) == {2}
        found = dict(zip(work.open_nodes.child[:count].tolist(), work.open_nodes.bound[:count].tolist(), strict=True))
        assert found == pytest.approx(expected, abs=1e-10)
        assert pruned == pytest.approx(min(others, default=math.inf), abs=1e-10)
        waited, dropped = waited + count - 1, dropped + len(others)
    assert min(waited, dropped, fixed) > 10


def explored(route, problem, work, caps, nodes=10**6):
    if route == "arrays":
        Plain(problem).explore(work, caps, nodes)
        return
    from mixproof.compiled import Compiled  # numba takes a second to import

    Compiled(problem).explore(work, caps, nodes)


def start(route, problem, dual, cutoff, tolerance=1e-6, **how):
    return Pass.start(dual, cutoff, tolerance, len(problem.rows), 0 if route == "arrays" else len(problem.rows), **how)


@pytest.mark.parametrize("route", ROUTES)
def test_a_pass_finds_the_least_price(route):
    below = above = 0
    for g, _, problem, dual, _ in polytopes(14, seed=5):
        corners = vertices(g)
        every = prices(corners, dual)
        caps = np.minimum(1.0, corners.max(axis=0) + 1e-9)
        for cutoff in (every.min() - 0.05, min(every.min() + 0.002, -1e-6)):
            work = start(route, problem, dual, cutoff, several=True)
            explored(route, problem, work, caps)
            assert work.waiting == 0 or work.state[5] >= COLUMNS_PER_PASS
            assert work.least <= every.min() + 1e-9
            if not work.waiting:
                assert work.least >= min(cutoff, every.min() - 1e-5) - 1e-9
            count = int(work.state[2])
            np.testing.assert_allclose(work.prices[:count], prices(work.rows[:count], dual), atol=1e-12)
            best = np.minimum.accumulate(np.append(0.0, work.prices[:count]))[:-1]
            assert (work.prices[:count] < tree.MIN_RELATIVE_SAVING * best).all()
            assert (work.rows[:count] @ g.T >= -1e-8).all()
            np.testing.assert_allclose(work.rows[:count].sum(axis=1), 1, atol=1e-9)
            assert work.state[3] == min(0.0, work.prices[:count].min(initial=0.0))
            assert work.state[5] == (work.prices[:count] < cutoff).sum()
            if cutoff < every.min():
                above += 1
                assert work.least >= cutoff
            elif every.min() < -2e-6:
                below += 1
                assert work.prices[:count].min() == pytest.approx(every.min(), abs=1e-5)
    assert min(above, below) > 5


def test_enough_rows_below_the_cut_off_end_it_at_once():
    g, _, problem, dual, _ = next(polytopes(1, seed=21))
    work = start("loops", problem, dual, prices(vertices(g), dual).min() + 0.05)
    work.state[5] = COLUMNS_PER_PASS
    looped("explore")(
        problem, work.dual, np.ones(dual.size), work.order, work.cutoff, work.tolerance, work.records, work.open_nodes,
        work.state, work.rows, work.prices, (400, 400, 0.0, COLUMNS_PER_PASS), simplex.space(*problem.rows.shape),
    )  # fmt: skip
    assert (work.solved, work.waiting) == (0, 1)


def test_a_tree_is_no_deeper_than_there_is_room_for_its_paths(monkeypatch):
    """What is given up there bounds the pass as it is."""
    monkeypatch.setattr(tree, "MAX_DEPTH", 5)
    deep = 0
    for g, _, problem, dual, _ in polytopes(8, seed=21):
        corners = vertices(g)
        work = start("loops", problem, dual, prices(corners, dual).min() + 0.05, tolerance=0.0)
        looped("explore")(
            problem, work.dual, np.ones(dual.size), work.order, work.cutoff, work.tolerance, work.records,
            work.open_nodes, work.state, work.rows, work.prices, (400, 400, 0.0, 401),
            simplex.space(*problem.rows.shape),
        )  # fmt: skip
        depths = {-1: 0}
        for at in range(work.nodes):
            depths[at] = depths[int(work.records.parent[at])] + 1
        assert max(depths.values()) <= 4
        deep += max(depths.values()) == 4
        assert work.least <= prices(corners, dual).min() + 1e-9
    assert deep


@pytest.mark.parametrize("route", ROUTES)
def test_each_node_proves_its_bound(route):
    for g, _, problem, dual, rng in polytopes(6, seed=6):
        corners = vertices(g)
        caps = np.minimum(1.0, corners.max(axis=0) + 1e-9)
        work = start(route, problem, dual, prices(corners, dual).min() - 0.02)
        explored(route, problem, work, caps)
        count, records = work.nodes, work.records
        assert records.parent[0] == -1
        assert (records.parent[1:count] < np.arange(1, count)).all()
        parted = set(records.parent[1:count].tolist())
        points = np.concatenate([corners, rng.dirichlet(np.ones(len(corners)), 100) @ corners])
        cheap = prices(points, dual)
        for at in range(count):
            if at in parted:
                assert records.kind[at] != LEAF
            least, most, _ = box_of(
                "arrays", int(records.parent[at]), int(records.child[at]), records, caps, work.order
            )
            told, least, most = narrowed("arrays", least, most)
            assert told
            value = bounded("arrays", problem, dual, least, most, records.multipliers[at])[0]
            inside = ((points >= least) & (points <= most)).all(axis=1)
            assert (cheap[inside] >= value - 1e-9).all()
            if records.kind[at] == LEAF:
                assert value >= min(work.least, work.cutoff) - 1e-12


@pytest.mark.parametrize("route", ROUTES)
def test_a_pass_goes_on_where_it_stood(route):
    """A few nodes at a time come to the same bound as all at once, in as many nodes."""
    for g, _, problem, dual, _ in polytopes(5, seed=7):
        caps = np.minimum(1.0, vertices(g).max(axis=0) + 1e-9)
        cutoff = prices(vertices(g), dual).min() - 0.01
        once, bits = (start(route, problem, dual, cutoff) for _ in range(2))
        explored(route, problem, once, caps)
        for _ in range(10**4):
            before = bits.nodes
            explored(route, problem, bits, caps, 1)
            assert bits.nodes <= before + 1
            if not bits.waiting:
                break
        assert bits.least == pytest.approx(once.least, abs=1e-7)  # HiGHS goes on from where it stood itself
        assert bits.nodes == once.nodes or route == "arrays"


@pytest.mark.parametrize("route", ROUTES)
def test_a_pass_ends_with_a_row_that_saves_enough(route):
    ended = 0
    for g, _, problem, dual, _ in polytopes(10, seed=8):
        corners = vertices(g)
        work = start(route, problem, 1.5 * dual, -1e-3)
        explored(route, problem, work, np.ones(dual.size))
        least = prices(corners, 1.5 * dual).min()
        if work.waiting:
            ended += 1
            assert work.has_enough
            assert work.state[3] < EARLY_STOP_SHARE * work.least <= EARLY_STOP_SHARE * least + 1e-9
    assert ended


@pytest.mark.parametrize("route", ROUTES)
def test_how_large_each_coordinate_can_be(route):
    for g, _, problem, dual, _ in polytopes(8, seed=9):
        if route == "arrays":
            caps, proof = Plain(problem).largest()
        else:
            from mixproof.compiled import Compiled

            caps, proof = Compiled(problem).largest()
        np.testing.assert_allclose(caps, np.minimum(1.0, vertices(g).max(axis=0)), atol=1e-7)
        for x in range(dual.size):
            # what the multipliers of all rows but the sum prove on the simplex, corner by corner
            y = proof[x, :-1]
            free = sum(
                max(-one * low, -one * high)
                for one, low, high in zip(y, problem.safe_low[:-1], problem.safe_high[:-1], strict=True)
            )
            corners = [float(z == x) + y @ problem.rows[:-1, z] for z in range(dual.size)]
            assert caps[x] == pytest.approx(min(1.0, max(corners) + free), abs=1e-12)


@pytest.mark.parametrize("route", ROUTES)
def test_downhill(route):
    found_some = 0
    for g, _, problem, dual, rng in polytopes(8, seed=10):
        n, corners = dual.size, vertices(g)
        starts = rng.dirichlet(np.ones(n), 7)
        starts[0] = np.eye(n)[0]
        before = starts.copy()
        if route == "arrays":
            one = Plain(problem)
        else:
            from mixproof.compiled import Compiled

            one = Compiled(problem)
        rows, price = one.descend(dual, starts)
        np.testing.assert_array_equal(starts, before)
        finite = np.isfinite(price)
        assert finite.all()
        found_some += finite.sum()
        assert (rows >= 0).all()
        assert (rows @ g.T >= -1e-8).all()
        np.testing.assert_allclose(price, prices(rows, dual), atol=1e-10)
        for k in range(7):
            with np.errstate(divide="ignore"):
                tangent = np.minimum(-np.log(starts[k]), 27.6) - dual
            values = corners @ tangent
            first = corners[values <= values.min() + 1e-9]
            assert price[k] <= prices(first, dual).max() + 1e-7
            # and its own tangent leads nowhere cheaper
            with np.errstate(divide="ignore"):
                own = np.minimum(-np.log(rows[k]), 27.6) - dual
            again = corners[np.argmin(corners @ own)]
            assert prices([again], dual)[0] >= price[k] - 1e-7
        one_step, one_price = one.descend(dual, starts, 1)
        assert (one_price >= price - 1e-9).all()
        assert np.isinf(one.descend(dual, starts, 0)[1]).all()
        np.testing.assert_allclose(one_price, prices(one_step, dual), atol=1e-10)
    assert found_some


# What a pass holds ------------------------------------------------------------------------------------------------


def test_the_polytope_as_rows_and_columns():
    g = np.array([[1.0, -1.0, 0.5], [-0.25, 2.0, -2.0]])
    hull, inside = two_sided(g), np.array([0.3, 0.4, 0.3])
    free = Problem.of(hull, np.zeros(2), inside)
    np.testing.assert_array_equal(free.rows, hull.rows)
    np.testing.assert_array_equal(free.columns, hull.rows.T)
    np.testing.assert_allclose([free.low, free.high], [hull.low, hull.high], atol=0)
    slack = Problem.of(hull, np.array([1e-3, 2e-3]), inside)
    np.testing.assert_array_equal(np.array(slack[4:6]), np.array(hull.widened(np.array([1e-3, 2e-3]))))
    for off, moved in ((0.9e-7, True), (1.1e-7, False)):
        value = hull.rows[0] @ inside
        for side, low, high in ((0, value - off, 1.0), (1, -1.0, value + off)):
            near = hull._replace(low=np.r_[low, hull.low[1:]], high=np.r_[high, hull.high[1:]])
            found = Problem.of(near, np.zeros(2), inside)
            assert ((found.low, found.high)[side][0] == value) == moved
            assert (found.low, found.high)[1 - side][0] == (near.low, near.high)[1 - side][0]
            assert found.low[-1] == found.high[-1] == 1.0


@pytest.mark.parametrize("route", ROUTES)
def test_what_is_done_is_bounded_by_the_worst_of_its_leaves(route):
    """With a coarse tolerance leaves are given up below the threshold."""
    given_up = 0
    for g, _, problem, dual, _ in polytopes(40, seed=17):
        corners = vertices(g)
        caps = np.minimum(1.0, corners.max(axis=0) + 1e-9)
        work = start(route, problem, dual, prices(corners, dual).min() + 0.05, tolerance=0.04, several=True)
        while work.waiting:
            work.state[5] = 0
            explored(route, problem, work, caps)
        assert (work.prices[: int(work.state[2])] < -work.tolerance).all()  # none is listed that saves next to nothing
        found = []
        for at in np.flatnonzero(work.records.kind[: work.nodes] == LEAF):
            least, most = plain.box(work, int(work.records.parent[at]), int(work.records.child[at]), caps)
            plain.tighten(least, most)
            found.append(bounded("arrays", problem, dual, least, most, work.records.multipliers[at])[0])
        if min(found) < work.cutoff:
            given_up += sum(one < work.cutoff for one in found) > 1
            assert work.state[4] == pytest.approx(min(found), abs=1e-10)
    assert given_up > 5


@pytest.mark.parametrize("route", ROUTES)
def test_a_coordinate_that_can_only_be_0(route):
    """The pass is then over the face where it is, whose vertices are the polytope's."""
    seen = 0
    for g, _, problem, dual, _ in polytopes(40, seed=18):
        corners = vertices(g)
        caps = np.minimum(1.0, corners.max(axis=0) + 1e-9)
        caps[0] = 0.0
        face = corners[corners[:, 0] <= 1e-12]
        cutoff = prices(face, dual).min() - 1e-4 if len(face) else 0.0
        work = start(route, problem, dual, cutoff, several=True)
        while work.waiting:
            work.state[5] = 0
            explored(route, problem, work, caps)
        assert work.least >= cutoff - 1e-9
        if len(face):
            assert work.least <= prices(face, dual).min() + 1e-9
            seen += 1
    assert seen > 5


@pytest.mark.parametrize("route", ROUTES)
def test_a_pass_with_little_room_makes_more_and_comes_to_the_same(route):
    grew = 0
    for g, _, problem, dual, _ in polytopes(12, seed=20, largest=8):
        corners = vertices(g)
        caps = np.minimum(1.0, corners.max(axis=0) + 1e-9)
        made = []
        for room in (512, 1):
            work = start(route, problem, dual, prices(corners, dual).min() - 1e-3, several=True)
            work.records = Records.empty(room, len(problem.rows), work.records.basis.shape[1])
            while work.waiting:
                work.state[5] = 0
                explored(route, problem, work, caps)
            made.append(work)
        assert made[0].nodes == made[1].nodes
        assert made[0].least == made[1].least
        grew += made[1].nodes > 1
    assert grew > 5
