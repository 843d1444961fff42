"""Small multiples, one panel per setting, and scatters of single trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from liftbook.plots.legends import above, at_ends
from liftbook.plots.lines import NARROW, WIDTH, curves
from liftbook.plots.styling import DARK, grid, label, looks, shades, style


def panels(
    rows: pd.DataFrame,
    measure: str,
    *,
    n_columns: int = 2,
    spread: bool = True,
    levels: Mapping[str, Sequence[float]] | None = None,
    order: Sequence[str] | None = None,
) -> list[Axes]:
    """Draw one measure against the budget, one panel per value of ``panel``.

    Parameters
    ----------
    rows : pandas.DataFrame
        Columns of :func:`~liftbook.plots.curves`, and ``panel``. For ``spread`` and
        ``order`` see there.
    n_columns : int, keyword-only
        Number of panels side by side; panels are lettered row by row.
    levels : mapping of str to sequence of float, optional, keyword-only
        Ordinates of thin horizontal lines by panel, such as H(X).
    """
    names = list(dict.fromkeys(rows["panel"]))
    chosen = rows[rows["measure"] == measure]
    series = list(dict.fromkeys(chosen["series"])) if order is None else list(order)
    n_rows = -(-len(names) // n_columns)
    with style():
        figure, axes = grid(
            len(names),
            n_columns,
            (min(WIDTH, 3.6 * n_columns), 2.4 * n_rows),
            sharex=True,
        )
        for number, (ax, name) in enumerate(zip(axes, names, strict=True)):
            curves(
                chosen[chosen["panel"] == name],
                measure,
                ax=ax,
                spread=spread,
                order=series,
            )
            for height in (levels or {}).get(name, ()):
                ax.axhline(
                    height, color="0.45", linewidth=0.8, linestyle=(0, (2, 2)), zorder=1
                )
            ax.set_title(
                f"({'abcdefghijklmnopqrstuvwxyz'[number]})  {name}", fontsize=10
            )
            if number % n_columns:
                ax.set_ylabel("")
            if number + n_columns < len(names):
                ax.set_xlabel("")
            else:
                ax.tick_params(labelbottom=True)
        handles, legend = axes[0].get_legend_handles_labels()
        above(figure, handles, legend)
    return axes


def tables(
    panels: Mapping[str, pd.DataFrame],
    xlabel: str,
    *,
    ordered: bool = False,
    share: bool = False,
) -> list[Axes]:
    """Draw one panel for each table, and one line for each column.

    Parameters
    ----------
    panels : mapping of str to pandas.DataFrame
        Tables by panel title; the index is the abscissa.
    ordered : bool, keyword-only
        Whether the columns are ordered, and so are drawn in one hue, from light to
        dark.
    share : bool, keyword-only
        Whether the ordinate is a share, on an axis from 0 to 1.
    """
    wide = min(2, len(panels))
    tall = -(-len(panels) // wide)
    with style():
        size = (NARROW, 2.9) if len(panels) == 1 else (WIDTH, 2.7 * tall + 0.3)
        _, axes = grid(len(panels), wide, size, sharex=True)
        for number, (ax, (title, table)) in enumerate(
            zip(axes, panels.items(), strict=True)
        ):
            colours = shades(len(table.columns))
            for place, (name, look) in enumerate(
                looks(map(str, table.columns)).items()
            ):
                if ordered:
                    look |= {"color": colours[place], "linestyle": "-"}
                ax.plot(table.index, table.iloc[:, place], label=name, **look)
            ax.set_title(
                f"({'abcdefgh'[number]}) {title}" if len(panels) > 1 else title
            )
            ax.tick_params(labelbottom=True)
            if share:
                ax.set_ylim(-0.02, 1.02)
            if number >= len(axes) - wide:
                ax.set_xlabel(xlabel)
        for ax in axes:
            at_ends(ax)
    return axes


def scatters(
    rows: pd.DataFrame, x: str, y: str, *, notes: Mapping[str, str] | None = None
) -> list[Axes]:
    """Draw one point per row, one panel per value of ``panel``.

    ``x`` and ``y`` are column names; rows in which either is not finite are omitted.
    ``notes`` maps a panel to the text in its upper left corner.
    """
    names = list(dict.fromkeys(rows["panel"]))
    with style():
        _, axes = grid(
            len(names), len(names), (min(WIDTH, 2.6 * len(names)), 2.8), sharey=True
        )
        for number, (ax, name) in enumerate(zip(axes, names, strict=True)):
            part = rows[rows["panel"] == name]
            part = part[np.isfinite(part[x]) & np.isfinite(part[y])]
            ax.axhline(0, color="0.45", linewidth=0.8, zorder=1)
            ax.axvline(0, color="0.45", linewidth=0.8, zorder=1)
            ax.plot(
                part[x],
                part[y],
                linestyle="none",
                marker="o",
                markersize=4,
                markerfacecolor="none",
                color=DARK,
            )
            ax.set_title(
                f"({'abcdefghijklmnopqrstuvwxyz'[number]})  {name}", fontsize=10
            )
            ax.set_xlabel(label(x))
            if number == 0:
                ax.set_ylabel(label(y))
            ax.annotate(
                (notes or {}).get(name, ""),
                (0.04, 0.95),
                xycoords="axes fraction",
                va="top",
                fontsize=9,
            )
    return axes
