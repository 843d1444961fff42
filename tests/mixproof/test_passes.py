"""The order of passes."""

import itertools

import numpy as np
import pytest

import liftlib as ll
from liftlib.response.posteriors import ResponseCertificate
from mixproof import search
from mixproof.problem import COLUMNS_PER_PASS


@pytest.mark.parametrize("eps", [0.2, 0.8])
def test_a_large_tree_comes_to_the_same(eps, monkeypatch):
    """With next to no look at first, every search takes the steps."""
    joint, notion = ll.datasets.uniform_joint(4, 12, np.random.default_rng(3)), ll.ALIP.split(eps, 0.5)
    steps, passes = [], []
    perturb, one_pass = search.Search.perturb, search.Search.one_pass

    def noted(self, delta, **how):
        tree = one_pass(self, delta, **how)
        passes.append((tree, delta, how))
        return tree

    monkeypatch.setattr(search, "SMALL_TREE", 10)
    monkeypatch.setattr(search, "MULTI_START_SHARE", 0.0)  # nothing is found before
    monkeypatch.setattr(search.Search, "one_pass", noted)
    monkeypatch.setattr(search.Search, "perturb", lambda self, wanted: steps.append(perturb(self, wanted)))
    channel = ll.mechanisms.optimal(joint, notion, method="tree", gap=1e-4, seconds=600.0)
    best = ll.mechanisms.optimal(joint, notion, method="qhull").certificate.value
    made = channel.certified(ResponseCertificate)
    assert best * (1 - 1e-4) <= made.value <= best + 1e-9 <= made.upper + 2e-9
    assert made.gap <= 1e-4 * made.value
    assert ll.check_proof(joint, notion, channel).upper <= made.upper
    assert steps
    many = [(tree, delta) for tree, delta, how in passes if how.get("several")]
    assert many
    for tree, _ in many:
        work = tree.work
        assert tree.waiting == 0 or work.cheap >= COLUMNS_PER_PASS
        assert sum(price < work.cutoff for price, _ in work.columns) == work.cheap
    cut_offs = [delta for _, delta in many]
    # they come down to the gap that is wanted, which grows a little with the utility found
    assert all(later <= 1.01 * earlier for earlier, later in itertools.pairwise(cut_offs))


def test_nearby_ends_with_the_time():
    joint = ll.datasets.uniform_joint(6, 20, np.random.default_rng(3))
    halfspaces = ll.LIP(0.3).halfspaces(joint)
    one = search.Search(halfspaces, joint.p_x, 0.0)
    one.begin(np.empty((0, 20)))
    one.clock.limit = 0.0
    count, cost = len(one.master.rows), one.cost
    one.perturb(1e-3)
    assert len(one.master.rows) == count
    one.clock.limit = np.inf
    one.perturb(1e-3)
    assert len(one.master.rows) > count
    assert one.cost < cost
    assert (one.master.rows @ halfspaces.T >= -1e-9).all()


def test_a_poor_start_does_not_end_a_search(monkeypatch):
    joint = ll.Joint(ll.datasets.uniform_joints(1, 5, 12, np.random.default_rng(0))[0])
    notion = ll.ALIP.split(0.25, 0.35)
    monkeypatch.setattr(search.Search, "multi_start", lambda _: None)
    made = ll.mechanisms.optimal(joint, notion, method="tree", gap=1e-3).certificate
    best = ll.mechanisms.optimal(joint, notion, method="qhull").certificate.value
    assert best * (1 - 1e-3) <= made.value <= best + 1e-9
    assert made.gap <= 1e-3 * made.value


def test_what_the_tree_leaves_is_a_proof():
    boxes = 0
    for seed in range(16, 24):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(4, 9)), int(rng.integers(2, 5))
        joint = ll.Joint(rng.dirichlet(np.full(n * k, 0.7)).reshape(k, n))
        channel = ll.mechanisms.optimal(joint, ll.LIP(0.1), method="tree")
        found = ll.check_proof(joint, ll.LIP(0.1), channel)
        assert found.gap <= 1e-5 * found.value + 1e-8
        boxes += found.boxes
    assert boxes > 500


def test_a_bound_alone():
    """What proves it stays, what only a pass that goes on needs does not."""
    joint = ll.datasets.uniform_joint(5, 12, np.random.default_rng(3))
    one = search.Search(ll.LIP(0.3).halfspaces(joint), joint.p_x, 0.0)
    one.begin(np.empty((0, 12)))
    assert one.proven.alone() is one.proven
    one.one_pass(1e-3)
    assert one.proven.work.records.multipliers.shape[0] > one.proven.work.nodes
    alone = one.proven.alone()
    assert alone.work.records.multipliers.shape[0] == alone.work.nodes == one.proven.work.nodes
    assert alone.bound == one.proven.bound
