"""A test of many things fails for each that fails, and for none at all."""

import pytest
from each import each


def test_it_names_those_that_fail():
    def even(number):
        assert number % 2 == 0, "odd"
        assert {2: True, 4: True}[number]

    each([2, 4], str)(even)()
    with pytest.raises(AssertionError, match=r"one: AssertionError: odd[^:]*six: KeyError: 6"):
        each([1, 2, 6], {1: "one", 6: "six"}.get)(even)()
    with pytest.raises(AssertionError):
        each([], str)(even)()
