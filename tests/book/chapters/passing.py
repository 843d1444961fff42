"""A student's notebook of a chapter, run once at small parameters in this process, for all tests that ask it."""

from functools import cache

import pytest

from liftbook.build.exercises import ask, tags
from liftbook.chapters import chapters_folder, preview_parameters, read_notebook


def exercises(path, *, solutions):
    """Return a chapter as a notebook to work in, with its solutions or with answers that wait."""
    notebook = read_notebook(path)
    for cell in notebook.cells:
        if "solution" in tags(cell) and not solutions:
            cell.source, cell.metadata = ask(cell.source), {"tags": ["answer"]}
    return notebook


@cache
def passed(stem):
    """Return each code cell's source and tags, with the names that it found and those that it left."""
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    path = chapters_folder() / f"{stem}.md"
    names: dict = {"__name__": "chapter"}
    found = []
    for cell in exercises(path, solutions=False).cells:
        if cell.cell_type != "code":
            continue
        before = dict(names)
        exec(compile(cell.source, f"{stem}.md", "exec"), names)  # noqa: S102 - the book's own chapter
        if "parameters" in tags(cell):
            names.update(preview_parameters(path))
        found.append((cell.source, tags(cell), before, dict(names)))
    plt.close("all")
    return found


def of_chapter(stem, *values, marks=()):
    """Return a parameter set that runs where the chapter's other tests do, so that it is run once."""
    return pytest.param(*values, marks=[pytest.mark.xdist_group(f"chapter {stem}"), *marks])
