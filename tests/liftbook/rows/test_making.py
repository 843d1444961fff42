"""What figure functions share: timing, Adult, and numbers for the text."""

import inspect
import math
import re

import numpy as np
import pandas as pd
import pytest
from messages import raised

from liftbook import figures
from liftbook.rows.making import adult_joint, at, curve, nearest
from liftlib.datasets import adult, uniform_joint
from liftlib.errors import InvalidParameter

MADE = [
    name for name in figures.__all__ if hasattr(getattr(figures, name), "is_figure")
]


def described(text):
    names = re.findall(
        r"^(\w[\w, ]*) : [^\n]+\n    \S", inspect.cleandoc(text or ""), re.MULTILINE
    )
    return {name for line in names for name in line.split(", ")}


def test_a_seed_and_its_generator_draw_the_same_joints():
    one = figures.figure_c22_2(3, [0.5], 2, 4, rng=5)
    pd.testing.assert_frame_equal(
        one, figures.figure_c22_2(3, [0.5], 2, 4, rng=np.random.default_rng(5))
    )


def test_adult_or_another_joint():
    np.testing.assert_array_equal(
        adult_joint(["Own-child"])[0], adult(leave_out=["Own-child"]).p
    )
    other = uniform_joint(3, 5, np.random.default_rng(0))
    np.testing.assert_array_equal(adult_joint(joint=other), other.p[None])


@pytest.mark.parametrize("name", ["figure_e23_8", "figure_e23_5"])
def test_one_number_for_several(name):
    with raised(InvalidParameter):
        getattr(figures, name)(epsilons=3)


@pytest.mark.parametrize("name", MADE)
def test_every_parameter_is_described_once(name):
    made, shared = getattr(figures, name), described(figures.__doc__)
    assert set(inspect.signature(made).parameters) <= described(made.__doc__) | shared


def test_every_figure_is_marked():
    assert {name for name in figures.__all__ if name.startswith("figure_")} <= set(MADE)


FEW = {
    "figure_e23_2": (5, [1.0], [0.5], 3, 4),
    "figure_c22_3": (5, [1.0], 3, 4),
    "figure_s20_6": (4, [1.0], [2], [3]),
    "figure_s20_7": (4, 1.0, [(2, 3)]),
}


@pytest.mark.parametrize("name", FEW)
def test_same_seed_same_rows(name):
    first, second, other = (
        getattr(figures, name)(*FEW[name], rng=seed) for seed in (7, 7, 8)
    )
    pd.testing.assert_frame_equal(first, second)
    assert not first.equals(other)


@pytest.mark.parametrize(
    "name",
    ["partition_gap", "figure_c22_1", "figure_e23_2", "figure_e23_4", "figure_s20_8"],
)
@pytest.mark.parametrize("values", [[], [-1.0], [np.nan], [np.inf]])
def test_wrong_budgets(name, values):
    with raised(InvalidParameter):
        getattr(figures, name)(epsilons=values)


def test_a_point_that_was_not_run_is_no_number():
    rows = figures.figure_e23_2(2, [1.0, 3.0], [0.4], n_secret=3, n_public=4, rng=0)
    assert at(rows, "LDP", 3) == curve(rows, "LDP").loc[3.0]
    assert math.isnan(at(rows, "LDP", 2))
    assert math.isnan(at(rows, "ALIP, λ=0.5", 3))


@pytest.mark.parametrize(
    ("values", "wanted", "found"),
    [([0.5, 3.0], 2, 3.0), ([3.0, 1.0], 2, 1.0), ([0.4], 0.65, 0.4), ((2,), 2.0, 2.0)],
)
def test_the_nearest_of_a_run(values, wanted, found):
    assert nearest(values, wanted) == found
