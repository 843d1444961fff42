"""The notions of averages over outputs, by hand; the budget's ends."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from messages import raised

import liftlib as ll
from liftbook.relatives import AverageLeakage, MaximalLeakage
from liftlib.errors import InvalidParameter
from liftlib.notions import require

JOINT = ll.Joint.from_counts([[3, 2], [1, 4]])


def test_by_hand():
    """P_S is (1/2, 1/2); P(s|x) is 3/4, 1/3 for the first secret."""
    identity = ll.Channel.identity(2)
    told = 0.4 * (0.75 * math.log(1.5) + 0.25 * math.log(0.5)) + 0.6 * (
        1 / 3 * math.log(2 / 3) + 2 / 3 * math.log(4 / 3)
    )
    assert AverageLeakage(1.0).leakage(JOINT, identity) == pytest.approx(told)
    assert MaximalLeakage(1.0).leakage(JOINT, identity) == pytest.approx(
        math.log(0.4 * 1.5 + 0.6 * 4 / 3)
    )


@pytest.mark.parametrize("make", [AverageLeakage, MaximalLeakage])
def test_budgets(make):
    identity = ll.Channel.identity(2)
    assert make(math.inf).violation(JOINT, identity) == -math.inf
    assert make(0.0).is_satisfied(JOINT, ll.Channel.constant(2))
    assert not make(0.0).is_satisfied(JOINT, identity)
    assert make(0.5).belief(0.3) == (0.0, 1.0)
    for bad in (-1.0, math.nan, "1"):
        with raised(InvalidParameter):
            make(bad)


def test_a_rare_output_tells_all_the_same():
    joint = ll.Joint(np.diag([0.5, 0.5]))
    channel = ll.Channel([[0.01, 0, 0.99], [0, 0.01, 0.99]])
    assert AverageLeakage(0.007).is_satisfied(joint, channel)
    assert ll.LIP(1.0).leakage(joint, channel) == math.inf
    for kind in (AverageLeakage, MaximalLeakage):
        assert kind(0.1).lacks(kind) is None
        for other in {AverageLeakage(0.1), MaximalLeakage(0.1), ll.LIP(0.1)} - {
            kind(0.1)
        }:
            with raised(ll.UnsupportedNotion):
                require(other, kind, "f")


@pytest.mark.parametrize("make", [AverageLeakage, MaximalLeakage])
def test_is_a_value_and_names_what_does_not_fit(make):
    notion = make(0.5)
    assert notion == make(0.5) != make(0.25)
    assert len({notion, make(0.5)}) == 1
    with pytest.raises(FrozenInstanceError):
        notion.eps = 0.1
    for ask in (notion.leakage, notion.violation):
        with raised(InvalidParameter):
            ask(3, ll.Channel.identity(2))
        with raised(InvalidParameter):
            ask(JOINT, 3)
    with raised(InvalidParameter):
        notion.leakage(JOINT, ll.Channel.identity(3))
