"""The best partition, against all partitions one by one."""

import numpy as np
import pytest
from partitions import best_by_hand

import liftlib as ll
from liftlib.errors import InvalidParameter, UnsupportedNotion


def utility(joint, channel):
    return ll.evaluate(joint, channel).mutual_information


@pytest.mark.parametrize(
    "notion", [ll.LIP(0.3), ll.ALIP(0.5, 0.2), ll.LDP(0.4), ll.Chi2Lift(0.4, 0.3), ll.AlphaLift(2, 0.2, 0.1)], ids=str
)
@pytest.mark.parametrize("seed", range(3))
def test_no_partition_is_better(seed, notion):
    joint = ll.datasets.uniform_joint(3, 6, np.random.default_rng(seed))
    channel = ll.mechanisms.best_partition(joint, notion)
    assert notion.is_satisfied(joint, channel)
    best, number = best_by_hand(joint, notion)
    assert number == 203  # Bell's number
    assert utility(joint, channel) == pytest.approx(best, abs=1e-12)
    assert best >= utility(joint, ll.mechanisms.subset_merging(joint, notion)) - 1e-12


def test_best_partition_on_odd_joints(named_joints):
    for name, joint in named_joints.items():
        if joint.n_public <= 9:
            channel = ll.mechanisms.best_partition(joint, ll.LIP(0.5))
            assert ll.LIP(0.5).is_satisfied(joint, channel), name
            assert (
                utility(joint, channel) >= utility(joint, ll.mechanisms.subset_merging(joint, ll.LIP(0.5))) - 1e-12
            ), name


def test_best_partition_has_a_limit():
    with pytest.raises(InvalidParameter, match="joint has 14 symbols, more than 13: use subset_merging"):
        ll.mechanisms.best_partition(ll.Joint(np.full((2, 14), 1 / 28)), ll.LIP(1.0))


def test_best_partition_refuses():
    joint = ll.Joint(np.full((2, 4), 1 / 8))
    with pytest.raises(UnsupportedNotion, match=r"^best_partition needs a notion that each .*: use optimal_"):
        ll.mechanisms.best_partition(joint, ll.SRLIP(1, (2, 2)))
    with pytest.raises(InvalidParameter, match=r"notion is 1\.0: give a Notion"):
        ll.mechanisms.best_partition(joint, 1.0)
