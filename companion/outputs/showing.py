"""Figures as SVG, with the positions of their panels and the data of their curves."""

from __future__ import annotations

import io

from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from companion.outputs.curves import carried, described
from companion.outputs.printing import formatter

SVG = "image/svg+xml"
PAD = 3.0  # points around a panel


def panel_boxes(figure: Figure) -> list[tuple[float, float, float, float]]:
    """Return x, y, width and height of each legend and panel, in points.

    The list is empty for a figure with one panel, which is shown whole.
    """
    bbox = _whole(figure)
    panels = [
        ax for ax in figure.axes if ax.get_visible() and not hasattr(ax, "_colorbar")
    ]
    if len(panels) < 2:
        return []
    scale, left, top = 72 / figure.dpi, 72 * bbox.x0, 72 * bbox.y1
    boxes = []
    parts: list[Artist] = [*figure.legends, *panels]
    for part in parts:
        box = part.get_tightbbox()
        if box is not None:
            wide, tall = scale * box.width + 2 * PAD, scale * box.height + 2 * PAD
            boxes.append(
                (scale * box.x0 - left - PAD, top - scale * box.y1 - PAD, wide, tall)
            )
    return boxes


def _whole(figure: Figure) -> Bbox:
    """Return the bounding box of the figure and all its artists, in inches."""
    figure.draw_without_rendering()
    return Bbox.union([figure.bbox_inches, figure.get_tightbbox()])


def as_figure_svg(figure: Figure) -> str:
    """Return a figure as a transparent SVG with its panels' boxes and data."""
    boxes, bbox = panel_boxes(figure), _whole(figure)
    buffer = io.StringIO()
    with rc_context({"svg.hashsalt": "companion"}):  # the same ids in every run
        figure.savefig(
            buffer,
            format="svg",
            bbox_inches=bbox,
            transparent=True,
            metadata={"Date": None},
        )
    text = buffer.getvalue()
    said = ";".join(" ".join(f"{side:.1f}" for side in box) for box in boxes)
    rows = described(figure, (72 * bbox.x0, 72 * bbox.y1))
    return carried(text.replace("<svg ", f'<svg data-panels="{said}" ', 1), rows)


def show_as_svg() -> None:
    """Let the current notebook, if any, show figures by ``as_figure_svg``."""
    if (svg := formatter(SVG)) is not None:
        svg.for_type(Figure, as_figure_svg)
