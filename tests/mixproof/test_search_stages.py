"""The search's stages by themselves: where it goes downhill from, which rows join, how passes follow one another."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

import liftlib as ll
from mixproof import search
from mixproof.backends import MOST_DENSE
from mixproof.problem import WORTHLESS
from mixproof.search import FIRST_LOOK, LAST, LAST_OF_MANY, PATIENCE, PERTURB_GAIN, PERTURB_ROUNDS, STEEPER


def begun(n_public=12):
    joint = ll.datasets.uniform_joint(5, n_public, np.random.default_rng(3))
    one = search.Search(ll.LIP(0.3).halfspaces(joint), joint.p_x, 0.0, compiled=False)
    one.begin(np.empty((0, n_public)))
    return one


def heard(one, monkeypatch, price=0.0):
    """What a search asks its route to go downhill from; each start leads to the target, at a price."""
    asked = []

    def descend(dual, starts):
        asked.append(starts)
        return np.tile(one.target, (len(starts), 1)), np.full(len(starts), price)

    monkeypatch.setattr(one.route, "descend", descend)
    return asked


def joined(one, monkeypatch):
    """The rows that a search lets join, which change nothing."""
    rows = []
    monkeypatch.setattr(one, "add", lambda more: rows.extend(more.tolist()) or len(more))
    monkeypatch.setattr(one, "resolve", lambda: None)
    return rows


def offered(one, monkeypatch, prices):
    """Let each descent lead to unit vectors at these prices."""
    rows = np.eye(len(prices), one.target.size)
    monkeypatch.setattr(one.route, "descend", lambda *_: (rows.copy(), np.array(prices)))


# Limits -----------------------------------------------------------------------------------------------------------


def test_how_long_it_took():
    before = time.perf_counter()
    one = begun()
    assert 0 < one.seconds <= time.perf_counter() - before


@pytest.mark.parametrize("compiled", [False, True])
def test_what_it_takes_to_compile_is_not_the_search_s(compiled, monkeypatch):
    """Nor is anything compiled for a search by HiGHS."""
    ready = []
    monkeypatch.setattr(search, "compile_loops", lambda: ready.append(time.perf_counter()))
    joint = ll.datasets.uniform_joint(3, 4, np.random.default_rng(3))
    one = search.Search(ll.LIP(0.3).halfspaces(joint), joint.p_x, 0.0, compiled=compiled)
    assert len(ready) == compiled
    assert all(at <= one.started for at in ready)


def test_which_limit_it_was_and_what_to_do(monkeypatch):
    one = begun()
    one.one_pass(1e-3, None)
    for limit, most, words, remedy in (
        (0.0, 1, "time", "seconds"),
        (np.inf, one.programmes, "programmes", "programmes"),
    ):
        one.limit, one.most = limit, most
        assert one.over
        assert words in one.limits[0]
        assert remedy in one.limits[1]
    one.most = one.programmes + 1
    assert not one.over
    monkeypatch.setattr(search, "LARGEST", one.tree.size)
    assert not one.large
    monkeypatch.setattr(search, "LARGEST", one.tree.size - 1)
    assert one.over
    assert "memory" in one.limits[0]


def test_given_rows_join_before_anything_is_looked_for():
    joint = ll.datasets.uniform_joint(5, 12, np.random.default_rng(3))
    g = ll.LIP(0.3).halfspaces(joint)
    best = search.cheapest_mixture(g, joint.p_x, compiled=False)
    rows = [None, best.rows]
    costs = [search.cheapest_mixture(g, joint.p_x, more=more, seconds=0.0, compiled=False).cost for more in rows]
    assert costs[0] > best.cost + 1e-4
    assert costs[1] <= best.cost + 1e-9


def test_a_search_without_time_still_has_a_proof():
    joint = ll.datasets.uniform_joint(5, 12, np.random.default_rng(3))
    found = search.cheapest_mixture(ll.LIP(0.3).halfspaces(joint), joint.p_x, seconds=0.0, compiled=False)
    assert found.passes == 1
    assert found.proven.work is not None
    assert not found.ended


@pytest.mark.parametrize("reached", [True, False])
@pytest.mark.parametrize("over", [True, False])
def test_a_search_ended_unless_a_limit_came_before_the_gap(reached, over, monkeypatch):
    def prove(one, *_):
        one.proven = one.proven._replace(bound=one.cost if reached else 0.0)
        one.limit = 0.0 if over else np.inf

    monkeypatch.setattr(search, "_prove", prove)
    joint = ll.datasets.uniform_joint(5, 12, np.random.default_rng(3))
    found = search.cheapest_mixture(ll.LIP(0.3).halfspaces(joint), joint.p_x, compiled=False)
    assert found.ended == (reached or not over)


def test_a_bound_alone():
    """What proves it stays, what only a pass that goes on needs does not."""
    one = begun()
    assert one.proven.alone() is one.proven
    one.one_pass(1e-3, None)
    assert one.proven.work.records.multipliers.shape[0] > one.proven.work.nodes
    alone = one.proven.alone()
    assert alone.work.records.multipliers.shape[0] == alone.work.nodes == one.proven.work.nodes
    assert alone.bound == one.proven.bound


# Downhill ---------------------------------------------------------------------------------------------------------


def test_rows_that_save_join_at_first(monkeypatch):
    one = begun()
    offered(one, monkeypatch, [-1.0, -1.01e-7, -0.99e-7, 0.0, 1.0, np.inf])
    rows = joined(one, monkeypatch)
    monkeypatch.setattr(one, "resolve", lambda: setattr(one, "limit", 0.0))  # once is enough
    one.multi_start()
    assert rows == np.eye(6, 12)[:2].tolist()


@pytest.mark.parametrize(("n", "compiled", "rounds"), [
    (MOST_DENSE, False, 1), (MOST_DENSE + 1, False, 2), (MOST_DENSE, True, 1), (MOST_DENSE + 1, True, 3),
])  # fmt: skip
def test_how_often_nothing_may_be_found(n, compiled, rounds, monkeypatch):
    one = begun(n)
    one.compiled = compiled
    asked = heard(one, monkeypatch)
    one.multi_start()
    assert len(asked) == rounds


@pytest.mark.parametrize(("share", "rounds"), [(0.3, 1), (1.1, 0)])
def test_there_is_time_left_when_going_downhill_ends(share, rounds, monkeypatch):
    one = begun()
    one.limit = 100.0
    one.started = time.perf_counter() - share * one.limit
    asked = heard(one, monkeypatch)
    one.multi_start()
    assert len(asked) == rounds


@pytest.mark.parametrize(("n", "rounds"), [(MOST_DENSE, 1), (MOST_DENSE + 1, 5)])
def test_loops_go_downhill_once_where_a_tree_is_small(n, rounds, monkeypatch):
    """Elsewhere while something is gained."""
    one = begun(n)
    one.compiled = True
    asked = heard(one, monkeypatch, -1.0)
    joined(one, monkeypatch)
    gains = iter([0.01, 0.01] + 20 * [0.0])
    monkeypatch.setattr(one, "resolve", lambda: setattr(one, "cost", one.cost - next(gains)))
    one.multi_start()
    assert len(asked) == rounds


def test_nearby_it_starts_from_two_rows_in_use_or_from_one_that_is_shaken(monkeypatch):
    """And from a little of the target, so that what is next to 0 may grow."""
    one = begun()
    asked = heard(one, monkeypatch)
    one.perturb(1e-3)
    assert len(asked) == PERTURB_ROUNDS
    n, used = one.target.size, one.master.rows[one.weights > 0]
    assert 1 < len(used) < len(one.master.rows)
    halves = (used[:, None] + used) / 2
    for at, starts in enumerate(asked):
        assert starts.shape == (n, n)
        np.testing.assert_allclose(starts.sum(axis=1), 1.0)
        without = (starts - 0.02 * one.target) / 0.98
        assert without.min() >= -1e-12
        far = np.abs(halves - without[:, None, None]).max(axis=3).min(axis=(1, 2))
        if at % 2 == 0:
            assert far.max() < 1e-12
        else:
            assert np.median(far) > 0.01
            # a fifth is one coordinate, and the rest has no other than those of a row in use
            for one_start in without:
                assert any(
                    ((row > 0) | (one_start < 1e-12) | (np.arange(n) == one_start.argmax()) | (one_start > 0.19)).all()
                    for row in used
                )
                assert one_start.max() >= 0.2 - 1e-12


def test_nearby_ends_where_so_many_rounds_gain_little(monkeypatch):
    for gain, rounds in ((2 * PERTURB_GAIN, 3 + PERTURB_ROUNDS), (0.5 * PERTURB_GAIN, PERTURB_ROUNDS)):
        one = begun()
        asked = heard(one, monkeypatch, -1.0)
        joined(one, monkeypatch)

        def resolve(one=one, asked=asked, gain=gain):
            one.cost -= gain * 0.01 if len(asked) == 3 else 0.0

        monkeypatch.setattr(one, "resolve", resolve)
        one.perturb(0.01)
        assert len(asked) == rounds


def test_nearby_rows_join_that_save_more_than_rounding(monkeypatch):
    one = begun()
    offered(one, monkeypatch, [-1.0, -1.01 * WORTHLESS, -WORTHLESS, 0.0, 0.5 * WORTHLESS, 1.0])
    rows = joined(one, monkeypatch)
    one.perturb(1e-3)
    assert rows == PERTURB_ROUNDS * np.eye(6, 12)[:2].tolist()


# Passes -----------------------------------------------------------------------------------------------------------


def test_what_a_pass_found_joins_and_what_it_leads_to_where_that_saves(monkeypatch):
    one = begun()
    offered(one, monkeypatch, [-1.0, -1.01 * WORTHLESS, -WORTHLESS, 0.0, 0.5 * WORTHLESS, 1.0])
    rows = joined(one, monkeypatch)
    work = one.one_pass(1e-3, None)
    assert len(work.found)
    assert rows == [*work.found.tolist(), *np.eye(6, 12)[:2].tolist()]
    assert one.joined == len(rows)
    assert begun().add(np.empty((0, 12))) == 0


def test_a_pass_goes_downhill_from_what_it_found(monkeypatch):
    one = begun()
    asked = heard(one, monkeypatch)
    work = one.one_pass(1e-3, None, several=True)
    assert len(work.found) > 1
    np.testing.assert_allclose(asked, [work.found], atol=1e-9)
    one.one_pass(1.0, None)
    assert len(asked) == 1
    assert one.joined == 0


def test_a_pass_of_so_many_programmes(monkeypatch):
    monkeypatch.setattr(search, "CHUNK", 3)
    assert begun().one_pass(1e-6, None, several=True, chunks=2).solved == 6


def test_where_no_vertex_is_on_one_or_two_coordinates(monkeypatch):
    one = begun()
    monkeypatch.setattr(
        one, "table", one.table._replace(**{name: part[:0] for name, part in one.table._asdict().items()})
    )
    one.resolve()
    assert one.cost == pytest.approx(one.dual @ one.target)


class Passes:
    """A search whose passes come out as told: what waits, whether that is enough, the cost, and the gap."""

    def __init__(self, *told, joined=1):
        self.told, self.joined = list(told), joined
        self.passes, self.over, self.cost, self.gap, self.asked = 0, False, 1.0, 0.5, []

    def wanted(self, gap):
        return gap

    def perturb(self, wanted):
        self.asked.append(wanted)

    def one_pass(self, delta, _, **how):
        self.passes += 1
        self.asked.append((pytest.approx(delta), how))
        waiting, enough, self.cost, self.gap = self.told.pop(0)
        return SimpleNamespace(waiting=waiting, found_enough=enough)


def test_passes_over_a_small_tree():
    """All at one cut-off, while they gain."""
    gains = [(0, False, 1.0 - 0.05 * k, 0.5) for k in range(1, PATIENCE + 3)]
    one = Passes(*gains, (0, True, 0.2, 0.5), (0, False, 0.2, 0.1))
    search._prove(one, 0.1, None)
    assert one.asked == (PATIENCE + 4) * [(LAST * 0.1, {"chunks": FIRST_LOOK})]
    assert not one.told


def test_passes_over_a_large_tree():
    """From the first that is not done the cut-off comes down in steps, and rows next to those in use come first."""
    one = Passes(
        (5, False, 1.0, 0.5),  # not done
        (5, False, 1.0, 0.5),  # enough rows below the cut-off, which stays
        (0, False, 1.0, 0.5),  # looked through
        (5, False, 0.9, 0.4),
        (0, False, 0.5, 0.1),
    )
    search._prove(one, 0.1, None)
    many = {"several": True}
    first = one.asked[0]
    assert first == (LAST * 0.1, {"chunks": FIRST_LOOK})
    steps = [0.5 / STEEPER, 0.5 / STEEPER, LAST_OF_MANY * 0.1, LAST_OF_MANY * 0.1]
    assert one.asked[1:] == [part for step in steps for part in (0.1, (step, many))]
    assert not one.told


def test_a_step_on_the_way_that_gains_nothing_ends_no_search():
    """Only at the last cut-off is what is left rounding."""
    one = Passes((5, False, 1.0, 0.5), (0, False, 1.0, 0.5), (0, False, 1.0, 0.5), joined=0)
    search._prove(one, 0.1, None)
    assert one.passes == 3
