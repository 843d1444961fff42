"""What I21 prints of its Figs 2-4."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pandas as pd

from liftbook.claims.figures import Figure
from liftbook.figures.i21.reductions import AWARE, PRINTED

FIG_3, FIG_4 = Figure("i21_3"), Figure("i21_4")


def _losses() -> pd.DataFrame:
    """Return the two losses of Fig. 4, a row an alpha, a column a pair of series and measure."""
    return FIG_4.rows.pivot_table(index="reduction", columns=["series", "measure"], values="mean")


def aware_outperforms_in_fig_3() -> bool:
    found = FIG_3.rows.pivot_table(index="reduction", columns="series", values="mean")
    return bool((found[AWARE] <= found[PRINTED]).all())


def aware_outperforms_in_fig_2() -> bool:
    losses = _losses()
    return all(
        bool((losses[AWARE, measure] <= losses[PRINTED, measure]).all()) for measure in ("moved", "information_loss")
    )


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
