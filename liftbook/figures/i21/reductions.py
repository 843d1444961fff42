"""I21's Example 1, its linear reductions, and their costs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import linprog

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.reduction.linear import linear_reduction
from liftlib.reduction.transport import markov_reduction, secret_aware_reduction
from mixproof.numerics import Matrix

EXAMPLE_1 = Joint(
    np.array([[0.3], [0.7]]) * np.array([[0.2, 0.1, 0.5, 0.2], [0.5, 0.3, 0.1, 0.1]]), [1, 2], ["a", "b", "c", "d"]
)
"""I21 Example 1: P_S and P(x|s) as published."""

PRINTED, CHEAPEST, AWARE, OPTIMAL = "Markov, eq. (7)", "Markov, cheapest", "sees the secret", "optimal response"

Reduction = Callable[[Joint, float, Matrix | None], Channel]

REDUCTIONS: dict[str, Reduction] = {
    PRINTED: lambda joint, share, _: linear_reduction.at(joint, share),
    CHEAPEST: lambda joint, share, cost: markov_reduction.at(joint, share, distortion=cost),
    AWARE: lambda joint, share, cost: secret_aware_reduction.at(joint, share, distortion=cost),
}


def distance(n: int, power: float = 1.0) -> Matrix:
    """Return the distortion ``|x - y|^power`` of symbols in a row, shape (n, n)."""
    apart = np.abs(np.subtract.outer(np.arange(float(n)), np.arange(float(n))))
    return np.asarray(np.where(apart > 0, apart**power, 0.0))


def cost_of(joint: Joint, channel: Channel, distortion: Matrix) -> float:
    """Return E d(X, Y), or by default P(Y != X), which is I21's D_TV(X, Y)."""
    return float((channel.joint_xy(joint) * distortion).sum())


def least_cost(joint: Joint, share: float, cost: Matrix) -> float:
    """Return the least linear cost of problem (10) over kernels P(y|s,x)."""
    n, total = joint.n_public, 0.0
    rows = [np.repeat(np.eye(n)[x], n) for x in range(n)]
    for s, source in enumerate(joint.x_given_s):
        reach = [np.kron(source, np.eye(n)[y]) for y in range(n)]
        target = (1 - share) * source + share * joint.p_x
        solution = linprog(
            np.kron(source, np.ones(n)) * cost.ravel(), A_eq=[*rows, *reach], b_eq=[*np.ones(n), *target]
        )
        total += float(joint.p_s[s] * solution.fun)
    return total
