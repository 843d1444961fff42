"""E23's figures, as its claims need them."""

from __future__ import annotations

from liftbook.claims.figures import Figure
from liftbook.rows.merging import alip_name
from liftbook.rows.scales import E23_LAMBDAS as LAMBDAS
from liftbook.rows.scales import E23_RELATIONSHIPS

STRICT, HALF, RELAXED = (alip_name(lam) for lam in LAMBDAS)

(LEFT_OUT,) = E23_RELATIONSHIPS
"""Whose people are left out of Adult where a claim's other readings leave out others, or none."""

LARGE_TRIALS = 10
"""Joints 15 x 200 of Fig. 10, whose number the paper does not print."""

WATCHDOG, MERGING = Figure("e23_2"), Figure("e23_6")
RESPONSE, SUBSETS, SUBSETS_LARGE = Figure("e23_4"), Figure("e23_8"), Figure("e23_10", LARGE_TRIALS)
LIFT_BASED, ALPHA_LIFT = Figure("e23_11"), Figure("e23_13")
