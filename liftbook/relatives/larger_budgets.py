"""A heuristic for alpha-lift-privacy: vertices of ALIP at larger budgets.

At infinite order the allowed posteriors form ALIP's polytope, and mixing its vertices is optimal. At a finite order
they form a larger convex set without vertices to list. The heuristic lists the vertices of ALIP's polytopes at several
larger budgets, keeps those that satisfy the alpha-lift bound, and mixes them by a linear program. This follows the
abstracts of :cite:`Zarrabian2024alpha` and :cite:`Zarrabian2024`; how those algorithms choose their points may differ.
"""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.notions import ALIP, AlphaLift
from liftlib.response.aorr import certified, cheapest
from liftlib.response.posteriors import cone_for, repaired
from mixproof.numerics import Matrix
from mixproof.polytope import vertices


def larger_budgets(joint: Joint, notion: AlphaLift, steps: int = 20) -> Channel:
    """Return a mechanism that satisfies alpha-lift-privacy, without an upper bound.

    It is at least as good as the optimum under ALIP with the same positive budgets, up to rounding. ``|X|`` must be
    small, because all vertices of ALIP's polytopes are listed at ``steps`` larger budgets, up to the largest log-lift
    that the notion allows. The ``upper`` of the certificate is infinite.
    """
    support = cone_for(joint, ALIP(notion.eps_l, notion.eps_u)).support
    bounds = notion.lift_bounds(support.joint.p_s)
    listed = [vertices(cone_for(joint, ALIP(notion.eps_l, notion.eps_u)).listed(), interior=support.joint.p_x)]
    for share in np.arange(1, steps + 1) / steps:
        larger = [
            eps + share * (float(most.max()) - eps) if np.isfinite(eps) else np.inf
            for eps, most in ((notion.eps_l, bounds.lower), (notion.eps_u, bounds.upper))
        ]
        posteriors = vertices(cone_for(joint, ALIP(*larger)).listed(), interior=support.joint.p_x)
        listed.append(_allowed(support.joint, notion, posteriors))
    mixture = cheapest(np.concatenate(listed), support.joint.p_x)
    channel, mixed = repaired(
        support.extended(mixture.kernel), joint.p_x, lambda one: notion.is_satisfied(joint, one), name=notion
    )
    return certified(joint, channel, "vertices at larger budgets", mixture, mixed, np.inf)


def _allowed(joint: Joint, notion: AlphaLift, rows: Matrix) -> Matrix:
    """Return the posteriors that the notion allows."""
    lift = joint.s_given_x @ rows.T / joint.p_s[:, None]
    return rows[
        np.all([budget.needed <= budget.allowed for budget in notion.required_budgets(lift, joint.p_s)], axis=0)
    ]
