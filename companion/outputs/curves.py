"""The data of a figure's curves, which its SVG carries.

Code that draws curves registers their rows for the axes (:func:`note`). If all panels
of a figure are registered, its SVG contains the rows, which :func:`taken` extracts. The
curves of a rerun are drawn over these (``ghosts``), and readers may sketch one of them
before they look (``companion.sphinx.guess``).
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_NOTED: WeakKeyDictionary[Axes, dict[str, Any]] = WeakKeyDictionary()
_PLACE = re.compile(r'<metadata id="companion-rows">(.*?)</metadata>\n?', re.DOTALL)


def note(
    ax: Axes,
    rows: pd.DataFrame,
    looks: Mapping[str, Mapping[str, Any]],
    *,
    x: str,
    y: str,
    at: str | None = None,
    label: Callable[[str], str] = str,
) -> None:
    """Register the data rows that are drawn on axes.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    rows : pandas.DataFrame
        Columns ``series``, ``x`` and ``mean``, and ``at`` if it is given.
    looks : mapping of str to mapping
        Matplotlib's ``color`` for each series; rows of other series are left out.
    x, y : str, keyword-only
        The column of the abscissa, and the name of the measure that is drawn.
    at : str, optional, keyword-only
        Column that orders the points of a curve; by default, the abscissa.
    label : callable, optional, keyword-only
        Maps a column or measure to its label, with the unit.
    """
    columns = ["series", x, "mean"]
    if at is not None:
        columns.append(at)
    known = rows[rows["series"].isin(list(looks))]
    drawn = set(known["series"])
    _NOTED[ax] = {
        "rows": known[columns],
        "colours": {
            name: look["color"] for name, look in looks.items() if name in drawn
        },
        "x": x,
        "measure": y,
        "label": label,
    }


def described(figure: Figure, corner: tuple[float, float] = (0.0, 0.0)) -> str | None:
    """Return the curves of a figure as JSON, or None if a panel is not registered.

    ``corner`` is the upper left corner of the visible area, in points from the figure's
    lower left corner. The JSON has ``panels``, each with names, labels, scales and
    limits of its axes, their ``box`` (left, top, width and height in points from
    ``corner``), and ``rows``: series, abscissa, ordinate, and the order along the curve
    if it is another column; and ``colours`` by series. Infinity is encoded as a string,
    and NaN as null.
    """
    axes = [
        ax for ax in figure.axes if ax.get_visible() and not hasattr(ax, "_colorbar")
    ]
    if not axes or not all(ax in _NOTED for ax in axes):
        return None
    colours: dict[str, str] = {}
    for ax in axes:
        colours |= _NOTED[ax]["colours"]
    panels = [_panel(ax, corner) for ax in axes]
    return json.dumps({"panels": panels, "colours": colours}, ensure_ascii=False)


def _panel(ax: Axes, corner: tuple[float, float]) -> dict[str, Any]:
    noted, scale, box = _NOTED[ax], 72 / ax.figure.dpi, ax.get_window_extent()
    label, (left, top) = noted["label"], corner
    rows = noted["rows"].itertuples(index=False)
    return {
        "measure": noted["measure"],
        "x": noted["x"],
        "x_label": ax.get_xlabel() or label(noted["x"]),
        "y_label": label(noted["measure"]),
        "x_log": ax.get_xscale() == "log",
        "y_log": ax.get_yscale() == "log",
        "x_limits": list(ax.get_xlim()),
        "y_limits": list(ax.get_ylim()),
        "box": [
            scale * box.x0 - left,
            top - scale * box.y1,
            scale * box.width,
            scale * box.height,
        ],
        "rows": [[_plain(value) for value in row] for row in rows],
    }


def _plain(value: Any) -> Any:
    """Return a value as a JSON type: infinity as a string, NaN as None."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def carried(svg: str, rows: str | None) -> str:
    """Return an SVG with the JSON of its curves embedded as metadata."""
    if rows is None:
        return svg
    body, end, rest = svg.rpartition("</svg>")
    data = html.escape(rows, quote=False)
    return f'{body}<metadata id="companion-rows">{data}</metadata>\n{end}{rest}'


def taken(svg: str) -> tuple[str, str | None]:
    """Return an SVG without its embedded data, and the data or None.

    >>> taken(carried("<svg></svg>", '{"rows": "a < b"}'))
    ('<svg></svg>', '{"rows": "a < b"}')
    """
    match = _PLACE.search(svg)
    if match is None:
        return svg, None
    return svg[: match.start()] + svg[match.end() :], html.unescape(match[1])
