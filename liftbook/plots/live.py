"""The rows behind a figure, with what its lines look like: a page draws a live chart from them.

Whoever draws curves notes their rows at the axes (:func:`note`). A figure whose panels are all noted carries them in
its SVG, where :func:`taken` finds them, so that picture and chart are always of the same rows.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from liftbook.plots.styling import MECHANISM_LOOKS, NOTION_LOOKS, label

COLUMNS = ("mean", "std", "low", "high", "n")
"""What a row may have besides its series and its abscissa."""

DASHES: Mapping[Any, list[int]] = {"-": [], "--": [6, 3], "-.": [6, 3, 1, 3], ":": [1, 3]}
"""Lengths of strokes and gaps, in pixels, of matplotlib's named lines."""

_NOTED: WeakKeyDictionary[Axes, dict[str, Any]] = WeakKeyDictionary()
_PLACE = re.compile(r'<metadata id="lift-rows">(.*?)</metadata>\n?', re.DOTALL)


def note(
    ax: Axes,
    rows: pd.DataFrame,
    looks: Mapping[str, Mapping[str, Any]],
    *,
    x: str,
    y: str,
    spread: bool = True,
    at: str | None = None,
) -> None:
    """Remember what is drawn on axes.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    rows : pandas.DataFrame
        Columns ``series``, ``x``, ``mean``, and ``std``, ``low``, ``high``, ``n`` where it has them.
    looks : mapping of str to mapping
        Of each series, as :func:`~liftbook.plots.styling.looks` returns them.
    x, y : str, keyword-only
        The abscissa's column, and the measure that ``mean`` is of.
    spread : bool, keyword-only
        Whether the band is drawn.
    at : str, optional, keyword-only
        Column of what a point stands for where that is not its abscissa; it orders the points.
    """
    kept = [one for one in ("series", x, *([at] if at else []), *COLUMNS) if one in rows]
    known = rows["series"].isin(list(looks))
    _NOTED[ax] = {
        "rows": rows.loc[known, kept],
        "looks": looks,
        "x": x,
        "measure": y,
        "at": at,
        "spread": spread,
        "lines": [],
    }


def note_line(ax: Axes, points: Sequence[tuple[float, float]], name: str) -> None:
    """Remember a line of reference on axes that are noted."""
    if ax in _NOTED:
        _NOTED[ax]["lines"].append({"name": name, "points": [[float(x), float(y)] for x, y in points]})


def dashes(line: Any) -> list[int]:
    """Return a line's strokes and gaps in pixels.

    >>> dashes("--"), dashes((0, (5, 1)))
    ([6, 3], [8, 2])
    """
    return DASHES[line] if isinstance(line, str) else [round(1.6 * length) for length in line[1]]


def facets(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return what each series is of: its mechanism, its notion, its share λ, where the names of all say no more.

    Examples
    --------
    >>> facets(["LDP", "ALIP, λ=0.5"])
    {'LDP': {'notion': 'LDP'}, 'ALIP, λ=0.5': {'notion': 'ALIP', 'share λ': '0.5'}}
    >>> facets(["AORR", "SRR"])
    {'AORR': {'mechanism': 'AORR'}, 'SRR': {'mechanism': 'SRR'}}
    >>> facets(["optimum", "optimum, S seen"])
    {'optimum': {'curve': 'optimum'}, 'optimum, S seen': {'curve': 'optimum, S seen'}}
    """
    found = {name: _parts(name) for name in names}
    split = {json.dumps(one, sort_keys=True) for one in found.values()}
    if all(found.values()) and len(split) == len(found):
        return found
    return {name: {"curve": name} for name in found}


def _parts(name: str) -> dict[str, str]:
    """Return a series' parts by what they are, nothing where one is unknown."""
    found: dict[str, str] = {}
    for part in name.split(", "):
        plain = part.replace("-", " ")
        known = "notion" if plain in NOTION_LOOKS else "mechanism" if _is_mechanism(plain) else ""
        kind, said = ("share λ", part[2:]) if part.startswith("λ=") else (known, part)
        if not kind or kind in found:
            return {}
        found[kind] = said
    return found


def _is_mechanism(name: str) -> bool:
    return name in MECHANISM_LOOKS or name in ("optimal", "optimal response", "optimum", "tailored")


def described(figure: Figure) -> str | None:
    """Return what a live chart of a figure needs, as JSON; None where one of its panels is not noted.

    Returns
    -------
    str
        ``panels``, each with ``title``, labels, scales, limits of the ordinate and ``rows``; ``series``, each with
        ``name``, ``colour``, ``dash``, ``facets``. Infinity is a text; what is missing is null.
    """
    axes = [ax for ax in figure.axes if ax.get_visible() and not hasattr(ax, "_colorbar")]
    if not axes or not all(ax in _NOTED for ax in axes):
        return None
    looks = {name: look for ax in axes for name, look in _NOTED[ax]["looks"].items()}
    shown = {name for ax in axes for name in _NOTED[ax]["rows"]["series"]}
    names = [name for name in looks if name in shown]
    parts = facets(names)
    series = [
        {"name": name, "colour": looks[name]["color"], "dash": dashes(looks[name]["linestyle"]), "facets": parts[name]}
        for name in names
    ]
    return json.dumps({"panels": [_panel(ax) for ax in axes], "series": series}, ensure_ascii=False)


def _panel(ax: Axes) -> dict[str, Any]:
    noted = _NOTED[ax]
    rows = noted["rows"]
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
        "y_limits": [bottom, top],
        "spread": noted["spread"],
        "lines": noted["lines"],
        "columns": list(rows.columns),
        "rows": [[_plain(value) for value in row] for row in rows.itertuples(index=False)],
    }


def _plain(value: Any) -> Any:
    """Return a value as JSON has it, exactly."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def carried(svg: str, rows: str | None) -> str:
    """Return an SVG with a chart's rows in it."""
    if rows is None:
        return svg
    body, end, rest = svg.rpartition("</svg>")
    return f'{body}<metadata id="lift-rows">{html.escape(rows, quote=False)}</metadata>\n{end}{rest}'


def taken(svg: str) -> tuple[str, str | None]:
    """Return an SVG without its rows, and the rows, None where it has none.

    >>> taken(carried("<svg></svg>", '{"rows": "a < b"}'))
    ('<svg></svg>', '{"rows": "a < b"}')
    """
    found = _PLACE.search(svg)
    return (svg, None) if found is None else (svg[: found.start()] + svg[found.end() :], html.unescape(found[1]))
