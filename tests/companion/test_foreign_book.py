"""A small book that nobody wrote for the kit is adopted, rerun, swept and compared.

``foreign`` holds three pages as they are found in public books: an old notebook of
another kernel, with a space and a full stop in its name, R Markdown in which missing
values are shown and a cell fails on purpose, and a script in a folder of its own. None
has parameters, marks results, or knows the kit.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import polars as pl
import pytest

from companion.__main__ import main
from companion.runs.book import Book
from companion.runs.comparing import differences
from companion.runs.folders import read_record

FOREIGN = Path(__file__).parent / "foreign"
NOTEBOOK = "1. First look"
GAPS = "missing_values"
WALK = "scripts/random_walk"


def adopted(book):
    """Do what an author does to have a book's pages run: name the extension, and tag
    the cell of parameters of each page.
    """
    config = book / "_config.yml"
    text = config.read_text().replace(
        "sphinx:\n", "sphinx:\n  extra_extensions: [companion]\n"
    )
    config.write_text(text)
    page = nbformat.read(book / f"{NOTEBOOK}.ipynb", as_version=4)
    page.cells[2].metadata["tags"] = ["parameters"]
    nbformat.write(page, book / f"{NOTEBOOK}.ipynb")
    for path, old, new in (
        (
            book / f"{GAPS}.Rmd",
            "```{python}\n# Replace",
            '```{python tags=c("parameters")}\n# Replace',
        ),
        (
            book / f"{WALK}.py",
            "# %%\nsteps",
            '# %% tags=["parameters"]\nsteps',
        ),
    ):
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))


def companion(*words):
    return main([str(word) for word in words])


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The book, and a folder with runs of its three pages."""
    place = tmp_path_factory.mktemp("foreign")
    book = place / "book"
    shutil.copytree(FOREIGN, book)
    adopted(book)
    options = ("--book", book, "--quiet", "--no-html")
    assert companion("rerun", NOTEBOOK, "-o", place / "as-it-is", *options) == 0
    assert (
        companion("rerun", NOTEBOOK, "-p", "days", 30, "-o", place / "month", *options)
        == 0
    )
    assert (
        companion("rerun", NOTEBOOK, "-p", "days", 0, "-o", place / "none", *options)
        == 2
    )
    assert (
        companion("rerun", WALK, "-p", "steps", 9, "-o", place / "walk", *options) == 0
    )
    assert (
        companion("sweep", GAPS, "-m", "fill_with=0,5", "-o", place / "gaps", *options)
        == 0
    )
    return place


def test_the_book_is_read_as_it_is():
    book = Book(FOREIGN)
    assert {book.docname(page) for page in book.pages()} >= {NOTEBOOK, GAPS, WALK}
    assert [book.parameters(page) for page in book.pages()] == [[]] * len(book.pages())


def test_parameters_need_no_types(runs):
    book = Book(runs / "book")
    declared = {
        name: {one.name: one.default for one in book.parameters(book.find(name))}
        for name in (NOTEBOOK, GAPS, WALK)
    }
    assert declared == {
        NOTEBOOK: {"days": 365, "mean_rain": 2.5, "WET_SHARE": 1 / 3},
        GAPS: {"fill_with": 0},
        WALK: {"steps": 100, "seed": 1},
    }


def test_a_rerun_leaves_a_card(runs):
    card = read_record(runs / "month")
    assert (card["status"], card["page"], card["changed"]) == (
        "done",
        NOTEBOOK,
        ["days"],
    )
    assert {f"{NOTEBOOK}.ipynb", "run.md", "run.json"} <= set(card["files"])
    assert {
        Path(name).suffix for name in card["files"] if name.startswith("figures/")
    } == {
        ".png",
        ".svg",
    }
    as_it_is = read_record(runs / "as-it-is")
    assert (as_it_is["changed"], as_it_is["ran"]) == ([], card["ran"])
    assert read_record(runs / "walk")["page"] == WALK


def test_what_an_author_did_not_foresee_is_a_failed_run(runs):
    record = read_record(runs / "none")
    assert (record["status"], record["parameters"]["days"]) == ("failed", 0)
    assert (runs / "none" / f"{NOTEBOOK}.failed.ipynb").is_file()


def test_a_diff_shows_what_the_cells_show(runs):
    found = differences(runs / "as-it-is", runs / "month")
    by_kind = {
        kind: [one for one in found if one.kind == kind]
        for kind in ("parameter", "output")
    }
    assert [(one.name, one.first, one.second) for one in by_kind["parameter"]] == [
        ("days", "365", "30")
    ]
    executed = nbformat.read(runs / "month" / f"{NOTEBOOK}.ipynb", as_version=4)
    printed = [
        output.text
        for cell in executed.cells
        for output in cell.get("outputs", [])
        if output.output_type == "stream" and output.name == "stdout"
    ]
    total = by_kind["output"][0]
    assert total.second == printed[0].strip()
    assert total.first != total.second
    assert differences(runs / "month", runs / "month") == []


def test_a_missing_value_and_an_intended_error_are_results(runs):
    folders = sorted((runs / "gaps" / "runs").glob("[!.]*"))
    assert [read_record(folder)["status"] for folder in folders] == ["done", "done"]
    found = differences(*folders)
    kinds = {one.kind for one in found}
    assert kinds == {"parameter", "output"}
    # NaN and the intended error are the same in both runs
    assert len([one for one in found if one.kind == "output"]) == 1


def test_runs_of_all_pages_are_one_table(runs, tmp_path):
    folders = [runs / name for name in ("month", "none", "walk", "gaps")]
    assert companion("collect", *folders, "-o", tmp_path / "all") == 0
    table = pl.read_parquet(tmp_path / "all.parquet")
    assert table["status"].sort().to_list() == ["done"] * 4 + ["failed"]
    assert set(table["param.fill_with"].drop_nulls()) == {0, 5}
    assert table.filter(pl.col("page") == WALK)["param.steps"].to_list() == [9]


@pytest.mark.slow  # Jupyter Book takes half a minute
@pytest.mark.timeout(600)
def test_the_adopted_book_is_built_and_its_runs_are_laid_out(runs, tmp_path):
    book = runs / "book"
    program = Path(sys.executable).with_name("jupyter-book")
    words = [str(program), "build", str(book)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    html = book / "_build" / "html"
    known = json.loads((html / "book.json").read_text())["targets"]
    assert {f"doc:{name}" for name in (NOTEBOOK, GAPS, WALK)} <= set(known)
    assert {path.stem for path in (html / "_notebooks").rglob("*.ipynb")} == {
        Path(name).name for name in (NOTEBOOK, GAPS, WALK)
    } | {NOTEBOOK}
    page = tmp_path / "page"
    assert (
        companion(
            "rerun", GAPS, "-p", "fill_with", 1, "-o", page, "--book", book, "--quiet"
        )
        == 0
    )
    assert (page / f"{GAPS}.html").is_file()
