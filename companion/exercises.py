"""Check a reader's answer to an exercise and say why it is not right yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and a hint where it is not; truthy when right."""

    right: bool
    hint: str

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        return "Right." if self.right else f"Not yet: {self.hint}"


def check(answer: Any, expected: Any, hint: str, *, tolerance: float = 1e-6) -> Verdict:
    """Compare an answer with what is expected.

    Parameters
    ----------
    answer : object
        What the reader computed: a number, an array, a string, a sequence, a set; None while it is not answered.
    expected : object
        The right answer.
    hint : str
        Said where the answer is not right.
    tolerance : float, keyword-only
        Absolute tolerance for numbers and arrays.

    Examples
    --------
    >>> check(0.5, 1 / 2, "halve it")
    Right.
    >>> check(None, 1, "count them")
    Not yet: replace None by your answer; count them
    """
    if answer is None:
        return Verdict(False, f"replace None by your answer; {hint}")
    if isinstance(expected, str | bool | set | frozenset | type(None)):
        return Verdict(type(answer) is type(expected) and answer == expected, hint)
    try:
        given, wanted = np.asarray(answer, dtype=float), np.asarray(expected, dtype=float)
    except (TypeError, ValueError):
        return Verdict(bool(answer == expected), hint)
    close = given.shape == wanted.shape and bool(np.allclose(given, wanted, rtol=0, atol=tolerance))
    return Verdict(close, hint)
