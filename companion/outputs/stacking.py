"""Figures of several panels: side by side, or stacked on narrow screens.

The page shows the figure's file once per panel, cropped to the panel's box, which is
stored in the file.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Sequence

PIXELS = 4 / 3  # CSS pixels per point

Box = Sequence[float]


def size_and_boxes(svg: str) -> tuple[list[float], list[list[float]]] | None:
    """Return a figure's size and its panels' boxes, in points, or None.

    >>> size_and_boxes('<svg data-panels="1 2 3 4" width="72pt" height="36.5pt">')
    ([72.0, 36.5], [[1.0, 2.0, 3.0, 4.0]])
    """
    head = svg[:2000]
    size = re.search(r'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"', head)
    boxes = re.search(r'<svg data-panels="([^"]*)"', head)
    if not (size and boxes):
        return None
    panels = [
        [float(side) for side in box.split()] for box in boxes[1].split(";") if box
    ]
    return [float(side) for side in size.groups()], panels


def parts(size: Box, boxes: Sequence[Box]) -> list[tuple[list[float], float]]:
    """Return each part's box, stretched to fill its row, and its share of the width.

    A panel that is alone in its row is stretched only to the next column edge of the
    other rows and, if it reaches over all of them, as a legend does, not at all.
    Otherwise it would appear smaller on a narrow page, where each part is as wide as
    the page.

    Examples
    --------
    >>> boxes = [[20, 0, 60, 8], [50, 10, 49, 40], [0, 15, 45, 35]]
    >>> parts([100, 50], boxes)[0]
    ([20.0, 0, 60.0, 8], 0.6)
    >>> parts([100, 50], boxes)[1:]
    [([0.0, 10, 47.5, 40], 0.475), ([47.5, 10, 52.5, 40], 0.525)]
    >>> parts([100, 50], [[0, 0, 45, 20], [55, 0, 45, 20], [0, 25, 45, 20]])[-1]
    ([0.0, 25, 50.0, 20], 0.5)
    """
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda one: one[1]):
        # beside the one before, whose title may be higher
        if rows and box[1] < rows[-1][-1][1] + rows[-1][-1][3] / 2:
            rows[-1].append(box)
        else:
            rows.append([box])
    stretched = []
    for row in rows:
        row.sort(key=lambda box: box[0])
    between = [
        [(left[0] + left[2] + right[0]) / 2 for left, right in itertools.pairwise(row)]
        for row in rows
    ]
    for row, inner in zip(rows, between, strict=True):
        top, bottom = min(box[1] for box in row), max(box[1] + box[3] for box in row)
        columns = max(between, key=len)
        start, end = row[0][0], row[-1][0] + row[-1][2]
        if len(row) > 1 or not columns:
            edges = [0.0, *inner, float(size[0])]
        elif ends := [edge for edge in columns if edge >= end]:
            edges = [0.0, min(ends)]
        else:
            edges = [float(max(start, 0)), float(min(end, size[0]))]
        for left, right in itertools.pairwise(edges):
            stretched.append(
                ([left, top, right - left, bottom - top], (right - left) / size[0])
            )
    return stretched


def drawing(
    source: str, alt: str, size: Box, boxes: Sequence[Box], rows: str | None = None
) -> str:
    """Return the HTML of a figure: its parts, inside a link to the whole figure.

    ``size`` and ``boxes`` are as :func:`size_and_boxes` returns them; ``rows`` is the
    URL of the figure's data.
    """
    width, height = size
    image = f'<image href="{source}" width="{width}" height="{height}"/>'
    shown = parts(size, boxes) or [([0.0, 0.0, width, height], 1.0)]
    pictures = []
    for at, ((x, y, wide, tall), share) in enumerate(shown):
        least = f"min(100%, {PIXELS * wide * (0.72 if share == 1 else 0.9):.0f}px)"
        alone = share < 1 and [part_box[1] for part_box, _ in shown].count(y) == 1
        # a small panel alone in a row would have larger letters than the others
        most = f"{PIXELS * wide:.0f}px"
        style = (
            f"flex: {0 if alone else 1} 1 {100 * share - 0.01:.2f}%; min-width:"
            f" {least}; max-width: {most}"
        )
        box = f"{x:.1f} {y:.1f} {wide:.1f} {tall:.1f}"
        pictures.append(
            f'<svg viewBox="{box}" style="{style}" aria-hidden="true"'
            f' focusable="false">{image}</svg>'
        )
        if alone and at + 1 < len(shown):  # the next would be put beside it
            pictures.append('<i style="flex: 0 0 100%"></i>')
    said = html.escape(alt, quote=True)
    data = f'data-rows="{rows}" ' if rows else ""
    return (
        f'<a class="companion-drawing" href="{source}" {data}title="open alone, as'
        f' large as the window" style="max-width: {PIXELS * width:.0f}px">'
        f'<span role="img"'
        f' aria-label="{said}">{"".join(pictures)}</span></a>'
    )


def stacked(svg: str, source: str, alt: str, rows: str | None = None) -> str | None:
    """Return the HTML of an SVG figure, or None if it lacks a size or panel boxes."""
    dimensions = size_and_boxes(svg)
    return drawing(source, alt, *dimensions, rows) if dimensions else None
