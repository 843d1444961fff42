"""Claims about Figs 2-4 of I21."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from liftbook.claims.figures import figure
from liftbook.figures.i21.reductions import AWARE, PRINTED


def distance_reverses_the_order_of_information() -> float:
    """Return the share of pairs of Fig. 4's 100 points that both losses order alike."""
    losses = figure("i21_4").rows.pivot_table(index="reduction", columns=["series", "measure"], values="mean")
    points = [point for series in (PRINTED, AWARE) for point in losses[series].to_numpy()]
    agree = [(a[0] - b[0]) * (a[1] - b[1]) > 0 for a, b in combinations(points, 2)]
    return float(np.mean(agree))
