"""The book's curves, drawn faintly behind the curves of a rerun."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Sequence
from typing import Any

from companion.outputs.live import taken

PATH_STYLE = "fill:none;stroke-width:4;stroke-linejoin:round;opacity:0.3"


def with_ghosts(svg: str, book: str) -> str:
    """Return a figure's SVG with the book's curves drawn behind, in the same colours.

    ``book`` has the data of the book's figure, as :func:`companion.outputs.live.taken` returns them. Panels are matched
    by measure and abscissa, and curves by name; curves are clipped to the axes. A figure without data, or with the same
    data as the book's, is returned unchanged.
    """
    _, rows = taken(svg)
    if rows is None:
        return svg
    here, before = json.loads(rows), json.loads(book)
    if [panel["rows"] for panel in here["panels"]] == [panel["rows"] for panel in before["panels"]]:
        return svg
    colours = {series["name"]: series["colour"] for series in here["series"]}
    drawn = [
        _panel(number, panel, old, colours)
        for number, (panel, old) in enumerate(zip(here["panels"], before["panels"], strict=False))
        if panel["measure"] == old["measure"] and panel["x"] == old["x"]
    ]
    return re.sub(r'(?=<g id="figure_1">)', lambda _: f'<g id="ghosts">{"".join(drawn)}</g>\n', svg, count=1)


def _panel(number: int, panel: dict[str, Any], old: dict[str, Any], colours: dict[str, str]) -> str:
    left, top, wide, tall = panel["box"]
    across, up = _scale(panel["x_limits"], panel["x_log"]), _scale(panel["y_limits"], panel["y_log"])
    paths = []
    for name in dict.fromkeys(row[0] for row in old["rows"]):
        points = [
            (left + wide * across(row[1]), top + tall * (1 - up(row[2])))
            for row in sorted((row for row in old["rows"] if row[0] == name), key=lambda row: _order(old, row))
            if isinstance(row[1], int | float) and isinstance(row[2], int | float)
        ]
        shown = [f"{x:.2f} {y:.2f}" for x, y in points if math.isfinite(x) and math.isfinite(y)]
        if name in colours and len(shown) > 1:
            colour, title = html.escape(colours[name], quote=True), html.escape(f"{name}, in the book")
            paths.append(
                f'<path d="M{"L".join(shown)}" style="{PATH_STYLE};stroke:{colour}"><title>{title}</title></path>'
            )
    box = f'<rect x="{left:.2f}" y="{top:.2f}" width="{wide:.2f}" height="{tall:.2f}"/>'
    clip = f"ghost-{number}"
    return f'<clipPath id="{clip}">{box}</clipPath><g clip-path="url(#{clip})">{"".join(paths)}</g>'


def _order(panel: dict[str, Any], row: Sequence[Any]) -> Any:
    """Return the sort key of a point of a curve: its parameter or abscissa."""
    at = row[panel["columns"].index(panel["at"])] if panel["at"] else row[1]
    return at if isinstance(at, int | float) else math.inf


def _scale(limits: Sequence[float], log: bool) -> Any:
    """Return the linear or logarithmic function that maps an axis's limits to 0 and 1."""
    if log:
        low, high = (math.log(limit) for limit in limits)
        return lambda value: (math.log(value) - low) / (high - low) if value > 0 else math.nan
    low, high = limits
    return lambda value: (value - low) / (high - low)
