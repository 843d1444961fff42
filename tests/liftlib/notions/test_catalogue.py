"""A notion as JSON values and back: this library's own alone."""

import json
import math
from dataclasses import dataclass

import pytest

import liftlib as ll
from liftlib.notions.catalogue import content_of, from_content

OURS = (ll.ALIP(math.inf, 0.5), ll.LIP(1.0), ll.LDP(math.inf), ll.AlphaLift(2.0, 1.0, 0.5), ll.PerfectPrivacy())


@pytest.mark.parametrize("notion", OURS, ids=str)
def test_there_and_back(notion):
    text = json.dumps(content_of(notion), allow_nan=False)  # an infinite budget is a word: JSON has no such number
    again = from_content(json.loads(text))
    assert again == notion
    assert type(again) is type(notion)


def test_ones_own_has_no_content():
    @dataclass(frozen=True)
    class Own(ll.ALIP.__base__):
        """Another notion."""

        eps: float = 1.0

        def required_budgets(self, lift, p_s):  # noqa: ARG002
            return ()

    assert content_of(Own()) is None
