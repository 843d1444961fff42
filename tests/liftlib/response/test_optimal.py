"""The optimal response against search, closed forms and published values."""

import numpy as np
import pytest
from asked import give_up, utility
from messages import raised, warned

import liftlib as ll
from liftlib.errors import InvalidParameter
from liftlib.response import aorr as rows
from liftlib.response.optimal import few_vertices
from liftlib.response.posteriors import ResponseCertificate
from mixproof import polytope
from mixproof.numerics import KEEP_TOL


def random_private_channel(joint, notion, rng):
    """A random kernel, mixed with a constant release until the notion is kept."""
    kernel = rng.dirichlet(
        np.full(joint.n_public, rng.choice([0.1, 0.5, 2.0])), size=joint.n_public
    )
    if rng.random() < 0.5:
        kernel = 0.5 * kernel + 0.5 * np.eye(joint.n_public)
    share = 0.0
    while not notion.is_satisfied(
        joint,
        channel := ll.Channel((1 - share) * kernel + share * (joint.p_x @ kernel)),
    ):
        share = min(1.0, share + 0.02)
    return channel


@pytest.mark.parametrize(
    "notion",
    [
        ll.ALIP(0.5, 0.2),
        ll.LIP(0.3),
        ll.LDP(0.6),
        ll.ALIP(np.inf, 0.2),
        ll.L1Lift(np.inf, 0.2),
    ],
    ids=str,
)
def test_nothing_found_at_random_is_better(notion):
    rng = np.random.default_rng(0)
    for seed in range(3):
        joint = ll.datasets.uniform_joint(3, 5, np.random.default_rng(seed))
        best = utility(joint, ll.mechanisms.optimal(joint, notion))
        assert all(
            utility(joint, random_private_channel(joint, notion, rng)) <= best + 1e-9
            for _ in range(60)
        )


def test_two_secrets_by_hand():
    joint = ll.Joint([[0.4, 0.1], [0.1, 0.4]])
    eps = 0.2
    found = polytope.vertices(ll.LIP(eps).halfspaces(joint))
    # l(s0) = (0.8 v + 0.2 (1 - v)) / 0.5 = 0.4 + 1.2 v lies in [e^-eps, e^eps], and
    # l(s1) = 2 - l(s0) too
    ends = sorted(
        (bound - 0.4) / 1.2
        for bound in (
            max(np.exp(-eps), 2 - np.exp(eps)),
            min(np.exp(eps), 2 - np.exp(-eps)),
        )
    )
    np.testing.assert_allclose(sorted(found[:, 0]), ends)
    # the optimum mixes the two ends to P_X
    channel = ll.mechanisms.optimal(joint, ll.LIP(eps))
    entropy = -(found * np.log(found)).sum(axis=1)
    share = (0.5 - found[1, 0]) / (found[0, 0] - found[1, 0])
    assert utility(joint, channel) == pytest.approx(
        np.log(2) - share * entropy[0] - (1 - share) * entropy[1]
    )


@pytest.mark.parametrize(
    "method", ["qhull", pytest.param("cdd", marks=pytest.mark.cdd), "auto"]
)
def test_methods_agree(method):
    joint = ll.datasets.uniform_joint(3, 7, np.random.default_rng(5))
    expected = utility(joint, ll.mechanisms.optimal(joint, ll.ALIP(0.6, 0.3)))
    assert utility(
        joint, ll.mechanisms.optimal(joint, ll.ALIP(0.6, 0.3), method=method)
    ) == pytest.approx(expected, abs=1e-9)


@pytest.mark.cdd
def test_its_rows_are_all_vertices():
    joint, notion = (
        ll.datasets.uniform_joint(5, 17, np.random.default_rng(0)),
        ll.ALIP.split(2.0, 0.5),
    )
    made = ll.mechanisms.optimal(joint, notion, method="qhull").certified(
        ResponseCertificate
    )
    assert made.rows == len(polytope.vertices(notion.halfspaces(joint), "cdd"))


def test_outputs_are_few_and_certified():
    joint = ll.datasets.uniform_joint(5, 17, np.random.default_rng(0))
    channel = ll.mechanisms.optimal(joint, ll.ALIP.split(2.0, 0.5), method="qhull")
    made = channel.certified(ResponseCertificate)
    assert channel.n_outputs <= joint.n_public
    assert made.mixed == 0
    assert made.solution.gap < 1e-9
    assert made.value == utility(joint, channel)
    best = ll.measures.entropy(joint.p_x) - made.solution.objective
    assert best + KEEP_TOL / 2 < made.upper < best + 20 * KEEP_TOL
    assert made.route == "all vertices"


def test_published_utilities():
    """E23 section 3.1.3: AORR, lambda 1/2, eps 2: 0.96 on Adult."""
    for left_out in ("Own-child", "Unmarried", "Other-relative"):
        joint = ll.datasets.adult(leave_out=[left_out])
        nmi = ll.evaluate(
            joint, ll.mechanisms.optimal(joint, ll.ALIP.split(2.0, 0.5))
        ).nmi
        assert nmi == pytest.approx(0.96, abs=0.005), left_out


def test_wrong_arguments():
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(0))
    with raised(InvalidParameter):
        ll.mechanisms.optimal(joint, ll.LIP(1.0), method="lrs")


@pytest.mark.cdd
def test_nothing_is_proven_by_vertices_that_may_be_missing():
    joint = ll.datasets.uniform_joint(3, 5, 0)
    sure, unsure = (
        ll.mechanisms.optimal(joint, ll.LIP(0.5), method=method).certificate
        for method in ("qhull", "cdd")
    )
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


@pytest.mark.parametrize(
    ("module", "name", "failing"),
    [
        (rows, "vertices", lambda *_, **__: np.array([[1.0, 0.0, 0.0]])),
        (polytope, "_by_qhull", give_up),
    ],
    ids=["no mixture", "qhull gives up"],
)
def test_a_solver_that_fails_at_vertices_is_followed_by_the_tree(
    module, name, failing, monkeypatch
):
    """And not by cdd, which may miss some: what is said to be proven is."""
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(0))
    best = utility(joint, ll.mechanisms.optimal(joint, ll.LIP(1.0)))
    monkeypatch.setattr(module, name, failing)
    for made in (
        ll.mechanisms.optimal(joint, ll.LIP(1.0)),
        ll.mechanisms.robust(joint, ll.LIP(1.0)),
    ):
        assert made.certificate.route == "a tree of bounds"
        assert made.certificate.value == pytest.approx(best, abs=1e-6)


def test_by_default_a_search_ends_after_a_number_of_programs(monkeypatch):
    joint = ll.datasets.dirichlet_joint(10, 50, 0.3, np.random.default_rng(0))
    monkeypatch.setattr("liftlib.response.optimal.SECONDS_PER_PROGRAMME", 30 / 2000)
    with warned(ll.LiftWarning):
        channel = ll.mechanisms.optimal(joint, ll.LIP(0.25))
    assert 1500 < channel.certificate.programmes <= 2000
    assert channel.certificate.gap > 1e-3
    assert ll.LIP(0.25).is_satisfied(joint, channel)
