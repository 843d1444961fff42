"""The extremal mechanisms for the max-lift of X against the general optimum."""

import math

import numpy as np
import pytest
from tolerated import ROOM

import liftlib as ll
from liftbook.claims.samples import utility

END = math.log(1.25)
"""Where high privacy ends for the shares 2, 3 and 5: nothing is proven so close to it.
"""


def itself(p):
    return ll.Joint(np.diag(np.asarray(p) / np.sum(p)))


@pytest.mark.parametrize(
    ("p", "eps", "route"),
    [
        ([0.3, 0.7], 0.1, "binary"),
        ([0.3, 0.7], 0.4, "binary"),
        ([0.3, 0.7], 1.0, "binary"),
        ([0.3, 0.7], 1.3, "all"),
        ([0.5, 0.5], 0.2, "binary"),
        ([1, 1, 1, 1], math.log(4 / 3), "uniform"),
        ([1, 1, 1, 1], math.log(2), "uniform"),
        ([1, 1, 1, 1, 1], 0.1, "uniform"),
        ([1, 1, 1, 1, 1], 0.7, "uniform"),
        ([1, 1, 1, 1, 1], 1.2, "uniform"),
        ([2, 3, 5], 0.2, "high privacy"),
        ([2, 3, 5], END, "high privacy"),
        ([1, 2, 3, 4], 0.05, "high privacy"),
        ([2, 3, 5], 1.7, "all"),
        ([2, 3, 5], 0.0, "high privacy"),
        ([2, 3, 5], 50.0, "all"),
        ([2, 3, 5], math.inf, "all"),
    ],
)
def test_against_the_general_optimum(p, eps, route):
    joint, notion = itself(p), ll.ALIP(math.inf, eps)
    channel = ll.mechanisms.extremal(joint, notion)
    assert channel.certificate.route == route
    assert notion.is_satisfied(joint, channel)
    best = utility(joint, ll.mechanisms.optimal(joint, notion))
    assert utility(joint, channel) == pytest.approx(best, abs=1e-9)
    if eps != END:
        assert best - 1e-15 <= channel.certificate.upper < best + ROOM


def test_uniform_in_closed_form():
    """At e^eps = n/k a row is uniform on k symbols: log(n/k) nats."""
    for n, k in ((5, 2), (6, 3), (7, 1)):
        channel = ll.mechanisms.extremal(
            itself([1] * n), ll.ALIP(math.inf, math.log(n / k))
        )
        assert utility(itself([1] * n), channel) == pytest.approx(
            math.log(n / k), abs=1e-9
        )


def test_beyond_the_regimes_it_is_kept_and_not_the_best():
    joint, notion = itself([2, 3, 5]), ll.ALIP(math.inf, 0.6)
    channel = ll.mechanisms.extremal(joint, notion)
    assert channel.certificate.route == "beyond"
    assert channel.certificate.upper == math.inf
    assert notion.is_satisfied(joint, channel)
    assert (
        utility(joint, channel)
        < utility(joint, ll.mechanisms.optimal(joint, notion)) - 0.05
    )


@pytest.mark.parametrize("seed", range(5))
def test_whatever_the_secret(seed):
    joint = ll.datasets.uniform_joint(3, 6, seed)
    for eps in (0.0, 0.05, 0.5, 2.0, 50.0):
        notion = ll.ALIP(math.inf, eps)
        channel = ll.mechanisms.extremal(joint, notion)
        assert notion.is_satisfied(joint, channel)
        assert notion.is_satisfied(itself(joint.p_x), channel)
        assert channel.certificate.upper == math.inf
