"""One palette by meaning: no default colours, orange and purple for lifts alone."""

import colorsys
import itertools
import re
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb

from liftbook import plots
from liftbook.plots import styling

HTML = Path(__file__).resolve().parents[3] / "_build" / "html"
DEFAULTS = {to_hex(colour) for colour in mpl.rcParamsDefault["axes.prop_cycle"].by_key()["color"]}
MEANINGS = [
    *(colour for colour, _ in styling.MECHANISM_LOOKS.values()),
    *(colour for colour, *_ in styling.NOTION_LOOKS.values()),
    *styling.COLOURS,
    *styling.SHARE_SHADES.values(),
    *styling.shades(5),
]


def hue(colour):
    """Return a colour's hue in degrees, None for greys."""
    hue, _, saturation = colorsys.rgb_to_hls(*to_rgb(colour))
    return 360 * hue if saturation > 0.2 else None


@pytest.mark.parametrize("colour", sorted(set(MEANINGS)))
def test_orange_and_purple_are_for_lifts(colour):
    assert colour not in styling.LIFTS.values()
    assert hue(colour) is None or not (15 < hue(colour) < 45 or 250 < hue(colour) < 330)


def test_shares_of_a_budget_differ_by_lightness():
    found = plots.looks([f"ALIP, λ={share}" for share in (0.35, 0.5, 0.65)])
    light = [colorsys.rgb_to_hls(*to_rgb(look["color"]))[1] for look in found.values()]
    assert light == sorted(light, reverse=True)


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
        if (used := DEFAULTS & set(re.findall(r"#[0-9a-f]{6}", path.read_text(encoding="utf-8"))))
    }
    assert found == {}
