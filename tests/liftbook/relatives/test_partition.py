"""The best partition, against all partitions one by one."""

import numpy as np
import pytest
from partitions import best_by_hand

import liftlib as ll
from liftbook.claims.samples import utility


@pytest.mark.parametrize(
    "notion",
    [
        ll.LIP(0.3),
        ll.ALIP(0.5, 0.2),
        ll.LDP(0.4),
        ll.Chi2Lift(0.4, 0.3),
        ll.AlphaLift(2, 0.2, 0.1),
    ],
    ids=str,
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
