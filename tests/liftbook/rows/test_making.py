"""What figures share: their parameters are explained, their joint distributions drawn, their rows timed."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest

from liftbook import figures
from liftbook.rows.making import figure, on_adult, on_random_joints
from liftlib.datasets import adult, uniform_joint, uniform_joints
from liftlib.errors import InvalidParameter

MADE = [name for name in figures.__all__ if hasattr(getattr(figures, name), "__wrapped__")]


@on_random_joints(3, 2, 4)
def sizes(p, factor=1, *, rng_of_its_own=0):
    """Return the shape.

    Parameters
    ----------
    factor : int
        Of each size.
        Two lines.
    n_public : int
        Symbols, a few.
    rng_of_its_own : int
        Nothing.

    Returns
    -------
    pandas.DataFrame
        One row.
    """
    return pd.DataFrame([np.array(p.shape) * factor])


def test_joints_are_drawn_from_the_seed():
    drawn = []

    @on_random_joints(3, 2, 4)
    def keep(p):
        drawn.append(p)
        return pd.DataFrame()

    keep(rng=5)
    keep(2, 3, 4, rng=np.random.default_rng(5))
    np.testing.assert_array_equal(drawn[0], uniform_joints(3, 2, 4, np.random.default_rng(5)))
    np.testing.assert_array_equal(drawn[1], uniform_joints(2, 3, 4, np.random.default_rng(5)))


def test_parameters_stand_in_order_with_their_defaults():
    assert list(inspect.signature(sizes).parameters) == [
        "n_trials",
        "factor",
        "n_secret",
        "n_public",
        "rng_of_its_own",
        "rng",
    ]
    assert sizes().iloc[0].tolist() == [3, 2, 4]
    assert sizes(1, 2, 3, n_public=5).iloc[0].tolist() == [2, 6, 10]
    assert sizes().attrs["seconds"] > 0
    with pytest.raises(TypeError, match="unexpected keyword argument 'n'"):
        sizes(n=2)


def test_its_own_descriptions_go_first():
    text = sizes.__doc__
    assert "factor : int\n    Of each size.\n    Two lines.\nn_secret : int\n    ``|S|``.\n" in text
    assert "n_public : int\n    Symbols, a few.\n" in text
    assert "rng : int or numpy.random.Generator, keyword-only\n" in text
    assert text.endswith("Returns\n-------\npandas.DataFrame\n    One row.")


def test_a_figure_without_parameters_needs_no_section():
    @figure
    def none():
        """Return nothing."""
        return pd.DataFrame()

    assert none.__doc__ == "Return nothing."


def test_adult_or_another_joint():
    seen = []

    @on_adult
    def keep(p):
        seen.append(p)
        return pd.DataFrame()

    other = uniform_joint(3, 5, np.random.default_rng(0))
    keep(leave_out=["Own-child"])
    keep(joint=other)
    np.testing.assert_array_equal(seen[0][0], adult(leave_out=["Own-child"]).p)
    np.testing.assert_array_equal(seen[1], other.p[None])


def test_one_number_for_several():
    for name in ("figure_e23_8", "figure_e23_5"):
        with pytest.raises(InvalidParameter, match=r"^epsilons is 3: give several numbers, such as \[0\.5, 1\.0\]$"):
            getattr(figures, name)(epsilons=3)


@pytest.mark.parametrize("name", MADE)
def test_every_parameter_is_explained(name):
    made = getattr(figures, name)
    described = re.findall(r"^(\w+) : [^\n,]+[^\n]*\n    \S", made.__doc__, re.MULTILINE)
    assert described == list(inspect.signature(made).parameters)


def test_every_figure_is_made_so():
    assert {name for name in figures.__all__ if name.startswith("figure_")} <= set(MADE)
