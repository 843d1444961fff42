"""Distributions on three symbols in a triangle, and sets of posteriors in the plane of
two beliefs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Polygon
from numpy.typing import ArrayLike

from liftbook.plots.legends import above
from liftbook.plots.lines import WIDTH
from liftbook.plots.styling import BLACK, DARK, LIGHT, grid, label, looks, style
from liftlib.errors import InvalidParameter
from mixproof.numerics import Matrix, xlogx

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
"""Corners of the triangle, where one symbol has probability 1."""


def simplex(
    polytopes: Mapping[str, ArrayLike],
    *,
    centre: ArrayLike | None = None,
    chosen: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    names: Sequence[str] = ("a", "b", "c"),
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw polytopes of distributions on three symbols, by their vertices.

    Grey curves are level sets of entropy.

    Parameters
    ----------
    polytopes : mapping of str to array_like, shape (M, 3)
        Vertices of each convex set, in any order, by legend entry.
    centre : array_like, shape (3,), optional, keyword-only
        P_X, drawn as a cross.
    chosen, weights : array_like, shapes (K, 3) and (K,), optional, keyword-only
        Vertices in a mixture, drawn as circles whose size grows with the weight.
    names, title : sequence of str, str, keyword-only
        Names of the symbols at the corners, and the panel title.

    Raises
    ------
    InvalidParameter
        If points are not rows of three numbers, or the mean of ``chosen`` with these
        ``weights`` is not the ``centre``.
    """
    with style():
        if ax is None:
            ax = plt.figure(figsize=(4.4, 4.2), layout="constrained").add_subplot()
        _entropy_curves(ax)
        ax.add_patch(
            Polygon(
                CORNERS.tolist(),
                closed=True,
                fill=False,
                edgecolor="0.3",
                linewidth=1.0,
            )
        )
        seen = looks(polytopes)
        for number, (name, vertices) in enumerate(polytopes.items()):
            corners = _around(_flat(name, vertices))
            colour = seen[name]["color"]
            look = {
                "edgecolor": colour,
                "linestyle": seen[name]["linestyle"],
                "linewidth": 1.6,
            }
            ax.add_patch(
                Polygon(
                    corners.tolist(),
                    closed=True,
                    facecolor=colour + "22",
                    label=name,
                    **look,
                )
            )
            ax.plot(
                *corners.T,
                linestyle="none",
                marker=("s", "^", "D", "v")[number % 4],
                color=colour,
            )
        if chosen is not None:
            at = _flat("chosen", chosen)
            share = (
                np.ones(len(at)) / len(at)
                if weights is None
                else np.asarray(weights, dtype=np.float64)
            )
            mean, middle = share @ np.asarray(chosen), np.asarray(centre)
            given = weights is not None and centre is not None
            if given and not np.allclose(mean, middle):
                raise InvalidParameter(
                    f"the mean of chosen is {mean.round(3)}, and the centre {middle}:"
                    " give each weight its own vertex"
                )
            ring: dict[str, Any] = {
                "facecolor": "none",
                "edgecolor": "black",
                "linewidth": 1.4,
                "zorder": 4,
            }
            ax.scatter(at[:, 0], at[:, 1], s=60 + 500 * share, label="used", **ring)
        if centre is not None:
            ax.plot(
                *_flat("centre", np.atleast_2d(np.asarray(centre))).T,
                linestyle="none",
                marker="x",
                color="black",
                label="$P_X$",
            )
        for corner, name, (dx, dy, horizontal) in zip(
            CORNERS,
            names,
            ((-0.03, -0.03, "right"), (0.03, -0.03, "left"), (0.0, 0.03, "center")),
            strict=True,
        ):
            ax.text(
                corner[0] + dx,
                corner[1] + dy,
                name,
                ha=horizontal,
                va="bottom" if dy > 0 else "top",
            )
        ax.set_title(title, loc="left")
        ax.set_aspect("equal")
        ax.set_axis_off()
        ax.set_xlim(-0.1, 1.1)
        ax.set_ylim(-0.1, 0.97)
    return ax


def simplices(panels: Sequence[Mapping[str, Any]]) -> list[Axes]:
    """Draw several triangles side by side, with one legend above.

    ``panels`` contains the arguments of :func:`simplex` for each panel; the legend is
    taken from the first.
    """
    with style():
        figure, axes = grid(
            len(panels), len(panels), (min(WIDTH, 3.6 * len(panels)), 3.9)
        )
        for panel, ax in zip(panels, axes, strict=True):
            simplex(**panel, ax=ax)
        handles, names = axes[0].get_legend_handles_labels()
        above(figure, handles, names, 3)
    return axes


def _flat(name: str, points: ArrayLike) -> Matrix:
    rows = np.asarray(points, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise InvalidParameter(
            f"{name} has shape {rows.shape}: give a row of three probabilities for each"
            " point"
        )
    return np.asarray(rows @ CORNERS)


def _around(points: Matrix) -> Matrix:
    """Return points in angular order around their mean."""
    x, y = (points - points.mean(axis=0)).T
    return np.asarray(points[np.argsort(np.arctan2(y, x))])


def _entropy_curves(ax: Axes) -> None:
    steps = np.linspace(0, 1, 201)
    second, third = np.meshgrid(steps, steps)
    first = 1 - second - third
    inside = first >= -1e-12
    v = np.stack(
        [
            np.where(inside, np.maximum(first, 0), 1.0),
            np.where(inside, second, 0),
            np.where(inside, third, 0),
        ]
    )
    entropy = np.where(inside, -xlogx(v).sum(axis=0), np.nan)
    x, y = second + third / 2, third * CORNERS[2, 1]
    ax.contour(
        x,
        y,
        entropy,
        levels=[0.3, 0.5, 0.7, 0.9, 1.05],
        colors="0.82",
        linewidths=0.8,
        zorder=0,
    )


def lift_sets(
    rows: pd.DataFrame, ends: Sequence[Sequence[float]], prior: Sequence[float]
) -> list[Axes]:
    """Draw the posteriors that each measure's bound allows, with a chord.

    ``rows`` is the result of ``liftbook.figures.lift_sets``. The midpoint of the chord
    between the two ``ends`` is a filled square if the bound allows it, else a cross.
    ``prior``, P_S, is a plus sign.
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
            ax.contourf(
                table.columns,
                table.index,
                beyond,
                levels=[0, level],
                colors=[LIGHT],
                alpha=0.45,
            )
            ax.contour(
                table.columns,
                table.index,
                beyond,
                levels=[level],
                colors=[DARK],
                linewidths=1.2,
            )
            (x1, y1), (x2, y2) = (end[:2] for end in ends)
            ax.plot(
                [x1, x2],
                [y1, y2],
                color="black",
                marker="o",
                linewidth=1,
                label="two outputs, allowed",
            )
            # the middle of an edge may round either way
            allowed = middle <= level + 1e-12
            ax.plot(
                (x1 + x2) / 2,
                (y1 + y2) / 2,
                linestyle="none",
                color=DARK if allowed else BLACK,
                marker="s" if allowed else "X",
                markersize=7 if allowed else 10,
                label="merged, allowed" if allowed else "merged, not allowed",
            )
            ax.plot(
                *prior[:2],
                linestyle="none",
                marker="+",
                color="black",
                markersize=8,
                label="prior",
            )
            ax.set_title(f"({letter})  {label(name)}", loc="left")
            ax.set_aspect("equal")
            ax.set_xlim(0, part["s1"].max())
            ax.set_ylim(0, part["s2"].max())
        for ax in axes[-columns:]:
            ax.set_xlabel("P(s₁|y)")
        for ax in axes[::columns]:
            ax.set_ylabel("P(s₂|y)")
        handles = {
            name: handle
            for ax in axes
            for handle, name in zip(*ax.get_legend_handles_labels(), strict=True)
        }
        above(figure, list(handles.values()), list(handles), 2)
    return axes
