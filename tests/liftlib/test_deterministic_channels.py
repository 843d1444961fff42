"""Channels that send each symbol to one output."""

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import InvalidDistribution, InvalidParameter


@pytest.fixture
def joint():
    return ll.Joint(np.random.default_rng(0).dirichlet(np.ones(24)).reshape(4, 6), public="abcdef")


def test_it_is_the_channel_of_its_kernel(joint):
    output_of = np.array([2, 0, 1, 0, 2, 2])
    labelled = ll.Channel.deterministic(output_of, "abcdef")
    dense = ll.Channel(np.eye(3)[output_of], labelled.outputs, labelled.partition)
    assert labelled.partition == ((1, 3), (2,), (0, 4, 5))
    assert labelled.outputs == (("b", "d"), "c", ("a", "e", "f"))
    np.testing.assert_array_equal(labelled.kernel, dense.kernel)
    np.testing.assert_allclose(labelled.release(joint).p, dense.release(joint).p, atol=1e-15)
    np.testing.assert_allclose(labelled.joint_xy(joint), dense.joint_xy(joint), atol=1e-15)
    one, other = ll.evaluate(joint, labelled), ll.evaluate(joint, dense)
    assert one.mutual_information == pytest.approx(other.mutual_information, abs=1e-13)
    assert one.lip == pytest.approx(other.lip, abs=1e-13)
    x = np.array([5, 0, 1, 2])
    assert labelled.sample(x, rng=np.random.default_rng(1)).tolist() == dense.sample(x).tolist() == [2, 2, 0, 1]
    after = ll.Channel([[0.5, 0.5], [1, 0], [0, 1]])
    np.testing.assert_allclose(labelled.compose(after).kernel, dense.compose(after).kernel)


def test_no_kernel_is_made_unless_it_is_asked_for():
    """Twenty thousand outputs of a hundred thousand symbols would take 16 GB."""
    rng = np.random.default_rng(0)
    joint = ll.Joint(rng.dirichlet(np.ones(100_000), 2) / 2)
    channel = ll.Channel.deterministic(np.arange(100_000) // 5)
    assert ll.evaluate(joint, channel).nmi < 1
    assert ll.LIP(1.0).leakage(joint, channel) > 0
    assert channel.sample(np.array([99_999])).tolist() == [19_999]
    made = ll.mechanisms.watchdog(joint, ll.LIP(1.0))
    assert ll.LIP(1.0).is_satisfied(joint, made)
    assert "kernel" not in vars(channel)
    assert "kernel" not in vars(made)


@pytest.mark.parametrize("wrong", [[0, 2], [1, 1], [], [-1, 0], [0.5, 0], [[0], [1]]])
def test_outputs_are_numbered_without_a_hole(wrong):
    with pytest.raises((InvalidDistribution, InvalidParameter), match="output_of"):
        ll.Channel.deterministic(wrong)


def test_without_a_channel_x_is_published_unchanged(joint):
    unchanged = ll.Channel.identity(6)
    for notion in (ll.LIP(1.0), ll.ALIP(1.0, 0.5), ll.LDP(1.0), ll.Chi2Lift(1.0, 1.0), ll.SRLIP(1.0, (2, 3))):
        assert notion.leakage(joint) == notion.leakage(joint, unchanged)
        assert notion.violation(joint) == notion.violation(joint, unchanged)
        assert notion.is_satisfied(joint) == notion.is_satisfied(joint, unchanged)
