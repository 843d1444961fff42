"""The search: its result from without, and the order of its passes."""

import inspect
import itertools

import numpy as np
import pytest
from asked import entropies
from scipy.optimize import linprog

import liftlib as ll
from liftlib import exact
from liftlib.response.posteriors import ResponseCertificate
from mixproof import search
from mixproof.branch_and_bound import Boxes, Tree
from mixproof.constraints import two_sided
from mixproof.limits import Limits
from mixproof.numerics import HALFSPACE_SLACK, xlogx
from mixproof.polytope import vertices
from mixproof.problem import COLUMNS_PER_PASS, Pass
from mixproof.proof import Proof
from mixproof.search import cheapest_mixture


def random_cases(count=6, seed=0, largest=6):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        joint = ll.Joint(
            ll.datasets.uniform_joints(1, 3, int(rng.integers(3, largest + 1)), rng)[0]
        )
        yield ll.ALIP(*rng.uniform(0.1, 0.8, 2)).halfspaces(joint), joint.p_x


def best(halfspaces, target):
    """The least cost, and how much less it is where each halfspace gives
    way by 10^-3.
    """
    every = vertices(halfspaces)
    found = linprog(entropies(every), A_eq=every.T, b_eq=target, method="highs")
    assert found.status == 0
    return found.fun


def test_the_least_cost_over_all_vertices():
    for g, target in random_cases():
        found, least = cheapest_mixture(g, target), best(g, target)
        assert found.cost == pytest.approx(
            least, abs=max(2e-9, 2e-6 * (entropies([target])[0] - least))
        )
        assert found.proven.bound <= least + 1e-9
        assert found.cost - found.proven.bound <= max(
            1e-6 * (entropies([target])[0] - found.cost), 1e-9
        )
        assert found.ended
        np.testing.assert_allclose(found.rows[0], target, atol=1e-12)
        np.testing.assert_allclose(found.weights @ found.rows, target, atol=1e-9)
        assert found.weights @ entropies(found.rows) == pytest.approx(
            found.cost, abs=1e-12
        )
        assert found.dual @ target == pytest.approx(found.cost, abs=1e-9)
        assert (found.rows @ g.T >= -1e-8).all()
        assert len(found.rows) == len(found.weights)
        # what has no weight is there because it costs what it is worth
        idle = (found.weights == 0) & (np.arange(len(found.rows)) > 0)
        worth = found.rows[idle] @ found.dual
        assert (np.abs(entropies(found.rows[idle]) - worth) <= 1e-6).all()
        assert found.passes >= 1
        assert found.seconds > 0
        proven = found.proven
        assert proven.work.nodes <= found.programmes
        assert (vertices(g).max(axis=0) <= proven.caps).all()
        assert proven.cap_multipliers.shape == proven.hull.rows.T.shape
        shown = float(proven.work.dual @ target) + min(proven.work.least, 0.0)
        # the rounding of a checker is left to it
        assert 0 <= shown - proven.bound < 1e-11


def test_nothing_to_search():
    target = np.array([0.5, 0.3, 0.2])
    for g in (np.empty((0, 3)), np.zeros((1, 3)), np.ones((2, 3))):
        found = cheapest_mixture(g, target)
        assert found.cost == pytest.approx(0, abs=1e-9)
        assert found.proven.bound == pytest.approx(0, abs=1e-6)
        np.testing.assert_allclose(found.weights @ found.rows, target, atol=1e-12)
        assert found.proven.work is not None
    one = cheapest_mixture(np.empty((0, 1)), np.ones(1))
    assert (one.cost, one.rows.tolist(), one.weights.tolist()) == (0, [[1]], [1])


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e7, 1e11])
@pytest.mark.parametrize(
    "kind",
    [ll.LIP, ll.LDP, lambda eps: ll.L1Lift(np.inf, eps / 4)],
    ids=["LIP", "LDP", "l1"],
)
def test_a_checker_proves_what_the_search_says_however_large_the_multipliers(
    kind, scale
):
    """Large multipliers, by which boxes that are nearly feasible are closed, let a
    checker round by more.
    """
    rng = np.random.default_rng(1)
    for size in ((5, 8), (6, 30)):
        joint = ll.datasets.dirichlet_joint(*size, 0.3, rng)
        notion, target, n = kind(0.3), joint.p_x, size[1]
        halfspaces, extension = notion.halfspaces(joint), notion.extension(joint)
        state = search.Search(halfspaces, target, HALFSPACE_SLACK, extension=extension)
        work = Pass.start(rng.normal(size=n), -1.0, 0.1, len(state.problem.rows))
        tree = Tree(state.problem, work, state.caps)
        most = np.tile(np.append(state.caps[work.order], state.problem.upper), (20, 1))
        high = np.where(np.arange(most.shape[1]) < n, -xlogx(most), 0.0)
        boxes = Boxes(np.zeros_like(most), most, np.zeros_like(most), high)
        multipliers = scale * rng.exponential(size=(20, len(state.problem.rows)))
        if extension is None:
            multipliers *= rng.choice([-1, 0, 1], multipliers.shape)
        least = tree._bounded(multipliers, boxes)[0] - state.problem.rounding_of(
            work.dual, state.caps, target
        )
        sides, weights = state.hull.pulled_back(
            np.concatenate([state.cap_multipliers, multipliers])
        )
        for at in range(20):
            box = np.zeros(1, int)
            proof = Proof(
                upper=1e12, dual=work.dual, order=work.order, sides=sides,
                caps=state.caps, cap_weights=weights[:n, :-1], parent=box - 1,
                child=box, kind=box, symbol=box, level=np.zeros(1),
                weights=weights[n + at : n + at + 1], points=np.empty((0, n)),
            )  # fmt: skip
            problem = {
                "format": "mixproof problem", "version": 1, "target": target.tolist(),
                "halfspaces": np.asarray(halfspaces).tolist(), "proof": proof.content(),
            }  # fmt: skip
            price = min(
                float(box.z)
                for box in exact.steps(problem)
                if isinstance(box, exact.Box)
            )
            assert price >= least[at]


def test_a_slack_widens_what_is_proven():
    for (g, target), size in zip(random_cases(3, 2, 5), (0.01, 1.0, 40.0), strict=True):
        scaled, slack = size * g, 1e-3
        room = slack * np.maximum(1.0, np.abs(scaled).max(axis=1))
        one = search.Search(scaled, target, slack)
        for found, wanted in zip(
            one.problem[3:5], two_sided(scaled).widened(room), strict=True
        ):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11)
        # on the simplex G v >= -room is (G + room) v >= 0
        wide = vertices(scaled + room[:, None]).max(axis=0)
        assert (wide <= one.caps + 1e-9).all()
        assert (one.caps <= wide + 20 * slack).all()
        within = best(scaled + room[:, None], target)
        found = cheapest_mixture(scaled, target, Limits(gap=0.2, work=200), slack=slack)
        assert found.proven.bound <= within + 1e-9


@pytest.mark.parametrize("slack", [1e-3, 1e-2])
def test_a_box_without_a_point_that_a_slack_leaves_unproven_is_given_up(slack):
    for seed in range(3):
        joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(seed))
        g = ll.ALIP.split(0.5, 0.35).halfspaces(joint)
        found = cheapest_mixture(g, joint.p_x, Limits(gap=1e-4, work=1000), slack=slack)
        assert found.ended
        assert found.programmes < 500


def test_rows_to_start_from():
    for g, target in random_cases(3, 3):
        every = vertices(g)
        found = cheapest_mixture(g, target, Limits(seconds=0.0), more=every)
        assert found.cost <= best(g, target) + 1e-9
        assert not found.ended
        assert found.programmes == 1  # which a proof needs


def test_a_limit_asks_for_a_heuristic_s_rows():
    asked = []
    for g, target in random_cases(3, 4, 8):
        every = vertices(g)

        def fallback(rows=every):
            asked.append(len(rows))
            return rows, np.zeros(len(rows))

        cheapest_mixture(g, target, fallback=fallback)
        assert not asked
        found = cheapest_mixture(g, target, Limits(seconds=0.0), fallback=fallback)
        assert len(asked) == 1
        assert found.cost <= best(g, target) + 1e-9
        assert not found.ended
        asked.clear()


def test_reports_fall(monkeypatch):
    """The cost falls, the bound rises, and the time goes on."""
    monkeypatch.setattr(search, "REPORTED", 20)
    g, target = next(iter(random_cases(1, 5, 8)))
    told = []
    found = cheapest_mixture(g, target, Limits(report=lambda *one: told.append(one)))
    costs, bounds, times = np.array(told).T
    assert (np.diff(costs) <= 1e-12).all()
    assert (np.diff(bounds) >= 0).all()
    assert (np.diff(times) >= 0).all()
    assert costs[-1] >= found.cost - 1e-12
    assert bounds[-1] <= found.proven.bound
    assert len(told) > 1


def test_so_many_programmes_and_no_more(monkeypatch):
    monkeypatch.setattr(search.Search, "multi_start", lambda _: None)
    joint = ll.datasets.uniform_joint(4, 9, np.random.default_rng(0))
    g, target = ll.ALIP(0.4, 0.3).halfspaces(joint), joint.p_x
    for most in (1, 5, 17):
        found = cheapest_mixture(g, target, Limits(gap=1e-9, work=most))
        assert found.programmes <= most
        assert found.proven.bound <= best(g, target) + 1e-9 <= found.cost + 2e-9
        if found.programmes == most:
            assert not found.ended


def test_a_gap_that_is_reached_with_the_last_programme_is_reached(monkeypatch):
    monkeypatch.setattr(search.Search, "multi_start", lambda _: None)
    joint = ll.datasets.uniform_joint(4, 9, np.random.default_rng(0))
    g, target = ll.ALIP(0.4, 0.3).halfspaces(joint), joint.p_x
    found = cheapest_mixture(g, target, Limits(work=10**6))
    assert found.ended
    again = cheapest_mixture(g, target, Limits(work=found.programmes))
    assert (again.programmes, again.cost) == (found.programmes, found.cost)
    assert again.ended


@pytest.mark.parametrize("programmes", [30, 100, 300])
def test_asking_for_more_never_proves_less_under_a_limit(programmes):
    rng = np.random.default_rng(3)
    joint = ll.Joint.from_counts(rng.gamma(0.3, size=(5, 14)) + 1e-9)
    halfspaces = ll.LIP(0.3).halfspaces(joint)
    coarse, fine = (
        cheapest_mixture(halfspaces, joint.p_x, Limits(gap, programmes))
        for gap in (1e-2, 1e-6)
    )
    assert fine.cost <= coarse.cost
    assert fine.proven.bound >= coarse.proven.bound


# Its stages
# ----------------------------------------------------------------------------


def begun(n_secret=5, n_public=12):
    joint = ll.datasets.uniform_joint(n_secret, n_public, np.random.default_rng(3))
    one = search.Search(ll.LIP(0.3).halfspaces(joint), joint.p_x, 0.0)
    one.begin(np.empty((0, n_public)))
    return one


def test_a_coarser_pass_does_not_take_a_bound_back():
    one = begun()
    one.multi_start()
    one.one_pass(1e-3)
    proven = one.proven
    for _ in range(2):
        one.one_pass(1.0)
        assert one.proven.bound >= proven.bound
    assert one.proven is proven


def test_a_pass_that_proves_less_than_0_leaves_the_bound_at_0():
    """Entropy is never negative, whatever the first linear program alone proves."""
    one = begun()
    one.most = one.programmes + 1
    tree = one.one_pass(1e-6)
    work = tree.work
    assert work.nodes == 1
    assert work.dual @ one.target + tree.least_price < -0.1
    assert one.proven.work is work
    assert one.proven.bound == 0.0


def test_the_gap_by_default_is_that_of_the_response():
    assert (
        Limits().gap
        == inspect.signature(ll.mechanisms.optimal).parameters["gap"].default
        > 0
    )


@pytest.mark.parametrize("eps", [0.2, 0.8])
def test_a_large_tree_comes_to_the_same(eps, monkeypatch):
    """With next to no look at first, every search takes the steps."""
    joint, notion = (
        ll.datasets.uniform_joint(4, 12, np.random.default_rng(3)),
        ll.ALIP.split(eps, 0.5),
    )
    steps, passes = [], []
    perturb, one_pass = search.Search.perturb, search.Search.one_pass

    def noted(self, delta, **how):
        tree = one_pass(self, delta, **how)
        passes.append((tree, delta, how))
        return tree

    monkeypatch.setattr(search, "SMALL_TREE", 10)
    monkeypatch.setattr(search, "MULTI_START_SHARE", 0.0)  # nothing is found before
    monkeypatch.setattr(search.Search, "one_pass", noted)
    monkeypatch.setattr(
        search.Search,
        "perturb",
        lambda self, wanted: steps.append(perturb(self, wanted)),
    )
    channel = ll.mechanisms.optimal(
        joint, notion, method="tree", gap=1e-4, seconds=600.0
    )
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
    # they come down to the gap that is wanted, which grows a little with the utility
    # found
    assert all(
        later <= 1.01 * earlier for earlier, later in itertools.pairwise(cut_offs)
    )


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


def test_a_bound_alone():
    """What proves it stays, what only a pass that goes on needs does not."""
    joint = ll.datasets.uniform_joint(5, 12, np.random.default_rng(3))
    one = search.Search(ll.LIP(0.3).halfspaces(joint), joint.p_x, 0.0)
    one.begin(np.empty((0, 12)))
    assert one.proven.alone() is one.proven
    one.one_pass(1e-3)
    assert one.proven.work.records.multipliers.shape[0] > one.proven.work.nodes
    alone = one.proven.alone()
    assert (
        alone.work.records.multipliers.shape[0]
        == alone.work.nodes
        == one.proven.work.nodes
    )
    assert alone.bound == one.proven.bound
