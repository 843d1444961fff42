"""A card names the mechanism that was run for the population."""

from dataclasses import replace

import numpy as np

import liftlib as ll
from liftlib.registry import mechanisms
from lifttables.confident.certification import for_population, route

COUNTS = np.array([[300.0, 210, 90, 200, 200], [200, 190, 210, 195, 205], [100, 100, 100, 99, 101]])
NOTION = ll.LIP(0.6)


def own(joint, notion):
    """Return what the watchdog does, as a function of somebody's own."""
    return mechanisms["watchdog"](joint, notion)


def test_neither_name_nor_function_decides_what_takes_a_mechanisms_place():
    mine = replace(mechanisms["watchdog"], name="own", function=own, population="")
    assert route(mine, NOTION) == "own"
    found = for_population(mine, COUNTS, NOTION, 0.95)
    assert found.mechanism == "own with a constant release mixed in"
    assert found.certifier.keeps(found.channel)
    merged = for_population(replace(mine, population="merging"), COUNTS, NOTION)
    assert merged.mechanism == "confident-merging (in place of own)"
    moved = replace(mechanisms["watchdog"], function=own)
    assert for_population(moved, COUNTS, NOTION, 0.95).mechanism == "confident-merging (in place of watchdog)"
