"""Check a reader's answer to an exercise, with graded hints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.sealing import DIGITS, Sealed, disclosed, seal

MIME = "application/vnd.companion.answer+json"  # marks the sealed answer that a check in a chapter hands to the build
# the wrong answers so far, by the exercise's salt; each further one gets the next hint
WRONG_ANSWERS: dict[str, list[str]] = {}


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and otherwise a hint; truthy if right.

    ``close`` says whether the answer is within ``tolerance`` of an unsealed expected answer, as the book's solution
    must be; the book's build uses ``answer`` and ``sealed``.
    """

    right: bool
    hint: str
    close: bool = False
    answer: Any = None
    sealed: Sealed | None = None

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        return "Right." if self.right else f"Not yet: {self.hint}"

    def _repr_mimebundle_(self, **_options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the verdict as text, with a solution's answer for the build."""
        shown: dict[str, Any] = {"text/plain": repr(self)}
        if not self.close or self.sealed is None:
            return shown, {}
        noted = {
            "answer": np.array(self.answer, dtype=object).ravel().astype(str).tolist(),
            "sealed": self.sealed.text(),
        }
        return {**shown, MIME: noted}, {"scrapbook": {"name": f"answer {self.sealed.salt}"}}


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

    A number is right within one unit of the last of ``digits`` significant digits; a number written with two digits is
    also right if the expected one rounds to it. An integer has to be exact.

    Parameters
    ----------
    answer : object
        The reader's answer, or None if there is none yet.
    expected : object
        The right answer: a number, one of the choices, or a sequence or table of these; or a ``Sealed`` answer.
        Any other object is compared for equality, and the page accepts answers to it only as Python code.
    *hints : str
        Shown in order, one per further wrong answer: a direction, the method, an intermediate value.
    digits : int, keyword-only
        Number of significant digits that are compared, three by default.
    labels : sequence of str, keyword-only
        Names of the numbers of a sequence; for a table, the names of its rows and the names of its columns.
    choices : sequence of str, keyword-only
        The possible choices.
    tolerance : float, keyword-only
        Absolute tolerance within which the book's solution has to agree with ``expected``.

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
    """
    known = isinstance(expected, Sealed)
    sealed = expected if known else seal(expected, hints, digits=digits, labels=labels, choices=choices)
    if answer is None:
        return Verdict(False, "replace None by your answer")
    close = not known and _close(answer, expected, tolerance)
    if close or sealed.fits(answer):
        return Verdict(True, "", close, answer, sealed)
    tried = WRONG_ANSWERS.setdefault(sealed.salt, [])
    if repr(answer) not in tried:
        tried.append(repr(answer))
    given = sealed.hints[min(tried.index(repr(answer)), len(sealed.hints) - 1)] if sealed.hints else "try again"
    return Verdict(False, given)


def _close(answer: Any, expected: Any, tolerance: float) -> bool:
    """Return whether an answer equals the expected one, within the tolerance."""
    if isinstance(expected, str | bool | set | frozenset):
        return type(answer) is type(expected) and answer == expected
    try:
        given, wanted = np.asarray(answer, dtype=float), np.asarray(expected, dtype=float)
    except (TypeError, ValueError):
        return bool(answer == expected)
    return given.shape == wanted.shape and bool(np.allclose(given, wanted, rtol=0, atol=tolerance))


def show_solution(concealed: str) -> None:
    """Print a solution that was concealed for a notebook."""
    print(disclosed(concealed))
