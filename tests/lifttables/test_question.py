"""A release that answers a question keeps beliefs within what was asked."""

import math

import pytest

import lifttables as tables
from liftlib.errors import InvalidParameter
from lifttables.releases.question import BELIEF_STEPS_PER_NAT


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
