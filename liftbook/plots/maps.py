"""The audit's map of lifts, in the style of the book's figures."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from companion.outputs.showing import show_as_svg
from lifttables.audits import picture
from mixproof.numerics import Matrix


def lift_map(lifts: Matrix, secrets: Sequence[str], symbols: Sequence[str]) -> Axes:
    """Draw log-lifts as a heat map, in the style of the book's figures."""
    axes = picture.lift_map(lifts, secrets, symbols)
    show_as_svg()
    return axes
