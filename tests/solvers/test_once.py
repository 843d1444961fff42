"""The search in one compiled call takes the steps of ``cheapest_mixture``, and gives up where it cannot."""

from types import SimpleNamespace

import numpy as np
import pytest
from loops import interpreted

import liftlib as ll
from liftlib.numerics import KEEP_TOL
from liftlib.solvers.mixing import once
from liftlib.solvers.mixing.masters import AT_ONCE, SUPPORT_TOL, dear, entropies
from liftlib.solvers.mixing.problem import HAS_NUMBA, NEAR, Pass
from liftlib.solvers.mixing.ranges import FEW
from liftlib.solvers.mixing.routes import MOST_DENSE
from liftlib.solvers.mixing.search import FINER, RESUMED, Search, cheapest_mixture
from liftlib.solvers.mixing.supports import AT_AN_END, FLAT

pytestmark = pytest.mark.skipif(not HAS_NUMBA, reason="numba is not installed")

CASES = {
    "loose": ((5, 17), ll.ALIP.split(8.0, 0.65)),
    "tight": ((5, 17), ll.ALIP.split(0.5, 0.35)),
    "one side": ((4, 20), ll.ALIP(np.inf, 0.4)),
    "ratios": ((3, 14), ll.LDP(1.0)),
    "nothing to say": ((5, 17), ll.PerfectPrivacy()),
}


def cone(shape, notion, seed):
    joint = ll.datasets.uniform_joint(*shape, np.random.default_rng(seed))
    # what cannot be written to is another type, for which all would be compiled once more
    return notion.halfspaces(joint), joint.p_x.copy()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", [0, 1])
def test_it_takes_the_search_s_own_steps(name, seed):
    halfspaces, target = cone(*CASES[name], seed)
    found = once.search_once(halfspaces, target, KEEP_TOL, 1e-6)
    other = cheapest_mixture(halfspaces, target, gap=1e-6, slack=KEEP_TOL)
    cost = float(entropies(found.rows) @ found.weights)
    assert found.weights @ found.rows == pytest.approx(target, abs=1e-10)
    assert (halfspaces @ found.rows.T >= -1e-9).all()
    assert (found.weights >= 0).all()
    assert found.rows[0] == pytest.approx(target)  # so that some mixture reaches it
    assert cost == pytest.approx(other.cost, abs=2e-6)
    assert found.bound <= min(cost, other.cost) + 1e-12
    assert found.proven().bound == found.bound
    assert cost - found.bound <= 1e-6 * (entropies(target[None])[0] - cost) + 1e-9
    assert 0.5 * other.programmes <= found.programmes <= 2 * other.programmes
    assert 0 < found.seconds < 600


def test_a_tree_that_was_large_is_gone_on_from():
    """Its nodes are those of another pass, parents before children, and its multipliers prove the bound told."""
    halfspaces, target = cone(*CASES["tight"], 0)
    found = once.search_once(halfspaces, target, KEEP_TOL, 1e-6)
    work = found.proven().work
    assert work.nodes > RESUMED
    assert found.programmes > work.nodes
    assert (work.records.parent < np.arange(work.nodes)).all()
    assert work.records.parent[0] == -1


@pytest.fixture
def dense():
    """The compiled call's own steps; numba takes a second to import."""
    from liftlib.solvers.mixing import dense

    return dense


def searching(name, slack):
    """Return a search by steps that has a polytope, its halfspaces of many sizes, and its target."""
    halfspaces, target = cone(*CASES[name], 0)
    # two sides of one direction, each next to the target but not through it
    across = np.array([target[1], -target[0], *np.zeros(target.size - 2)])
    near = 0.4 * NEAR * np.abs(across).max() / target[0] * np.eye(target.size)[0]
    halfspaces = np.concatenate([halfspaces, [across + near, near - across]])
    halfspaces = np.ascontiguousarray(halfspaces * np.geomspace(0.1, 20.0, len(halfspaces))[:, None])
    return Search(halfspaces, target, slack, compiled=True), halfspaces, target


@pytest.mark.parametrize("name", CASES)
def test_its_polytope_is_the_search_s(name, dense):
    """Also with room for what breaks a halfspace by the slack, and with what bounds each coordinate."""
    search, halfspaces, target = searching(name, 1e-3)
    problem, hull = dense.polytope(halfspaces, target, 1e-3)
    assert (problem.low != hull[0]).any()
    assert (problem.high != hull[1]).any()
    for mine, theirs in zip(problem, search.problem, strict=True):
        assert mine == pytest.approx(theirs, rel=0, abs=1e-14)
    caps, _ = dense.widest(problem, dense.space(*problem.rows.shape))
    assert (caps < 1).any() or name == "nothing to say"
    assert caps == pytest.approx(search.caps, rel=0, abs=1e-15)


def test_of_what_starts_lead_to_it_takes_what_saves_something(dense):
    search, halfspaces, target = searching("tight", KEEP_TOL)
    problem, _ = dense.polytope(halfspaces, target, KEEP_TOL)
    rows, prices = search.route.descend(search.dual, once.first_starts(target.size))
    worth = float(np.median(-prices))
    taken = dense.downhill(
        problem, search.dual, once.first_starts(target.size), worth, dense.space(*problem.rows.shape)
    )
    assert 0 < len(taken) < len(rows)
    assert taken == pytest.approx(rows[prices < -worth], abs=1e-9)


@pytest.mark.parametrize("name", ["loose", "one side", "ratios"])
def test_vertices_join_until_none_would_improve_it(name, dense):
    halfspaces, target = cone(*CASES[name], 0)
    search = Search(halfspaces, target, KEEP_TOL, compiled=True)
    problem, _ = dense.polytope(halfspaces, target, KEEP_TOL)
    table = dense.vertices(problem.rows[:-1], problem.low, problem.high, FLAT, AT_AN_END, True)
    n, rows = target.size, 16 * target.size
    price, count = np.array([dear(n)]), np.zeros(1, np.int64)
    mixing = dense.Mixing(np.empty((rows, n)), np.empty(rows), count, price, target, np.arange(n), np.eye(n))
    dense.add(mixing, target[None].copy())
    well, cost, _, weights = dense.settle(mixing, table)
    search.begin(np.empty((0, n)))
    assert well
    assert cost == pytest.approx(search.cost, abs=1e-9)
    assert cost < search.total - 0.01
    assert weights @ mixing.rows[: count[0]] == pytest.approx(target, abs=1e-9)


def assert_same(made, told):
    """A pass in one call has come to what one by steps has."""
    ended, least, steps, found, records, count, order = made
    assert ended == (told.waiting == 0 or told.found_enough)
    assert (least, steps, count) == (told.least, told.solved, told.nodes)
    np.testing.assert_array_equal(found, told.found[:300])
    np.testing.assert_array_equal(order, told.order)
    for one, other in zip(records, told.records, strict=True):
        np.testing.assert_array_equal(one[:count], other[:count])


@pytest.mark.parametrize("name", ["tight", "ratios"])
def test_a_pass_is_the_search_s(name, dense):
    """From the root and from an earlier one on, done, ended by a row that saves enough, or out of programmes."""
    halfspaces, target = cone(*CASES[name], 0)
    search = Search(halfspaces, target, KEEP_TOL, compiled=True)
    problem, _ = dense.polytope(halfspaces, target, KEEP_TOL)
    m, n = problem.rows.shape
    work = dense.space(m, n)
    best = cheapest_mixture(halfspaces, target, slack=KEEP_TOL).dual
    ended, resumed = set(), 0
    for delta, programmes in ((1e-4, 10**6), (3e-3, 10**6), (1e-4, 4), (1e-4, 103)):
        before, count, order, told = dense.empty(4096, m), 0, np.arange(n), None
        for move in (0.0, 1e-5, 1e-3, 0.1):
            dual = best + move * np.cos(np.arange(n))
            start = Pass.start(dual, -delta, delta / FINER, m, m)
            if told is not None and told.nodes >= RESUMED:
                start = search.route.resumed(told, start, search.caps, apart=True)
            resumed += start.nodes > 0
            told = start
            search.route.explore(told, search.caps, programmes)
            made = dense.one_pass(problem, dual, search.caps, delta, before, count, order, programmes, work)
            assert_same(made, told)
            before, count, order = made[4:]
            ended.add((told.waiting > 0, told.found_enough))
    assert ended >= {(False, False), (True, True), (True, False)}
    assert resumed > 1


@pytest.mark.parametrize(("nodes", "programmes"), [(64, 0), (0, 10)])
def test_a_pass_that_solves_nothing_bounds_nothing(nodes, programmes, dense):
    """The root waits still, and nothing is known of it."""
    halfspaces, target = cone(*CASES["tight"], 0)
    problem, _ = dense.polytope(halfspaces, target, KEEP_TOL)
    m, n = problem.rows.shape
    given = problem, np.zeros(n), np.ones(n), 1e-4, dense.empty(nodes, m), 0, np.arange(n)
    ended, least, solved, found, *_ = dense.one_pass(*given, programmes, dense.space(m, n))
    assert (ended, least, solved, len(found)) == (False, -np.inf, 0, 0)


@pytest.mark.parametrize("waits", [-0.3, -0.5])
def test_a_pass_is_bounded_by_what_was_given_up_too(waits, dense, monkeypatch):
    """A box that is not parted any more may bound less than all that wait, and than the price of any row."""
    halfspaces, target = cone(*CASES["tight"], 0)
    problem, _ = dense.polytope(halfspaces, target, KEEP_TOL)
    m, n = problem.rows.shape

    def explore(problem, dual, caps, order, threshold, tolerance, records, stack, state, found, prices, limits, work):
        found[0], prices[0], stack.bound[0] = target, -0.2, waits
        state[:] = 3, 2, 1, -0.2, -0.4, 1, 3

    monkeypatch.setattr(dense, "tree", SimpleNamespace(explore=explore))
    given = problem, np.zeros(n), np.ones(n), 1e-4, dense.empty(64, m), 0, np.arange(n)
    ended, least, *_ = interpreted(dense.one_pass)(*given, 10, dense.space(m, n))
    assert (ended, least) == (False, min(waits, -0.4))


def test_rows_for_which_there_is_no_room_do_not_join(dense):
    """Compiled, a row written behind the last would be written into something else."""
    target, room = np.array([0.6, 0.4]), 3 + AT_ONCE * 2
    mixing = dense.Mixing(
        np.zeros((room, 2)), np.zeros(room), np.zeros(1, np.int64), np.array([dear(2)]), target, np.arange(2), np.eye(2)
    )
    assert dense.add(mixing, np.array([[0.6, 0.4], [0.5, 0.5]])) == 2
    assert dense.add(mixing, np.array([[0.7, 0.3], [0.5, 0.5]])) == 1
    assert dense.add(mixing, np.array([[1.2, 0.8]])) == 0  # the first again, once it sums to 1
    table = dense.vertices(np.empty((0, 2)), np.empty(0), np.empty(0), FLAT, AT_AN_END, True)
    nothing = tuple(one[:0] for one in table)
    assert dense.settle(mixing, nothing)[0]
    assert dense.add(mixing, np.array([[0.2, 0.8]])) == 1
    assert not dense.settle(mixing, nothing)[0]
    assert dense.add(mixing, np.array([[1.0, SUPPORT_TOL / 2]])) == 1
    assert mixing.rows[mixing.count[0] - 1].tolist() == [1.0, 0.0]
    before = mixing.count[0]
    assert dense.add(mixing, np.full((room - before + 1, 2), 0.5)) == -1
    assert mixing.count[0] == before


@pytest.mark.parametrize("seed", range(4))
def test_a_wide_gap_takes_passes_too_and_is_reached(seed):
    halfspaces, target = cone(*CASES["tight"], seed)
    found = once.search_once(halfspaces, target, KEEP_TOL, 0.1)
    cost = float(entropies(found.rows) @ found.weights)
    assert 0 < cost - found.bound <= 0.1 * (entropies(target[None])[0] - cost)
    other = cheapest_mixture(halfspaces, target, gap=0.1, slack=KEEP_TOL)
    assert 0.5 * other.programmes <= found.programmes <= 2 * other.programmes
    assert found.programmes < once.search_once(halfspaces, target, KEEP_TOL, 1e-6).programmes


@pytest.mark.parametrize(("name", "value"), [("ROOM", 8), ("CHUNK_COMPILED", 0)])
def test_what_needs_more_room_or_programmes_is_given_up(name, value, monkeypatch):
    halfspaces, target = cone(*CASES["tight"], 0)
    monkeypatch.setattr(once, name, value)
    assert once.search_once(halfspaces, target, KEEP_TOL, 1e-6) is None


def test_where_a_bound_needs_no_tree_it_is_given_up_for_want_of_a_proof():
    """That no cost is below 0 is within so wide a gap; the search by steps has a tree to show for it."""
    halfspaces, target = cone((5, 17), ll.ALIP.split(2.0, 0.5), 0)
    assert once.search_once(halfspaces, target, KEEP_TOL, 0.3) is None
    assert cheapest_mixture(halfspaces, target, gap=0.3, slack=KEEP_TOL).proven.work.nodes > 0


def test_so_many_passes_and_no_more(dense, monkeypatch):
    halfspaces, target = cone(*CASES["tight"], 1)
    monkeypatch.setattr(dense, "searched", interpreted(dense.searched))
    one_pass, begun = dense.one_pass, []
    monkeypatch.setattr(dense, "one_pass", lambda *given: begun.append(1) or one_pass(*given))
    done, *_, programmes, passes = once._called(halfspaces, target, KEEP_TOL, 1e-6)[:8]
    assert done
    assert passes == len(begun) > 1
    assert programmes == once.search_once(halfspaces, target, KEEP_TOL, 1e-6).programmes
    for most in (passes, passes - 1):
        monkeypatch.setattr(dense, "PASSES", most)
        assert once._called(halfspaces, target, KEEP_TOL, 1e-6)[0] == (most == passes)


def test_each_programme_is_a_node_where_one_pass_is_all():
    halfspaces, target = cone(*CASES["loose"], 0)
    found = once.search_once(halfspaces, target, KEEP_TOL, 1e-6)
    assert found.programmes == found.proven().work.nodes


def test_many_halfspaces_or_coordinates_do_not_fit():
    assert once.fits(np.ones((10, MOST_DENSE)))
    assert not once.fits(np.ones((1, MOST_DENSE + 1)))
    most = int((FEW / 20) ** 0.5)
    assert once.fits(np.ones((most, 20)))
    assert not once.fits(np.ones((most + 1, 20)))


def test_what_is_given_is_left_as_it_was():
    halfspaces, target = cone(*CASES["loose"], 0)
    before = halfspaces.copy(), target.copy(), once.first_starts(17).copy()
    once.search_once(halfspaces, target, KEEP_TOL, 1e-6)
    assert (halfspaces == before[0]).all()
    assert (target == before[1]).all()
    assert (once.first_starts(17) == before[2]).all()


def test_one_symbol_is_proven_too():
    found = once.search_once(np.empty((0, 1)), np.array([1.0]), 0.0, 1e-6)
    assert found.proven().bound == found.bound == 0.0
    assert found.proven().work.nodes <= 1


def test_factors_of_1_are_no_factors_of_0():
    """Rows of thirds, from which a simplex that keeps a wrong inverse does not come back."""
    found = once.search_once(np.array([[1, -0.5, -0.5], [-0.4, 1, 1]]), np.full(3, 1 / 3), 0.0, 1e-6)
    assert found is not None
    assert found.weights @ found.rows == pytest.approx(np.full(3, 1 / 3))
