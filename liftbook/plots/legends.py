"""The one legend of a figure, above its panels."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.figure import Figure


def above(figure: Figure, handles: Sequence[Artist], names: Sequence[str], most: int = 5) -> None:
    """Draw a legend in as many columns, ``most`` at most, as the figure is wide enough for."""
    for columns in range(min(most, len(names)), 0, -1):
        legend = figure.legend(handles, names, loc="outside upper center", ncols=columns)
        if columns == 1 or legend.get_window_extent().width <= figure.bbox.width:
            return
        legend.remove()
