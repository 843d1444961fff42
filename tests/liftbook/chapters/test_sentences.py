"""No sentence of a lesson says "nan", and no budget that the run lacks, whatever a
reader asks for.

Each lesson runs here at tiny sizes, with budgets, shares and seeds that the book does
not use, and its sentences are written out with the numbers that the run glued.
"""

import re
from itertools import chain
from pathlib import Path

import pytest
import yaml
from passing import of_chapter

import liftbook.chapters
from companion.solutions import tags
from liftbook.chapters import chapters_folder, read_notebook, read_parameters

NOT_A_NUMBER = re.compile(r"\bnan\b", re.IGNORECASE)
GLUED = re.compile(r"\{glue:text\}`([\w-]+)(?::([^`]*))?`")

TINY = {"n_trials": 2, "n_secret": 2, "n_public": 4, "seed": 11}
OTHER_BUDGETS = {"epsilons": [0.6, 1.7, 9.0]}
ONE_BUDGET = {"epsilons": [0.3], "lambdas": [0.4]}
NO_BUDGET = {"epsilons": [0.0]}

ASKED = {
    "notation": [TINY, TINY | {"n_secret": 5, "rho_1": 0.05, "rho_2": 0.06}],
    "which-promise": [
        {"cap": cap, "floor": floor} for cap in (0.25, 0.9) for floor in (0.01, 0.15)
    ],
    "lift-asymmetry": [
        TINY,
        {"n_trials": 1, "n_secret": 30, "n_public": 2, "bin_width": 5.0, "seed": 3},
    ],
    "watchdog": [TINY | OTHER_BUDGETS, TINY | ONE_BUDGET, TINY | NO_BUDGET],
    "subset-merging": [
        TINY
        | OTHER_BUDGETS
        | {
            "c22_secret": 2,
            "c22_public": 4,
            "c22_epsilons": [0.7, 3.3],
        },
        TINY | ONE_BUDGET | {"c22_secret": 3, "c22_public": 3, "c22_epsilons": [0.1]},
        TINY | NO_BUDGET | {"c22_secret": 3, "c22_public": 3, "c22_epsilons": [0.0]},
    ],
    "aorr": [TINY | OTHER_BUDGETS, TINY | ONE_BUDGET, TINY | NO_BUDGET],
    "srr": [
        TINY
        | OTHER_BUDGETS
        | {
            "large_trials": 1,
            "large_secret": 2,
            "large_public": 6,
            "large_epsilons": [0.7, 9.0],
        },
        TINY
        | {"epsilons": [0.3], "lam": 0.4}
        | {"large_trials": 1, "large_public": 6, "large_epsilons": [0.4]},
    ],
    "lift-inverse": [
        TINY | OTHER_BUDGETS | {"lambdas": [0.3, 0.9], "alphas": [3.0]},
        TINY | ONE_BUDGET | {"alphas": [7.0]},
    ],
    "linear-reduction": [
        TINY | OTHER_BUDGETS | {"shares": [0.3, 0.9]},
        TINY | {"epsilons": [0.3], "shares": [1.0]},
        TINY | {"epsilons": [0.0], "shares": [0.2]},
    ],
    "optimal-ldp-lip": [
        {
            "n_trials": 2,
            "n_public": 3,
            "epsilons": [0.7, 2.6],
            "shape": [2, 2],
            "n_tries": 3,
            "seed": 11,
        },
        {
            "n_trials": 2,
            "n_public": 2,
            "epsilons": [1.3],
            "shape": [2, 3],
            "n_tries": 2,
            "seed": 5,
        },
    ],
    "conditional-reporting": [
        {"adult_epsilons": [2.2, 6.0]},
        {"adult_epsilons": [5.0]},
    ],
}
"""What a reader asks of each lesson."""

BELIEFS = {"notation", "which-promise"}
"""Lessons whose budgets follow from beliefs."""


def ran(stem, values, monkeypatch):
    """Return what a lesson glues when it runs with other parameters, by name."""
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    found = {}
    monkeypatch.setattr(
        liftbook.chapters, "glue", lambda name, value, **_: found.update({name: value})
    )
    monkeypatch.setattr(liftbook.chapters, "keep", lambda *_: None)
    path = chapters_folder() / f"{stem}.md"
    names = {"__name__": "chapter"}
    for cell in read_notebook(path).cells:
        if (
            cell.cell_type != "code"
            or "check_parameters()" in cell.source
            or "ran_with(" in cell.source
        ):
            continue
        if {"solution", "check"} & set(tags(cell)):
            continue
        exec(compile(cell.source, f"{stem}.md", "exec"), names)  # noqa: S102 - the book's own lesson
        if "parameters" in tags(cell):
            names.update(values)
    plt.close("all")
    return found


def sentences(stem, found):
    """Return a lesson's paragraphs with numbers, written out as MyST-NB writes them."""

    def written(match):
        name, how = match.groups()
        return format(found[name], how or "") if name in found else f"(no {name})"

    cells = read_notebook(chapters_folder() / f"{stem}.md").cells
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    paragraphs = "\n\n".join(texts).split("\n\n")
    return [GLUED.sub(written, part) for part in paragraphs if GLUED.search(part)]


CASES = [
    of_chapter(stem, stem, values) for stem, asked in ASKED.items() for values in asked
]


@pytest.mark.timeout(300)
# of what holds at the book's parameters only
@pytest.mark.filterwarnings("ignore::liftlib.errors.LiftWarning")
@pytest.mark.parametrize(("stem", "values"), CASES)
def test_sentences_of_another_run(stem, values, monkeypatch):
    declared = {
        parameter.name
        for parameter in read_parameters(chapters_folder() / f"{stem}.md")
    }
    assert set(values) <= declared
    found = ran(stem, values, monkeypatch)
    for sentence in sentences(stem, found):
        assert not NOT_A_NUMBER.search(sentence), sentence
        assert "(no " not in sentence, sentence
    asked = set(
        chain.from_iterable(one for one in values.values() if isinstance(one, list))
    )
    if stem not in BELIEFS:
        budgets = {name: value for name, value in found.items() if "-eps-" in name}
        assert {
            name: value for name, value in budgets.items() if value not in asked
        } == {}


def test_every_lesson_is_asked():
    parts = yaml.safe_load(
        (chapters_folder().parent / "_toc.yml").read_text(encoding="utf-8")
    )["parts"]
    (learn,) = [part["chapters"] for part in parts if part["caption"] == "Learn"]
    assert {Path(one["file"]).name for one in learn} == set(ASKED)
