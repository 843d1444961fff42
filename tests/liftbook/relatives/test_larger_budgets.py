"""The alpha-lift's heuristic lies between ALIP's optimum and the proven one."""

import numpy as np
import pytest

import liftlib as ll
from liftbook.relatives.larger_budgets import larger_budgets


@pytest.mark.parametrize("alpha", [1.5, 2.0, 10.0, np.inf])
@pytest.mark.parametrize("budgets", [(0.1, 0.1), (0.3, 0.8), (1.0, 1.0), (np.inf, 0.5)])
def test_between_alip_and_the_optimum(alpha, budgets):
    source = np.random.default_rng(5)
    for p in ll.datasets.uniform_joints(3, 3, 7, source):
        joint, notion = ll.Joint(p), ll.AlphaLift(alpha, *budgets)
        channel = larger_budgets(joint, notion)
        assert notion.is_satisfied(joint, channel)
        value = ll.evaluate(joint, channel).mutual_information
        least = ll.evaluate(joint, ll.mechanisms.optimal(joint, ll.ALIP(*budgets))).mutual_information
        most = ll.mechanisms.optimal(joint, notion).certificate.upper
        assert least - 1e-6 <= value <= most + 1e-9
        assert value >= 0.97 * most


def test_without_a_bound_and_with_a_rare_symbol():
    joint = ll.Joint.from_counts([[1, 1, 0, 1e-12], [1, 3, 2, 0]])
    channel = larger_budgets(joint, ll.AlphaLift(2, 0.5, 0.5))
    assert channel.certificate.upper == np.inf
    assert channel.kernel.shape[0] == 4
