"""Lines that a legend can tell apart, and arrows that end at boxes."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import liftlib as ll
from liftbook import plots

NOTIONS = {
    "one of each": {
        "LIP(0.5)": ll.LIP(0.5),
        "ALIP(0.65, 0.35)": ll.ALIP(0.65, 0.35),
        "LDP(1)": ll.LDP(1.0),
        "rise at most by 0.5": ll.ALIP(np.inf, 0.5),
    },
    "LDP twice": {
        "LIP(0.5)": ll.LIP(0.5),
        "LDP(0.5)": ll.LDP(0.5),
        "LDP(1)": ll.LDP(1.0),
    },
}


@pytest.mark.parametrize("notions", NOTIONS.values(), ids=NOTIONS)
def test_no_two_borders_of_the_plane_look_alike(notions):
    ax = plots.plane(ll.datasets.hundred_people(), notions)
    drawn = [
        (line.get_color(), str(line.get_linestyle()))
        for line in ax.get_legend_handles_labels()[0][: len(notions)]
    ]
    assert len(set(drawn)) == len(notions)
    plt.close(ax.figure)


def test_no_text_of_the_decisions_lies_in_the_way_of_an_arrow():
    lines = pd.DataFrame(
        {
            "question": ["Is it so?", "Or is it so?", "Or else"],
            "use": ["a", "b", "c"],
            "note": "",
        }
    )
    ax = plots.decisions(lines)
    ax.figure.canvas.draw()
    boxes = [
        text.get_bbox_patch().get_window_extent()
        for text in ax.texts
        if text.get_bbox_patch()
    ]
    arrows = [
        text.arrow_patch.get_window_extent()
        for text in ax.texts
        if getattr(text, "arrow_patch", None)
    ]
    assert (len(boxes), len(arrows)) == (6, 5)
    for box in boxes:
        inner = box.expanded(0.6, 0.6)
        assert not [arrow for arrow in arrows if inner.overlaps(arrow)]
    plt.close(ax.figure)
