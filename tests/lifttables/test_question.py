"""A release that answers a question keeps beliefs within what was asked."""

import math

import numpy as np
import polars as pl
import pytest

import lifttables as tables
from liftlib.errors import InvalidParameter
from lifttables.releases.question import BELIEF_STEPS_PER_NAT

COUNTS = np.array([[900, 300, 100], [60, 200, 140], [40, 60, 200]])
OF = {"secret": "ill", "public": "age"}


def frame(counts=COUNTS):
    rows = [
        (s, x)
        for s in range(counts.shape[0])
        for x in range(counts.shape[1])
        for _ in range(counts[s, x])
    ]
    return pl.DataFrame(
        {"ill": [f"s{s}" for s, _ in rows], "age": [f"x{x}" for _, x in rows]}
    )


def largest_belief(p_s, lifts, prior):
    """Return the largest posterior of an event of a prior."""
    room, posterior = prior, 0.0
    for s in np.argsort(-lifts):
        taken = min(room, p_s[s])
        room, posterior = room - taken, posterior + taken * lifts[s]
    return posterior


def test_the_budget_is_that_of_the_closed_form_rounded_down():
    notion = tables.Question(0.1, 0.2).notion
    limit = math.log(2) / 0.7
    budget = (notion.eps_l + notion.eps_u) / 2
    assert limit - 1.0001 / BELIEF_STEPS_PER_NAT <= budget <= limit
    assert notion.belief(0.1)[1] <= 0.2


@pytest.mark.parametrize(
    ("belief", "at_most", "says"),
    [
        (0.2, 0.2, "allow more than 20 %"),
        (0.3, 0.2, "belief 30 %"),
        (0, 0.5, "belief is 0"),
        (0.1, 1, "at_most is 1"),
    ],
)
def test_impossible_questions_are_refused(belief, at_most, says):
    with pytest.raises(InvalidParameter, match=says):
        tables.Question(belief, at_most)
