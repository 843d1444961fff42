"""The plane of min-lift and max-lift, with symbols and borders of notions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from liftbook.plots.styling import BLACK, GREY, looks, style
from liftlib.channel import Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from liftlib.notions import LiftNotion
from mixproof.numerics import Matrix

GRID_POINTS = 241
"""Grid points per side for a notion's border."""
MIN_ARROW_SHARE = 0.05
"""Minimum share of a symbol's mass that an arrow shows."""
LABEL_DISTANCE = 0.12
"""Share of the axes within which two symbols' labels would overlap."""
LABEL_SIDES = ((1, 1), (-1, 1), (1, -1), (-1, -1))
"""Positions of a label relative to its symbol (right, up), in the order in which they are tried."""


def plane(
    joint: Joint, notions: Mapping[str, LiftNotion], channel: Channel | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw each symbol at (−log Ψ, log Λ), with the borders of notions.

    A lift of 0 is drawn at the right edge.

    Parameters
    ----------
    notions : mapping of str to LiftNotion
        Notions by legend entry; each must be decided by the smallest and the largest lift.
    channel : Channel, optional
        A mechanism: an arrow leads from each symbol to each output with P(y|x) of at least 1/20.

    Raises
    ------
    InvalidParameter
        If a notion is not decided by the two extreme lifts.
    """
    for name, notion in notions.items():
        if not all(need.decides for need in notion.required_budgets(np.ones((2, 1)), np.full(2, 0.5))):
            raise InvalidParameter(f"{name}: the smallest and largest lift do not decide it; draw another notion")
    symbols = _places(joint)
    released = None if channel is None else channel.release(joint)
    outputs = np.empty((0, 2)) if released is None else _places(released)
    every = np.concatenate([symbols, outputs])
    budgets = [
        need.allowed
        for notion in notions.values()
        for need in notion.required_budgets(np.ones((2, 1)), np.full(2, 0.5))
    ]
    most = 1.15 * max(0.2, *every[np.isfinite(every)], *(budget for budget in budgets if np.isfinite(budget)))
    symbols, outputs = np.minimum(symbols, 0.97 * most), np.minimum(outputs, 0.97 * most)
    with style():
        if ax is None:
            _, ax = plt.subplots(figsize=(4.6, 4.0), layout="constrained")
        seen = looks(name.replace(" = ", "=") for name in notions)
        for (name, notion), look in zip(notions.items(), seen.values(), strict=True):
            _border(ax, notion, most, look["color"], look["linestyle"], name)
        if channel is not None and released is not None:
            for x, y in zip(*np.nonzero(channel.y_given_x(joint) >= MIN_ARROW_SHARE), strict=True):
                share = channel.y_given_x(joint)[x, y]
                way = {"arrowstyle": "->", "color": "0.45", "alpha": 0.3 + 0.7 * share, "shrinkA": 4, "shrinkB": 4}
                ax.annotate("", outputs[y], symbols[x], arrowprops=way)
            ax.scatter(
                outputs[:, 0],
                outputs[:, 1],
                40 + 900 * released.p_x,
                facecolors="none",
                edgecolors=BLACK,
                label="outputs",
            )
        ax.scatter(symbols[:, 0], symbols[:, 1], 40 + 900 * joint.p_x, color=GREY, alpha=0.75, label="symbols")
        if joint.n_public <= 8:
            for word, place, side in zip(joint.public, symbols, _sides(symbols, most), strict=True):
                ax.annotate(str(word), place, textcoords="offset points", fontsize=9, **side)
        ax.plot(0, 0, "+", color=BLACK)
        ax.set_axisbelow(True)
        ax.set_xlim(-0.03 * most, most)
        ax.set_ylim(-0.03 * most, most)
        ax.set_xlabel("−log Ψ: how far the least lift falls (nats)")
        ax.set_ylabel("log Λ: how far the largest rises (nats)")
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), markerscale=0.5)
    return ax


def _places(joint: Joint) -> Matrix:
    lifts = lift(joint)
    with np.errstate(divide="ignore"):
        places: Matrix = np.column_stack([-np.log(lifts.min(axis=0)), np.log(lifts.max(axis=0))])
    return np.maximum(places, 0.0)


def _sides(symbols: Matrix, most: float) -> list[dict[str, Any]]:
    """Return the side of each symbol's label, so that labels do not overlap."""
    corners: list[tuple[int, int]] = []
    for number, place in enumerate(symbols):
        near = np.abs(symbols[:number] - place).max(axis=1) < LABEL_DISTANCE * most
        taken = {corners[other] for other in np.flatnonzero(near)}
        corners.append(next((corner for corner in LABEL_SIDES if corner not in taken), LABEL_SIDES[0]))
    return [
        {"xytext": (6 * right, 6 * up), "ha": "left" if right > 0 else "right", "va": "bottom" if up > 0 else "top"}
        for right, up in corners
    ]


def _border(ax: Axes, notion: LiftNotion, most: float, colour: str, line: Any, name: str) -> None:
    """Draw the border of a notion, from a grid of min-lifts and max-lifts."""
    side = np.linspace(0, most, GRID_POINTS)
    right, up = np.meshgrid(side, side)
    columns = np.exp(np.stack([-right.ravel(), up.ravel()]))
    over = np.full(columns.shape[1], -np.inf)
    for need in notion.required_budgets(columns, np.full(2, 0.5)):
        over = np.maximum(over, need.needed - need.allowed)
    levels = over.reshape(right.shape)
    ax.contour(right, up, levels, [0.0], colors=[colour], linestyles=[line])
    ax.contourf(right, up, levels, [-np.inf, 0.0], colors=[colour], alpha=0.06)
    ax.plot([], [], color=colour, linestyle=line, label=name)
