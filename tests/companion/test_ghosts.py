"""The book's curves stand behind those of a rerun, where its axes put them."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from companion.outputs.curves import note, taken
from companion.outputs.ghosts import with_ghosts
from companion.outputs.showing import as_figure_svg

LOOKS = {
    "heads": {"color": "#d55e00", "linestyle": "-"},
    "tails": {"color": "#0072b2", "linestyle": "--"},
}


def drawn_svg(*, scale, xscale="linear", yscale="linear", panels=1):
    figure, axes = plt.subplots(1, panels, squeeze=False)
    x = np.array([1.0, 2.0, 4.0, 8.0])
    for ax in axes.flat:
        rows = pd.concat(
            [
                pd.DataFrame({"series": name, "toss": x, "mean": scale * x})
                for name in LOOKS
            ]
        )
        for name, look in LOOKS.items():
            ax.plot(x, scale * x, gid=f"true-{name}", **look)
        ax.set_xscale(xscale)
        ax.set_yscale(yscale)
        ax.set_xlim(1, 16)
        ax.set_ylim(0.5, 40)
        note(ax, rows, LOOKS, x="toss", y="share")
    svg = as_figure_svg(figure)
    plt.close(figure)
    return svg


def numbers(path):
    return np.array([float(one) for one in re.findall(r"-?[\d.]+", path)]).reshape(
        -1, 2
    )


def ghost_paths(svg):
    return re.findall(r'<path d="([^"]*)" style="fill:none;stroke-width:4', svg)


def curve_paths(svg):
    return re.findall(r'<g id="true-\w+">\s*<path d="([^"]*)"', svg)


@pytest.mark.parametrize(
    "scales", [("linear", "linear"), ("log", "linear"), ("log", "log")]
)
@pytest.mark.parametrize("panels", [1, 2])
def test_a_ghost_lies_where_matplotlib_draws_the_curve(scales, panels):
    """The same curve drawn by matplotlib itself is the independent route."""
    book, here = (
        drawn_svg(scale=one, xscale=scales[0], yscale=scales[1], panels=panels)
        for one in (2.0, 3.0)
    )
    ghosts = ghost_paths(with_ghosts(here, taken(book)[1]))
    theirs = curve_paths(book)
    assert len(ghosts) == len(theirs) == 2 * panels
    for ghost, curve in zip(ghosts, theirs, strict=True):
        assert numbers(ghost) == pytest.approx(numbers(curve), abs=0.02)


def test_a_curve_in_the_order_of_another_column_lies_where_it_is_drawn():
    """Points of a frontier: both coordinates are measures, and budgets order them."""
    budgets = np.array([0.5, 1.0, 2.0, 4.0])
    rows = pd.DataFrame({"series": "heads", "eps": budgets[::-1]})
    figures = []
    for power in (2, 3):
        figure, ax = plt.subplots()
        rows["gain"], rows["mean"] = rows["eps"] ** power % 5, rows["eps"] ** 0.5
        drawn_rows = rows.sort_values("eps")
        ax.plot(
            drawn_rows["gain"], drawn_rows["mean"], gid="true-heads", color="#d55e00"
        )
        ax.set_xlim(0, 5)
        ax.set_ylim(0, 3)
        note(ax, rows, {"heads": LOOKS["heads"]}, x="gain", y="loss", at="eps")
        figures.append(as_figure_svg(figure))
        plt.close(figure)
    book, here = figures
    (ghost,) = ghost_paths(with_ghosts(here, taken(book)[1]))
    (curve,) = curve_paths(book)
    assert numbers(ghost) == pytest.approx(numbers(curve), abs=0.02)


def test_they_have_the_curves_colours_and_are_cut_at_the_axes():
    made = with_ghosts(drawn_svg(scale=3.0), taken(drawn_svg(scale=2.0))[1])
    ghosts = re.search(r'<g id="ghosts">(.*?)</g>\n<g id="figure_1">', made, re.DOTALL)[
        1
    ]
    assert "stroke:#d55e00" in ghosts
    assert "<title>tails, in the book</title>" in ghosts
    assert 'clip-path="url(#ghost-0)"' in ghosts


def test_nothing_is_drawn_where_nothing_changed_or_nothing_is_known():
    svg = drawn_svg(scale=2.0)
    assert with_ghosts(svg, taken(svg)[1]) == svg
    assert with_ghosts("<svg></svg>", taken(svg)[1]) == "<svg></svg>"
    other = taken(drawn_svg(scale=3.0))[1].replace(
        '"measure": "share"', '"measure": "other"'
    )
    assert (
        "<path d"
        not in with_ghosts(svg, other)
        .partition('<g id="figure_1">')[0]
        .partition("<defs>")[0]
    )
