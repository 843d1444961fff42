"""Small multiples, triangles, charts of questions, and colours."""

import colorsys
import itertools
import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from asked import HTML
from matplotlib.colors import to_hex, to_rgb
from messages import raised

from companion.outputs.showing import as_figure_svg, panel_boxes
from liftbook import figures, plots
from liftbook.figures.e23.convexity import ENDS, PRIOR
from liftbook.plots.triangles import CORNERS
from liftlib.errors import InvalidParameter

mpl.use("Agg")


ROWS = pd.DataFrame(
    [
        {
            "panel": panel,
            "series": series,
            "eps": eps,
            "measure": measure,
            "mean": mean,
            "std": 0.1,
        }
        for panel, factor in (("one", 1.0), ("two", 2.0), ("three", 3.0))
        for series, shift in (("GRR", 0.0), ("CR", 0.5))
        for eps in (1.0, 2.0)
        for measure, mean in (
            ("mutual_information", factor * eps + shift),
            ("family_eta", np.inf),
        )
    ]
)


def test_panels_draw_their_own_rows():
    axes = plots.panels(ROWS, "mutual_information", levels={"two": (1.5, 3.0)})
    assert [ax.get_title(loc="left") for ax in axes] == [
        "(a)  one",
        "(b)  two",
        "(c)  three",
    ]
    for factor, ax in enumerate(axes, start=1):
        curves = {
            line.get_label(): line.get_ydata().tolist()
            for line in ax.lines
            if line.get_label() in ("GRR", "CR")
        }
        assert curves == {
            "GRR": [factor, 2 * factor],
            "CR": [factor + 0.5, 2 * factor + 0.5],
        }
    level = [
        line.get_ydata()[0]
        for line in axes[1].lines
        if line.get_label().startswith("_")
    ]
    assert level == [1.5, 3.0]
    assert len(axes[0].figure.axes) == 3
    (legend,) = axes[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["GRR", "CR"]
    assert [ax.get_ylabel() for ax in axes] == ["I(X;Y) (nats)", "", "I(X;Y) (nats)"]


def test_panels_mark_what_is_infinite():
    ax, *_ = plots.panels(ROWS, "family_eta", n_columns=3)
    marks = [
        line
        for line in ax.lines
        if line.get_marker() == "^" and line.get_linestyle() == "None"
    ]
    assert len(marks) == 2


def test_scatters_leave_out_what_is_infinite():
    rows = pd.DataFrame(
        {
            "panel": ["a", "a", "b"],
            "eta_gain": [1.0, np.inf, -1.0],
            "gain": [0.5, 0.5, -0.2],
        }
    )
    axes = plots.scatters(rows, "eta_gain", "gain", notes={"a": "ρ = 1"})
    points = [line for line in axes[0].lines if line.get_marker() == "o"]
    assert [p.get_xdata().tolist() for p in points] == [[1.0]]
    assert axes[0].texts[0].get_text() == "ρ = 1"
    assert axes[0].get_xlabel() == "η of CR − η of GRR (nats)"
    assert axes[0].get_ylabel() == "I(X;Y) of CR − of GRR (nats)"


def test_a_mechanism_looks_the_same_in_every_figure():
    first, second = (
        plots.panels(ROWS, "mutual_information", order=order)[0]
        for order in (["GRR", "CR"], ["none", "CR", "GRR"])
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
    assert [text.get_text() for text in second.figure.legends[0].get_texts()] == [
        "CR",
        "GRR",
    ]


SERIES = [
    ["LDP", "ALIP, λ=0.35", "ALIP, λ=0.5", "ALIP, λ=0.65"],
    ["ALIP, λ=0.5", "ℓ1, λ=0.5", "ℓ1, λ=0.65", "χ², λ=0.5", "χ², λ=0.65"],
    ["ALIP", "η=2", "η=10", "η=100"],
    ["AORR", "SRR", "subset merging"],
    ["optimum, S seen", "optimum", "CR", "GRR", "tailored", "CR − GRR"],
    ["optimum, η=2", "merging, η=2", "optimum, η=10", "merging, η=10", "optimum, ALIP"],
    [
        "watchdog",
        "subset-merging",
        "subset-response",
        "optimal",
        "randomised-response",
        "conditional-reporting",
    ],
    ["C22 Algorithm 1", "complete merging"],
    [f"series {number}" for number in range(7)],
]


@pytest.mark.parametrize("names", SERIES, ids=" ".join)
def test_series_of_one_figure_differ(names):
    found = plots.looks(names)
    assert list(found) == names
    seen = [
        (look["color"], str(look["linestyle"]), look["marker"])
        for look in found.values()
    ]
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
    assert (
        panel_boxes(
            plots.curves(ROWS[ROWS.panel == "one"], "mutual_information").figure
        )
        == []
    )


def test_what_stands_out_of_a_figure_is_not_cut_off():
    figure, axes = plt.subplots(1, 2, figsize=(3.0, 2.0))
    for ax in axes:
        ax.plot([0, 1])
    axes[1].annotate(
        "far out", (1.5, 0.5), xycoords="axes fraction", annotation_clip=False
    )
    figure.draw_without_rendering()
    wide = 72 * figure.get_tightbbox().x1
    assert wide > 72 * 3.0 + 10
    svg = as_figure_svg(figure)
    assert float(re.search(r'width="([\d.]+)pt"', svg)[1]) >= wide
    assert max(x + width for x, _, width, _ in panel_boxes(figure)) >= wide


def legend_names(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_below_budget_draws_the_line_of_equality():
    ax = plots.below_budget(figures.figure_c22_1(5, [0.5, 1.0], 3, 6))
    assert legend_names(ax) == ["C22 Algorithm 1", "complete merging", "the budget ε"]
    line = ax.lines[-1]
    assert list(line.get_xdata()) == list(line.get_ydata()) == [0, 1.0]
    assert ax.get_ylim()[0] == 0
    assert "nats" in ax.get_xlabel()
    assert "nats" in ax.get_ylabel()


def test_frontier_has_a_point_and_a_number_for_each_budget():
    rows = figures.figure_c22_3(8, [0.5, 1.0, 1.5], 3, 6)
    ax = plots.frontier(rows)
    assert legend_names(ax) == ["C22 Algorithm 1", "complete merging"]
    assert [text.get_text() for text in ax.texts] == ["0.5", "1", "1.5"] * 2
    mean = rows[rows["series"] == "C22 Algorithm 1"].pivot_table(
        index="eps", columns="measure", values="mean"
    )
    np.testing.assert_allclose(ax.lines[0].get_xydata(), mean[["nmil", "leakage"]])


def test_lift_sets_mark_the_mixtures_that_are_not_allowed():
    rows = figures.lift_sets(resolution=40)
    axes = plots.lift_sets(rows, ENDS, PRIOR)
    crossed = [any(line.get_marker() == "X" for line in ax.lines) for ax in axes]
    assert crossed == [False, False, False, True, True, False]
    assert [ax.get_title(loc="left")[5:] for ax in axes] == [
        plots.label(name) for name in pd.unique(rows["measure"])
    ]
    (legend,) = axes[0].figure.legends
    assert {text.get_text() for text in legend.get_texts()} == {
        "two outputs, allowed",
        "merged, allowed",
        "merged, not allowed",
        "prior",
    }


DEFAULTS = {
    to_hex(colour)
    for colour in mpl.rcParamsDefault["axes.prop_cycle"].by_key()["color"]
}


def hue(colour):
    """Return a colour's hue in degrees, None for greys."""
    hue, _, saturation = colorsys.rgb_to_hls(*to_rgb(colour))
    return 360 * hue if saturation > 0.2 else None


def test_a_question_an_answer_an_arrow():
    lines = pd.DataFrame(
        {"question": ["A?", "B?"], "use": ["a", "b"], "note": ["first", ""]}
    )
    ax = plots.decisions(lines)
    texts = [text.get_text() for text in ax.texts]
    assert [texts.count(one) for one in ("A?", "B?", "a\nfirst", "b", "yes", "no")] == [
        1,
        1,
        1,
        1,
        1,
        1,
    ]
    # two arrows to answers, one down
    assert (
        sum(
            text.arrow_patch is not None
            for text in ax.texts
            if hasattr(text, "arrow_patch")
        )
        == 3
    )
    plt.close(ax.figure)


def test_names_at_the_ends_are_apart_and_in_order():
    table = pd.DataFrame({"low": [0.0, 0.1], "middle": [0.0, 0.11], "high": [0.0, 1.0]})
    (ax,) = plots.tables({"one": table}, "x")
    entries = {}
    for one in ax.artists:
        _, name = one.get_children()[0].get_children()
        entries[name.get_text()] = one.xy[1]
    assert list(entries) == ["low", "middle", "high"]
    heights = list(entries.values())
    assert all(right - left > 0.04 for left, right in itertools.pairwise(heights))


@pytest.mark.book
def test_no_figure_of_the_book_has_a_default_colour():
    found = {
        path.name: sorted(used)
        for path in (HTML / "_images").glob("*.svg")
        if (
            used := DEFAULTS
            & set(re.findall(r"#[0-9a-f]{6}", path.read_text(encoding="utf-8")))
        )
    }
    assert found == {}


def rows_of_measures(measures):
    return pd.DataFrame(
        {
            "series": "a",
            "eps": eps,
            "measure": measure,
            "mean": 10.0**eps,
            "std": 20.0,
            "n": 3,
        }
        for measure in measures
        for eps in (-2.0, 0.0, 2.0)
    )


def test_polygon_has_its_corners_in_order():
    square = np.array(
        [[0.2, 0.2, 0.6], [0.4, 0.4, 0.2], [0.4, 0.2, 0.4], [0.2, 0.4, 0.4]]
    )
    ax = plots.simplex(
        {"square": square},
        centre=[0.35, 0.35, 0.3],
        chosen=square[:2],
        weights=[0.25, 0.75],
    )
    polygon = next(
        patch for patch in ax.patches if patch.get_label() == "square"
    ).get_xy()[:-1]
    assert {tuple(v) for v in polygon.round(12)} == {
        tuple(v) for v in (square @ CORNERS).round(12)
    }
    edges = np.diff(np.concatenate([polygon, polygon[:2]]), axis=0)
    turns = edges[:-1, 0] * edges[1:, 1] - edges[:-1, 1] * edges[1:, 0]
    assert (turns > 0).all()  # convex, counter-clockwise
    sizes = ax.collections[-1].get_sizes()
    assert sizes[1] > sizes[0]
    assert {text.get_text() for text in ax.texts} == {"a", "b", "c"}


def test_simplex_is_for_three_symbols():
    with raised(InvalidParameter):
        plots.simplex({"wide": np.full((2, 4), 0.25)})


def test_a_mixture_has_the_centre_as_its_mean():
    corners = np.eye(3)
    with raised(InvalidParameter):
        plots.simplex(
            {"all": corners},
            centre=[0.5, 0.3, 0.2],
            chosen=corners,
            weights=[0.3, 0.5, 0.2],
        )


def test_seconds_and_vertices_span_decades():
    for measure in ("seconds", "vertices"):
        ax = plots.curves(rows_of_measures([measure]), measure)
        assert ax.get_yscale() == "log"
        low, high = ax.get_ylim()
        assert 0 < low < 0.01
        assert high > 100
    assert (
        plots.curves(
            rows_of_measures(["min_lift_leakage"]), "min_lift_leakage"
        ).get_yscale()
        == "linear"
    )


def test_a_band_spans_the_quantiles():
    ax = plots.curves(
        rows_of_measures(["vertices"]).assign(
            low=lambda part: part["mean"] / 2, high=lambda part: 3 * part["mean"]
        ),
        "vertices",
    )
    (band,) = [found for found in ax.collections if len(found.get_paths())]
    edge = band.get_paths()[0].vertices[:, 1]
    assert (edge.min(), edge.max()) == (pytest.approx(0.005), pytest.approx(300))
