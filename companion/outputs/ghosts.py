"""The book's curves, drawn faintly behind the curves of a rerun."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from companion.outputs.curves import taken

PATH_STYLE = "fill:none;stroke-width:4;stroke-linejoin:round;opacity:0.3"


def with_ghosts(svg: str, book: str) -> str:
    """Return a figure's SVG with the book's curves drawn behind, in the same colours.

    ``book`` has the data of the book's figure, as
    :func:`companion.outputs.curves.taken` returns them. Panels are matched by measure
    and abscissa, and curves by name; curves are clipped to the axes. A figure without
    data, or with the same data as the book's, is returned unchanged.
    """
    _, rows = taken(svg)
    if rows is None:
        return svg
    here, before = json.loads(rows), json.loads(book)
    if _data(here) == _data(before):
        return svg
    drawn = []
    pairs = zip(here["panels"], before["panels"], strict=False)
    for number, (panel, old) in enumerate(pairs):
        if (panel["measure"], panel["x"]) == (old["measure"], old["x"]):
            drawn.append(_panel(number, panel, old["rows"], here["colours"]))
    ghosts = f'<g id="ghosts">{"".join(drawn)}</g>\n'
    return re.sub(r'(?=<g id="figure_1">)', lambda _: ghosts, svg, count=1)


def _data(figure: dict[str, Any]) -> list[Any]:
    return [panel["rows"] for panel in figure["panels"]]


def _panel(
    number: int,
    panel: dict[str, Any],
    old_rows: Sequence[Sequence[Any]],
    colours: dict[str, str],
) -> str:
    """Return the book's curves of one panel, in the coordinates of the rerun's axes."""
    left, top, wide, tall = panel["box"]
    across = _scale(panel["x_limits"], panel["x_log"])
    up = _scale(panel["y_limits"], panel["y_log"])
    paths = []
    for name, colour in colours.items():
        points = []
        for row in sorted((row for row in old_rows if row[0] == name), key=_order):
            if not all(isinstance(value, int | float) for value in row[1:3]):
                continue  # NaN and infinity are no numbers in JSON
            x = left + wide * across(row[1])
            y = top + tall * (1 - up(row[2]))
            if math.isfinite(x) and math.isfinite(y):
                points.append(f"{x:.2f} {y:.2f}")
        if len(points) > 1:
            style = f"{PATH_STYLE};stroke:{html.escape(colour, quote=True)}"
            title = html.escape(f"{name}, in the book")
            paths.append(
                f'<path d="M{"L".join(points)}"'
                f' style="{style}"><title>{title}</title></path>'
            )
    box = f'x="{left:.2f}" y="{top:.2f}" width="{wide:.2f}" height="{tall:.2f}"'
    clip = f"ghost-{number}"
    return (
        f'<clipPath id="{clip}"><rect {box}/></clipPath><g'
        f' clip-path="url(#{clip})">{"".join(paths)}</g>'
    )


def _order(row: Sequence[Any]) -> float:
    """Return the sort key of a point of a curve: its parameter or abscissa."""
    key = row[3] if len(row) > 3 else row[1]
    return key if isinstance(key, int | float) else math.inf


def _scale(limits: Sequence[float], log: bool) -> Callable[[float], float]:
    """Return the function that maps an axis's limits to 0 and 1."""
    if log:
        low, high = (math.log(limit) for limit in limits)
        span = high - low
        return lambda value: (math.log(value) - low) / span if value > 0 else math.nan
    low, high = limits
    return lambda value: (value - low) / (high - low)
