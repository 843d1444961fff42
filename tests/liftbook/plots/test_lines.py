"""Curves, and the rows that their figures carry."""

import json
import math

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.patches import PathPatch, Rectangle
from messages import as_stored, raised

import liftlib as ll
from companion.outputs.curves import carried, described, taken
from companion.outputs.showing import as_figure_svg
from liftbook import plots
from liftbook.plots.lines import PANELS
from liftbook.rows.tidy import frame, summary
from liftlib.errors import InvalidParameter

mpl.use("Agg")


PEOPLE = ll.datasets.hundred_people()


def heights_of_bars(ax, kind):
    found = [patch for patch in ax.patches if isinstance(patch, kind)]
    if kind is Rectangle:
        return [patch.get_height() for patch in found]
    ends = [patch.get_path().vertices for patch in found]
    # a band leaves its bar as high as it reaches the other
    for corners in ends:
        assert math.isclose(
            corners[0, 1] - corners[7, 1], corners[3, 1] - corners[4, 1], abs_tol=1e-12
        )
    return [corners[0, 1] - corners[7, 1] for corners in ends]


@pytest.mark.parametrize(
    "mechanism",
    [
        ll.mechanisms.watchdog,
        ll.mechanisms.optimal,
        ll.mechanisms.subset_merging,
        ll.mechanisms.randomised_response,
    ],
)
def test_bands_are_the_masses(mechanism):
    notion = ll.LIP(0.5)
    calibrated = getattr(mechanism, "calibrated", mechanism)
    channel = calibrated(PEOPLE, notion)
    (ax,) = plots.flows(PEOPLE, {"one": channel})
    mass = channel.joint_xy(PEOPLE)
    np.testing.assert_allclose(
        sorted(heights_of_bars(ax, PathPatch)), sorted(mass[mass > 0]), atol=1e-12
    )
    released = channel.release(PEOPLE)
    np.testing.assert_allclose(
        sorted(heights_of_bars(ax, Rectangle)),
        sorted([*PEOPLE.p_x, *released.p_x]),
        atol=1e-12,
    )
    told = sorted(float(text.get_text().rsplit(maxsplit=1)[1]) for text in ax.texts)
    assert told == sorted(
        float(f"{one:.2f}") for one in [*ll.lift(PEOPLE)[0], *ll.lift(released)[0]]
    )


def test_a_mechanism_that_sees_the_secret_and_a_zero_cell():
    joint = ll.Joint([[0.25, 0.25, 0.0], [0.0, 0.25, 0.25]])
    channel = ll.mechanisms.secret_aware_reduction.at(joint, 0.5)
    (ax,) = plots.flows(joint, {"reduction": channel}, secret=1)
    assert math.isclose(sum(heights_of_bars(ax, PathPatch)), 1.0)


@pytest.mark.parametrize(
    ("joint", "secret"), [(PEOPLE, 2), (ll.datasets.uniform_joint(2, 13, 0), 0)]
)
def test_what_a_flow_cannot_show(joint, secret):
    with raised(InvalidParameter):
        plots.flows(joint, {"one": ll.Channel.identity(joint.n_public)}, secret=secret)


@pytest.mark.parametrize(
    ("notion", "corners"),
    [
        (ll.LIP(0.5), [(0.5, 0.0), (0.5, 0.25), (0.25, 0.5)]),
        (ll.ALIP(0.7, 0.3), [(0.7, 0.1), (0.3, 0.3)]),
        (ll.LDP(1.0), [(1.0, 0.0), (0.6, 0.4), (0.0, 1.0)]),
    ],
)
def test_borders_stand_where_the_budgets_say(notion, corners):
    ax = plots.plane(PEOPLE, {"one": notion})
    # a vertex for each line of the grid that it crosses
    border = ax.collections[0].get_paths()[0].vertices
    for corner in corners:
        assert np.hypot(*(border - corner).T).min() < 1e-2
    assert not [place for place in border if np.hypot(*place) < 0.3]


def test_symbols_stand_at_their_lifts():
    ax = plots.plane(
        PEOPLE, {"LIP": ll.LIP(0.5)}, ll.mechanisms.watchdog(PEOPLE, ll.LIP(0.5))
    )
    symbols = ax.collections[-1].get_offsets()
    lifts = ll.lift(PEOPLE)
    np.testing.assert_allclose(
        symbols, np.column_stack([-np.log(lifts.min(0)), np.log(lifts.max(0))])
    )
    # an arrow a symbol that the watchdog moves or leaves, to the one output that takes
    # it
    assert len([text for text in ax.texts if text.arrow_patch is not None]) == 3


def test_a_lift_of_zero_stands_at_the_edge():
    ax = plots.plane(ll.Joint([[0.5, 0.0], [0.25, 0.25]]), {"LIP": ll.LIP(1)})
    places = np.asarray(ax.collections[-1].get_offsets())
    assert np.isfinite(places).all()
    assert math.isclose(places[1, 0], 0.97 * ax.get_xlim()[1])


def test_words_of_near_symbols_do_not_meet():
    decades = ll.datasets.hundred_people(decades=True)
    ax = plots.plane(decades, {"LIP": ll.LIP(0.5)})
    ax.figure.canvas.draw()
    boxes = [
        text.get_window_extent() for text in ax.texts if text.get_text().endswith("0s")
    ]
    assert len(boxes) == decades.n_public
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:number])


def test_a_strip_has_a_dot_a_case_and_a_bar_at_the_median():
    rows = pd.DataFrame(
        {
            "of": ["a", "a", "a", "b"],
            "share": [0.1, 0.3, 0.2, 0.9],
            "seconds": [1.0, 2.0, 4.0, 0.5],
        }
    )
    share, seconds = plots.strips(rows, "of", {"share": "kept", "seconds": "time"})
    assert [tick.get_text() for tick in share.get_yticklabels()] == ["a", "b"]
    dots, bars = (line.get_xdata() for line in share.lines)
    np.testing.assert_allclose(dots, rows["share"])
    np.testing.assert_allclose(bars, [0.2, 0.9])
    np.testing.assert_allclose(seconds.lines[1].get_xdata(), [2.0, 0.5])
    assert (share.get_xscale(), seconds.get_xscale()) == ("linear", "log")


def saturating(values):
    """Return rows of two curves over four budgets, in three panels."""
    return pd.DataFrame(
        {
            "series": name,
            "eps": eps,
            "measure": measure,
            "mean": value if measure == "nmi" else eps,
            "n": 1,
        }
        for measure in PANELS
        for name in ("LDP", "SRR")
        for eps, value in zip((1.0, 2.0, 4.0, 8.0), values, strict=True)
    )


def test_a_tradeoff_ends_where_every_curve_has_reached_1():
    axes = plots.tradeoff(saturating([0.6, 0.9, 0.995, 1.0]))
    assert [ax.get_xlim()[1] for ax in axes] == [4.0] * 3
    as_stored(axes[0].get_xlabel())
    assert axes[0].get_ylim()[0] == pytest.approx(0.58)  # the lower half is empty
    assert axes[1].get_ylim()[1] == pytest.approx(4.2)


@pytest.mark.parametrize(
    "values", [[0.1, 0.2, 0.3, 1.0], [0.1, 0.2, 0.3, 0.9], [0.995, 0.995, 1.0, 1.0]]
)
def test_a_tradeoff_that_is_not_yet_at_1_is_whole(values):
    axes = plots.tradeoff(saturating(values))
    assert all(ax.get_xlim()[1] > 8 for ax in axes)
    assert axes[0].get_xlabel() == "privacy budget ε (nats)"


def test_shares_have_a_dot_and_an_interval_per_table_size():
    found = pd.DataFrame(
        {"law": ["a", "a", "b"], "design": ["x", "y", "x"], "rows": [300, 1000, 300]}
    )
    found = found.assign(
        tables=10, kept=[10, 5, 2], low=[0.7, 0.2, 0.1], high=[1.0, 0.8, 0.5]
    )
    axes = plots.shares(found)
    assert [ax.get_title(loc="left") for ax in axes] == ["a", "b"]
    assert [tick.get_text() for tick in axes[0].get_yticklabels()] == ["x", "y"]
    _, *drawn = axes[0].lines  # the first line is at 95 %
    bars, dots = drawn[::2], drawn[1::2]
    assert [list(bar.get_xdata()) for bar in bars] == [[0.7, 1.0], [0.2, 0.8]]
    assert [dot.get_xdata()[0] for dot in dots] == [1.0, 0.5]
    assert dots[0].get_ydata()[0] > dots[1].get_ydata()[0]
    assert dots[0].get_alpha() < dots[1].get_alpha()  # a larger table is darker


def test_a_plane_is_for_what_two_lifts_decide():
    with raised(InvalidParameter):
        plots.plane(PEOPLE, {"mean": ll.L1Lift(0.5, 0.5)})


def rows_of_curves(
    names=("LDP", "ALIP, λ=0.5"), measures=("nmi", "leakage"), panel=None
):
    rng = np.random.default_rng(0)
    values = {
        (name, eps, measure): rng.random(7)
        for name in names
        for eps in (0.5, 1.0, 2.0)
        for measure in measures
    }
    values[names[0], 0.5, measures[-1]][3] = np.inf
    rows = []
    for (name, eps, measure), found in values.items():
        rows += summary({measure: found}, series=name, eps=eps)
    made = frame(rows)
    return made if panel is None else made.assign(panel=panel)


def carried_by(axes):
    """Return what the SVG carries, through the SVG."""
    svg, rows = taken(as_figure_svg(axes[0].figure))
    assert "companion-rows" not in svg
    assert svg.rstrip().endswith("</svg>")
    return json.loads(rows)


def points(panel):
    """Return a panel's points by series, infinities and what is missing as numbers."""
    as_number = {"Infinity": math.inf, "-Infinity": -math.inf, None: math.nan}.get
    found = {}
    for series, *numbers in panel["rows"]:
        found.setdefault(series, []).append([as_number(one, one) for one in numbers])
    return found


def test_each_panel_has_its_rows_to_the_last_digit():
    rows = rows_of_curves()
    found = carried_by(plots.tradeoff(rows, panels=("nmi", "leakage")))
    assert [panel["measure"] for panel in found["panels"]] == ["nmi", "leakage"]
    for panel in found["panels"]:
        expected = rows[rows.measure == panel["measure"]]
        for series, carried_points in points(panel).items():
            part = expected[expected.series == series]
            np.testing.assert_array_equal(carried_points, part[["eps", "mean"]])
    assert "Infinity" in json.dumps(found)
    assert "NaN" not in json.dumps(found)


def test_the_lines_look_as_in_the_picture():
    (ax,) = plots.tradeoff(rows_of_curves(), panels=("nmi",))
    found = carried_by([ax])
    drawn = {
        line.get_label(): line.get_color()
        for line in ax.get_lines()
        if not line.get_label().startswith("_")
    }
    assert found["colours"] == drawn


def test_scales_and_limits_are_those_when_it_is_shown():
    (ax,) = plots.tradeoff(rows_of_curves(), panels=("nmi",))
    ax.set_xscale("log")
    ax.set_ylim(0.25, 0.75)
    (panel,) = carried_by([ax])["panels"]
    assert (panel["x_log"], panel["y_log"], panel["y_limits"]) == (
        True,
        False,
        [0.25, 0.75],
    )


def test_seconds_are_on_a_logarithmic_axis():
    rows = rows_of_curves(measures=("seconds", "nmi"))
    found = carried_by(plots.tradeoff(rows, panels=("nmi", "seconds")))
    assert [panel["y_log"] for panel in found["panels"]] == [False, True]


def test_one_measure_against_another():
    rows = rows_of_curves(measures=("nmil", "leakage"))
    rows = rows[np.isfinite(rows["mean"])]
    (panel,) = carried_by([plots.frontier(rows)])["panels"]
    means = rows.set_index(["series", "eps", "measure"])["mean"]
    assert panel["x"] == "nmil"
    for series, places in points(panel).items():
        for nmil, leakage, eps in places:
            assert nmil == means[series, eps, "nmil"]
            assert math.isnan(leakage) or leakage == means[series, eps, "leakage"]


def test_a_figure_with_another_panel_carries_nothing():
    figure, (left, right) = plt.subplots(1, 2)
    plots.curves(rows_of_curves(), "nmi", ax=left)
    right.plot([0, 1], [0, 1])
    assert described(figure) is None
    assert taken(as_figure_svg(figure))[1] is None
    assert described(plt.figure()) is None


def test_series_that_are_not_drawn_are_not_carried():
    ax = plots.curves(rows_of_curves(), "nmi", order=["LDP", "nobody"])
    found = carried_by([ax])
    assert list(found["colours"]) == ["LDP"]
    assert {row[0] for row in found["panels"][0]["rows"]} == {"LDP"}


def test_what_is_carried_is_escaped():
    rows = '{"name": "a < b & c ]]> </metadata>"}'
    whole = carried("<svg>\n</svg>\n", rows)
    assert whole.count("</metadata>") == 1
    assert taken(whole) == ("<svg>\n</svg>\n", rows)
    assert carried("<svg></svg>", None) == "<svg></svg>"
