"""The meetings of a course, from the front matter of their slides.

The slides of a meeting are one Markdown file, such as ``3-watchdog.md`` for the third.
The key ``course`` in the front matter has the chapters to read, the goals, the plan and
the labels of the homework exercises. The plan has the first slide of each part and what
is done in it. Each slide says once how many minutes it takes, as in "5 minutes"; the
minutes of the parts follow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

COURSE_FOLDER = "course"  # of the slides' sources, and of the slides in the built book
IN_CLASS = 90  # minutes in class
GOALS = 2  # of them for the slide with the goals, which begins the first part
# minutes are multiples of this, worth two points each: half of an exercise is a whole
# number
MINUTES_STEP = 5

EXERCISE = re.compile(
    r"```\{exercise\} (?P<title>.+)\n:label: (?P<label>\S+)\n:class:"
    r" minutes-(?P<minutes>\d+)"
)
CODE_CELL = re.compile(
    r"^```\{code-cell\}[^\n]*\n(.*?)^```\n", re.DOTALL | re.MULTILINE
)
SLIDE = re.compile(r"^## (?P<title>.+)\n(?P<body>(?:(?!## ).*\n?)*)", re.MULTILINE)
MINUTES = re.compile(r"\b(\d+) minutes?\b")
FRONT_MATTER = re.compile(r"\A---\n(.*?\n)---\n", re.DOTALL)


@dataclass(frozen=True)
class Exercise:
    """An exercise of a chapter: its number, label, title and minutes."""

    chapter: str
    number: int
    label: str
    title: str
    minutes: int

    @property
    def points(self) -> int:
        """The exercise's points: two per five minutes."""
        return 2 * self.minutes // MINUTES_STEP


@dataclass(frozen=True)
class Meeting:
    """A meeting of the course: reading, goals, plan and homework."""

    number: int
    page: str
    """Name of its slides' source without the suffix."""
    title: str
    reading: tuple[str, ...]
    goals: tuple[str, ...]
    plan: tuple[tuple[int, str], ...]
    """Minutes and what is done in them."""
    homework: tuple[Exercise, ...]

    @property
    def assignment(self) -> str:
        """The name of the meeting's homework, such as "meeting-3"."""
        return f"meeting-{self.number}"


def exercises(chapter: str, folder: Path) -> list[Exercise]:
    """Return the exercises of a chapter, in order.

    Raise ValueError if an exercise's minutes are not a positive multiple of
    ``MINUTES_STEP``.
    """
    text = (folder / f"{chapter}.md").read_text(encoding="utf-8")
    chapter_exercises = []
    for number, match in enumerate(EXERCISE.finditer(text), start=1):
        minutes = int(match["minutes"])
        if minutes < MINUTES_STEP or minutes % MINUTES_STEP:
            raise ValueError(
                f"{match['label']} takes {minutes} minutes: write a multiple of"
                f" {MINUTES_STEP}"
            )
        chapter_exercises.append(
            Exercise(chapter, number, match["label"], match["title"].strip(), minutes)
        )
    return chapter_exercises


def meetings(folder: Path, chapters: Path) -> list[Meeting]:
    """Return the meetings of a course, in order.

    ``folder`` contains the slides' sources, one Markdown file per meeting; ``chapters``
    contains the chapters' sources, whose exercises are the homework. Raise ValueError
    if a file has no number, title or plan, if a slide does not say its minutes, if
    they do not add up to 90, or if the chapters to read do not contain a homework
    exercise.
    """
    return [read_meeting(path, chapters) for path in sorted(folder.glob("*.md"))]


def read_meeting(path: Path, chapters: Path) -> Meeting:
    """Return the meeting that a file of slides describes."""
    text = CODE_CELL.sub("", path.read_text(encoding="utf-8"))
    number = re.match(r"(\d+)-", path.name)
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    if not number or not title:
        raise ValueError(
            f"{path.name} needs a name that begins with its number, as in 3-coins.md,"
            " and a title"
        )
    course = course_of(text, path.name)
    return Meeting(
        number=int(number[1]),
        page=path.stem,
        title=title[1],
        reading=tuple(course["reading"]),
        goals=tuple(course["goals"]),
        plan=_plan(course["plan"], slide_minutes(text, path.name), path.name),
        homework=_homework(course, path.name, chapters),
    )


def slide_minutes(text: str, name: str) -> dict[str, int]:
    """Return the minutes of each slide, by its heading.

    >>> slide_minutes("## Toss\\n\\n*5 minutes, alone.*\\n", "1-coins.md")
    {'Toss': 5}
    """
    found = {}
    for slide in SLIDE.finditer(text):
        minutes = MINUTES.findall(slide["body"])
        if len(minutes) != 1:
            raise ValueError(
                f"{name}: the slide {slide['title']!r} says {len(minutes)} times how"
                " many minutes it takes: say it once, as in 5 minutes"
            )
        found[slide["title"]] = int(minutes[0])
    return found


def _plan(
    parts: dict[str, str], slides: dict[str, int], name: str
) -> tuple[tuple[int, str], ...]:
    """Return the minutes of each part and what is done in it.

    ``parts`` has what is done, by the heading of the part's first slide.
    """
    begins = [heading for heading in slides if heading in parts]
    if not begins or list(parts) != begins or begins[0] != next(iter(slides)):
        raise ValueError(
            f"{name}: the plan has {list(parts)}: name the first slide of each part, in"
            " their order"
        )
    plan = dict.fromkeys(parts, 0)
    part = begins[0]
    plan[part] = GOALS
    for heading, minutes in slides.items():
        part = heading if heading in parts else part
        plan[part] += minutes
    total = sum(plan.values())
    if total != IN_CLASS:
        raise ValueError(
            f"{name}: the slides and the {GOALS} minutes for the goals have {total}"
            f" minutes, not {IN_CLASS}"
        )
    return tuple((plan[heading], what) for heading, what in parts.items())


def _homework(
    course: dict[str, Any], name: str, chapters: Path
) -> tuple[Exercise, ...]:
    """Return the exercises of the homework, which the chapters to read contain."""
    known: dict[str, Exercise] = {}
    for chapter in course["reading"]:
        known |= {one.label: one for one in exercises(chapter, chapters)}
    for label in course["homework"]:
        if label not in known:
            raise ValueError(
                f"{name}: no exercise {label} in {', '.join(course['reading'])}"
            )
    return tuple(known[label] for label in course["homework"])


def course_of(text: str, name: str) -> dict[str, Any]:
    """Return the value of ``course`` in the front matter of a meeting's slides.

    >>> matter = "course: {reading: [], goals: [toss], plan: [], homework: []}"
    >>> course_of(f"---\\n{matter}\\n---\\n", "1-coins.md")["goals"]
    ['toss']
    """
    matter = FRONT_MATTER.match(text)
    course: dict[str, Any] = (
        (yaml.safe_load(matter[1]) or {}).get("course", {}) if matter else {}
    )
    if missing := [
        key for key in ("reading", "goals", "plan", "homework") if key not in course
    ]:
        raise ValueError(
            f"{name}: its front matter needs course: with {', '.join(missing)}"
        )
    return course
