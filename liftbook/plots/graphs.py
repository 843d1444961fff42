"""A graph of notions, with solid arrows for implications; and a chart of questions."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.text import Annotation, Text

from liftbook.plots.styling import BLACK, DARK, GREY, LIGHT, style


def implications(
    places: pd.DataFrame, arrows: pd.DataFrame, gaps: pd.DataFrame
) -> Axes:
    """Draw which notion implies which.

    Parameters
    ----------
    places : pandas.DataFrame
        Columns ``key``, ``name``, ``column``, ``row``.
    arrows, gaps : pandas.DataFrame
        Columns ``tail``, ``head``. Arrows are solid, labelled by the column ``number``;
        gaps are dashed.
    """
    at = dict(
        zip(
            places["key"],
            zip(3.0 * places["column"], -1.5 * places["row"], strict=True),
            strict=True,
        )
    )
    with style():
        figure, ax = plt.subplots(figsize=(4.4, 6.6))
        ax.set(xlim=(-0.95, 3.95), ylim=(-1.5 * float(places["row"].max()) - 0.5, 0.5))
        ax.axis("off")
        figure.tight_layout(pad=0.2)
        boxes = {}
        for key, name in zip(places["key"], places["name"], strict=True):
            boxes[key] = ax.annotate(
                name,
                at[key],
                ha="center",
                va="center",
                fontsize=11,
                bbox={
                    "boxstyle": "round,pad=0.35",
                    "facecolor": "white",
                    "edgecolor": "0.5",
                },
                zorder=3,
            )
        # an arrow ends at a box, whose size is known once it is drawn
        figure.draw_without_rendering()
        reversed_edges = {(edge.head, edge.tail) for edge in arrows.itertuples()}
        for edge in arrows.itertuples():
            _arrow(
                ax,
                boxes[edge.tail],
                boxes[edge.head],
                BLACK,
                "-",
                str(edge.number),
                paired=(edge.tail, edge.head) in reversed_edges,
            )
        for edge in gaps.drop_duplicates(["tail", "head"]).itertuples():
            _arrow(
                ax,
                boxes[edge.tail],
                boxes[edge.head],
                GREY,
                (0, (4, 3)),
                "",
                paired=True,
            )
    return ax


def _arrow(
    ax: Axes,
    tail: Annotation,
    head: Annotation,
    colour: str,
    line: Any,
    number: str,
    *,
    paired: bool,
) -> None:
    bend = 0.16 if paired else 0.0
    start, end = np.array(tail.xy), np.array(head.xy)
    ax.annotate(
        "",
        head.xy,
        tail.xy,
        zorder=2,
        arrowprops={
            "arrowstyle": "-|>",
            "color": colour,
            "linestyle": line,
            "linewidth": 1.3,
            "patchA": tail.get_bbox_patch(),
            "patchB": head.get_bbox_patch(),
            "shrinkA": 1,
            "shrinkB": 1,
            "connectionstyle": f"arc3,rad={bend}",
        },
    )
    if number:
        along = end - start
        spot = start + 0.4 * along + np.array([along[1], -along[0]]) * bend / 2
        ax.annotate(
            number,
            (float(spot[0]), float(spot[1])),
            ha="center",
            va="center",
            fontsize=9,
            zorder=4,
            bbox={
                "boxstyle": "circle,pad=0.12",
                "facecolor": "white",
                "edgecolor": "none",
            },
        )


BOX = {"boxstyle": "round,pad=0.5", "facecolor": "none", "edgecolor": "0.5"}
LEAF = {"boxstyle": "round,pad=0.5", "facecolor": f"{LIGHT}33", "edgecolor": DARK}


def join(ax: Axes, start: Text, end: Text, arrow: Mapping[str, Any]) -> None:
    """Draw an arrow from the border of one box to the border of another."""
    ax.figure.canvas.draw()  # the boxes get their sizes
    ends = {
        "patchA": start.get_bbox_patch(),
        "patchB": end.get_bbox_patch(),
        "shrinkA": 1,
        "shrinkB": 1,
    }
    ax.annotate(
        "", end.get_position(), start.get_position(), arrowprops={**arrow, **ends}
    )


def decisions(lines: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw questions in a column, with arrows down for no and to the right for yes.

    ``lines`` is the result of ``liftbook.figures.relatives.advice.advice``.
    """
    if ax is None:
        # narrow, so that its words can be read on a phone
        ax = plt.subplots(figsize=(4.8, 1.25 * len(lines)))[1]
    ax.set_axis_off()
    ax.set_xlim(0, 1)
    ax.set_ylim(-len(lines) + 0.5, 0.5)
    arrow = {"arrowstyle": "->", "color": "0.4"}
    boxes = []
    for at, (question, use, note) in enumerate(
        lines[["question", "use", "note"]].itertuples(index=False)
    ):
        asked = fill(question, 21, break_on_hyphens=False)
        said = fill(note, 24, break_on_hyphens=False)
        answer = f"{use}\n{said}" if said else use
        boxes.append(
            ax.text(0.2, -at, asked, ha="center", va="center", bbox=BOX, color="black")
        )
        leaf = ax.text(
            0.78, -at, answer, ha="center", va="center", bbox=LEAF, color="black"
        )
        join(ax, boxes[-1], leaf, arrow)
        if at < len(lines) - 1:
            ax.text(0.49, -at + 0.06, "yes", ha="center", color="black")
            ax.text(0.22, -at - 0.53, "no", color="black")
    for above, below in pairwise(boxes):
        join(ax, above, below, arrow)
    return ax
