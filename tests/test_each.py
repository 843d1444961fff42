"""A test of many things fails for each that fails, and for none at all."""

import pytest
from each import each


def test_it_names_those_that_fail():
    def even(number):
        assert number % 2 == 0, "odd"

    each([2, 4], str)(even)()
    with pytest.raises(AssertionError, match=r"one: odd[^:]*three: odd"):
        each([1, 2, 3], {1: "one", 3: "three"}.get)(even)()
    with pytest.raises(AssertionError):
        each([], str)(even)()
