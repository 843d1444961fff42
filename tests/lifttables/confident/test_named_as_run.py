"""A card names the mechanism that was run for the population."""

from dataclasses import replace

import numpy as np
import polars as pl

import liftlib as ll
from liftlib.registry import mechanisms
from lifttables.confident.certification import for_population, route

COUNTS = np.array([[300.0, 210, 90, 200, 200], [200, 190, 210, 195, 205], [100, 100, 100, 99, 101]])
NOTION = ll.LIP(0.6)

NAMES = {
    "watchdog": "confident-merging (in place of watchdog)",
    "best-partition": "confident-merging (in place of best-partition)",
    "subset-merging": "confident-merging (in place of subset-merging)",
    "optimal": "confident-response (in place of optimal)",
    "subset-response": "confident-response (in place of subset-response)",
    "robust": "confident-response (in place of robust)",
}


def frame():
    rows = [(s, x) for (s, x), count in np.ndenumerate(COUNTS) for _ in range(int(count))]
    return pl.DataFrame({"s": [f"s{s}" for s, _ in rows], "x": [f"x{x}" for _, x in rows]})


def test_neither_name_nor_folder_decides_what_takes_a_mechanisms_place():
    for folder, function in (
        ("liftlib.merging.watchdog", "watchdog"),
        ("liftlib.response.optimal", "optimal_response"),
    ):
        own = replace(mechanisms["watchdog"], name="own", where=f"{folder}:{function}", population="")
        assert route(own, NOTION) == "own"
        assert for_population(replace(own, population="merging"), COUNTS, NOTION).mechanism == (
            "confident-merging (in place of own)"
        )
        found = for_population(own, COUNTS, NOTION, 0.95)
        assert found.mechanism == "own with a constant release mixed in"
        assert found.certifier.keeps(found.channel)
    moved = replace(mechanisms["watchdog"], where="liftbook.relatives.tailored:tailored_response")
    assert for_population(moved, COUNTS, NOTION, 0.95).mechanism == NAMES["watchdog"]
