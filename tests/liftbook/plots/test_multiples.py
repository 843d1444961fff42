"""Small multiples and scatters draw each panel's own rows, once, with labels."""

import itertools
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from companion.outputs.showing import as_figure_svg, panel_boxes
from liftbook import plots
from liftbook.plots.legends import above

ROWS = pd.DataFrame(
    [
        {"panel": panel, "series": series, "eps": eps, "measure": measure, "mean": mean, "std": 0.1}
        for panel, factor in (("one", 1.0), ("two", 2.0), ("three", 3.0))
        for series, shift in (("GRR", 0.0), ("CR", 0.5))
        for eps in (1.0, 2.0)
        for measure, mean in (("mutual_information", factor * eps + shift), ("family_eta", np.inf))
    ]
)


def test_panels_draw_their_own_rows():
    axes = plots.panels(ROWS, "mutual_information", levels={"two": (1.5, 3.0)})
    assert [ax.get_title(loc="left") for ax in axes] == ["(a)  one", "(b)  two", "(c)  three"]
    for factor, ax in enumerate(axes, start=1):
        curves = {line.get_label(): line.get_ydata().tolist() for line in ax.lines if line.get_label() in ("GRR", "CR")}
        assert curves == {"GRR": [factor, 2 * factor], "CR": [factor + 0.5, 2 * factor + 0.5]}
    level = [line.get_ydata()[0] for line in axes[1].lines if line.get_label().startswith("_")]
    assert level == [1.5, 3.0]
    assert len(axes[0].figure.axes) == 3
    (legend,) = axes[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["GRR", "CR"]
    assert [ax.get_ylabel() for ax in axes] == ["I(X;Y) (nats)", "", "I(X;Y) (nats)"]


def test_panels_mark_what_is_infinite():
    (ax, *_) = plots.panels(ROWS, "family_eta", n_columns=3)
    marks = [line for line in ax.lines if line.get_marker() == "^" and line.get_linestyle() == "None"]
    assert len(marks) == 2


def test_scatters_leave_out_what_is_infinite():
    rows = pd.DataFrame({"panel": ["a", "a", "b"], "eta_gain": [1.0, np.inf, -1.0], "gain": [0.5, 0.5, -0.2]})
    axes = plots.scatters(rows, "eta_gain", "gain", notes={"a": "ρ = 1"})
    points = [line for line in axes[0].lines if line.get_marker() == "o"]
    assert [p.get_xdata().tolist() for p in points] == [[1.0]]
    assert axes[0].texts[0].get_text() == "ρ = 1"
    assert axes[0].get_xlabel() == "η of CR − η of GRR (nats)"
    assert axes[0].get_ylabel() == "I(X;Y) of CR − of GRR (nats)"


def test_a_mechanism_looks_the_same_in_every_figure():
    first, second = (
        plots.panels(ROWS, "mutual_information", order=order)[0] for order in (["GRR", "CR"], ["none", "CR", "GRR"])
    )
    found = [
        {
            line.get_label(): (line.get_color(), line.get_marker())
            for line in ax.lines
            if line.get_label() in ("GRR", "CR")
        }
        for ax in (first, second)
    ]
    assert found[0] == found[1]
    assert found[0]["GRR"] != found[0]["CR"]
    assert [text.get_text() for text in second.figure.legends[0].get_texts()] == ["CR", "GRR"]


SERIES = [
    ["LDP", "ALIP, λ=0.35", "ALIP, λ=0.5", "ALIP, λ=0.65"],
    ["ALIP, λ=0.5", "ℓ1, λ=0.5", "ℓ1, λ=0.65", "χ², λ=0.5", "χ², λ=0.65"],
    ["ALIP", "η=2", "η=10", "η=100"],
    ["AORR", "SRR", "subset merging"],
    ["optimum, S seen", "optimum", "CR", "GRR", "tailored", "CR − GRR"],
    ["optimum, η=2", "merging, η=2", "optimum, η=10", "merging, η=10", "optimum, ALIP"],
    ["watchdog", "subset-merging", "subset-response", "optimal", "randomised-response", "conditional-reporting"],
    ["Algorithm 1", "complete merging"],
    [f"series {number}" for number in range(7)],
]


@pytest.mark.parametrize("names", SERIES, ids=" ".join)
def test_series_of_one_figure_differ(names):
    found = plots.looks(names)
    assert list(found) == names
    seen = [(look["color"], str(look["linestyle"]), look["marker"]) for look in found.values()]
    assert len(set(seen)) == len(names)


def test_a_see_through_figure_says_where_its_panels_are():
    axes = plots.panels(ROWS, "mutual_information", n_columns=3)
    boxes = panel_boxes(axes[0].figure)
    wide, tall = 72 * axes[0].figure.get_size_inches()
    assert len(boxes) == 1 + len(axes)
    for x, y, width, height in boxes:
        assert -5 <= x < x + width <= wide + 5
        assert -5 <= y < y + height <= tall + 5
    legend, *panels = boxes
    assert all(panel[1] >= legend[1] + legend[3] - 8 for panel in panels)
    for left, right in itertools.pairwise(panels):
        assert left[0] + left[2] <= right[0] + 8
    drawn = as_figure_svg(axes[0].figure)
    assert drawn.count("<svg ") == 1
    assert len(re.search(r'data-panels="([^"]*)"', drawn)[1].split(";")) == 4
    assert "fill: #ffffff" not in drawn.split('id="axes_1"')[0]
    assert panel_boxes(plots.curves(ROWS[ROWS.panel == "one"], "mutual_information").figure) == []


def test_a_legend_takes_as_many_columns_as_the_figure_is_wide_enough_for():
    figure, ax = plt.subplots(figsize=(3.0, 2.0), layout="constrained")
    lines = [ax.plot([0, 1], label=name)[0] for name in ("a mechanism with a name", "another of that length", "short")]
    above(figure, lines, [line.get_label() for line in lines])
    (legend,) = figure.legends
    figure.draw_without_rendering()
    assert legend._ncols < 3
    assert legend.get_window_extent().width <= figure.bbox.width


def test_what_stands_out_of_a_figure_is_not_cut_off():
    figure, axes = plt.subplots(1, 2, figsize=(3.0, 2.0))
    for ax in axes:
        ax.plot([0, 1])
    axes[1].annotate("far out", (1.5, 0.5), xycoords="axes fraction", annotation_clip=False)
    figure.draw_without_rendering()
    wide = 72 * figure.get_tightbbox().x1
    assert wide > 72 * 3.0 + 10
    svg = as_figure_svg(figure)
    assert float(re.search(r'width="([\d.]+)pt"', svg)[1]) >= wide
    assert max(x + width for x, _, width, _ in panel_boxes(figure)) >= wide
