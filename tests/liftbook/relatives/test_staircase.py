"""Staircases against the general optimum for S = X, and two closed forms."""

import math

import numpy as np
import pytest

import liftlib as ll


def itself(p):
    return ll.Joint(np.diag(np.asarray(p) / np.sum(p)))


def utility(joint, channel):
    return ll.evaluate(joint, channel).mutual_information


@pytest.mark.parametrize("eps", [0.05, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("p", [[0.3, 0.7], [2, 3, 5], [1, 1, 1, 1], [1, 2, 3, 9]])
def test_against_the_general_optimum(p, eps):
    joint, notion = itself(p), ll.LDP(eps)
    channel = ll.mechanisms.staircase(joint, notion)
    best = utility(joint, ll.mechanisms.optimal(joint, notion))
    assert notion.is_satisfied(joint, channel)
    assert utility(joint, channel) == pytest.approx(best, abs=1e-9)
    assert channel.certificate.upper == pytest.approx(best, abs=1e-9)


def test_two_staircases_by_hand():
    joint, eps = itself([2, 3, 5]), 0.05
    stay = math.exp(eps) / (1 + math.exp(eps))
    binary = ll.Channel([[stay, 1 - stay], [stay, 1 - stay], [1 - stay, stay]])  # {2, 3} against {5}
    assert utility(joint, ll.mechanisms.staircase(joint, ll.LDP(eps))) == pytest.approx(
        utility(joint, binary), abs=1e-12, rel=1e-9
    )
    assert utility(joint, ll.mechanisms.staircase(joint, ll.LDP(8.0))) == pytest.approx(
        utility(joint, ll.mechanisms.randomised_response.at(joint, 8.0)), rel=1e-9
    )


@pytest.mark.parametrize("notion", [ll.LIP(0.7), ll.ALIP(0.4, 0.9), ll.LDP(0.7), ll.ALIP(math.inf, 0.7)], ids=str)
def test_whatever_the_secret(notion):
    for seed in range(3):
        joint = ll.datasets.uniform_joint(3, 5, seed)
        channel = ll.mechanisms.staircase(joint, notion)
        own = itself(joint.p_x)
        assert notion.is_satisfied(joint, channel)
        assert ll.LDP(0.0).leakage(own, channel) <= max(0.4, 0.7 if "0.7" in str(notion) else 0.4) + 1e-9
        assert channel.certificate.upper == math.inf


def test_ends():
    joint = itself([2, 3, 5])
    assert utility(joint, ll.mechanisms.staircase(joint, ll.LDP(0.0))) == pytest.approx(0, abs=1e-12)
    assert utility(joint, ll.mechanisms.staircase(joint, ll.LDP(math.inf))) == pytest.approx(
        ll.measures.entropy([0.2, 0.3, 0.5])
    )
    assert utility(joint, ll.mechanisms.staircase(joint, ll.LDP(50.0))) == pytest.approx(
        ll.measures.entropy([0.2, 0.3, 0.5])
    )
