"""Claims about Example 1 of I21 and its Figs 2-4."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from liftbook.claims.curves import MEAN_TOL, Figure, figure, never_below
from liftbook.figures.i21 import AWARE, PRINTED, distance
from liftbook.figures.i21 import EXAMPLE_1 as EXAMPLE
from liftbook.rows.making import I21_SHARES
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import entropy
from liftlib.measures.lifts import lift
from liftlib.reduction.linear import linear_reduction
from liftlib.reduction.transport import secret_aware_reduction


def _printed_solution() -> Channel:
    """Return the optimal kernel at share 1/2 with the published entries for S = 1."""
    kernel = secret_aware_reduction.at(EXAMPLE, 0.5).kernel.copy()
    kernel[0, 2, :2], kernel[0, 3, :2] = (0.21, 0.07), (0.0, 0.175)
    return Channel(kernel)


def _moved(channel: Channel) -> float:
    return float(1 - np.trace(channel.joint_xy(EXAMPLE)))


def example_probability(symbol: str) -> float:
    return float(EXAMPLE.p_x[EXAMPLE.public.index(symbol)])


def example_stays(symbol: str) -> float:
    x = EXAMPLE.public.index(symbol)
    return float(secret_aware_reduction.at(EXAMPLE, 0.5).kernel[0, x, x])


def example_moves_meet_equation_11() -> bool:
    kernel = _printed_solution().kernel[0]
    reached = EXAMPLE.x_given_s[0] @ kernel
    wanted = 0.5 * EXAMPLE.x_given_s[0] + 0.5 * EXAMPLE.p_x
    return bool(
        np.allclose(reached, wanted, atol=1e-12) and np.allclose(kernel.sum(axis=1), 1)
    )


def example_information(which: str) -> float:
    """Return I(X;Y) of the "Markov" or published "aware" solution; "Markov, bits"."""
    solution, unit = which.split(", ")
    channel = (
        linear_reduction.at(EXAMPLE, 0.5)
        if solution == "Markov"
        else _printed_solution()
    )
    return evaluate(EXAMPLE, channel).mutual_information / (
        1.0 if unit == "nats" else np.log(2)
    )


def example_distance(which: str) -> float:
    """Return D_TV of a solution, by definition or Appendix B; "Markov, definition"."""
    solution, formula = which.split(", ")
    channel = (
        linear_reduction.at(EXAMPLE, 0.5)
        if solution == "Markov"
        else secret_aware_reduction.at(EXAMPLE, 0.5)
    )
    return _moved(channel) if formula == "definition" else _appendix_b(channel)


def _appendix_b(channel: Channel) -> float:
    """Return Appendix B's sum of P(x) |P(y|x) - 1{x = y}| over x and y."""
    joint_xy = channel.joint_xy(EXAMPLE)
    kernel = joint_xy / joint_xy.sum(axis=1, keepdims=True)
    return float((EXAMPLE.p_x[:, None] * np.abs(kernel - np.eye(4))).sum())


def ratio_of_distances() -> float:
    """Return the ratio of D_TV of the non-Markov to the Markov solution.

    The ratio does not depend on constant factors in the definition of D_TV.
    """
    return example_distance("aware, definition") / example_distance(
        "Markov, definition"
    )


def ratio_of_printed_distances() -> float:
    return 0.23 / 0.68


def appendix_b_sum(factor: str) -> bool:
    """Whether a factor times Appendix B's double sum is P(Y != X), Example 1, share
    1/2.
    """
    channel = linear_reduction.at(EXAMPLE, 0.5)
    return abs(float(factor) * _appendix_b(channel) - _moved(channel)) < 1e-9


def example_other_entries_are_zero() -> bool:
    """Whether mass moves only from P(x) <= P(x|s) to P(x) > P(x|s), at share 1/2."""
    for s, kernel in enumerate(secret_aware_reduction.at(EXAMPLE, 0.5).kernel):
        takes = EXAMPLE.p_x > EXAMPLE.x_given_s[s]
        off = kernel - np.diag(np.diag(kernel))
        if off[:, ~takes].any() or off[takes].any():
            return False
    return True


def aware_is_better() -> bool:
    return all(
        _moved(secret_aware_reduction.at(EXAMPLE, share))
        <= _moved(linear_reduction.at(EXAMPLE, share)) + 1e-12
        for share in np.linspace(0, 1, 21)
    )


def marginal_is_kept() -> bool:
    released = (
        linear_reduction.at(EXAMPLE, 0.5),
        secret_aware_reduction.at(EXAMPLE, 0.5),
    )
    return all(
        bool(np.allclose(channel.joint_xy(EXAMPLE).sum(axis=0), EXAMPLE.p_x))
        for channel in released
    )


def approximation_6_gap() -> float:
    """Return the largest error of approximation (6) on Example 1 over 101 shares.

    The error compares the largest |log-lift| after reduction with (1 - share) times the
    largest one before.
    """
    before = float(np.abs(np.log(lift(EXAMPLE))).max())
    gaps = []
    for share in np.linspace(0, 1, 101):
        after = float(
            np.abs(
                np.log(lift(linear_reduction.at(EXAMPLE, share).release(EXAMPLE)))
            ).max()
        )
        gaps.append(abs(after - (1 - share) * before))
    return float(max(gaps))


ON_THREE_POINTS = Joint(np.array([[0.3, 0.15, 0.05], [0.05, 0.15, 0.3]]))


def proposition_2_for_any_distortion(joint: Joint = ON_THREE_POINTS) -> bool:
    """Whether leaving common mass in place minimises squared distance, on one joint."""
    points = np.arange(3.0)
    squared = np.subtract.outer(points, points) ** 2
    in_place = secret_aware_reduction.at(
        joint, 0.5, distortion=np.abs(np.subtract.outer(points, points))
    )
    cheapest = secret_aware_reduction.at(joint, 0.5, distortion=squared)
    costs = [
        float((channel.joint_xy(joint) * squared).sum())
        for channel in (in_place, cheapest)
    ]
    return bool(costs[0] <= costs[1] + 1e-9)


def example_sets() -> bool:
    raised = EXAMPLE.p_x >= EXAMPLE.x_given_s[0]
    return [x for x, up in zip(EXAMPLE.public, raised, strict=True) if up] == ["a", "b"]


def aware_outperforms_in_fig_3_by(
    distances: str, shares: Sequence[float] = I21_SHARES
) -> bool:
    """Whether the non-Markov solution has no larger expected distance, by |x - y| or
    its square.

    "moved" counts every move as 1.
    """
    power = {"moved": 0.0, "|x - y|": 1.0, "(x - y)^2": 2.0}[distances]
    rows = Figure("i21_3", shares, distortion=distance(EXAMPLE.n_public, power)).of(
        "expected_distance"
    )
    printed, aware = (
        rows[rows["series"] == series].set_index("reduction")["mean"]
        for series in (PRINTED, AWARE)
    )
    return never_below(printed, aware, MEAN_TOL)


def permuted_symbols_keep_the_order() -> bool:
    """Whether a permutation of symbols, which loses no information, has D_TV 0."""
    swap = Channel(np.eye(4)[[1, 0, 3, 2]])
    lossless = (
        abs(evaluate(EXAMPLE, swap).mutual_information - entropy(EXAMPLE.p_x)) < 1e-12
    )
    return lossless and _moved(swap) < 1e-12


FIGURE_4 = figure("i21_4", joint=EXAMPLE)


def distance_reverses_the_order_of_information() -> float:
    """Return the share of pairs of Fig. 4's 100 points that both losses order alike."""
    losses = FIGURE_4.rows.pivot_table(
        index="reduction", columns=["series", "measure"], values="mean"
    )
    points = [
        point for series in (PRINTED, AWARE) for point in losses[series].to_numpy()
    ]
    agree = [(a[0] - b[0]) * (a[1] - b[1]) > 0 for a, b in combinations(points, 2)]
    return float(np.mean(agree))
