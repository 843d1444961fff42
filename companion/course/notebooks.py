"""The exercises of an assignment, with the statements on which they depend."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext
import nbformat

from companion.course.needed import Statement, needed, statements
from companion.course.plan import Exercise
from companion.errors import CompanionError
from companion.reading import fingerprint
from companion.solutions import tags

CODE = re.compile(r"`([^`\n]+)`")  # in an exercise's text
EXERCISE = re.compile(r"> \*\*(Exercise [\w.]+ )?\(")  # its heading in a notebook
# neither an attribute nor an argument's name
NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*+(?!=)")
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


@dataclass(frozen=True)
class Task:
    """An exercise in a notebook: text, solution and check."""

    exercise: Exercise
    text: str
    solution: str
    check: str


@dataclass(frozen=True)
class Part:
    """The exercises of one chapter in an assignment, with the code they depend on."""

    chapter: str
    title: str
    setup: tuple[str, ...]
    tasks: tuple[Task, ...]


@dataclass(frozen=True)
class Block:
    """The numbers of an exercise's code cells in its chapter.

    ``given`` are those before its solution, which belong to the question; ``checks``
    are those after it: the check, and what may contain the answer.
    """

    given: tuple[int, ...]
    solution: int
    checks: tuple[int, ...]


def part(path: Path, chosen: list[Exercise], texts: list[str]) -> Part:
    """Return the chosen exercises of a chapter.

    ``texts`` has the text of each of them, as the page shows it. All code is that of
    the chapter's source.
    """
    cells = jupytext.read(path).cells
    title = next(cell.source for cell in cells if cell.cell_type == "markdown")
    every = blocks(cells)
    mine = [every[exercise.number - 1] for exercise in chosen]
    tasks = []
    for exercise, text, block in zip(chosen, texts, mine, strict=True):
        check = "\n".join(cells[number].source for number in block.checks)
        tasks.append(Task(exercise, text, cells[block.solution].source, check))
    others = [block for block in every if block not in mine]
    return Part(
        path.stem,
        title.splitlines()[0].lstrip("# "),
        setup(cells, mine, others, texts),
        tuple(tasks),
    )


def blocks(cells: list[Any]) -> list[Block]:
    """Return the cells of each exercise of a chapter, in order."""
    found = []
    for begin, cell in enumerate(cells):
        if not is_exercise(cell):
            continue
        solution = next(
            n for n in range(begin, len(cells)) if "solution" in tags(cells[n])
        )
        check = next(
            n for n in range(solution, len(cells)) if "check" in tags(cells[n])
        )
        code = [n for n in range(begin, check + 1) if cells[n].cell_type == "code"]
        given = tuple(n for n in code if n < solution)
        checks = tuple(n for n in code if n > solution)
        found.append(Block(given, solution, checks))
    return found


def setup(
    cells: list[Any], mine: list[Block], others: list[Block], texts: list[str]
) -> tuple[str, ...]:
    """Return what the exercises ``mine`` use of their chapter, as the code of its
    cells.

    These are the cells that belong to the questions, and the statements before them
    that bind what solutions, checks, and code in the texts use. Modules with a short
    name, such as ``np``, are there in any case.
    """
    given = {number for block in mine for number in block.given}
    answering = {number for block in mine for number in (block.solution, *block.checks)}
    hidden = {number for block in others for number in (block.solution, *block.checks)}
    program: list[Statement] = []
    for number, cell in enumerate(cells):
        if cell.cell_type == "code" and number not in hidden:
            program += statements(cell.source, number)
    roots = [
        place for place, one in enumerate(program) if one.cell in given | answering
    ]
    end = roots[-1]
    names = {
        name
        for text in texts
        for code in CODE.findall(text)
        for name in NAME.findall(code)
    }
    places = needed(program, roots, [(name, end) for name in names])
    places |= {place for place, one in enumerate(program[:end]) if one.is_alias}
    places |= set(roots)
    sources: dict[int, list[str]] = {}
    imported = set[str]()
    for place in sorted(places):
        one, source = program[place], program[place].source
        if one.cell in answering or source.strip() in imported:
            continue
        if one.imports:
            imported.add(source.strip())
        sources.setdefault(one.cell, []).append(source)
    return tuple("\n".join(lines).strip("\n") for lines in sources.values())


def is_exercise(cell: Any) -> bool:
    """Return whether a cell of a chapter's source is an exercise."""
    return cell.cell_type == "markdown" and "```{exercise}" in cell.source


def told(built: nbformat.NotebookNode) -> Iterator[str]:
    """Yield the text of each exercise in a chapter's built notebook."""
    asked = ""
    for cell in built.cells:
        headings = [*EXERCISE.finditer(cell.source)]
        if cell.cell_type == "markdown" and headings:
            asked = cell.source[headings[-1].start() :]
        elif "answer" in tags(cell):
            yield asked


def parts(name: str, chosen: list[Exercise], html: Path, folder: Path) -> list[Part]:
    """Return the parts of an assignment, one per chapter, with the texts of the built
    book.

    Raise CompanionError if a chapter is not built, or was built from another source.
    """
    chapter_parts = []
    for chapter in dict.fromkeys(exercise.chapter for exercise in chosen):
        source = folder / f"{chapter}.md"
        path = html / "_notebooks" / folder.name / f"{chapter}.ipynb"
        if not path.exists():
            raise CompanionError(f"{name} needs {path}: run make book first")
        built = nbformat.read(path, as_version=4)
        if built.metadata.get("companion", {}).get("source") != fingerprint(
            "open", source
        ):
            raise CompanionError(
                f"{path} was built from another {source.name}: run make book first"
            )
        texts = list(told(built))
        mine = [exercise for exercise in chosen if exercise.chapter == chapter]
        chapter_parts.append(
            part(source, mine, [texts[one.number - 1] for one in mine])
        )
    return chapter_parts


def finish(cells: list[Any]) -> nbformat.NotebookNode:
    """Return a notebook of the cells, with consecutive cell ids."""
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    return notebook
