"""What I21 prints: eqs. (3)-(7), Example 1, Propositions 1 and 2, Figs 1-4 and the appendices."""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from liftbook import figures
from liftbook.figures.i21.reduction import AWARE, EXAMPLE_1, PRINTED, distance
from liftlib.channel import Channel
from liftlib.datasets import dirichlet_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import arimoto, entropy, mutual_information
from liftlib.measures.lifts import lift
from liftlib.mechanisms.reduction.linear import linear_reduction
from liftlib.mechanisms.reduction.transport import markov_reduction, secret_aware_reduction
from liftlib.numerics import Matrix

EXAMPLE = EXAMPLE_1
"""I21 Example 1: P_S and P(x|s) as printed."""


def _joints(n_secret: int = 4, n_public: int = 6, n: int = 100) -> list[Joint]:
    return [Joint(p) for p in uniform_joints(n, n_secret, n_public, np.random.default_rng(0))]


# Example 1 ------------------------------------------------------------------------------------------------------


def _printed_solution() -> Channel:
    """Return the optimal kernel at alpha 1/2 with the entries that Example 1 prints for S = 1."""
    kernel = secret_aware_reduction(EXAMPLE, 0.5).kernel.copy()
    kernel[0, 2, :2], kernel[0, 3, :2] = (0.21, 0.07), (0.0, 0.175)
    return Channel(kernel)


def _moved(channel: Channel) -> float:
    return float(1 - np.trace(channel.joint_xy(EXAMPLE)))


def example_p_a() -> float:
    return float(EXAMPLE.p_x[0])


def example_p_b() -> float:
    return float(EXAMPLE.p_x[1])


def example_p_c() -> float:
    return float(EXAMPLE.p_x[2])


def example_p_d() -> float:
    return float(EXAMPLE.p_x[3])


def example_stay_c() -> float:
    return float(secret_aware_reduction(EXAMPLE, 0.5).kernel[0, 2, 2])


def example_stay_d() -> float:
    return float(secret_aware_reduction(EXAMPLE, 0.5).kernel[0, 3, 3])


def example_moves_meet_equation_11() -> bool:
    kernel = _printed_solution().kernel[0]
    reached = EXAMPLE.x_given_s[0] @ kernel
    wanted = 0.5 * EXAMPLE.x_given_s[0] + 0.5 * EXAMPLE.p_x
    return bool(np.allclose(reached, wanted, atol=1e-12) and np.allclose(kernel.sum(axis=1), 1))


def example_information_aware() -> float:
    return evaluate(EXAMPLE, _printed_solution()).mutual_information


def example_information_markov() -> float:
    return evaluate(EXAMPLE, linear_reduction(EXAMPLE, 0.5)).mutual_information


def example_distance_aware() -> float:
    return _moved(secret_aware_reduction(EXAMPLE, 0.5))


def example_distance_markov() -> float:
    return _moved(linear_reduction(EXAMPLE, 0.5))


def aware_is_better() -> bool:
    return all(
        _moved(secret_aware_reduction(EXAMPLE, alpha)) <= _moved(linear_reduction(EXAMPLE, alpha)) + 1e-12
        for alpha in np.linspace(0, 1, 21)
    )


def marginal_is_kept() -> bool:
    released = (linear_reduction(EXAMPLE, 0.5), secret_aware_reduction(EXAMPLE, 0.5))
    return all(bool(np.allclose(channel.joint_xy(EXAMPLE).sum(axis=0), EXAMPLE.p_x)) for channel in released)


def approximation_6_gap() -> float:
    """Return the largest gap between log-lift after reduction and (1 - alpha) times that before, over alpha."""
    before = float(np.abs(np.log(lift(EXAMPLE))).max())
    gaps = []
    for alpha in np.linspace(0, 1, 101):
        after = float(np.abs(np.log(lift(linear_reduction(EXAMPLE, alpha).release(EXAMPLE)))).max())
        gaps.append(abs(after - (1 - alpha) * before))
    return float(max(gaps))


def proposition_2_for_any_distortion() -> bool:
    """Whether leaving common mass in place is the cheapest for squared distances on three points."""
    joint = Joint(np.array([[0.3, 0.15, 0.05], [0.05, 0.15, 0.3]]))
    points = np.arange(3.0)
    squared = np.subtract.outer(points, points) ** 2
    in_place = secret_aware_reduction(joint, 0.5, distortion=np.abs(np.subtract.outer(points, points)))
    cheapest = secret_aware_reduction(joint, 0.5, distortion=squared)
    costs = [float((channel.joint_xy(joint) * squared).sum()) for channel in (in_place, cheapest)]
    return bool(costs[0] <= costs[1] + 1e-9)


def example_sets() -> bool:
    raised = EXAMPLE.p_x >= EXAMPLE.x_given_s[0]
    return [x for x, up in zip(EXAMPLE.public, raised, strict=True) if up] == ["a", "b"]


# Section II -----------------------------------------------------------------------------------------------------


def equation_5_is_exact() -> bool:
    for joint in _joints():
        out = linear_reduction(joint, 0.3).release(joint)
        same = np.allclose(out.p_x, joint.p_x, atol=1e-12)
        if not (same and np.allclose(lift(out) - 1, 0.7 * (lift(joint) - 1), atol=1e-12)):
            return False
    return True


def whole_reduction_is_perfect() -> bool:
    results = [evaluate(joint, linear_reduction(joint, 1.0)) for joint in [EXAMPLE, *_joints()]]
    return max(max(result.ldp, result.lip) for result in results) < 1e-12


def approximation_6a_gap() -> float:
    rows = figures.figure_i21_1(np.linspace(0, 1, 101))
    exact, scaled = (
        part["mean"].to_numpy() for _, part in rows[rows["measure"] == "ldp"].groupby("series", sort=False)
    )
    return float(np.abs(exact - scaled).max())


def approximation_6_where_printed_as_good() -> float:
    """Return eq. (6b)'s largest gap over alpha for lifts 0.01 and 1.99, so that |l - 1| is at most 1."""
    joint = Joint(np.array([[1.99, 0.01], [0.01, 1.99]]) / 4)
    rows = figures.figure_i21_1(np.linspace(0, 1, 101), joint=joint)
    exact, scaled = (
        part["mean"].to_numpy() for _, part in rows[rows["measure"] == "log_lift"].groupby("series", sort=False)
    )
    return float(np.abs(exact - scaled).max())


def appendix_d_last_line() -> float:
    before, after = (evaluate(EXAMPLE, linear_reduction(EXAMPLE, alpha)).ldp for alpha in (0.0, 0.5))
    return after / before


def arimoto_below_log_lift() -> bool:
    return all(
        arimoto(joint, alpha) <= alpha / (alpha - 1) * evaluate(joint, Channel.identity(6)).lip + 1e-12
        for joint in _joints()
        for alpha in (1.01, 1.5, 2, 10, 100)
    )


def arimoto_has_the_two_extremes() -> bool:
    for joint in _joints():
        guessing = float(np.log((joint.p_x * joint.s_given_x.max(axis=0)).sum() / joint.p_s.max()))
        if not np.allclose([arimoto(joint, 1), arimoto(joint, np.inf)], [mutual_information(joint.p), guessing]):
            return False
    return True


def variance_falls_by_the_square() -> bool:
    for joint in _joints():
        out = linear_reduction(joint, 0.4).release(joint)
        before, after = (joint.p_s @ (j.x_given_s - joint.p_x) ** 2 for j in (joint, out))
        if not np.allclose(after, 0.36 * before, atol=1e-12):
            return False
    return True


# Lemma 1 and Propositions 1 and 2 -------------------------------------------------------------------------------


def lemma_1_meets_equation_3() -> bool:
    return all(
        np.allclose(
            joint.x_given_s @ linear_reduction(joint, 0.6).kernel, 0.4 * joint.x_given_s + 0.6 * joint.p_x, atol=1e-12
        )
        for joint in _joints()
    )


def lemma_1_is_the_only_markov_solution() -> bool:
    """Whether the cheapest Markov kernel that meets eq. (3) on Example 1 at alpha 1/2 is that of eq. (7)."""
    cheapest = markov_reduction(EXAMPLE, 0.5)
    met = np.allclose(EXAMPLE.x_given_s @ cheapest.kernel, (EXAMPLE.x_given_s + EXAMPLE.p_x) / 2, atol=1e-9)
    return not met or bool(np.allclose(cheapest.kernel, linear_reduction(EXAMPLE, 0.5).kernel, atol=1e-6))


def lemma_1_has_the_printed_costs() -> bool:
    for joint in _joints():
        xy, far = linear_reduction(joint, 0.3).joint_xy(joint), distance(6)
        moved = np.isclose(1 - np.trace(xy), 0.3 * (1 - (joint.p_x**2).sum()))
        if not (moved and np.isclose((xy * far).sum(), 0.3 * joint.p_x @ far @ joint.p_x)):
            return False
    return True


def _least_by_programme(joint: Joint, alpha: float, cost: Matrix) -> float:
    """Return the optimum of problem (10) with a linear cost, over all kernels P(y|s,x)."""
    n, total = joint.n_public, 0.0
    rows = [np.repeat(np.eye(n)[x], n) for x in range(n)]
    for s, source in enumerate(joint.x_given_s):
        reach = [np.kron(source, np.eye(n)[y]) for y in range(n)]
        target = (1 - alpha) * source + alpha * joint.p_x
        found = linprog(np.kron(source, np.ones(n)) * cost.ravel(), A_eq=[*rows, *reach], b_eq=[*np.ones(n), *target])
        total += float(joint.p_s[s] * found.fun)
    return total


def proposition_1_is_optimal() -> bool:
    moves = 1 - np.eye(6)
    return all(
        abs((secret_aware_reduction(joint, 0.5).joint_xy(joint) * moves).sum() - _least_by_programme(joint, 0.5, moves))
        < 1e-9
        for joint in _joints(n=20)
    )


def proposition_1_leaves_a_choice() -> bool:
    """Whether some secret of some random joint with three symbols leaves (11d) and (11e) more than one solution.

    Masses to be moved between m symbols and n others have one solution exactly where m or n is 1.
    """
    return any(
        min((joint.p_x > source).sum(), (joint.p_x < source).sum()) > 1
        for joint in _joints(n_public=3)
        for source in joint.x_given_s
    )


def aware_is_better_on_random_joints() -> bool:
    far = distance(6)
    for joint in _joints(n=20):
        for cost, makes in ((1 - np.eye(6), None), (far, far)):
            pair = (linear_reduction(joint, 0.5), secret_aware_reduction(joint, 0.5, distortion=makes))
            printed, aware = (float((channel.joint_xy(joint) * cost).sum()) for channel in pair)
            if aware > printed + 1e-12:
                return False
    return True


def information_is_convex_in_the_kernel() -> bool:
    rng = np.random.default_rng(0)
    for _ in range(100):
        joint = dirichlet_joint(3, 4, 0.5, rng)
        first, second = rng.dirichlet(np.ones(4), size=(2, 3, 4))
        ends = [mutual_information(Channel(kernel).joint_xy(joint)) for kernel in (first, second)]
        if mutual_information(Channel((first + second) / 2).joint_xy(joint)) > np.mean(ends) + 1e-12:
            return False
    return True


# Figs 2-4 -------------------------------------------------------------------------------------------------------


@cache
def _losses() -> pd.DataFrame:
    """Return the two losses of Fig. 4, a row an alpha, a column a pair of series and measure."""
    rows = figures.figure_i21_4()
    return rows.pivot_table(index="reduction", columns=["series", "measure"], values="mean")


def aware_outperforms_in_fig_2() -> bool:
    losses = _losses()
    return all(
        bool((losses[AWARE, measure] <= losses[PRINTED, measure]).all()) for measure in ("moved", "information_loss")
    )


def aware_outperforms_in_fig_3() -> bool:
    found = figures.figure_i21_3().pivot_table(index="reduction", columns="series", values="mean")
    return bool((found[AWARE] <= found[PRINTED]).all())


def losses_increase_with_alpha() -> bool:
    losses = _losses()
    return all(
        later > earlier
        for series in (PRINTED, AWARE)
        for measure in ("moved", "information_loss")
        for earlier, later in pairwise(losses[series, measure])
    )


def distance_reverses_the_order_of_information() -> float:
    """Return the share of pairs of Fig. 4's 100 points whose order by H(X) - I is that by D_TV."""
    losses = _losses()
    points = [point for series in (PRINTED, AWARE) for point in losses[series].to_numpy()]
    agree = [(a[0] - b[0]) * (a[1] - b[1]) > 0 for a, b in combinations(points, 2)]
    return float(np.mean(agree))


def permuted_symbols_keep_the_order() -> bool:
    """Whether a permutation, which loses no information, also has the least D_TV (Example 1)."""
    swap = Channel(np.eye(4)[[1, 0, 3, 2]])
    kept = abs(evaluate(EXAMPLE, swap).mutual_information - entropy(EXAMPLE.p_x)) < 1e-12
    return kept and _moved(swap) < 1e-12
