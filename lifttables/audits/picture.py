"""The plots of an audit.

Matplotlib is imported when something is drawn.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lifttables.extras import extra
from mixproof.numerics import Matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_SYMBOLS_DRAWN = 40  # maximum number of symbols in a plot


def lift_map(
    lifts: Matrix, secrets: Sequence[object], symbols: Sequence[object]
) -> Axes:
    """Draw lifts as a heat map, see :func:`liftlib.plots.lift_map`."""
    with extra("tables"):
        from liftlib import plots  # noqa: PLC0415 - takes half a second to import
    return plots.lift_map(lifts, secrets, symbols)


def as_svg(ax: Axes) -> str:
    """Return the axes' figure as SVG, and close it."""
    from matplotlib import (  # noqa: PLC0415
        pyplot as plt,
    )

    figure = ax.get_figure(root=True)
    assert figure is not None
    out = io.StringIO()
    # keep text as text, so that the reader's fonts draw characters missing from
    # matplotlib's font
    with (
        plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "liftlib"}),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(out, format="svg", metadata={"Date": None})
    plt.close(figure)
    return out.getvalue()
