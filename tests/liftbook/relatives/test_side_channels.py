"""The bounds on SRLIP that take no search, below which the optimum lies."""

import itertools

import numpy as np
import pytest
from messages import raised, warned
from tolerated import ROOM

import liftlib as ll
from liftbook.claims.samples import utility
from liftbook.relatives.srlip_bounds import srlip_upper_bounds
from liftlib.errors import InvalidParameter, LiftWarning, UnsupportedNotion


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (2, 2, 2)])
@pytest.mark.parametrize("eps", [0.3, 1.0, 2.0])
def test_optimum_lies_below_the_bounds(shape, eps):
    for seed in range(2):
        joint = ll.datasets.uniform_joint(
            2, int(np.prod(shape)), np.random.default_rng(seed)
        )
        notion = ll.SRLIP(eps, shape)
        optimum = utility(joint, ll.mechanisms.optimal(joint, notion))
        bounds = srlip_upper_bounds(joint, notion)
        assert all(bound >= optimum - 1e-9 for bound in bounds.values())
        assert bounds[()] == pytest.approx(
            utility(joint, ll.mechanisms.optimal(joint, ll.LIP(eps))), abs=ROOM
        )


def test_bounds_by_the_chain_rule():
    """For one attribute known: H of it, plus the LIP optimum given each of
    its values.
    """
    joint = ll.datasets.uniform_joint(2, 6, np.random.default_rng(7))
    bounds = srlip_upper_bounds(joint, ll.SRLIP(0.4, (2, 3)))
    assert list(bounds) == [(), (0,), (1,)]
    for known, cells in (
        ((0,), [[0, 1, 2], [3, 4, 5]]),
        ((1,), [[0, 3], [1, 4], [2, 5]]),
    ):
        expected = ll.measures.entropy(
            np.array([joint.p_x[cell].sum() for cell in cells])
        )
        for cell in cells:
            given = ll.Joint.from_counts(joint.p[:, cell])
            expected += joint.p_x[cell].sum() * utility(
                given, ll.mechanisms.optimal(given, ll.LIP(0.4))
            )
        assert bounds[known] == pytest.approx(expected, abs=ROOM)


def test_every_bound_holds_for_any_protocol():
    """Random kernels, mixed with a constant release until SRLIP is kept."""
    rng = np.random.default_rng(0)
    joint = ll.datasets.dirichlet_joint(3, 8, 0.5, rng)
    for eps in (0.2, 1.0):
        bounds = srlip_upper_bounds(joint, ll.SRLIP(eps, (2, 2, 2)))
        assert set(bounds) == {
            known for k in range(3) for known in itertools.combinations(range(3), k)
        }
        for _ in range(10):
            kernel = rng.dirichlet(np.full(8, 0.3), size=8)
            shares = np.linspace(0, 1, 60)
            channels = (
                ll.Channel((1 - t) * kernel + t * (joint.p_x @ kernel)) for t in shares
            )
            channel = next(
                c for c in channels if ll.SRLIP(eps, (2, 2, 2)).is_satisfied(joint, c)
            )
            assert utility(joint, channel) <= min(bounds.values()) + 1e-9


def test_side_information_that_rules_out_secrets():
    joint = ll.Joint.from_counts([[4, 0, 3, 1], [0, 2, 3, 1]])
    notion = ll.SRLIP(0.1, (2, 2))
    bounds = srlip_upper_bounds(joint, notion)
    assert (
        min(bounds.values())
        >= utility(joint, ll.mechanisms.optimal(joint, notion)) - 1e-9
    )


def test_large_alphabet():
    """36 symbols: far above Theorem 4's product, below the bounds."""
    joint = ll.datasets.uniform_joint(2, 36, np.random.default_rng(0))
    notion = ll.SRLIP(1.0, (3, 3, 4))
    with warned(LiftWarning):
        channel = ll.mechanisms.optimal(joint, notion, work=200)
    assert notion.is_satisfied(joint, channel)
    found = utility(joint, channel)
    assert found > 2 * utility(joint, ll.mechanisms.product(joint, notion))
    assert found <= min(srlip_upper_bounds(joint, notion).values())


def test_refusals():
    joint = ll.datasets.uniform_joint(2, 4, np.random.default_rng(0))
    with raised(InvalidParameter):
        srlip_upper_bounds(joint, ll.SRLIP(0.1, (2, 3)))
    with raised(UnsupportedNotion):
        srlip_upper_bounds(joint, ll.LIP(0.1))
