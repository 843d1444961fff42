"""Sets of posteriors in the plane of two beliefs, from tidy rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from liftbook.plots.legends import above
from liftbook.plots.lines import WIDTH
from liftbook.plots.styling import BLACK, DARK, LIGHT, grid, label, style


def lift_sets(rows: pd.DataFrame, ends: Sequence[Sequence[float]], prior: Sequence[float]) -> list[Axes]:
    """Draw the posteriors that each measure's bound allows, with a chord.

    ``rows`` is the result of ``liftbook.figures.lift_sets``. The midpoint of the chord between the two ``ends`` is a
    filled square if the bound allows it, else a cross. ``prior``, P_S, is a plus sign.
    """
    names = list(dict.fromkeys(rows["measure"]))
    with style():
        columns = (len(names) + 1) // 2
        figure, axes = grid(len(names), columns, (WIDTH, 5.2), sharex=True, sharey=True)
        for letter, ax, name in zip("abcdefgh", axes, names, strict=False):
            part = rows[rows["measure"] == name]
            table = part.pivot_table(index="s2", columns="s1", values="value")
            level, middle = float(part["level"].iloc[0]), float(part["middle"].iloc[0])
            beyond = np.where(np.isfinite(table), table, np.nan)
            ax.contourf(table.columns, table.index, beyond, levels=[0, level], colors=[LIGHT], alpha=0.45)
            ax.contour(table.columns, table.index, beyond, levels=[level], colors=[DARK], linewidths=1.2)
            (x1, y1), (x2, y2) = (end[:2] for end in ends)
            ax.plot([x1, x2], [y1, y2], color="black", marker="o", linewidth=1, label="two outputs, allowed")
            allowed = middle <= level + 1e-12  # the middle of an edge may round either way
            ax.plot(
                (x1 + x2) / 2,
                (y1 + y2) / 2,
                linestyle="none",
                color=DARK if allowed else BLACK,
                marker="s" if allowed else "X",
                markersize=7 if allowed else 10,
                label="merged, allowed" if allowed else "merged, not allowed",
            )
            ax.plot(*prior[:2], linestyle="none", marker="+", color="black", markersize=8, label="prior")
            ax.set_title(f"({letter})  {label(name)}", loc="left")
            ax.set_aspect("equal")
            ax.set_xlim(0, part["s1"].max())
            ax.set_ylim(0, part["s2"].max())
        for ax in axes[-columns:]:
            ax.set_xlabel("P(s₁|y)")
        for ax in axes[::columns]:
            ax.set_ylabel("P(s₂|y)")
        handles = {name: handle for ax in axes for handle, name in zip(*ax.get_legend_handles_labels(), strict=True)}
        above(figure, list(handles.values()), list(handles), 2)
    return axes
