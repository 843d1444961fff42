"""The verdict on a claim, computed from a paper's words and from what each alternative
that they allow shows.

A claim has a *form*, which says what one result can show:

- ``all``: it holds for everything that it speaks of, so one failing instance
  contradicts it;
- ``some``: something exists or may happen, so one instance is enough;
- ``curve``: a comparison in the paper's experiment, at every point of the figure;
- ``number``: a published number;
- ``degree``: a word such as "close" or "significant", without a number;
- ``time``: seconds on the authors' machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from liftlib.errors import DataError

Form = Literal["all", "some", "curve", "number", "degree", "time"]
Verdict = Literal["agrees", "differs", "depends", "cannot be told"]
Value = float | bool

FORMS: tuple[Form, ...] = get_args(Form)
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
LONGEST_QUOTE = 25
"""Largest number of words of a quotation."""
FEW = 20
"""A statement about random draws may fail in one of so many."""


@dataclass(frozen=True)
class Case:
    """One instance of a statement, or one alternative of a setting, with its values by
    seed.
    """

    label: str
    call: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Reading:
    """What a quotation says, with all cases that it allows.

    Attributes
    ----------
    quote, where : str
        At most ``LONGEST_QUOTE`` words of the paper, and their place.
    cases : tuple of Case
        Instances; if there is a setting, its alternatives.
    setting : str
        What the paper fixed and does not print, such as "orders of the columns"; empty
        if nothing.
    closed : bool
        Whether the cases are all that the text allows; for a claim that something
        exists, whether it is proven that nothing does if no case shows it.
    """

    quote: str
    where: str
    cases: tuple[Case, ...]
    setting: str = ""
    closed: bool = True

    def __post_init__(self) -> None:
        words = len(self.quote.split())
        if not 0 < words <= LONGEST_QUOTE or not self.where or not self.cases:
            raise DataError(
                f"the reading {self.quote!r} has {words} words, the place"
                f" {self.where!r} and {len(self.cases)} cases: give 1 to"
                f" {LONGEST_QUOTE} words of the paper, their place and a case"
            )


@dataclass(frozen=True)
class Row:
    """A claim: its form, the published number (None for words), its last digit, and the
    readings of its words.
    """

    id: str
    form: Form
    readings: tuple[Reading, ...]
    printed: float | None = None
    digit: float = 0.0

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise DataError(
                f"claim {self.id} has the form {self.form!r}: give {', '.join(FORMS)}"
            )
        if not self.readings:
            raise DataError(
                f"claim {self.id} has no reading in readings.csv: quote the sentence"
            )
        if len({reading.quote for reading in self.readings}) < len(self.readings):
            raise DataError(
                f"claim {self.id} has two readings of one quotation: make them cases of"
                " one reading"
            )


def of_case(row: Row, case: Case) -> Verdict:
    """Return what one case shows: "cannot be told" if chance decides, or nothing is
    stored.
    """
    if not case.values:
        return "cannot be told"
    if row.printed is not None:
        # few decimal numbers are floats, so a difference of exactly one unit may come
        # out a little larger
        slack = row.digit * (1 + 1e-9) + 1e-12 * abs(row.printed)
        within = min(case.values) - slack <= row.printed <= max(case.values) + slack
        return "agrees" if within else "differs"
    held, tried = sum(map(bool, case.values)), len(case.values)
    few = 0 if row.form == "all" else tried // FEW
    if held >= tried - few:
        return "agrees"
    return "differs" if row.form == "all" or held <= few else "cannot be told"


def of_reading(row: Row, reading: Reading) -> tuple[Verdict, int]:
    """Return a reading's verdict and the number of its cases that agree."""
    shown = [of_case(row, case) for case in reading.cases]
    agree, tried = shown.count("agrees"), len(shown)
    # our own margin and our own machine never contradict a text
    can_contradict = reading.closed and row.form not in ("degree", "time")
    against: Verdict = "differs" if can_contradict else "cannot be told"
    if reading.setting:
        return _of_setting(shown, reading, against), agree
    if row.form == "some":
        return ("agrees" if agree else against), agree
    if "differs" in shown:
        return against, agree
    return ("agrees" if agree == tried else "cannot be told"), agree


def _of_setting(
    shown: Sequence[Verdict], reading: Reading, against: Verdict
) -> Verdict:
    agree, tried = shown.count("agrees"), len(shown)
    if agree == tried:
        # a single choice of ours among unknown ones would be fitted
        return "agrees" if reading.closed or tried > 1 else "cannot be told"
    if not agree and "cannot be told" not in shown:
        return against
    return "depends" if against == "differs" else "cannot be told"


def verdict(row: Row) -> Verdict:
    """Return the verdict on a claim.

    Readings that contradict each other make it depend. Otherwise, a reading that cannot
    be told prevails over one that depends, and that over the others.

    Examples
    --------
    >>> held, failed = (Case("", "f", (value,)) for value in (True, False))
    >>> verdict(Row("a", "all", (Reading("every release", "p. 1", (held, failed)),)))
    'differs'
    >>> verdict(
    ...     Row(
    ...         "a",
    ...         "curve",
    ...         (Reading("is above", "p. 1", (held, failed), "orders of the columns"),),
    ...     )
    ... )
    'depends'
    >>> verdict(
    ...     Row(
    ...         "a",
    ...         "curve",
    ...         (Reading("is above", "p. 1", (held, failed), "budgets", closed=False),),
    ...     )
    ... )
    'cannot be told'
    """
    found = [of_reading(row, reading)[0] for reading in row.readings]
    if {"agrees", "differs"} <= {*found}:
        return "depends"
    for one in ("cannot be told", "depends"):
        if one in found:
            return one
    return found[0]


def share(row: Row, reading: Reading) -> str:
    """Return how many cases of a reading agree, in words; empty for a single case
    without a setting.

    Examples
    --------
    >>> cases = tuple(Case("", "f", (value,)) for value in (True, False, False))
    >>> row = Row(
    ...     "a", "curve", (Reading("is above", "p. 1", cases, "orders of the columns"),)
    ... )
    >>> share(row, row.readings[0])
    '1 of 3 orders of the columns'
    """
    if len(reading.cases) == 1 and not reading.setting:
        return ""
    return (
        f"{of_reading(row, reading)[1]} of {len(reading.cases)}"
        f" {reading.setting or 'instances'}"
    )
