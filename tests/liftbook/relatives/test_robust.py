"""Responses that keep a notion under several distributions."""

import numpy as np
import pytest
from messages import raised, warned

import liftlib as ll
from liftbook.claims.samples import utility
from liftbook.relatives import robust
from liftbook.relatives.robust import posterior_map
from liftlib.errors import InvalidParameter, SolverFailure
from liftlib.response import posteriors as rows
from liftlib.response.aorr import aorr
from liftlib.response.posteriors import ResponseCertificate, Support

JOINT = ll.Joint.from_counts([[4, 1, 2], [1, 5, 2]])


@pytest.mark.parametrize(
    "notion", [ll.LIP(0.4), ll.ALIP(0.5, 0.3), ll.LDP(0.7)], ids=str
)
def test_robust_response_keeps_the_notion_everywhere(notion):
    joints = [
        ll.Joint(p)
        for p in ll.datasets.uniform_joints(5, 3, 6, np.random.default_rng(2))
    ]
    channel = ll.mechanisms.robust(joints[0], notion, others=joints[1:])
    assert all(notion.is_satisfied(joint, channel) for joint in joints)
    optimum = ll.mechanisms.optimal(joints[0], notion)
    assert utility(joints[0], channel) <= utility(joints[0], optimum) + 1e-9
    fewer = ll.mechanisms.robust(joints[0], notion, others=joints[1:2])
    assert utility(joints[0], channel) <= utility(joints[0], fewer) + 1e-9
    alone = ll.mechanisms.robust(joints[0], notion, others=[])
    assert utility(joints[0], alone) == pytest.approx(
        utility(joints[0], optimum), abs=1e-9
    )
    itself = ll.mechanisms.robust(joints[0], notion, others=[joints[0]] * 2)
    assert utility(joints[0], itself) == pytest.approx(
        utility(joints[0], optimum), abs=1e-9
    )


def test_robust_response_covers_mixtures_with_one_prior():
    rng = np.random.default_rng(0)
    first, second = (rng.dirichlet(np.ones(5), size=3) / 3 for _ in range(2))
    channel = ll.mechanisms.robust(
        ll.Joint(first), ll.LIP(0.3), others=[ll.Joint(second)]
    )
    for share in np.linspace(0, 1, 11):
        assert ll.LIP(0.3).is_satisfied(
            ll.Joint((1 - share) * first + share * second), channel
        )


def test_no_random_channel_is_better_and_robust():
    joints = [
        ll.Joint(p)
        for p in ll.datasets.uniform_joints(3, 2, 4, np.random.default_rng(5))
    ]
    notion, rng = ll.LIP(0.3), np.random.default_rng(0)
    best = utility(
        joints[0], ll.mechanisms.robust(joints[0], notion, others=joints[1:])
    )
    for _ in range(2000):
        kernel = rng.dirichlet(np.full(4, 0.3), size=4)
        tried = ll.Channel(0.5 * kernel + 0.5 * kernel.mean(axis=0))
        if all(notion.is_satisfied(joint, tried) for joint in joints):
            assert utility(joints[0], tried) <= best + 1e-9


def test_robust_response_refuses(monkeypatch):
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(0))
    with raised(InvalidParameter):
        ll.mechanisms.robust(
            joint,
            ll.LIP(1),
            others=[joint, ll.datasets.uniform_joint(2, 4, np.random.default_rng(0))],
        )
    with raised(InvalidParameter):
        ll.mechanisms.robust(joint, ll.LIP(1), others=[joint.p])


NOTIONS = [
    ll.ALIP(0.7, 0.4), ll.ALIP(0.1, 0.05), ll.ALIP(np.inf, 0.4), ll.ALIP(0.7, np.inf),
    ll.PerfectPrivacy(), ll.LIP(1.0), ll.LIP(50.0), ll.LDP(1.5), ll.LDP(50.0),
    ll.L1Lift(np.inf, 0.2), ll.AlphaLift(np.inf, 0.3, 0.2), ll.AlphaLift(2, 0, 1),
    ll.Chi2Lift(1, 0),
]  # fmt: skip


@pytest.mark.parametrize("notion", NOTIONS, ids=str)
def test_robust_response_on_odd_joints(notion, joint):
    # the l1-lift has 2^|S| halfspaces, three times here: with 13 secrets it took 13
    # minutes
    joint = ll.Joint.from_counts(
        joint.p[: 6 if isinstance(notion, ll.L1Lift) else None, :6], drop_empty=True
    )
    turned = np.roll(joint.p, 1, axis=1)
    for others in (
        [],
        [ll.Joint.from_counts(joint.p + turned)],
        [ll.Joint.from_counts(turned)],
        [
            ll.Joint(np.full(joint.p.shape, 1 / joint.p.size)),
            ll.Joint.from_counts(joint.p + 0.01),
        ],
    ):
        channel = ll.mechanisms.robust(joint, notion, others=others)
        assert all(notion.is_satisfied(one, channel) for one in (joint, *others))
        made = channel.certified(ResponseCertificate)
        assert made.value == utility(joint, channel)
        assert made.value <= made.upper
        assert np.isfinite(made.upper) == (
            (joint.p_x >= 1e-9).all() or made.route == "X itself"
        )
        if not others:
            np.testing.assert_array_equal(
                channel.kernel, ll.mechanisms.optimal(joint, notion).kernel
            )


def test_dust_that_has_mass_under_another_distribution():
    rng = np.random.default_rng(3)
    for notion in (ll.LIP(0.2), ll.ALIP(0.3, 0.1), ll.LDP(0.3), ll.L1Lift(np.inf, 0.1)):
        counts = rng.random((3, 5))
        counts[:, 4] *= 1e-11
        joint, other = (
            ll.Joint.from_counts(counts),
            ll.Joint.from_counts(rng.random((3, 5))),
        )
        channel = ll.mechanisms.robust(joint, notion, others=[other])
        assert notion.is_satisfied(joint, channel)
        assert notion.is_satisfied(other, channel)
        assert channel.certificate.upper == np.inf
        # nothing at random that sends the last symbol where an average one goes does
        # better
        best = utility(joint, channel)
        support = joint.p_x[:4] / joint.p_x[:4].sum()
        for _ in range(300):
            kernel = rng.dirichlet(np.full(4, 0.3), size=4)
            share = rng.uniform()
            kernel = (1 - share) * kernel + share * (support @ kernel)
            tried = ll.Channel(np.concatenate([kernel, (support @ kernel)[None]]))
            if notion.is_satisfied(joint, tried) and notion.is_satisfied(other, tried):
                assert utility(joint, tried) <= best + 1e-8


def test_the_tightest_distribution_sets_the_floor(monkeypatch):
    first, second = (
        ll.Joint.from_counts([[5, 0, 5], [0, 5, 5]]),
        ll.Joint.from_counts([[1, 0, 1], [0, 500, 500]]),
    )
    floors = []
    monkeypatch.setattr(
        rows,
        "repaired",
        lambda *given, **_: floors.append(given[3]) or (ll.Channel.constant(3), 0.0),
    )
    for joint, others in ((first, [second]), (second, [first]), (first, [])):
        ll.mechanisms.robust(joint, ll.LDP(40.0), others=others)
    lightest = second.p_s.min()
    wanted = [np.exp(-40) / lightest, np.exp(-40) / lightest, np.exp(-40) / 0.5]
    assert floors == pytest.approx(wanted, abs=0)


@pytest.mark.parametrize("seed", range(10))
def test_a_cone_under_another_distribution_is_that_of_the_released_row(seed):
    rng = np.random.default_rng(seed)
    resolved = np.array([True, False, True, True, False])
    other = ll.Joint.from_counts(rng.random((3, 5)))
    support = Support(ll.Joint.from_counts(rng.random((3, 3))), resolved)
    halfspaces = rng.normal(size=(4, 5))
    kernel = support.extended(rng.dirichlet(np.ones(6), size=3))
    v = support.joint.p_x[:, None] * kernel[resolved]  # each column a row P(x, y)
    theirs = other.p_x[:, None] * kernel
    np.testing.assert_allclose(
        halfspaces @ posterior_map(other, support) @ v, halfspaces @ theirs, atol=1e-14
    )


def test_every_distribution_is_asked_whether_it_is_kept(monkeypatch):
    other = ll.Joint.from_counts([[4, 1, 1], [1, 1, 5]])
    monkeypatch.setattr(
        robust,
        "posterior_map",
        lambda other, _: np.zeros((other.n_public, other.n_public)),
    )
    with raised(SolverFailure):
        aorr(robust.common_cone(JOINT, ll.LIP(0.1), [other]))


def test_few_symbols_and_many_halfspaces_are_listed():
    joint = ll.Joint.from_counts(
        ll.datasets.uniform_joint(13, 20, np.random.default_rng(0)).p[:, :6]
    )
    other, notion = (
        ll.Joint.from_counts(joint.p + np.roll(joint.p, 1, axis=1)),
        ll.L1Lift(np.inf, 0.2),
    )
    channel = ll.mechanisms.robust(joint, notion, others=[other])
    assert channel.certificate.route == "all vertices of the common cone"


@pytest.mark.parametrize("notion", [ll.L1Lift(np.inf, 0.2), ll.LDP(0.7)], ids=str)
def test_side_by_side_extensions_describe_the_common_cone(notion):
    rng = np.random.default_rng(5)
    joint, others = (
        ll.datasets.uniform_joint(5, 8, rng),
        [ll.datasets.uniform_joint(5, 8, rng) for _ in range(2)],
    )
    cone = robust.common_cone(joint, notion, others)
    points = rng.dirichlet(np.full(8, 0.7), 400) * rng.random(
        (400, 1)
    ) + joint.p_x * rng.random((400, 1))
    points /= points.sum(axis=1, keepdims=True)
    least = (points @ cone.halfspaces.T).min(axis=1)
    found, slopes = cone.extension.worst(points @ cone.extension.forms.T)
    np.testing.assert_allclose(np.minimum(least, 0), np.minimum(found, 0), atol=1e-12)
    assert 0.02 < (least < 0).mean() < 0.98
    np.testing.assert_allclose(
        (slopes * (points @ cone.extension.forms.T)).sum(axis=1), found, atol=1e-12
    )
    # multipliers W of the halfspaces with W G <= w A + c
    maps = [robust.posterior_map(one, cone.support) for one in others]
    pulled = [notion.halfspaces(one) @ to for one, to in zip(others, maps, strict=True)]
    table = np.concatenate([notion.halfspaces(joint), *pulled])
    assert cone.extension.n_halfspaces == len(table)
    weights = rng.exponential(size=(50, len(cone.extension.halfspaces))) * (
        rng.random((50, 1)) < 0.8
    )
    proven, used, cost = cone.extension.pull_back(weights)
    assert (
        proven @ table[used]
        <= weights @ cone.extension.halfspaces[:, :8] + cost[:, None] + 1e-12
    ).all()


def test_many_secrets_are_searched_side_by_side():
    rng = np.random.default_rng(6)
    joint, other = (
        ll.datasets.uniform_joint(20, 9, rng),
        ll.datasets.uniform_joint(20, 9, rng),
    )
    notion = ll.L1Lift(np.inf, 0.3)
    channel = ll.mechanisms.robust(joint, notion, others=[other], gap=1e-2)
    assert notion.is_satisfied(joint, channel)
    assert notion.is_satisfied(other, channel)
    assert channel.certificate.gap <= 1e-2 * channel.certificate.value
    same = [ll.datasets.uniform_joint(4, 7, rng) for _ in range(2)]
    found = [ll.mechanisms.robust(same[0], ll.L1Lift(np.inf, 0.2), others=same[1:])]
    found.append(aorr(robust.common_cone(same[0], ll.L1Lift(np.inf, 0.2), same[1:])))
    assert found[0].certificate.value == pytest.approx(
        found[1].certificate.value, abs=1e-5
    )


def test_a_limit_in_work_ends_the_search_and_says_how_to_ask_for_more():
    joint, other = (
        ll.datasets.uniform_joint(6, 40, np.random.default_rng(seed)) for seed in (1, 2)
    )
    found = []
    for _ in range(2):
        with warned(ll.LiftWarning):
            found.append(
                ll.mechanisms.robust(joint, ll.LIP(0.5), others=[other], work=50)
            )
    assert (found[0].kernel == found[1].kernel).all()
    assert found[0].certificate.upper > found[0].certificate.value
    assert all(ll.LIP(0.5).is_satisfied(each, found[0]) for each in (joint, other))
