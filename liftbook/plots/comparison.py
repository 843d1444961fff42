"""Utility and run time of one mechanism relative to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from liftbook.plots.legends import above
from liftbook.plots.lines import WIDTH
from liftbook.plots.styling import MARKERS, grid, shades, style


def time_and_utility(
    rows: pd.DataFrame,
    *,
    panels: Mapping[str, str],
    ylabels: Sequence[str],
    xlabel: str,
    split: str = "panel",
    fill: str = "route",
    x: str = "time_ratio",
    y: str = "share",
) -> list[Axes]:
    """Draw a ratio of utilities against a ratio of times, per joint distribution.

    Parameters
    ----------
    panels : mapping of str to str, keyword-only
        Panel titles by value of ``split``.
    ylabels : sequence of str, keyword-only
        One per panel.
    split, fill, x, y : str, keyword-only
        Columns of ``rows`` that determine the panel, open or filled markers, the abscissa (on a logarithmic axis) and
        the ordinate. The column ``eps`` is required, too.

    Returns
    -------
    list of matplotlib.axes.Axes
        Their ordinates start at 0 if a ratio is below 1/2, else slightly below the smallest ratio.
    """
    with style():
        width = min(WIDTH, 3.6 * len(panels)) if len(panels) > 1 else 5.2
        figure, axes = grid(len(panels), len(panels), (width, 3.8), sharex=True, sharey=True)
        budgets, kinds = sorted(set(rows["eps"])), list(dict.fromkeys(rows[fill]))
        colours = shades(len(budgets))
        for ax, (panel, title), ylabel in zip(axes, panels.items(), ylabels, strict=True):
            for number, eps in enumerate(budgets):
                for kind in kinds:
                    part = rows[(rows[split] == panel) & (rows["eps"] == eps) & (rows[fill] == kind)]
                    colour = colours[number]
                    ax.plot(
                        part[x],
                        part[y],
                        linestyle="none",
                        marker=MARKERS[number % len(MARKERS)],
                        color=colour,
                        markerfacecolor=colour if kind == kinds[0] else "none",
                        markersize=5.5,
                    )
            ax.axvline(1, color="0.5", linewidth=0.8)
            ax.set_xscale("log")
            ax.set_title(title, loc="left")
            ax.set_xlabel(xlabel)
            ax.set_ylabel(ylabel)
            ax.yaxis.set_tick_params(labelleft=True)
        least = float(rows[y].min())
        bottom = 0.0 if least < 0.5 else np.floor(20 * least - 0.5) / 20
        axes[0].set_ylim(bottom, 1.0 + (1.0 - bottom) / 25)
        point = partial(Line2D, [], [], linestyle="none")
        handles = [point(marker=MARKERS[i % len(MARKERS)], color=colours[i]) for i in range(len(budgets))]
        handles += [point(marker="o", color="0.35", markerfacecolor="none" if i else "0.35") for i in range(len(kinds))]
        names = [*(f"ε = {eps:g}" for eps in budgets), *kinds]
        columns = len(names) if len(panels) > 1 else min(3, len(names))
        above(figure, handles, names, columns)
    return axes
