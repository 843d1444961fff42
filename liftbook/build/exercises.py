"""Write each chapter's exercises as notebooks: for students, without the solutions, and with them for teachers.

A student's notebook is the whole chapter; where a solution was, an answer waits for the student, and below it a check
that says "Right." or why not. The check's code is folded, for it knows the answer.
"""

import re
import sys
from pathlib import Path
from typing import Any

import nbformat

from liftbook.chapters import chapters_folder, read_notebook

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "_build" / "exercises"

PROMPT = "# Your answer: replace None, then run the next cell, which checks it.\n"


def tags(cell: Any) -> list[str]:
    """Return a cell's tags."""
    return list(cell.metadata.get("tags", []))


def answers(source: str) -> list[str]:
    """Return the names ``answer_N`` that a solution assigns, in order.

    >>> answers("half = 1 / 2\\nanswer_3 = half\\nanswer_3")
    ['answer_3']
    """
    return list(dict.fromkeys(re.findall(r"^(answer_\d+)\b.*?=", source, flags=re.MULTILINE)))


def ask(solution: str) -> str:
    """Return a cell that waits for the answers that a solution gives."""
    return PROMPT + "\n".join(f"{name} = None" for name in answers(solution))


def exercises(path: Path, *, solutions: bool) -> nbformat.NotebookNode:
    """Return a chapter as a notebook to work in, with or without its solutions."""
    notebook = read_notebook(path)
    notebook.metadata.pop("jupytext", None)
    for cell in notebook.cells:
        if "solution" in tags(cell) and not solutions:
            cell.source = ask(cell.source)
            cell.metadata = {"tags": ["answer"]}
        elif "check" in tags(cell):
            cell.metadata = {"tags": ["check"], "jupyter": {"source_hidden": True}}
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def main() -> int:
    """Write all notebooks, and print where."""
    for path in sorted(chapters_folder().glob("*.md")):
        if "```{exercise}" not in path.read_text(encoding="utf-8"):
            continue
        for kind in ("student", "solution"):
            target = OUT / kind / f"{path.stem}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(exercises(path, solutions=kind == "solution"), target)
            print(target.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
