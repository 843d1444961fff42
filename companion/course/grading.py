"""Assignments for students, teachers and nbgrader, and their rubrics.

In the nbgrader version, the solutions are marked for removal and the checks with the
answers are hidden tests.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import pandas as pd

from companion.course.notebooks import Part, Task, finish
from companion.course.plan import exercises
from companion.solutions import answers, ask, tags

# nbgrader's configuration, for a course called NAME
CONFIG = '''"""A course for nbgrader: copy this folder, then run
`nbgrader generate_assignment meeting-1`, and so on.
"""

c = get_config()
c.CourseDirectory.course_id = "NAME"
# the names of the answers stand above as None, so that a cell that is left as it was
# still runs
c.ClearSolutions.code_stub = {"python": "# replace None above by your answer"}
'''
README = """# NAME, for nbgrader

In this folder, with Python in an environment of its own:

```bash
pip install INSTALLED nbgrader
nbgrader generate_assignment meeting-1  # writes release/meeting-1, for your students
# put what they hand in into submitted/STUDENT/meeting-1/meeting-1.ipynb
nbgrader autograde meeting-1
nbgrader generate_feedback meeting-1
nbgrader export  # writes grades.csv
```

Students need the same packages: install them where the notebooks run, or hand out the
wheel with the notebook, whose first cell installs it from its own folder. The other
assignments are the folders in `source`.
"""
KINDS = ("student", "teacher", "nbgrader")


def notebook(
    name: str, parts: list[Part], install: str, kind: str
) -> nbformat.NotebookNode:
    """Return an assignment as a notebook with a section for each part, a chapter.

    ``install`` is the code of the first cell. The kind is "student" (an empty answer
    and a check with hints per exercise), "teacher" (with the solutions), or "nbgrader"
    (the source from which nbgrader generates assignments).
    """
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r}: choose one of {', '.join(KINDS)}")
    chosen = [task.exercise for part in parts for task in part.tasks]
    total = (
        f"{sum(exercise.points for exercise in chosen)} points,"
        f" {sum(exercise.minutes for exercise in chosen)} minutes"
    )
    head = f"# {name.replace('-', ' ').capitalize()}\n\n{total}."
    cells = [
        locked(text(head), "head", kind),
        locked(code(install, folded=True), "install", kind),
    ]
    for part in parts:
        cells.append(
            locked(
                text(f"## {part.title}\n\nWhat the exercises use of the chapter:"),
                part.chapter,
                kind,
            )
        )
        for number, source in enumerate(part.setup):
            cells.append(locked(code(source), f"{part.chapter}-{number}", kind))
        for task in part.tasks:
            cells += asked(task, kind)
    return finish(cells)


def asked(task: Task, kind: str) -> list[Any]:
    """Return the cells of an exercise: its text, the answer cell, and the check."""
    label, points = task.exercise.label, task.exercise.points
    words = f"{task.text}\n\n{points} points, {task.exercise.minutes} minutes"
    said = locked(text(words), f"{label}-text", kind)
    if kind != "nbgrader":
        answer = ask(task.solution) if kind == "student" else task.solution
        return [said, code(answer), code(task.check, folded=True)]
    empty = "\n".join(f"{name} = None" for name in answers(task.solution))
    answer = code(
        f"{empty}\n### BEGIN SOLUTION\n{task.solution.strip()}\n### END SOLUTION"
    )
    mark(answer, label, solution=True)
    test = code(graded(task))
    mark(test, f"{label}-check", grade=True, locked=True, points=points)
    return [said, answer, test]


def graded(task: Task) -> str:
    """Return a check as a test that nbgrader hides from students.

    The check's last statement must be an expression, the verdict; otherwise raise
    ValueError.
    """
    last = ast.parse(task.check).body[-1]
    if not isinstance(last, ast.Expr):
        words = (
            f"{task.exercise.label}: the check's last line is to be a call of check,"
            " not an assignment"
        )
        raise ValueError(words)  # noqa: TRY004
    lines = task.check.strip().splitlines()
    lines[last.lineno - 1] = f"verdict = {lines[last.lineno - 1]}"
    there = [
        f'assert {name} is not None, "replace None by your answer"'
        for name in answers(task.solution)
    ]
    hidden = [
        "### BEGIN HIDDEN TESTS",
        *lines,
        "assert verdict, verdict.hint",
        "### END HIDDEN TESTS",
    ]
    return "\n".join([*there, *hidden])


def text(source: str) -> Any:
    """Return a Markdown cell."""
    return nbformat.v4.new_markdown_cell(source)


def code(source: str, *, folded: bool = False) -> Any:
    """Return a code cell, whose source is collapsed if ``folded``."""
    return nbformat.v4.new_code_cell(
        source, metadata={"jupyter": {"source_hidden": True}} if folded else {}
    )


def mark(
    cell: Any,
    name: str,
    *,
    grade: bool = False,
    solution: bool = False,
    locked: bool = False,
    points: int = 0,
) -> None:
    """Write nbgrader's metadata, version 3, into a cell."""
    metadata = {
        "grade": grade,
        "grade_id": name,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    cell.metadata["nbgrader"] = {**metadata, "points": points} if grade else metadata


def locked(cell: Any, name: str, kind: str) -> Any:
    """Return the cell, locked if ``kind`` is "nbgrader", so that changes are undone."""
    if kind == "nbgrader":
        mark(cell, name, locked=True)
    return cell


def rubric(folder: Path) -> pd.DataFrame:
    """Return the exercises of a folder's chapters with their points and criteria.

    The columns are ``chapter``, ``exercise`` (a link), ``minutes``, ``points``,
    ``half`` (half of the points) and ``half is for``, the hint that names the method.
    """
    rows = []
    for path in sorted(folder.glob("*.md")):
        chapter_exercises = exercises(path.stem, folder)
        checks = (
            [cell.source for cell in jupytext.read(path).cells if "check" in tags(cell)]
            if chapter_exercises
            else []
        )
        for exercise, check in zip(chapter_exercises, checks, strict=True):
            address = f"{path.stem}.html#{exercise.label}"
            rows.append(
                {
                    "chapter": path.stem,
                    "exercise": f"<a href='{address}'>{exercise.title}</a>",
                    "minutes": exercise.minutes,
                    "points": exercise.points,
                    "half": exercise.points // 2,
                    "half is for": hint(check),
                }
            )
    return pd.DataFrame(rows)


def hint(check: str) -> str:
    """Return the hint that names the method: the second one, or the only one.

    >>> hint("check(answer_1, 2, 'more than 1', 'add ' 'them', f'{1} and 1')")
    'add them'
    """
    (call,) = (
        node
        for node in ast.walk(ast.parse(check))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "check"
    )
    return str(ast.literal_eval(call.args[2:4][-1]))
