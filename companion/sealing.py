"""Sealed answers: salted hashes that check an answer without revealing it.

A number is sealed as a decimal with a few significant digits, such as ``1.17e0``. A reader's number is expanded into
several such decimals, and is right if the hash of any of them is stored. The script ``sphinx/static/exercises.js``
implements the same rules. Sealing only prevents accidental reading: a program can try all three-digit numbers.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

DIGITS, FEWEST = 3, 2  # significant digits that are compared; FEWEST suffice if no more were written
TINY = 1e-12  # numbers closer to 0 count as 0
# precedes a single hint, so that the first wrong answer does not reveal the way
LOOK_AGAIN = "look again at what is asked, and in which unit"
UNNAMED = ("",)  # the names of the rows or columns of an answer that has only one


def concealed(text: str) -> str:
    """Return a text in Base64, so that it cannot be read at a glance.

    >>> concealed("28/30")
    'MjgvMzA='
    """
    return base64.b64encode(text.encode()).decode()


def disclosed(text: str) -> str:
    """Return the text that :func:`concealed` encoded."""
    return base64.b64decode(text).decode()


def rounded(value: float, digits: int = DIGITS) -> str:
    """Return a number in scientific notation with ``digits`` significant digits.

    >>> rounded(7 / 6), rounded(-0.0009996), rounded(0.0), rounded(math.inf)
    ('1.17e0', '-1.00e-3', '0', 'inf')
    """
    if not math.isfinite(value):
        return str(float(value))
    if abs(value) < TINY:
        return "0"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def readings(value: float, written: int, digits: int = DIGITS) -> list[str]:
    """Return the decimals that a number written with ``written`` digits may mean.

    >>> readings(1.1667, 5)
    ['1.17e0', '1.16e0', '1.18e0']
    >>> readings(1.2, 2)
    ['1.20e0', '1.19e0', '1.21e0', '1.2e0']
    """
    decimals = [rounded(value, digits)]
    if math.isfinite(value) and abs(value) >= TINY:
        unit = 10.0 ** (int(decimals[0].split("e")[1]) - digits + 1)
        decimals += [rounded(value - unit, digits), rounded(value + unit, digits)]
        if written == FEWEST < digits:
            decimals.append(rounded(value, FEWEST))
    return decimals


def written_digits(number: str) -> int:
    """Return the number of significant digits of a decimal as written.

    >>> written_digits("0.93"), written_digits("-1.20"), written_digits("2e-05")
    (2, 3, 1)
    """
    return len(re.sub(r"\D", "", number.lower().partition("e")[0]).lstrip("0"))


@dataclass(frozen=True)
class Field:
    """A field of an answer: its kind and the hashes of the right values."""

    kind: str
    hashes: tuple[str, ...]


@dataclass(frozen=True)
class Sealed:
    """An answer that can be checked but not read, with the hints of its exercise.

    Attributes
    ----------
    salt : str
    digits : int
        Significant digits that are compared.
    rows, columns : tuple of str
        Names of the answer's rows and columns; a single empty name if there is only one.
    fields : tuple of Field
        The fields in row-major order.
    choices : tuple of str
        The choices of fields of the kind "choice".
    hints : tuple of str
        Hints in order, from a direction to an intermediate value.
    """

    salt: str
    digits: int
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    fields: tuple[Field, ...]
    choices: tuple[str, ...]
    hints: tuple[str, ...]

    @property
    def is_form(self) -> bool:
        """Whether a form on the page can ask for the answer, without Python."""
        return all(field.kind != "exact" for field in self.fields)

    def text(self) -> str:
        """Return the sealed answer serialised as one line of text."""
        return concealed(json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":")))

    @classmethod
    def read(cls, text: str) -> Sealed:
        """Return the sealed answer that :meth:`text` serialised."""
        content: dict[str, Any] = json.loads(disclosed(text))
        fields = tuple(Field(field["kind"], tuple(field["hashes"])) for field in content["fields"])
        names = {key: tuple(content[key]) for key in ("rows", "columns", "choices", "hints")}
        return cls(salt=content["salt"], digits=content["digits"], fields=fields, **names)

    def fits(self, answer: Any) -> bool:
        """Return whether an answer is right in all its fields."""
        if len(self.fields) == 1 and self.fields[0].kind == "exact":
            given: list[Any] = [answer]
        else:
            array = _array(answer)
            if array.shape != tuple(len(names) for names in (self.rows, self.columns) if names != UNNAMED):
                return False
            given = array.ravel().tolist()
        return all(self._fits(number, value) for number, value in enumerate(given))

    def _fits(self, number: int, value: Any) -> bool:
        field = self.fields[number]
        return any(hashed(self.salt, number, word) in field.hashes for word in _words(field.kind, value, self.digits))


def hashed(salt: str, number: int, word: str) -> str:
    """Return the salted hash of the content of field ``number``."""
    return hashlib.sha256(f"{salt}/{number}/{word}".encode()).hexdigest()[:20]


def seal(
    expected: Any,
    hints: Sequence[str] = (),
    *,
    digits: int = DIGITS,
    labels: Sequence[Any] = (),
    choices: Sequence[str] = (),
) -> Sealed:
    """Return the expected answer of an exercise as a ``Sealed`` answer.

    Parameters
    ----------
    expected : object
        A number, one of the choices, or a sequence or table of these. Any other object is compared by its ``repr``, so
        that only Python code can answer it.
    hints : sequence of str
    digits : int, keyword-only
        Significant digits that are compared.
    labels : sequence, keyword-only
        The names of the fields of a sequence; the names of the rows and of the columns of a table.
    choices : sequence of str, keyword-only
        The possible choices, which include each string of the answer.

    Raises
    ------
    ValueError
        If the labels do not match the answer's shape, or an answer is not among the choices.
    """
    hints = [LOOK_AGAIN, *hints] if len(hints) < 2 else hints
    array = _array(expected)
    kinds = [_kind(entry, choices) for entry in array.ravel().tolist()]
    given: list[Any] = array.ravel().tolist()
    if "exact" in kinds or not kinds:
        array, kinds, given = _array(None), ["exact"], [expected]
    rows, columns = _names(array.shape, labels)
    salt = hashlib.sha256(json.dumps([*hints, *map(str, labels), *choices]).encode()).hexdigest()[:12]
    fields = []
    for number, (kind, value) in enumerate(zip(kinds, given, strict=True)):
        if kind == "choice" and value not in choices:
            raise ValueError(f"the answer {value!r} is not among the choices {', '.join(choices)}")
        words = _words(kind, value, digits)
        if kind == "number":  # a tie, such as 0.125, may be rounded both ways
            words = [rounded(value * by, n) for by in (1, 1 - 1e-9, 1 + 1e-9) for n in (digits, FEWEST)]
        fields.append(Field(kind, tuple(dict.fromkeys(hashed(salt, number, word) for word in words))))
    return Sealed(salt, digits, rows, columns, tuple(fields), tuple(choices), tuple(hints))


def _array(value: Any) -> np.ndarray[Any, Any]:
    """Return a value as an object array; ragged and scalar values have no axes."""
    try:
        return np.array(value, dtype=object)
    except ValueError:  # parts of different lengths
        array = np.empty((), dtype=object)
        array[()] = value
        return array


def is_number(value: Any) -> bool:
    """Return whether a value is a real number; booleans do not count."""
    return type(value) is not bool and isinstance(value, Real)


def _kind(value: Any, choices: Sequence[str]) -> str:
    if is_number(value):
        return "integer" if isinstance(value, Integral) else "number"
    return "choice" if isinstance(value, str) and choices else "exact"


def _words(kind: str, value: Any, digits: int) -> list[str]:
    """Return the texts to hash for a value in a field of this kind."""
    if kind == "exact":
        return [repr(sorted(value) if isinstance(value, set | frozenset) else value)]
    if kind == "choice":
        return [str(value)]
    if not is_number(value):
        return []
    number = float(value)
    if kind == "number":
        return readings(number, written_digits(repr(number)), digits)
    return [str(round(number))] if math.isfinite(number) and abs(number - round(number)) < 1e-9 else []


def _names(shape: tuple[int, ...], labels: Sequence[Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of rows and columns of an answer of this shape."""
    labels = labels or ([f"number {n + 1}" for n in range(shape[0])] if len(shape) == 1 else labels)
    sides = [tuple(side) for side in labels] if len(shape) == 2 else [tuple(labels)] if len(labels) else []
    if [len(side) for side in sides] != list(shape):
        raise ValueError(f"the answer has the shape {shape}: name each of its fields by labels, not as {labels!r}")
    rows, columns = [*sides, UNNAMED, UNNAMED][:2]
    return rows, columns
