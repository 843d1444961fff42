"""Exercises with other numbers than the book's, whose solutions are a click away.

The file ``numbers.yml`` beside the slides' sources has the numbers of an exercise, by
its label: ``draw`` has the values of each, the book's first, and ``replace`` has texts
of the exercise with what stands there in their place, where an expression of the
numbers is in braces. All else is the chapter's: there is one source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import yaml

from companion.course.notebooks import Part, Task
from companion.errors import CompanionError

NUMBERS_FILE = "numbers.yml"
EXPRESSION = re.compile(r"\{([^{}:]+)(?::([^{}:]*))?\}")
FRACTION = {"Fraction": Fraction}


@dataclass(frozen=True)
class Numbers:
    """The numbers of an exercise: the values of each, and what to replace, by what
    stands there in the book.
    """

    label: str
    draw: Mapping[str, Sequence[Any]]
    replace: Mapping[str, str]

    @property
    def choices(self) -> list[dict[str, Any]]:
        """All values of the numbers together; the book's are the first."""
        return [
            dict(zip(self.draw, values, strict=True))
            for values in product(*self.draw.values())
        ]

    def texts(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return what stands in each place for these values."""
        return {old: filled(new, values) for old, new in self.replace.items()}

    def task(self, task: Task, values: Mapping[str, Any]) -> Task:
        """Return the exercise with these values, or raise CompanionError if a text to
        replace is not there.
        """
        texts = self.texts(values)
        # the longest first; a number is not a part of a longer one, and words may be on
        # two lines
        places = {
            re.sub(r"\\?\s+", r"\\s+", re.escape(old)): new
            for old, new in texts.items()
        }
        alternatives = sorted(places, key=len, reverse=True)
        found = re.compile("|".join(f"({bounded(one)})" for one in alternatives))
        used = set[str]()

        def other(match: re.Match[str]) -> str:
            old = alternatives[(match.lastindex or 1) - 1]
            used.add(old)
            fixed = "\u00a0" in match[0]  # a space at which no line ends
            return places[old].replace(" ", "\u00a0") if fixed else places[old]

        text, solution, check = (
            found.sub(other, part) for part in (task.text, task.solution, task.check)
        )
        if text == task.text and values != self.choices[0]:
            raise CompanionError(
                f"{NUMBERS_FILE}, {self.label}: the exercise's text has none of the"
                " numbers"
            )
        if missing := [
            old for old, place in zip(texts, places, strict=True) if place not in used
        ]:
            raise CompanionError(
                f"{NUMBERS_FILE}, {self.label}: {missing[0]!r} is not in the exercise:"
                " correct either"
            )
        return replace(task, text=text, solution=solution, check=check)


def bounded(pattern: str) -> str:
    """Return a pattern that does not begin or end inside of a number or name.

    >>> [
    ...     bool(re.search(bounded(re.escape("0.5")), text))
    ...     for text in ("e^-0.5", "0.55", "10.5", "is 0.5.")
    ... ]
    [True, False, False, True]
    """
    start = r"(?<![\w.])" if re.match(r"\w", pattern) else ""
    end = r"(?!\w|\.\d)" if re.search(r"\w$", pattern) else ""
    return f"{start}{pattern}{end}"


def filled(template: str, values: Mapping[str, Any]) -> str:
    """Return a template with its expressions' values.

    >>> filled("{prior} % is {prior / 100:g}", {"prior": 5})
    '5 % is 0.05'
    """

    def value(match: re.Match[str]) -> str:
        number = eval(match[1], FRACTION, dict(values))  # the course's own expressions
        return format(number, match[2] or "")

    return EXPRESSION.sub(value, template)


def read_numbers(folder: Path) -> dict[str, Numbers]:
    """Return the numbers of a course's exercises, by label; none without the file."""
    path = folder / NUMBERS_FILE
    if not path.exists():
        return {}
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {
        label: Numbers(label, one["draw"], one["replace"])
        for label, one in content.items()
    }


def drawn(parts: list[Part], numbers: Mapping[str, Numbers], seed: int) -> list[Part]:
    """Return those exercises that have numbers, with others than the book's, as a seed
    draws them.
    """
    chosen = []
    for part in parts:
        tasks = []
        for task in part.tasks:
            one = numbers.get(task.exercise.label)
            if one:
                _, *others = one.choices
                tasks.append(
                    one.task(task, Random(f"{seed} {one.label}").choice(others))
                )
        if tasks:
            chosen.append(replace(part, tasks=tuple(tasks)))
    return chosen
