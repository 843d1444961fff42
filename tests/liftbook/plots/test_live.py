"""The rows that a figure carries."""

import json
import math

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt

from companion.outputs.live import carried, dashes, described, note_line, taken
from companion.outputs.showing import as_figure_svg
from liftbook import plots
from liftbook.plots.lines import facets
from liftbook.plots.styling import LINE_STYLES, NOTION_LOOKS
from liftbook.rows.tidy import frame, summary


def rows_of(names=("LDP", "ALIP, λ=0.5"), measures=("nmi", "leakage"), panel=None):
    rng = np.random.default_rng(0)
    values = {(name, eps, measure): rng.random(7) for name in names for eps in (0.5, 1.0, 2.0) for measure in measures}
    values[names[0], 0.5, measures[-1]][3] = np.inf
    rows = []
    for (name, eps, measure), found in values.items():
        rows += summary({measure: found}, series=name, eps=eps)
    made = frame(rows)
    return made if panel is None else made.assign(panel=panel)


def carried_by(axes):
    """Return what the SVG carries, through the SVG."""
    svg, rows = taken(as_figure_svg(axes[0].figure))
    assert "lift-rows" not in svg
    assert svg.rstrip().endswith("</svg>")
    return json.loads(rows)


def numbers(panel):
    """Return a panel's rows as a table, infinities and what is missing as numbers."""
    as_number = {"Infinity": math.inf, "-Infinity": -math.inf, None: math.nan}.get
    rows = [[row[0], *(as_number(cell, cell) for cell in row[1:])] for row in panel["rows"]]
    return pd.DataFrame(rows, columns=panel["columns"])


def test_each_panel_has_its_rows_to_the_last_digit():
    rows = rows_of()
    found = carried_by(plots.tradeoff(rows, panels=("nmi", "leakage")))
    assert [panel["measure"] for panel in found["panels"]] == ["nmi", "leakage"]
    for panel in found["panels"]:
        expected = rows[rows.measure == panel["measure"]].drop(columns="measure").reset_index(drop=True)
        pd.testing.assert_frame_equal(numbers(panel)[expected.columns], expected, check_dtype=False, check_exact=True)
    assert "Infinity" in json.dumps(found)
    assert "NaN" not in json.dumps(found)


def test_the_lines_look_as_in_the_picture():
    (ax,) = plots.tradeoff(rows_of(), panels=("nmi",))
    found = carried_by([ax])
    drawn = {line.get_label(): line.get_color() for line in ax.get_lines() if not line.get_label().startswith("_")}
    assert {one["name"]: one["colour"] for one in found["series"]} == drawn
    assert [one["facets"] for one in found["series"]] == [{"notion": "LDP"}, {"notion": "ALIP", "share λ": "0.5"}]


def test_scales_and_limits_are_those_when_it_is_shown():
    (ax,) = plots.tradeoff(rows_of(), panels=("nmi",))
    ax.set_xscale("log")
    ax.set_ylim(0.25, 0.75)
    (panel,) = carried_by([ax])["panels"]
    assert (panel["x_log"], panel["y_log"], panel["y_limits"]) == (True, False, [0.25, 0.75])


def test_seconds_are_on_a_logarithmic_axis():
    rows = rows_of(measures=("seconds", "nmi"))
    found = carried_by(plots.tradeoff(rows, panels=("nmi", "seconds")))
    assert [panel["y_log"] for panel in found["panels"]] == [False, True]


def test_settings_side_by_side_have_their_levels():
    rows = pd.concat([rows_of(panel="one"), rows_of(panel="two")])
    found = carried_by(plots.panels(rows, "nmi", levels={"two": [0.5]}))
    assert [panel["title"] for panel in found["panels"]] == ["(a) one", "(b) two"]
    assert [panel["lines"] for panel in found["panels"]] == [
        [],
        [{"name": "level", "points": [[0.5, 0.5], [2.0, 0.5]]}],
    ]


def test_the_budget_is_a_line():
    (panel,) = carried_by([plots.below_budget(rows_of(measures=("high_risk_leakage", "nmi")))])["panels"]
    assert panel["lines"] == [{"name": "the budget ε", "points": [[0.0, 0.0], [2.0, 2.0]]}]


def test_one_measure_against_another():
    rows = rows_of(measures=("nmil", "leakage"))
    rows = rows[np.isfinite(rows["mean"])]
    (panel,) = carried_by([plots.frontier(rows)])["panels"]
    table = numbers(panel)
    means = rows.set_index(["series", "eps", "measure"])["mean"]
    assert (panel["x"], panel["at"]) == ("nmil", "eps")
    for row in table.itertuples():
        assert row.nmil == means[row.series, row.eps, "nmil"]
        if np.isfinite(row.mean):
            assert row.mean == means[row.series, row.eps, "leakage"]


def test_a_figure_with_another_panel_carries_nothing():
    figure, (left, right) = plt.subplots(1, 2)
    plots.curves(rows_of(), "nmi", ax=left)
    right.plot([0, 1], [0, 1])
    note_line(right, [(0, 0), (1, 1)], "nobody asked")
    assert described(figure) is None
    assert taken(as_figure_svg(figure))[1] is None
    assert described(plt.figure()) is None


def test_series_that_are_not_drawn_are_not_carried():
    ax = plots.curves(rows_of(), "nmi", order=["LDP", "nobody"])
    found = carried_by([ax])
    assert [one["name"] for one in found["series"]] == ["LDP"]
    assert {row[0] for row in found["panels"][0]["rows"]} == {"LDP"}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["Markov, eq. (7)", "Markov, cheapest"], "curve"),
        (["optimum, α=2", "merging, α=2"], "mechanism"),
        (["LDP", "LDP, λ=0.5"], "notion"),
        (["|S| = 2", "|S| = 3"], "curve"),
        (["watchdog", "subset-merging", "optimal"], "mechanism"),
    ],
)
def test_what_a_series_is_of(names, expected):
    found = facets(names)
    assert all(expected in parts for parts in found.values())
    assert len({json.dumps(parts) for parts in found.values()}) == len(names)


@pytest.mark.parametrize("line", [*LINE_STYLES, *(line for _, _, line in NOTION_LOOKS.values())])
def test_each_line_has_strokes(line):
    assert all(isinstance(length, int) and length > 0 for length in dashes(line))
    assert (dashes(line) == []) == (line == "-")


def test_what_is_carried_is_escaped():
    rows = '{"name": "a < b & c ]]> </metadata>"}'
    whole = carried("<svg>\n</svg>\n", rows)
    assert whole.count("</metadata>") == 1
    assert taken(whole) == ("<svg>\n</svg>\n", rows)
    assert carried("<svg></svg>", None) == "<svg></svg>"
