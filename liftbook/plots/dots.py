"""Dot plots of mechanisms and designs, and utility against run time, relative to
another mechanism.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from liftbook.plots.legends import above
from liftbook.plots.lines import LOGARITHMIC, NARROW, WIDTH
from liftbook.plots.styling import (
    BLACK,
    DARK,
    GREY,
    MARKERS,
    grid,
    label,
    shades,
    style,
)

ROW_HEIGHT = 0.24
"""Height of a row, in inches."""


def strips(rows: pd.DataFrame, by: str, panels: Mapping[str, str]) -> list[Axes]:
    """Draw one row per value of ``by``: a dot per case, a bar at the median.

    ``panels`` maps numeric columns to axis labels, one panel per column; rows are
    sorted by the median of the first column, largest at the top.
    """
    medians = (
        rows.groupby(by)[list(panels)]
        .median()
        .sort_values(next(iter(panels)), kind="stable")
    )
    places = {name: place for place, name in enumerate(medians.index)}
    with style():
        _, axes = grid(
            len(panels),
            len(panels),
            (WIDTH if len(panels) > 1 else 4.9, 1.0 + ROW_HEIGHT * len(places)),
            sharey=True,
        )
        for ax, (column, says) in zip(axes, panels.items(), strict=True):
            ax.plot(
                rows[column],
                rows[by].map(places),
                "o",
                color=DARK,
                alpha=0.3,
                markersize=5,
                markeredgewidth=0,
            )
            ax.plot(
                medians[column],
                list(places.values()),
                "|",
                color=BLACK,
                markersize=11,
                markeredgewidth=2,
            )
            ax.set_xlabel(says)
            if column in LOGARITHMIC:
                ax.set_xscale("log")
            ax.set_yticks(list(places.values()), list(places))
            # on a narrow page each panel stands alone
            ax.yaxis.set_tick_params(labelleft=True)
    return axes


def shares(rows: pd.DataFrame) -> list[Axes]:
    """Draw the share of tables for which each design satisfied its notion.

    ``rows`` is the result of ``liftbook.figures.population.designs.kept_shares`` for
    one notion. There is one panel per law, with one line per design and one dot per
    table size, darker for larger tables, as the legend says.
    """
    laws, designs, sizes = (
        list(dict.fromkeys(rows[name])) for name in ("law", "design", "rows")
    )
    places = {name: -float(place) for place, name in enumerate(designs)}
    shades = {
        size: 0.3 + 0.7 * number / max(len(sizes) - 1, 1)
        for number, size in enumerate(sizes)
    }
    nudge = {
        size: 0.27 - 0.54 * number / max(len(sizes) - 1, 1)
        for number, size in enumerate(sizes)
    }
    with style():
        figure, axes = grid(
            len(laws),
            2,
            (WIDTH, -(-len(laws) // 2) * (0.8 + 1.5 * ROW_HEIGHT * len(designs))),
        )
        for ax, law in zip(axes, laws, strict=True):
            ax.axvline(0.95, color=GREY, linestyle="--", linewidth=0.8, zorder=1)
            for row in rows[rows["law"] == law].itertuples():
                height, shade = places[row.design] + nudge[row.rows], shades[row.rows]
                ax.plot(
                    [row.low, row.high],
                    [height, height],
                    color=DARK,
                    alpha=shade,
                    linewidth=1,
                )
                ax.plot(
                    row.kept / row.tables,
                    height,
                    "o",
                    color=DARK,
                    alpha=shade,
                    markersize=5,
                    markeredgewidth=0,
                )
            ax.set_title(law)
            ax.set_xlim(-0.05, 1.05)
            ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
            ax.set_xlabel("share of tables")
            # each panel has its names: on a phone they are stacked
            ax.set_yticks(list(places.values()), list(places))
        dots = [
            Line2D(
                [],
                [],
                linestyle="",
                marker="o",
                color=DARK,
                alpha=shade,
                markeredgewidth=0,
            )
            for shade in shades.values()
        ]
        above(figure, dots, [f"{size:,} rows" for size in sizes])
    return axes


def time_and_utility(
    rows: pd.DataFrame,
    *,
    panels: Mapping[str, str],
    ylabels: Sequence[str],
    xlabel: str,
) -> list[Axes]:
    """Draw a ratio of utilities against a ratio of times, per joint distribution.

    Parameters
    ----------
    rows : pandas.DataFrame
        Columns ``panel``, ``route`` (filled or open markers), ``eps``, ``time_ratio``
        (the abscissa, logarithmic) and ``share`` (the ordinate).
    panels : mapping of str to str, keyword-only
        Panel titles by value of ``panel``.
    ylabels : sequence of str, keyword-only
        One per panel.

    Returns
    -------
    list of matplotlib.axes.Axes
        Their ordinates start at 0 if a ratio is below 1/2, else slightly below the
        smallest ratio.
    """
    with style():
        width = min(WIDTH, 3.6 * len(panels)) if len(panels) > 1 else NARROW
        figure, axes = grid(
            len(panels), len(panels), (width, 3.8), sharex=True, sharey=True
        )
        budgets, kinds = sorted(set(rows["eps"])), list(dict.fromkeys(rows["route"]))
        colours = shades(len(budgets))
        for ax, (panel, title), ylabel in zip(
            axes, panels.items(), ylabels, strict=True
        ):
            for number, eps in enumerate(budgets):
                for kind in kinds:
                    part = rows[
                        (rows["panel"] == panel)
                        & (rows["eps"] == eps)
                        & (rows["route"] == kind)
                    ]
                    colour = colours[number]
                    ax.plot(
                        part["time_ratio"],
                        part["share"],
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
        least = float(rows["share"].min())
        bottom = 0.0 if least < 0.5 else np.floor(20 * least - 0.5) / 20
        axes[0].set_ylim(bottom, 1.0 + (1.0 - bottom) / 25)
        point = partial(Line2D, [], [], linestyle="none")
        handles = [
            point(marker=MARKERS[i % len(MARKERS)], color=colours[i])
            for i in range(len(budgets))
        ]
        handles += [
            point(marker="o", color="0.35", markerfacecolor="none" if i else "0.35")
            for i in range(len(kinds))
        ]
        names = [*(f"ε = {eps:g}" for eps in budgets), *map(label, kinds)]
        columns = len(names) if len(panels) > 1 else min(3, len(names))
        above(figure, handles, names, columns)
    return axes
