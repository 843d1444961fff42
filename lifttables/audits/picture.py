"""Plots of an audit and of a comparison.

Matplotlib is imported when something is drawn.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from lifttables.extras import extra
from mixproof.numerics import Matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def lift_map(lifts: Matrix, secrets: Sequence[object], symbols: Sequence[object]) -> Axes:
    """Draw lifts as a heat map, see :func:`liftlib.plots.lift_map`."""
    with extra("tables"):
        from liftlib import plots  # noqa: PLC0415 - takes half a second to import
    return plots.lift_map(lifts, secrets, symbols)


def as_svg(ax: Axes) -> str:
    """Return the axes' figure as SVG, and close it."""
    plt = _pyplot()
    figure = ax.get_figure(root=True)
    assert figure is not None
    out = io.StringIO()
    # keep text as text, so that the reader's fonts draw characters missing from matplotlib's font
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "liftlib"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(out, format="svg", metadata={"Date": None})
    plt.close(figure)
    return out.getvalue()


def _pyplot() -> ModuleType:
    with extra("tables"):
        from matplotlib import pyplot as plt  # noqa: PLC0415 - takes half a second to import
    return plt


def cost_curves(
    curves: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]],
    recommended: tuple[str, str, float, float] | None = None,
) -> Axes:
    """Draw utility against budget, a panel per notion and a line per mechanism.

    Parameters
    ----------
    curves : mapping
        Pairs of budget and utility, by notion and mechanism.
    recommended : tuple, optional
        Notion, mechanism, budget and utility of the recommended release.
    """
    plt = _pyplot()
    figure, axes = plt.subplots(
        1, len(curves), figsize=(4.6 * len(curves), 3.8), dpi=110, layout="constrained", squeeze=False, sharey=True
    )
    figure.set_facecolor("white")
    for ax, (notion, lines) in zip(axes[0], curves.items(), strict=True):
        ends = sorted(lines.items(), key=lambda item: item[1][-1][1])
        for number, (name, points) in enumerate(ends):
            budgets, left = zip(*points, strict=True)
            chosen = recommended is not None and recommended[:2] == (notion, name)
            ax.plot(
                budgets, left, marker="o", markersize=3, color="#0072b2" if chosen else "#999999", zorder=2 + chosen
            )
            if not chosen and number in (0, len(ends) - 1):
                ax.annotate(
                    name, (budgets[-1], left[-1]), xytext=(-4, 6), textcoords="offset points", ha="right", size=8
                )
        if recommended is not None and recommended[0] == notion:
            _, name, budget, utility = recommended
            ax.plot([budget], [utility], marker="o", markersize=9, fillstyle="none", color="#0072b2", zorder=4)
            # below the curve, where no other name is, and towards the middle of the panel
            right = budget > 0.5 * max(points[-1][0] for points in lines.values())
            ax.annotate(
                f"recommended:\n{name}",
                (budget, utility),
                xytext=(-8 if right else 8, -10),
                textcoords="offset points",
                ha="right" if right else "left",
                va="top",
                size=9,
                weight="bold",
                color="#0072b2",
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1},
                zorder=5,
            )
        ax.set_title(notion)
        ax.set_xlabel("budget (nats)")
        ax.set_ylim(-0.02, 1.05)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_ylabel("information left (NMI)")
    first: Axes = axes[0][0]
    return first
