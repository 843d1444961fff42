"""A proposition's claim fails if its bound is two per cent tighter."""

from functools import partial

import pytest

from liftbook.claims.e23 import propositions
from liftbook.claims.e23.propositions import AT_THE_BOUNDS


@pytest.mark.parametrize(
    "function",
    [
        propositions.proposition_1_information, propositions.proposition_1_ldp,
        partial(propositions.proposition_1_orders, "above 1"),
        propositions.proposition_3_alpha, propositions.proposition_4,
        propositions.proposition_5_alpha, propositions.proposition_6,
    ],
)  # fmt: skip
def test_a_tighter_bound_is_broken(monkeypatch, function):
    assert function(seed=0)
    monkeypatch.setattr(propositions, "ROUNDING_FACTOR", 0.98)
    assert not function(seed=0)


def test_as_many_as_the_rows_say():
    assert len(AT_THE_BOUNDS) == 11
