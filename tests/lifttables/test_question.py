"""A release that answers a question keeps beliefs within what was asked."""

import math

import pytest
from messages import raised

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
    ("belief", "at_most"), [(0.2, 0.2), (0.3, 0.2), (0, 0.5), (0.1, 1)]
)
def test_impossible_questions_are_refused(belief, at_most):
    with raised(InvalidParameter):
        tables.Question(belief, at_most)
