"""Figures from tidy rows in one style, safe for colour-blind readers.

Each function returns the axes on which it draws; ``rows`` is a data frame, and ``ax``
defaults to new axes.
"""

from liftbook.plots.dots import shares, strips, time_and_utility
from liftbook.plots.graphs import decisions, implications
from liftbook.plots.joints import flows, lift_map, plane
from liftbook.plots.legends import at_ends
from liftbook.plots.lines import below_budget, curves, frontier, histograms, tradeoff
from liftbook.plots.multiples import panels, scatters, tables
from liftbook.plots.styling import COLOURS, LABELS, label, looks, style
from liftbook.plots.triangles import lift_sets, simplex, simplices
from lifttables.audits.picture import as_svg

__all__ = [
    "COLOURS",
    "LABELS",
    "as_svg",
    "at_ends",
    "below_budget",
    "curves",
    "decisions",
    "flows",
    "frontier",
    "histograms",
    "implications",
    "label",
    "lift_map",
    "lift_sets",
    "looks",
    "panels",
    "plane",
    "scatters",
    "shares",
    "simplex",
    "simplices",
    "strips",
    "style",
    "tables",
    "time_and_utility",
    "tradeoff",
]
