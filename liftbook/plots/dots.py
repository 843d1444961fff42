"""What several things do on many cases: a row a thing, a dot a case."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from liftbook.plots.lines import LOGARITHMIC, WIDTH
from liftbook.plots.styling import BLACK, BLUE, style

ROW = 0.24
"""Height of a row, in inches."""


def strips(rows: pd.DataFrame, by: str, panels: Mapping[str, str]) -> list[Axes]:
    """Draw a dot for each case and a bar at the median, a row a thing, ordered by the medians of the first panel.

    Parameters
    ----------
    rows : pandas.DataFrame
        Columns ``by`` and those of the panels; a row a case.
    by : str
        The column that names the things.
    panels : mapping of str to str
        Columns of numbers, and what their axes say.

    Returns
    -------
    list of matplotlib.axes.Axes
        A panel a column, with the best of the first column above.
    """
    medians = rows.groupby(by)[list(panels)].median().sort_values(next(iter(panels)), kind="stable")
    places = {name: place for place, name in enumerate(medians.index)}
    with style():
        _, found = plt.subplots(
            1, len(panels), figsize=(WIDTH, 1.0 + ROW * len(places)), layout="constrained", squeeze=False, sharey=True
        )
        for ax, (column, says) in zip(found[0], panels.items(), strict=True):
            ax.plot(rows[column], rows[by].map(places), ".", color=BLUE, alpha=0.35, markeredgewidth=0)
            ax.plot(medians[column], list(places.values()), "|", color=BLACK, markersize=11, markeredgewidth=2)
            ax.set_xlabel(says)
            if column in LOGARITHMIC:
                ax.set_xscale("log")
        found[0][0].set_yticks(list(places.values()), list(places))
    return list(found[0])
