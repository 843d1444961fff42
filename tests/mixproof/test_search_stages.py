"""The search's limits, what it keeps of a bound, and single passes."""

import time

import numpy as np
import pytest

import liftlib as ll
from mixproof import search


def begun(n_public=12):
    joint = ll.datasets.uniform_joint(5, n_public, np.random.default_rng(3))
    one = search.Search(ll.LIP(0.3).halfspaces(joint), joint.p_x, 0.0, compiled=False)
    one.begin(np.empty((0, n_public)))
    return one


# Limits -----------------------------------------------------------------------------------------------------------


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


# Passes -----------------------------------------------------------------------------------------------------------


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
