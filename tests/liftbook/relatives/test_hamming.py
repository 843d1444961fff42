"""Telling likely symbols against the programme of the least distortion."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

import liftlib as ll
from liftbook.relatives import MaximalLeakage


def least_distortion(p_x, eps):
    """Return the least P(Y != X) with sum_y max_x P(y|x) <= e^eps, over all kernels."""
    n = len(p_x)
    cost = np.concatenate([-np.diag(p_x).ravel(), np.zeros(n)])  # P(y|x), then an upper bound on each output's
    rows = np.zeros((n, n * n + n))
    for x in range(n):
        rows[x, x * n : (x + 1) * n] = 1
    below = np.zeros((n * n + 1, n * n + n))
    for x in range(n):
        for y in range(n):
            below[x * n + y, [x * n + y, n * n + y]] = 1, -1
    below[-1, n * n :] = 1
    found = linprog(cost, A_ub=below, b_ub=np.append(np.zeros(n * n), math.exp(eps)), A_eq=rows, b_eq=np.ones(n))
    return 1 + found.fun


@pytest.mark.parametrize("eps", [0.0, 0.1, 0.5, math.log(2), 1.0, math.log(3), 1.5, 2.0])
@pytest.mark.parametrize("p_x", [[0.05, 0.15, 0.3, 0.5], [0.25, 0.25, 0.25, 0.25], [0.7, 0.1, 0.1, 0.1], [0.4, 0.6]])
def test_nothing_distorts_less(p_x, eps):
    p_x = np.array(p_x)
    channel = ll.mechanisms.hamming(ll.Joint(np.diag(p_x)), MaximalLeakage(eps))
    right = sum(p_x[x] * channel.kernel[x, y] for y, x in enumerate(channel.outputs))
    assert 1 - right == pytest.approx(least_distortion(p_x, eps), abs=1e-9)
    assert MaximalLeakage(eps).is_satisfied(ll.Joint(np.diag(p_x)), channel)


def test_by_hand():
    joint = ll.Joint(np.diag([0.1, 0.4, 0.2, 0.3]))
    channel = ll.mechanisms.hamming(joint, MaximalLeakage(math.log(2.5)))
    assert channel.outputs == (1, 2, 3)
    assert channel.kernel.tolist() == [[1, 0, 0], [1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]]
    assert channel.certificate.route == "P(Y != X) = 0.2, the least"


def test_any_secret_is_safe(named_joints):
    for name, joint in named_joints.items():
        for eps in (0.0, 0.3, 50.0, math.inf):
            channel, notion = ll.mechanisms.hamming(joint, MaximalLeakage(eps)), MaximalLeakage(eps)
            assert notion.is_satisfied(joint, channel), name
            assert notion.is_satisfied(ll.Joint(np.diag(joint.p_x)), channel), name
            if eps > 40:
                assert channel.kernel.tolist() == np.eye(joint.n_public).tolist()
            if eps == 0:
                assert channel.n_outputs == 1
