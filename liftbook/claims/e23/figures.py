"""E23's figures, as its claims need them."""

from __future__ import annotations

from liftbook.claims.figures import Figure
from liftbook.rows.merging import alip_name
from liftbook.rows.scales import E23_LAMBDAS as LAMBDAS
from liftbook.rows.scales import E23_RELATIONSHIPS

STRICT, HALF, RELAXED = (alip_name(lam) for lam in LAMBDAS)

TRIALS = 5
"""Joints for claims in words about responses, fewer than the figures' 100, so that all claims take seconds."""

WATCHDOG, WATCHDOG_ADULT = Figure("e23_2"), Figure("e23_3", leave_out=E23_RELATIONSHIPS)
RESPONSE, RESPONSE_ADULT = Figure("e23_4", TRIALS), Figure("e23_5", leave_out=E23_RELATIONSHIPS)
MERGING, MERGING_ADULT = Figure("e23_6"), Figure("e23_7", leave_out=E23_RELATIONSHIPS)
SUBSETS, SUBSETS_ADULT = Figure("e23_8", TRIALS), Figure("e23_9", leave_out=E23_RELATIONSHIPS)
SUBSETS_LARGE = Figure("e23_10", 2, (1.0, 2.0, 4.0, 8.0))
LIFT_BASED, LIFT_BASED_ADULT = Figure("e23_11"), Figure("e23_12", leave_out=E23_RELATIONSHIPS)
ALPHA_LIFT = Figure("e23_13")
