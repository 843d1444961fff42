"""The vertices of S20 Theorem 2's polytope against a generic enumeration."""

import itertools
import math

import numpy as np
import pytest
from messages import raised
from tolerated import ROOM

import liftlib as ll
from liftbook.claims.samples import utility
from liftbook.relatives.product_polytope import (
    kernel_vertices,
    kernels_by_faces,
    kernels_of,
    product_polytope_response,
)
from liftlib.errors import InvalidDistribution, InvalidParameter, UnsupportedNotion
from liftlib.measures.information import mutual_information_of

TIES = ll.Joint.from_counts([[6, 1, 2], [2, 6, 1], [1, 2, 6]])
ZEROS = ll.Joint.from_counts([[4, 0, 3], [0, 2, 3]])
DUPLICATES = ll.Joint.from_counts([[2, 2, 1], [1, 1, 5]])
FUNCTION = ll.Joint.from_counts([[3, 0, 4], [0, 2, 0]])
ONE_SECRET = ll.Joint([[0.2, 0.3, 0.5]])


def cone_of_notion(joint, notion):
    return notion.halfspaces(joint) * joint.p_x


def all_orders(found):
    """Return every vertex as a set of rounded tuples, in each order of outputs."""
    assert (found.kernels >= 0).all()
    every = set()
    for kernel, copies in zip(found.kernels, found.copies, strict=True):
        orders = {
            tuple(np.round(kernel[:, list(order)], 7).ravel() + 0.0)
            for order in itertools.permutations(range(kernel.shape[0]))
        }
        assert len(orders) == copies
        every |= orders
    return every


def generic(cone):
    return {
        tuple(np.round(kernel, 7).ravel() + 0.0) for kernel in kernel_vertices(cone)
    }


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("eps", [0.3, 1.0, 3.0])
def test_the_same_vertices_as_a_generic_enumeration(n, eps):
    joint = ll.datasets.uniform_joint(2, n, np.random.default_rng(n))
    for notion in (ll.LDP(eps), ll.LIP(eps)):
        cone = cone_of_notion(joint, notion)
        assert all_orders(kernels_by_faces(cone)) == generic(cone)


@pytest.mark.parametrize(
    "joint", [TIES, ZEROS, DUPLICATES, FUNCTION, ONE_SECRET], ids=str
)
@pytest.mark.parametrize("eps", [0.4, 1.3])
def test_degenerate_joints(joint, eps):
    cone = cone_of_notion(joint, ll.LDP(eps))
    assert all_orders(kernels_by_faces(cone)) == generic(cone)


@pytest.mark.parametrize("joint", [TIES, ZEROS, DUPLICATES, FUNCTION], ids=str)
def test_no_budget(joint):
    found = kernels_by_faces(cone_of_notion(joint, ll.LDP(0.0))).kernels
    best = mutual_information_of(joint.p_x[:, None] * found).max()
    optimum = ll.evaluate(
        joint, ll.mechanisms.optimal(joint, ll.LDP(0.0))
    ).mutual_information
    assert best == pytest.approx(optimum, abs=1e-9)


def test_without_constraints_vertices_are_functions():
    for n, partitions in ((2, [1, 1]), (3, [1, 3, 1]), (4, [1, 7, 6, 1])):
        found = kernels_by_faces(np.empty((0, n)))
        assert set(np.unique(found.kernels.round(9))) <= {0.0, 1.0}
        expected = [
            math.perm(n, k)
            for k, blocks in enumerate(partitions, 1)
            for _ in range(blocks)
        ]
        assert sorted(found.copies) == sorted(expected)
        assert found.copies.sum() == n**n


def test_side_channels_of_one_attribute():
    joint = ll.datasets.uniform_joint(2, 12, np.random.default_rng(1))
    for j, n in enumerate((2, 2, 3)):
        halfspaces, own = ll.SRLIP(1.2, (2, 2, 3)).attribute_halfspaces(joint, j, 0.4)
        cone = halfspaces * own
        found = kernels_by_faces(cone)
        assert all_orders(found) == generic(cone)
        factor = ll.mechanisms.product(
            joint, ll.SRLIP(1.2, (2, 2, 3)), repair=False
        ).certificate.factors[j]
        best = mutual_information_of(own[:, None] * found.kernels).max()
        assert best == pytest.approx(
            float(mutual_information_of(own[:, None] * factor.kernel)), abs=1e-9
        )
        assert found.kernels.shape[1:] == (n, n)


def test_five_symbols_agree_with_the_rows():
    joint = ll.datasets.uniform_joint(2, 5, np.random.default_rng(0))
    for eps in (0.5, 2.0):
        found = kernels_by_faces(cone_of_notion(joint, ll.LDP(eps)))
        np.testing.assert_allclose(found.kernels.sum(axis=2), 1, atol=1e-9)
        best = found.kernels[
            mutual_information_of(joint.p_x[:, None] * found.kernels).argmax()
        ]
        assert ll.LDP(eps).is_satisfied(joint, ll.Channel(best))
        optimum = ll.evaluate(
            joint, ll.mechanisms.optimal(joint, ll.LDP(eps))
        ).mutual_information
        assert ll.measures.mutual_information(
            joint.p_x[:, None] * best
        ) == pytest.approx(optimum, abs=1e-9)


def test_kernels_of_is_the_generic_route():
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(3))
    assert (
        len(kernels_of(joint, ll.LDP(0.7)))
        == kernels_by_faces(cone_of_notion(joint, ll.LDP(0.7))).copies.sum()
    )


def test_refusals():
    with raised(InvalidParameter):
        kernels_by_faces(np.ones((1, 7)))
    with raised(InvalidDistribution):
        kernels_by_faces([[np.nan]])
    with raised(InvalidDistribution):
        kernels_by_faces(np.array([[np.nan, 1.0]]))
    with raised(InvalidParameter):
        kernels_by_faces(np.empty((3, 0)))


def test_where_no_column_but_0_is_allowed_there_is_no_kernel():
    for cone in (np.array([[-1.0, -1.0]]), -np.eye(3)):
        n = cone.shape[1]
        found = kernels_by_faces(cone)
        assert (found.kernels.shape, found.copies.shape) == ((0, n, n), (0,))
        assert len(kernel_vertices(cone)) == 0


def test_rows_of_any_size_and_rows_of_nothing():
    """A constraint may be scaled, and one of zeros says nothing."""
    cone = cone_of_notion(TIES, ll.LDP(0.7))
    expected = all_orders(kernels_by_faces(cone))
    for size in (1e-13, 1e-9, 1e9):
        assert all_orders(kernels_by_faces(cone * size)) == expected
    assert (
        all_orders(kernels_by_faces(np.concatenate([np.zeros((1, 3)), cone])))
        == expected
    )


def test_the_fewest_symbols_and_the_most():
    one = kernels_by_faces(np.empty((0, 1)))
    assert (one.kernels.tolist(), one.copies.tolist()) == ([[[1.0]]], [1])
    assert kernels_by_faces(np.empty((0, 6))).copies.sum() == 6**6


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("eps", [0.0, 0.5, 1.5, 4.0])
def test_cone_and_product_polytope_agree(n, eps):
    """S20 Theorem 2 needs n(n-1) dimensions for the optimum that n-1 give."""
    joint = ll.datasets.uniform_joint(2, n, np.random.default_rng(n))
    cone = ll.mechanisms.optimal(joint, ll.LDP(eps))
    product = product_polytope_response(joint, ll.LDP(eps))
    assert ll.LDP(eps).is_satisfied(joint, product)
    assert utility(joint, cone) == pytest.approx(utility(joint, product), abs=1e-9)


@pytest.mark.parametrize(
    "notion",
    [
        ll.LIP(0.4),
        ll.ALIP(0.5, 0.2),
        ll.PerfectPrivacy(),
        ll.L1Lift(np.inf, 0.2),
        ll.SRLIP(0.5, (2, 2)),
        ll.LIP(50.0),
    ],
    ids=str,
)
def test_product_polytope_serves_every_polyhedral_notion(notion):
    """The cone of a kernel's columns is that of the rows, each coordinate
    times P(x).
    """
    for joint in (
        ll.datasets.uniform_joint(3, 4, np.random.default_rng(4)),
        ll.Joint.from_counts([[4, 0, 3, 1], [0, 2, 3, 1]]),
    ):
        product = product_polytope_response(joint, notion)
        assert notion.is_satisfied(joint, product)
        cone = ll.mechanisms.optimal(joint, notion)
        assert utility(joint, product) == pytest.approx(utility(joint, cone), abs=1e-9)
        assert product.certificate.value == pytest.approx(
            utility(joint, product), abs=1e-12
        )
        assert product.certificate.gap < 100 * ROOM


def test_product_polytope_leaves_dust_out():
    joint = ll.Joint.from_counts([[4, 1, 3, 1e-12], [1, 2, 3, 2e-12]])
    product = product_polytope_response(joint, ll.LIP(0.3))
    assert ll.LIP(0.3).is_satisfied(joint, product)
    assert product.certificate.upper == np.inf
    assert utility(joint, product) == pytest.approx(
        utility(joint, ll.mechanisms.optimal(joint, ll.LIP(0.3))), abs=1e-9
    )


def test_product_polytope_is_for_few_symbols():
    joint = ll.datasets.uniform_joint(2, 6, np.random.default_rng(0))
    with raised(InvalidParameter):
        product_polytope_response(joint, ll.LDP(1.0))
    with raised(UnsupportedNotion):
        product_polytope_response(ll.Joint([[0.5, 0.5]]), ll.Chi2Lift(1.0, 1.0))
    five = ll.datasets.uniform_joint(2, 5, np.random.default_rng(0))
    assert ll.LDP(3.0).is_satisfied(five, product_polytope_response(five, ll.LDP(3.0)))
