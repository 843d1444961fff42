"""The exercises of an assignment, with the code cells on which they depend."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext
import nbformat

from companion.course.plan import Exercise
from companion.solutions import tags

HOMEWORK = "homework"  # the tag of cells that define what the exercises of their chapter use
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


@dataclass(frozen=True)
class Task:
    """An exercise in a notebook: text, solution, check, and hidden check."""

    exercise: Exercise
    text: str
    solution: str
    check: str
    sealed: str


@dataclass(frozen=True)
class Part:
    """The exercises of one chapter in an assignment, with the code they depend on."""

    chapter: str
    title: str
    setup: tuple[str, ...]
    tasks: tuple[Task, ...]


def part(path: Path, chosen: list[Exercise], built: nbformat.NotebookNode) -> Part:
    """Return the chosen exercises of a chapter, from its source and built notebook.

    Cells with the tag ``homework`` define names that the exercises use. Other code between an exercise's text and its
    check is part of the check, because it may contain the answer. Raise ValueError if the exercises of the source and
    of the built notebook differ because the build is out of date.
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
    tasks = []
    for exercise in chosen:
        at = exercise.number - 1
        if letters(exercise.title) not in letters(texts[at]):
            raise ValueError(f"the built notebook of {chapter} has another exercise {exercise.number}: run make book")
        between = (code_cell for code_cell in cells[asks[at] : checks[at] + 1] if code_cell.cell_type == "code")
        check = [code_cell.source for code_cell in between if not {HOMEWORK, "solution"} & set(tags(code_cell))]
        tasks.append(Task(exercise, texts[at], cells[solutions[at]].source, "\n".join(check), checks_sealed[at]))
    setup = tuple(definitions(cell.source) for cell in cells if HOMEWORK in tags(cell))
    return Part(chapter, title.splitlines()[0].lstrip("# "), setup, tuple(tasks))


def definitions(source: str) -> str:
    """Return a cell's code without bare expressions and assertions.

    >>> definitions("# two\\na = 2\\nassert a > 1\\nprint(a)\\nb = 3")
    '# two\\na = 2\\nb = 3'
    """
    lines, definition_lines, start = source.splitlines(), list[str](), 0
    for node in ast.parse(source).body:
        end = node.end_lineno or node.lineno
        if not isinstance(node, ast.Expr | ast.Assert):
            definition_lines += lines[start:end]
        start = end
    return "\n".join(definition_lines).strip("\n")


def is_exercise(cell: Any) -> bool:
    """Return whether a cell of a chapter's source is an exercise."""
    return cell.cell_type == "markdown" and "```{exercise}" in cell.source


def letters(words: str) -> str:
    """Return the letters and digits of a text, to compare texts without markup."""
    return re.sub(r"[\W_]", "", words)


def told(built: nbformat.NotebookNode) -> Iterator[str]:
    """Yield the text of each exercise in a chapter's built notebook."""
    asked = ""
    for cell in built.cells:
        if cell.cell_type == "markdown" and "> **(" in cell.source:
            asked = cell.source[cell.source.rindex("> **(") :]
        elif "answer" in tags(cell):
            yield asked


def parts(name: str, chosen: list[Exercise], html: Path, folder: Path) -> list[Part]:
    """Return the parts of an assignment, one per chapter, from the built book."""
    chapter_parts = []
    for chapter in dict.fromkeys(exercise.chapter for exercise in chosen):
        path = html / "_notebooks" / folder.name / f"{chapter}.ipynb"
        if not path.exists():
            raise FileNotFoundError(f"{name} needs {path}: run make book first")
        mine = [exercise for exercise in chosen if exercise.chapter == chapter]
        chapter_parts.append(part(folder / f"{chapter}.md", mine, nbformat.read(path, as_version=4)))
    return chapter_parts


def finish(cells: list[Any]) -> nbformat.NotebookNode:
    """Return a notebook of the cells, with consecutive cell ids."""
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    return notebook
