"""Trade-off curves, histograms, and leakage against its budget, from tidy rows."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from companion.outputs import curves as curve_data
from liftbook.plots.legends import at_ends
from liftbook.plots.styling import LIFTS, grid, label, looks, style, title

note = partial(curve_data.note, label=label)
"""Record what is drawn on axes by :func:`companion.outputs.curves.note`, with the
book's labels.
"""


PANELS = ("nmi", "min_lift_leakage", "max_lift_leakage")
"""The panels of the Entropy paper's trade-off figures: (a) utility, (b) min-lift, (c)
max-lift leakage.
"""

WIDTH = 7.2
"""Maximum width of a figure in inches, the width of the text, so that figures are not
scaled.
"""

NARROW = 4.4
"""Width in inches of a figure or panel that a phone shows alone: on a page of 390 px,
letters of 9 points are then 10 px high.
"""

LARGE = 12.2
"""Size in points of letters in a panel that is 6 inches wide, for the same reason."""

NEARLY_ALL = 0.99
"""NMI above which a curve has reached 1, for the eye."""

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
    """Draw one measure against ``x``, one curve per series, with quantile bands.

    Seconds and vertices have a logarithmic axis; open triangles at the upper edge mark
    infinite values.

    Parameters
    ----------
    rows : pandas.DataFrame
        Columns ``series``, ``x``, ``measure``, ``mean``; ``low``, ``high`` and ``n``
        for the band.
    measure, x : str
        The measure to draw, and the column for the abscissa.
    spread : bool, keyword-only
        Whether to draw the band.
    order : sequence of str, optional, keyword-only
        Series to draw, in order; by default all, in order of appearance. A series
        without rows keeps its style, so that styles agree across figures.
    """
    with style():
        if ax is None:
            ax = plt.figure(figsize=(NARROW, 3.3), layout="constrained").add_subplot()
        chosen = rows[rows["measure"] == measure]
        names = list(dict.fromkeys(rows["series"])) if order is None else list(order)
        seen = looks(names)
        band = spread and measure != "broken"  # a share is a mean of 0 and 1
        note(ax, chosen, seen, x=x, y=measure)
        for number, (name, look) in enumerate(seen.items()):
            part = chosen[chosen["series"] == name].sort_values(x)
            if part.empty:
                continue
            mean = part["mean"].to_numpy()
            shown = np.where(np.isfinite(mean), mean, np.nan)
            every = max(1, len(part) // 8)
            ax.plot(
                part[x], shown, label=name, markevery=(number % every, every), **look
            )
            if band and "low" in part and (part["n"] > 1).any():
                ends = (
                    part[["low", "high"]]
                    .where(np.isfinite(part[["low", "high"]]))
                    .to_numpy()
                    .T
                )
                ax.fill_between(
                    part[x], *ends, color=look["color"], alpha=0.07, linewidth=0
                )
                for edge in ends:
                    ax.plot(
                        part[x],
                        edge,
                        color=look["color"],
                        linestyle=look["linestyle"],
                        linewidth=0.5,
                        alpha=0.5,
                    )
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


def tradeoff(
    rows: pd.DataFrame,
    *,
    panels: Sequence[str] = PANELS,
    spread: bool = True,
    x: str = "eps",
) -> list[Axes]:
    """Draw a trade-off figure, one panel per measure, with the curves' names at their
    ends.

    Two panels are side by side; the first of three spans the width and has the names
    for the others below it; four are two by two. If the first has room for the label
    that says so, budgets from which the utility of every curve exceeds 0.99 are cut
    off. ``rows``, ``x`` and ``spread`` are as in :func:`curves`; ``panels`` are
    measures, by default utility, min-lift and max-lift leakage.
    """
    with style():
        axes = _laid_out(len(panels))
        for letter, ax, measure in zip("abcdefgh", axes, panels, strict=False):
            curves(rows, measure, x=x, ax=ax, spread=spread)
            ax.set_title(
                f"({letter}) {title(measure)}" if len(panels) > 1 else title(measure)
            )
            if measure == "nmi":
                _raise(ax)
            ax.set_ylabel("")
        wide = len(panels) == 3
        cut = (
            _saturated(rows, x)
            if "nmi" in panels and (wide or len(panels) == 1)
            else None
        )
        for number, ax in enumerate(axes):
            if cut is not None:
                _cut(ax, cut)
            if cut is not None and number == 0:
                ax.set_xlabel(
                    f"{label(x)};\nfrom {cut:g} on every curve is above {NEARLY_ALL:g}"
                )
            # it has a row of its own, so a narrow page shows it smaller than the others
            if wide and number == 0:
                ax.tick_params(labelsize=LARGE)
                ax.set_title(ax.get_title(loc="left"), fontsize=LARGE)
                ax.xaxis.label.set_fontsize(LARGE)
            elif wide:  # the title of a narrow panel would reach over the next one
                ax.set_title(textwrap.fill(ax.get_title(loc="left"), 28))
            if number == 0 or not wide:
                at_ends(ax, LARGE if wide else 9)
    return axes


def _saturated(rows: pd.DataFrame, x: str) -> float | None:
    """Return the least abscissa from which every series has an NMI above 0.99, or None
    if that is the last or none.
    """
    least = rows[rows["measure"] == "nmi"].groupby(x)["mean"].min().sort_index()
    short = least.index[least <= NEARLY_ALL]
    beyond = least.index[least.index > short.max()] if len(short) else least.index[:0]
    return float(beyond[0]) if len(beyond) > 1 else None


def _raise(ax: Axes) -> None:
    """Begin the axis of a share at a tenth below all curves, if they use less than its
    upper two thirds.
    """
    heights = [np.asarray(line.get_ydata(), dtype=float) for line in ax.lines]
    least = min(
        (np.nanmin(one) for one in heights if np.isfinite(one).any()), default=0.0
    )
    if least > 1 / 3:
        ax.set_ylim(bottom=np.floor(10 * least) / 10 - 0.02)


def _cut(ax: Axes, right: float) -> None:
    """End the horizontal axis at ``right``, and fit the vertical one to
    what is left.
    """
    heights = [
        np.asarray(line.get_ydata(), dtype=float)[
            np.asarray(line.get_xdata(), dtype=float) <= right
        ]
        for line in ax.lines
        if line.get_linestyle() != "None"
    ]
    ax.set_xlim(right=right)
    top = max(
        (np.nanmax(one) for one in heights if np.isfinite(one).any()), default=np.nan
    )
    if ax.get_yscale() == "linear" and np.isfinite(top) and top < ax.get_ylim()[1]:
        ax.set_ylim(top=1.05 * top)


def _laid_out(number: int) -> list[Axes]:
    """Return the axes of a trade-off figure with the given number of panels."""
    if number == 3:
        figure = plt.figure(figsize=(5.8, 5.4), layout="constrained")
        spec = figure.add_gridspec(2, 2, height_ratios=[1.25, 1])
        return [
            figure.add_subplot(spec[0, :]),
            figure.add_subplot(spec[1, 0]),
            figure.add_subplot(spec[1, 1]),
        ]
    wide = min(number, 2)
    tall = -(-number // wide)
    size = (NARROW, 2.9) if number == 1 else (WIDTH, 2.7 * tall + 0.3)
    return grid(number, wide, size)[1]


def histograms(rows: pd.DataFrame) -> list[Axes]:
    """Draw histograms of log min-lift and log max-lift (E23 Fig. 1).

    ``rows`` has the columns ``measure``, ``left``, ``right``, ``probability``.
    """
    with style():
        measures = list(dict.fromkeys(rows["measure"]))
        _, axes = grid(len(measures), 1, (4.9, 2.4 * len(measures)), sharex=True)
        for number, (ax, measure) in enumerate(zip(axes, measures, strict=True)):
            part = rows[rows["measure"] == measure]
            ax.bar(
                part["left"],
                part["probability"],
                width=part["right"] - part["left"],
                align="edge",
                color=LIFTS["below" if measure == "log_min_lift" else "above"],
                hatch=("", "///")[number % 2],
                edgecolor="white",
                linewidth=0.3,
            )
            ax.set_ylabel("probability per bin")
            ax.set_title(f"({'abcdef'[number]})  {label(measure)}", loc="left")
        axes[-1].set_xlabel("log-lift (nats)")
    return axes


def below_budget(rows: pd.DataFrame) -> Axes:
    """Draw the leakage of high-risk symbols against the budget, with the diagonal (C22
    Fig. 1).

    ``rows`` has the columns of :func:`~liftbook.plots.curves`.
    """
    ax = curves(rows, "high_risk_leakage")
    with style():
        ends = [0, rows["eps"].max()]
        ax.plot(ends, ends, color="0.45", linewidth=1, label="the budget ε")
        ax.set_ylim(0, None)
        ax.legend(loc="upper left")
    return ax


def frontier(rows: pd.DataFrame) -> Axes:
    """Draw the leakage against the loss of utility, one point per budget (C22 Fig. 3).

    ``rows`` has the columns of :func:`~liftbook.plots.curves`; whiskers are one
    standard deviation of each measure.
    """
    x, y = "nmil", "leakage"
    with style():
        ax = plt.figure(figsize=(NARROW, 3.8), layout="constrained").add_subplot()
        seen = looks(dict.fromkeys(rows["series"]))
        wide = rows.pivot_table(
            index=["series", "eps"], columns="measure", values="mean"
        ).reset_index()
        note(ax, wide.rename(columns={y: "mean"}), seen, x=x, y=y, at="eps")
        for number, (name, look) in enumerate(seen.items()):
            part = rows[rows["series"] == name]
            mean, std = (
                part.pivot_table(index="eps", columns="measure", values=v)
                for v in ("mean", "std")
            )
            ax.plot(mean[x], mean[y], label=name, **look)
            ax.errorbar(
                mean[x],
                mean[y],
                std.get(y),
                std.get(x),
                fmt="none",
                ecolor=look["color"],
                alpha=0.25,
                linewidth=1,
            )
            for eps in mean.index:
                # the strictest points of the other series crowd together
                left = number == 0 or eps == mean.index[0]
                ax.annotate(
                    f"{eps:g}",
                    (mean.loc[eps, x], mean.loc[eps, y]),
                    xytext=(-5, -11) if left else (6, 4),
                    textcoords="offset points",
                    ha="right" if left else "left",
                    fontsize=9,
                    color=look["color"],
                )
        ax.margins(x=0.14)  # room for the budgets beside the curves
        ax.set_xlabel(label(x))
        ax.set_ylabel(label(y))
        ax.legend(loc="upper right")
    return ax
