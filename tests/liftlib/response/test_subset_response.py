"""Subset random response, and its unions."""

import itertools
import math

import numpy as np
import pytest
from asked import give_up, utility
from messages import warned

import liftlib as ll
from liftlib.errors import LiftWarning, SolverFailure
from liftlib.response import subset_response as subset_module
from liftlib.response import within_subset
from liftlib.response.subset_response import SubsetCertificate
from liftlib.response.within_subset import Within, response_within, response_within_pair
from mixproof import polytope


def test_subset_response_reports_what_it_did():
    joint = ll.datasets.uniform_joint(5, 17, np.random.default_rng(0))
    channel = ll.mechanisms.subset_response(joint, ll.ALIP.split(2.0, 0.65))
    report = channel.certified(SubsetCertificate)
    assert report.value == utility(joint, channel)
    assert report.upper == np.inf
    assert report.route == "all vertices within each subset"
    assert not report.fallback
    assert report.unions == 0
    assert sorted(x for subset in report.subsets for x in subset) == list(range(17))
    whole = ll.mechanisms.subset_response(joint, ll.ALIP.split(0.02, 0.65))
    assert ll.ALIP.split(0.02, 0.65).is_satisfied(joint, whole)


@pytest.mark.cdd
def test_its_rows_are_the_vertices_of_the_merged_subsets():
    joint, notion = (
        ll.datasets.uniform_joint(5, 17, np.random.default_rng(0)),
        ll.ALIP.split(2.0, 0.65),
    )
    report = ll.mechanisms.subset_response(joint, notion).certified(SubsetCertificate)
    merged = [list(subset) for subset in report.subsets if len(subset) > 1]
    counts = [
        len(polytope.vertices(notion.halfspaces(joint)[:, subset], "cdd"))
        for subset in merged
    ]
    assert report.rows == sum(counts)


def test_subset_response_unites_and_falls_back(monkeypatch):
    joint = ll.datasets.uniform_joint(4, 12, np.random.default_rng(0))
    notion = ll.LIP(0.5)
    subsets = [
        s for s in ll.mechanisms.subset_merging(joint, notion).partition if len(s) > 1
    ]
    assert len(subsets) > 2
    real = response_within
    monkeypatch.setattr(
        subset_module,
        "response_within",
        lambda j, g, s: real(j, g, s) if len(s) > 6 else Within(None, 7),
    )
    channel = ll.mechanisms.subset_response(joint, notion)
    report = channel.certificate
    assert report.unions == len(subsets) - 1
    assert not report.fallback
    assert notion.is_satisfied(joint, channel)
    large = [list(one) for one in report.subsets if len(one) > 6]
    tried = sum(
        len(polytope.vertices(notion.halfspaces(joint)[:, one])) for one in large
    )
    assert report.rows > tried
    # those of the subsets that were united count too
    assert (report.rows - tried) % 7 == 0
    monkeypatch.setattr(subset_module, "response_within", lambda *_: Within(None, 7))
    channel = ll.mechanisms.subset_response(joint, notion)
    report = channel.certificate
    assert report.fallback
    assert report.route == "subset merging, as there is no response"
    assert report.unions == len(subsets) - 1
    assert report.rows == 7 * len(subsets)
    assert (
        report.subsets
        == channel.partition
        == ll.mechanisms.subset_merging(joint, notion).partition
    )
    assert report.value == utility(joint, channel)


@pytest.mark.parametrize("by_search", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_a_subset_allows_a_response_exactly_if_it_merges_privately(
    seed, by_search, monkeypatch
):
    if by_search:
        monkeypatch.setattr(within_subset, "response_within_pair", lambda *_: None)
        monkeypatch.setattr(within_subset, "too_large", lambda *_: True)
    rng = np.random.default_rng(seed)
    joint = ll.datasets.uniform_joint(3, 8, rng)
    notion = (ll.LIP(0.25), ll.LDP(0.5), ll.ALIP(0.4, 0.2))[seed % 3]
    for size in (1, 2, 3, 5):
        subset = sorted(rng.choice(8, size, replace=False).tolist())
        kernel = response_within(joint, notion.halfspaces(joint), subset).kernel
        merged = joint.p[:, subset].sum(axis=1, keepdims=True)
        private = bool(
            notion.kept_columns(merged / joint.p_s[:, None] / merged.sum(), joint.p_s)[
                0
            ]
        )
        assert (kernel is not None) == private


@pytest.mark.parametrize(
    "notion",
    [ll.LIP(0.4), ll.LDP(0.8), ll.ALIP(np.inf, 0.3), ll.ALIP(0.6, 0.3)],
    ids=str,
)
def test_the_closed_form_of_a_pair_is_what_its_vertices_give(monkeypatch, notion):
    rng, compared = np.random.default_rng(0), 0
    for _ in range(10):
        joint = ll.Joint.from_counts(
            rng.integers(0, 9, (3, 12)) + (rng.random((3, 12)) < 0.1), drop_empty=True
        )
        order, halfspaces = (
            rng.permutation(joint.n_public).tolist(),
            notion.halfspaces(joint),
        )
        for at in range(0, joint.n_public - 2, 2):
            pair = order[at : at + 2]
            quick = response_within_pair(halfspaces[:, pair], joint.p_x[pair])
            with monkeypatch.context() as patch:
                patch.setattr(within_subset, "response_within_pair", lambda *_: None)
                kernel, rows, _ = response_within(joint, halfspaces, pair)
            if quick is not None:
                compared += 1
                assert rows == 2
                assert (
                    min(
                        np.abs(quick - kernel).max(),
                        np.abs(quick[:, ::-1] - kernel).max(),
                    )
                    < 1e-9
                )
    assert compared > 5


def test_two_hundred_symbols():
    """E23 Fig. 10's size, at its tightest budget."""
    joint = ll.datasets.uniform_joint(15, 200, np.random.default_rng(1))
    responses, merging = (
        ll.mechanisms.subset_response(joint, ll.LIP(0.5)),
        ll.mechanisms.subset_merging(joint, ll.LIP(0.5)),
    )
    assert ll.LIP(0.5).is_satisfied(joint, responses)
    assert utility(joint, responses) > utility(joint, merging)


def test_symbols_without_mass_are_in_no_subset():
    joint = ll.Joint.from_counts([[20, 5, 5, 1e-12, 20], [5, 20, 20, 1e-12, 5]])
    channel = ll.mechanisms.subset_response(joint, ll.LIP(0.3))
    assert ll.LIP(0.3).is_satisfied(joint, channel)
    assert sorted(x for one in channel.certificate.subsets for x in one) == [0, 1, 2, 4]


def test_what_cannot_be_mended_is_merged(monkeypatch):
    def failing(*_, **__):
        raise SolverFailure("the response violates LIP")

    joint, notion = (
        ll.datasets.uniform_joint(4, 12, np.random.default_rng(0)),
        ll.LIP(0.5),
    )
    monkeypatch.setattr(subset_module, "repaired", failing)
    channel = ll.mechanisms.subset_response(joint, notion)
    assert channel.certificate.fallback
    assert channel.partition == ll.mechanisms.subset_merging(joint, notion).partition


@pytest.mark.slow
def test_in_a_subset_that_is_too_large_rows_are_searched_for_and_that_is_told(
    monkeypatch,
):
    monkeypatch.setattr(within_subset, "SUBSET_WORK", 20_000)
    joint, notion = (
        ll.datasets.uniform_joint(15, 200, np.random.default_rng(0)),
        ll.ALIP.split(0.5, 0.5),
    )
    with warned(LiftWarning):
        channel = ll.mechanisms.subset_response(joint, notion)
    report = channel.certified(SubsetCertificate)
    assert report.searched == 1
    assert max(map(len, report.subsets)) == 19
    assert notion.is_satisfied(joint, channel)
    assert utility(joint, channel) > utility(
        joint, ll.mechanisms.subset_merging(joint, notion)
    )


LIP_HALF = ll.LIP(0.5)
TWELVE = ll.datasets.uniform_joint(4, 12, np.random.default_rng(0))


@pytest.fixture
def searched():
    """Return a function that merges by a search, told of, as well as by vertices."""
    best = utility(TWELVE, ll.mechanisms.subset_response(TWELVE, LIP_HALF))

    def check():
        with warned(LiftWarning):
            channel = ll.mechanisms.subset_response(TWELVE, LIP_HALF)
        assert LIP_HALF.is_satisfied(TWELVE, channel)
        gap = 2 * within_subset.SUBSET_GAP
        assert utility(TWELVE, channel) == pytest.approx(best, rel=gap)
        return channel.certified(SubsetCertificate)

    return check


def test_where_vertices_are_too_close_to_list_rows_are_searched_for_and_that_is_told(
    monkeypatch, searched
):
    monkeypatch.setattr(polytope, "_by_qhull", give_up)
    assert searched().searched > 0


def test_a_programme_that_fails_at_vertices_is_followed_by_a_search(
    monkeypatch, searched
):
    real, asked = within_subset.cheapest, []

    def cheapest(rows, mass):
        asked.append(len(rows))
        if len(asked) == 1:
            raise SolverFailure("HiGHS stopped: Unknown")
        return real(rows, mass)

    monkeypatch.setattr(within_subset, "cheapest", cheapest)
    made = searched()
    assert made.searched == 1
    assert made.route == "rows listed or searched for in each subset"


@pytest.mark.parametrize(
    "notion", [ll.LIP(0.5), ll.LDP(0.6), ll.ALIP(np.inf, 0.3), ll.LIP(0.0)], ids=repr
)
def test_whatever_is_too_large_the_notion_is_kept(monkeypatch, notion):
    """And what is found there is what the vertices give, as the subsets are small."""
    for seed in range(3):
        joint = ll.datasets.uniform_joint(4, 12, np.random.default_rng(seed))
        listed = ll.mechanisms.subset_response(joint, notion)
        with monkeypatch.context() as patch:
            patch.setattr(within_subset, "response_within_pair", lambda *_: None)
            patch.setattr(within_subset, "too_large", lambda _, n: n > 1)
            with pytest.warns(LiftWarning):
                channel = ll.mechanisms.subset_response(joint, notion)
        assert notion.is_satisfied(joint, channel)
        assert channel.certificate.subsets == listed.certificate.subsets
        assert utility(joint, channel) == pytest.approx(
            utility(joint, listed), rel=2e-3, abs=1e-7
        )


def test_what_a_search_cannot_resolve_is_merged(monkeypatch):
    def fails(*_, **__):
        raise SolverFailure("no")

    joint, notion = (
        ll.datasets.uniform_joint(4, 12, np.random.default_rng(0)),
        ll.LIP(0.5),
    )
    monkeypatch.setattr(within_subset, "response_within_pair", lambda *_: None)
    monkeypatch.setattr(within_subset, "too_large", lambda _, n: n > 1)
    monkeypatch.setattr(within_subset, "cheapest_mixture", fails)
    with pytest.warns(LiftWarning):
        channel = ll.mechanisms.subset_response(joint, notion)
    merged = ll.mechanisms.subset_merging(joint, notion)
    assert notion.is_satisfied(joint, channel)
    assert utility(joint, channel) == pytest.approx(utility(joint, merged), abs=1e-9)


def test_few_symbols_are_never_too_large():
    assert not within_subset.too_large(2**16, 10)
    assert within_subset.too_large(2**16, 11)


def lifts_of(joint, subset):
    """Return P(A|s) / P(A) for each secret: the lifts of a subset that is merged."""
    mass = sum(joint.p[:, x] for x in subset)
    return [
        float(part / whole / mass.sum())
        for part, whole in zip(mass, joint.p_s, strict=True)
    ]


def allowed(joint, subset, eps):
    """Whether a response exists within a subset."""
    return all(abs(math.log(lift)) <= eps for lift in lifts_of(joint, subset))


def algorithm_2(joint, waiting, eps):
    """Follow section 5.1.

    Where G is empty, it is united with the subset that was made last, X_(g-1) of O, and
    the index g is updated. Returns O, and how often subsets were united.
    """
    waiting, made, unions = [list(subset) for subset in waiting], [], 0
    while waiting:
        made.append(waiting[0])
        del waiting[0]
        while not allowed(joint, made[-1], eps):
            if waiting:
                made[-1] = made[-1] + waiting[0]
                del waiting[0]
            elif len(made) > 1:
                made[-2] = made[-2] + made[-1]
                del made[-1]
            else:
                return None, unions
            unions += 1
    return made, unions


def found_by(monkeypatch, joint, partition, eps):
    """Return the subsets that ``subset_response`` ends with from a given partition."""
    merged = ll.Channel.merge(partition, joint.n_public)
    monkeypatch.setattr(subset_module, "subset_merging", lambda *_: merged)
    channel = ll.mechanisms.subset_response(joint, ll.LIP(eps))
    report = channel.certified(SubsetCertificate)
    return channel, report


def test_the_last_subset_is_united_with_the_one_made_before_it(monkeypatch):
    counts = np.array([[19, 9, 2, 9, 2, 8], [19, 3, 6, 3, 6, 12]])
    joint, eps = ll.Joint.from_counts(counts), 0.15
    partition = [(0,), (1, 2), (3, 4), (5,)]
    assert np.flatnonzero(ll.high_risk(joint, ll.LIP(eps))).tolist() == [1, 2, 3, 4, 5]
    kept = {
        subset: allowed(joint, subset, eps)
        for subset in [(1, 2), (3, 4), (5,), (1, 2, 5), (3, 4, 5)]
    }
    assert [subset for subset, one in kept.items() if not one] == [(5,)]
    channel, report = found_by(monkeypatch, joint, partition, eps)
    assert set(report.subsets) == {(0,), (1, 2), (3, 4, 5)}
    assert report.unions == 1
    assert not report.fallback
    assert ll.LIP(eps).is_satisfied(joint, channel)
    # each subset has outputs of its own
    used = channel.kernel > 0
    for one, other in itertools.combinations([[0], [1, 2], [3, 4, 5]], 2):
        assert not (used[one].any(axis=0) & used[other].any(axis=0)).any()


EPS, SEEDS = 0.12, range(40)


def pairs_at_risk(seed):
    """Return a random joint, and pairs of the symbols at risk in random order."""
    rng = np.random.default_rng(seed)
    joint = ll.Joint.from_counts(rng.integers(20, 80, (2, 9)))
    risky = rng.permutation(np.flatnonzero(ll.high_risk(joint, ll.LIP(EPS)))).tolist()
    return joint, [tuple(risky[at : at + 2]) for at in range(0, len(risky), 2)]


@pytest.mark.parametrize("seed", SEEDS)
def test_subsets_are_united_as_a_plain_implementation_does(monkeypatch, seed):
    """The same subsets, after as many unions."""
    joint, pairs = pairs_at_risk(seed)
    low = [(x,) for x in range(9) if not any(x in pair for pair in pairs)]
    wanted, unions = algorithm_2(joint, pairs, EPS)
    _, report = found_by(monkeypatch, joint, [*low, *pairs], EPS)
    assert report.unions == unions
    assert report.fallback == (wanted is None)
    if wanted is not None:
        assert set(report.subsets) == {
            *low,
            *(tuple(sorted(subset)) for subset in wanted),
        }


def test_the_examples_reach_the_unions_with_subsets_to_come_and_with_those_before():
    ends = {"on": 0, "back": 0}
    for seed in SEEDS:
        joint, pairs = pairs_at_risk(seed)
        wanted, unions = algorithm_2(joint, pairs, EPS)
        if wanted is not None and unions:
            ends[
                (
                    "back"
                    if len(wanted) > 1 and not allowed(joint, pairs[-1], EPS)
                    else "on"
                )
            ] += 1
    assert min(ends.values()) >= 3
