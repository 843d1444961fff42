"""Trade-off curves, and histograms, from tidy rows."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from liftbook.plots.styling import COLOURS, label, series_style, style

PANELS = ("nmi", "min_lift_leakage", "max_lift_leakage")
"""The panels of the Entropy paper's trade-off figures: (a) utility, (b) min-lift, (c) max-lift leakage."""

LOGARITHMIC = ("seconds", "vertices")
"""Measures that span decades, on a logarithmic axis."""


def curves(
    rows: pd.DataFrame,
    measure: str,
    *,
    x: str = "eps",
    ax: Axes | None = None,
    spread: bool = True,
    order: Sequence[str] | None = None,
) -> Axes:
    """Draw one measure against ``x``, a curve a series, with a band of one standard deviation.

    Seconds and vertices are drawn on a logarithmic axis, and their bands reach as far down on it as up.

    Parameters
    ----------
    rows : pandas.DataFrame
        Columns ``series``, ``x``, ``measure``, ``mean``, ``std``.
    measure : str
        Which measure to draw.
    x : str, keyword-only
        The column for the abscissa.
    ax : matplotlib.axes.Axes, optional, keyword-only
        Where to draw; a new figure by default.
    spread : bool, keyword-only
        Whether to draw the band.
    order : sequence of str, optional, keyword-only
        Series to draw, in order; by default all, as they come. A series keeps its style across panels, and one that
        has no rows keeps its place, so that styles agree across figures as well.

    Returns
    -------
    matplotlib.axes.Axes
        Points at infinity stand as open triangles on the upper edge.
    """
    with style():
        if ax is None:
            ax = plt.figure(figsize=(5.2, 3.6), layout="constrained").add_subplot()
        chosen = rows[rows["measure"] == measure]
        names = list(dict.fromkeys(rows["series"])) if order is None else list(order)
        for number, name in enumerate(names):
            part = chosen[chosen["series"] == name].sort_values(x)
            if part.empty:
                continue
            look = series_style(number)
            mean = part["mean"].to_numpy()
            shown = np.where(np.isfinite(mean), mean, np.nan)
            every = max(1, len(part) // 8)
            ax.plot(part[x], shown, label=name, markevery=(number % every, every), **look)
            std = part["std"].to_numpy()
            if spread and measure != "broken" and np.isfinite(std).any():  # a share's spread follows from its mean
                # below the mean as far as above it, on the axis that there is: a logarithmic one has no place for 0
                low = shown**2 / (shown + std) if measure in LOGARITHMIC else shown - std
                ax.fill_between(part[x], low, shown + std, color=look["color"], alpha=0.10, linewidth=0)
            infinite = part[x][np.isinf(mean)]
            if len(infinite):
                ax.plot(
                    infinite,
                    np.ones(len(infinite)),
                    linestyle="none",
                    marker="^",
                    markerfacecolor="none",
                    color=look["color"],
                    transform=ax.get_xaxis_transform(),
                    clip_on=False,
                )
        ax.set_xlabel(label(x))
        ax.set_ylabel(label(measure))
        if measure in ("nmi", "nmil", "broken"):
            ax.set_ylim(-0.02, 1.02)
        elif measure in LOGARITHMIC:
            ax.set_yscale("log", nonpositive="clip")
            means = chosen["mean"][chosen["series"].isin(names) & (chosen["mean"] > 0)]
            ax.set_ylim(means.min() / 2, means.max() * 2)
        else:
            ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    return ax


def tradeoff(rows: pd.DataFrame, *, panels: Sequence[str] = PANELS, spread: bool = True, x: str = "eps") -> list[Axes]:
    """Draw a trade-off figure, a panel a measure side by side, four as two by two, with one legend above.

    Parameters
    ----------
    rows : pandas.DataFrame
        As for :func:`curves`.
    panels : sequence of str, keyword-only
        Measures, by default utility, min-lift leakage and max-lift leakage.
    spread, x
        See :func:`curves`.
    """
    with style():
        wide = 2 if len(panels) == 4 else len(panels)
        tall = -(-len(panels) // wide)
        size = (3.0 * wide, 3.2) if tall == 1 else (3.6 * wide, 2.7 * tall + 0.4)
        figure, found = plt.subplots(tall, wide, figsize=size, layout="constrained", squeeze=False)
        axes = list(found.ravel())
        for letter, ax, measure in zip("abcdefgh", axes, panels, strict=False):
            curves(rows, measure, x=x, ax=ax, spread=spread)
            ax.set_title(f"({letter})", loc="left")
        handles, names = axes[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=min(5, len(names)))
    return axes


def histograms(rows: pd.DataFrame) -> list[Axes]:
    """Draw the histograms of log min-lift and log max-lift one above the other, on one abscissa (E23 Fig. 1).

    Parameters
    ----------
    rows : pandas.DataFrame
        Columns ``measure``, ``left``, ``right``, ``probability``.
    """
    with style():
        measures = list(dict.fromkeys(rows["measure"]))
        _, found = plt.subplots(len(measures), 1, figsize=(7, 2.4 * len(measures)), layout="constrained", sharex=True)
        axes = list(np.atleast_1d(found))
        for number, (ax, measure) in enumerate(zip(axes, measures, strict=True)):
            part = rows[rows["measure"] == measure]
            ax.bar(
                part["left"],
                part["probability"],
                width=part["right"] - part["left"],
                align="edge",
                color=COLOURS[1 + number],
                hatch=("", "///")[number % 2],
                edgecolor="white",
                linewidth=0.3,
            )
            ax.set_ylabel("probability per bin")
            ax.set_title(f"({'abcdef'[number]})  {label(measure)}", loc="left")
        axes[-1].set_xlabel("log-lift (nats)")
    return axes
