"""Check a reader's answer to an exercise, with graded hints.

The page's form compares the same numbers with the same tolerances in ``exercises.js``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

MIME = "application/vnd.companion.answer+json"  # marks what a check hands to the build
DIGITS = 3  # significant digits that are compared
FEWEST = 2  # as many suffice if no more were written
SLACK = 1e-9  # relative, for floating-point numbers at the edge of a tolerance
TINY = 1e-12  # numbers this close to 0 count as 0
# precedes a single hint, so that the first wrong answer does not reveal the way
LOOK_AGAIN = "look again at what is asked, and in which unit"
MORE_DIGITS = "right as far as it goes: give two significant digits at least"
UNNAMED = ("",)  # the names of the rows or columns of an answer that has only one
# the wrong answers so far, by the exercise; each further one gets the next hint
WRONG_ANSWERS: dict[str, list[str]] = {}


@dataclass(frozen=True)
class Field:
    """A field of an answer.

    Attributes
    ----------
    kind : str
        "number", "integer", "choice", or "exact" for any other object.
    value : float, int or str
        The right answer, infinity as text; the ``repr`` of an object.
    tolerance : float
        Within which a number is right: one unit of the last digit that is compared.
    """

    kind: str
    value: Any
    tolerance: float = 0.0

    def fits(self, given: Any) -> bool:
        """Return whether a value is right."""
        if self.kind == "exact":
            return bool(text_of(given) == self.value)
        if self.kind == "choice":
            return bool(given == self.value)
        if not is_number(given):
            return False
        number, value = float(given), float(self.value)
        if self.kind == "integer":
            return abs(number - value) < SLACK
        if number == value or abs(number - value) <= self.tolerance * (1 + SLACK):
            return True
        # Python writes 0.80 as 0.8, so fewer digits may stand for two
        few = written_digits(given) <= FEWEST
        return few and is_rounded(number, value, FEWEST)

    def is_short(self, given: Any) -> bool:
        """Return whether a number is right, but written with a single digit."""
        if self.kind != "number" or not is_number(given):
            return False
        digits = written_digits(given)
        return digits == 1 and is_rounded(float(given), float(self.value), digits)


@dataclass(frozen=True)
class Expected:
    """The right answer of an exercise, with its hints, as the page's form reads it.

    Attributes
    ----------
    rows, columns : tuple of str
        Names of the answer's rows and columns; one empty name if there is only one.
    fields : tuple of Field
        The fields in row-major order.
    choices : tuple of str
        The choices of fields of the kind "choice".
    hints : tuple of str
        Hints in order, from a direction to an intermediate value.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    fields: tuple[Field, ...]
    choices: tuple[str, ...]
    hints: tuple[str, ...]

    @property
    def is_form(self) -> bool:
        """Whether a form on the page can ask for the answer."""
        return all(field.kind != "exact" for field in self.fields)

    def text(self) -> str:
        """Return the answer as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def read(cls, text: str) -> Expected:
        """Return the answer that :meth:`text` wrote."""
        content: dict[str, Any] = json.loads(text)
        fields = tuple(Field(**field) for field in content.pop("fields"))
        names = {key: tuple(value) for key, value in content.items()}
        return cls(fields=fields, **names)

    def entries(self, answer: Any) -> list[Any] | None:
        """Return an answer's entry for each field, or None if its shape is wrong."""
        if len(self.fields) == 1 and self.fields[0].kind == "exact":
            return [answer]
        array = _array(answer)
        shape = [len(side) for side in (self.rows, self.columns) if side != UNNAMED]
        return array.ravel().tolist() if list(array.shape) == shape else None


def expect(
    expected: Any,
    hints: Sequence[str] = (),
    *,
    digits: int = DIGITS,
    labels: Sequence[Any] = (),
    choices: Sequence[str] = (),
) -> Expected:
    """Return the right answer of an exercise; for the parameters see :func:`check`.

    Raises
    ------
    ValueError
        If the labels do not match the answer's shape, or an answer is no choice.
    """
    array = _array(expected)
    entries = array.ravel().tolist()
    kinds = [_kind(entry, choices) for entry in entries]
    if "exact" in kinds or not kinds:
        array, entries, kinds = _array(None), [text_of(expected)], ["exact"]
    fields = []
    for kind, value in zip(kinds, entries, strict=True):
        if kind == "choice" and value not in choices:
            said = ", ".join(choices)
            raise ValueError(f"the answer {value!r} is not among the choices {said}")
        if kind == "number":
            number = float(value)
            shown: Any = number if math.isfinite(number) else _infinite(number)
            fields.append(Field(kind, shown, unit(number, digits)))
        else:
            fields.append(Field(kind, int(value) if kind == "integer" else value))
    rows, columns = _names(array.shape, labels)
    if len(hints) < 2:
        hints = [LOOK_AGAIN, *hints]
    return Expected(rows, columns, tuple(fields), tuple(choices), tuple(hints))


def unit(value: float, digits: int) -> float:
    """Return one unit of the last of ``digits`` significant digits.

    >>> unit(0.0711, 3), unit(13 / 3, 3), unit(0.0, 3), unit(math.inf, 3)
    (0.0001, 0.01, 1e-12, 0.0)
    """
    if not math.isfinite(value):
        return 0.0
    if abs(value) < TINY:
        return TINY
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return float(f"1e{exponent - digits + 1}")


def written_digits(number: Real) -> int:
    """Return the number of significant digits with which Python writes a number.

    >>> (
    ...     written_digits(0.93),
    ...     written_digits(-120),
    ...     written_digits(2e-5),
    ...     written_digits(4),
    ... )
    (2, 3, 1, 1)
    """
    text = repr(int(number)) if isinstance(number, Integral) else repr(float(number))
    mantissa = text.partition("e")[0]
    return len(re.sub(r"\D", "", mantissa).lstrip("0"))


def is_rounded(number: float, value: float, digits: int) -> bool:
    """Return whether a number is a value, rounded to this many significant digits.

    >>> (
    ...     is_rounded(0.07, 0.0711, 1),
    ...     is_rounded(0.08, 0.0711, 1),
    ...     is_rounded(4.3, 13 / 3, 2),
    ... )
    (True, False, True)
    """
    if not (math.isfinite(number) and math.isfinite(value)) or number == 0:
        return number == value
    half = unit(number, digits) / 2
    return abs(number - value) <= half * (1 + SLACK)


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and otherwise a hint; truthy if right.

    ``close`` says whether the answer is within ``tolerance`` of the expected one, as
    the book's solution must be; the book's build uses ``answer`` and ``expected``.
    """

    right: bool
    hint: str
    close: bool = False
    answer: Any = None
    expected: Expected | None = None

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        return "Right." if self.right else f"Not yet: {self.hint}"

    def _repr_mimebundle_(
        self, **_options: Any
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the verdict as text, with a solution's answer for the build."""
        shown: dict[str, Any] = {"text/plain": repr(self)}
        if not self.close or self.expected is None:
            return shown, {}
        entries = np.array(self.answer, dtype=object).ravel().astype(str).tolist()
        shown[MIME] = {"answer": entries, "expected": self.expected.text()}
        # the name of an output that MyST-NB stores, so one for each answer
        return shown, {"scrapbook": {"name": f"answer {self.expected.text()}"}}


def check(
    answer: Any,
    expected: Any,
    *hints: str,
    digits: int = DIGITS,
    labels: Any = (),
    choices: Any = (),
    tolerance: float = 1e-6,
) -> Verdict:
    """Return the verdict on an answer: right, or the next hint.

    A number is right within one unit of the last of ``digits`` significant digits; a
    number of at most two digits is also right if the expected one, rounded to two, is
    equal to it. Any other single digit gets the hint to write two. An integer has to
    be exact.

    Parameters
    ----------
    answer : object
        The reader's answer, or None if there is none yet.
    expected : object
        The right answer: a number, one of the choices, or a sequence or table of these.
        Any other object is compared by its ``repr``; for it the page has no form.
    *hints : str
        Shown in order, one per further wrong answer: a direction, the method, an
        intermediate value.
    digits : int, keyword-only
        Number of significant digits that are compared, three by default.
    labels : sequence of str, keyword-only
        Names of the numbers of a sequence; for a table, the names of its rows and the
        names of its columns.
    choices : sequence of str, keyword-only
        The possible choices.
    tolerance : float, keyword-only
        Absolute tolerance within which the book's solution has to agree with
        ``expected``.

    Examples
    --------
    >>> check(0.5, 1 / 2, "less than 1")
    Right.
    >>> check(None, 1, "count them")
    Not yet: replace None by your answer
    >>> check(0.33, 2 / 3, "more than a half", "divide by three")
    Not yet: more than a half
    >>> check(0.34, 2 / 3, "more than a half", "divide by three")
    Not yet: divide by three
    >>> check(0.07, 0.0711, "more than a half", "divide by three")
    Not yet: right as far as it goes: give two significant digits at least
    """
    wanted = expect(expected, hints, digits=digits, labels=labels, choices=choices)
    if answer is None:
        return Verdict(False, "replace None by your answer")
    close = _close(answer, expected, tolerance)
    entries = wanted.entries(answer) or []
    pairs = list(zip(wanted.fields, entries, strict=False))
    fits = bool(pairs) and all(field.fits(entry) for field, entry in pairs)
    if fits or (close and not wanted.is_form):
        return Verdict(True, "", close, answer, wanted)
    if pairs and all(
        field.fits(entry) or field.is_short(entry) for field, entry in pairs
    ):
        return Verdict(False, MORE_DIGITS)
    tried = WRONG_ANSWERS.setdefault(wanted.text(), [])
    if repr(answer) not in tried:
        tried.append(repr(answer))
    number = min(tried.index(repr(answer)), len(wanted.hints) - 1)
    return Verdict(False, wanted.hints[number])


def is_number(value: Any) -> bool:
    """Return whether a value is a real number; booleans do not count."""
    return type(value) is not bool and isinstance(value, Real)


def text_of(value: Any) -> str:
    """Return the ``repr`` by which an object is compared; sets are sorted.

    >>> text_of({3, 1, 2}), text_of(["a"])
    ('[1, 2, 3]', "['a']")
    """
    return repr(sorted(value) if isinstance(value, set | frozenset) else value)


def _close(answer: Any, expected: Any, tolerance: float) -> bool:
    """Return whether an answer equals the expected one, within the tolerance."""
    if isinstance(expected, str | bool | set | frozenset):
        return type(answer) is type(expected) and answer == expected
    try:
        given, wanted = (
            np.asarray(answer, dtype=float),
            np.asarray(expected, dtype=float),
        )
    except (TypeError, ValueError):
        return bool(answer == expected)
    if given.shape != wanted.shape:
        return False
    return bool(np.allclose(given, wanted, rtol=0, atol=tolerance))


def _array(value: Any) -> np.ndarray[Any, Any]:
    """Return a value as an object array; ragged and scalar values have no axes."""
    try:
        return np.array(value, dtype=object)
    except ValueError:  # parts of different lengths
        array = np.empty((), dtype=object)
        array[()] = value
        return array


def _kind(value: Any, choices: Sequence[str]) -> str:
    if is_number(value):
        return "integer" if isinstance(value, Integral) else "number"
    return "choice" if isinstance(value, str) and choices else "exact"


def _infinite(number: float) -> str:
    """Return a number that is not finite as Python and JavaScript both read it."""
    if math.isnan(number):
        raise ValueError("the expected answer is NaN: check how it is computed")
    return "Infinity" if number > 0 else "-Infinity"


def _names(
    shape: tuple[int, ...], labels: Sequence[Any]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of rows and columns of an answer of this shape."""
    if not labels and len(shape) == 1:
        labels = [f"number {n + 1}" for n in range(shape[0])]
    sides: list[tuple[str, ...]] = []
    if len(shape) == 2:
        sides = [tuple(side) for side in labels]
    elif labels:
        sides = [tuple(labels)]
    if [len(side) for side in sides] != list(shape):
        words = f"name each of its fields by labels, not as {labels!r}"
        raise ValueError(f"the answer has the shape {shape}: {words}")
    rows, columns = [*sides, UNNAMED, UNNAMED][:2]
    return rows, columns
