"""A chapter is cited only if its own code ran."""

import nbformat
import pytest

from companion.sphinx.notebooks import FROM_WHEEL, convert
from liftbook.chapters import chapters_folder, read_notebook
from liftbook.chapters.card import as_text, card, edited_cells

CHAPTER = chapters_folder() / "watchdog.md"


def written(folder, notebook):
    path = folder / "watchdog.ipynb"
    nbformat.write(notebook, path)
    return path


def downloaded():
    """Return the notebook that the page's button downloads."""
    source = read_notebook(CHAPTER)
    pieces = [number for number, cell in enumerate(source.cells) if cell.cell_type == "code"]
    install = FROM_WHEEL.format(name="liftlib", module="liftlib", extra="[book]", wanted="liftlib", place="lift.whl")
    return convert(source, pieces, install)


def with_values():
    """Return the notebook that a rerun writes."""
    notebook = read_notebook(CHAPTER)
    tag = {"tags": ["injected-parameters"]}
    notebook.cells.insert(4, nbformat.v4.new_code_cell("# Parameters\nseed = 2", metadata=tag))
    return notebook


def the_source():
    return read_notebook(CHAPTER)


@pytest.mark.parametrize("make", [the_source, with_values, downloaded])
def test_copies_of_a_chapter_are_the_chapter(tmp_path, make):
    notebook = make()
    assert edited_cells(written(tmp_path, notebook)) == 0
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    next(cell for cell in cells if "tradeoff(fig2)" in cell.source).source += "\nfig2 = fig2.iloc[:1]"
    assert edited_cells(written(tmp_path, notebook)) == 1
    notebook.cells.append(nbformat.v4.new_code_cell("seed = 3"))
    assert edited_cells(written(tmp_path, notebook)) == 2
    notebook.cells.remove(next(cell for cell in cells if "watchdog_extended" in cell.source))
    assert edited_cells(written(tmp_path, notebook)) == 3


def test_other_defaults_in_the_parameters_cell_are_an_edit(tmp_path):
    notebook = downloaded()
    cell = next(cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", []))
    cell.source = cell.source.replace("seed: int = 0", "seed: int = 1")
    assert edited_cells(written(tmp_path, notebook)) == 1


def test_a_prose_of_ones_own_is_no_edit_and_another_name_no_chapter(tmp_path):
    notebook = the_source()
    notebook.cells.append(nbformat.v4.new_markdown_cell("My notes."))
    path = written(tmp_path, notebook)
    assert edited_cells(path) == 0
    assert edited_cells(path.rename(tmp_path / "mine.ipynb")) is None
    assert edited_cells(CHAPTER) == 0


@pytest.mark.parametrize(
    ("edited", "said"),
    [
        (0, "Cite as: *Lift: a reproducible companion*, chapter watchdog, liftlib"),
        (1, "*Lift: a reproducible companion*, chapter watchdog, 1 code cell of which was edited, liftlib"),
        (3, "*Lift: a reproducible companion*, chapter watchdog, 3 code cells of which were edited, liftlib"),
        (None, "Cite as: the notebook watchdog (SHA-256 0123456789abcdef) run with *Lift"),
    ],
)
def test_the_card_says_so(edited, said):
    content = card("watchdog", edited, {"seed": 0}, [], 1.0) | {"made_of": {"chapter": "0123456789abcdef0"}}
    assert said in as_text(content)
    assert ("Cite as: *Lift" in as_text(content)) == (edited == 0)
    assert content["edited_cells"] == edited
