"""Plots of an audit and of a comparison.

Only this module of the library uses matplotlib, which is imported when something is drawn.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from lifttables.extras import extra
from mixproof.numerics import Matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_LABEL_LENGTH = 28  # maximum number of characters shown of a label


def lift_map(lifts: Matrix, secrets: Sequence[str], symbols: Sequence[str]) -> Axes:
    """Draw lifts as a heat map, a row for each symbol and a column for each secret.

    Cells are orange for a lift above 1 and purple below 1; a lift of 0 is a cross. Lifts are written in the cells if
    there is room, so that the map can be read in grey.

    Parameters
    ----------
    lifts : numpy.ndarray, shape (S, X)
    secrets, symbols : sequence of str

    Returns
    -------
    matplotlib.axes.Axes
    """
    plt = _pyplot()
    n_secret, n_public = lifts.shape
    numbered = n_public <= 40 and n_secret <= 10
    size = (min(14, 3.2 + (0.62 if numbered else 0.3) * n_secret), min(12, 1.4 + 0.26 * n_public))
    # white, so that it reads on a dark page
    ax: Axes = plt.figure(figsize=size, dpi=110, layout="constrained", facecolor="white").add_subplot()
    ax.spines[:].set_visible(False)
    with np.errstate(divide="ignore"):
        values = np.log(lifts.T)
    finite = np.isfinite(values)
    extent = max(0.1, float(np.abs(values[finite]).max(initial=0.0)))
    image = ax.imshow(np.where(finite, values, np.nan), cmap="PuOr_r", vmin=-extent, vmax=extent, aspect="auto")
    for x, s in zip(*np.nonzero(~finite), strict=True):
        ax.text(s, x, "×", ha="center", va="center", fontsize=9)
    if numbered:
        for x, s in zip(*np.nonzero(finite), strict=True):
            dark = abs(values[x, s]) > 0.6 * extent
            text = f"{lifts[s, x]:.2f}" if lifts[s, x] < 10 else f"{lifts[s, x]:.0f}"
            ax.text(s, x, text, ha="center", va="center", fontsize=9, color="white" if dark else "black")
    ax.set_yticks(range(n_public), [_short(name) for name in symbols], fontsize=9)
    names = [_short(name).replace("-", "-\n", 1) if n_secret <= 10 else _short(name) for name in secrets]
    ax.set_xticks(range(n_secret), names, fontsize=9, rotation=0 if n_secret <= 10 else 60)
    ax.tick_params(length=0, top=True, bottom=False, labeltop=True, labelbottom=False)
    ax.grid(visible=False)
    ax.figure.colorbar(image, ax=ax, label="log-lift (nats)", shrink=0.6)
    return ax


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


def _short(text: str) -> str:
    # a dollar sign would start a formula
    text = "".join(letter if letter.isprintable() else " " for letter in text).replace("$", r"\$")
    return text if len(text) <= MAX_LABEL_LENGTH else text[: MAX_LABEL_LENGTH - 1] + "…"


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
