"""The order of passes."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

import liftlib as ll
from liftlib.response.posteriors import ResponseCertificate
from mixproof import search
from mixproof.compiling import HAS_NUMBA
from mixproof.limits import Limits
from mixproof.problem import COLUMNS_PER_PASS, Pass

ROUTES = [pytest.param(True, marks=pytest.mark.skipif(not HAS_NUMBA, reason="numba is not installed")), False]


@pytest.mark.parametrize("compiled", ROUTES)
@pytest.mark.parametrize("eps", [0.2, 0.8])
def test_a_large_tree_comes_to_the_same(compiled, eps, monkeypatch):
    """With next to no look at first, every search takes the steps."""
    joint, notion = ll.datasets.uniform_joint(4, 12, np.random.default_rng(3)), ll.ALIP.split(eps, 0.5)
    steps, passes = [], []
    perturb, one_pass = search.Search.perturb, search.Search.one_pass

    def noted(self, delta, **how):
        work = one_pass(self, delta, **how)
        passes.append((work, delta, how))
        return work

    monkeypatch.setattr(search, "LPS_PER_CHUNK_COMPILED" if compiled else "LPS_PER_CHUNK", 10 if compiled else 1)
    monkeypatch.setattr(search, "SMALL_TREE_CHUNKS", 1)
    monkeypatch.setattr(search, "MULTI_START_SHARE", 0.0)  # nothing is found before
    monkeypatch.setattr(search.Search, "one_pass", noted)
    monkeypatch.setattr(search.Search, "perturb", lambda self, wanted: steps.append(perturb(self, wanted)))
    channel = ll.mechanisms.optimal(joint, notion, method="tree", compiled=compiled, gap=1e-4, seconds=600.0)
    best = ll.mechanisms.optimal(joint, notion, method="qhull").certificate.value
    made = channel.certified(ResponseCertificate)
    assert best * (1 - 1e-4) <= made.value <= best + 1e-9 <= made.upper + 2e-9
    assert made.gap <= 1e-4 * made.value
    assert ll.check_proof(joint, notion, channel).upper <= made.upper
    assert steps
    many = [(work, delta) for work, delta, how in passes if how.get("several")]
    assert many
    for work, _ in many:
        assert work.waiting == 0 or work.state[5] >= COLUMNS_PER_PASS
        rows = work.prices[: int(work.state[2])]
        assert (rows < work.cutoff).sum() == work.state[5]
    cut_offs = [delta for _, delta in many]
    # they come down to the gap that is wanted, which grows a little with the utility found
    assert all(later <= 1.01 * earlier for earlier, later in itertools.pairwise(cut_offs))


def test_nearby_ends_with_the_time():
    joint = ll.datasets.uniform_joint(6, 20, np.random.default_rng(3))
    halfspaces = ll.LIP(0.3).halfspaces(joint)
    one = search.Search(halfspaces, joint.p_x, 0.0, Limits(seconds=0.0), compiled=False)
    one.begin(np.empty((0, 20)))
    count, cost = len(one.master.rows), one.cost
    one.perturb(1e-3)
    assert len(one.master.rows) == count
    one.clock.limit = np.inf
    one.perturb(1e-3)
    assert len(one.master.rows) > count
    assert one.cost < cost
    assert (one.master.rows @ halfspaces.T >= -1e-9).all()


@pytest.mark.parametrize("compiled", ROUTES)
def test_a_poor_start_does_not_end_a_search(compiled, monkeypatch):
    joint = ll.Joint(ll.datasets.uniform_joints(1, 5, 12, np.random.default_rng(0))[0])
    notion = ll.ALIP.split(0.25, 0.35)
    monkeypatch.setattr(search.Search, "multi_start", lambda _: None)
    made = ll.mechanisms.optimal(joint, notion, method="tree", compiled=compiled, gap=1e-3).certificate
    best = ll.mechanisms.optimal(joint, notion, method="qhull").certificate.value
    assert best * (1 - 1e-3) <= made.value <= best + 1e-9
    assert made.gap <= 1e-3 * made.value


@pytest.mark.parametrize("compiled", ROUTES)
def test_what_the_tree_leaves_is_a_proof(compiled):
    boxes = 0
    for seed in range(16, 24):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(4, 9)), int(rng.integers(2, 5))
        joint = ll.Joint(rng.dirichlet(np.full(n * k, 0.7)).reshape(k, n))
        channel = ll.mechanisms.optimal(joint, ll.LIP(0.1), method="tree", compiled=compiled)
        found = ll.check_proof(joint, ll.LIP(0.1), channel)
        assert found.gap <= 1e-5 * found.value + 1e-8
        boxes += found.boxes
    assert boxes > 500


def test_where_numba_is_missing_the_tree_is_by_arrays():
    lines = (
        "import sys; sys.modules['numba'] = None",
        "import liftlib as ll",
        "joint = ll.Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])",
        "print(ll.mechanisms.optimal(joint, ll.LIP(0.2), method='tree').certificate.value)",
    )
    made = subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, capture_output=True, text=True)
    joint = ll.Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    best = ll.mechanisms.optimal(joint, ll.LIP(0.2), method="qhull").certificate.value
    assert float(made.stdout) == pytest.approx(best, abs=1e-6)


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not installed")
def test_a_full_list_of_rows_ends_no_pass_by_loops():
    """A pass that looks for the cheapest goes on without listing any more."""
    joint = ll.datasets.uniform_joint(4, 12, np.random.default_rng(3))
    one = search.Search(ll.ALIP.split(0.8, 0.5).halfspaces(joint), joint.p_x, 0.0, compiled=True)
    one.begin(np.empty((0, 12)))
    work = Pass.start(1.2 * one.dual, -1e-3, 1e-5, len(one.hull.rows), one.route.basis)
    work.state[2] = work.state[5] = len(work.prices)
    one.route.explore(work, one.caps, 5)
    assert work.solved == 5
    one.route.explore(work, one.caps, 2 * len(work.prices))
    assert work.state[2] == len(work.prices)


def test_a_bound_alone():
    """What proves it stays, what only a pass that goes on needs does not."""
    joint = ll.datasets.uniform_joint(5, 12, np.random.default_rng(3))
    one = search.Search(ll.LIP(0.3).halfspaces(joint), joint.p_x, 0.0, compiled=False)
    one.begin(np.empty((0, 12)))
    assert one.proven.alone() is one.proven
    one.one_pass(1e-3)
    assert one.proven.work.records.multipliers.shape[0] > one.proven.work.nodes
    alone = one.proven.alone()
    assert alone.work.records.multipliers.shape[0] == alone.work.nodes == one.proven.work.nodes
    assert alone.bound == one.proven.bound
