"""Names of lines, at their ends or in one legend above the panels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.offsetbox import AnnotationBbox, DrawingArea, HPacker, TextArea

MIN_SPACING = 13.0
"""Minimum distance of two names at the ends of lines, in points."""
LEGEND_WIDTH = 4.4
"""Maximum width of a legend in inches, which a page of 390 px shows with letters of 10
px.
"""
MAX_HEIGHT = 0.96
"""Maximum height of a name, as a share of the axes, below the title."""


def above(
    figure: Figure, handles: Sequence[Artist], names: Sequence[str], most: int = 5
) -> None:
    """Draw a legend in as many columns as a phone has room for, at most ``most``."""
    for columns in range(min(most, len(names)), 0, -1):
        legend = figure.legend(
            handles, names, loc="outside upper center", ncols=columns
        )
        room = min(figure.bbox.width, LEGEND_WIDTH * figure.dpi)
        if columns == 1 or legend.get_window_extent().width <= room:
            return
        legend.remove()


def at_ends(ax: Axes, size: float = 9) -> None:
    """Write each line's name to the right of its end, in the order of the ends.

    Names do not overlap. Where lines meet at the right edge, their names are in the
    order of the lines' means. ``size`` is the font size in points.
    """
    lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    right = max(ax.get_xlim())
    drawn = [
        (
            line,
            np.asarray(line.get_ydata(), dtype=float)[
                np.asarray(line.get_xdata(orig=False), dtype=float) <= right
            ],
        )
        for line in lines
    ]
    drawn = [(line, heights[np.isfinite(heights)]) for line, heights in drawn]
    drawn = [(line, heights) for line, heights in drawn if len(heights)]
    if not drawn:
        return
    figure = ax.get_figure(root=True)
    assert figure is not None
    # the height of the axes is known once they are laid out
    figure.draw_without_rendering()
    place = ax.transData + ax.transAxes.inverted()
    ends = {
        line: float(place.transform((0.0, heights[-1]))[1]) for line, heights in drawn
    }
    means = {line: float(heights.mean()) for line, heights in drawn}
    order = sorted(ends, key=lambda line: (round(ends[line], 2), means[line]))
    step = MIN_SPACING * size / 9 * figure.dpi / 72 / ax.bbox.height
    heights = _spread([ends[line] for line in order], step)
    for line, height in zip(order, heights, strict=True):
        ax.add_artist(_entry(line, height, size))


def _entry(line: Line2D, height: float, size: float) -> AnnotationBbox:
    """Return a line's name and a sample of the line, to the right of the axes."""
    piece = DrawingArea(18, 8, 0, 0)
    sample = Line2D([0, 18], [4, 4], markevery=[1])
    sample.set(
        color=line.get_color(),
        linestyle=line.get_linestyle(),
        linewidth=line.get_linewidth(),
        marker=line.get_marker(),
    )
    piece.add_artist(sample)
    name = TextArea(
        str(line.get_label()), textprops={"fontsize": size, "color": "0.15"}
    )
    return AnnotationBbox(
        HPacker(children=[piece, name], pad=0, sep=5, align="center"),
        (1.0, height),
        xybox=(5, 0),
        xycoords="axes fraction",
        boxcoords="offset points",
        box_alignment=(0, 0.5),
        frameon=False,
        pad=0,
        annotation_clip=False,
    )


def _spread(places: Sequence[float], step: float) -> list[float]:
    """Return ascending positions at least a step apart, moved as little as possible.

    >>> _spread([0.0, 0.1, 0.9], 0.25), _spread([0.75, 0.75], 0.25)
    ([0.0, 0.25, 0.9], [0.71, 0.96])
    """
    spread = list(places)
    for at in range(1, len(spread)):
        spread[at] = max(spread[at], spread[at - 1] + step)
    top = MAX_HEIGHT
    for at in range(len(spread) - 1, -1, -1):
        spread[at] = min(spread[at], top)
        top = spread[at] - step
    return [float(place) for place in spread]
