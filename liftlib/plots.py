"""Figures from tidy rows, in one style: safe for colour-blind readers, readable in grey, units on the axes.

The only module that imports matplotlib. Each function returns the axes that it drew on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

STYLE: Mapping[str, Any] = {
    "figure.dpi": 110,
    "savefig.dpi": 110,
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "0.88",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.hashsalt": "liftlib",
}
"""Applied to every figure; white behind it, so that it reads on a dark page."""


@contextmanager
def style() -> Iterator[None]:
    """Draw in the book's style inside the block.

    Not matplotlib's rc_context: the first figure of a notebook turns interactive drawing on, which that would undo on
    leaving, so that only the first figure would show.
    """
    current: dict[str, Any] = plt.rcParams  # type: ignore[assignment]  # its keys are typed as a list of literals
    before = {name: current[name] for name in STYLE}
    current.update(STYLE)
    try:
        yield
    finally:
        current.update(before)


# Okabe and Ito's palette, ordered so that neighbours differ in lightness; line style and marker differ as well.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

LABELS: Mapping[str, str] = {
    "eps": "privacy budget ε (nats)",
    "nmi": "utility, NMI",
    "nmil": "loss of utility, NMIL",
    "mutual_information": "I(X;Y) (nats)",
    "min_lift_leakage": "min-lift leakage (nats)",
    "max_lift_leakage": "max-lift leakage (nats)",
    "broken": "share that breaks the notion",
    "log_min_lift": "log Ψ(x) = min over s of log-lift (nats)",
    "log_max_lift": "log Λ(x) = max over s of log-lift (nats)",
    "seconds": "time (seconds)",
}

PANELS = ("nmi", "min_lift_leakage", "max_lift_leakage")
"""The panels of the Entropy paper's trade-off figures: (a) utility, (b) min-lift, (c) max-lift leakage."""


def label(name: str) -> str:
    """Return an axis label, with its unit, for a column or measure."""
    return LABELS.get(name, name)


def series_style(index: int) -> dict[str, Any]:
    """Return colour, line style and marker of the series with this number."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": LINES[index % len(LINES)],
        "marker": MARKERS[index % len(MARKERS)],
    }


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
        Series to draw, in order; by default all, as they come. A series keeps its style across panels.

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
            look = series_style(number)
            mean = part["mean"].to_numpy()
            shown = np.where(np.isfinite(mean), mean, np.nan)
            every = max(1, len(part) // 8)
            ax.plot(part[x], shown, label=name, markevery=(number % every, every), **look)
            std = part["std"].to_numpy()
            if spread and measure != "broken" and np.isfinite(std).any():  # a share's spread follows from its mean
                ax.fill_between(part[x], shown - std, shown + std, color=look["color"], alpha=0.10, linewidth=0)
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
        else:
            ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    return ax


def tradeoff(rows: pd.DataFrame, *, panels: Sequence[str] = PANELS, spread: bool = True, x: str = "eps") -> list[Axes]:
    """Draw a trade-off figure, a panel a measure side by side, with one legend above.

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
        figure, found = plt.subplots(
            1, len(panels), figsize=(3.0 * len(panels), 3.2), layout="constrained", squeeze=False
        )
        axes = list(found[0])
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
