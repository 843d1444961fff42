"""No sentence says "nan", and none of a lesson names a budget that the run lacks,
whatever a reader asks for.

Each page with computed sentences runs here at tiny sizes, with budgets, shares and
seeds that the book does not use, and its sentences are written out with the values
that the run glued.
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

NAN = re.compile(r"\bnan\b", re.IGNORECASE)
NOT_A_VALUE = re.compile(r"\b(?:nan|inf|none|NaT)\b|^\s*$", re.IGNORECASE)
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

SMALL_OPTIMA = {
    "growth_trials": 1,
    "n_publics": [3, 6],
    "n_secrets": [2],
    "n_trials": 1,
    "epsilons": [0.6, 9.0],
    "largest": 2,
    "n_sizes": 1,
    "again": [],
    "seed": 11,
}
SMALL_THEOREMS = {
    "n_joints": 4,
    "n_secret": 2,
    "n_public": 4,
    "growing_trials": 1,
    "growing_symbols": [6],
    "n_laws": 3,
    "n_partition": 2,
    "n_alpha": 1,
    "n_extreme": 2,
    "n_surveys": 2,
    "partition_symbols": 4,
    "alpha_symbols": 4,
    "partition_epsilons": [0.7],
    "alpha_budgets": [1.7],
    "alpha_orders": [3.0],
    "extreme_secrets": [3],
    "survey_people": [50],
    "survey_tables": [0],
    "survey_eps": 0.3,
    "seed": 11,
}
SMALL_RELATIVES = {
    "n_releases": 10,
    "prior": [1.0, 2.0],
    "forms_at": [0.3],
    "budgets": [0.7],
    "n_joints": 1,
    "n_secret": 2,
    "n_public": 4,
    "eps": 0.2,
    "seed": 11,
}
SMALL_RECORD = {"epsilons": [0.6, 9.0], "n_trials": 2, "seed": 11}

ASKED_BESIDE = {
    "optimality": [
        SMALL_OPTIMA,
        SMALL_OPTIMA | {"epsilons": [0.0], "bench_notion": "average 0.05"},
    ],
    "theorems": [SMALL_THEOREMS, SMALL_THEOREMS | {"extreme_secrets": [2, 6]}],
    "population": [{"n_again": 1, "rows": 150, "eps": 2.0, "confidence": 0.8}],
    "relatives": [SMALL_RELATIVES, SMALL_RELATIVES | {"eps": 1.0, "budgets": [5.0]}],
    "record-e23": [
        SMALL_RECORD
        | {"epsilons": [9.0]}
        | {"lambdas": [0.4], "leave_out": ["Wife"], "n_priors": 2, "n_endings": 2}
    ],
    "record-c22": [
        SMALL_RECORD | {"n_secret": 3, "n_public": 5, "n_families": 200},
        SMALL_RECORD | {"epsilons": [0.0], "n_secret": 2, "n_families": 200},
    ],
    "record-i21": [
        {"shares": [0.3], "power": 3.0},
        {"shares": [0.0, 1.0], "power": 0.0},
    ],
    "record-s20": [
        SMALL_RECORD
        | {
            "adult_epsilons": [5.0],
            "sizes": [3, 4],
            "eps_scatter": 0.4,
            "concentration": 2.0,
        }
    ],
    "your-own-data": [
        {
            "secret": "sex",
            "public": "relationship",
            "belief": 0.3,
            "at_most": 0.6,
            "resamples": 5,
            "seed": 11,
        }
    ],
    "rerun": [{"chapter": "notation", "seeds": [7, 8], "jobs": 1, "seed": 7}],
}
"""What a reader asks of the other pages with parameters."""

SLOW = {"population", "rerun", "your-own-data"}
"""Pages that start kernels, or design many releases."""

BELIEFS = {"notation", "which-promise"}
"""Lessons whose budgets follow from beliefs."""


def glued_by(stem, values, monkeypatch):
    """Return what a page glues when it runs with other parameters, by name."""
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
        exec(compile(cell.source, f"{stem}.md", "exec"), names)  # noqa: S102
        if "parameters" in tags(cell):
            names.update(values)
    plt.close("all")
    return found


def sentences(stem, found):
    """Return a page's paragraphs with numbers, written out as MyST-NB writes them, and
    the values in them that are none.
    """
    odd = []

    def written(match):
        name, how = match.groups()
        text = format(found[name], how or "") if name in found else ""
        if NOT_A_VALUE.search(text):
            odd.append(f"{name}: {text!r}")
        return text

    cells = read_notebook(chapters_folder() / f"{stem}.md").cells
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    paragraphs = "\n\n".join(texts).split("\n\n")
    texts = [GLUED.sub(written, part) for part in paragraphs if GLUED.search(part)]
    return texts, odd


CASES = [
    of_chapter(stem, stem, values, marks=[pytest.mark.slow] if stem in SLOW else [])
    for stem, asked in (ASKED | ASKED_BESIDE).items()
    for values in asked
]


@pytest.mark.timeout(300)
# of what holds at the book's parameters only
@pytest.mark.filterwarnings("ignore::liftlib.errors.LiftWarning")
@pytest.mark.parametrize(("stem", "values"), CASES)
def test_sentences_of_another_run(stem, values, tmp_path, monkeypatch):
    # a page may go elsewhere, and keeps its ledger there
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    declared = {
        parameter.name
        for parameter in read_parameters(chapters_folder() / f"{stem}.md")
    }
    assert set(values) <= declared
    found = glued_by(stem, values, monkeypatch)
    texts, odd = sentences(stem, found)
    assert odd == []
    assert [text for text in texts if NAN.search(text)] == []
    if stem in ASKED.keys() - BELIEFS:
        asked = set(
            chain.from_iterable(one for one in values.values() if isinstance(one, list))
        )
        budgets = {name: value for name, value in found.items() if "-eps-" in name}
        assert {
            name: value for name, value in budgets.items() if value not in asked
        } == {}


def test_every_page_is_asked():
    root = chapters_folder().parent
    parts = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    (learn,) = [part["chapters"] for part in parts if part["caption"] == "Learn"]
    assert {Path(one["file"]).name for one in learn} == set(ASKED)
    assert {
        path.stem
        for path in chapters_folder().glob("*.md")
        if read_parameters(path) and GLUED.search(path.read_text(encoding="utf-8"))
    } == (ASKED | ASKED_BESIDE).keys()
