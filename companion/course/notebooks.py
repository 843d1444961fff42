"""Notebooks to work in: an assignment's exercises, the few cells that they need, and nothing else of the chapters."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext
import nbformat

from companion.course.needed import Statement, needed, statements
from companion.course.plan import Exercise
from companion.solutions import tags

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


@dataclass(frozen=True)
class Task:
    """An exercise in a notebook: its text, its solution, its check, and the check that hides the answer."""

    exercise: Exercise
    text: str
    solution: str
    check: str
    sealed: str


@dataclass(frozen=True)
class Part:
    """The exercises of one chapter in an assignment, with the code that they need."""

    chapter: str
    title: str
    setup: tuple[str, ...]
    tasks: tuple[Task, ...]


def part(path: Path, chosen: list[Exercise], built: nbformat.NotebookNode) -> Part:
    """Return the chosen exercises of a chapter, given its source and its notebook in the built book.

    What a check alone needs, and stands beside its exercise, goes into the check: it may tell the answer.

    Raises
    ------
    ValueError
        If the chapter's source and its built notebook have not the same exercises: the book is older than its source.
    """
    chapter, cells = path.stem, jupytext.read(path).cells
    checks_sealed = [cell.source for cell in built.cells if "check" in tags(cell)]
    texts, title = list(told(built)), next(cell.source for cell in built.cells if cell.cell_type == "markdown")
    asks, solutions, checks = (
        [number for number, cell in enumerate(cells) if where(cell)]
        for where in (is_exercise, lambda cell: "solution" in tags(cell), lambda cell: "check" in tags(cell))
    )
    if len(texts) != len(solutions):
        raise ValueError(f"{chapter} has {len(solutions)} exercises, its built notebook {len(texts)}: run make book")
    before: list[Statement] = []
    for number, cell in enumerate(cells):
        if cell.cell_type == "code" and not {"solution", "check"} & set(tags(cell)):
            before += statements(number, cell.source)
    kept, tasks = set[int](), []
    for exercise in chosen:
        text = texts[exercise.number - 1]
        ask, at, judge = (found[exercise.number - 1] for found in (asks, solutions, checks))
        if letters(exercise.title) not in letters(text):
            raise ValueError(f"the built notebook of {chapter} has another exercise {exercise.number}: run make book")
        earlier = [one for one in before if one.cell < judge]
        solution, check = cells[at].source, cells[judge].source
        shown = set(needed(earlier, wanted(solution)))
        also = set(needed(earlier, wanted(solution, check))) - shown
        hidden = {number for number in also if before[number].cell > ask}
        kept |= shown | (also - hidden)
        source = "\n".join([*(before[number].source for number in sorted(hidden)), check])
        tasks.append(Task(exercise, text, solution, source, checks_sealed[exercise.number - 1]))
    groups: dict[int, list[str]] = {}
    for number in sorted(kept):
        groups.setdefault(before[number].cell, []).append(before[number].source)
    return Part(chapter, title.splitlines()[0].lstrip("# "), tuple(map("\n".join, groups.values())), tuple(tasks))


def is_exercise(cell: Any) -> bool:
    """Return whether a cell of a chapter's source asks something."""
    return cell.cell_type == "markdown" and "```{exercise}" in cell.source


def letters(words: str) -> str:
    """Return the letters and digits of a text, which quotation marks and formulas leave as they are."""
    return re.sub(r"[\W_]", "", words)


def wanted(*sources: str) -> set[str]:
    """Return the names that code takes from before it: those that it reads before it sets them.

    >>> sorted(wanted("a = b\\nprint(a)", "def double(x):\\n    return factor * x\\ndouble(a + c)"))
    ['b', 'c', 'factor']
    """
    found, known = set[str](), set(dir(builtins))
    for one in (each for source in sources for each in statements(0, source)):
        found |= (one.reads | one.later) - known
        known |= one.sets | one.changes
    return found


def told(built: nbformat.NotebookNode) -> Iterator[str]:
    """Yield the text of each exercise in a chapter's built notebook: the last that is asked before each answer."""
    asked = ""
    for cell in built.cells:
        if cell.cell_type == "markdown" and "> **(" in cell.source:
            asked = cell.source[cell.source.rindex("> **(") :]
        elif "answer" in tags(cell):
            yield asked


def parts(name: str, chosen: list[Exercise], html: Path, folder: Path) -> list[Part]:
    """Return an assignment's parts, a chapter each, from the built book and the folder of the chapters' sources."""
    found = []
    for chapter in dict.fromkeys(one.chapter for one in chosen):
        path = html / "_notebooks" / folder.name / f"{chapter}.ipynb"
        if not path.exists():
            raise FileNotFoundError(f"{name} needs {path}: run make book first")
        mine = [one for one in chosen if one.chapter == chapter]
        found.append(part(folder / f"{chapter}.md", mine, nbformat.read(path, as_version=4)))
    return found


def finish(cells: list[Any]) -> nbformat.NotebookNode:
    """Return a notebook of the cells, each with a name of its own."""
    made = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    for number, cell in enumerate(made.cells):
        cell["id"] = f"cell-{number}"
    return made
