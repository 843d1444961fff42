"""A chart of questions, each with a recommendation if the answer is yes."""

from __future__ import annotations

from textwrap import fill

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from liftbook.plots.styling import DARK, LIGHT

BOX = {"boxstyle": "round,pad=0.5", "facecolor": "none", "edgecolor": "0.5"}
LEAF = {"boxstyle": "round,pad=0.5", "facecolor": f"{LIGHT}33", "edgecolor": DARK}


def decisions(lines: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw questions in a column, with arrows down for no and to the right for yes.

    ``lines`` is the result of ``liftbook.figures.relatives.advice.advice``.
    """
    if ax is None:
        ax = plt.subplots(figsize=(7.2, 0.95 * len(lines)))[1]
    ax.set_axis_off()
    ax.set_xlim(0, 1)
    ax.set_ylim(-len(lines) + 0.5, 0.5)
    arrow = {"arrowstyle": "->", "color": "0.4"}
    for at, (question, use, note) in enumerate(lines[["question", "use", "note"]].itertuples(index=False)):
        ax.text(
            0.24, -at, fill(question, 30, break_on_hyphens=False), ha="center", va="center", bbox=BOX, color="black"
        )
        answer = f"{use}\n{fill(note, 36, break_on_hyphens=False)}" if note else use
        ax.text(0.78, -at, answer, ha="center", va="center", bbox=LEAF, color="black")
        ax.annotate("", (0.56, -at), (0.46, -at), arrowprops=arrow)
        if at < len(lines) - 1:
            ax.text(0.51, -at + 0.1, "yes", ha="center", color="black")
            ax.annotate("", (0.24, -at - 0.7), (0.24, -at - 0.3), arrowprops=arrow)
            ax.text(0.26, -at - 0.55, "no", color="black")
    return ax
