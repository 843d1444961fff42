"""The sessions of the course and their exercises, as the page for teachers and the chapters tell them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = "for-teachers"
IN_CLASS = 90
"""Minutes in class."""
AT_HOME = (60, 90)
"""The least and the most minutes of exercises between two sessions."""
MINUTES_STEP = 5
"""Minutes are estimated in steps of so many, and a step is two points: half of an exercise is a whole number."""

EXERCISE = re.compile(r"```\{exercise\} (?P<title>.+)\n:label: (?P<label>\S+)\n:class: minutes-(?P<minutes>\d+)")


@dataclass(frozen=True)
class Exercise:
    """An exercise of a chapter: its place, its words and the minutes that it takes."""

    chapter: str
    number: int
    label: str
    title: str
    minutes: int

    @property
    def points(self) -> int:
        """Return what it is worth: two points for five minutes."""
        return 2 * self.minutes // MINUTES_STEP


@dataclass(frozen=True)
class Session:
    """A session: what is read, done in class, and done at home."""

    number: int
    title: str
    chapters: tuple[str, ...]
    in_class: tuple[tuple[int, str], ...]
    apart: bool
    left_out: frozenset[str]
    folder: Path = Path()
    """With the chapters' sources."""

    @property
    def assignments(self) -> dict[str, list[Exercise]]:
        """Return what is handed in, by name: one set for all, or one for each group's chapter."""
        chosen = {
            one: [each for each in exercises(one, self.folder) if each.title not in self.left_out]
            for one in self.chapters
        }
        if self.apart:
            return {f"session-{self.number}-{one}": found for one, found in chosen.items()}
        return {f"session-{self.number}": [each for found in chosen.values() for each in found]}


def exercises(chapter: str, folder: Path) -> list[Exercise]:
    """Return the exercises of a chapter in a folder, in order.

    Raises
    ------
    ValueError
        If minutes are no multiple of five, for which there are two points.
    """
    text = (folder / f"{chapter}.md").read_text(encoding="utf-8")
    found = []
    for number, match in enumerate(EXERCISE.finditer(text), start=1):
        minutes = int(match["minutes"])
        if minutes < MINUTES_STEP or minutes % MINUTES_STEP:
            raise ValueError(f"{match['label']} takes {minutes} minutes: write a multiple of {MINUTES_STEP}")
        found.append(Exercise(chapter, number, match["label"], match["title"].strip(), minutes))
    return found


def sessions(folder: Path, page: str = PAGE) -> list[Session]:
    """Return the sessions in the table of the page for teachers.

    Parameters
    ----------
    folder : pathlib.Path
        With the chapters' sources.
    page : str
        The name of the page in it.

    Raises
    ------
    ValueError
        If a row cannot be read: a session without a number, an activity without minutes, homework in other words.
    """
    _, _, table = (folder / f"{page}.md").read_text(encoding="utf-8").partition("| session | chapters |")
    if not table:
        raise ValueError(f"no table of sessions: {page}.md needs one that begins '| session | chapters |'")
    return [read_row(line, folder) for line in table.partition("\n\n")[0].splitlines()[2:]]


def read_row(line: str, folder: Path = Path()) -> Session:
    """Return the session that a row of the table tells, whose chapters are in a folder.

    >>> read_row("| 2. Chance | {doc}`coins` | 30 toss; 60 count, then say | all but *Dice* |").in_class
    ((30, 'toss'), (60, 'count, then say'))
    """
    cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
    if len(cells) != 4 or not (name := re.fullmatch(r"(\d+)\. (.+)", cells[0])):
        raise ValueError(f"{line!r} is no session: write '| 1. Title | chapters | minutes and what | at home |'")
    doing = [re.fullmatch(r"(\d+) (.+)", part.strip()) for part in cells[2].split(";")]
    if not all(doing):
        raise ValueError(f"session {name[1]}: each activity in class begins with its minutes, not so in {cells[2]!r}")
    home = re.fullmatch(r"(all|those of one chapter)(?: but ((?:\*[^*]+\*(?:, | and )?)+))?(?:[,;].*)?", cells[3])
    if not home:
        raise ValueError(
            f"session {name[1]}: at home is 'all', 'all but *Title*' or 'those of one chapter': {cells[3]}"
        )
    return Session(
        int(name[1]),
        name[2],
        tuple(re.findall(r"\{doc\}`([a-z-]+)`", cells[1])),
        tuple((int(one[1]), one[2]) for one in doing if one),
        home[1] != "all",
        frozenset(re.findall(r"\*([^*]+)\*", home[2] or "")),
        folder,
    )
