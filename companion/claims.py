"""Compare a published number with computed ones."""

from __future__ import annotations

from typing import Literal


def last_digit(printed: str) -> float:
    """Return one unit of the last digit of a printed number; 0 for a whole number,
    which is exact.

    Examples
    --------
    >>> last_digit("0.55"), last_digit("1e-3"), last_digit("6")
    (0.01, 0.001, 0.0)
    """
    mantissa, _, exponent = printed.lower().partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    return 10.0**-decimals if decimals > 0 else 0.0


def verdict(
    printed: str, *computed: float, digit: float | None = None
) -> Literal["agrees", "differs"]:
    """Return "agrees" if a printed number lies in the range of computed ones, else
    "differs".

    Parameters
    ----------
    printed : str
        The number as published.
    *computed : float
        The computed number, or one per replication. Their range is widened by
        ``digit``.
    digit : float, optional, keyword-only
        By default :func:`last_digit`, as a published number may be rounded or cut.

    Examples
    --------
    >>> verdict("0.55", 0.5401), verdict("0.55", 0.5399), verdict("0.55", 0.4, 0.6)
    ('agrees', 'differs', 'agrees')
    """
    number = float(printed)
    # few decimal numbers are floats, so a difference of exactly one unit may come out a
    # little larger
    slack = (last_digit(printed) if digit is None else digit) * (
        1 + 1e-9
    ) + 1e-12 * abs(number)
    return (
        "agrees"
        if min(computed) - slack <= number <= max(computed) + slack
        else "differs"
    )
