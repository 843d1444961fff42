"""Kelley's cutting planes over listed vertices."""

import numpy as np

import liftlib as ll
from liftlib.response.aorr import cheapest
from mixproof.polytope import vertices


def between(joint, notion, gap=1e-3, rounds=40):
    """Return two numbers, nats, between which the largest I(X; Y) lies."""
    p_x, likelihood = joint.p_x, joint.s_given_x / joint.p_s[:, None]
    total = ll.measures.entropy(p_x)
    cuts, inner = np.empty((0, p_x.size)), p_x[None]
    for _ in range(rounds):
        outer = cheapest(vertices(cuts, interior=p_x), p_x)
        used = outer.rows[outer.solution.x > 0]
        edge = _last_allowed(notion, joint.p_s, likelihood, p_x, outer.rows)
        inside = cheapest(np.concatenate([inner, edge]), p_x)
        low, high = (total - one.solution.objective for one in (inside, outer))
        if high - low <= gap:
            break
        inner = np.concatenate([p_x[None], inside.rows[inside.solution.x > 0]])
        moved = _last_allowed(notion, joint.p_s, likelihood, p_x, used)
        cuts = np.concatenate(
            [
                cuts,
                notion.tangents(joint, moved[np.abs(moved - used).max(axis=1) > 1e-9]),
            ]
        )
    return low, high


def _last_allowed(notion, p_s, likelihood, p_x, rows):
    """Halve the way from P_X to each row, until its last allowed point is known."""

    def allowed(t):
        return notion.kept_columns(
            likelihood @ (p_x + t[:, None] * (rows - p_x)).T, p_s
        )

    whole = allowed(np.ones(len(rows)))
    low, high = np.zeros(len(rows)), np.ones(len(rows))
    for _ in range(40):
        middle = (low + high) / 2
        inside = allowed(middle)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.where(whole[:, None], rows, p_x + low[:, None] * (rows - p_x))
