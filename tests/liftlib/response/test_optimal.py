"""The optimal response, also at small budgets and at none."""

import functools
import itertools
from fractions import Fraction

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import InvalidParameter
from liftlib.measures.information import entropy
from liftlib.proofs import check_proof
from liftlib.response import aorr as rows
from liftlib.response.optimal import few_vertices
from liftlib.response.posteriors import ResponseCertificate
from mixproof import polytope
from mixproof.lp import mix_columns


def utility(joint, channel):
    return ll.evaluate(joint, channel).mutual_information


def random_private_channel(joint, notion, rng):
    """A random kernel, mixed with a constant release until the notion is kept."""
    kernel = rng.dirichlet(np.full(joint.n_public, rng.choice([0.1, 0.5, 2.0])), size=joint.n_public)
    if rng.random() < 0.5:
        kernel = 0.5 * kernel + 0.5 * np.eye(joint.n_public)
    share = 0.0
    while not notion.is_satisfied(joint, channel := ll.Channel((1 - share) * kernel + share * (joint.p_x @ kernel))):
        share = min(1.0, share + 0.02)
    return channel


@pytest.mark.parametrize(
    "notion", [ll.ALIP(0.5, 0.2), ll.LIP(0.3), ll.LDP(0.6), ll.ALIP(np.inf, 0.2), ll.L1Lift(np.inf, 0.2)], ids=str
)
def test_nothing_found_at_random_is_better(notion):
    rng = np.random.default_rng(0)
    for seed in range(3):
        joint = ll.datasets.uniform_joint(3, 5, np.random.default_rng(seed))
        best = utility(joint, ll.mechanisms.optimal(joint, notion))
        assert all(utility(joint, random_private_channel(joint, notion, rng)) <= best + 1e-9 for _ in range(60))


def test_two_secrets_by_hand():
    joint = ll.Joint([[0.4, 0.1], [0.1, 0.4]])
    eps = 0.2
    found = polytope.vertices(ll.LIP(eps).halfspaces(joint))
    # l(s0) = (0.8 v + 0.2 (1 - v)) / 0.5 = 0.4 + 1.2 v lies in [e^-eps, e^eps], and l(s1) = 2 - l(s0) too
    ends = sorted(
        (bound - 0.4) / 1.2 for bound in (max(np.exp(-eps), 2 - np.exp(eps)), min(np.exp(eps), 2 - np.exp(-eps)))
    )
    np.testing.assert_allclose(sorted(found[:, 0]), ends)
    # the optimum mixes the two ends to P_X
    channel = ll.mechanisms.optimal(joint, ll.LIP(eps))
    entropy = -(found * np.log(found)).sum(axis=1)
    share = (0.5 - found[1, 0]) / (found[0, 0] - found[1, 0])
    assert utility(joint, channel) == pytest.approx(np.log(2) - share * entropy[0] - (1 - share) * entropy[1])


def test_randomised_response_is_optimal_for_ldp_of_x_itself():
    """S = X: at a large budget GRR is the optimal LDP mechanism (Kairouz et al. 2014)."""
    joint = ll.Joint(np.diag([0.2, 0.3, 0.5]))
    for eps in (3.0, 5.0):
        best, grr = ll.mechanisms.optimal(joint, ll.LDP(eps)), ll.mechanisms.randomised_response.at(joint, eps)
        assert utility(joint, grr) == pytest.approx(utility(joint, best), abs=1e-9)


def test_perfect_privacy_keeps_what_is_orthogonal():
    """More symbols than secrets leave information about X that says nothing of S."""
    joint = ll.datasets.uniform_joint(3, 8, np.random.default_rng(0))
    channel = ll.mechanisms.optimal(joint, ll.PerfectPrivacy())
    assert ll.measures.mutual_information(channel.release(joint).p) < 1e-12
    assert utility(joint, channel) > 0.1


@pytest.mark.parametrize("method", ["qhull", pytest.param("cdd", marks=pytest.mark.cdd), "auto"])
def test_methods_agree(method):
    joint = ll.datasets.uniform_joint(3, 7, np.random.default_rng(5))
    expected = utility(joint, ll.mechanisms.optimal(joint, ll.ALIP(0.6, 0.3)))
    assert utility(joint, ll.mechanisms.optimal(joint, ll.ALIP(0.6, 0.3), method=method)) == pytest.approx(
        expected, abs=1e-9
    )


@pytest.mark.cdd
def test_its_rows_are_all_vertices():
    joint, notion = ll.datasets.uniform_joint(5, 17, np.random.default_rng(0)), ll.ALIP.split(2.0, 0.5)
    made = ll.mechanisms.optimal(joint, notion, method="qhull").certified(ResponseCertificate)
    assert made.rows == len(polytope.vertices(notion.halfspaces(joint), "cdd"))


def test_outputs_are_few_and_certified():
    joint = ll.datasets.uniform_joint(5, 17, np.random.default_rng(0))
    channel = ll.mechanisms.optimal(joint, ll.ALIP.split(2.0, 0.5), method="qhull")
    made = channel.certified(ResponseCertificate)
    assert channel.n_outputs <= joint.n_public
    assert made.mixed == 0
    assert made.solution.gap < 1e-9
    assert made.value == utility(joint, channel)
    assert made.upper == pytest.approx(ll.measures.entropy(joint.p_x) - made.solution.objective, abs=1e-12)
    assert made.gap < 1e-9
    assert made.route == "all vertices"


def test_certificate_on_odd_joints(joint):
    small = ll.Joint.from_counts(joint.p[:, :6], drop_empty=True)
    for notion in (ll.LIP(0.5), ll.LIP(50.0), ll.PerfectPrivacy()):
        made = ll.mechanisms.optimal(small, notion).certified(ResponseCertificate)
        assert made.upper >= made.value
        assert np.isfinite(made.upper) == (small.p_x >= 1e-9).all()
        assert made.gap < 1e-6 or not np.isfinite(made.upper)


def test_published_utilities():
    """E23 section 3.1.3: AORR, lambda 1/2, eps 2: 0.96 on Adult."""
    for left_out in ("Own-child", "Unmarried", "Other-relative"):
        joint = ll.datasets.adult(leave_out=[left_out])
        nmi = ll.evaluate(joint, ll.mechanisms.optimal(joint, ll.ALIP.split(2.0, 0.5))).nmi
        assert nmi == pytest.approx(0.96, abs=0.005), left_out


def test_wrong_arguments():
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(0))
    with pytest.raises(InvalidParameter, match=r"method is 'lrs': give \"auto\" or"):
        ll.mechanisms.optimal(joint, ll.LIP(1.0), method="lrs")


@pytest.mark.cdd
def test_nothing_is_proven_by_vertices_that_may_be_missing():
    joint = ll.datasets.uniform_joint(3, 5, 0)
    sure, unsure = (ll.mechanisms.optimal(joint, ll.LIP(0.5), method=method).certificate for method in ("qhull", "cdd"))
    assert sure.value == pytest.approx(unsure.value)
    assert np.isfinite(sure.upper)
    assert np.isinf(unsure.upper)


@pytest.mark.parametrize(("eps", "n"), [(1e-8, 25), (1e-9, 28), (1e-10, 30)])
def test_where_vertices_nearly_coincide_the_tree_answers(eps, n):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        p = rng.dirichlet(np.full(2 * n, 0.5)).reshape(2, n)
        p[rng.random((2, n)) < 0.3] = 0
        joint = ll.Joint.from_counts(p + (p.sum(axis=0) == 0) * 1e-3)
        for notion in (ll.LDP(eps), ll.ALIP(np.inf, eps), ll.ALIP(eps, np.inf)):
            assert few_vertices(notion.halfspaces(joint))
            channel = ll.mechanisms.optimal(joint, notion)
            assert notion.is_satisfied(joint, channel)
            assert channel.certificate.gap <= 1e-5
            assert notion.is_satisfied(joint, ll.mechanisms.robust(joint, notion))


def give_up(*_):
    raise polytope.QhullError("QH6114 qhull precision error")


@pytest.mark.parametrize(
    ("module", "name", "failing"),
    [(rows, "vertices", lambda *_, **__: np.array([[1.0, 0.0, 0.0]])), (polytope, "_by_qhull", give_up)],
    ids=["no mixture", "qhull gives up"],
)
def test_a_solver_that_fails_at_vertices_is_followed_by_the_tree(module, name, failing, monkeypatch):
    """And not by cdd, which may miss some: what is said to be proven is."""
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(0))
    best = utility(joint, ll.mechanisms.optimal(joint, ll.LIP(1.0)))
    monkeypatch.setattr(module, name, failing)
    for made in (ll.mechanisms.optimal(joint, ll.LIP(1.0)), ll.mechanisms.robust(joint, ll.LIP(1.0))):
        assert made.certificate.route == "a tree of bounds"
        assert made.certificate.value == pytest.approx(best, abs=1e-6)


def test_by_default_a_search_ends_after_a_number_of_programs(monkeypatch):
    joint = ll.datasets.dirichlet_joint(10, 50, 0.3, np.random.default_rng(0))
    monkeypatch.setattr("liftlib.response.optimal.SECONDS_PER_PROGRAMME", 30 / 2000)
    with pytest.warns(ll.LiftWarning, match=r"limit in work was reached .* give more work \(work=None: no limit\)"):
        channel = ll.mechanisms.optimal(joint, ll.LIP(0.25))
    assert 1500 < channel.certificate.programmes <= 2000
    assert channel.certificate.gap > 1e-3
    assert ll.LIP(0.25).is_satisfied(joint, channel)


RARE = [1e-3, 1e-5, 1e-7, 1e-8, 1e-10, 1e-12]


def joints(rare, count):
    """A likely secret and ``count`` rare ones, whose symbols are spread differently, as exact fractions."""
    given = np.array([[7, 9, 4, 11, 8], [3, 1, 6, 2, 5], [1, 8, 2, 2, 9]])[: count + 1]
    masses = [Fraction(rare), Fraction(rare) * 3][:count]
    priors = [1 - sum(masses), *masses]
    return [[prior * Fraction(int(n), int(row.sum())) for n in row] for prior, row in zip(priors, given, strict=True)]


def solved(rows):
    """The one solution of a square system (A | b) in fractions, or None."""
    rows = [list(row) for row in rows]
    for at in range(len(rows)):
        pivot = next((i for i in range(at, len(rows)) if rows[i][at]), None)
        if pivot is None:
            return None
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [entry / rows[at][at] for entry in rows[at]]
        for i, row in enumerate(rows):
            if i != at and row[at]:
                rows[i] = [x - row[at] * y for x, y in zip(row, rows[at], strict=True)]
    return [row[-1] for row in rows]


@functools.cache
def limit(rare, count):
    """The largest I(X; Y) with Y independent of S, from the vertices in exact fractions."""
    p = joints(rare, count)
    n, p_x = len(p[0]), [sum(column) for column in zip(*p, strict=True)]
    # P(s|y) = P(s) for the rare secrets: the row of the likely one follows
    equal = [[mass / total - sum(row) for mass, total in zip(row, p_x, strict=True)] for row in p[1:]]
    equal = [[*row, Fraction(0)] for row in equal] + [[Fraction(1)] * (n + 1)]
    vertices = []
    for zero in itertools.combinations(range(n), n - len(equal)):
        point = solved(equal + [[Fraction(int(x == at)) for x in range(n)] + [Fraction(0)] for at in zero])
        if point is not None and min(point) >= 0:
            vertices.append([float(v) for v in point])
    rows, target = np.array(vertices), np.array([float(mass) for mass in p_x])
    cost = [entropy(row) for row in rows]
    return entropy(target) - mix_columns(np.array(cost), rows, target).objective


def optimum(rare, count, notion):
    joint = ll.Joint(np.array(joints(rare, count), dtype=float))
    channel = ll.mechanisms.optimal(joint, notion, gap=1e-3, work=10_000)
    assert notion.is_satisfied(joint, channel)
    if channel.certificate.proof is not None:
        check_proof(joint, notion, channel)
    return joint, channel.certificate


PERFECT = [
    ll.LIP(0.0), ll.ALIP(0.0, 0.5), ll.ALIP(0.7, 0.0), ll.ALIP(np.inf, 0.0), ll.LDP(0.0), ll.L1Lift(np.inf, 0.0),
    ll.L1Lift(0.0, 0.4), ll.Chi2Lift(np.inf, 0.0), ll.AlphaLift(2.0, 0.0, 0.0), ll.AlphaLift(2.0, np.inf, 0.0),
    ll.AlphaLift(np.inf, 0.0, 0.3), ll.SRLIP(0.0, (5,)),
]  # fmt: skip


@pytest.mark.parametrize("rare", RARE)
@pytest.mark.parametrize("count", [1, 2])
def test_perfect_privacy(rare, count):
    for notion in PERFECT:
        for method in ("auto", "tree"):
            joint = ll.Joint(np.array(joints(rare, count), dtype=float))
            channel = ll.mechanisms.optimal(joint, notion, method=method)
            value = ll.evaluate(joint, channel).mutual_information
            assert value == pytest.approx(limit(rare, count), abs=2e-6), (notion, method)
            assert notion.is_satisfied(joint, channel)
            assert ll.LIP(1e-6).is_satisfied(joint, channel), (notion, method)
            if channel.certificate.proof is not None:
                assert check_proof(joint, notion, channel).gap < 2e-6


@pytest.mark.parametrize("rare", RARE)
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.filterwarnings("ignore:.*gap:liftlib.errors.LiftWarning")
@pytest.mark.parametrize("eps", [1e-12, 1e-9, 1e-6, 1e-3])
def test_small_budgets(rare, count, eps):
    for notion in (
        ll.LIP(eps), ll.ALIP(eps, 0.5), ll.LDP(eps), ll.L1Lift(np.inf, eps), ll.Chi2Lift(np.inf, eps),
        ll.AlphaLift(2.0, np.inf, eps), ll.SRLIP(eps, (5,)),
    ):  # fmt: skip
        _, certificate = optimum(rare, count, notion)
        assert certificate.upper >= limit(rare, count) - 1e-9, notion
        assert certificate.value >= limit(rare, count) * (1 - 1e-3) - 1e-6, notion


@pytest.mark.parametrize("notion", PERFECT[5:10], ids=str)
def test_unchanged_symbols_do_not_pass_for_perfect_privacy(notion):
    joint = ll.Joint(np.array(joints(1e-10, 1), dtype=float))
    assert not notion.is_satisfied(joint)
    for mechanism in (ll.mechanisms.subset_merging, ll.mechanisms.watchdog):
        assert ll.LIP(1e-6).is_satisfied(joint, mechanism(joint, notion))


def test_a_secret_that_nearly_follows_another():
    # to about P(rare), both likely secrets have the same row
    first = np.array([7.0, 9.0, 4.0, 11.0, 8.0]) / 39
    rare = 1e-9 * np.array([3.0, 1.0, 6.0, 2.0, 5.0]) / 17
    joint = ll.Joint(np.array([0.4 * (first - rare), 0.6 * (first - rare), rare]))
    channel = ll.mechanisms.optimal(joint, ll.LIP(0.0))
    two = ll.Joint(np.array([first - rare, rare]))
    best = ll.mechanisms.optimal(two, ll.LIP(0.0))
    assert channel.certificate.value == pytest.approx(best.certificate.value, abs=1e-6)
    assert channel.certificate.value > 1


EPS = 1e-3


def concentrated_joints(n):
    source = np.random.default_rng(n)
    for _ in range(4):
        p = source.dirichlet(np.ones(n * n)).reshape(n, n) + np.eye(n) / 2
        yield ll.Joint(p / p.sum())


def largest_over_the_box(joint):
    """Half the largest chi-square distance over lifts in [1 - t, 1 + t], for t = 1."""
    n, inverse, best = joint.n_secret, np.linalg.inv(joint.s_given_x), 0.0
    for free in range(n):
        others = [s for s in range(n) if s != free]
        for signs in itertools.product((-1, 1), repeat=n - 1):
            moved = np.zeros(n)
            moved[others] = np.array(signs) * joint.p_s[others]
            moved[free] = -moved.sum()
            if abs(moved[free]) <= joint.p_s[free]:
                best = max(best, float(((inverse @ moved) ** 2 / joint.p_x).sum() / 2))
    return best


def largest_singular_value(joint):
    """Half the square of the largest singular value across P_S^(1/2)."""
    matrix = np.diag(joint.p_x**-0.5) @ np.linalg.inv(joint.s_given_x) @ np.diag(joint.p_s**0.5)
    basis, _ = np.linalg.qr(np.c_[np.sqrt(joint.p_s), np.eye(joint.n_secret)])
    return float(np.linalg.norm(matrix @ basis[:, 1 : joint.n_secret], 2) ** 2 / 2)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_lip(n):
    for joint in concentrated_joints(n):
        found = ll.evaluate(joint, ll.mechanisms.optimal(joint, ll.LIP(EPS))).mutual_information
        assert found / EPS**2 == pytest.approx(largest_over_the_box(joint), rel=3 * EPS)


@pytest.mark.parametrize(
    "joint", [one for n in (2, 3, 4) for one in concentrated_joints(n)], ids=lambda one: str(one.p.shape)
)
def test_chi2_lift(joint):
    notion = ll.Chi2Lift(np.inf, EPS)
    found = ll.evaluate(joint, ll.mechanisms.optimal(joint, notion)).mutual_information
    assert found / np.expm1(EPS) ** 2 == pytest.approx(largest_singular_value(joint), rel=3 * EPS)
