"""The notions of averages over outputs, by hand; the budget's ends."""

import math

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import InvalidParameter

JOINT = ll.Joint.from_counts([[3, 2], [1, 4]])


def test_by_hand():
    """P_S is (1/2, 1/2); P(s|x) is 3/4, 1/3 for the first secret."""
    identity = ll.Channel.identity(2)
    told = 0.4 * (0.75 * math.log(1.5) + 0.25 * math.log(0.5)) + 0.6 * (
        1 / 3 * math.log(2 / 3) + 2 / 3 * math.log(4 / 3)
    )
    assert ll.AverageLeakage(1.0).leakage(JOINT, identity) == pytest.approx(told)
    assert ll.MaximalLeakage(1.0).leakage(JOINT, identity) == pytest.approx(math.log(0.4 * 1.5 + 0.6 * 4 / 3))


@pytest.mark.parametrize("make", [ll.AverageLeakage, ll.MaximalLeakage])
def test_budgets(make):
    identity = ll.Channel.identity(2)
    assert make(math.inf).excess(JOINT, identity) == -math.inf
    assert make(0.0).is_kept(JOINT, ll.Channel.constant(2))
    assert not make(0.0).is_kept(JOINT, identity)
    assert make(0.5).belief(0.3) == (0.0, 1.0)
    for bad in (-1.0, math.nan, "1"):
        with pytest.raises(InvalidParameter, match="eps"):
            make(bad)


def test_a_rare_output_tells_all_the_same():
    joint = ll.Joint(np.diag([0.5, 0.5]))
    channel = ll.Channel([[0.01, 0, 0.99], [0, 0.01, 0.99]])
    assert ll.AverageLeakage(0.007).is_kept(joint, channel)
    assert ll.LIP(1.0).leakage(joint, channel) == math.inf
    assert ll.AverageLeakage(0.1).average == 0.1
    assert ll.MaximalLeakage(0.1).average is None
    assert ll.LIP(0.1).average is None
