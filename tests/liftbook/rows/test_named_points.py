"""The text of a rerun names no budget that was not run."""

import math
import re

import numpy as np
import pandas as pd
import pytest

import liftlib as ll
from liftbook import figures
from liftbook.chapters import chapters_folder, read_notebook
from liftbook.rows.making import at, curve, where_largest

CHAPTERS = sorted(chapters_folder().glob("*.md"))
NEAREST = re.compile(r"abs\(.*\)\.(?:arg|idx)min\(\)|min\(\w+, key=lambda")
NAMED = re.compile(r'glue\("[\w-]+-(?:eps|people)", (?:float|int)\((?:at|near)\)')


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_where_the_nearest_of_a_run_is_taken_the_text_names_it(path):
    for cell in read_notebook(path).cells:
        if cell.cell_type == "code" and NEAREST.search(cell.source):
            assert NAMED.search(cell.source), cell.source


def test_a_point_that_was_not_run_is_no_number():
    rows = figures.figure_e23_2(2, [1.0, 3.0], [0.4], n_secret=3, n_public=4, rng=0)
    assert at(rows, "LDP", 3) == curve(rows, "LDP").loc[3.0]
    assert math.isnan(at(rows, "LDP", 2))
    assert math.isnan(at(rows, "ALIP, λ=0.5", 3))
    assert math.isnan(where_largest(curve(rows, "ALIP, λ=0.5") - curve(rows, "LDP")))
    assert where_largest(pd.Series({0.5: 1.0, 2.0: 3.0})) == 2.0


def glued(chapter, first, **names):
    """Execute the cell of a chapter that glues ``first`` and return what it glues."""
    found = {}
    (cell,) = [
        cell.source
        for cell in read_notebook(chapters_folder() / f"{chapter}.md").cells
        if cell.cell_type == "code" and f'glue("{first}"' in cell.source
    ]
    tools = {"np": np, "ll": ll, "figures": figures, "glue": lambda name, value, **_: found.update({name: value})}
    exec(cell, names | tools)  # noqa: S102 - a chapter's cell
    return found


RUN = {"n_trials": 2, "n_secret": 3, "n_public": 4, "seed": 0}


@pytest.mark.parametrize("lambdas", [[0.5, 0.65, 0.35], [0.4]])
@pytest.mark.parametrize("epsilons", [[2.0], [0.5, 3.0]])
def test_two_lessons_with_other_budgets_and_shares(epsilons, lambdas):
    of = (RUN["n_trials"], epsilons, lambdas, RUN["n_secret"], RUN["n_public"])
    names = {**RUN, "epsilons": epsilons, "lambdas": lambdas}
    fig2 = figures.figure_e23_2(*of, rng=0)
    found = glued("watchdog", "wd-n", fig2=fig2, **names)
    there = 2.0 in epsilons and 0.5 in lambdas
    assert math.isnan(found["wd-syn-2"]) != there
    assert math.isnan(found["wd-syn-1"])
    assert math.isnan(found["wd-broken-8"])
    assert math.isnan(found["wd-relax-gain"]) == (0.4 in lambdas)
    fig4 = figures.figure_e23_4(*of, rng=0)
    fig4.attrs["told"] = "few joint distributions"
    found = glued("aorr", "ao-told-4", fig4=fig4, **names)
    assert math.isnan(found["ao-syn-2"]) != there
    assert math.isnan(found["ao-gain-at"]) == (0.4 in lambdas)
