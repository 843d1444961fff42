"""The drawings of mechanisms."""

import math

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

from matplotlib.offsetbox import AnnotationBbox
from matplotlib.patches import PathPatch, Rectangle

import liftlib as ll
from liftbook import plots
from liftbook.plots.lines import PANELS
from liftlib.errors import InvalidParameter

PEOPLE = ll.datasets.hundred_people()


def heights(ax, kind):
    found = [patch for patch in ax.patches if isinstance(patch, kind)]
    if kind is Rectangle:
        return [patch.get_height() for patch in found]
    ends = [patch.get_path().vertices for patch in found]
    # a band leaves its bar as high as it reaches the other
    for corners in ends:
        assert math.isclose(corners[0, 1] - corners[7, 1], corners[3, 1] - corners[4, 1], abs_tol=1e-12)
    return [corners[0, 1] - corners[7, 1] for corners in ends]


@pytest.mark.parametrize(
    "mechanism",
    [ll.mechanisms.watchdog, ll.mechanisms.optimal, ll.mechanisms.subset_merging, ll.mechanisms.randomised_response],
)
def test_bands_are_the_masses(mechanism):
    notion = ll.LIP(0.5)
    calibrated = getattr(mechanism, "calibrated", mechanism)
    channel = calibrated(PEOPLE, notion)
    (ax,) = plots.flows(PEOPLE, {"one": channel})
    mass = channel.joint_xy(PEOPLE)
    np.testing.assert_allclose(sorted(heights(ax, PathPatch)), sorted(mass[mass > 0]), atol=1e-12)
    released = channel.release(PEOPLE)
    np.testing.assert_allclose(sorted(heights(ax, Rectangle)), sorted([*PEOPLE.p_x, *released.p_x]), atol=1e-12)
    told = sorted(float(text.get_text().rsplit(maxsplit=1)[1]) for text in ax.texts)
    assert told == sorted(float(f"{one:.2f}") for one in [*ll.lift(PEOPLE)[0], *ll.lift(released)[0]])


def test_a_mechanism_that_sees_the_secret_and_a_zero_cell():
    joint = ll.Joint([[0.25, 0.25, 0.0], [0.0, 0.25, 0.25]])
    channel = ll.mechanisms.secret_aware_reduction.at(joint, 0.5)
    (ax,) = plots.flows(joint, {"reduction": channel}, secret=1)
    assert math.isclose(sum(heights(ax, PathPatch)), 1.0)


def test_panels_have_titles_and_spare_places_go():
    axes = plots.flows(PEOPLE, dict.fromkeys("abc", ll.Channel.constant(3)))
    assert [ax.get_title(loc="left") for ax in axes] == ["a", "b", "c"]
    assert len(axes[0].figure.axes) == 3


@pytest.mark.parametrize(
    ("joint", "secret", "message"),
    [
        (PEOPLE, 2, "secret is 2: give one of 0 to 1"),
        (ll.datasets.uniform_joint(2, 13, 0), 0, "13 symbols or outputs: a drawing of flows has room for 12"),
    ],
)
def test_what_a_flow_cannot_show(joint, secret, message):
    with pytest.raises(InvalidParameter, match=message):
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
    border = ax.collections[0].get_paths()[0].vertices  # a vertex for each line of the grid that it crosses
    for corner in corners:
        assert np.hypot(*(border - corner).T).min() < 1e-2
    assert not [place for place in border if np.hypot(*place) < 0.3]


def test_symbols_stand_at_their_lifts():
    ax = plots.plane(PEOPLE, {"LIP": ll.LIP(0.5)}, ll.mechanisms.watchdog(PEOPLE, ll.LIP(0.5)))
    symbols = ax.collections[-1].get_offsets()
    lifts = ll.lift(PEOPLE)
    np.testing.assert_allclose(symbols, np.column_stack([-np.log(lifts.min(0)), np.log(lifts.max(0))]))
    # an arrow a symbol that the watchdog moves or leaves, to the one output that takes it
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
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text().endswith("0s")]
    assert len(boxes) == decades.n_public
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:number])


def test_a_strip_has_a_dot_a_case_and_a_bar_at_the_median():
    rows = pd.DataFrame({"of": ["a", "a", "a", "b"], "share": [0.1, 0.3, 0.2, 0.9], "seconds": [1.0, 2.0, 4.0, 0.5]})
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
        {"series": name, "eps": eps, "measure": measure, "mean": value if measure == "nmi" else eps, "n": 1}
        for measure in PANELS
        for name in ("LDP", "SRR")
        for eps, value in zip((1.0, 2.0, 4.0, 8.0), values, strict=True)
    )


def test_a_tradeoff_ends_where_every_curve_has_reached_1():
    axes = plots.tradeoff(saturating([0.6, 0.9, 0.995, 1.0]))
    assert [ax.get_xlim()[1] for ax in axes] == [4.0] * 3
    assert axes[0].get_xlabel() == "privacy budget ε (nats); from 4 on every curve is above 0.99"
    assert axes[0].get_ylim()[0] == pytest.approx(0.58)  # the lower half is empty
    assert axes[1].get_ylim()[1] == pytest.approx(4.2)


@pytest.mark.parametrize("values", [[0.1, 0.2, 0.3, 1.0], [0.1, 0.2, 0.3, 0.9], [0.995, 0.995, 1.0, 1.0]])
def test_a_tradeoff_that_is_not_yet_at_1_is_whole(values):
    axes = plots.tradeoff(saturating(values))
    assert all(ax.get_xlim()[1] > 8 for ax in axes)
    assert axes[0].get_xlabel() == "privacy budget ε (nats)"


def test_three_panels_name_their_curves_once():
    named = [
        sum(isinstance(artist, AnnotationBbox) for artist in ax.artists)
        for ax in plots.tradeoff(saturating([0.1, 0.2, 0.3, 0.4]))
    ]
    assert named == [2, 0, 0]


def test_shares_have_a_dot_and_an_interval_per_table_size():
    found = pd.DataFrame({"law": ["a", "a", "b"], "design": ["x", "y", "x"], "rows": [300, 1000, 300]})
    found = found.assign(tables=10, kept=[10, 5, 2], low=[0.7, 0.2, 0.1], high=[1.0, 0.8, 0.5])
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
    with pytest.raises(InvalidParameter, match="mean: the smallest and largest lift do not decide it"):
        plots.plane(PEOPLE, {"mean": ll.L1Lift(0.5, 0.5)})
