"""The data of a figure and the style of its lines, for a live chart.

Code that draws curves registers their data rows for the axes (:func:`note`). If all panels of a figure are registered,
its SVG contains the rows, which :func:`taken` extracts, so that picture and chart always show the same data.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

OPTIONAL_COLUMNS = ("mean", "std", "low", "high", "n")  # columns that rows may have besides series and abscissa
# lengths of strokes and gaps, in pixels, of matplotlib's named lines
DASHES: Mapping[Any, list[int]] = {"-": [], "--": [6, 3], "-.": [6, 3, 1, 3], ":": [1, 3]}

_NOTED: WeakKeyDictionary[Axes, dict[str, Any]] = WeakKeyDictionary()
_PLACE = re.compile(r'<metadata id="lift-rows">(.*?)</metadata>\n?', re.DOTALL)


def one_facet(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return a single facet, "curve", for each series.

    >>> one_facet(["a", "b"])
    {'a': {'curve': 'a'}, 'b': {'curve': 'b'}}
    """
    return {name: {"curve": name} for name in names}


def note(
    ax: Axes,
    rows: pd.DataFrame,
    looks: Mapping[str, Mapping[str, Any]],
    *,
    x: str,
    y: str,
    spread: bool = True,
    at: str | None = None,
    label: Callable[[str], str] = str,
    facets: Callable[[Sequence[str]], Mapping[str, Mapping[str, str]]] = one_facet,
) -> None:
    """Register the data rows that are drawn on axes.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    rows : pandas.DataFrame
        Columns ``series``, ``x`` and ``mean``, and optionally ``std``, ``low``, ``high`` and ``n``.
    looks : mapping of str to mapping
        Matplotlib's ``color`` and ``linestyle`` for each series.
    x, y : str, keyword-only
        The column of the abscissa, and the name of the measure that is drawn.
    spread : bool, keyword-only
        Whether the band around the mean is drawn.
    at : str, optional, keyword-only
        Column that orders the points; by default, the abscissa.
    label : callable, optional, keyword-only
        Maps a column or measure to its label, with the unit.
    facets : callable, optional, keyword-only
        Maps the names of a figure's series to each one's facets, a value by kind, by which readers select series.
    """
    columns = [column for column in ("series", x, *([at] if at else []), *OPTIONAL_COLUMNS) if column in rows]
    known = rows["series"].isin(list(looks))
    _NOTED[ax] = {
        "rows": rows.loc[known, columns],
        "looks": looks,
        "x": x,
        "measure": y,
        "at": at,
        "spread": spread,
        "lines": [],
        "label": label,
        "facets": facets,
    }


def note_line(ax: Axes, points: Sequence[tuple[float, float]], name: str) -> None:
    """Register a reference line, if the axes have registered rows."""
    if ax in _NOTED:
        _NOTED[ax]["lines"].append({"name": name, "points": [[float(x), float(y)] for x, y in points]})


def dashes(line: Any) -> list[int]:
    """Return a line style's dash pattern: lengths of strokes and gaps, in pixels.

    >>> dashes("--"), dashes((0, (5, 1)))
    ([6, 3], [8, 2])
    """
    return DASHES[line] if isinstance(line, str) else [round(1.6 * length) for length in line[1]]


def described(figure: Figure, corner: tuple[float, float] = (0.0, 0.0)) -> str | None:
    """Return a figure's live chart as JSON, or None if a panel is not registered.

    ``corner`` is the upper left corner of the visible area, in points from the figure's lower left corner. The JSON has
    ``panels``, each with ``title``, labels, scales, limits, ``rows``, and the ``box`` of its axes (left, top, width and
    height in points from ``corner``); and ``series``, each with ``name``, ``colour``, ``dash`` and ``facets``. Infinity
    is encoded as a string, and NaN as null.
    """
    axes = [ax for ax in figure.axes if ax.get_visible() and not hasattr(ax, "_colorbar")]
    if not axes or not all(ax in _NOTED for ax in axes):
        return None
    looks = {name: look for ax in axes for name, look in _NOTED[ax]["looks"].items()}
    shown = {name for ax in axes for name in _NOTED[ax]["rows"]["series"]}
    names = [name for name in looks if name in shown]
    parts = _NOTED[axes[0]]["facets"](names)
    series = [
        {"name": name, "colour": looks[name]["color"], "dash": dashes(looks[name]["linestyle"]), "facets": parts[name]}
        for name in names
    ]
    return json.dumps({"panels": [_panel(ax, corner) for ax in axes], "series": series}, ensure_ascii=False)


def _panel(ax: Axes, corner: tuple[float, float]) -> dict[str, Any]:
    noted, scale, box = _NOTED[ax], 72 / ax.figure.dpi, ax.get_window_extent()
    rows, label = noted["rows"], noted["label"]
    title = " ".join((ax.get_title(loc="left") or ax.get_title()).split())
    bottom, top = ax.get_ylim()
    return {
        "title": title or label(noted["measure"]),
        "measure": noted["measure"],
        "x": noted["x"],
        "x_label": ax.get_xlabel() or label(noted["x"]),
        "y_label": label(noted["measure"]),
        "at": noted["at"],
        "x_log": ax.get_xscale() == "log",
        "y_log": ax.get_yscale() == "log",
        "x_limits": list(ax.get_xlim()),
        "y_limits": [bottom, top],
        "box": [scale * box.x0 - corner[0], corner[1] - scale * box.y1, scale * box.width, scale * box.height],
        "spread": noted["spread"],
        "lines": noted["lines"],
        "columns": list(rows.columns),
        "rows": [[_plain(value) for value in row] for row in rows.itertuples(index=False)],
    }


def _plain(value: Any) -> Any:
    """Return a value as a JSON type: infinity as a string, NaN as None."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def carried(svg: str, rows: str | None) -> str:
    """Return an SVG with a chart's JSON data embedded as metadata."""
    if rows is None:
        return svg
    body, end, rest = svg.rpartition("</svg>")
    return f'{body}<metadata id="lift-rows">{html.escape(rows, quote=False)}</metadata>\n{end}{rest}'


def taken(svg: str) -> tuple[str, str | None]:
    """Return an SVG without its embedded data, and the data or None.

    >>> taken(carried("<svg></svg>", '{"rows": "a < b"}'))
    ('<svg></svg>', '{"rows": "a < b"}')
    """
    match = _PLACE.search(svg)
    return (svg, None) if match is None else (svg[: match.start()] + svg[match.end() :], html.unescape(match[1]))
