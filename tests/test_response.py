"""The optimal response against search, closed forms, S20 Theorem 2's polytope and published values."""

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import InvalidParameter, SolverFailure, UnsupportedNotion
from liftlib.mechanisms import response


def utility(joint, channel):
    return ll.evaluate(joint, channel).mutual_information


def random_private_channel(joint, notion, rng):
    """A random kernel, mixed with a constant release until the notion is kept."""
    kernel = rng.dirichlet(np.full(joint.n_public, rng.choice([0.1, 0.5, 2.0])), size=joint.n_public)
    if rng.random() < 0.5:
        kernel = 0.5 * kernel + 0.5 * np.eye(joint.n_public)
    share = 0.0
    while not notion.is_kept(joint, channel := ll.Channel((1 - share) * kernel + share * (joint.p_x @ kernel))):
        share = min(1.0, share + 0.02)
    return channel


@pytest.mark.parametrize(
    "notion", [ll.ALIP(0.5, 0.2), ll.LIP(0.3), ll.LDP(0.6), ll.ALIP(np.inf, 0.2), ll.L1Lift(np.inf, 0.2)], ids=str
)
def test_nothing_found_at_random_is_better(notion):
    rng = np.random.default_rng(0)
    for seed in range(3):
        joint = ll.datasets.uniform_joint(3, 5, np.random.default_rng(seed))
        best = utility(joint, ll.optimal_response(joint, notion))
        assert all(utility(joint, random_private_channel(joint, notion, rng)) <= best + 1e-9 for _ in range(60))


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("eps", [0.0, 0.5, 1.5, 4.0])
def test_cone_and_product_polytope_agree(n, eps):
    """S20 Theorem 2 needs n(n-1) dimensions for the optimum that n-1 give."""
    joint = ll.datasets.uniform_joint(2, n, np.random.default_rng(n))
    cone = ll.optimal_response(joint, ll.LDP(eps))
    product = ll.optimal_response(joint, ll.LDP(eps), method="product-polytope")
    assert ll.LDP(eps).is_kept(joint, product)
    assert utility(joint, cone) == pytest.approx(utility(joint, product), abs=1e-9)


def test_product_polytope_is_for_small_ldp():
    joint = ll.datasets.uniform_joint(2, 6, np.random.default_rng(0))
    with pytest.raises(InvalidParameter, match="6 symbols make a polytope of 30 dimensions"):
        ll.optimal_response(joint, ll.LDP(1.0), method="product-polytope")
    with pytest.raises(UnsupportedNotion, match="Theorem 2's, for LDP"):
        ll.optimal_response(joint, ll.LIP(1.0), method="product-polytope")


def test_two_secrets_by_hand():
    """|S| = 2, |X| = 2: vertices are the points of the segment where a lift meets a bound."""
    joint = ll.Joint([[0.4, 0.1], [0.1, 0.4]])
    eps = 0.2
    found = ll.polytope.vertices(ll.LIP(eps).halfspaces(joint))
    # l(s0) = (0.8 v + 0.2 (1 - v)) / 0.5 = 0.4 + 1.2 v lies in [e^-eps, e^eps], and l(s1) = 2 - l(s0) too
    ends = sorted(
        (bound - 0.4) / 1.2 for bound in (max(np.exp(-eps), 2 - np.exp(eps)), min(np.exp(eps), 2 - np.exp(-eps)))
    )
    np.testing.assert_allclose(sorted(found[:, 0]), ends)
    # the optimum mixes the two ends to P_X
    channel = ll.optimal_response(joint, ll.LIP(eps))
    entropy = -(found * np.log(found)).sum(axis=1)
    share = (0.5 - found[1, 0]) / (found[0, 0] - found[1, 0])
    assert utility(joint, channel) == pytest.approx(np.log(2) - share * entropy[0] - (1 - share) * entropy[1])


def test_randomised_response_is_optimal_for_ldp_of_x_itself():
    """S = X: at a large budget GRR is the optimal LDP mechanism (Kairouz et al. 2014)."""
    joint = ll.Joint(np.diag([0.2, 0.3, 0.5]))
    for eps in (3.0, 5.0):
        best, grr = ll.optimal_response(joint, ll.LDP(eps)), ll.randomised_response(joint, eps)
        assert utility(joint, grr) == pytest.approx(utility(joint, best), abs=1e-9)


def test_perfect_privacy_keeps_what_is_orthogonal():
    """More symbols than secrets leave information about X that says nothing of S."""
    joint = ll.datasets.uniform_joint(3, 8, np.random.default_rng(0))
    channel = ll.optimal_response(joint, ll.PerfectPrivacy())
    assert ll.mutual_information(channel.release(joint).p) < 1e-12
    assert utility(joint, channel) > 0.1


@pytest.mark.parametrize("method", ["qhull", pytest.param("cdd", marks=pytest.mark.cdd), "auto"])
def test_methods_agree(method):
    joint = ll.datasets.uniform_joint(3, 7, np.random.default_rng(5))
    expected = utility(joint, ll.optimal_response(joint, ll.ALIP(0.6, 0.3)))
    assert utility(joint, ll.optimal_response(joint, ll.ALIP(0.6, 0.3), method=method)) == pytest.approx(
        expected, abs=1e-9
    )


def test_outputs_are_few_and_certified():
    joint = ll.datasets.uniform_joint(5, 17, np.random.default_rng(0))
    report = ll.optimal_response_report(joint, ll.ALIP.split(2.0, 0.5))
    assert report.channel.n_outputs <= joint.n_public
    assert report.n_vertices > joint.n_public
    assert report.mixed == 0
    assert report.solution.gap < 1e-9
    nmi = ll.evaluate(joint, report.channel).nmi
    assert nmi == pytest.approx(1 - report.solution.objective / ll.entropy(joint.p_x), abs=1e-9)


def test_published_utilities():
    """E23 section 3.1.3: AORR, lambda 1/2, eps 2: 0.96 on Adult; the ledger has the 0.94 of random joints."""
    for left_out in ("Own-child", "Unmarried", "Other-relative"):
        joint = ll.datasets.adult(leave_out=[left_out])
        nmi = ll.evaluate(joint, ll.optimal_response(joint, ll.ALIP.split(2.0, 0.5))).nmi
        assert nmi == pytest.approx(0.96, abs=0.005), left_out


def test_subset_response_reports_what_it_did():
    joint = ll.datasets.uniform_joint(5, 17, np.random.default_rng(0))
    report = ll.subset_response_report(joint, ll.ALIP.split(2.0, 0.65))
    assert not report.fallback
    assert sorted(x for subset in report.subsets for x in subset) == list(range(17))
    whole = ll.subset_response_report(joint, ll.ALIP.split(0.02, 0.65))
    assert ll.ALIP.split(0.02, 0.65).is_kept(joint, whole.channel)


@pytest.mark.cdd
def test_subset_response_counts_the_vertices_of_its_subsets():
    joint, notion = ll.datasets.uniform_joint(5, 17, np.random.default_rng(0)), ll.ALIP.split(2.0, 0.65)
    report, halfspaces = ll.subset_response_report(joint, notion), notion.halfspaces(joint)
    merged = [list(subset) for subset in report.subsets if len(subset) > 1]
    assert report.n_vertices == sum(len(ll.polytope.vertices(halfspaces[:, subset], "cdd")) for subset in merged)


def test_subset_response_unites_and_falls_back(monkeypatch):
    from liftlib.mechanisms import subset_response

    joint = ll.datasets.uniform_joint(4, 12, np.random.default_rng(0))
    notion = ll.LIP(0.5)
    subsets = [s for s in ll.subset_merging(joint, notion).partition if len(s) > 1]
    assert len(subsets) > 2
    real = subset_response._within
    monkeypatch.setattr(subset_response, "_within", lambda j, g, s: real(j, g, s) if len(s) > 6 else (None, 0))
    report = ll.subset_response_report(joint, notion)
    assert report.unions > 0
    assert not report.fallback
    assert notion.is_kept(joint, report.channel)
    monkeypatch.setattr(subset_response, "_within", lambda *_: (None, 0))
    report = ll.subset_response_report(joint, notion)
    assert report.fallback
    assert report.channel.partition == ll.subset_merging(joint, notion).partition


@pytest.mark.parametrize("seed", range(30))
def test_a_subset_allows_a_response_exactly_if_it_merges_privately(seed):
    from liftlib.mechanisms import subset_response

    rng = np.random.default_rng(seed)
    joint = ll.datasets.uniform_joint(3, 8, rng)
    notion = (ll.LIP(0.25), ll.LDP(0.5), ll.ALIP(0.4, 0.2))[seed % 3]
    for size in (1, 2, 3, 5):
        subset = sorted(rng.choice(8, size, replace=False).tolist())
        kernel, _ = subset_response._within(joint, notion.halfspaces(joint), subset)
        merged = joint.p[:, subset].sum(axis=1, keepdims=True)
        private = bool(notion.kept_columns(merged / joint.p_s[:, None] / merged.sum(), joint.p_s)[0])
        assert (kernel is not None) == private


@pytest.mark.parametrize("notion", [ll.LIP(0.4), ll.LDP(0.8), ll.ALIP(np.inf, 0.3), ll.ALIP(0.6, 0.3)], ids=str)
def test_pairs_at_once_are_pairs_one_by_one(notion):
    from liftlib.mechanisms import subset_response

    rng, compared = np.random.default_rng(0), 0
    for _ in range(10):
        joint = ll.Joint.from_counts(rng.integers(0, 9, (3, 12)) + (rng.random((3, 12)) < 0.1), drop_empty=True)
        order = rng.permutation(joint.n_public).tolist()
        subsets = [order[at : at + 2] for at in range(0, joint.n_public - 2, 2)] + [order[-1:]]
        ready = subset_response._pairs(joint, notion.halfspaces(joint), subsets)
        assert set(ready) <= {tuple(subset) for subset in subsets if len(subset) == 2}
        for subset in subsets:
            kernel, found = subset_response._within(joint, notion.halfspaces(joint), subset)
            if tuple(subset) in ready:
                compared += 1
                assert ready[tuple(subset)][1] == found
                quick = ready[tuple(subset)][0]
                assert min(np.abs(quick - kernel).max(), np.abs(quick[:, ::-1] - kernel).max()) < 1e-9
    assert compared > 5


def test_two_hundred_symbols():
    """E23 Fig. 10's size, at its tightest budget."""
    joint = ll.datasets.uniform_joint(15, 200, np.random.default_rng(1))
    responses, merging = ll.subset_response(joint, ll.LIP(0.5)), ll.subset_merging(joint, ll.LIP(0.5))
    assert ll.LIP(0.5).is_kept(joint, responses)
    assert utility(joint, responses) > utility(joint, merging)


def test_wrong_arguments():
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(0))
    with pytest.raises(UnsupportedNotion, match=r"Chi2Lift.*use subset_merging or watchdog"):
        ll.optimal_response(joint, ll.Chi2Lift(1.0, 1.0))
    with pytest.raises(UnsupportedNotion, match=r"not convex.*set eps_l to inf, or use subset_merging"):
        ll.optimal_response(joint, ll.L1Lift(1.0, 1.0))
    with pytest.raises(UnsupportedNotion, match="subset_response cannot serve it"):
        ll.subset_response(joint, ll.SRLIP(1.0, (3,)))
    with pytest.raises(InvalidParameter, match="utility is 'accuracy'"):
        ll.optimal_response(joint, ll.LIP(1.0), "accuracy")


def test_a_solver_that_finds_nothing_is_at_fault(monkeypatch):
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(0))
    monkeypatch.setattr(response, "vertices", lambda *_, **__: np.array([[1.0, 0.0, 0.0]]))
    with pytest.raises(SolverFailure, match="no response found, yet a constant release keeps LIP"):
        ll.optimal_response(joint, ll.LIP(1.0))
