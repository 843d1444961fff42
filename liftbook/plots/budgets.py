"""Leakage against its budget, and against loss of utility, from tidy rows."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from companion.outputs.live import note_line
from liftbook.plots.lines import curves
from liftbook.plots.live import note
from liftbook.plots.styling import label, looks, style


def below_budget(rows: pd.DataFrame, measure: str = "high_risk_leakage") -> Axes:
    """Draw a leakage against the budget, with the diagonal (C22 Fig. 1).

    ``rows`` has the columns of :func:`~liftbook.plots.lines.curves`.
    """
    ax = curves(rows, measure)
    with style():
        ends = [0, rows["eps"].max()]
        ax.plot(ends, ends, color="0.45", linewidth=1, label="the budget ε")
        note_line(ax, [(end, end) for end in ends], "the budget ε")
        ax.set_ylim(0, None)
        ax.legend(loc="upper left")
    return ax


def frontier(rows: pd.DataFrame, x: str = "nmil", y: str = "leakage") -> Axes:
    """Draw one measure against another, one point per budget (C22 Fig. 3).

    ``rows`` has the columns of :func:`~liftbook.plots.lines.curves`; whiskers are one standard deviation of each
    measure.
    """
    with style():
        ax = plt.figure(figsize=(5.6, 4.0), layout="constrained").add_subplot()
        seen = looks(dict.fromkeys(rows["series"]))
        wide = rows.pivot_table(index=["series", "eps"], columns="measure", values="mean").reset_index()
        note(ax, wide.rename(columns={y: "mean"}), seen, x=x, y=y, spread=False, at="eps")
        for number, (name, look) in enumerate(seen.items()):
            part = rows[rows["series"] == name]
            mean, std = (part.pivot_table(index="eps", columns="measure", values=v) for v in ("mean", "std"))
            ax.plot(mean[x], mean[y], label=name, **look)
            ax.errorbar(
                mean[x], mean[y], std.get(y), std.get(x), fmt="none", ecolor=look["color"], alpha=0.25, linewidth=1
            )
            for eps in mean.index:
                left = number == 0 or eps == mean.index[0]  # the strictest points of the other series crowd together
                ax.annotate(
                    f"{eps:g}",
                    (mean.loc[eps, x], mean.loc[eps, y]),
                    xytext=(-5, -11) if left else (6, 4),
                    textcoords="offset points",
                    ha="right" if left else "left",
                    fontsize=9,
                    color=look["color"],
                )
        ax.set_xlabel(label(x))
        ax.set_ylabel(label(y))
        ax.legend(loc="upper right")
    return ax
