"""Claims about costs in Lemma 1 and Propositions 1 and 2 of I21."""

from __future__ import annotations

import numpy as np

from liftbook.claims.samples import Size, drawn, on_each
from liftbook.figures.i21 import EXAMPLE_1 as EXAMPLE
from liftbook.figures.i21 import distance, least_cost
from liftlib.channel import Channel
from liftlib.datasets import dirichlet_joint
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information
from liftlib.reduction.linear import linear_reduction
from liftlib.reduction.transport import markov_reduction, secret_aware_reduction


@on_each(drawn, 100, 4, 6)
def lemma_1_meets_equation_3(joint: Joint) -> bool:
    reached = joint.x_given_s @ linear_reduction.at(joint, 0.6).kernel
    return np.allclose(reached, 0.4 * joint.x_given_s + 0.6 * joint.p_x, atol=1e-12)


def lemma_1_is_the_only_markov_solution(where: str, size: Size = (20, 6, 4)) -> bool:
    """Return whether eq. (7) is the cheapest Markov kernel that satisfies eq. (3).

    At share 1/2, on "full rank" (20 random joints 6 x 4 of rank 4, as in footnote 11)
    or "every" (Example 1, of rank 2).
    """
    joints = drawn(*size, 0) if where == "full rank" else (EXAMPLE,)
    for joint in joints:
        cheapest = markov_reduction.at(joint, 0.5)
        if not np.allclose(
            joint.x_given_s @ cheapest.kernel,
            (joint.x_given_s + joint.p_x) / 2,
            atol=1e-8,
        ):
            return False
        if not np.allclose(
            cheapest.kernel, linear_reduction.at(joint, 0.5).kernel, atol=1e-5
        ):
            return False
    return True


@on_each(drawn, 100, 4, 6)
def lemma_1_has_the_printed_costs(joint: Joint) -> bool:
    xy, far = linear_reduction.at(joint, 0.3).joint_xy(joint), distance(6)
    moved = np.isclose(1 - np.trace(xy), 0.3 * (1 - (joint.p_x**2).sum()))
    return bool(
        moved and np.isclose((xy * far).sum(), 0.3 * joint.p_x @ far @ joint.p_x)
    )


@on_each(drawn, 20, 3, 4)
def maximal_utility_falls(joint: Joint, *, rng: np.random.Generator) -> bool:
    """Return whether problem (10)'s least cost is convex and increasing in share.

    The distortion is 0 on the diagonal, so the least cost is 0 at share 0. Mixing a
    kernel with the identity gives a smaller share at a proportionally smaller cost, so
    the cost increases strictly.
    """
    cost = rng.random((4, 4)) * (1 - np.eye(4))
    costs = [least_cost(joint, share, cost) for share in np.linspace(0, 1, 11)]
    rises = np.diff(costs)
    return bool(rises.min() > 0 and np.diff(rises).min() >= -1e-9)


@on_each(drawn, 20, 4, 6)
def proposition_1_is_optimal(joint: Joint) -> bool:
    moves = 1 - np.eye(6)
    moved = (secret_aware_reduction.at(joint, 0.5).joint_xy(joint) * moves).sum()
    return bool(abs(moved - least_cost(joint, 0.5, moves)) < 1e-9)


def proposition_1_leaves_a_choice(seed: int, size: Size = (100, 4, 3)) -> bool:
    """Whether (11d) and (11e) have several solutions on any of 100 joints 4 x 3.

    Moving masses from m symbols to n others has a unique solution only if m or n is 1.
    """
    return any(
        min((joint.p_x > source).sum(), (joint.p_x < source).sum()) > 1
        for joint in drawn(*size, seed)
        for source in joint.x_given_s
    )


def example_leaves_a_choice() -> bool:
    """Whether each secret of Example 1 leaves (11d) and (11e) more than one
    solution.
    """
    raised = EXAMPLE.p_x > EXAMPLE.x_given_s
    return bool(
        (raised.sum(axis=1) > 1).all()
        and ((EXAMPLE.p_x < EXAMPLE.x_given_s).sum(axis=1) > 1).all()
    )


@on_each(drawn, 20, 4, 6)
def aware_is_better_on_random_joints(joint: Joint) -> bool:
    for cost, distortion in ((1 - np.eye(6), None), (distance(6), distance(6))):
        pair = (
            linear_reduction.at(joint, 0.5),
            secret_aware_reduction.at(joint, 0.5, distortion=distortion),
        )
        printed, aware = (
            float((channel.joint_xy(joint) * cost).sum()) for channel in pair
        )
        if aware > printed + 1e-12:
            return False
    return True


def information_is_convex_in_the_kernel(seed: int, size: Size = (100, 3, 4)) -> bool:
    rng = np.random.default_rng(seed)
    n, n_secret, n_public = size
    for _ in range(n):
        joint = dirichlet_joint(n_secret, n_public, 0.5, rng)
        first, second = rng.dirichlet(np.ones(4), size=(2, 3, 4))
        ends = [
            mutual_information(Channel(kernel).joint_xy(joint))
            for kernel in (first, second)
        ]
        if (
            mutual_information(Channel((first + second) / 2).joint_xy(joint))
            > np.mean(ends) + 1e-12
        ):
            return False
    return True
