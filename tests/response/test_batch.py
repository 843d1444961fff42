"""The batch of optimal responses against one at a time: the same optima and certificates, whatever is made singly."""

import numpy as np
import pytest
from awkward_joints import JOINTS, named_joint

import liftlib as ll
from liftlib.errors import InvalidParameter, UnsupportedNotion
from liftlib.mechanisms.response import batch, optimal
from liftlib.solvers.mixing import once
from liftlib.solvers.mixing.problem import HAS_NUMBA

GAP = 1e-6

NOTIONS = [
    ll.ALIP(0.8, 0.4), ll.ALIP(np.inf, 0.3), ll.ALIP(0.5, np.inf), ll.ALIP(np.inf, np.inf), ll.LIP(0.0), ll.LIP(1e-6),
    ll.LIP(50.0), ll.LDP(1.0), ll.LDP(0.0), ll.LDP(np.inf), ll.PerfectPrivacy(), ll.L1Lift(np.inf, 0.2),
]  # fmt: skip

each_notion = pytest.mark.parametrize("notion", NOTIONS, ids=str)
with_numba = pytest.mark.skipif(not HAS_NUMBA, reason="numba is not installed")


def drawn(count, n_secret, n_public, seed=0):
    rng = np.random.default_rng(seed)
    return [ll.Joint(p) for p in ll.datasets.uniform_joints(count, n_secret, n_public, rng)]


def same(joint, notion, channel):
    """Hold a channel of a batch against the one made alone: kept, and each within its own gap of what bounds both."""
    assert notion.is_kept(joint, channel)
    alone = ll.optimal_response(joint, notion)
    mine, other = (one.certified(ll.RowsCertificate) for one in (channel, alone))
    assert mine.value == pytest.approx(ll.evaluate(joint, channel).mutual_information, abs=1e-12)
    assert mine.route == other.route
    if np.isfinite(mine.upper) and np.isfinite(other.upper):
        assert max(mine.value, other.value) <= min(mine.upper, other.upper) + 1e-12
        assert mine.gap <= max(GAP * mine.value, 1e-9) + 1e-9
    assert abs(mine.value - other.value) <= max(GAP * other.value, 1e-9) + 1e-9
    assert (mine.proof is None) == (other.proof is None)
    if mine.proof is not None:
        checked = ll.check_proof(joint, notion, channel)
        assert checked.upper <= mine.upper + 1e-12
        assert checked.value == pytest.approx(mine.value, abs=1e-12)


# the kinds of notion are tried on few secrets: of many, one will do
@pytest.mark.parametrize(
    ("name", "notion"),
    [(name, one) for name in JOINTS for one in (NOTIONS if named_joint(name).n_secret <= 10 else NOTIONS[:1])],
    ids=str,
)
def test_awkward_joints_are_served_as_they_are_alone(name, notion):
    joint = named_joint(name)
    (channel,) = ll.optimal_responses([joint], notion)
    same(joint, notion, channel)


@with_numba  # one at a time is all there is without, and takes minutes
@each_notion
@pytest.mark.parametrize("shape", [(2, 12), (5, 17), (3, 30)], ids=str)
def test_many_joints_are_served_as_each_alone(shape, notion):
    joints = drawn(3, *shape)
    channels = ll.optimal_responses(joints, notion)
    assert len(channels) == 3
    for joint, channel in zip(joints, channels, strict=True):
        same(joint, notion, channel)


@with_numba
def test_most_are_made_in_one_call(monkeypatch):
    """Each at its own place, under its own notion; nothing is made singly that need not be."""
    monkeypatch.setattr(batch, "optimal_response", lambda *_, **__: pytest.fail("made singly"))
    joints = drawn(5, 5, 17)
    notions = [ll.ALIP.split(eps, 0.65) for eps in (0.25, 1.0, 2.0, 4.0, 8.0)]
    channels = ll.optimal_responses(joints, notions)
    for joint, notion, channel in zip(joints, notions, channels, strict=True):
        same(joint, notion, channel)
        made = channel.certified(ll.RowsCertificate)
        assert made.route == "a tree of bounds"
        assert made.mixed == 0.0
        assert made.programmes > 0
        assert made.seconds > 0
        assert made.solution.x.shape == (made.rows,)
        assert made.solution.primal_residual <= 1e-12
        assert made.solution.objective == pytest.approx(ll.entropy(joint.p_x) - made.value, abs=1e-9)
        assert (channel.kernel.sum(axis=0) > 0).all()


def test_one_joint_under_many_notions_of_several_kinds():
    joint = drawn(1, 3, 8)[0]
    notions = [ll.LDP(1.0), ll.ALIP(0.3, 0.2), ll.AlphaLift(2.0, np.inf, 0.3), ll.SRLIP(0.5, (2, 4)), ll.LIP(50.0)]
    channels = ll.optimal_responses([joint] * 5, notions)
    for notion, channel in zip(notions, channels, strict=True):
        assert notion.is_kept(joint, channel)
        alone = ll.optimal_response(joint, notion).certificate
        assert channel.certificate.value == pytest.approx(alone.value, rel=2e-6, abs=2e-9)


@with_numba
@pytest.mark.parametrize("way", ["room", "programmes", "check", "notion", "several arrays"])
def test_what_is_given_up_is_made_singly(way, monkeypatch):
    joints, notion = drawn(4, 5, 17, seed=3), ll.ALIP.split(1.0, 0.5)
    before = [channel.certificate.value for channel in ll.optimal_responses(joints, notion)]
    single, made = optimal.optimal_response, []

    def counted(*given, **named):
        made.append(given)
        return single(*given, **named)

    monkeypatch.setattr(batch, "optimal_response", counted)
    if way == "room":
        monkeypatch.setattr(once, "ROOM", 8)
    elif way == "programmes":
        monkeypatch.setattr(once, "CHUNK_COMPILED", 0)
    elif way == "check":
        monkeypatch.setattr(batch, "GAP_TOL", -1.0)
    elif way == "notion":
        monkeypatch.setattr(batch, "KEEP_TOL", -1.0)
    else:
        monkeypatch.setattr(batch, "TOGETHER", 3)
    channels = ll.optimal_responses(joints, notion)
    assert len(made) == (0 if way == "several arrays" else 4)
    assert [channel.certificate.value for channel in channels] == pytest.approx(before, rel=1e-6)
    for joint, channel in zip(joints, channels, strict=True):
        same(joint, notion, channel)


def test_without_numba_it_is_the_same(monkeypatch):
    joints, notion = drawn(2, 3, 9), ll.ALIP.split(2.0, 0.5)
    before = ll.optimal_responses(joints, notion)
    monkeypatch.setattr(batch, "HAS_NUMBA", False)
    monkeypatch.setattr(optimal, "HAS_NUMBA", False)
    after = ll.optimal_responses(joints, notion)
    for joint, one, other in zip(joints, before, after, strict=True):
        assert one.certificate.value == pytest.approx(other.certificate.value, rel=2e-6)
        assert notion.is_kept(joint, one)
        assert notion.is_kept(joint, other)


def test_a_wider_gap_is_taken():
    joint, notion = drawn(1, 5, 17)[0], ll.ALIP.split(1.0, 0.5)
    (wide,) = ll.optimal_responses([joint], notion, gap=1e-2)
    (fine,) = ll.optimal_responses([joint], notion)
    assert wide.certificate.gap <= 1e-2 * wide.certificate.value + 1e-9
    assert fine.certificate.gap <= 1e-6 * fine.certificate.value + 1e-9
    assert wide.certificate.value >= fine.certificate.value * (1 - 1e-2)
    assert wide.certified(ll.RowsCertificate).programmes <= fine.certified(ll.RowsCertificate).programmes


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (lambda j: ([j, ll.Joint([[0.5, 0.5]])], ll.LIP(1.0)), r"joints\[1\] has shape \(1, 2\) and joints\[0\]"),
        (lambda j: ([j, j], [ll.LIP(1.0)]), "notion has 1 entries for 2 joints"),
        (lambda j: ([j, "a"], ll.LIP(1.0)), "joints is .*: give a sequence, each entry a Joint"),
        (lambda j: (j, ll.LIP(1.0)), "joints is .*: give a sequence, each entry a Joint"),
        (lambda j: ([j], 1.0), "notion is 1.0: give a Notion or a sequence, each entry a Notion"),
        (lambda j: ([j], [ll.LIP(1.0), 2]), "notion is .*: give a Notion or a sequence"),
    ],
)
def test_what_does_not_fit_is_named(given, told):
    with pytest.raises(InvalidParameter, match=told):
        ll.optimal_responses(*given(named_joint("zeros")))


@pytest.mark.parametrize("gap", [0.0, -1.0, float("nan")])
def test_a_gap_that_is_none_is_refused(gap):
    with pytest.raises(InvalidParameter, match="gap is"):
        ll.optimal_responses([named_joint("zeros")], ll.LIP(1.0), gap=gap)


def test_a_notion_that_no_response_serves_is_named():
    with pytest.raises(UnsupportedNotion):
        ll.optimal_responses([named_joint("zeros")], ll.L1Lift(0.5, 0.5))


def test_none_is_none():
    assert ll.optimal_responses([], ll.LIP(1.0)) == []
    assert ll.optimal_responses([], []) == []
