"""A student's notebook of a chapter, run once in this process for all tests."""

import copy
from functools import cache

import pytest

from companion.solutions import ask, tags
from liftbook import figures
from liftbook.chapters import chapters_folder, preview_parameters, read_notebook


def exercises(path, *, solutions):
    """Return a chapter as a notebook, with solutions or with answers to fill in."""
    notebook = read_notebook(path)
    for cell in notebook.cells:
        if "solution" in tags(cell) and not solutions:
            cell.source, cell.metadata = ask(cell.source), {"tags": ["answer"]}
    return notebook


def plain(value):
    """Return whether a value is all there in what Python writes of it."""
    if isinstance(value, list | tuple):
        return all(map(plain, value))
    if isinstance(value, dict):
        return all(map(plain, value.values()))
    return value is None or type(value) in (bool, int, float, str)


class Remembered:
    """The book's figures, each computed once for the same arguments."""

    def __init__(self, figures):
        self._figures = figures

    def __getattr__(self, name):
        made = getattr(self._figures, name)
        if not callable(made):
            return made

        def call(*args, **kwargs):
            if not plain([args, kwargs]):
                return made(*args, **kwargs)
            given = repr((name, args, kwargs))
            if given not in COMPUTED:
                COMPUTED[given] = made(*args, **kwargs)
            return copy.deepcopy(COMPUTED[given])

        return call


COMPUTED: dict = {}


@cache
def passed(stem):
    """Return each code cell's source, tags, and the names it found and left."""
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    path = chapters_folder() / f"{stem}.md"
    names: dict = {"__name__": "chapter"}
    found = []
    for cell in exercises(path, solutions=False).cells:
        # the guard asks for a notebook's cells, which a shell left by another test does
        # not have
        if cell.cell_type != "code" or "check_parameters()" in cell.source:
            continue
        before = dict(names)
        exec(compile(cell.source, f"{stem}.md", "exec"), names)  # noqa: S102
        if names.get("figures") is figures:
            names["figures"] = Remembered(figures)
        if "parameters" in tags(cell):
            names.update(preview_parameters(path))
        found.append((cell.source, tags(cell), before, dict(names)))
    plt.close("all")
    return found


def of_chapter(stem, *values, marks=()):
    """Return a parameter set that runs where the chapter's other tests do."""
    return pytest.param(
        *values, marks=[pytest.mark.xdist_group(f"chapter {stem}"), *marks]
    )
