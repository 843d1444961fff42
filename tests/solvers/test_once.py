"""The search in one compiled call takes the steps of ``cheapest_mixture``, and gives up where it cannot."""

import numpy as np
import pytest

import liftlib as ll
from liftlib.numerics import KEEP_TOL
from liftlib.solvers.mixing import once
from liftlib.solvers.mixing.masters import entropies
from liftlib.solvers.mixing.problem import HAS_NUMBA
from liftlib.solvers.mixing.ranges import FEW
from liftlib.solvers.mixing.routes import MOST_DENSE
from liftlib.solvers.mixing.search import RESUMED, cheapest_mixture

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
    return notion.halfspaces(joint), joint.p_x


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


def test_a_tree_that_was_large_is_gone_on_from():
    """Its nodes are those of another pass, parents before children, and its multipliers prove the bound told."""
    halfspaces, target = cone(*CASES["tight"], 0)
    found = once.search_once(halfspaces, target, KEEP_TOL, 1e-6)
    work = found.proven().work
    assert work.nodes > RESUMED
    assert found.programmes > work.nodes
    assert (work.records.parent < np.arange(work.nodes)).all()
    assert work.records.parent[0] == -1


@pytest.mark.parametrize(("name", "value"), [("ROOM", 8), ("CHUNK_COMPILED", 0)])
def test_what_needs_more_room_or_programmes_is_given_up(name, value, monkeypatch):
    halfspaces, target = cone(*CASES["tight"], 0)
    monkeypatch.setattr(once, name, value)
    assert once.search_once(halfspaces, target, KEEP_TOL, 1e-6) is None


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
