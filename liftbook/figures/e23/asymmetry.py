"""E23 Fig. 1: the smallest lifts deviate more from 1 than the largest lifts."""

from __future__ import annotations

import numpy as np
import pandas as pd

from liftbook.rows.making import figure
from liftbook.rows.tidy import frame
from liftlib.datasets import uniform_joints
from liftlib.measures.lifts import lift_of
from mixproof.numerics import Rng, check_scalar, generator


@figure
def figure_e23_1(
    n_trials: int = 1000,
    n_secret: int = 5,
    n_public: int = 17,
    bin_width: float = 0.1,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return histograms of log min-lift and log max-lift (E23 Fig. 1).

    Parameters
    ----------
    bin_width : float
        Width of a bin in nats, the same for both measures, so that their probabilities
        are comparable.

    Returns
    -------
    pandas.DataFrame
        Columns ``measure`` (log_min_lift, log_max_lift), ``left``, ``right`` (nats) and
        ``probability``, which sums to 1 over the bins of a measure; ``least`` and
        ``largest`` repeat the measure's range in each row.
    """
    width = check_scalar("bin_width", bin_width, open_low=True, finite=True)
    lifts = lift_of(uniform_joints(n_trials, n_secret, n_public, generator(rng)))
    rows = []
    for measure, values in (
        ("log_min_lift", np.log(lifts.min(axis=1)).ravel()),
        ("log_max_lift", np.log(lifts.max(axis=1)).ravel()),
    ):
        first, last = np.floor(values.min() / width), np.ceil(values.max() / width)
        edges = width * np.arange(first, last + 1)
        counts, _ = np.histogram(values, bins=edges)
        common = {
            "measure": measure,
            "least": float(values.min()),
            "largest": float(values.max()),
        }
        rows += [
            {**common, "left": left, "right": right, "probability": share}
            for left, right, share in zip(
                edges[:-1], edges[1:], counts / counts.sum(), strict=True
            )
        ]
    return frame(rows)
