"""The tree against the enumeration of all vertices."""

import itertools
import warnings

import numpy as np
import pytest
from asked import utility
from awkward_joints import on_each_joint
from messages import raised, warned

import liftlib as ll
from liftlib import exact
from liftlib.errors import InvalidParameter, LiftWarning
from liftlib.proofs import to_problem
from liftlib.response import optimal
from liftlib.response.optimal import few_vertices
from liftlib.response.posteriors import ResponseCertificate
from mixproof import search
from mixproof.numerics import KEEP_TOL, NEGLIGIBLE_MASS, xlogx

NOTIONS = [
    ll.ALIP(0.7, 0.4), ll.ALIP(0.1, 0.05), ll.ALIP(np.inf, 0.4), ll.ALIP(0.7, np.inf),
    ll.ALIP(0.0, 1.0), ll.PerfectPrivacy(), ll.LIP(1.0), ll.LIP(50.0), ll.LIP(1e-6),
    ll.LDP(1.5), ll.LDP(50.0), ll.L1Lift(np.inf, 0.2),
]  # fmt: skip


def assert_agree(joint, notion, gap=1e-6):
    """The bracket holds the optimum by vertices; the channel is private and proven."""
    channel = ll.mechanisms.optimal(joint, notion, method="tree", gap=gap)
    made = channel.certified(ResponseCertificate)
    best = ll.mechanisms.optimal(joint, notion, method="qhull").certificate.value
    assert notion.is_satisfied(joint, channel)
    assert made.value == pytest.approx(utility(joint, channel), abs=1e-12)
    # a list of vertices leaves out symbols below a solver's tolerance, where X itself
    # may be published
    left_out = 2 * float(-xlogx(joint.p_x[joint.p_x < NEGLIGIBLE_MASS]).sum())
    assert made.value <= best + 1e-8 + left_out
    assert made.upper >= best - 1e-9
    assert made.value >= best - max(gap * best, 1e-8)
    if np.isfinite(made.upper):
        # the bound allows for the tolerance of is_satisfied, which costs what the
        # halfspaces' weights say, and rounding
        size = np.maximum(1, np.abs(notion.halfspaces(joint)).max(initial=0.0))
        tolerated = (
            KEEP_TOL * size * np.abs(made.proof.weights[:, :-1]).sum(axis=1).max()
        )
        assert made.gap <= max(gap * made.value, 1e-8) + tolerated
        assert ll.check_proof(joint, notion, channel).upper <= made.upper


@pytest.mark.parametrize("notion", NOTIONS, ids=str)
@on_each_joint
def test_awkward_joints(joint, notion):
    assert_agree(
        ll.Joint.from_counts(joint.p[:5, :5], drop_empty=True), notion, gap=1e-6
    )


def test_random_joints():
    rng = np.random.default_rng(5)
    for _ in range(100):
        shape = rng.integers(1, 7), rng.integers(1, 10)
        counts = rng.integers(0, 9, shape) if rng.random() < 0.5 else rng.random(shape)
        if not (counts.sum(axis=0) > 0).any():
            continue
        joint = ll.Joint.from_counts(counts, drop_empty=True)
        eps = float(rng.choice([0.1, 0.5, 1.0, 2.0]))
        kinds = [
            ll.ALIP.split(eps, rng.choice([0.35, 0.5, 0.65])),
            ll.LDP(eps),
            ll.L1Lift(np.inf, eps / 4),
        ]
        assert_agree(joint, kinds[rng.integers(3)], gap=1e-6)


def small_cases(count):
    rng = np.random.default_rng(6)
    for _ in range(count):
        shape = rng.integers(1, 7), rng.integers(1, 12)
        joint = ll.Joint.from_counts(
            rng.gamma(rng.choice([0.2, 1.0]), size=shape)
            + 1e-3 * (rng.random() < 0.5)
            + 1e-9
        )
        eps = float(np.exp(rng.uniform(-3, 1)))
        yield joint, ll.ALIP.split(eps, rng.uniform(0.1, 0.9))


@pytest.mark.slow
def test_a_thousand_joints():
    for joint, notion in small_cases(1000):
        assert_agree(joint, notion)


def test_boxes_that_are_nearly_feasible():
    """Multipliers of 10^6 close them, by which a check rounds by 10^-7 nats: the bound
    that is stated allows for it.
    """
    *_, (joint, notion) = small_cases(208)
    channel = ll.mechanisms.optimal(joint, notion, method="tree")
    assert np.abs(channel.certificate.proof.weights).max() > 1e5
    assert ll.check_proof(joint, notion, channel).upper <= channel.certificate.upper
    assert channel.certificate.gap < 1e-6


@pytest.mark.parametrize("method", ["auto", "tree"])
@pytest.mark.parametrize("n_secret", [1, 2])
@pytest.mark.parametrize("n", [2, 5, 11])
def test_publishing_is_optimal_where_the_notion_allows_it(n, n_secret, method):
    """Also where solvers leave out a symbol, because its probability is below their
    tolerances.
    """
    p_x = np.append(np.arange(2.0, n + 1), 1e-10)
    joint = ll.Joint.from_counts(np.outer(np.arange(1, n_secret + 1), p_x))
    for notion in (
        ll.ALIP(0.3, 0.1),
        ll.LIP(1e-9),
        ll.LDP(2.0),
        ll.L1Lift(np.inf, 0.1),
        ll.AlphaLift(2, 0.2, 0.1),
    ):
        channel = ll.mechanisms.optimal(joint, notion, method=method)
        made = channel.certified(ResponseCertificate)
        assert made.value == pytest.approx(ll.measures.entropy(joint.p_x), abs=1e-12)
        assert made.gap < 1e-8
        assert ll.check_proof(joint, notion, channel).upper <= made.upper
        assert (
            exact.check(exact.parsed(to_problem(joint, notion, channel))).upper
            <= made.upper
        )


def test_closed_forms_where_the_secret_is_published():
    joint = ll.Joint(np.diag([0.2, 0.3, 0.5]))
    for eps in (3.0, 5.0):
        best = ll.mechanisms.optimal(joint, ll.LDP(eps), method="tree")
        assert utility(joint, best) == pytest.approx(
            utility(joint, ll.mechanisms.randomised_response.at(joint, eps)), abs=1e-8
        )
    # PML of a uniform secret at log k' : blocks of n / k' symbols are told apart, and
    # nothing does better than eps
    uniform = ll.Joint(np.eye(6) / 6)
    for told in (2, 3):
        best = ll.mechanisms.optimal(
            uniform, ll.ALIP(np.inf, np.log(told)), method="tree"
        ).certificate
        assert best.value == pytest.approx(np.log(told), abs=1e-6)
        assert best.upper == pytest.approx(np.log(told), abs=1e-5)


def test_monotone_in_the_budget_and_blind_to_names():
    joint = ll.datasets.uniform_joint(4, 12, np.random.default_rng(1))
    values = [
        ll.mechanisms.optimal(joint, ll.LIP(eps), method="tree").certificate
        for eps in (0.1, 0.3, 0.9, 2.7)
    ]
    assert all(low.value <= high.upper for low, high in itertools.pairwise(values))
    order = np.random.default_rng(2).permutation(12)
    relabelled = ll.mechanisms.optimal(
        ll.Joint(joint.p[::-1, order]), ll.LIP(0.3), method="tree"
    ).certificate
    assert relabelled.value == pytest.approx(values[1].value, rel=2e-6)
    # a symbol in two: the halves are alike, so that only H(X) and I(X; Y) within them
    # may grow
    split = ll.Joint(
        np.column_stack([joint.p, joint.p[:, 0]]) * np.r_[0.5, np.ones(11), 0.5]
    )
    both = ll.mechanisms.optimal(split, ll.LIP(0.3), method="tree")
    whole = both.kernel.copy()
    merged = ll.Channel(np.vstack([(whole[0] + whole[12]) / 2, whole[1:12]]))
    assert utility(joint, merged) <= values[1].upper + 1e-9


def test_ten_secrets_by_fifty_symbols():
    """Beyond any enumeration; a search once returned a constant release here."""
    joint, notion = (
        ll.datasets.uniform_joint(10, 50, np.random.default_rng(0)),
        ll.ALIP.split(1.0, 0.5),
    )
    channel = ll.mechanisms.optimal(joint, notion, gap=1e-2)
    made = channel.certified(ResponseCertificate)
    assert made.route == "a tree of bounds"
    assert made.gap <= 1e-2 * made.value
    assert ll.evaluate(joint, channel).nmi > 0.85
    assert ll.check_proof(joint, notion, channel).gap <= 1e-2 * made.value


def test_out_of_time():
    joint, notion = (
        ll.datasets.uniform_joint(8, 40, np.random.default_rng(0)),
        ll.LIP(0.3),
    )
    with pytest.warns(LiftWarning):
        channel = ll.mechanisms.optimal(joint, notion, seconds=0.0)
    made = channel.certified(ResponseCertificate)
    assert notion.is_satisfied(joint, channel)
    assert (
        utility(joint, channel)
        >= utility(joint, ll.mechanisms.subset_merging(joint, notion)) - 1e-9
    )
    assert made.value < made.upper <= ll.measures.entropy(joint.p_x) + 1e-8


def test_out_of_room(monkeypatch):
    joint, notion = (
        ll.datasets.uniform_joint(6, 24, np.random.default_rng(0)),
        ll.LIP(0.3),
    )
    monkeypatch.setattr(search, "MAX_TREE_BYTES", 1e5)
    with warned(LiftWarning):
        channel = ll.mechanisms.optimal(joint, notion, gap=1e-9)
    made = channel.certified(ResponseCertificate)
    assert notion.is_satisfied(joint, channel)
    assert made.value < made.upper < ll.measures.entropy(joint.p_x)
    assert ll.check_proof(joint, notion, channel).upper <= made.upper + 1e-9


def test_reports_and_arguments():
    joint = ll.datasets.uniform_joint(5, 30, np.random.default_rng(0))
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ll.mechanisms.optimal(
            joint, ll.LIP(1.0), gap=0.01, report=lambda *told: seen.append(told)
        )
    assert seen
    assert all(bound <= cost + 1e-9 for cost, bound, _ in seen)
    for wrong in ({"gap": 0.0}, {"gap": np.nan}, {"seconds": -1.0}, {"report": 3}):
        with raised(InvalidParameter):
            ll.mechanisms.optimal(joint, ll.LIP(1.0), **wrong)


def test_enumeration_is_kept_for_few_vertices():
    small, large = (
        ll.datasets.uniform_joint(3, n, np.random.default_rng(0)) for n in (6, 60)
    )
    assert ll.mechanisms.optimal(small, ll.LIP(1.0)).certificate.route == "all vertices"
    assert few_vertices(ll.LIP(1.0).halfspaces(small))
    assert not few_vertices(ll.LIP(1.0).halfspaces(large))
    assert (
        ll.mechanisms.optimal(large, ll.LIP(1.0), gap=0.01).certificate.route
        == "a tree of bounds"
    )


def test_up_to_twelve_symbols_vertices_are_listed_first(monkeypatch):
    """The upper bound theorem expects 6,000 where there are 700; a list that grows too
    long is given up.
    """
    joint, notion = (
        ll.datasets.dirichlet_joint(5, 10, 0.2, np.random.default_rng(0)),
        ll.LIP(0.5),
    )
    assert not few_vertices(notion.halfspaces(joint))
    listed = ll.mechanisms.optimal(joint, notion).certificate
    assert listed.route == "all vertices"
    monkeypatch.setattr(optimal, "MAX_LISTED_VERTICES", listed.rows // 2)
    searched = ll.mechanisms.optimal(joint, notion).certificate
    assert searched.route == "a tree of bounds"
    assert listed.value == pytest.approx(searched.value, abs=1e-6 * listed.value + 1e-9)


@pytest.mark.parametrize(
    "notion", [ll.SRLIP(0.5, (3, 4)), ll.AlphaLift(2.0, 0.4, 0.4)], ids=repr
)
def test_a_number_of_programmes_ends_the_search(notion):
    """It ends there, says so, and the same stands wherever it is run."""
    joint = ll.Joint(ll.datasets.uniform_joints(1, 4, 12, np.random.default_rng(3))[0])

    def searched(programmes):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            channel = ll.mechanisms.optimal(
                joint, notion, method="tree", gap=1e-9, work=programmes
            )
        return channel, [
            str(one.message) for one in caught if one.category is LiftWarning
        ]

    (channel, told), (again, _), (further, _) = (
        searched(60),
        searched(60),
        searched(240),
    )
    assert 0 < channel.certificate.programmes <= 61
    assert channel.certificate.programmes < further.certificate.programmes
    assert len(told) == 1
    assert np.array_equal(channel.kernel, again.kernel)
    assert channel.certificate.upper == again.certificate.upper
    assert notion.is_satisfied(joint, channel)
    best = further.certificate.value
    assert channel.certificate.value <= further.certificate.upper + 1e-9
    assert best <= channel.certificate.upper + 1e-9


def test_programmes_are_a_count():
    joint = ll.Joint([[0.3, 0.2], [0.1, 0.4]])
    with raised(InvalidParameter):
        ll.mechanisms.optimal(joint, ll.LIP(0.5), work=0)


def test_a_search_for_nothing_ends():
    """At eps 0 all but a constant release is outside by rounding alone."""
    counts = np.random.default_rng(1).integers(1, 9, (3, 8))
    counts[0, 0] = 0
    joint = ll.Joint.from_counts(counts)
    found = ll.mechanisms.optimal(
        joint, ll.SRLIP(0.0, (2, 2, 2)), method="tree", work=10_000
    )
    made = found.certificate
    assert made.programmes < 10_000
    assert made.gap < 1e-6
    assert ll.check_proof(joint, ll.SRLIP(0.0, (2, 2, 2)), found).upper < 1e-6


def test_rows_that_a_rare_secret_makes_too_inexact_are_moved_inside():
    """Lifts of 10^5 made HiGHS's rows break the notion beyond mending."""
    joint = ll.Joint.from_counts(
        [
            [8.24e-8, 2.695e-6, 4.83e-9, 7.9e-12, 1.858e-7, 1.302e-7,
             2.31e-9, 7.04e-11, 9.01e-8],
            [0.0132582294, 0.0038603272, 1.274e-9, 4.84348e-7, 0.470781171, 0.330342937,
             0.137758541, 6.424464e-6, 0.0439886936],
        ]
    )  # fmt: skip
    notion = ll.ALIP(1.6267619772, np.inf)
    with warned(LiftWarning):
        channel = ll.mechanisms.optimal(joint, notion, method="tree")
    assert notion.is_satisfied(joint, channel)
    assert channel.certificate.value > 1.2
    assert ll.check_proof(joint, notion, channel).gap < 1e-3


@pytest.mark.parametrize("notion", [ll.ALIP(1e-8, np.inf), ll.LDP(1e-7)], ids=str)
def test_a_proof_by_large_multipliers(notion):
    """Budgets next to 0 make them so large that a check rounds by more than
    elsewhere.
    """
    joint = ll.datasets.dirichlet_joint(3, 23, 0.5, np.random.default_rng(0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LiftWarning)
        channel = ll.mechanisms.optimal(joint, notion, method="tree", work=300)
    assert (
        ll.check_proof(joint, notion, channel).upper
        <= channel.certificate.upper
        < ll.measures.entropy(joint.p_x)
    )


def test_a_search_that_proved_nothing_has_a_proof():
    """Of no more than that I(X; Y) is at most H(X), which is what is then told."""
    joint = ll.datasets.uniform_joint(8, 40, np.random.default_rng(0))
    with warned(LiftWarning):
        channel = ll.mechanisms.optimal(joint, ll.ALIP(0.2, 0.2), work=1)
    assert (
        ll.check_proof(joint, ll.ALIP(0.2, 0.2), channel).upper
        <= channel.certificate.upper
    )
    assert channel.certificate.upper == pytest.approx(
        ll.measures.entropy(joint.p_x), abs=1e-8
    )
