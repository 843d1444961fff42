"""Descents on the funnel's Lagrangian."""

import math

import numpy as np
import pytest
from messages import raised

import liftlib as ll
from liftbook.relatives import AverageLeakage
from liftbook.relatives.average import averaged
from liftbook.relatives.descent import descend
from liftlib.errors import InvalidParameter

ZEROS = ll.Joint.from_counts([[4, 0, 1, 2], [1, 3, 0, 2], [0, 1, 5, 1]])
JOINTS = {
    "random": ll.datasets.uniform_joint(3, 5, 2),
    "zeros": ZEROS,
    "S = X": ll.Joint(np.diag([0.1, 0.2, 0.7])),
    "one secret": ll.Joint([[0.2, 0.8]]),
}


def starts(joint, number, outputs, seed=0):
    return np.random.default_rng(seed).dirichlet(
        np.ones(outputs), size=(number, joint.n_public)
    )


def lagrangian(joint, kernels, shares):
    """I(S;Y) - share I(X;Y) of each kernel."""
    found = [ll.evaluate(joint, ll.Channel(kernel)) for kernel in kernels]
    return np.array(
        [
            one.secret_information - t * one.mutual_information
            for one, t in zip(found, shares, strict=True)
        ]
    )


@pytest.mark.parametrize("name", JOINTS)
def test_no_step_raises_it(name):
    joint = JOINTS[name]
    shares = np.array([0.0, 0.02, 0.1, 0.3, 0.7, 1.0])
    kernels = starts(joint, len(shares), 5, seed=1)
    before = lagrangian(joint, kernels, shares)
    for _ in range(60):
        kernels = descend(joint, kernels, shares, steps=1)
        now = lagrangian(joint, kernels, shares)
        assert (now <= before + 1e-12).all()
        before = now


def test_a_step_by_loops():
    joint, share = JOINTS["random"], 0.3
    kernel = starts(joint, 1, 3)[0]
    p_y = joint.p_x @ kernel
    wanted = np.zeros_like(kernel)
    for x in range(5):
        for y in range(3):
            told = sum(
                joint.s_given_x[s, x]
                * math.log(
                    sum(joint.p[s, z] * kernel[z, y] for z in range(5)) / joint.p_s[s]
                )
                for s in range(3)
            )
            tangent = math.log(p_y[y]) + share * math.log(kernel[x, y] / p_y[y])
            wanted[x, y] = kernel[x, y] * math.exp(tangent - told)
    wanted /= wanted.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(
        descend(joint, kernel[None], np.array([share]), steps=1)[0], wanted, atol=1e-12
    )


def test_where_it_ends_nothing_nearby_is_lower():
    joint, shares = JOINTS["random"], np.full(6, 0.15)
    ended = descend(joint, starts(joint, 6, 4), shares, steps=50000)
    at, rng = lagrangian(joint, ended, shares), np.random.default_rng(5)
    for _ in range(200):
        other = rng.dirichlet(np.ones(4), size=(6, 5))
        # only among the outputs that a symbol has: elsewhere the slope of the entropy
        # is infinite, and upwards
        other = np.where(ended > 1e-9, other, 0.0)
        other /= other.sum(axis=2, keepdims=True)
        step = 1e-5
        moved = lagrangian(joint, (1 - step) * ended + step * other, shares)
        assert (moved - at > -1e-8 * 10).all()


@pytest.mark.parametrize("share", [0.02, 0.2, 0.6])
def test_binary_x_against_a_grid_of_rows(share):
    joint = ll.Joint([[0.1, 0.3], [0.25, 0.05], [0.1, 0.2]])
    budget = share * ll.measures.mutual_information(joint.p)
    first = np.linspace(0, 1, 4001)
    rows = np.vstack([joint.p_x, np.column_stack([first, 1 - first])])
    optimum = (
        ll.measures.entropy(joint.p_x)
        - averaged(joint, rows, budget).mixture.solution.objective
    )
    channel = ll.mechanisms.funnel_descent(joint, AverageLeakage(budget))
    assert channel.certificate.value == pytest.approx(optimum, abs=1e-5)


def test_three_symbols_against_a_grid_of_rows():
    joint = ll.Joint([[0.15, 0.05, 0.2], [0.05, 0.3, 0.25]])
    budget = 0.3 * ll.measures.mutual_information(joint.p)
    a, b = np.meshgrid(np.arange(121), np.arange(121))
    inside = a + b <= 120
    grid = np.column_stack([a[inside], b[inside], 120 - a[inside] - b[inside]]) / 120
    optimum = (
        ll.measures.entropy(joint.p_x)
        - averaged(
            joint, np.vstack([joint.p_x, grid]), budget
        ).mixture.solution.objective
    )
    value = ll.mechanisms.funnel_descent(
        joint, AverageLeakage(budget)
    ).certificate.value
    assert optimum - 1e-6 <= value <= optimum + 2e-3


@pytest.mark.parametrize("seed", range(4))
def test_no_less_than_telling_x_at_times(seed):
    joint = ll.datasets.uniform_joint(3, 6, seed)
    channel = ll.mechanisms.funnel_descent(
        joint, AverageLeakage(0.3 * ll.measures.mutual_information(joint.p))
    )
    assert channel.certificate.value >= 0.3 * ll.measures.entropy(joint.p_x) - 1e-9
    assert channel.certificate.value <= channel.certificate.upper < math.inf
    same = ll.mechanisms.funnel_descent(
        joint, AverageLeakage(0.3 * ll.measures.mutual_information(joint.p))
    )
    np.testing.assert_array_equal(same.kernel, channel.kernel)


def test_refusals():
    joint = ll.Joint(np.full((2, 3), 1 / 6))
    with raised(InvalidParameter):
        ll.mechanisms.funnel_descent(joint, AverageLeakage(0.1), starts=0)
